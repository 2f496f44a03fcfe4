// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "trammel/base/error.h"
#include "trammel/math/breakpoints.h"
#include "trammel/math/dual.h"
#include "trammel/math/spline.h"
#include "trammel/math/taylor.h"

namespace trammel {

/// A formula that cannot be understood. `column` counts characters of the text from 1.
class ExpressionError : public InputError {
 public:
  ExpressionError(std::string message, int column, std::string_view text);
  const std::string& message() const { return message_; }  ///< without the column
  int column() const { return column_; }

 private:
  std::string message_;
  int column_;
};

/// A variable's index, a constant's value, or why the name means nothing (with the nearest valid one).
using ResolvedName = std::variant<int, double, std::string>;
using NameResolver = std::function<ResolvedName(const std::vector<std::string>& path)>;
using ResolvedTable = std::variant<std::shared_ptr<const CubicSpline>, std::string>;
using TableResolver = std::function<ResolvedTable(const std::string& name)>;

namespace detail {
struct ExpressionProgram;
}
class TimePart;

/// A formula such as "a0 * sin(2*pi*t) + 'upper arm'.vx", compiled once and evaluated often, with the derivatives that
/// the scalar carries. The language is described for users in docs/expressions.md.
///
/// Immutable; copies share the program and cost one reference count. Evaluation is a pass over flat bytecode with a
/// stack of fixed size on the C stack: no allocation, no recursion. Only the chosen branch of `if` is evaluated.
class Expression {
 public:
  /// Throws ExpressionError. `names` gives each variable an index into the span that evaluate() gets.
  static Expression parse(std::string_view text, const NameResolver& names, const TableResolver& tables = {});

  static Expression constant(double value);

  /// S = double, Dual<6>, Taylor2<double> or Taylor2<Dual<6>>.
  template <class S>
  S evaluate(std::span<const S> variables) const;

  /// Indices of the variables that the value depends on (after constant folding), ascending.
  const std::vector<int>& variables() const;
  bool is_constant() const;
  /// The value of a constant expression.
  double constant_value() const;

  /// The instants at which the expression, as a function of variable `time`, may jump or have a kink in a derivative up
  /// to the second: found statically from conditions, steps, ramps, tables, abs, floor, … whose argument is linear in
  /// `time` with constant coefficients, or mod(linear, constant). What depends on other variables is not found.
  BreakpointSet breakpoints(int time) const;

  /// Functions of the variables at whose zeros the expression may jump or have a kink in its first derivative: the
  /// differences that min, max, clamp, ramp and comparisons look at, what abs and sign look at, the ends of tables that
  /// do not repeat, and for floor, ceil and mod a function with their jumps as zeros. Not every zero is a kink (a
  /// branch multiplied by zero, a table that goes on with its slope): whoever ends steps there looks at the forces. Not
  /// found: the cut of atan2, and where hypot and roots have no derivative.
  std::vector<Expression> switches() const;

  const std::string& text() const;

 private:
  friend class TimePart;
  explicit Expression(std::shared_ptr<const detail::ExpressionProgram> program) : program_(std::move(program)) {}
  std::shared_ptr<const detail::ExpressionProgram> program_;
};

extern template double Expression::evaluate(std::span<const double>) const;
extern template Dual<dual_width> Expression::evaluate(std::span<const Dual<dual_width>>) const;
extern template Taylor2<double> Expression::evaluate(std::span<const Taylor2<double>>) const;
extern template Taylor2<Dual<dual_width>> Expression::evaluate(std::span<const Taylor2<Dual<dual_width>>>) const;

}  // namespace trammel
