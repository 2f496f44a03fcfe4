// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "trammel/simulation/bdf_motion.h"
#include "trammel/simulation/methods/method_parts.h"

namespace trammel {

namespace {

// How the matrix is obtained and re-used.
void check_jacobian(SettingsChecks& checks) {
  const SolverOptions& solver = checks.settings.solver;
  const BdfSettings& bdf = solver.bdf;
  const bool is_explicit = bdf.formalism == Formalism::explicit_form;
  if (bdf.jacobian_pattern &&
      (bdf.jacobian_pattern->find_first_not_of("TF") != std::string::npos || !bdf.jacobian_pattern->starts_with('T')))
    checks.report("jacobian_pattern", fmt::format("'jacobian_pattern' is '{}' but must be letters T and F, the first "
                                                  "a T (T: a new matrix before this iteration)",
                                                  *bdf.jacobian_pattern));
  if (is_explicit && solver.coordinates != CoordinateSet::joint)
    checks.report("formalism",
                  "formalism = \"explicit\" is a recursion over the tree of joints: it needs coordinates = \"joint\"");
  if (is_explicit && (!(*solver.formulation)->traits.explicit_formalism || predicts_multipliers(solver)))
    checks.report(
        "formalism",
        fmt::format(
            "formalism = \"explicit\" has accelerations in its rows, and '{}'{} takes multipliers from rows "
            "of forces: choose another formulation or iteration",
            word_of(*solver.formulation),
            solver.split.iteration ? fmt::format(" with '{}'", word_of(*solver.split.iteration)) : std::string()));
}

BdfOptions bdf_options_of(const SolverOptions& o, const Machine& machine) {
  const bool as_dassl = o.bdf.step_rules == StepRules::dassl;
  BdfOptions b = as_dassl ? BdfOptions::dassl() : BdfOptions{};
  b.tolerances = tolerances_of(o);
  if (!as_dassl && !o.h) b.extent = extent_of(machine);
  b.max_order = *o.bdf.max_order;
  b.h0 = o.h0, b.fixed_h = o.h;
  b.unknown = *o.bdf.unknown;
  b.corrector = *o.bdf.corrector;
  b.newton_constant = *o.bdf.newton_constant;
  b.max_iterations = *o.max_iterations;
  b.jacobian_update = *o.jacobian.update;
  b.newton_stop = *o.newton_stop;
  b.newton_start = *o.bdf.newton_start;
  b.records_corrections = *o.record_corrections;
  b.jacobian_pattern = o.bdf.jacobian_pattern.value_or("");
  b.detects_stability_limit = *o.bdf.stability_detection;
  return b;
}

struct BdfMethod {
  static constexpr std::string_view name = "bdf", meaning = "backward differentiation, [page](integrators/bdf.md)";
  static constexpr auto keys =
      join_keys(weighted_keys, stopping_keys, jacobian_keys, split_keys,
                std::array<std::string_view, 11>{"preset", "fields", "max_order", "newton_constant", "unknown",
                                                 "corrector", "step_rules", "stability_detection", "newton_start",
                                                 "jacobian_pattern", "formalism"});
  static constexpr Equations equations{.first_order = true, .formulation = Formulation::stabilized_index2};
  static constexpr IntegratorTraits traits{.newton = NewtonLimit::error,
                                           .newton_iterations = 4,
                                           .has_inverse_bounds = true,
                                           .cuts_by_polynomial = true,
                                           .keeps_charts = true,
                                           .power = PowerAt::within,
                                           .acceleration_share = 0.05};

  static void check(SettingsChecks& checks) {
    check_jacobian(checks);
    check_split(checks);
  }

  // A fixed step begins with one of order 1.
  static Orders orders(const SolverOptions& o) {
    const int p = std::min(2, *o.bdf.max_order);
    return {p, p, p};
  }

  // As measured on pendulums, tops and linkages.
  static RunChecks::StepError step_error(const SolverOptions& o) {
    if (o.bdf.max_order == 1) return {.difference = 1, .constant = 0.5};
    return second_order_error(2.0);
  }

  static MadeMethod make(const Machine& machine, Viewer&, const StepRange& steps) {
    const SolverOptions& o = steps.solver;
    BdfOptions options = bdf_options_of(o, machine);
    options.hmin = steps.hmin, options.hmax = steps.hmax;
    return {.method = std::make_unique<BdfMotion>(machine.moved(), make_form(machine, steps.solver), options,
                                                  steps.solver_choice(), first_order_scaling_of(o.scaling),
                                                  o.bdf.fields == BdfFields::two, differences_of(o)),
            .max_corrections = options.max_iterations};
  }
};

}  // namespace

constinit const IntegratorDescription methods::bdf = describe_integrator<BdfMethod>();

}  // namespace trammel
