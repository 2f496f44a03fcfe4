// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>

#include "trammel/base/text.h"
#include "trammel/math/expression.h"
#include "trammel/mechanics/kinds/force_descriptor.h"
#include "trammel/mechanics/model_checks.h"

namespace trammel::detail {

namespace {

// A formula parsed for its problems and for what it depends on.
template <class Spec>
std::vector<Signal> check_formula(ModelChecks& checks, std::string_view kind, const Spec& spec,
                                  const std::string& field, const Formula& formula, const FormulaScope& scope) {
  std::vector<Signal> signals;
  if (!formula.given()) return signals;
  bool wrong_name = false;
  const NameResolver names = [&](const std::vector<std::string>& path) -> ResolvedName {
    const ResolvedPath resolved = checks.table.resolve(scope, path);
    if (const double* value = std::get_if<double>(&resolved)) return *value;
    if (const std::string* message = std::get_if<std::string>(&resolved)) {
      wrong_name = true;
      return *message;
    }
    const Signal& signal = std::get<Signal>(resolved);
    const auto it = std::find(signals.begin(), signals.end(), signal);
    if (it != signals.end()) return static_cast<int>(it - signals.begin());
    signals.push_back(signal);
    return static_cast<int>(signals.size()) - 1;
  };
  const TableResolver tables = [&](const std::string& name) -> ResolvedTable {
    static const std::vector<double> line{0.0, 1.0};
    const SignalTable::Entry* entry = checks.table.find(name);
    if (entry != nullptr && entry->entity == SignalTable::Entity::table)
      return std::make_shared<const CubicSpline>(line, line);
    wrong_name = true;
    return no_such(checks, SignalTable::Entity::table, name);
  };
  const auto report = [&](const std::string& message) {
    checks.report(kind, spec, field, fmt::format("'{}': {}", field, message));
    if (!formula.where.empty()) checks.issues.back().where = formula.where;
  };
  try {
    const Expression expression = Expression::parse(formula.text, names, tables);
    if (expression.is_constant() && !std::isfinite(expression.constant_value()))
      report(fmt::format("the formula \"{}\" is {}; it must be finite", formula.text, expression.constant_value()));
  } catch (const ExpressionError& error) {
    if (wrong_name)
      report(error.message());
    else
      report(error.what());
  }
  return signals;
}

// Positions cannot jump: what prescribes them may not follow an input that does.
template <class Spec>
void refuse_held_inputs(ModelChecks& checks, std::string_view kind, const Spec& spec, const std::string& field,
                        const std::vector<Signal>& signals) {
  for (const Signal& signal : signals) {
    if (signal.kind != SignalKind::input) continue;
    const InputSpec& input = checks.model.inputs[static_cast<std::size_t>(signal.entity)];
    if (input.between == InputSpec::Between::held)
      checks.report(
          kind, spec, field,
          fmt::format("'{}' prescribes a position and the input '{}' is held between the instants at which it is "
                      "set, so that the position would jump; give the input between = \"linear\"",
                      field, input.name));
  }
}

// Formulas that need each other are evaluated by as many calls as the chain is long: some 7000 would fill the stack.
constexpr int deepest_chain = 1000;

/// Measures and control outputs are computed from one another in some order; a circle has none.
class Circles {
 public:
  explicit Circles(ModelChecks& checks) : checks_(checks) {
    const std::size_t n = checks.model.measures.size() + checks.model.controls.size();
    needs_.resize(n);
    signals_.resize(n);
    state_.resize(n, State::fresh);
    depth_.resize(n, 1);
  }

  void add(int node, const std::vector<Signal>& signals) {
    signals_[static_cast<std::size_t>(node)] = signals;
    for (const Signal& signal : signals) {
      if (signal.kind == SignalKind::measure) needs_[static_cast<std::size_t>(node)].push_back(signal.entity);
      if (signal.kind == SignalKind::control_output)
        needs_[static_cast<std::size_t>(node)].push_back(control_node(signal.entity));
    }
  }

  int control_node(int control) const { return static_cast<int>(checks_.model.measures.size()) + control; }

  void report_all() {
    for (std::size_t i = 0; i < needs_.size(); ++i) visit(static_cast<int>(i));
  }

  /// The first signal of a formula, or of a measure or output that it needs, that is known only where frames are
  /// recorded; after report_all(), if that found nothing.
  bool needs_recorded(const std::vector<Signal>& signals) const {
    std::vector<int> open;
    std::vector<char> seen(needs_.size(), 0);
    const auto look = [&](const std::vector<Signal>& all) {
      for (const Signal& signal : all) {
        if (is_recorded(signal.kind)) return true;
        if (signal.kind == SignalKind::measure) open.push_back(signal.entity);
        if (signal.kind == SignalKind::control_output) open.push_back(control_node(signal.entity));
      }
      return false;
    };
    if (look(signals)) return true;
    while (!open.empty()) {
      const auto node = static_cast<std::size_t>(open.back());
      open.pop_back();
      if (seen[node] != 0) continue;
      seen[node] = 1;
      if (look(signals_[node])) return true;
    }
    return false;
  }

 private:
  enum class State { fresh, underway, done };

  const std::string& name(int node) const {
    const std::size_t i = static_cast<std::size_t>(node), n = checks_.model.measures.size();
    return i < n ? checks_.model.measures[i].name : checks_.model.controls[i - n].name;
  }

  // Depth first, with a path of our own: chains may be as long as the file.
  void visit(int first) {
    if (state_[static_cast<std::size_t>(first)] != State::fresh) return;
    std::vector<std::size_t> seen{0};  // of the needs of each node of the path
    path_.assign(1, first);
    state_[static_cast<std::size_t>(first)] = State::underway;
    while (!path_.empty()) {
      const auto node = static_cast<std::size_t>(path_.back());
      if (seen.back() == needs_[node].size()) {
        for (const int next : needs_[node])
          depth_[node] = std::max(depth_[node], depth_[static_cast<std::size_t>(next)] + 1);
        if (depth_[node] == deepest_chain + 1)
          report_at(path_.back(), fmt::format("it needs '{}', which needs another one, and so on, more than {} deep",
                                              name(needs_[node].front()), deepest_chain));
        state_[node] = State::done;
        path_.pop_back();
        seen.pop_back();
        continue;
      }
      const int next = needs_[node][seen.back()++];
      State& state = state_[static_cast<std::size_t>(next)];
      if (state == State::underway) report(next);
      if (state != State::fresh) continue;
      state = State::underway;
      path_.push_back(next);
      seen.push_back(0);
    }
  }

  void report(int node) {
    std::string chain;
    for (auto it = std::find(path_.begin(), path_.end(), node); it != path_.end(); ++it)
      chain += fmt::format("'{}' needs ", name(*it));
    report_at(node, fmt::format("the formulas depend on each other in a circle: {}'{}'", chain, name(node)));
  }

  void report_at(int node, const std::string& message) {
    const std::size_t i = static_cast<std::size_t>(node), n = checks_.model.measures.size();
    if (i < n)
      checks_.report("measure", checks_.model.measures[i], "expression", message);
    else
      checks_.report("control", checks_.model.controls[i - n], "output", message);
  }

  ModelChecks& checks_;
  std::vector<std::vector<int>> needs_;
  std::vector<std::vector<Signal>> signals_;
  std::vector<State> state_;
  std::vector<int> path_;
  std::vector<int> depth_;  // of the chains that begin here
};

}  // namespace

void check_formulas(ModelChecks& checks) {
  const Model& model = checks.model;
  FormulaScope time_only;
  time_only.time_only = true;
  for (const CouplerSpec& coupler : model.couplers) {
    const std::vector<Signal> used = check_formula(checks, "coupler", coupler, "value", coupler.value, time_only);
    if (!coupler.velocity_level) refuse_held_inputs(checks, "coupler", coupler, "value", used);
  }
  for (const MotionSpec& motion : model.motions) {
    refuse_held_inputs(checks, "motion", motion, "function",
                       check_formula(checks, "motion", motion, "function", motion.function, time_only));
    check_formula(checks, "motion", motion, "velocity", motion.velocity, time_only);
  }
  for (const JointSpec& joint : model.joints)
    refuse_held_inputs(checks, "joint", joint, "travel",
                       check_formula(checks, "joint", joint, "travel", joint.on_track.travel, time_only));
  std::map<const ForceDescription*, std::string> component_keys;  // of each kind: the key with its components
  for (const ForceSpec& force : model.forces) {
    const auto [it, fresh] = component_keys.try_emplace(&*force.kind, "force");
    if (!fresh) continue;
    for (const Key& key : force.kind->keys())
      if (key.type == KeyType::formulas) it->second = key.name;
  }
  Circles circles(checks);
  // What acts on the machine may not need what only follows from its motion.
  std::vector<std::function<void()>> acting;
  const auto add_acting = [&](std::string_view kind, const auto& spec, const std::string& field,
                              std::vector<Signal> signals) {
    acting.push_back([&checks, &circles, &spec, kind, field, used = std::move(signals)] {
      if (circles.needs_recorded(used))
        checks.report(kind, spec, field,
                      fmt::format("'{}': accelerations, and forces, energies and momentum of the machine, can be "
                                  "measured, but nothing that acts at the same instant may depend on them: they "
                                  "follow from what acts, M a = f(a) need not have a solution, and no derivative of "
                                  "them is known. A [[control]] of kind \"sampled\" may use them: it acts with what "
                                  "it measured at its last sample",
                                  field));
    });
  };
  for (std::size_t i = 0; i < model.forces.size(); ++i) {
    const ForceSpec& force = model.forces[i];
    FormulaScope law;
    law.force = static_cast<int>(i);
    add_acting("force", force, "law", check_formula(checks, "force", force, "law", force.law, law));
    for (const Formula& component : force.components) {
      const std::string& key = component_keys[&*force.kind];
      if (component.given()) add_acting("force", force, key, check_formula(checks, "force", force, key, component, {}));
    }
  }
  for (std::size_t i = 0; i < model.controls.size(); ++i) {
    const ControlSpec& control = model.controls[i];
    FormulaScope own;
    own.control = static_cast<int>(i);
    for (const Formula& rate : control.rates) {
      std::vector<Signal> used = check_formula(checks, "control", control, "rates", rate, own);
      if (!(control.period > 0.0)) add_acting("control", control, "rates", std::move(used));  // samples look back
    }
    circles.add(circles.control_node(own.control),
                check_formula(checks, "control", control, "output", control.output, own));
  }
  for (std::size_t i = 0; i < model.measures.size(); ++i) {
    const MeasureSpec& measure = model.measures[i];
    if (!measure.expression.given()) continue;
    circles.add(static_cast<int>(i), check_formula(checks, "measure", measure, "expression", measure.expression, {}));
  }
  circles.report_all();
  for (const std::function<void()>& check : acting) check();
}

}  // namespace trammel::detail
