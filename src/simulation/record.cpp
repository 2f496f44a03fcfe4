// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "trammel/base/text.h"
#include "trammel/simulation/channels.h"

namespace trammel {

namespace {

int total_width(const std::vector<RecordGroup>& groups) {
  int width = 0;
  for (const RecordGroup& group : groups) width += group.width();
  return width;
}

void check_group(const RecordGroup& group, const std::string& folder, std::set<std::string>& paths,
                 std::vector<Issue>& issues) {
  const std::string where = "record group '" + group.path + "'";
  if (group.path.rfind(folder, 0) != 0 || group.path.size() == folder.size() ||
      group.path.find('/', folder.size()) != std::string::npos)
    issues.push_back({where, "the path must be '" + folder + "' followed by one word"});
  if (group.path == folder + "time") issues.push_back({where, "'time' is written always and cannot be a quantity"});
  if (!paths.insert(group.path).second) issues.push_back({where, "the path is used twice"});
  std::set<std::string> names;
  for (const std::string& name : group.names)
    if (!names.insert(name).second) issues.push_back({where, "the name '" + name + "' is used twice"});
  std::set<std::string> components;
  for (const std::string& component : group.components)
    if (!components.insert(component).second)
      issues.push_back({where, "the component '" + component + "' is used twice"});
  if (!group.item_units.empty() && group.item_units.size() != group.names.size())
    issues.push_back({where, fmt::format("{} item units for {} names", group.item_units.size(), group.names.size())});
  if (group.view.empty()) return;
  static const std::set<std::string> reserved{"time", "frames", "solver", "names", "units", "model", "summary"};
  const std::size_t second = group.view.find('/', 1);
  if (group.view[0] != '/' || group.view.find("{name}") == std::string::npos)
    issues.push_back({where, "the view '" + group.view + "' must start with '/' and contain '{name}'"});
  else if (second == std::string::npos || reserved.count(group.view.substr(1, second - 1)))
    issues.push_back({where, "the view '" + group.view + "' must lie in a folder of its own, not in " +
                                 join_quoted(std::vector<std::string>(reserved.begin(), reserved.end()))});
}

}  // namespace

RecordGroup RecordGroup::scalar(std::string path, std::string unit, std::string description) {
  RecordGroup group;
  group.path = std::move(path);
  group.names = {group.quantity()};
  group.unit = std::move(unit);
  group.description = std::move(description);
  return group;
}

std::string RecordGroup::quantity() const { return path.substr(path.rfind('/') + 1); }

const std::string& RecordGroup::unit_of(int item) const {
  return item_units.empty() ? unit : item_units[static_cast<std::size_t>(item)];
}

int RecordSchema::frame_width() const { return total_width(frames); }
int RecordSchema::step_width() const { return total_width(solver); }

TablePlace RecordSchema::find_table(std::string_view path) const {
  for (const bool in_solver : {false, true}) {
    const std::vector<RecordGroup>& groups = in_solver ? solver : frames;
    int column = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (groups[g].path == path) return {in_solver, static_cast<int>(g), column, groups[g].width()};
      column += groups[g].width();
    }
  }
  return {};
}

std::vector<Issue> RecordSchema::issues() const {
  std::vector<Issue> issues;
  std::set<std::string> paths, views;
  for (const RecordGroup& group : frames) check_group(group, "/frames/", paths, issues);
  for (const RecordGroup& group : solver) check_group(group, "/solver/", paths, issues);
  for (const std::vector<RecordGroup>* groups : {&frames, &solver})
    for (const RecordGroup& group : *groups)
      if (!group.view.empty() && !views.insert(group.view).second)
        issues.push_back({"record group '" + group.path + "'", "the view '" + group.view + "' is used twice"});
  return issues;
}

void MemoryRecord::begin(const RecordSchema& schema) {
  if (std::vector<Issue> issues = schema.issues(); !issues.empty()) throw InputError(std::move(issues));
  schema_ = schema;
  frame_width_ = schema.frame_width();
  step_width_ = schema.step_width();
  ended_ = false;
  summary_.clear();
  for (std::vector<double>* rows : {&times_, &step_times_, &frames_, &steps_}) rows->clear();
  times_.reserve(static_cast<std::size_t>(reserve_frames_));
  step_times_.reserve(static_cast<std::size_t>(reserve_steps_));
  frames_.reserve(static_cast<std::size_t>(reserve_frames_) * static_cast<std::size_t>(frame_width_));
  steps_.reserve(static_cast<std::size_t>(reserve_steps_) * static_cast<std::size_t>(step_width_));
}

void MemoryRecord::frame(double t, std::span<const double> values) {
  if (std::ssize(values) != frame_width_)
    throw Error(fmt::format("a frame has {} values, the schema says {}", values.size(), frame_width_));
  times_.push_back(t);
  frames_.insert(frames_.end(), values.begin(), values.end());
}

void MemoryRecord::step(double t, std::span<const double> values) {
  if (std::ssize(values) != step_width_)
    throw Error(fmt::format("a step has {} values, the schema says {}", values.size(), step_width_));
  step_times_.push_back(t);
  steps_.insert(steps_.end(), values.begin(), values.end());
}

std::string text_of(const SummaryValue& value) {
  struct Write {
    std::string operator()(bool x) const { return x ? "true" : "false"; }
    std::string operator()(long x) const { return std::to_string(x); }
    std::string operator()(double x) const { return fmt::format("{}", x); }
    std::string operator()(const std::string& x) const { return x; }
  };
  return std::visit(Write{}, value);
}

std::map<std::string, std::string> texts_of(const SummaryEntries& summary) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, value] : summary) texts[name] = text_of(value);
  return texts;
}

void MemoryRecord::end(const SummaryEntries& summary) {
  summary_ = summary;
  ended_ = true;
}

std::span<const double> MemoryRecord::frame_values(int row) const {
  const auto width = static_cast<std::size_t>(frame_width_);
  return std::span(frames_).subspan(static_cast<std::size_t>(row) * width, width);
}

std::span<const double> MemoryRecord::step_values(int row) const {
  const auto width = static_cast<std::size_t>(step_width_);
  return std::span(steps_).subspan(static_cast<std::size_t>(row) * width, width);
}

Series MemoryRecord::read(std::string_view name) const {
  const ChannelPlace place = ChannelIndex(schema_).find(name);
  const std::vector<RecordGroup>& groups = place.solver ? schema_.solver : schema_.frames;
  const RecordGroup& group = groups[static_cast<std::size_t>(place.group)];
  Series series{
      std::string(name), group.components, group.unit_of(place.item), place.solver ? step_times_ : times_, {}};
  if (place.component >= 0) series.components = {group.components[static_cast<std::size_t>(place.component)]};
  const auto rows = static_cast<Eigen::Index>(series.time.size());
  series.values.resize(rows, place.n_columns);
  for (int row = 0; row < rows; ++row) {
    const std::span<const double> values = place.solver ? step_values(row) : frame_values(row);
    for (int c = 0; c < place.n_columns; ++c)
      series.values(row, c) = values[static_cast<std::size_t>(place.column + c)];
  }
  return series;
}

}  // namespace trammel
