// SPDX-License-Identifier: Apache-2.0
#include "trammel/math/time_part.h"

#include <algorithm>

#include "expression_tree.h"

namespace trammel {

namespace {

using detail::ExpressionNode;
using detail::Op;
using Values = std::vector<Taylor2<double>>;

/// More factors sin and cos than this may add up to pulses.
constexpr int max_trigonometric_degree = 4;
constexpr int not_gradual = 1 << 10;

constexpr int seed_samples = 2048;
constexpr std::size_t max_seeds = 256;  // so many are no single features
constexpr int bisections = 60;

/// Pieces between breakpoints that are shorter than this part of the run need no examination.
constexpr double shortest_piece = 1.0 / 500.0;
/// Instants of progressions that are passed at most. One with a period that leaves pieces to examine has 500 of them;
/// floor(1e9*t) has more than anybody can wait for, and leaves none.
constexpr std::size_t most_repeated = 100000;

// Every node of the part, in order: children come before parents.
void evaluate_nodes(const detail::Tree& tree, const std::vector<int>& nodes, double t, Values& values) {
  values.resize(tree.nodes.size());
  for (const int index : nodes) {
    const ExpressionNode& node = tree.nodes[index];
    Taylor2<double>& value = values[index];
    Taylor2<double> a[5];
    for (std::size_t i = 0; i < node.children.size(); ++i) a[i] = values[node.children[i]];
    switch (node.op) {
      case Op::constant:
        value = Taylor2<double>(node.value);
        break;
      case Op::variable:
        value = Taylor2<double>::time(t);
        break;
      case Op::table:
        value = tree.tables[node.index]->evaluate(a[0]);
        break;
      case Op::choose:
        value = a[0].v != 0.0 ? a[1] : a[2];
        break;
      default:
        value = detail::apply(node.op, a);
    }
  }
}

/// The degree in sines and cosines of a sum of products of them and polynomials; not_gradual for anything else.
class Degree {
 public:
  explicit Degree(const detail::Tree& tree) : tree_(tree) {}

  int of(int index) const {
    const ExpressionNode& node = tree_.nodes[index];
    const auto child = [&](int i) { return of(node.children[i]); };
    switch (node.op) {
      case Op::constant:
      case Op::variable:
        return 0;
      case Op::negate:
      case Op::deg:
        return child(0);
      case Op::add:
      case Op::subtract:
        return std::max(child(0), child(1));
      case Op::multiply:
        return std::min(child(0) + child(1), not_gradual);
      case Op::divide:
        return tree_.nodes[node.children[1]].op == Op::constant ? child(0) : not_gradual;
      case Op::square:
        return std::min(2 * child(0), not_gradual);
      case Op::cube:
        return std::min(3 * child(0), not_gradual);
      case Op::sin:
      case Op::cos:
        return is_linear(node.children[0]) ? 1 : not_gradual;
      default:
        return not_gradual;
    }
  }

 private:
  bool is_linear(int index) const {
    const ExpressionNode& node = tree_.nodes[index];
    const auto constant = [&](int i) { return tree_.nodes[node.children[i]].op == Op::constant; };
    switch (node.op) {
      case Op::constant:
      case Op::variable:
        return true;
      case Op::negate:
      case Op::deg:
        return is_linear(node.children[0]);
      case Op::add:
      case Op::subtract:
        return is_linear(node.children[0]) && is_linear(node.children[1]);
      case Op::multiply:
        return (constant(0) && is_linear(node.children[1])) || (constant(1) && is_linear(node.children[0]));
      case Op::divide:
        return constant(1) && is_linear(node.children[0]);
      default:
        return false;
    }
  }

  const detail::Tree& tree_;
};

/// What a function that makes narrow shapes of wide arguments is judged by: values[a] − values[b], b < 0: zero.
struct Pointer {
  int a = -1, b = -1;
  Taylor2<double> at(const Values& values) const { return b < 0 ? values[a] : values[a] - values[b]; }
};

void add_pointers(const ExpressionNode& node, std::vector<Pointer>& pointers) {
  const std::vector<int>& c = node.children;
  switch (node.op) {
    case Op::exp:
    case Op::tanh:
    case Op::atan:
    case Op::sinh:
    case Op::cosh:
    case Op::log:
    case Op::log10:
    case Op::sqrt:
    case Op::abs:
    case Op::sign:
    case Op::logical_not:
    case Op::square:
    case Op::cube:
    case Op::power:
    case Op::choose:
      pointers.push_back({c[0]});
      break;
    case Op::divide:
      pointers.push_back({c[1]});
      break;
    case Op::atan2:
    case Op::hypot:
    case Op::logical_and:
    case Op::logical_or:
      pointers.push_back({c[0]}), pointers.push_back({c[1]});
      break;
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::equal:
    case Op::not_equal:
    case Op::min:
    case Op::max:
      pointers.push_back({c[0], c[1]});
      break;
    case Op::clamp:
      pointers.push_back({c[0], c[1]}), pointers.push_back({c[0], c[2]});
      break;
    case Op::step:
    case Op::ramp:
      pointers.push_back({c[0], c[1]}), pointers.push_back({c[0], c[3]});
      break;
    default:
      break;
  }
}

}  // namespace

double TimePart::operator()(double t) const {
  thread_local Values values;
  evaluate_nodes(program_->tree, nodes_, t, values);
  return values[root_].v;
}

bool TimePart::is_gradual() const { return Degree(program_->tree).of(root_) <= max_trigonometric_degree; }

int TimePart::min_samples() const {
  std::size_t points = 0;
  for (const int index : nodes_)
    if (program_->tree.nodes[index].op == Op::table)
      points = std::max(points, program_->tree.tables[program_->tree.nodes[index].index]->knots().size());
  return static_cast<int>(2 * points);
}

std::vector<double> TimePart::calc_seeds(double start, double end) const {
  const detail::Tree& tree = program_->tree;
  std::vector<Pointer> pointers;
  std::vector<double> seeds;
  for (const int index : nodes_) {
    const ExpressionNode& node = tree.nodes[index];
    add_pointers(node, pointers);
    if (node.op != Op::table || tree.nodes[node.children[0]].op != Op::variable) continue;
    // A table of t itself: its points, where they stand close.
    const std::span<const double> knots = tree.tables[node.index]->knots();
    const double close = (end - start) / seed_samples;
    for (std::size_t i = 0; i < knots.size() && seeds.size() < max_seeds; ++i) {
      const bool is_close =
          (i > 0 && knots[i] - knots[i - 1] < close) || (i + 1 < knots.size() && knots[i + 1] - knots[i] < close);
      if (is_close && knots[i] > start && knots[i] < end) seeds.push_back(knots[i]);
    }
  }
  std::erase_if(pointers, [&](const Pointer& p) {
    const auto constant = [&](int i) { return i < 0 || tree.nodes[i].op == Op::constant; };
    return constant(p.a) && constant(p.b);
  });
  if (pointers.empty()) return seeds;

  Values values, before;
  const auto sign = [](double x) { return x > 0.0 ? 1 : x < 0.0 ? -1 : 0; };
  const auto locate = [&](const Pointer& p, bool rate, double a, double b, int sign_a) {
    Values middle;
    for (int i = 0; i < bisections && b - a > 0.0; ++i) {
      const double m = 0.5 * (a + b);
      evaluate_nodes(tree, nodes_, m, middle);
      const Taylor2<double> x = p.at(middle);
      (sign(rate ? x.d : x.v) == sign_a ? a : b) = m;
    }
    seeds.push_back(b);
  };
  double last = start;
  for (int i = 0; i <= seed_samples && seeds.size() < max_seeds; ++i) {
    const double t = start + (end - start) * i / seed_samples;
    evaluate_nodes(tree, nodes_, t, values);
    for (const Pointer& p : pointers) {
      if (i == 0) break;
      const Taylor2<double> x = p.at(values), y = p.at(before);
      if (sign(x.v) * sign(y.v) < 0 || (sign(x.v) == 0 && sign(y.v) != 0)) locate(p, false, last, t, sign(y.v));
      if (sign(x.d) * sign(y.d) < 0 || (sign(x.d) == 0 && sign(y.d) != 0)) locate(p, true, last, t, sign(y.d));
    }
    before.swap(values);
    last = t;
  }
  if (seeds.size() >= max_seeds) seeds.clear();
  std::sort(seeds.begin(), seeds.end());
  seeds.erase(std::unique(seeds.begin(), seeds.end()), seeds.end());
  return seeds;
}

std::vector<TimePart> TimePart::find(const Expression& formula, int time) {
  std::vector<TimePart> parts;
  const std::shared_ptr<const detail::ExpressionProgram>& program = formula.program_;
  const detail::Tree& tree = program->tree;
  if (tree.root < 0) return parts;
  enum class Of { constant, clock, more };
  std::vector<Of> of(tree.nodes.size(), Of::constant);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const ExpressionNode& node = tree.nodes[i];
    if (node.op == Op::variable) of[i] = node.index == time ? Of::clock : Of::more;
    for (const int child : node.children) of[i] = std::max(of[i], of[child]);
  }
  const auto collect = [&](int root) {
    TimePart part;
    part.program_ = program, part.time_ = time, part.root_ = root;
    std::vector<int> open{root};
    while (!open.empty()) {
      const int index = open.back();
      open.pop_back();
      part.nodes_.push_back(index);
      open.insert(open.end(), tree.nodes[index].children.begin(), tree.nodes[index].children.end());
    }
    std::sort(part.nodes_.begin(), part.nodes_.end());
    part.nodes_.erase(std::unique(part.nodes_.begin(), part.nodes_.end()), part.nodes_.end());
    part.breakpoints_ = formula.breakpoints(time);
    parts.push_back(std::move(part));
  };
  std::vector<int> open{tree.root};
  while (!open.empty()) {
    const int index = open.back();
    open.pop_back();
    if (of[index] == Of::clock) collect(index);
    if (of[index] == Of::more)
      open.insert(open.end(), tree.nodes[index].children.begin(), tree.nodes[index].children.end());
  }
  return parts;
}

void find_surprises(const std::function<double(double)>& u, const BreakpointSet& breakpoints, double start, double end,
                    std::span<const double> seeds, int min_samples, StepBounds& bounds) {
  const double span = end - start;
  const std::size_t most_pieces = breakpoints.instants().size() + most_repeated;
  double from = start;
  for (std::size_t n = 0; from < end && n < most_pieces; ++n) {
    const double to = std::min(end, breakpoints.next(from));
    if (to - from >= shortest_piece * span) {
      // Within the piece, so that a jump at its ends is not part of it.
      const double inset = 1e-9 * (to - from), a = from + inset, b = to - inset;
      std::vector<double> inside;
      for (const double seed : seeds)
        if (seed > a && seed < b) inside.push_back(seed);
      find_surprises(u, a, b, inside, min_samples, bounds);
    }
    from = to;
  }
}

void find_surprises(const TimePart& part, double start, double end, StepBounds& bounds) {
  if (part.is_gradual()) return;
  find_surprises(part, part.breakpoints(), start, end, part.calc_seeds(start, end), part.min_samples(), bounds);
}

}  // namespace trammel
