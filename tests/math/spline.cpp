// SPDX-License-Identifier: Apache-2.0
#include "trammel/math/spline.h"

#include <gtest/gtest.h>

#include <numbers>
#include <string>

#include "trammel/base/error.h"
#include "trammel/math/dual.h"
#include "trammel/math/taylor.h"

namespace trammel::test_spline {
namespace {

using T = Taylor2<double>;

const std::vector<double> x{-1.0, -0.7, 0.1, 0.4, 1.5, 2.0, 2.2};

std::vector<double> values(double (*f)(double), const std::vector<double>& at) {
  std::vector<double> y;
  for (const double xi : at) y.push_back(f(xi));
  return y;
}

/// Not-a-knot leaves a cubic alone: it is the unique spline through cubic data.
TEST(CubicSpline, not_a_knot_reproduces_cubics_with_all_derivatives_inside_the_table) {
  const auto f = [](double s) { return 2.0 - s + 0.5 * s * s - 3.0 * s * s * s; };
  for (const std::size_t n : {4u, 5u, 7u}) {
    const std::vector<double> at(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n));
    const CubicSpline spline(at, values(f, at));
    for (double s = at.front(); s <= at.back(); s += 0.05) {
      const T y = spline.evaluate(T::time(s));
      EXPECT_NEAR(y.v, f(s), 1e-13) << n;
      EXPECT_NEAR(y.d, -1.0 + s - 9.0 * s * s, 1e-12) << n;
      EXPECT_NEAR(y.dd, 1.0 - 18.0 * s, 1e-11) << n;
    }
  }
}

TEST(CubicSpline, is_a_line_through_two_points_and_a_parabola_through_three) {
  const CubicSpline line(std::vector<double>{1, 3}, std::vector<double>{2, 6});
  EXPECT_DOUBLE_EQ(line.evaluate(2.0), 4.0);
  EXPECT_DOUBLE_EQ(line.evaluate(5.0), 10.0);
  const std::vector<double> three{0, 1, 3};
  const CubicSpline parabola(three, values([](double s) { return s * s; }, three));
  EXPECT_NEAR(parabola.evaluate(2.0), 4.0, 1e-14);
  EXPECT_NEAR(parabola.evaluate(T::time(2.5)).dd, 2.0, 1e-13);
}

/// C²: value, slope and curvature from the left and right of every knot; the third derivative does jump.
TEST(CubicSpline, is_twice_continuously_differentiable_at_the_knots) {
  const std::vector<double> y{0, 1, -1, 2, 0.5, 0.4, 0};
  for (const SplineEnds ends : {SplineEnds::not_a_knot, SplineEnds::natural, SplineEnds::periodic}) {
    const CubicSpline spline(x, y, {ends, Extrapolation::linear});
    for (std::size_t i = 0; i < x.size(); ++i) {
      constexpr double gap = 1e-9;
      if (ends == SplineEnds::not_a_knot && (i == 0 || i + 1 == x.size())) continue;
      const T left = spline.evaluate(T::time(x[i] - gap)), right = spline.evaluate(T::time(x[i] + gap));
      EXPECT_NEAR(spline.evaluate(x[i]), y[i], 1e-14);
      EXPECT_NEAR(left.v, right.v, 1e-6);
      EXPECT_NEAR(left.d, right.d, 1e-6);
      EXPECT_NEAR(left.dd, right.dd, 1e-5);
    }
  }
}

TEST(CubicSpline, natural_ends_have_no_curvature) {
  const CubicSpline spline(x, values([](double s) { return s * s; }, x), {SplineEnds::natural, Extrapolation::linear});
  EXPECT_NEAR(spline.evaluate(T::time(x.front())).dd, 0.0, 1e-13);
  EXPECT_NEAR(spline.evaluate(T::time(x.back())).dd, 0.0, 1e-13);
}

TEST(CubicSpline, converges_with_the_fourth_power_of_the_spacing) {
  const auto error = [](int n) {
    std::vector<double> at, y;
    for (int i = 0; i <= n; ++i) at.push_back(3.0 * i / n), y.push_back(std::sin(at.back()));
    const CubicSpline spline(at, y);
    double worst = 0.0;
    for (double s = 0.0; s <= 3.0; s += 0.001) worst = std::max(worst, std::abs(spline.evaluate(s) - std::sin(s)));
    return worst;
  };
  const double order = std::log2(error(40) / error(80));
  EXPECT_GT(order, 3.7);
  EXPECT_LT(order, 4.5);
}

TEST(CubicSpline, periodic_tables_repeat_for_ever) {
  std::vector<double> at, y;
  for (int i = 0; i <= 16; ++i) at.push_back(2 * std::numbers::pi * i / 16), y.push_back(std::sin(at.back()));
  y.back() = y.front();
  const CubicSpline spline(at, y, {SplineEnds::periodic, Extrapolation::error});
  for (const double s : {-20.0, -0.1, 1.0, 7.0, 100.0}) {
    const T value = spline.evaluate(T::time(s));
    EXPECT_NEAR(value.v, std::sin(s), 1e-4);
    EXPECT_NEAR(value.d, std::cos(s), 2e-3);
  }
  const CubicSpline three(std::vector<double>{0, 1, 2}, std::vector<double>{0, 1, 0}, {SplineEnds::periodic});
  EXPECT_NEAR(three.evaluate(T::time(1.0)).d, 0.0, 1e-14);
  EXPECT_NEAR(three.evaluate(T::time(2.0 - 1e-9)).dd, three.evaluate(T::time(0.0)).dd, 1e-6);
  EXPECT_DOUBLE_EQ(three.evaluate(0.5), 0.5);
}

TEST(CubicSpline, extrapolates_as_asked) {
  const std::vector<double> at{0, 1, 2, 3}, y{0, 1, 8, 27};
  const CubicSpline linear(at, y), constant(at, y, {SplineEnds::not_a_knot, Extrapolation::constant}),
      error(at, y, {SplineEnds::not_a_knot, Extrapolation::error});
  const T beyond = linear.evaluate(T::time(4.0));
  EXPECT_NEAR(beyond.v, 27.0 + 27.0, 1e-12);
  EXPECT_NEAR(beyond.d, 27.0, 1e-12);
  EXPECT_EQ(beyond.dd, 0.0);
  EXPECT_NEAR(linear.evaluate(-1.0), 0.0, 1e-12);
  EXPECT_EQ(constant.evaluate(T::time(4.0)).v, 27.0);
  EXPECT_EQ(constant.evaluate(T::time(4.0)).d, 0.0);
  EXPECT_EQ(constant.evaluate(-4.0), 0.0);
  EXPECT_TRUE(std::isnan(error.evaluate(3.0001)));
  EXPECT_TRUE(std::isnan(error.evaluate(-1e-9)));
  EXPECT_NEAR(error.evaluate(3.0), 27.0, 1e-12);
}

TEST(CubicSpline, carries_duals) {
  const CubicSpline spline(x, values([](double s) { return s * s * s; }, x));
  const Dual<6> y = spline.evaluate(Dual<6>::variable(0.5, 2));
  EXPECT_NEAR(y.d[2], 0.75, 1e-13);
  EXPECT_EQ(y.d[0], 0.0);
}

std::string refusal(const std::vector<double>& at, const std::vector<double>& y, SplineOptions options = {}) {
  try {
    CubicSpline spline(at, y, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(CubicSpline, names_the_rows_of_all_problems) {
  const std::string message = refusal({0, 2, 2, 1, NAN}, {0, 0, 0, 0, 0});
  EXPECT_NE(message.find("row 3: abscissa 2 does not increase"), std::string::npos) << message;
  EXPECT_NE(message.find("row 4: abscissa 1 does not increase (row 3 has 2)"), std::string::npos) << message;
  EXPECT_NE(message.find("row 5: (nan, 0) is not finite"), std::string::npos) << message;
  EXPECT_NE(refusal({0}, {0}).find("at least 2"), std::string::npos);
  EXPECT_NE(refusal({0, 1}, {0}).find("2 abscissae but 1 values"), std::string::npos);
  EXPECT_NE(refusal({0, 1}, {0, 1}, {SplineEnds::periodic}).find("row 2: a periodic table must end"),
            std::string::npos);
}

}  // namespace
}  // namespace trammel::test_spline
