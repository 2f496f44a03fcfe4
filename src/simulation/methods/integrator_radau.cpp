// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "trammel/simulation/methods/method_parts.h"
#include "trammel/simulation/radau_motion.h"

namespace trammel {

namespace {

struct RadauMethod {
  static constexpr std::string_view name = "radau", meaning = "Radau IIA, [page](integrators/radau.md)";
  static constexpr auto keys = join_keys(weighted_keys, stopping_keys, jacobian_keys, split_keys,
                                         std::array<std::string_view, 2>{"stages", "error_goal"});
  static constexpr Equations equations{
      .first_order = true, .formulation = Formulation::stabilized_index2, .has_stages = true};
  static constexpr IntegratorTraits traits{.tests_velocities = true,
                                           .keeps_derivatives = true,
                                           .keeps_charts = true,
                                           .power = PowerAt::within,
                                           .acceleration_share = 0.05};
  static void check(SettingsChecks& checks) {
    check_split(checks);
    const RadauSettings& radau = checks.settings.solver.radau;
    if (radau.goal == ErrorGoal::motion && radau.stages.value_or(3) != 3)
      checks.report("error_goal",
                    "error_goal = \"motion\" needs three stages: with fewer the estimate of a step is of the order of "
                    "what it estimates");
  }

  // [Hairer and Wanner, Solving ODEs II, VII.4]: 2s − 1, s, s − 1 of variables of index 1, 2, 3; λ of the first-order
  // forms is of index 2, of index1 of index 1.
  static Orders orders(const SolverOptions& o) {
    const int s = *o.radau.stages, full = 2 * s - 1;
    const ConstraintForm& form = (*o.formulation)->form;
    if (form.positions_alone()) return {full, s, std::max(1, s - 1)};
    return {full, full, form.level == ConstraintForm::Level::accelerations ? full : s};
  }

  // [Hairer and Wanner, Solving ODEs II, IV.5]: order 2s − 1
  static RunChecks::StepError step_error(const SolverOptions& o) {
    switch (o.radau.stages.value_or(3)) {
      case 1:
        return {.difference = 1, .constant = 0.5};
      case 2:
        return {.difference = 3, .constant = 1.0 / 72.0};
      default:
        return {.difference = 5, .constant = 1.0 / 7200.0};
    }
  }

  static MadeMethod make(const Machine& machine, Viewer&, const StepRange& steps) {
    const SolverOptions& o = steps.solver;
    RadauOptions options;
    options.tolerances = tolerances_of(o);
    options.stages = *o.radau.stages;
    options.goal = o.radau.goal.value_or(ErrorGoal::step);
    options.h0 = o.h0, options.fixed_h = o.h;
    if (o.newton_tol) options.newton_tol = *o.newton_tol;
    options.max_iterations = *o.max_iterations;
    options.newton_stop = *o.newton_stop;
    options.records_corrections = *o.record_corrections;
    options.jacobian_update = *o.jacobian.update;
    options.hmin = steps.hmin, options.hmax = steps.hmax;
    return {.method = std::make_unique<RadauMotion>(machine.moved(), make_form(machine, steps.solver), options,
                                                    steps.solver_choice(), first_order_scaling_of(o.scaling),
                                                    differences_of(o)),
            .max_corrections = options.most_iterations()};
  }
};

}  // namespace

constinit const IntegratorDescription methods::radau = describe_integrator<RadauMethod>();

}  // namespace trammel
