// SPDX-License-Identifier: Apache-2.0
#include "trammel/io/recorded_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>

#include "results_tables.h"
#include "trammel/base/text.h"
#include "trammel/base/version.h"
#include "trammel/io/model_reader.h"
#include "trammel/io/source_file.h"
#include "trammel/simulation/settings_text.h"

namespace trammel {

namespace {

std::string attribute_or_none(const ResultsReader& reader, const std::string& key) {
  const auto found = reader.schema().attributes.find(key);
  return found == reader.schema().attributes.end() ? "" : found->second;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (!line.empty()) lines.push_back(line);
  return lines;
}

// ": line 3 was 'gravity = [0, 0, -9.81]'", of texts.
std::string describe_change(const std::string& was, const std::string& is) {
  if (was.find('\0') != was.npos || is.find('\0') != is.npos) return "";
  std::istringstream before(was), now(is);
  for (int number = 1;; ++number) {
    std::string old_line, line;
    const bool had = static_cast<bool>(std::getline(before, old_line)),
               has = static_cast<bool>(std::getline(now, line));
    if (!had) return has ? fmt::format(": line {} is new", number) : "";
    if (has && old_line == line) continue;
    constexpr std::size_t enough = 80;
    return fmt::format(": line {} was '{}{}'", number, old_line.substr(0, enough), old_line.size() > enough ? "…" : "");
  }
}

}  // namespace

RecordedRun::RecordedRun(std::filesystem::path results) : reader_(std::move(results)) {
  const std::string quoted = "'" + reader_.path().string() + "'";
  if (reader_.state() == ResultsState::running)
    throw IoError("cannot go on with " + quoted + ": a running simulation is writing it");
  if (attribute_or_none(reader_, "model").empty())
    throw IoError("cannot go on with " + quoted + ": it holds no model (a program made it, which has to go on itself)");
  files_ = reader_.read_files();
  checkpoint_ = reader_.read_checkpoint(trouble_);
}

CheckedStudy RecordedRun::read_study(std::span<const std::string> more) const {
  const std::filesystem::path folder = reader_.path().parent_path();
  const RecordedSources recorded(folder, files_);
  std::vector<std::string> settings = lines_of(attribute_or_none(reader_, "set"));
  settings.insert(settings.end(), more.begin(), more.end());
  std::string name = attribute_or_none(reader_, "model_file");
  if (name.empty()) name = "model.toml";
  const std::string& model = reader_.schema().attributes.at("model");
  const std::string start = attribute_or_none(reader_, "start");
  if (start.empty()) return read_checked_study_text(model, folder / name, settings);
  Study study = read_study_text(model, folder / name, settings);
  study.start = StartingPoint::from_text(start);
  return study;
}

void RecordedRun::require_model(const std::filesystem::path& model) const {
  const CheckedStudy study = read_checked_study(model, lines_of(attribute_or_none(reader_, "set")));
  const std::string other = fmt::format("is not what '{}' is of", reader_.path().string());
  std::vector<Issue> issues;
  const auto compare = [&](const std::string& name, const std::string& was, const std::string& is) {
    if (was != is) issues.push_back({name, other + describe_change(was, is)});
  };
  compare(model.string(), attribute_or_none(reader_, "model"), study.study().text);
  for (const RecordedFile& file : study.study().files) {
    const auto known =
        std::find_if(files_.begin(), files_.end(), [&](const auto& one) { return one.name == file.name; });
    if (known == files_.end())
      issues.push_back({file.name, other});
    else
      compare(file.name, known->bytes, file.bytes);
  }
  if (!issues.empty()) throw InputError(std::move(issues));
}

std::vector<std::string> RecordedRun::settings_until(double end) const {
  const std::map<std::string, std::string> keys = settings_by_key(attribute_or_none(reader_, "settings"));
  std::vector<std::string> settings{fmt::format("analysis.end={}", end)};
  if (const auto before = keys.find("analysis.end"); before != keys.end() && !(std::stod(before->second) < end))
    throw InputError(
        fmt::format("--end {:.6g} s is not later than the end of the recorded run, t = {} s", end, before->second));
  // What follows from the end where nobody gives it.
  for (const char* key : {"output.interval", "solver.hmin", "solver.hmax"})
    if (const auto kept = keys.find(key); kept != keys.end())
      settings.push_back(fmt::format("{}={}", key, kept->second));
  return settings;
}

void RecordedRun::require_same(const Simulation& simulation) const {
  if (!checkpoint_ && !trouble_.empty())
    throw IoError("cannot go on with '" + reader_.path().string() + "': " + trouble_);
  std::vector<Issue> issues;
  const auto add = [&](std::string message) { issues.push_back({reader_.path().string(), std::move(message)}); };
  if (const std::string made_by = attribute_or_none(reader_, "trammel_version"); made_by != version())
    add(fmt::format(
        "was written by version {} of the program, this is {}: results of another version are read, but their "
        "runs go on with that version alone",
        made_by.empty() ? "(unknown)" : made_by, version()));
  if (const std::string other = attribute_or_none(reader_, "steps_of"); !other.empty())
    add(fmt::format("repeats the steps of '{}', which it does not hold: such a run does not go on, repeat it", other));
  const auto before = settings_by_key(attribute_or_none(reader_, "settings"));
  const auto now = settings_by_key(settings_text(simulation.settings()));
  const double end = *simulation.settings().analysis.end;
  for (const auto& [key, value] : before) {
    if (key == "analysis.end" && std::strtod(value.c_str(), nullptr) <= end) continue;
    if (const auto found = now.find(key); found == now.end() || found->second != value)
      add(fmt::format("'{}' was {}, and is {} now", key, value, found == now.end() ? "not given" : found->second));
  }
  for (const auto& [key, value] : now)
    if (!before.count(key)) add(fmt::format("'{}' was not given, and is {} now", key, value));
  const SummaryEntries& summary = reader_.summary();
  const auto stop = summary.find("stop"), completed = summary.find("completed");
  if (completed != summary.end() && stop != summary.end() && text_of(completed->second) == "true") {
    const std::string why = text_of(stop->second);
    const bool by_event = why.starts_with("event");
    if (by_event || !checkpoint_ || !(checkpoint_->t < end))
      add(fmt::format("its run has ended: {}{}", why, by_event ? "" : "; --end gives it a later end"));
  }
  if (!issues.empty()) throw InputError(std::move(issues));
  if (const std::vector<DamagedPart> damaged = verify_results(reader_.path()); !damaged.empty())
    throw IoError(fmt::format("cannot go on with '{}': {} is damaged: {}", reader_.path().string(), damaged[0].part,
                              damaged[0].trouble));
}

ResumedResults::ResumedResults(const RecordedRun& run, ResultsFileOptions options)
    : run_(run), file_(run.reader().path(), options) {}

void ResumedResults::begin(const RecordSchema& schema) {
  const ResultsReader& reader = run_.reader();
  const auto tables_of = [](const std::vector<RecordGroup>& groups) {
    std::vector<std::pair<std::string, int>> tables;
    for (const RecordGroup& group : groups)
      if (group.width() > 0) tables.emplace_back(group.path, group.width());
    return tables;
  };
  if (!reader.damaged().empty() || tables_of(schema.frames) != tables_of(reader.schema().frames) ||
      tables_of(schema.solver) != tables_of(reader.schema().solver))
    throw InputError(fmt::format("'{}' does not hold the tables that this run records{}", reader.path().string(),
                                 reader.damaged().empty() ? "" : ": " + reader.damaged()[0].part + " is damaged"));
  RecordSchema recorded = reader.schema();
  recorded.files = schema.files, recorded.checkpoints = schema.checkpoints;
  for (const char* key : {"settings", "scene"})
    if (schema.attributes.count(key)) recorded.attributes[key] = schema.attributes.at(key);
  const std::optional<ResultsCheckpoint>& checkpoint = run_.checkpoint();
  std::string& resumed = recorded.attributes["resumed"];
  resumed += fmt::format("{}{:.17g}", resumed.empty() ? "" : " ", checkpoint ? checkpoint->t : 0.0);
  waiting_ = std::move(recorded);
}

ResultsFile& ResumedResults::opened() {
  if (!waiting_) return file_;
  const RecordSchema schema = std::move(*waiting_);
  waiting_.reset();
  if (const std::optional<ResultsCheckpoint>& checkpoint = run_.checkpoint())
    file_.go_on(schema, run_.reader(), *checkpoint);
  else
    file_.begin(schema);
  return file_;
}

Summary resume_run(const std::filesystem::path& results, std::optional<double> end, const ProgressCallback& progress) {
  const RecordedRun run(results);
  const std::vector<std::string> more = end ? run.settings_until(*end) : std::vector<std::string>();
  Simulation simulation(run.read_study(more));
  run.require_same(simulation);
  ResumedResults sink(run);
  return run.checkpoint() ? simulation.resume(sink, run.checkpoint()->memory, progress)
                          : simulation.run(sink, progress);
}

}  // namespace trammel
