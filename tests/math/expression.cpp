// SPDX-License-Identifier: Apache-2.0
#include "trammel/math/expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

namespace trammel::test_expression {
namespace {

constexpr double pi = std::numbers::pi;
using D = Dual<dual_width>;
using T = Taylor2<double>;
using TD = Taylor2<D>;

/// t, x, y, elbow.angle and 'upper arm'.vx are variables 0 … 4; mass = 2 and zero = 0 are parameters.
ResolvedName resolve(const std::vector<std::string>& path) {
  static const std::map<std::vector<std::string>, int> variables{
      {{"t"}, 0}, {{"x"}, 1}, {{"y"}, 2}, {{"elbow", "angle"}, 3}, {{"upper arm", "vx"}, 4}};
  if (const auto it = variables.find(path); it != variables.end()) return it->second;
  if (path == std::vector<std::string>{"mass"}) return 2.0;
  if (path == std::vector<std::string>{"zero"}) return 0.0;
  if (path == std::vector<std::string>{"größe"}) return 7.0;
  return "unknown name '" + path.back() + "'";
}

ResolvedTable tables(const std::string& name) {
  static const auto cubic =
      std::make_shared<const CubicSpline>(std::vector<double>{0, 1, 2, 3, 4}, std::vector<double>{0, 1, 8, 27, 64});
  if (name == "cubic" || name == "my table") return cubic;
  return "unknown table '" + name + "'";
}

Expression parse(std::string_view text) { return Expression::parse(text, resolve, tables); }

constexpr double x0 = 3.0, y0 = 5.0;
double value(std::string_view text) {
  const double variables[] = {0.5, x0, y0, 0.25, -4.0};
  return parse(text).evaluate(std::span<const double>(variables));
}

TEST(Expression, follows_the_usual_precedence) {
  EXPECT_EQ(value("1 + 2 * 3"), 7.0);
  EXPECT_EQ(value("(1 + 2) * 3"), 9.0);
  EXPECT_EQ(value("10 - 4 - 3"), 3.0);
  EXPECT_EQ(value("24 / 4 / 2"), 3.0);
  EXPECT_EQ(value("2^3^2"), 512.0);
  EXPECT_EQ(value("-x^2"), -9.0);
  EXPECT_EQ(value("(-x)^2"), 9.0);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("x^-2^2"), std::pow(3.0, -4.0));
  EXPECT_EQ(value("2 * -x"), -6.0);
  EXPECT_EQ(value("--x"), 3.0);
  EXPECT_EQ(value("-x * y + +1"), -14.0);
  EXPECT_EQ(value("6 / 2 * 3"), 9.0);
}

TEST(Expression, reads_numbers_in_every_usual_form) {
  EXPECT_EQ(value("1e-3"), 1e-3);
  EXPECT_EQ(value(".5 + 5. + 1.25E+2"), 130.5);
  EXPECT_EQ(value("2*pi"), 2 * pi);
}

TEST(Expression, compares_and_combines_conditions) {
  EXPECT_EQ(value("x < y"), 1.0);
  EXPECT_EQ(value("x + 2 >= y"), 1.0);
  EXPECT_EQ(value("x == 3 and y != 5"), 0.0);
  EXPECT_EQ(value("x == 3 or y != 5 and 0"), 1.0);
  EXPECT_EQ(value("not x < y"), 0.0);
  EXPECT_EQ(value("not not x > 1"), 1.0);
  EXPECT_EQ(value("if(x < y, 10, 20) + 1"), 11.0);
  EXPECT_EQ(value("if(x > y, 10, if(x == 3, 20, 30)) * 2"), 40.0);
  EXPECT_EQ(value("(x < y) * 4"), 4.0);
}

TEST(Expression, evaluates_only_the_chosen_branch) {
  EXPECT_EQ(value("if(x > 0, sqrt(x - 2), log(0 * x))"), 1.0);
  const T variables[] = {T(0), T::time(0.0)};
  const T result = parse("if(x == 0, x^2, sqrt(x))").evaluate(std::span<const T>(variables));
  EXPECT_EQ(result.dd, 2.0);
}

TEST(Expression, knows_every_function) {
  const std::pair<const char*, double> expected[] = {
      {"sin(x)", std::sin(3.0)},
      {"cos(x)", std::cos(3.0)},
      {"tan(x)", std::tan(3.0)},
      {"asin(x/4)", std::asin(0.75)},
      {"acos(x/4)", std::acos(0.75)},
      {"atan(x)", std::atan(3.0)},
      {"atan2(x, y)", std::atan2(3.0, 5.0)},
      {"sinh(x)", std::sinh(3.0)},
      {"cosh(x)", std::cosh(3.0)},
      {"tanh(x)", std::tanh(3.0)},
      {"exp(x)", std::exp(3.0)},
      {"log(x)", std::log(3.0)},
      {"log10(x)", std::log10(3.0)},
      {"sqrt(x)", std::sqrt(3.0)},
      {"abs(-x)", 3.0},
      {"sign(-x)", -1.0},
      {"floor(-x/2)", -2.0},
      {"ceil(-x/2)", -1.0},
      {"square(x)", 9.0},
      {"cube(x)", 27.0},
      {"deg(x*60)", pi},
      {"pow(x, y)", 243.0},
      {"hypot(x, 4*x/x)", 5.0},
      {"mod(x, 2)", 1.0},
      {"mod(-x, 2)", 1.0},
      {"min(x, y)", 3.0},
      {"min(y, x, 4, x - 1)", 2.0},
      {"max(x, y, 4)", 5.0},
      {"clamp(x, 4, 6)", 4.0},
      {"clamp(x, 0, 2.5)", 2.5},
      {"step(x, 2, 10, 4, 20)", 15.0},
      {"step(x, 4, 10, 5, 20)", 10.0},
      {"step(x, 0, 10, 3, 20)", 20.0},
      {"ramp(x, 2, 10, 6, 20)", 12.5},
      {"ramp(x, 0, 10, 2, 20)", 20.0},
      {"table(cubic, x)", 27.0},
      {"table('my table', x/2)", 3.375},
  };
  for (const auto& [text, number] : expected) EXPECT_NEAR(value(text), number, 1e-14 * (1 + std::abs(number))) << text;
}

TEST(Expression, reads_paths_of_names_and_quoted_names) {
  EXPECT_EQ(value("elbow.angle"), 0.25);
  EXPECT_EQ(value("'upper arm'.vx"), -4.0);
  EXPECT_EQ(value("\"upper arm\" . vx * 2"), -8.0);
  EXPECT_EQ(value("'elbow'.'angle'"), 0.25);
  EXPECT_EQ(value("größe + mass"), 9.0);
}

TEST(Expression, folds_constants_and_lists_what_it_depends_on) {
  EXPECT_TRUE(parse("2*mass + sin(pi/2)").is_constant());
  EXPECT_EQ(parse("2*mass + sin(pi/2)").constant_value(), 5.0);
  EXPECT_EQ(parse("y + elbow.angle*x - y").variables(), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(parse("if(mass > 1, x, y)").variables(), (std::vector<int>{1}));
  EXPECT_EQ(parse("if(zero > 0, 1/zero, 4)").constant_value(), 4.0);
  EXPECT_EQ(Expression::constant(2.5).constant_value(), 2.5);
  EXPECT_TRUE(parse("table(cubic, 2)").is_constant());
}

TEST(Expression, carries_duals_and_time_derivatives_exactly) {
  const Expression f = parse("x^2 * sin(y) + if(x > 0, exp(x/y), 0) + table(cubic, x/2)");
  D dual[3] = {D(0.0), D::variable(x0, 0), D::variable(y0, 1)};
  const D result = f.evaluate(std::span<const D>(dual));
  EXPECT_NEAR(result.d[0], 2 * x0 * std::sin(y0) + std::exp(x0 / y0) / y0 + 3 * 2.25 / 2, 1e-13);
  EXPECT_NEAR(result.d[1], x0 * x0 * std::cos(y0) - std::exp(x0 / y0) * x0 / (y0 * y0), 1e-13);
  const T time[1] = {T::time(0.3)};
  const T u = parse("sin(2*t)^2").evaluate(std::span<const T>(time));  // ½(1 − cos 4t)
  EXPECT_NEAR(u.d, 2 * std::sin(1.2), 1e-15);
  EXPECT_NEAR(u.dd, 8 * std::cos(1.2), 5e-15);
  const TD nested[2] = {TD::time(D(0.3)), TD(D::variable(2.0, 5))};
  const TD w = parse("x^2*t^3").evaluate(std::span<const TD>(nested));
  EXPECT_NEAR(w.dd.v, 4.0 * 6 * 0.3, 1e-14);
  EXPECT_NEAR(w.dd.d[5], 4.0 * 6 * 0.3, 1e-14);
}

TEST(Expression, smooth_step_has_continuous_second_derivatives) {
  const Expression f = parse("step(t, 1, -2, 3, 4)");
  for (const double t : {1.0, 3.0})
    for (const double side : {-1e-7, 1e-7}) {
      const T time[1] = {T::time(t + side)};
      const T u = f.evaluate(std::span<const T>(time));
      EXPECT_NEAR(u.v, t == 1.0 ? -2.0 : 4.0, 1e-12);
      EXPECT_NEAR(u.d, 0.0, 1e-12);
      EXPECT_NEAR(u.dd, 0.0, 1e-5);
    }
  const T time[1] = {T::time(2.0)};
  EXPECT_NEAR(f.evaluate(std::span<const T>(time)).d, 6.0 / 2.0 * 1.875, 1e-14);  // steepest: 15/8 of the chord
}

/// The message contains `part` and the error is found at `column`.
void expect_error(std::string_view text, int column, const std::string& part) {
  try {
    parse(text);
    ADD_FAILURE() << "accepted: " << text;
  } catch (const ExpressionError& error) {
    EXPECT_EQ(error.column(), column) << text << ": " << error.what();
    EXPECT_NE(error.message().find(part), std::string::npos) << text << ": " << error.what();
  }
}

TEST(Expression, says_what_is_wrong_and_where) {
  expect_error("", 1, "empty");
  expect_error("  ", 3, "empty");
  expect_error("1 +", 4, "ends where a value is expected");
  expect_error("1 + * 2", 5, "found '*'");
  expect_error("(1 + 2", 1, "never closed");
  expect_error("2*(x + (y - 1)", 3, "never closed");
  expect_error("sin(x", 4, "'(' of sin is never closed");
  expect_error("1 + 2)", 6, "')' without a '('");
  expect_error("2x", 2, "expected an operator before 'x'");
  expect_error("x y", 3, "expected an operator before 'y'");
  expect_error("(x y)", 4, "expected an operator before 'y'");
  expect_error("sin(x y)", 7, "expected an operator before 'y'");
  expect_error("1,5", 2, "decimals are written with a point");
  expect_error("(1,5)", 3, "decimals are written with a point");
  expect_error("x + foo", 5, "unknown name 'foo'");
  expect_error("größe + foo", 9, "unknown name 'foo'");
  expect_error("1 + sine(x)", 5, "did you mean 'sin'");
  expect_error("sqr(x)", 1, "did you mean 'sqrt'");
  expect_error("t(3)", 1, "unknown function 't'");
  expect_error("atan2(x)", 1, "atan2 needs 2 arguments, not 1: atan2(y, x)");
  expect_error("sin()", 1, "sin needs 1 argument, not 0");
  expect_error("max(x)", 1, "max needs at least 2 arguments, not 1");
  expect_error("step(t, 0, 1, 2)", 1, "step(x, x0, y0, x1, y1)");
  expect_error("1 + sin", 5, "'sin' is a function");
  expect_error("x ** 2", 3, "'^'");
  expect_error("x && y", 3, "'and'");
  expect_error("x = 2", 3, "'=='");
  expect_error("!x", 1, "'not'");
  expect_error("1 < x < 2", 7, "cannot be chained");
  expect_error("x # y", 3, "'#' has no meaning");
  expect_error("'upper arm.vx", 1, "never closed");
  expect_error("''", 1, "empty name");
  expect_error("elbow.3", 6, "needs quotes");
  expect_error("elbow.", 7, "expected a name after 'elbow.'");
  expect_error("and 3", 1, "expected a value before 'and'");
  expect_error("1e999", 1, "too large");
  expect_error("x + 1/zero", 6, "not finite");
  expect_error("log(-mass)", 1, "not finite");
  expect_error("step(t, 2, 0, 1, 5)", 1, "x0 < x1");
  expect_error("clamp(t, 2, 1)", 1, "low <= high");
  expect_error("table(unknown, x)", 7, "unknown table 'unknown'");
  expect_error("table(3, x)", 7, "name of a table");
}

TEST(Expression, shows_of_a_long_formula_the_part_about_an_error) {
  std::string text = "1.25";
  for (int i = 0; i < 999; ++i) text += " + 1.25";
  text += " + 'µ";  // a quote that nothing ends
  try {
    parse(text);
    FAIL();
  } catch (const ExpressionError& error) {
    const std::string what = error.what();
    EXPECT_EQ(error.column(), 4 + 7 * 999 + 4);
    EXPECT_NE(what.find("… "), std::string::npos) << what;
    EXPECT_NE(what.find("1.25 + 'µ\")"), std::string::npos) << what;
    EXPECT_LT(what.size(), 300u);
  }
}

TEST(Expression, refuses_what_would_exhaust_a_stack) {
  expect_error(std::string(5000, '(') + "x" + std::string(5000, ')'), 201, "nested");
  expect_error(std::string(5000, '-') + "x", 201, "nested");
  std::string deep = "x";
  for (int i = 0; i < 80; ++i) deep = "x+(" + deep + ")";
  try {
    parse(deep);
    ADD_FAILURE() << "accepted";
  } catch (const ExpressionError& error) {
    EXPECT_NE(error.message().find("intermediate values"), std::string::npos);
  }
  std::string wide = "x";
  for (int i = 0; i < 1000; ++i) wide += "+x";
  EXPECT_EQ(value(wide), 3003.0);
  for (int i = 0; i < 10000; ++i) wide += "+x";
  EXPECT_THROW(parse(wide), ExpressionError);
}

std::vector<double> instants(std::string_view text) { return parse(text).breakpoints(0).instants(); }

TEST(Expression, finds_breakpoints_of_functions_of_time) {
  using V = std::vector<double>;
  EXPECT_EQ(instants("sin(t) + x"), V{});
  EXPECT_EQ(instants("step(t, 1, 0, 3, 5)"), (V{1, 3}));
  EXPECT_EQ(instants("2*step(2*t - 1, 1, 0, 3, 5) + step(t, 1, 0, mass, 1)"), (V{1, 2}));
  EXPECT_EQ(instants("if(t < 0.25, t, 0.25)"), (V{0.25}));
  EXPECT_EQ(instants("if(1 <= t and 3 - t > 0, 1, 0)"), (V{1, 3}));
  EXPECT_EQ(instants("abs((t - 2)/4)"), (V{2}));
  EXPECT_EQ(instants("max(t, 4 - t)"), (V{2}));
  EXPECT_EQ(instants("table(cubic, t + 1)"), (V{-1, 3}));
  EXPECT_EQ(instants("ramp(t, 0, 0, 1, 1) * clamp(-t, -3, -2)"), (V{0, 1, 2, 3}));
  EXPECT_EQ(instants("if(x < 0.25, t, step(y, 0, 0, 1, 1))"), V{});  // of other variables: not statically known
  EXPECT_EQ(parse("step(x, 1, 0, 3, 5)").breakpoints(1).instants(), (V{1, 3}));
}

TEST(Expression, finds_breakpoints_that_repeat) {
  const BreakpointSet saw = parse("step(mod(t - 0.5, 2), 0.5, 0, 1, 1)").breakpoints(0);
  // jumps of mod at 0.5 + 2k, step from 1 + 2k to 1.5 + 2k
  EXPECT_DOUBLE_EQ(saw.next(0.0), 0.5);
  EXPECT_DOUBLE_EQ(saw.next(0.5), 1.0);
  EXPECT_DOUBLE_EQ(saw.next(1.0), 1.5);
  EXPECT_DOUBLE_EQ(saw.next(1.5), 2.5);
  EXPECT_DOUBLE_EQ(saw.next(100.6), 101.0);
  const BreakpointSet floors = parse("floor(4*t)").breakpoints(0);
  EXPECT_DOUBLE_EQ(floors.next(-0.1), 0.0);
  EXPECT_DOUBLE_EQ(floors.next(0.0), 0.25);
  EXPECT_DOUBLE_EQ(floors.next(7.3), 7.5);
  EXPECT_EQ(parse("sin(t)").breakpoints(0).next(0.0), std::numeric_limits<double>::infinity());
}

TEST(BreakpointSet, next_is_strictly_later_and_visits_each_once) {
  BreakpointSet set;
  set.add_progression(0.0, 0.1);
  double t = 0.0;
  for (int i = 1; i <= 1000; ++i) {
    t = set.next(t);
    ASSERT_NEAR(t, 0.1 * i, 1e-12);
  }
}

}  // namespace
}  // namespace trammel::test_expression
