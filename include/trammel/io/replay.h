// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "trammel/simulation/summary.h"

namespace trammel {

/// What was tried beside a run that failed.
struct Cure {
  std::string settings;  ///< as for `--set`: "solver.integrator=radau"
  bool helped = false;   ///< the run gets past the place
  std::string outcome;   ///< "gets past it, 120 steps", "fails at t = …", "means nothing here: …"
};

/// A failed run that was run again.
struct ReplayReport {
  double t = 0.0;                              ///< where it failed [s]
  std::string failure;                         ///< what it said now
  bool repeated = false;                       ///< the same as then, every number since the checkpoint included
  std::string difference;                      ///< else: what is different
  double from = 0.0;                           ///< it began here: the last checkpoint, or the start [s]
  std::int64_t n_frames = 0, n_steps = 0;      ///< rows that were compared
  double cures_from = 0.0, cures_until = 0.0;  ///< the frame from which cures were tried, and how far [s]
  std::vector<Cure> cures;
};

/// Repeats the failure of a results file from its last checkpoint, with the same bits. Nothing but the file is needed,
/// and it is not changed. Throws IoError, InputError: no results, no model in them, a run that did not fail.
ReplayReport replay_failure(const std::filesystem::path& results);

/// Writes all that replay_failure() and try_cures() need of a run that failed into a file of its own, to be sent: the
/// model with its files, settings, the last checkpoint, what the run said, one frame before the failure at least and
/// the rows behind the checkpoint, which are those of at most as many steps as lie between two checkpoints. Throws as
/// replay_failure() does.
void write_capsule(const std::filesystem::path& results, const std::filesystem::path& capsule);

/// Tries to get past it from the last frame before it, with other settings, one at a time: step, tolerance, method,
/// formulation, coordinates, scaling, linear solver. `watch` is told of each.
void try_cures(const std::filesystem::path& results, ReplayReport& report,
               const std::function<void(const Cure&)>& watch = {});

}  // namespace trammel
