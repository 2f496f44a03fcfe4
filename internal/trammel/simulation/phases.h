// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "trammel/simulation/options.h"

namespace trammel {

/// Whether a run of these settings has phases: only dynamics has.
bool has_phases(const Settings& settings);

/// The phases of a run until its end: where the last one ends before that, one more with the settings of [solver].
std::vector<Phase> list_phases(const Settings& run);

/// The settings of one phase: those of the run, with what the phase gives in their place. It has no phases.
Settings settings_of_phase(const Settings& run, const Phase& phase);

/// Options that belong to the run as a whole: in which coordinates it moves, which rows are left out, how it begins.
bool belongs_to_run(const std::string& solver_key);

/// Everything wrong with the settings of a run with phases: out of order, events that do not exist, keys that belong to
/// the whole run, and what is wrong with the settings of each; what is wrong with all of them is said once.
std::vector<Issue> find_phase_issues(const Settings& run, const Model& machine);

}  // namespace trammel
