// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/methods/method_parts.h"
#include "trammel/simulation/runge_kutta_motion.h"

namespace trammel {

namespace {

// Beyond these an implicit method, the other cure of what decays fast, pays for its matrices.
constexpr int few_velocities = 60;

struct RungeKuttaMethod {
  static constexpr std::string_view name = "runge_kutta",
                                    meaning = "an explicit pair, [page](integrators/runge_kutta.md)";
  static constexpr auto keys = weighted_keys;
  static constexpr Equations equations{
      .own = "explicit",
      .no_matrix = "belongs to implicit methods, and 'runge_kutta' solves for accelerations directly"};
  static constexpr IntegratorTraits traits{.tests_velocities = true, .damps = false, .power = PowerAt::within};
  static constexpr auto check = check_no_pairs;
  static Orders orders(const SolverOptions&) { return {5, 5, 5}; }
  static RunChecks::StepError step_error(const SolverOptions&) { return {.difference = 5, .constant = 3e-4}; }
  static MadeMethod make(const Machine& machine, Viewer&, const StepRange& steps) {
    const SolverOptions& o = steps.solver;
    RungeKuttaOptions options;
    options.tolerances = tolerances_of(o);
    options.h0 = o.h0, options.fixed_h = o.h;
    options.stabilizes = machine.moved().nv() > few_velocities;
    options.hmin = steps.hmin, options.hmax = steps.hmax;
    return {.method = std::make_unique<RungeKuttaMotion>(machine.moved(), options)};
  }
};

}  // namespace

constinit const IntegratorDescription methods::runge_kutta = describe_integrator<RungeKuttaMethod>();

}  // namespace trammel
