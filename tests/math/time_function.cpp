// SPDX-License-Identifier: Apache-2.0
#include "trammel/math/time_function.h"

#include <gtest/gtest.h>

#include <limits>

#include "trammel/base/error.h"

namespace trammel::test_time_function {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<TimeFunction> one_of_each_kind() {
  const std::vector<double> x{-3, -1, 0, 1, 2.5, 4}, y{0, 2, -1, 1, 0, 3};
  return {TimeFunction(), TimeFunction::constant(3.0), TimeFunction::polynomial({1, -2, 0.5, 0.25}),
          TimeFunction::table(std::make_shared<CubicSpline>(x, y)),
          TimeFunction::parse("2*sin(3*t + 1)*exp(-t/2) + step(t, -1, 0, 2, 1)")};
}

/// u̇ and ü against central differences of u and u̇: errors h²·u‴/6 + ε/h.
TEST(TimeFunction, gives_exact_derivatives_for_every_kind) {
  constexpr double h = 1e-5, tolerance = 1e-7;
  for (const TimeFunction& f : one_of_each_kind())
    for (const double t : {-5.0, -2.2, 0.3, 1.7, 3.3, 6.0}) {
      const TimeFunction::Value before = f.evaluate(t - h), at = f.evaluate(t), after = f.evaluate(t + h);
      EXPECT_NEAR(at.ud, (after.u - before.u) / (2 * h), tolerance * (1 + std::abs(at.ud)));
      EXPECT_NEAR(at.udd, (after.ud - before.ud) / (2 * h), tolerance * (1 + std::abs(at.udd)));
      EXPECT_EQ(f(t), at.u);
    }
}

TEST(TimeFunction, is_what_it_was_made_from) {
  EXPECT_EQ(TimeFunction()(7.0), 0.0);
  EXPECT_EQ(TimeFunction::constant(3.0)(7.0), 3.0);
  EXPECT_TRUE(TimeFunction::constant(3.0).is_constant());
  const TimeFunction::Value p = TimeFunction::polynomial({1, -2, 0.5}).evaluate(3.0);
  EXPECT_EQ(p.u, -0.5);
  EXPECT_EQ(p.ud, 1.0);
  EXPECT_EQ(p.udd, 1.0);
  EXPECT_TRUE(TimeFunction::parse("2*3").is_constant());
  EXPECT_FALSE(TimeFunction::parse("2*t").is_constant());
}

TEST(TimeFunction, tells_its_next_breakpoint) {
  EXPECT_EQ(TimeFunction::polynomial({0, 1}).next_breakpoint(0.0), infinity);
  const TimeFunction f = TimeFunction::parse("step(t, 1, 0, 2, 1) + abs(t - 1.5)");
  EXPECT_EQ(f.next_breakpoint(0.0), 1.0);
  EXPECT_EQ(f.next_breakpoint(1.0), 1.5);
  EXPECT_EQ(f.next_breakpoint(1.7), 2.0);
  EXPECT_EQ(f.next_breakpoint(2.0), infinity);
  const TimeFunction table =
      TimeFunction::table(std::make_shared<CubicSpline>(std::vector<double>{1, 2, 4}, std::vector<double>{0, 1, 0}));
  EXPECT_EQ(table.next_breakpoint(0.0), 1.0);
  EXPECT_EQ(table.next_breakpoint(1.0), 4.0);
}

TEST(TimeFunction, refuses_formulas_of_anything_but_time) {
  EXPECT_THROW(TimeFunction::parse("t + x"), ExpressionError);
  const Expression of_x = Expression::parse("x", [](const std::vector<std::string>&) -> ResolvedName { return 1; });
  EXPECT_THROW(TimeFunction::expression(of_x), InputError);
}

}  // namespace
}  // namespace trammel::test_time_function
