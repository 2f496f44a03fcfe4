// SPDX-License-Identifier: Apache-2.0
#include "trammel/math/quantity.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

#include "expression_tree.h"

namespace trammel {

namespace {

using detail::ExpressionNode;
using detail::Op;

const Dimension radians = parse_unit("rad")->dimension, meters = parse_unit("m")->dimension;

/// Walks the tree as it is written, from the root: what a constant `if` does not choose is not looked at.
class QuantityWalk {
 public:
  QuantityWalk(const detail::Tree& tree, std::span<const Quantity> names, std::string_view text, bool mixed, bool judge)
      : tree_(tree), names_(names), text_(text), mixed_(mixed), judge_(judge) {}

  Quantity calc(int index) {
    const ExpressionNode& node = tree_.nodes[static_cast<std::size_t>(index)];
    switch (node.op) {
      case Op::constant:
        return constant(node);
      case Op::variable:
        return names_[static_cast<std::size_t>(node.index)];
      case Op::choose:
        return choose(node);
      case Op::table: {
        Quantity at = scalar(node.children[0]);
        if (!judge_) at.value[0] = tree_.tables[static_cast<std::size_t>(node.index)]->evaluate(at.number());
        return unknown(at.number());
      }
      case Op::vector:
        return vector(node);
      default:
        break;
    }
    std::vector<Quantity> a;
    for (const int child : node.children) a.push_back(calc(child));
    Quantity result = node.op >= Op::norm && node.op <= Op::cross ? of_vectors(node, a) : combine(node, a);
    if (!judge_ && !result.value.allFinite())
      fail(fmt::format("this part of the formula is constant but not finite ({}): a division by zero, or a function "
                       "outside its domain",
                       result.number()),
           node);
    return result;
  }

 private:
  [[noreturn]] void fail(std::string message, const ExpressionNode& at) const {
    throw ExpressionError(std::move(message), at.column, text_);
  }

  static Quantity unknown(double value) {
    Quantity q = Quantity::bare(value);
    q.has_unit = true;
    return q;
  }

  Quantity constant(const ExpressionNode& node) const {
    Quantity q = Quantity::bare(node.value);
    q.has_pi = node.index == detail::index_of_pi;
    if (node.index < 0) return q;
    q.has_unit = q.is_written = true;
    q.dimension = tree_.dimensions[static_cast<std::size_t>(node.index)];
    return q;
  }

  Quantity scalar(int index) {
    const Quantity q = calc(index);
    if (q.is_vector)
      fail("a vector stands where a number is needed; a component is written '.x', '.y' or '.z'",
           tree_.nodes[static_cast<std::size_t>(index)]);
    return q;
  }

  Quantity choose(const ExpressionNode& node) {
    const Quantity condition = scalar(node.children[0]);
    if (!judge_) return calc(node.children[condition.number() != 0.0 ? 1 : 2]);
    const Quantity a = calc(node.children[1]), b = calc(node.children[2]);
    return same(node, {a, b}, a.value);
  }

  Quantity vector(const ExpressionNode& node) {
    std::vector<Quantity> parts;
    for (const int child : node.children) parts.push_back(scalar(child));
    Quantity q = same(node, parts, {parts[0].number(), parts[1].number(), parts[2].number()});
    q.is_vector = true;
    return q;
  }

  // What may be added, compared and chosen from: one dimension for all, bare numbers adopt it. Angles are numbers here.
  Quantity same(const ExpressionNode& node, const std::vector<Quantity>& a, const Eigen::Vector3d& value) const {
    Quantity q;
    q.value = value;
    for (const Quantity& x : a) {
      q.has_unit |= x.has_unit;
      q.has_pi |= x.has_pi;
      if (!x.dimension) continue;
      if (q.dimension && q.dimension->without_angle() != x.dimension->without_angle())
        fail(fmt::format("quantities of different dimensions, [{}] and [{}], cannot be added or compared",
                         to_string(*q.dimension), to_string(*x.dimension)),
             node);
      if (!q.dimension) q.dimension = x.dimension;
    }
    const bool has_bare = std::any_of(a.begin(), a.end(),
                                      [](const Quantity& x) { return !x.has_unit && (x.value.array() != 0.0).any(); });
    if (q.has_unit && has_bare && !mixed_)
      fail(
          "a number without a unit is added to, or compared with, a quantity that has one; in a file with 'units' say "
          "its unit as well",
          node);
    return q;
  }

  // Products: the dimension is known if that of every factor is.
  static Quantity product(const Quantity& a, const Quantity& b, bool divide, const Eigen::Vector3d& value) {
    Quantity q;
    q.value = value;
    q.is_vector = a.is_vector || b.is_vector;
    q.has_unit = a.has_unit || b.has_unit;
    q.has_pi = a.has_pi || b.has_pi;
    if (a.dimension && b.dimension) q.dimension = divide ? *a.dimension / *b.dimension : *a.dimension * *b.dimension;
    return q;
  }

  void need_number(const ExpressionNode& node, const Quantity& x) const {
    if (x.dimension && !x.dimension->without_angle().is_number())
      fail(fmt::format("this function takes a number or an angle, not a quantity in {}", to_string(*x.dimension)),
           node);
  }

  Quantity of_vectors(const ExpressionNode& node, const std::vector<Quantity>& a) const {
    for (const Quantity& x : a)
      if (!x.is_vector && !judge_) fail("this function takes vectors, [x, y, z] or the name of one", node);
    if (node.op == Op::norm) {
      Quantity q = a[0];
      q.value = {a[0].value.norm(), 0.0, 0.0};
      q.is_vector = q.is_written = false;
      return q;
    }
    Quantity q = product(a[0], a[1], false, Eigen::Vector3d::Zero());
    q.is_vector = node.op == Op::cross;
    if (q.is_vector)
      q.value = a[0].value.cross(a[1].value);
    else
      q.value[0] = a[0].value.dot(a[1].value);
    return q;
  }

  Quantity combine(const ExpressionNode& node, const std::vector<Quantity>& a) const {
    const bool any_vector = std::any_of(a.begin(), a.end(), [](const Quantity& x) { return x.is_vector; });
    if (any_vector) return combine_vectors(node, a);
    double values[5] = {};
    for (std::size_t i = 0; i < a.size(); ++i) values[i] = a[i].number();
    const Eigen::Vector3d value{detail::apply(node.op, values), 0.0, 0.0};
    switch (node.op) {
      case Op::negate: {
        Quantity q = a[0];
        q.value = value;
        return q;
      }
      case Op::multiply:
      case Op::divide:
        return product(a[0], a[1], node.op == Op::divide, value);
      case Op::square:
        return product(a[0], a[0], false, value);
      case Op::cube:
        return product(product(a[0], a[0], false, value), a[0], false, value);
      case Op::sqrt:
        return power(a[0], 0.5, value);
      case Op::power:
        need_number(node, a[1]);
        return power(a[0], a[1].number(), value);
      case Op::abs:
      case Op::floor:
      case Op::ceil:
      case Op::add:
      case Op::subtract:
      case Op::hypot:
      case Op::min:
      case Op::max:
      case Op::mod:
      case Op::clamp:
        check_clamp(node, a);
        return same(node, a, value);
      case Op::step:
      case Op::ramp:
        check_ramp(node, a);
        same(node, {a[0], a[1], a[3]}, value);
        return same(node, {a[2], a[4]}, value);
      case Op::sign:
      case Op::logical_and:
      case Op::logical_or:
      case Op::logical_not:
        return Quantity::bare(value[0]);
      case Op::less:
      case Op::less_equal:
      case Op::greater:
      case Op::greater_equal:
      case Op::equal:
      case Op::not_equal:
        same(node, a, value);
        return Quantity::bare(value[0]);
      case Op::atan2:
        same(node, a, value);
        return angle(value[0]);
      case Op::asin:
      case Op::acos:
      case Op::atan:
      case Op::deg:
        need_number(node, a[0]);
        return angle(value[0]);
      default:
        break;
    }
    need_number(node, a[0]);  // sin, exp, log, …
    return Quantity::bare(value[0]);
  }

  void check_clamp(const ExpressionNode& node, const std::vector<Quantity>& a) const {
    if (node.op == Op::clamp && !judge_ && a[1].number() > a[2].number())
      fail(fmt::format("clamp needs low <= high, not {} and {}", a[1].number(), a[2].number()), node);
  }

  void check_ramp(const ExpressionNode& node, const std::vector<Quantity>& a) const {
    if (!judge_ && !(a[1].number() < a[3].number()))
      fail(fmt::format("{0} needs x0 < x1, not {1} and {2}: {0}(x, x0, y0, x1, y1)",
                       node.op == Op::step ? "step" : "ramp", a[1].number(), a[3].number()),
           node);
  }

  static Quantity angle(double value) {
    Quantity q = unknown(value);
    q.dimension = radians;
    return q;
  }

  static Quantity power(const Quantity& base, double exponent, const Eigen::Vector3d& value) {
    Quantity q = base;
    q.value = value;
    q.is_written = false;
    if (base.dimension) q.dimension = base.dimension->power(exponent);
    return q;
  }

  Quantity combine_vectors(const ExpressionNode& node, const std::vector<Quantity>& a) const {
    switch (node.op) {
      case Op::negate: {
        Quantity q = a[0];
        q.value = -q.value;
        return q;
      }
      case Op::add:
      case Op::subtract: {
        if (a[0].is_vector != a[1].is_vector) fail("a vector and a number cannot be added", node);
        const Eigen::Vector3d value =
            node.op == Op::add ? a[0].value + a[1].value : Eigen::Vector3d(a[0].value - a[1].value);
        Quantity q = same(node, a, value);
        q.is_vector = true;
        return q;
      }
      case Op::multiply:
        if (a[0].is_vector && a[1].is_vector)
          fail("the product of two vectors is written dot(a, b) or cross(a, b)", node);
        return product(
            a[0], a[1], false,
            a[0].is_vector ? Eigen::Vector3d(a[0].value * a[1].number()) : Eigen::Vector3d(a[0].number() * a[1].value));
      case Op::divide:
        if (a[1].is_vector) fail("nothing can be divided by a vector", node);
        return product(a[0], a[1], true, a[0].value / a[1].number());
      default:
        break;
    }
    fail("a vector stands where a number is needed; a component is written '.x', '.y' or '.z'", node);
  }

  const detail::Tree& tree_;
  std::span<const Quantity> names_;
  std::string_view text_;
  bool mixed_, judge_;
};

Quantity walk(std::string_view text, const QuantityResolver& names, bool mixed, bool judge) {
  std::vector<Quantity> values;
  const NameResolver resolver = [&](const std::vector<std::string>& path) -> ResolvedName {
    std::variant<Quantity, std::string> found = names(path);
    std::string* why = std::get_if<std::string>(&found);
    if (why != nullptr && !judge) return std::move(*why);
    values.push_back(why == nullptr ? std::get<Quantity>(found) : Quantity{.has_unit = true});
    return static_cast<int>(values.size()) - 1;
  };
  const TableResolver tables = [&](const std::string& name) -> ResolvedTable {
    static const std::vector<double> line{0.0, 1.0};
    if (judge) return std::make_shared<const CubicSpline>(line, line);
    return fmt::format("there is no table '{}'", name);
  };
  const detail::ConstantTest is_constant = [&](const std::string& name) {
    return std::holds_alternative<Quantity>(names({name}));
  };
  const detail::Tree tree = detail::parse_written(text, resolver, tables, is_constant);
  return QuantityWalk(tree, values, text, mixed, judge).calc(tree.root);
}

}  // namespace

Quantity Quantity::point(const Eigen::Vector3d& x) {
  Quantity q = bare(x);
  q.has_unit = true;
  q.dimension = meters;
  return q;
}

Quantity Quantity::component(int i) const {
  Quantity q = *this;
  q.value = {value[i], 0.0, 0.0};
  q.is_vector = false;
  return q;
}

Quantity evaluate_constant(std::string_view text, const QuantityResolver& names, bool mixed) {
  return walk(text, names, mixed, false);
}

Quantity judge_units(std::string_view text, const QuantityResolver& names) { return walk(text, names, true, true); }

}  // namespace trammel
