// SPDX-License-Identifier: Apache-2.0
#include "trammel/math/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "expression_tree.h"

namespace trammel {

using detail::ExpressionNode;
using detail::ExpressionProgram;
using detail::Instruction;
using detail::Op;

namespace {

/// Of a long formula the part about a column (counted in characters of UTF-8, from 1).
std::string excerpt(std::string_view text, int column) {
  constexpr int reach = 40;
  std::string part;
  int at = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) ++at;
    if (at > column + reach) break;
    if (at >= column - reach) part += c;
  }
  return (column - reach <= 1 ? "" : "… ") + part + (at <= column + reach ? "" : " …");
}

}  // namespace

ExpressionError::ExpressionError(std::string message, int column, std::string_view text)
    : InputError(fmt::format("{} (column {} of \"{}\")", message, column,
                             text.size() <= 100 ? std::string(text) : excerpt(text, column))),
      message_(std::move(message)),
      column_(column) {}

namespace {

/// Tree → bytecode: arguments first, then the operation; `if` by jumps.
class Compiler {
 public:
  explicit Compiler(ExpressionProgram& program) : program_(program) {}

  void compile() {
    emit(program_.tree.root);
    std::vector<int>& used = program_.variables;
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
  }

 private:
  const ExpressionNode& at(int node) const { return program_.tree.nodes[static_cast<std::size_t>(node)]; }

  std::size_t append(Op op, int index = -1, double value = 0.0) {
    program_.code.push_back({op, index, value});
    return program_.code.size() - 1;
  }
  int here() const { return static_cast<int>(program_.code.size()); }

  void push(const ExpressionNode& node) {
    if (++depth_ > detail::max_stack)
      throw ExpressionError(
          fmt::format("the formula needs more than {} intermediate values; split it into measures", detail::max_stack),
          node.column, program_.text);
  }

  void emit(int index) {
    const ExpressionNode& node = at(index);
    switch (node.op) {
      case Op::constant:
        append(Op::constant, -1, node.value);
        push(node);
        return;
      case Op::variable:
        append(Op::variable, node.index);
        program_.variables.push_back(node.index);
        push(node);
        return;
      case Op::table:
        emit(node.children[0]);
        append(Op::table, node.index);
        return;
      case Op::choose:
        emit_choice(node);
        return;
      case Op::power:
        if (emit_small_power(node)) return;
        break;
      default:
        break;
    }
    for (const int child : node.children) emit(child);
    append(node.op);
    depth_ -= static_cast<int>(node.children.size()) - 1;
  }

  void emit_choice(const ExpressionNode& node) {
    emit(node.children[0]);
    const std::size_t to_else = append(Op::jump_if_false);
    --depth_;
    emit(node.children[1]);
    const std::size_t to_end = append(Op::jump);
    --depth_;  // either branch leaves one value
    program_.code[to_else].index = here();
    emit(node.children[2]);
    program_.code[to_end].index = here();
  }

  /// x², x³ as products: faster than pow and without its special cases.
  bool emit_small_power(const ExpressionNode& node) {
    const ExpressionNode& exponent = at(node.children[1]);
    if (exponent.op != Op::constant || (exponent.value != 2.0 && exponent.value != 3.0)) return false;
    emit(node.children[0]);
    append(exponent.value == 2.0 ? Op::square : Op::cube);
    return true;
  }

  ExpressionProgram& program_;
  int depth_ = 0;
};

}  // namespace

std::vector<Expression> Expression::switches() const {
  std::vector<Expression> found;
  const detail::Tree& whole = program_->tree;
  // op(a, b), or op(a) for b = −1, of nodes of a copy of the tree. It becomes the root there; where a node of the
  // formula does, those behind it belong to nobody.
  const auto join = [](detail::Tree& tree, Op op, int a, int b) {
    ExpressionNode node;
    node.op = op;
    node.children = {a};
    if (b >= 0) node.children.push_back(b);
    tree.nodes.push_back(node);
    return static_cast<int>(tree.nodes.size()) - 1;
  };
  const auto number = [](detail::Tree& tree, double value) {
    ExpressionNode node;
    node.value = value;
    tree.nodes.push_back(node);
    return static_cast<int>(tree.nodes.size()) - 1;
  };
  const auto add = [&](const auto& make_root) {
    auto program = std::make_shared<ExpressionProgram>();
    program->text = program_->text;
    program->tree = whole;
    program->tree.root = make_root(program->tree);
    Compiler(*program).compile();
    if (!program->variables.empty()) found.push_back(Expression(std::move(program)));
  };
  const auto difference = [&](int a, int b) {
    add([&](detail::Tree& tree) { return join(tree, Op::subtract, a, b); });
  };
  // sin(π a/b) is zero where a is a multiple of b.
  const auto multiples = [&](int a, int b) {
    add([&](detail::Tree& tree) {
      const int ratio = b < 0 ? a : join(tree, Op::divide, a, b);
      return join(tree, Op::sin, join(tree, Op::multiply, number(tree, std::numbers::pi), ratio), -1);
    });
  };
  std::vector<char> used(whole.nodes.size(), 0);
  used[static_cast<std::size_t>(whole.root)] = 1;
  for (std::size_t i = whole.nodes.size(); i-- > 0;) {
    const ExpressionNode& node = whole.nodes[i];
    if (used[i] == 0) continue;
    for (const int child : node.children) used[static_cast<std::size_t>(child)] = 1;
    const std::vector<int>& a = node.children;
    switch (node.op) {
      case Op::less:
      case Op::less_equal:
      case Op::greater:
      case Op::greater_equal:
      case Op::equal:
      case Op::not_equal:
      case Op::min:
      case Op::max:
        difference(a[0], a[1]);
        break;
      case Op::abs:
      case Op::sign:
        add([&](detail::Tree&) { return a[0]; });
        break;
      case Op::clamp:
        difference(a[0], a[1]);
        difference(a[0], a[2]);
        break;
      case Op::ramp:
        difference(a[0], a[1]);
        difference(a[0], a[3]);
        break;
      case Op::floor:
      case Op::ceil:
        multiples(a[0], -1);
        break;
      case Op::mod:
        multiples(a[0], a[1]);
        break;
      case Op::table: {
        const CubicSpline& table = *whole.tables[static_cast<std::size_t>(node.index)];
        if (table.options().ends == SplineEnds::periodic) break;
        for (const double end : {table.front(), table.back()})
          add([&](detail::Tree& tree) { return join(tree, Op::subtract, a[0], number(tree, end)); });
        break;
      }
      default:
        break;
    }
  }
  return found;
}

Expression Expression::parse(std::string_view text, const NameResolver& names, const TableResolver& tables) {
  auto program = std::make_shared<ExpressionProgram>();
  program->text = text;
  program->tree = detail::parse_tree(text, names, tables);
  Compiler(*program).compile();
  return Expression(std::move(program));
}

Expression Expression::constant(double value) {
  auto program = std::make_shared<ExpressionProgram>();
  program->text = fmt::format("{}", value);
  program->tree.nodes.push_back({Op::constant, 1, -1, value, {}});
  program->tree.root = 0;
  Compiler(*program).compile();
  return Expression(std::move(program));
}

template <class S>
S Expression::evaluate(std::span<const S> variables) const {
  const ExpressionProgram& program = *program_;
  assert(program.variables.empty() || static_cast<std::size_t>(program.variables.back()) < variables.size());
  S stack[detail::max_stack];
  S* top = stack;  // one past the last value; never beyond the array: Compiler checked
  const Instruction* const code = program.code.data();
  const std::size_t n = program.code.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Instruction& instruction = code[i];
    switch (instruction.op) {
      case Op::constant:
        *top++ = S(instruction.value);
        break;
      case Op::variable:
        *top++ = variables[static_cast<std::size_t>(instruction.index)];
        break;
      case Op::table:
        top[-1] = program.tree.tables[static_cast<std::size_t>(instruction.index)]->evaluate(top[-1]);
        break;
      case Op::jump_if_false:
        --top;
        if (!(value_of(*top) != 0.0)) i = static_cast<std::size_t>(instruction.index) - 1;
        break;
      case Op::jump:
        i = static_cast<std::size_t>(instruction.index) - 1;
        break;
      default:
        top -= detail::arity(instruction.op);
        *top = detail::apply(instruction.op, top);
        ++top;
    }
  }
  return stack[0];
}

template double Expression::evaluate(std::span<const double>) const;
template Dual<dual_width> Expression::evaluate(std::span<const Dual<dual_width>>) const;
template Taylor2<double> Expression::evaluate(std::span<const Taylor2<double>>) const;
template Taylor2<Dual<dual_width>> Expression::evaluate(std::span<const Taylor2<Dual<dual_width>>>) const;

const std::vector<int>& Expression::variables() const { return program_->variables; }

bool Expression::is_constant() const { return program_->variables.empty(); }

double Expression::constant_value() const { return evaluate(std::span<const double>{}); }

const std::string& Expression::text() const { return program_->text; }

}  // namespace trammel
