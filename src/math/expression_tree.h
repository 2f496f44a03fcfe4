// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "trammel/base/units.h"
#include "trammel/math/expression.h"

/// The inside of Expression: syntax tree, operations, bytecode. Private to the layer.
namespace trammel::detail {

enum class Op : std::uint8_t {
  // leaves and control
  constant,
  variable,
  table,          // one argument, index of the table
  choose,         // tree only: if(condition, a, b)
  vector,         // formulas of constants only: [x, y, z]
  norm,           // formulas of constants only: ‖v‖
  dot,            // formulas of constants only
  cross,          // formulas of constants only
  jump,           // code only
  jump_if_false,  // code only
  // one argument
  negate,
  logical_not,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  exp,
  log,
  log10,
  sqrt,
  abs,
  sign,
  floor,
  ceil,
  square,
  cube,
  deg,
  // two arguments
  add,
  subtract,
  multiply,
  divide,
  power,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  atan2,
  hypot,
  min,
  max,
  mod,
  // three and five arguments
  clamp,
  step,
  ramp,
};

constexpr int arity(Op op) {
  if (op < Op::negate) return 0;
  if (op < Op::add) return 1;
  if (op < Op::clamp) return 2;
  return op == Op::clamp ? 3 : 5;
}

/// Children come before parents. What folding left over, and nodes behind a root that is a part of the formula, belong
/// to nobody: only what is reached from Tree::root counts.
struct ExpressionNode {
  Op op = Op::constant;
  int column = 1;      // where its sign or name stands in the text
  int index = -1;      // of the variable or the table; of a number with a unit, its place in Tree::dimensions
  double value = 0.0;  // of the constant
  std::vector<int> children;
};

struct Tree {
  std::vector<ExpressionNode> nodes;
  int root = -1;
  std::vector<std::shared_ptr<const CubicSpline>> tables;
  std::vector<Dimension> dimensions;  // of the numbers that have a unit
};

/// `index` of the constant pi, which is no number that someone measured.
inline constexpr int index_of_pi = -2;

/// Whether a name stands for a constant: one that is a unit's name as well is refused behind "/" and "*" of a unit.
using ConstantTest = std::function<bool(const std::string& name)>;

/// Text → tree as it is written. Throws ExpressionError.
Tree parse_written(std::string_view text, const NameResolver& names, const TableResolver& tables,
                   const ConstantTest& is_constant);

/// The same with constants folded.
Tree parse_tree(std::string_view text, const NameResolver& names, const TableResolver& tables);

struct Instruction {
  Op op;
  std::int32_t index;  // variable, table or jump target
  double value;
};

/// A formula that needs more intermediate values than this is refused when it is parsed.
inline constexpr int max_stack = 64;

struct ExpressionProgram {
  std::string text;
  Tree tree;
  std::vector<Instruction> code;
  std::vector<int> variables;
};

/// y₀ + (y₁ − y₀) ξ³(10 − 15ξ + 6ξ²), ξ = (x − x₀)/(x₁ − x₀) in [0, 1], constant outside: C² at both ends.
template <class S>
S smooth_step(const S& x, const S& x0, const S& y0, const S& x1, const S& y1) {
  const S xi = (x - x0) / (x1 - x0);
  if (xi <= 0.0) return y0;
  if (xi >= 1.0) return y1;
  return y0 + (y1 - y0) * (xi * xi * xi * (10.0 + xi * (6.0 * xi - 15.0)));
}

template <class S>
S linear_ramp(const S& x, const S& x0, const S& y0, const S& x1, const S& y1) {
  const S xi = (x - x0) / (x1 - x0);
  if (xi <= 0.0) return y0;
  if (xi >= 1.0) return y1;
  return y0 + (y1 - y0) * xi;
}

/// The operation on its arguments a[0], a[1], … Leaves and control are not operations.
template <class S>
S apply(Op op, const S* a) {
  const auto truth = [](bool condition) { return S(condition ? 1.0 : 0.0); };
  switch (op) {
    case Op::negate:
      return -a[0];
    case Op::logical_not:
      return truth(a[0] == 0.0);
    case Op::sin:
      return sin(a[0]);
    case Op::cos:
      return cos(a[0]);
    case Op::tan:
      return tan(a[0]);
    case Op::asin:
      return asin(a[0]);
    case Op::acos:
      return acos(a[0]);
    case Op::atan:
      return atan(a[0]);
    case Op::sinh:
      return sinh(a[0]);
    case Op::cosh:
      return cosh(a[0]);
    case Op::tanh:
      return tanh(a[0]);
    case Op::exp:
      return exp(a[0]);
    case Op::log:
      return log(a[0]);
    case Op::log10:
      return log10(a[0]);
    case Op::sqrt:
      return sqrt(a[0]);
    case Op::abs:
      return abs(a[0]);
    case Op::sign:
      return sign(a[0]);
    case Op::floor:
      return floor(a[0]);
    case Op::ceil:
      return ceil(a[0]);
    case Op::square:
      return a[0] * a[0];
    case Op::cube:
      return a[0] * a[0] * a[0];
    case Op::deg:
      return a[0] * (std::numbers::pi / 180.0);
    case Op::add:
      return a[0] + a[1];
    case Op::subtract:
      return a[0] - a[1];
    case Op::multiply:
      return a[0] * a[1];
    case Op::divide:
      return a[0] / a[1];
    case Op::power:
      return pow(a[0], a[1]);
    case Op::less:
      return truth(a[0] < a[1]);
    case Op::less_equal:
      return truth(a[0] <= a[1]);
    case Op::greater:
      return truth(a[0] > a[1]);
    case Op::greater_equal:
      return truth(a[0] >= a[1]);
    case Op::equal:
      return truth(a[0] == a[1]);
    case Op::not_equal:
      return truth(a[0] != a[1]);
    case Op::logical_and:
      return truth(a[0] != 0.0 && a[1] != 0.0);
    case Op::logical_or:
      return truth(a[0] != 0.0 || a[1] != 0.0);
    case Op::atan2:
      return atan2(a[0], a[1]);
    case Op::hypot:
      return hypot(a[0], a[1]);
    case Op::min:
      return min(a[0], a[1]);
    case Op::max:
      return max(a[0], a[1]);
    case Op::mod:
      return mod(a[0], a[1]);
    case Op::clamp:
      return min(S(max(a[0], a[1])), a[2]);
    case Op::step:
      return smooth_step(a[0], a[1], a[2], a[3], a[4]);
    case Op::ramp:
      return linear_ramp(a[0], a[1], a[2], a[3], a[4]);
    case Op::constant:
    case Op::variable:
    case Op::table:
    case Op::choose:
    case Op::vector:
    case Op::norm:
    case Op::dot:
    case Op::cross:
    case Op::jump:
    case Op::jump_if_false:
      break;
  }
  return S(std::nan(""));
}

}  // namespace trammel::detail
