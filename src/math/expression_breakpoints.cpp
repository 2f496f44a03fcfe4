// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "expression_tree.h"

namespace trammel {

namespace {

using detail::ExpressionNode;
using detail::Op;

/// scale · w + shift with w = slope·t + offset, or w = mod(slope·t + offset, period) when period ≠ 0.
struct Linear {
  double slope = 0.0, offset = 0.0;
  double period = 0.0;
  double scale = 1.0, shift = 0.0;

  bool is_constant() const { return scale == 0.0 || slope == 0.0; }
  double constant() const {
    const double w = period == 0.0 ? offset : mod(offset, period);
    return scale * w + shift;
  }
  Linear times(double factor) const { return {slope, offset, period, scale * factor, shift * factor}; }
  Linear plus(double term) const { return {slope, offset, period, scale, shift + term}; }
};

std::optional<Linear> sum(const Linear& a, const Linear& b) {
  if (a.is_constant()) return b.plus(a.constant());
  if (b.is_constant()) return a.plus(b.constant());
  if (a.period != 0.0 || b.period != 0.0) return std::nullopt;
  return Linear{a.scale * a.slope + b.scale * b.slope, a.scale * a.offset + a.shift + b.scale * b.offset + b.shift};
}

class Finder {
 public:
  Finder(const detail::Tree& tree, int time) : tree_(tree), time_(time) {}

  BreakpointSet find() {
    visit(tree_.root);
    return std::move(found_);
  }

 private:
  /// Collects what lies below `index`; the result is its linear form, if it has one.
  std::optional<Linear> visit(int index) {
    const ExpressionNode& node = tree_.nodes[static_cast<std::size_t>(index)];
    if (node.op == Op::constant) return Linear{0.0, node.value};
    if (node.op == Op::variable) return node.index == time_ ? std::optional<Linear>(Linear{1.0, 0.0}) : std::nullopt;
    std::array<std::optional<Linear>, 5> a;
    for (std::size_t i = 0; i < node.children.size(); ++i) a[i] = visit(node.children[i]);
    switch (node.op) {
      case Op::negate:
        return a[0] ? std::optional<Linear>(a[0]->times(-1.0)) : std::nullopt;
      case Op::deg:
        return a[0] ? std::optional<Linear>(a[0]->times(std::numbers::pi / 180.0)) : std::nullopt;
      case Op::add:
        return a[0] && a[1] ? sum(*a[0], *a[1]) : std::nullopt;
      case Op::subtract:
        return a[0] && a[1] ? sum(*a[0], a[1]->times(-1.0)) : std::nullopt;
      case Op::multiply:
        if (!a[0] || !a[1]) return std::nullopt;
        if (a[0]->is_constant()) return a[1]->times(a[0]->constant());
        if (a[1]->is_constant()) return a[0]->times(a[1]->constant());
        return std::nullopt;
      case Op::divide:
        if (!a[0] || !a[1] || !a[1]->is_constant()) return std::nullopt;
        return a[0]->times(1.0 / a[1]->constant());
      case Op::mod:
        return wrap(a[0], a[1]);
      case Op::less:
      case Op::less_equal:
      case Op::greater:
      case Op::greater_equal:
      case Op::equal:
      case Op::not_equal:
      case Op::min:
      case Op::max:
        crossing(a[0], a[1]);
        return std::nullopt;
      case Op::logical_not:
      case Op::abs:
      case Op::sign:
        crossing(a[0], Linear{});
        return std::nullopt;
      case Op::logical_and:
      case Op::logical_or:
        crossing(a[0], Linear{});
        crossing(a[1], Linear{});
        return std::nullopt;
      case Op::choose:
        crossing(a[0], Linear{});
        return std::nullopt;
      case Op::floor:
      case Op::ceil:
        wrap(a[0], Linear{0.0, 1.0});
        return std::nullopt;
      case Op::step:
      case Op::ramp:
        crossing(a[0], a[1]);
        crossing(a[0], a[3]);
        return std::nullopt;
      case Op::clamp:
        crossing(a[0], a[1]);
        crossing(a[0], a[2]);
        return std::nullopt;
      case Op::table: {
        const CubicSpline& table = *tree_.tables[static_cast<std::size_t>(node.index)];
        if (table.options().ends == SplineEnds::periodic) return std::nullopt;  // C² everywhere
        crossing(a[0], Linear{0.0, table.front()});
        crossing(a[0], Linear{0.0, table.back()});
        return std::nullopt;
      }
      default:
        return std::nullopt;
    }
  }

  /// Adds the instants at which a = b.
  void crossing(const std::optional<Linear>& a, const std::optional<Linear>& b) {
    if (!a || !b) return;
    const std::optional<Linear> difference = sum(*a, b->times(-1.0));
    if (!difference || difference->is_constant()) return;
    const auto& [slope, offset, period, scale, shift] = *difference;
    const double w = -shift / scale;
    const double instant = (w - offset) / slope;
    if (period == 0.0) return found_.add(instant);
    const double part = w / period;  // mod takes the values [0, period)
    if (part >= 0.0 && part <= 1.0) found_.add_progression(instant, period / slope);
  }

  /// mod(a, b): a saw tooth, with a jump at each multiple of b.
  std::optional<Linear> wrap(const std::optional<Linear>& a, const std::optional<Linear>& b) {
    if (!a || !b || a->is_constant() || !b->is_constant() || a->period != 0.0 || b->constant() == 0.0)
      return std::nullopt;
    const Linear saw{a->scale * a->slope, a->scale * a->offset + a->shift, b->constant()};
    found_.add_progression(-saw.offset / saw.slope, saw.period / saw.slope);
    return saw;
  }

  const detail::Tree& tree_;
  int time_;
  BreakpointSet found_;
};

}  // namespace

BreakpointSet Expression::breakpoints(int time) const { return Finder(program_->tree, time).find(); }

}  // namespace trammel
