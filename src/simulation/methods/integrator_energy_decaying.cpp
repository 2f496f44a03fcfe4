// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "trammel/integrators/energy_decaying.h"
#include "trammel/mechanics/slots/slot_system.h"
#include "trammel/simulation/methods/method_parts.h"
#include "trammel/simulation/viewer.h"

namespace trammel {

namespace {

struct EnergyDecayingMethod {
  static constexpr std::string_view name = "energy_decaying",
                                    meaning = "energy never grows, [page](integrators/energy_decaying.md)";
  static constexpr auto keys = join_keys(stopping_keys, source_keys);
  static constexpr Equations equations{
      .own = "slots",
      .no_forms = "does not apply to 'energy_decaying', which has its own equations: two multipliers per constraint"};
  // Accelerations belong to the middle of the step, as those of the midpoint rule.
  static constexpr IntegratorTraits traits{.newton = NewtonLimit::own, .noticed_acceleration = 1e-2};

  static void check(SettingsChecks& checks) {
    const SolverOptions& solver = checks.settings.solver;
    const std::optional<ScalingKind>& kind = solver.scaling.kind;
    if (kind && kind != ScalingKind::none && kind != ScalingKind::physical)
      checks.report("solver.scaling", "kind",
                    fmt::format("'{}' are powers of h for a matrix that depends on h. That of 'energy_decaying' does "
                                "not, as its unknowns are impulses h λ: choose 'physical' or 'none'",
                                word_of(*kind)));
    for (const auto& [key, value] :
         {std::pair{"d_ave", solver.scaling.d_ave}, std::pair{"k_ave", solver.scaling.k_ave}})
      if (value)
        checks.report("solver.scaling", key,
                      fmt::format("'{}' has no part in the matrix of 'energy_decaying', which does not depend on h and "
                                  "has stiffnesses as compliances of stresses: s is a mass, 'm_ave'",
                                  key));
    if (solver.coordinates == CoordinateSet::joint)
      checks.report(
          "coordinates",
          "'energy_decaying' moves frames and their directors, and its law of energy needs a kinetic energy with "
          "constant coefficients (docs/integrators/energy_decaying.md, 'Not in joint coordinates'): choose "
          "coordinates = \"absolute\"");
  }

  static Orders orders(const SolverOptions&) { return {2, 2, 2}; }
  static RunChecks::StepError step_error(const SolverOptions&) { return second_order_error(1.0); }

  static MadeMethod make(const Machine& machine, Viewer& viewer, const StepRange& range) {
    const StepOptions steps = step_options_of(machine, range);
    if (std::vector<Issue> refused = issues_of_directors(machine.model()); !refused.empty())
      throw InputError(std::move(refused));
    const Assembly& full = machine.full();
    auto slots = std::make_unique<SlotSystem>(machine.kept(), viewer.calc_frames(full.drawn, full.state));
    const ScalingOptions& s = range.solver.scaling;
    const EnergyDecaying::Scaling scaling{s.kind == ScalingKind::physical, s.m_ave, s.l_ref.value_or(1.0), *s.rho};
    return {.method = std::make_unique<EnergyDecaying>(std::move(slots), machine.index3(), steps, range.solver_choice(),
                                                       scaling),
            .max_corrections = EnergyDecaying::most_iterations(steps)};
  }
};

}  // namespace

constinit const IntegratorDescription methods::energy_decaying = describe_integrator<EnergyDecayingMethod>();

}  // namespace trammel
