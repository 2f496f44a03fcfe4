// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <memory>

#include "answer.h"
#include "mutate.h"
#include "trammel/math/expression.h"
#include "trammel/math/time_part.h"

// Formulas: read, evaluated with every scalar, searched for kinks and pulses.

namespace trammel::fuzz {

namespace {

const std::vector<std::string> formula_words{"sin(",
                                             "cos(",
                                             "tan(",
                                             "asin(",
                                             "acos(",
                                             "atan(",
                                             "atan2(",
                                             "sinh(",
                                             "cosh(",
                                             "tanh(",
                                             "exp(",
                                             "log(",
                                             "log10(",
                                             "sqrt(",
                                             "square(",
                                             "cube(",
                                             "pow(",
                                             "hypot(",
                                             "abs(",
                                             "sign(",
                                             "floor(",
                                             "ceil(",
                                             "mod(",
                                             "min(",
                                             "max(",
                                             "clamp(",
                                             "deg(",
                                             "if(",
                                             "step(",
                                             "ramp(",
                                             "table(curve, ",
                                             "pi",
                                             "t",
                                             "x",
                                             "y",
                                             "rod.vx",
                                             "'upper arm'.x",
                                             "+",
                                             "-",
                                             "*",
                                             "/",
                                             "^",
                                             "(",
                                             ")",
                                             ",",
                                             " < ",
                                             " <= ",
                                             " == ",
                                             " != ",
                                             " and ",
                                             " or ",
                                             "not ",
                                             "1e",
                                             "."};

const std::vector<std::string> formula_seeds{"20*sin(2*pi*t) - 3*rod.vx",
                                             "if(t < 0.5, x^2, -y^3)",
                                             "step(2*t - 1, 0, 0, 1, 5) + ramp(x, 0, 0, 1, 1)",
                                             "20*exp(-((t - 3)/0.01)^2)*cos(x)",
                                             "table(curve, mod(t, 2)) * max(0, x - 1, y)",
                                             "'upper arm'.x + \"3rd link\".vx",
                                             "clamp(atan2(y, x), -1, 1) and not (x >= 0 or y != 1)",
                                             "hypot(x, y) + floor(4*t) + ceil(t/3) + sign(abs(x) - 1)",
                                             "log(x + 2)/log10(3 + y^2) + sqrt(square(x) + cube(y)^2)",
                                             "2^3^2 - -x^-y"};

// t, x, y and parts of bodies; a table.
ResolvedName find_name(const std::vector<std::string>& path) {
  if (path == std::vector<std::string>{"t"}) return 0;
  if (path == std::vector<std::string>{"x"}) return 1;
  if (path == std::vector<std::string>{"y"}) return 2;
  if (path == std::vector<std::string>{"mass"}) return 2.5;
  if (path.size() == 2) return 3;
  return std::string("there is no such name");
}

ResolvedTable find_curve(const std::string& name) {
  static const auto curve = std::make_shared<const CubicSpline>(std::vector<double>{0.0, 1.0, 2.0, 4.0},
                                                                std::vector<double>{0.0, 1.0, -1.0, 3.0});
  if (name == "curve") return curve;
  return std::string("there is no such table");
}

template <class S>
void evaluate(const Expression& formula, double t) {
  const std::array<S, 4> values{S(t), S(-1.5), S(0.0), S(1e3)};
  static_cast<void>(formula.evaluate<S>(values));
}

std::string run_formula(std::string_view text) {
  std::string broken;
  const std::string answered = answer(text, [&]() -> std::string {
    const Expression formula = Expression::parse(text, find_name, find_curve);
    for (const double t : {0.0, 0.5, -3.0, 1e300, std::nan("")}) {
      evaluate<double>(formula, t);
      evaluate<Dual<dual_width>>(formula, t);
      evaluate<Taylor2<double>>(formula, t);
      evaluate<Taylor2<Dual<dual_width>>>(formula, t);
    }
    if (formula.is_constant() && !std::isfinite(formula.constant_value())) broken = "a constant that is not finite";
    const BreakpointSet kinks = formula.breakpoints(0);
    double t = 0.0;
    for (int i = 0; i < 50 && std::isfinite(t) && broken.empty(); ++i) {
      const double next = kinks.next(t);
      if (!(next > t)) broken = fmt::format("after the kink at {} comes one at {}", t, next);
      t = next;
    }
    for (const Expression& part : formula.switches()) evaluate<double>(part, 0.5);
    // Thousands of samples of the formula: of some texts only.
    if (text.size() % 8 != 0) return "";
    for (const TimePart& part : TimePart::find(formula, 0)) {
      StepBounds bounds;
      find_surprises(part, 0.0, 2.0, bounds);
      bounds.finish();
    }
    return "";
  });
  return broken.empty() ? answered : broken;
}

std::vector<std::string> list_formulas() { return formula_seeds; }

std::string mutate_formula(const std::string& text, Random& random) {
  return mutate_text(text, random, formula_words, formula_seeds);
}

}  // namespace

Target expression_target() {
  return {"expression", "a formula", 1024, 40000, run_formula, list_formulas, mutate_formula};
}

}  // namespace trammel::fuzz
