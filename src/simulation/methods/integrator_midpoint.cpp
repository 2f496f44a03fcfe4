// SPDX-License-Identifier: Apache-2.0
#include "trammel/integrators/midpoint.h"

#include "trammel/simulation/methods/method_parts.h"

namespace trammel {

namespace {

struct MidpointMethod {
  static constexpr std::string_view name = "midpoint",
                                    meaning = "the implicit midpoint rule, [page](integrators/midpoint.md)";
  static constexpr auto keys = join_keys(one_step_keys, std::array<std::string_view, 1>{"jacobian_update"});
  static constexpr Equations equations = second_order_equations;
  // Accelerations belong to the middle of the step and alternate: they differ by mostly less than their change, and at
  // an extremum, where that tells nothing, by (ωh)²/8 to (ωh)²/2 of their size, some 1e-3 at tight tolerances already.
  static constexpr IntegratorTraits traits{
      .lags = true, .damps = false, .power = PowerAt::middle, .acceleration_share = 4.0, .noticed_acceleration = 1e-2};
  static constexpr auto check = check_no_pairs;
  static Orders orders(const SolverOptions&) { return {2, 2, 1}; }
  static RunChecks::StepError step_error(const SolverOptions&) { return second_order_error(0.6); }
  static MadeMethod make(const Machine& machine, Viewer&, const StepRange& range) {
    const StepOptions steps = step_options_of(machine, range);
    MadeMethod made{.scaling = make_scaling(range.solver.scaling), .max_corrections = steps.max_iterations};
    made.method = std::make_unique<Midpoint>(machine.index3(), steps, range.solver_choice(), *made.scaling);
    return made;
  }
};

}  // namespace

constinit const IntegratorDescription methods::midpoint = describe_integrator<MidpointMethod>();

}  // namespace trammel
