// SPDX-License-Identifier: Apache-2.0
#include "sweep_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "messages.h"
#include "trammel/base/sha256.h"
#include "trammel/io/source_file.h"
#include "trammel/io/text_file.h"

namespace trammel::apps {

namespace {

constexpr std::array<const char*, 6> costs{"stop",      "steps",        "iterations",
                                           "wall_time", "energy_drift", "position_drift"};

}  // namespace

std::vector<std::string> PresentSources::list_changed(const std::string& recorded) {
  std::vector<std::string> changed;
  std::istringstream lines(recorded);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t gap = line.find("  ");
    if (gap == std::string::npos)
      changed.push_back(line);
    else if (digest(line.substr(gap + 2)) != line.substr(0, gap))
      changed.push_back(line.substr(gap + 2));
  }
  return changed;
}

const std::string& PresentSources::digest(const std::string& name) {
  const auto [it, is_new] = digests_.try_emplace(name);
  if (!is_new) return it->second;
  std::string text;
  const std::string trouble = read_source(folder_ / name, text);
  std::error_code ignored;
  if (!trouble.empty() && std::filesystem::exists(folder_ / name, ignored)) {
    digests_.erase(it);
    throw IoError(fmt::format("cannot read '{}': {}", (folder_ / name).string(), trouble));
  }
  if (trouble.empty()) it->second = sha256(text);
  return it->second;
}

bool CaseResults::are_of(const ResultsReader& reader, const Case& one) {
  const auto& attributes = reader.schema().attributes;
  const auto given = attributes.find("set"), files = attributes.find("sources"), text = attributes.find("model");
  return given != attributes.end() && given->second == join_lines(one.settings) && text != attributes.end() &&
         text->second == model_ && files != attributes.end() && sources_.are(files->second);
}

// A run that failed has no way on from its checkpoint; whatever else it is, it is written anew.
CaseResults::State CaseResults::look_at(const Case& one) {
  std::error_code ignored;
  if (!std::filesystem::exists(one.results, ignored)) return State::none;
  try {
    const ResultsReader reader(one.results);
    if (!are_of(reader, one)) return State::none;
    const auto completed = reader.summary().find("completed"), failure = reader.summary().find("failure");
    if (reader.state() == ResultsState::closed && completed != reader.summary().end() &&
        completed->second == SummaryValue(true))
      return State::done;
    std::string trouble;
    const bool failed = failure != reader.summary().end() && !text_of(failure->second).empty();
    return !failed && reader.read_checkpoint(trouble) ? State::open : State::none;
  } catch (const Error&) {
    return State::none;
  }
}

OutputKind CaseTable::kind() { return text_kind("a table of a sweep of Trammel", {"case,", "case\n"}); }

CaseTable::CaseTable(const std::vector<std::string>& keys, CaseResults& results) : results_(results), head_(keys) {
  head_.insert(head_.end(), costs.begin(), costs.end());
}

void CaseTable::add(const Case& one) {
  Line line;
  for (const std::string& setting : one.settings) line.cells.push_back(setting.substr(setting.find('=') + 1));
  const std::size_t before = line.cells.size();
  try {
    if (one.code < 0)
      line.cells.emplace_back(one.code == Case::elsewhere ? "under way" : "not run");
    else
      add_numbers(one, line);
  } catch (const Error& error) {
    complain("trammel: error: case {}: {}\n", lines_.size() + 1, error.what());
    line.cells.resize(before);
    std::string reason = error.what();
    std::replace(reason.begin(), reason.end(), '\n', ' ');
    line.cells.push_back("unreadable: " + reason);
    line.own = false;
    if (one.code == success) ++n_unreadable_;
  }
  lines_.push_back(std::move(line));
}

void CaseTable::write(const std::filesystem::path& path) const {
  TextFile file(path, kind());
  const auto put = [&](const std::string& first, const std::vector<std::string>& cells) {
    file.write(first);
    for (const std::string& cell : cells) file.write("," + csv_field(cell));
    file.write("\n");
  };
  put("case", head_);
  for (std::size_t i = 0; i < lines_.size(); ++i) put(fmt::format("{}", i + 1), lines_[i].cells);
  file.close();
}

SweepReport CaseTable::to_report(const std::vector<Case>& cases,
                                 const std::function<std::filesystem::path(const Case&)>& page_of) const {
  SweepReport report;
  report.columns = head_;
  report.n_settings = static_cast<int>(head_.size() - costs.size()) - n_measured_;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SweepReport::Case one{lines_[i].cells, {}, {}, cases[i].code == success};
    if (lines_[i].own) one.results = cases[i].results.filename(), one.page = page_of(cases[i]);
    report.cases.push_back(std::move(one));
  }
  return report;
}

void CaseTable::add_numbers(const Case& one, Line& line) {
  const char* nothing = one.code == wrong_input ? "refused"
                        : one.stopped()         ? "stopped before the first frame"
                                                : "failed before the first frame";
  std::error_code error;
  const auto found = std::filesystem::status(one.results, error).type();
  if (one.code == wrong_input || (one.code != success && found == std::filesystem::file_type::not_found))
    return line.cells.emplace_back(nothing), void();
  const ResultsReader reader(one.results);
  line.own = results_.are_of(reader, one);
  if (!line.own && one.code == success) throw IoError("its model changed while it ran");
  if (!line.own) return line.cells.emplace_back(nothing), void();
  for (const char* cost : costs) {
    const auto it = reader.summary().find(cost);
    line.cells.push_back(it == reader.summary().end() ? "" : text_of(it->second));
  }
  const std::size_t before = head_.size();
  for (const RecordGroup& group : reader.schema().frames) {
    if (group.quantity() != "measure") continue;
    for (const std::string& name : group.names) {
      if (n_measured_ == 0)
        for (const char* which : {"end", "min", "max"}) head_.push_back(fmt::format("{} {}", name, which));
      const Series series = reader.read("measures." + name);
      if (series.values.rows() == 0) continue;
      for (const double x :
           {series.values(series.values.rows() - 1, 0), series.values.minCoeff(), series.values.maxCoeff()})
        line.cells.push_back(fmt::format("{}", x));
    }
  }
  if (n_measured_ == 0) n_measured_ = static_cast<int>(head_.size() - before);
}

}  // namespace trammel::apps
