// SPDX-License-Identifier: Apache-2.0
#include "run.h"

#include <pybind11/stl/filesystem.h>

#include <chrono>

#include "trammel/base/threads.h"
#include "trammel/io/recorded_run.h"
#include "trammel/io/steps_of_results.h"
#include "trammel/simulation/annotated_sink.h"

namespace trammel::python {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds signal_interval(50);

/// Called after each step: hands on to Python what is due.
class Watch {
 public:
  Watch(const py::object& progress, double interval)
      : progress_(progress.ptr()), interval_(interval), next_signal_(Clock::now()), next_progress_(next_signal_) {}

  bool operator()(const Progress& now) {
    const Clock::time_point time = Clock::now();
    const bool tell = progress_ != Py_None && time >= next_progress_;
    if (!tell && time < next_signal_) return true;
    const py::gil_scoped_acquire lock;
    next_signal_ = time + signal_interval;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!tell) return true;
    next_progress_ = time + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(interval_));
    return !py::reinterpret_borrow<py::function>(progress_)(now).is(py::bool_(false));
  }

 private:
  PyObject* progress_;
  double interval_;
  Clock::time_point next_signal_, next_progress_;
};

SummaryEntries unfinished(const std::string& reason) { return {{"completed", false}, {"stop", reason}}; }

}  // namespace

CheckedStudy repeating(const CheckedStudy& study, const py::object& steps_of) {
  if (steps_of.is_none()) return study;
  Study changed = study.study();
  if (py::isinstance<KeptRecord>(steps_of))
    changed.steps = std::make_shared<RecordedSteps>("the other run", steps_of.cast<const KeptRecord&>().memory);
  else
    changed.steps = read_recorded_steps(steps_of.cast<std::filesystem::path>());
  return changed;
}

CheckedStudy beginning(const CheckedStudy& study, const std::optional<StartingPoint>& start) {
  if (!start) return study;
  Study changed = study.study();
  changed.start = start;
  return changed;
}

RunOutcome run(const CheckedStudy& study, const RunRequest& request) {
  RunOutcome outcome;
  std::optional<RecordedRun> recorded;
  std::optional<ResumedResults> resumed;
  std::optional<ResultsFile> file;
  std::optional<LockedSink> locked;
  ResultsFileOptions options;
  options.flush_every_frame = study.settings().output.flush_every_frame.value_or(false);
  if (request.resume)
    locked.emplace(resumed.emplace(recorded.emplace(*request.file), options));
  else if (request.file)
    locked.emplace(file.emplace(*request.file, options));
  else
    outcome.record = std::make_shared<KeptRecord>();
  RecordSink& kept = locked ? static_cast<RecordSink&>(*locked) : outcome.record->memory;
  AnnotatedSink sink(kept, request.attributes);
  Watch watch(request.progress, request.progress_interval);
  const Customize customize = make_customize(study.model(), request.laws, request.forces);
  try {
    const py::gil_scoped_release free;
    const ThreadScope threads(request.threads > 0 ? request.threads : count_allowed_cores());
    Simulation simulation(study, customize);
    const ProgressCallback told = [&](const Progress& progress) { return watch(progress); };
    if (recorded) recorded->require_same(simulation);
    outcome.summary = recorded && recorded->checkpoint() ? simulation.resume(sink, recorded->checkpoint()->memory, told)
                                                         : simulation.run(sink, told);
  } catch (const py::error_already_set& error) {
    if (!sink.is_open()) throw;  // before the first frame: there is nothing to keep
    const std::string what = error.value() ? py::str(error.type().attr("__name__")).cast<std::string>() : "exception";
    outcome.summary.stop = "stopped by " + what + " from Python";
    sink.end(unfinished(outcome.summary.stop));
    outcome.error = error.value();
    if (error.trace()) outcome.error.attr("__traceback__") = error.trace();
  }
  return outcome;
}

}  // namespace trammel::python
