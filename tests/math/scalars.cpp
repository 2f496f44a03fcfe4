// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "trammel/math/dual.h"
#include "trammel/math/taylor.h"
#include "trammel/math/vectors.h"

namespace trammel::test_scalars {
namespace {

using D = Dual<dual_width>;
using T = Taylor2<double>;
using TD = Taylor2<D>;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// One function of one variable, for every scalar, with points at which it is smooth.
struct Case {
  std::string name;
  std::function<double(double)> f;
  std::function<D(D)> dual;
  std::function<T(T)> taylor;
  std::function<TD(TD)> nested;
  std::vector<double> points;
};

template <class F>
Case make(std::string name, F f, std::vector<double> points) {
  return {std::move(name), f, f, f, f, std::move(points)};
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      make("x + 2", [](auto x) { return x + 2.0; }, {-1, 0, 3}),
      make("2 + x", [](auto x) { return 2.0 + x; }, {-1, 0, 3}),
      make("x - 2", [](auto x) { return x - 2.0; }, {-1, 0, 3}),
      make("2 - x", [](auto x) { return 2.0 - x; }, {-1, 0, 3}),
      make("3x", [](auto x) { return 3.0 * x; }, {-1, 0, 3}),
      make("x int", [](auto x) { return x * 3 - 1 + 2 / (4 + x); }, {-1, 0, 3}),
      make("x/3", [](auto x) { return x / 3.0; }, {-1, 0, 3}),
      make("3/x", [](auto x) { return 3.0 / x; }, {-1, 0.2, 3}),
      make("x*x", [](auto x) { return x * x; }, {-1, 0, 3}),
      make("x^2/(1+x)", [](auto x) { return x * x / (1.0 + x); }, {-0.5, 0, 3}),
      make("-x", [](auto x) { return -x; }, {-1, 0, 3}),
      make("compound",
           [](auto x) {
             auto y = x;
             y += x;
             y -= 0.5;
             y *= x;
             y /= (x * x + 1.0);
             y *= 2.0;
             y /= 3.0;
             y += 1.0;
             y -= x;
             return y;
           },
           {-1, 0.3}),
      make("sqrt", [](auto x) { return sqrt(x); }, {0.25, 1, 9}),
      make("sin", [](auto x) { return sin(x); }, {-2, 0, 1}),
      make("cos", [](auto x) { return cos(x); }, {-2, 0, 1}),
      make("tan", [](auto x) { return tan(x); }, {-1.2, 0, 1}),
      make("asin", [](auto x) { return asin(x); }, {-0.8, 0, 0.9}),
      make("acos", [](auto x) { return acos(x); }, {-0.8, 0, 0.9}),
      make("atan", [](auto x) { return atan(x); }, {-3, 0, 1}),
      make("exp", [](auto x) { return exp(x); }, {-3, 0, 1}),
      make("log", [](auto x) { return log(x); }, {0.1, 1, 7}),
      make("log10", [](auto x) { return log10(x); }, {0.1, 1, 7}),
      make("sinh", [](auto x) { return sinh(x); }, {-2, 0, 1}),
      make("cosh", [](auto x) { return cosh(x); }, {-2, 0, 1}),
      make("tanh", [](auto x) { return tanh(x); }, {-2, 0, 1}),
      make("abs", [](auto x) { return abs(x); }, {-2, 1}),
      make("pow(x, 3)", [](auto x) { return pow(x, 3.0); }, {-2, 0, 1}),
      make("pow(x, -2)", [](auto x) { return pow(x, -2.0); }, {-2, 0.5}),
      make("pow(x, 2.5)", [](auto x) { return pow(x, 2.5); }, {0.1, 3}),
      make("pow(2, x)", [](auto x) { return pow(decltype(x)(2.0), x); }, {-1, 0, 3}),
      make("pow(x, x)", [](auto x) { return pow(x, x); }, {0.5, 2}),
      make("atan2(x, 2)", [](auto x) { return atan2(x, decltype(x)(2.0)); }, {-3, 0, 1}),
      make("atan2(-1, x)", [](auto x) { return atan2(decltype(x)(-1.0), x); }, {-3, 0, 1}),
      make("atan2(sin, x)", [](auto x) { return atan2(sin(x), x * x + 1.0); }, {-3, 0, 1}),
      make("hypot", [](auto x) { return hypot(x, decltype(x)(1.0) + x * x); }, {-3, 0, 1}),
      make("min", [](auto x) { return min(x, decltype(x)(1.0)); }, {0.5, 2}),
      make("max", [](auto x) { return max(decltype(x)(1.0), x * x); }, {0.5, 2}),
      make("floor", [](auto x) { return floor(x) + 0.0 * x; }, {0.5, -2.5}),
      make("ceil", [](auto x) { return ceil(x); }, {0.5, -2.5}),
      make("sign", [](auto x) { return sign(x); }, {0.5, -2.5}),
      make("mod", [](auto x) { return mod(x, decltype(x)(0.7)); }, {0.5, -2.5}),
      make("nested", [](auto x) { return exp(sin(x * x)) / sqrt(1.0 + cos(x) * cos(x)); }, {-1, 0, 0.7}),
  };
  return all;
}

// Central differences of doubles: errors h²f‴/6 + ε/h and h²f⁗/12 + 4ε/h², both with the functions above below these.
constexpr double h1 = 1e-5, h2 = 2e-4;
double tolerance1(double value) { return 2e-8 * (1 + std::abs(value)); }
double tolerance2(double value) { return 2e-6 * (1 + std::abs(value)); }

TEST(Dual, agrees_with_differences_in_every_direction_for_every_function) {
  for (const Case& c : cases())
    for (const double x0 : c.points) {
      D x(x0);
      for (int i = 0; i < dual_width; ++i) x.d[i] = 1.0 + 0.5 * i;
      const D y = c.dual(x);
      const double slope = (c.f(x0 + h1) - c.f(x0 - h1)) / (2 * h1);
      EXPECT_EQ(y.v, c.f(x0)) << c.name;
      for (int i = 0; i < dual_width; ++i)
        EXPECT_NEAR(y.d[i], slope * x.d[i], 4 * tolerance1(slope)) << c.name << " at " << x0;
    }
}

TEST(Taylor2, agrees_with_differences_of_a_curve_for_every_function) {
  // x(t) = x₀ + 0.7 t + 0.3 t² at t = 0: ẋ = 0.7, ẍ = 0.6
  for (const Case& c : cases())
    for (const double x0 : c.points) {
      const auto along = [&](double t) { return c.f(x0 + 0.7 * t + 0.3 * t * t); };
      const T y = c.taylor(T(x0, 0.7, 0.6));
      const double d = (along(h1) - along(-h1)) / (2 * h1);
      const double dd = (along(h2) - 2 * along(0) + along(-h2)) / (h2 * h2);
      EXPECT_EQ(y.v, c.f(x0)) << c.name;
      EXPECT_NEAR(y.d, d, tolerance1(d)) << c.name << " at " << x0;
      EXPECT_NEAR(y.dd, dd, 10 * tolerance2(dd)) << c.name << " at " << x0;
    }
}

TEST(Taylor2OfDual, differentiates_value_rate_and_acceleration_with_respect_to_parameters) {
  // x(t) = p₀ + p₁ t + p₂ t²/2: the dual directions 0, 1, 2 are p.
  for (const Case& c : cases())
    for (const double x0 : c.points) {
      const double p[3] = {x0, 0.7, 0.6};
      const TD y = c.nested(TD(D::variable(p[0], 0), D::variable(p[1], 1), D::variable(p[2], 2)));
      const T plain = c.taylor(T(p[0], p[1], p[2]));
      EXPECT_EQ(y.v.v, plain.v) << c.name;
      EXPECT_NEAR(y.d.v, plain.d, 1e-14 * (1 + std::abs(plain.d))) << c.name;
      EXPECT_NEAR(y.dd.v, plain.dd, 1e-13 * (1 + std::abs(plain.dd))) << c.name;
      for (int i = 0; i < 3; ++i) {
        double up[3] = {p[0], p[1], p[2]}, down[3] = {p[0], p[1], p[2]};
        up[i] += h1;
        down[i] -= h1;
        const T a = c.taylor(T(up[0], up[1], up[2])), b = c.taylor(T(down[0], down[1], down[2]));
        const double dv = (a.v - b.v) / (2 * h1), dd = (a.d - b.d) / (2 * h1), ddd = (a.dd - b.dd) / (2 * h1);
        EXPECT_NEAR(y.v.d[i], dv, tolerance1(dv)) << c.name << " at " << x0 << " direction " << i;
        EXPECT_NEAR(y.d.d[i], dd, 10 * tolerance1(dd)) << c.name << " at " << x0 << " direction " << i;
        EXPECT_NEAR(y.dd.d[i], ddd, 100 * tolerance1(ddd)) << c.name << " at " << x0 << " direction " << i;
      }
    }
}

TEST(Taylor2, has_the_analytic_second_derivatives) {
  const double t = 0.8;
  const T x = T::time(t);
  const T y = sin(3.0 * x) * exp(-x);
  EXPECT_NEAR(y.d, std::exp(-t) * (3 * std::cos(3 * t) - std::sin(3 * t)), 1e-15);
  EXPECT_NEAR(y.dd, std::exp(-t) * (-8 * std::sin(3 * t) - 6 * std::cos(3 * t)), 5e-15);
  const T z = atan2(sin(2.0 * x), cos(2.0 * x));  // = 2t
  EXPECT_NEAR(z.d, 2.0, 1e-15);
  EXPECT_NEAR(z.dd, 0.0, 1e-14);
  const T r = hypot(3.0 * cos(x), 3.0 * sin(x));  // = 3
  EXPECT_NEAR(r.d, 0.0, 1e-15);
  EXPECT_NEAR(r.dd, 0.0, 1e-14);
}

TEST(Dual, at_singular_points_a_direction_that_does_not_move_has_derivative_zero) {
  D x(0.0);
  x.d[1] = 1.0;
  const D root = sqrt(x);
  EXPECT_EQ(root.d[0], 0.0);
  EXPECT_EQ(root.d[1], infinity);
  EXPECT_EQ(sqrt(D(0.0)).d[0], 0.0);
  EXPECT_EQ(sqrt(x * x).d[1], 0.0);  // the norm of a vector that vanishes
  EXPECT_EQ(pow(x, 0.0).d[1], 0.0);
  EXPECT_EQ(pow(x, 1.0).d[1], 1.0);
  EXPECT_EQ(pow(x, 1.0).d[0], 0.0);
  EXPECT_EQ(pow(x, 2.0).d[1], 0.0);
  EXPECT_EQ(pow(D(0.0), 0.5).d[1], 0.0);
  EXPECT_EQ(abs(x).d[1], 0.0);
  EXPECT_EQ(hypot(x, D(0.0)).d[1], 0.0);
  EXPECT_EQ(asin(D(1.0)).d[0], 0.0);
  EXPECT_EQ(atan2(x, D(0.0)).d[0], 0.0);
  EXPECT_FALSE(is_finite(atan2(x, D(0.0))));
  EXPECT_EQ(pow(D(-2.0), D(3.0)).v, -8.0);
  EXPECT_TRUE(is_finite(pow(D(-2.0), D(3.0))));
}

TEST(Taylor2, at_singular_points_a_constant_has_no_derivatives) {
  for (const T y : {sqrt(T(0.0)), atan2(T(0.0), T(0.0)), hypot(T(0.0), T(0.0)), pow(T(0.0), 1.5), pow(T(0.0), 0.5),
                    asin(T(1.0)), acos(T(-1.0)), abs(T(0.0))}) {
    EXPECT_EQ(y.d, 0.0);
    EXPECT_EQ(y.dd, 0.0);
  }
  const T t = T::time(0.0);
  EXPECT_EQ(pow(t, 2.0).dd, 2.0);
  EXPECT_EQ(pow(t, 1.0).d, 1.0);
  EXPECT_EQ(pow(t, 1.0).dd, 0.0);
  EXPECT_EQ(pow(t, 3.0).dd, 0.0);
  EXPECT_EQ(sqrt(t).d, infinity);
  EXPECT_EQ(pow(TD::time(D(0.0)), 2.0).dd.v, 2.0);
  EXPECT_TRUE(is_finite(pow(TD::time(D::variable(0.0, 0)), 2.0)));
  EXPECT_FALSE(is_finite(sqrt(t)));
}

TEST(Scalars, compare_by_value) {
  const D a = D::variable(1.0, 0), b(1.0);
  EXPECT_TRUE(a == b);
  EXPECT_TRUE(a == 1.0 && 1.0 == a && a != 2.0);
  EXPECT_TRUE(a < 2.0 && 0.5 < a && a <= b && a >= 1 && a > 0);
  EXPECT_FALSE(a < std::nan("") || a > std::nan("") || a == std::nan(""));
  EXPECT_TRUE(T(1.0, 5.0, 0.0) == T(1.0) && TD(2.0) > 1.0 && T(0.0) < T(1.0));
  EXPECT_EQ(value_of(TD(D(3.0))), 3.0);
}

TEST(Scalars, mix_with_each_other_and_with_doubles) {
  const D p = D::variable(2.0, 0);
  const TD x = TD::time(D(3.0));
  const TD y = p * x + x / p - p + 1.0 - p / x;
  EXPECT_EQ(y.v.v, 6.0 + 1.5 - 2.0 + 1.0 - 2.0 / 3.0);
  EXPECT_NEAR(y.v.d[0], 3.0 - 3.0 / 4 - 1.0 - 1.0 / 3, 1e-15);
  EXPECT_NEAR(y.d.v, 2.0 + 0.5 + 2.0 / 9, 1e-15);
  EXPECT_NEAR(y.d.d[0], 1.0 - 0.25 + 1.0 / 9, 1e-15);
}

/// Matrices of scalars with matrices of doubles, products, norms, cross products: the derivative of ‖A x‖ is xᵀAᵀA
/// dx/‖A x‖.
template <class S>
S norm_of_product(const Mat3<double>& A, const Vec3<S>& x) {
  const Vec3<S> y = A * x + 0.0 * x.cross(x);
  return y.norm();
}

TEST(Scalars, work_inside_Eigen_matrices) {
  Mat3<double> A;
  A << 1, 2, 0, -1, 0.5, 3, 0, 1, 1;
  const Vec3<double> x(0.3, -1, 2);
  Vec3<D> xd;
  for (int i = 0; i < 3; ++i) xd(i) = D::variable(x(i), i);
  const D n = norm_of_product(A, xd);
  const Vec3<double> expected = A.transpose() * A * x / (A * x).norm();
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(n.d[i], expected(i), 1e-15);
  Vec3<TD> xt;
  for (int i = 0; i < 3; ++i) xt(i) = TD(D::variable(x(i), i), D(1.0 + i), D(0.0));
  const TD nt = norm_of_product(A, xt);
  EXPECT_NEAR(nt.d.v, expected.dot(Vec3<double>(1, 2, 3)), 1e-14);
  const Mat6<D> identity = Mat6<D>::Identity();
  const Mat6<D> product = identity * Mat6<double>::Constant(2.0) * D(3.0);
  EXPECT_EQ(product(4, 5).v, 6.0);
}

}  // namespace
}  // namespace trammel::test_scalars
