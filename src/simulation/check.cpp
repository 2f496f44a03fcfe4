// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>

#include "option_pairs.h"
#include "trammel/formulations/index3.h"
#include "trammel/mechanics/absolute/assemble_again.h"
#include "trammel/simulation/option.h"
#include "trammel/simulation/phases.h"
#include "trammel/simulation/redundancy_cures.h"
#include "trammel/simulation/settings_text.h"
#include "trammel/simulation/simulation.h"

namespace trammel {

namespace {

// Counts rows and freedoms of the machine as drawn. What contradicts its joints is returned.
std::string look_at(const Assembly& assembly, const CheckedStudy& study, const Settings& settings,
                    CheckReport& report) {
  const Index3 index3(*assembly.system);
  std::unique_ptr<Workspace> workspace = index3.make_workspace();
  MotionVariables x = assembly.drawn;
  x.t = *settings.analysis.start;
  State state = assembly.state;
  for (Branch& branch : state.branches) branch.t = x.t;
  report.bodies = static_cast<int>(study.model().bodies.size());
  report.nv = index3.nv(), report.nz = index3.nz(), report.rows = index3.nc();
  const InitialFailure drawn = project_positions(index3, assembly.firm_q, x, state, *workspace, report.initial);
  if (drawn.failed()) return drawn.message;
  const RankReport rank = find_redundancy(index3, x, state, *workspace);
  report.rank = report.rows - static_cast<int>(rank.dependent.size());
  report.degrees_of_freedom = report.nv - report.rank;
  report.redundant = describe_redundancy(rank, *assembly.system);
  if (!report.redundant.empty() && settings.solver.redundant == RedundancyPolicy::error)
    report.redundant.back() += "\n" + explain_redundancy(rank, *assembly.system, study.model());
  return project_velocities(index3, assembly.firm_v, x, state, *workspace, report.initial).message;
}

}  // namespace

CheckReport check(const CheckedStudy& study) {
  CheckReport report;
  const Settings& given = study.settings();
  const bool in_phases = has_phases(given);
  // All phases are made ready below; the first one says where the machine begins.
  Resolved resolved = resolve(in_phases ? settings_of_phase(given, list_phases(given).front()) : given, study.model());
  if (!resolved.issues.empty()) throw InputError(std::move(resolved.issues));
  const std::string without_effect = detail::describe_set_aside(resolved);
  Settings settings = resolved.settings;
  // Firm values, accelerations, channels: what a run would find before its first step.
  CheckedStudy tolerant = study;
  if (resolved.settings.solver.redundant == RedundancyPolicy::error)
    tolerant.settings().solver.redundant = RedundancyPolicy::drop;
  tolerant.settings().solver.strict = false;
  std::optional<Simulation> simulation;
  std::string refusal;
  try {
    simulation.emplace(std::move(tolerant));
    simulation->make_schema();  // refuses channels that do not exist
    report.remarks = simulation->notes();
    report.choice = simulation->choice();
    if (!report.choice.empty() || in_phases) settings = simulation->settings();
    std::erase_if(report.remarks,
                  [&](const std::string& note) { return note.rfind("left out:", 0) == 0 || note == without_effect; });
  } catch (const InputError& error) {
    refusal = error.what();
  }
  // A machine that cannot be made ready is assembled by itself, as far as that goes.
  std::optional<Assembly> alone;
  if (!simulation) alone.emplace(assemble_again(study.model()));
  const Assembly& assembly = simulation ? simulation->assembly() : *alone;
  const std::string failure = look_at(assembly, study, resolved.settings, report);
  report.failure = failure.empty() ? refusal : failure;
  settings.solver.redundant = resolved.settings.solver.redundant,
  settings.solver.strict = resolved.settings.solver.strict;
  report.settings = settings_text(settings);
  if (!without_effect.empty()) report.settings += "\n# " + without_effect + "\n";
  return report;
}

std::string CheckReport::to_text() const {
  std::string text =
      fmt::format("{} bodies, {} coordinates, {} constraint rows of rank {}, {} states: {} degrees of freedom\n",
                  bodies, nv, rows, rank, nz, degrees_of_freedom);
  for (const std::string& line : redundant) text += "redundant: " + line + "\n";
  for (const std::string& line : remarks) text += "initial conditions: " + line + "\n";
  if (!failure.empty()) text += failure + "\n";
  if (failure.empty() && redundant.empty() && remarks.empty()) text += "ready to run\n";
  if (!choice.empty()) text += "method: " + choice + "\n";
  if (!settings.empty()) text += "\nSettings that take effect:\n\n" + settings;
  return text;
}

}  // namespace trammel
