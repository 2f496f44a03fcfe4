// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "callbacks.h"
#include "record.h"
#include "trammel/simulation/simulation.h"

namespace trammel::python {

/// How a run is called.
struct RunRequest {
  std::vector<LawCallback> laws;
  std::vector<ForceCallback> forces;
  std::optional<std::filesystem::path> file;      ///< absent: the run is kept in memory
  std::map<std::string, std::string> attributes;  ///< of the results, besides those of every run
  py::object progress = py::none();               ///< None, or a function of a Progress; False stops the run
  double progress_interval = 0.1;                 ///< [s] of wall time between its calls; 0: after each step
  bool resume = false;                            ///< the run of `file` goes on
  int threads = 0;                                ///< that large machines may use; 0: one for each core
};

/// What a run left behind.
struct RunOutcome {
  Summary summary;
  std::shared_ptr<KeptRecord> record;  ///< null: the results are in the file
  py::object error = py::none();       ///< what a Python function raised, or KeyboardInterrupt: the run ended there
};

/// The study, to repeat the steps of a run in memory or of a results file; None: as it is.
CheckedStudy repeating(const CheckedStudy& study, const py::object& steps_of);
/// The study, to begin where other results were; nothing: as it is.
CheckedStudy beginning(const CheckedStudy& study, const std::optional<StartingPoint>& start);

/// Runs without the interpreter's lock; takes it for callbacks, and 20 times a second to see whether somebody pressed
/// Ctrl-C. Results up to an exception are kept. Throws InputError, IoError.
RunOutcome run(const CheckedStudy& study, const RunRequest& request);

}  // namespace trammel::python
