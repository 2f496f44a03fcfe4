// SPDX-License-Identifier: Apache-2.0
#include "trammel/integrators/generalized_alpha.h"
#include "trammel/simulation/methods/one_step_methods.h"

namespace trammel {

namespace {

struct GeneralizedAlphaMethod {
  static constexpr std::string_view name = "generalized_alpha", meaning = "[page](integrators/generalized_alpha.md)";
  static constexpr auto keys = join_keys(one_step_keys, std::array<std::string_view, 2>{"jacobian_update", "rho_inf"});
  static constexpr Equations equations = second_order_equations;
  static constexpr IntegratorTraits traits{.lags = true};
  static constexpr auto check = check_no_pairs;
  static Orders orders(const SolverOptions&) { return {2, 2, 2}; }
  // As measured on pendulums, tops and linkages.
  static RunChecks::StepError step_error(const SolverOptions& o) {
    const double rho = o.one_step.rho_inf.value_or(0.8), damping = (1.0 - rho) / (1.0 + rho);
    return second_order_error(1.4 + 1.8 * damping);
  }
  static MadeMethod make(const Machine& machine, Viewer&, const StepRange& steps) {
    return make_alpha(AlphaCoefficients::chung_hulbert(*steps.solver.one_step.rho_inf), machine, steps);
  }
};

}  // namespace

constinit const IntegratorDescription methods::generalized_alpha = describe_integrator<GeneralizedAlphaMethod>();

}  // namespace trammel
