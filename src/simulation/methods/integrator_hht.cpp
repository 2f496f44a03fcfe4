// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/methods/method_parts.h"
#include "trammel/simulation/methods/one_step_methods.h"

namespace trammel {

namespace {

struct HhtMethod {
  static constexpr std::string_view name = "hht", meaning = "its member of Hilber, Hughes and Taylor";
  static constexpr auto keys = join_keys(one_step_keys, std::array<std::string_view, 2>{"jacobian_update", "alpha"});
  static constexpr Equations equations = second_order_equations;
  static constexpr IntegratorTraits traits{.lags = true};
  static constexpr auto check = check_no_pairs;
  static Orders orders(const SolverOptions&) { return {2, 2, 2}; }
  // As measured on pendulums, tops and linkages with the default damping.
  static RunChecks::StepError step_error(const SolverOptions&) { return second_order_error(1.9); }
  static MadeMethod make(const Machine& machine, Viewer&, const StepRange& steps) {
    return make_alpha(AlphaCoefficients::hht(*steps.solver.one_step.alpha), machine, steps);
  }
};

}  // namespace

constinit const IntegratorDescription methods::hht = describe_integrator<HhtMethod>();

}  // namespace trammel
