// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "trammel/simulation/methods/one_step_methods.h"

namespace trammel {

namespace {

struct NewmarkMethod {
  static constexpr std::string_view name = "newmark", meaning = "its member of Newmark";
  static constexpr auto keys = join_keys(one_step_keys, std::array<std::string_view, 2>{"jacobian_update", "gamma"});
  static constexpr Equations equations = second_order_equations;
  static constexpr IntegratorTraits traits{.lags = true, .damps_in_first_order = true};
  static constexpr auto check = check_no_pairs;
  static Orders orders(const SolverOptions&) { return {1, 1, 1}; }
  // Velocities err by (γ − ½) h Δv̇ in each step, which damps a vibration by (γ − ½) ω²h/2 per time.
  static RunChecks::StepError step_error(const SolverOptions& o) {
    RunChecks::StepError error = second_order_error(1.0);
    error.damping = std::max(0.0, 0.8 * (o.one_step.gamma.value_or(0.6) - 0.5));
    return error;
  }
  static MadeMethod make(const Machine& machine, Viewer&, const StepRange& steps) {
    return make_alpha(AlphaCoefficients::newmark(*steps.solver.one_step.gamma), machine, steps);
  }
};

}  // namespace

constinit const IntegratorDescription methods::newmark = describe_integrator<NewmarkMethod>();

}  // namespace trammel
