// SPDX-License-Identifier: Apache-2.0
#include "trammel/io/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "results_tables.h"
#include "trammel/io/recorded_run.h"
#include "trammel/io/starting_frame.h"
#include "trammel/simulation/option.h"

namespace trammel {

namespace {

// A cure has helped when it is this part of the run's span past the place.
constexpr double far_past = 0.02;
// And this many fixed steps.
constexpr double some_steps = 3.0;
// A cure may take so many steps; more is none.
constexpr long most_steps = 20000;

std::string text_entry(const ResultsReader& reader, const std::string& key) {
  const auto found = reader.summary().find(key);
  return found == reader.summary().end() ? "" : text_of(found->second);
}

// Rows of a table behind the checkpoint that are not those of the run again; empty: all are.
std::string compare_rows(const ResultsReader& reader, const MemoryRecord& again, bool solver, std::int64_t before) {
  const std::vector<RecordGroup>& groups = solver ? reader.schema().solver : reader.schema().frames;
  const std::vector<double>& times = solver ? reader.step_times() : reader.times();
  const std::vector<double>& now = solver ? again.step_times() : again.times();
  const char* const what = solver ? "step" : "frame";
  const std::int64_t n = std::ssize(times) - before;
  if (n != std::ssize(now)) return fmt::format("{} {}s instead of {}", now.size(), what, n);
  std::size_t column = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto width = static_cast<std::size_t>(groups[g].width());
    std::vector<double> rows(static_cast<std::size_t>(n) * width);
    reader.read_rows(solver, static_cast<int>(g), before, n, rows);
    for (std::size_t r = 0; r < static_cast<std::size_t>(n); ++r) {
      const auto values = solver ? again.step_values(static_cast<int>(r)) : again.frame_values(static_cast<int>(r));
      if (std::memcmp(values.data() + column, rows.data() + r * width, width * sizeof(double)) != 0)
        return fmt::format("{} of the {} at t = {:.10g} s", groups[g].path, what, now[r]);
    }
    column += width;
  }
  return "";
}

void repeat(const RecordedRun& run, ReplayReport& report) {
  Simulation simulation(run.read_study());
  report.from = *simulation.settings().analysis.start;
  MemoryRecord again;
  Summary summary;
  std::int64_t frames = 0, steps = 0;
  if (const auto& checkpoint = run.checkpoint()) {
    report.from = checkpoint->t, frames = checkpoint->n_frames, steps = checkpoint->n_steps;
    summary = simulation.resume(again, checkpoint->memory);
  } else {
    summary = simulation.run(again);
  }
  report.failure = summary.failure;
  report.n_frames = std::ssize(again.times()), report.n_steps = std::ssize(again.step_times());
  if (summary.failure != text_entry(run.reader(), "failure"))
    report.difference = summary.failure.empty() ? "it does not fail: " + summary.stop : "it fails differently";
  if (report.difference.empty()) report.difference = compare_rows(run.reader(), again, true, steps);
  if (report.difference.empty()) report.difference = compare_rows(run.reader(), again, false, frames);
  report.repeated = report.difference.empty();
}

// One change each, what costs least first. Settings that say nothing else than the run's own are left out.
std::vector<std::vector<std::string>> list_cures(const Settings& run) {
  const SolverOptions& o = run.solver;
  std::vector<std::vector<std::string>> cures;
  if (o.h) {
    for (const double part : {0.5, 0.1}) cures.push_back({fmt::format("solver.h={}", part * *o.h)});
    cures.push_back({"solver.h="});
  } else {
    for (const double factor : {0.01, 100.0})
      cures.push_back({fmt::format("solver.rtol={}", factor * o.rtol.value_or(1e-5)),
                       fmt::format("solver.atol={}", factor * o.atol.value_or(1e-5))});
    if (o.hmin) cures.push_back({fmt::format("solver.hmin={}", 1e-3 * *o.hmin)});
  }
  cures.push_back({"solver.max_iterations=40"});
  const auto others = [&](const std::string& key, const auto& words, const std::string& own,
                          std::initializer_list<const char*> wanted) {
    for (const auto& word : words)
      if (word.name != own && std::find(wanted.begin(), wanted.end(), word.name) != wanted.end())
        cures.push_back({key + "=\"" + word.name + "\""});
  };
  if (o.integrator)
    others("solver.integrator", words_of<Integrator>(), word_of(*o.integrator),
           {"radau", "bdf", "generalized_alpha", "runge_kutta"});
  if (o.formulation)
    others("solver.formulation", words_of<Formulation>(), word_of(*o.formulation), {"stabilized_index2", "index3"});
  if (o.coordinates)
    others("solver.coordinates", words_of<CoordinateSet>(), word_of(*o.coordinates), {"absolute", "joint"});
  others("solver.scaling.kind", words_of<ScalingKind>(), o.scaling.kind ? word_of(*o.scaling.kind) : "",
         {"none", "physical"});
  others("solver.linear_solver", words_of<LinearSolverKind>(), o.linear_solver ? word_of(*o.linear_solver) : "",
         {"dense", "sparse_lu"});
  return cures;
}

std::string join_settings(const std::vector<std::string>& settings) {
  std::string text;
  for (const std::string& setting : settings) text += (text.empty() ? "" : " ") + setting;
  return text;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

Cure try_cure(const RecordedRun& run, const std::vector<std::string>& settings, const StartingPoint& from,
              double until) {
  Cure cure{join_settings(settings), false, {}};
  std::vector<std::string> all{fmt::format("analysis.start={}", from.t), fmt::format("analysis.end={}", until)};
  all.insert(all.end(), settings.begin(), settings.end());
  try {
    Study study = run.read_study(all).take();
    study.start = from;
    MemoryRecord record;
    const Summary summary = Simulation(study).run(record, [](const Progress& p) { return p.steps < most_steps; });
    cure.helped = summary.completed;
    cure.outcome = summary.completed ? fmt::format("gets past it, {} steps", summary.steps)
                   : summary.failure.empty()
                       ? fmt::format("is at t = {:.6g} s after {} steps", summary.t, summary.steps)
                       : summary.stop;
  } catch (const InputError& error) {
    cure.outcome =
        "means nothing here: " + first_line(error.issues().empty() ? error.what() : error.issues()[0].message);
  }
  return cure;
}

double time_of_failure(const ResultsReader& reader) { return std::strtod(text_entry(reader, "t").c_str(), nullptr); }

// The last one before t, from which cures are tried; the first one if there is none.
std::int64_t find_last_frame(const ResultsReader& reader, double t) {
  const std::vector<double>& times = reader.times();
  return std::max<std::int64_t>(0, std::lower_bound(times.begin(), times.end(), t) - times.begin() - 1);
}

void require_failure(const RecordedRun& run) {
  const ResultsReader& reader = run.reader();
  if (text_entry(reader, "failure").empty())
    throw InputError(fmt::format("the run of '{}' did not fail{}", reader.path().string(),
                                 reader.summary().empty() ? ": it did not end; `trammel run --resume` goes on with it"
                                                          : ": " + text_entry(reader, "stop")));
}

}  // namespace

void write_capsule(const std::filesystem::path& results, const std::filesystem::path& capsule) {
  const RecordedRun run(results);
  require_failure(run);
  const ResultsReader& reader = run.reader();
  std::optional<ResultsCheckpoint> checkpoint = run.checkpoint();
  RecordSchema schema = reader.schema();
  schema.files = reader.read_files();
  schema.checkpoints = checkpoint.has_value();
  RowRange frames{0, reader.n_frames()}, steps{0, reader.n_steps()};
  if (checkpoint) {
    frames.begin = std::min(find_last_frame(reader, time_of_failure(reader)), checkpoint->n_frames);
    steps.begin = checkpoint->n_steps;
  }
  ResultsFile file(capsule);
  file.begin(schema);
  copy_rows_between(reader, frames, steps, schema, file);
  if (checkpoint) {
    checkpoint->n_frames -= frames.begin, checkpoint->n_steps -= steps.begin;
    file.keep_checkpoint(std::move(*checkpoint));
  }
  file.end({reader.summary().begin(), reader.summary().end()});
}

ReplayReport replay_failure(const std::filesystem::path& results) {
  const RecordedRun run(results);
  require_failure(run);
  ReplayReport report;
  report.t = time_of_failure(run.reader());
  repeat(run, report);
  return report;
}

void try_cures(const std::filesystem::path& results, ReplayReport& report,
               const std::function<void(const Cure&)>& watch) {
  const RecordedRun run(results);
  const Simulation own(run.read_study());
  const Settings& settings = own.settings();
  const double span = *settings.analysis.end - *settings.analysis.start;
  const std::int64_t last = find_last_frame(run.reader(), report.t);
  const StartingPoint from = read_starting_point(results, run.reader().times()[static_cast<std::size_t>(last)]);
  report.cures_from = from.t;
  const double past = std::max(far_past * span, some_steps * settings.solver.h.value_or(0.0));
  report.cures_until = std::min(*settings.analysis.end, report.t + past);
  for (const std::vector<std::string>& each : list_cures(settings)) {
    report.cures.push_back(try_cure(run, each, from, report.cures_until));
    if (watch) watch(report.cures.back());
  }
}

}  // namespace trammel
