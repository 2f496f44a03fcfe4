// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "commands.h"
#include "live_page.h"
#include "memory.h"
#include "messages.h"
#include "progress.h"
#include "stop_signal.h"
#include "trammel/base/threads.h"
#include "trammel/io/model_reader.h"
#include "trammel/io/output_kinds.h"
#include "trammel/io/recorded_run.h"
#include "trammel/io/report.h"
#include "trammel/io/results_file.h"
#include "trammel/io/source_file.h"
#include "trammel/io/starting_frame.h"
#include "trammel/io/steps_of_results.h"
#include "trammel/simulation/annotated_sink.h"
#include "trammel/simulation/run_ranks.h"
#include "trammel/simulation/simulation.h"

namespace trammel::apps {

namespace {

std::filesystem::path results_path(const RunCommand& command, const Study& study) {
  if (!command.out.empty()) return command.out;
  if (study.output.file && !study.output.file->empty()) return *study.output.file;
  return command.model.stem().concat(".h5");
}

// What only the program knows. `sources` and `set` say what the results were made of; a sweep knows by them which cases
// are done.
std::map<std::string, std::string> annotations(const RunCommand& command, const std::vector<SourceFile>& sources) {
  return {{"model_file", command.model.filename().string()},
          {"command", command.command_line},
          {"set", join_lines(command.settings)},
          {"sources", describe_sources(sources, command.model.parent_path())},
          {"created", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))}};
}

// The page of a run that failed is the one most worth looking at.
std::filesystem::path page_beside(std::filesystem::path results) { return results.replace_extension(".html"); }

void write_page(const std::filesystem::path& results, bool quiet) {
  const std::filesystem::path page = page_beside(results);
  write_report({&results, 1}, page);
  if (!quiet) print_now(fmt::format("Report: {} (open it in a browser)\n", page.string()));
}

// How it ended and its alarms are what should be seen first.
std::string with_colors(const Summary& summary) {
  std::string text = summary.to_text();
  const auto paint = [&](const std::string& mark, const std::string& word, Paint color) {
    for (std::size_t at = 0; (at = text.find(mark, at)) != text.npos;) {
      const std::string seen = painted(color, word, stdout);
      text.replace(at + mark.find(word), word.size(), seen);
      at += mark.size() + seen.size() - word.size();
    }
  };
  paint("\n    ALARM ", "ALARM", Paint::warning);
  if (!summary.stop.empty())
    paint(": " + summary.stop + "\n", summary.stop, summary.completed ? Paint::good : Paint::error);
  return text;
}

void answer(JsonAnswer& answer, const Summary& summary, const std::filesystem::path& path, std::int64_t n_frames,
            bool page) {
  JsonWriter json;
  json.begin_object().key("results").text(path.string()).key("frames").number(static_cast<double>(n_frames));
  json.key("report").text(page ? page_beside(path).string() : "").key("summary");
  put_summary(json, summary);
  answer.result = json.end_object().str();
  if (!summary.failure.empty()) answer.add_error(path.string(), summary.failure);
}

// Runs, or goes on from a memory, and tells how it ended.
int simulate(Simulation& simulation, RecordSink& results, ResultsFile& file, std::span<const std::byte> memory,
             const RunCommand& command, LivePage* live) {
  if (const std::string idle = RunRanks::find_idle(simulation.settings().solver); !idle.empty() && !command.quiet)
    complain("{}\n", idle);
  if (live != nullptr) live->watch(file.path());
  ProgressDisplay display(ProgressDisplay::choose(command.quiet), command.progress_interval);
  const ProgressCallback watch = [&](const Progress& progress) {
    require_memory();
    display.update(progress, file.frames_written());
    if (take_flush_signal()) file.flush();
    if (live != nullptr && file.frames_written() > 0) live->begin();
    return stop_signal() == 0;
  };
  const Summary summary = memory.empty() ? simulation.run(results, watch) : simulation.resume(results, memory, watch);
  display.clear();
  if (live != nullptr && file.frames_written() > 0) live->begin();

  const std::filesystem::path& path = file.path();
  const bool page = command.report && file.frames_written() > 0;
  if (command.json != nullptr) {
    answer(*command.json, summary, path, file.frames_written(), page);
  } else if (!command.quiet) {
    print_now(with_colors(summary));
    print_now(fmt::format("Results: {} ({} frames)\n", path.string(), file.frames_written()));
  }
  if (page) write_page(path, command.quiet || command.json != nullptr);
  if (!summary.failure.empty()) {
    const std::string kept = file.frames_written() > 0
                                 ? fmt::format("kept up to t = {:.6g} s in {}", summary.t, path.string())
                                 : std::string("no frame was recorded; older results of this name are kept");
    std::fputs(fmt::format("{}\n    results     : {}\n", summary.failure, kept).c_str(), stderr);
    return failed_run;
  }
  return summary.completed ? success : 128 + stop_signal();
}

int resume(const RunCommand& command, LivePage* live) {
  require_file(command.resume);
  const RecordedRun run(command.resume);
  if (!command.model.empty()) require_file(command.model), run.require_model(command.model);
  CheckedStudy study = run.read_study(command.end ? run.settings_until(*command.end) : std::vector<std::string>());
  ResultsFileOptions options;
  options.flush_every_frame = study.settings().output.flush_every_frame.value_or(false);
  if (command.report) OutputFile::check(page_beside(command.resume), page_kind());
  Simulation simulation(std::move(study));
  run.require_same(simulation);
  ResumedResults results(run, options);
  std::span<const std::byte> memory;
  if (run.checkpoint()) memory = run.checkpoint()->memory;
  if (!command.quiet && command.json == nullptr)
    print_now(run.checkpoint() ? fmt::format("Resumed at t = {:.6g} s, behind step {}.\n", run.checkpoint()->t,
                                             run.checkpoint()->n_steps)
                               : std::string("It was not yet at its first checkpoint: it begins anew.\n"));
  return simulate(simulation, results, results.file(), memory, command, live);
}

// The run begins when the frame was, unless it is said when.
StartingPoint find_start(RunCommand& command) {
  require_file(command.from);
  StartingPoint point = read_starting_point(command.from, *command.at);
  const bool given = std::any_of(command.settings.begin(), command.settings.end(),
                                 [](const std::string& setting) { return setting.starts_with("analysis.start="); });
  if (!given) command.settings.push_back(fmt::format("analysis.start={}", point.t));
  if (!command.quiet && command.json == nullptr)
    print_now(fmt::format("Begins at the frame of t = {:.6g} s of {}.\n", point.t, command.from.string()));
  return point;
}

}  // namespace

namespace {

int run_new(RunCommand command, LivePage* live) {
  require_file(command.model);
  std::optional<StartingPoint> start;
  if (!command.from.empty()) start = find_start(command);
  const SourceList sources;
  const ReadingNotes notes;
  CheckedStudy study = read_checked_study(command.model, command.settings);
  if (!command.quiet && command.json == nullptr) print_now(join_lines(notes.lines()));
  if (start) {
    Study placed = std::move(study).take();
    placed.start = std::move(start);
    study = std::move(placed);
  }
  if (!command.steps_of.empty()) {
    require_file(command.steps_of);
    Study repeating = std::move(study).take();
    repeating.steps = read_recorded_steps(command.steps_of);
    study = std::move(repeating);
  }
  const std::filesystem::path path = results_path(command, study.study());
  if (command.report) OutputFile::check(page_beside(path), page_kind());
  ResultsFileOptions options;
  options.flush_every_frame = study.settings().output.flush_every_frame.value_or(false);
  ResultsFile file(path, options);
  std::map<std::string, std::string> more = annotations(command, sources.files());
  if (!notes.lines().empty()) more["reading_notes"] = join_lines(notes.lines());
  AnnotatedSink results(file, std::move(more));
  Simulation simulation(std::move(study));
  return simulate(simulation, results, file, {}, command, live);
}

}  // namespace

int run(const RunCommand& command) {
  if (const std::string obstacle = RunRanks::find_obstacle(); !obstacle.empty()) throw InputError(obstacle);
  if (command.report || command.live) require_report_page();
  std::optional<LivePage> live;
  if (command.live) live.emplace(command.port);
  const StopOnSignal signals;
  if (live) print_now(fmt::format("Live: {} (open it in a browser)\n", live->address()));
  LivePage* const page = live ? &*live : nullptr;
  const int code = [&] {
    const ThreadScope threads(command.threads > 0 ? command.threads : count_allowed_cores());
    return command.resume.empty() ? run_new(command, page) : resume(command, page);
  }();
  if (live && stop_signal() == 0 && (code == success || code == failed_run)) {
    print_now(fmt::format("The page stays at {} until Ctrl-C.\n", live->address()));
    wait_for_stop_signal();
  }
  return code;
}

int check(const CheckCommand& command) {
  require_file(command.model);
  const ReadingNotes notes;
  const CheckedStudy study = read_checked_study(command.model, command.settings);
  const CheckReport report = trammel::check(study);
  if (command.json != nullptr) {
    JsonWriter json;
    put_check(json, report);
    command.json->result = json.str();
  } else {
    fmt::print("{}{}", join_lines(notes.lines()), report.to_text());
  }
  // What `run` would refuse is wrong input here too.
  const bool refused =
      !report.failure.empty() ||
      (study.settings().solver.redundant.value_or(RedundancyPolicy::error) == RedundancyPolicy::error &&
       !report.redundant.empty()) ||
      (study.settings().solver.strict.value_or(false) && !report.remarks.empty());
  return refused ? wrong_input : success;
}

}  // namespace trammel::apps
