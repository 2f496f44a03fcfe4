// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "option_pairs.h"
#include "trammel/base/text.h"
#include "trammel/simulation/methods/formulation_descriptor.h"
#include "trammel/simulation/option.h"
#include "trammel/simulation/phases.h"

namespace trammel {

namespace {

bool is_absent(const OptionValue& value) { return std::holds_alternative<std::monostate>(value); }

std::optional<double> number_in(const OptionValue& value) {
  if (const double* x = std::get_if<double>(&value)) return *x;
  if (const int* x = std::get_if<int>(&value)) return *x;
  return std::nullopt;
}

}  // namespace

// The GSTIFF-compatible presets: error 1e-3 against max(1, |y|), order up to 6, ten iterations with a new matrix in
// every fourth, first and largest step from the output.
SolverOptions preset_settings(Preset preset, const Settings& chosen) {
  SolverOptions s;
  if (preset == Preset::dassl) {
    const BdfOptions dassl = BdfOptions::dassl();
    s.bdf.step_rules = StepRules::dassl;
    s.bdf.newton_constant = dassl.newton_constant;
    s.bdf.stability_detection = dassl.detects_stability_limit;
    return s;
  }
  const double output_step = output_interval(chosen);
  s.rtol = s.atol = 1e-3;
  s.tolerance_rule = ToleranceRule::max;
  // A coordinate split stays A-stable: it is made for what oscillates.
  if (!splits(chosen.solver)) s.bdf.max_order = 6;
  s.max_iterations = 10;
  s.h0 = output_step / 20.0;
  s.hmax = output_step;
  s.bdf.jacobian_pattern = "TFFFTFFFTF";
  switch (preset) {
    case Preset::gstiff_i3:
      s.formulation = Formulation::index3;
      break;
    case Preset::hastiff:
      s.formulation = Formulation::stabilized_index1;
      s.bdf.unknown = BdfUnknown::yp;
      s.scaling.kind = ScalingKind::constraints;
      break;
    default:
      s.formulation = Formulation::stabilized_index2;
  }
  return s;
}

namespace {

// Methods for any machine, the usual one first.
constexpr Method for_any[] = {{Integrator::generalized_alpha, CoordinateSet::absolute},
                              {Integrator::radau, CoordinateSet::absolute},
                              {Integrator::bdf, CoordinateSet::absolute},
                              {Integrator::runge_kutta, CoordinateSet::absolute},
                              {Integrator::energy_decaying, CoordinateSet::absolute},
                              {Integrator::midpoint, CoordinateSet::absolute},
                              {Integrator::hht, CoordinateSet::absolute},
                              {Integrator::newmark, CoordinateSet::absolute},
                              {Integrator::generalized_alpha, CoordinateSet::joint},
                              {Integrator::radau, CoordinateSet::joint},
                              {Integrator::bdf, CoordinateSet::joint},
                              {Integrator::runge_kutta, CoordinateSet::joint},
                              {Integrator::midpoint, CoordinateSet::joint},
                              {Integrator::hht, CoordinateSet::joint},
                              {Integrator::newmark, CoordinateSet::joint}};

// "auto" is the same as nothing.
Settings without_auto(Settings s) {
  if (s.solver.coordinates == CoordinateSet::automatic) s.solver.coordinates.reset();
  if (s.solver.linear_solver == LinearSolverKind::automatic) s.solver.linear_solver.reset();
  return s;
}

Resolved resolve_named(const Settings& given, const Model& machine) {
  Resolved resolved{given, {}, {}};
  Settings& s = resolved.settings;
  Settings preset;
  for (const OptionTable& table : option_tables())
    for (const Option& option : table.options) {
      const std::string& name = option.key.name;
      const auto report = [&](const std::string& message) {
        resolved.issues.push_back(
            {detail::place_of(table, name, given), fmt::format("{}: '{}' {}", table.name, name, message)});
      };
      OptionValue value = option.get(s);
      const std::optional<double> x = number_in(value);
      const bool in_range = !x || option.key.range.holds(*x);
      // What does not act is checked like all others, and then as if it had not been given.
      const bool is_end_of_path = name == "end" && given.analysis.time_steps.value_or(0) > 0;
      if (!is_absent(value) && in_range && !is_end_of_path &&
          !option.acts_in(s.analysis.kind.value_or(AnalysisKind::dynamics))) {
        resolved.set_aside.push_back(table.name + "." + name);
        value = {};
        option.set(s, value);
      }
      if (const std::string refusal = option.refusal(s); !refusal.empty()) {
        if (!is_absent(value)) report(refusal);
        option.set(s, {});
      } else if (!in_range) {
        report(fmt::format("is {} but must be {}", *x, option.key.range.condition()));
      } else if (is_absent(value)) {
        const OptionValue from_preset = option.get(preset);
        option.set(s, is_absent(from_preset) ? option.otherwise(s, machine) : from_preset);
      }
      if (name == "preset" && s.solver.bdf.preset) preset.solver = preset_settings(*s.solver.bdf.preset, s);
    }
  if (!s.phases.empty() && s.analysis.kind != AnalysisKind::dynamics) {
    resolved.set_aside.push_back("phase");
    s.phases.clear();
  }
  detail::check_pairs(given, s, machine, resolved.issues);
  return resolved;
}

// Which of them the settings ask for, by method and coordinates.
bool fits(const Method& method, const Settings& named, bool any_coordinates) {
  if (named.solver.integrator && *named.solver.integrator != method.integrator) return false;
  if (named.solver.coordinates) return *named.solver.coordinates == method.coordinates;
  return any_coordinates || method.coordinates == CoordinateSet::absolute;
}

}  // namespace

bool leaves_method_open(const Settings& given) {
  const SolverOptions& o = given.solver;
  return !o.integrator || o.coordinates == CoordinateSet::automatic;
}

Resolved resolve(const Settings& given, const Model& machine, std::span<const Method> wanted) {
  const Settings named = without_auto(given);
  const bool moves = given.analysis.kind.value_or(AnalysisKind::dynamics) == AnalysisKind::dynamics;
  if (!moves || !leaves_method_open(given)) return resolve_named(named, machine);
  std::optional<Resolved> first;
  // Whoever names a method gets its own estimates; who leaves it open asks for a motion.
  const bool sets_goal = !wanted.empty() && !named.solver.integrator && !named.solver.h;
  const auto resolves = [&](const Method& method) {
    Settings tried = named;
    tried.solver.integrator = method.integrator, tried.solver.coordinates = method.coordinates;
    if (sets_goal && method.integrator == Integrator::radau && tried.solver.radau.stages.value_or(3) == 3 &&
        !tried.solver.radau.goal)
      tried.solver.radau.goal = ErrorGoal::motion;
    Resolved resolved = resolve_named(tried, machine);
    const bool works = resolved.issues.empty();
    if (works || !first) first = std::move(resolved);
    return works;
  };
  for (const Method& method : wanted)
    if (fits(method, named, true) && resolves(method)) return *first;
  first.reset();  // what is wrong is said of the usual method
  // A fixed step beside a tolerance is a mistake, and no reason to take the one method that has a use for both.
  if (named.solver.h && (named.solver.rtol || named.solver.atol) && !named.solver.integrator)
    return resolve_named(named, machine);
  for (const Method& method : for_any)
    if (fits(method, named, false) && resolves(method)) return *first;
  for (const Method& method : for_any)
    if (fits(method, named, true) && resolves(method)) return *first;
  return first ? *first : resolve_named(named, machine);
}

Resolved resolve(const Settings& given, const Model& machine) { return resolve(given, machine, {}); }

std::string detail::describe_set_aside(const Resolved& resolved) {
  if (resolved.set_aside.empty()) return {};
  return fmt::format("without effect in kind = \"{}\", which integrates nothing: {}",
                     word_of(*resolved.settings.analysis.kind), fmt::join(resolved.set_aside, ", "));
}

std::vector<std::string> drop_foreign(Settings& settings, const Model& machine) {
  const Settings effective = resolve(settings, machine).settings;
  std::vector<std::string> dropped;
  for (const OptionTable& table : option_tables())
    for (const Option& option : table.options)
      if (!is_absent(option.get(settings)) && is_absent(option.get(effective))) {
        option.set(settings, {});
        dropped.push_back(table.name + "." + option.key.name);
      }
  return dropped;
}

std::vector<Issue> issues(const Study& study) {
  return has_phases(study) ? find_phase_issues(study, study.model) : resolve(study, study.model).issues;
}

}  // namespace trammel
