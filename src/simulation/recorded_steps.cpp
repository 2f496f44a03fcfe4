// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/recorded_steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "trammel/simulation/settings_text.h"

namespace trammel {

namespace {

constexpr const char* needed[] = {"h", "order", "accepted_iterations", "linearizations", "factorizations", "end"};

std::string attribute_of(const RecordSchema& schema, const std::string& key) {
  const auto found = schema.attributes.find(key);
  return found == schema.attributes.end() ? "" : found->second;
}

// Of a value in the words of a model file: 1e-5, not "radau", true or a list.
bool is_number(const std::string& value) {
  return !value.empty() && std::string_view("+-.0123456789").find(value[0]) != std::string_view::npos;
}

// What of the settings makes steps what they are.
bool shapes_steps(const std::string& key) {
  return key.starts_with("solver") || key.starts_with("phase") || key == "analysis.kind" || key == "analysis.start" ||
         key == "analysis.end" || key == "analysis.start_from";
}

}  // namespace

RecordedSteps::RecordedSteps(std::string source, const RecordSchema& schema, std::span<const double> times,
                             const std::function<std::vector<double>(const std::string& path)>& column)
    : source_(std::move(source)), settings_(attribute_of(schema, "settings")) {
  for (const RecordGroup& group : schema.frames) names_[group.path] = group.names;
  const auto read = [&](const std::string& name) {
    const std::string path = "/solver/" + name;
    const TablePlace place = schema.find_table(path);
    return place && place.width > 0 ? column(path) : std::vector<double>();
  };
  std::map<std::string, std::vector<double>> columns;
  std::string missing;
  for (const char* name : needed) {
    columns[name] = read(name);
    if (columns[name].size() < times.size()) missing += fmt::format("{}'solver.{}'", missing.empty() ? "" : ", ", name);
  }
  if (!missing.empty())
    throw InputError(
        fmt::format("the steps of '{}' cannot be repeated: it does not hold {}. Results of this version do, unless "
                    "output.channels leaves them out",
                    source_, missing));
  for (const char* name : {"stages", "charts_moved", "trial", "trial_behind", "by_other", "phase"})
    columns[name] = read(name);
  const auto at = [&](const char* name, std::size_t row) {
    const std::vector<double>& values = columns[name];
    return row < values.size() && values[row] == values[row] ? values[row] : 0.0;  // of another phase: none
  };
  const auto count = [&](const char* name, std::size_t row) { return static_cast<int>(at(name, row)); };
  for (std::size_t i = 0; i < times.size(); ++i) {
    Step step;
    step.h = at("h", i), step.t = times[i];
    step.order = count("order", i), step.iterations = count("accepted_iterations", i);
    step.linearizations = count("linearizations", i), step.factorizations = count("factorizations", i);
    step.stages = count("stages", i), step.moves_charts = at("charts_moved", i) != 0.0;
    step.course = {.end = static_cast<StepEnd>(std::clamp(count("end", i), 0, 2)),
                   .trial = at("trial", i),
                   .trial_behind = at("trial_behind", i),
                   .by_other = at("by_other", i) != 0.0};
    step.phase = count("phase", i);
    steps_.push_back(step);
  }
  if (steps_.empty()) throw InputError(fmt::format("the steps of '{}' cannot be repeated: it has none", source_));
}

RecordedSteps::RecordedSteps(std::string source, const MemoryRecord& record)
    : RecordedSteps(std::move(source), record.schema(), record.step_times(), [&record](const std::string& path) {
        const TablePlace place = record.schema().find_table(path);
        std::size_t offset = 0;
        for (int g = 0; g < place.group; ++g) offset += static_cast<std::size_t>(record.schema().solver[g].width());
        std::vector<double> values;
        for (std::size_t row = 0; row < record.step_times().size(); ++row)
          values.push_back(record.step_values(static_cast<int>(row))[offset]);
        return values;
      }) {}

std::span<const RecordedSteps::Step> RecordedSteps::steps(int phase) const {
  const auto is_of = [phase](const Step& step) { return step.phase == phase; };
  const auto first = std::find_if(steps_.begin(), steps_.end(), is_of);
  const auto last = std::find_if_not(first, steps_.end(), is_of);
  return {steps_.data() + (first - steps_.begin()), static_cast<std::size_t>(last - first)};
}

RecordedSteps::MethodWords RecordedSteps::method() const {
  const std::map<std::string, std::string> keys = settings_by_key(settings_);
  const auto word = [&](const char* key) {
    const auto found = keys.find(key);
    return found == keys.end() || found->second.size() < 2 ? "" : found->second.substr(1, found->second.size() - 2);
  };
  return {word("solver.integrator"), word("solver.coordinates")};
}

std::vector<Issue> RecordedSteps::differences(const RecordSchema& schema,
                                              const std::function<bool(const std::string& key)>& is_given) const {
  std::vector<Issue> issues;
  const auto add = [&](std::string message) {
    issues.push_back({source_, fmt::format("its steps cannot be repeated: {}", message)});
  };
  const auto recorded = settings_by_key(settings_), now = settings_by_key(attribute_of(schema, "settings"));
  const auto value_in = [](const std::map<std::string, std::string>& keys, const std::string& key) {
    const auto found = keys.find(key);
    return found == keys.end() ? std::string("not given") : found->second;
  };
  const bool same_choice = value_in(recorded, "output.channels") == value_in(now, "output.channels");
  for (const RecordGroup& group : schema.frames) {
    if (!same_choice) break;  // what is recorded does not tell what there is
    const auto other = names_.find(group.path);
    if (other == names_.end() || other->second == group.names) continue;
    const auto missing = [](const std::vector<std::string>& from, const std::vector<std::string>& in) {
      for (const std::string& name : from)
        if (std::find(in.begin(), in.end(), name) == in.end()) return name;
      return std::string();
    };
    const std::string table = group.path.substr(group.path.rfind('/') + 1);
    const std::string here = missing(group.names, other->second), there = missing(other->second, group.names);
    if (!here.empty())
      add(fmt::format("this machine has '{}' ({}), which it has not", here, table));
    else if (!there.empty())
      add(fmt::format("it has '{}' ({}), which this machine has not", there, table));
    else
      add(fmt::format("the order of its {} is another one", table));
    return issues;  // the first one says it: others follow from it
  }
  std::vector<std::string> keys;
  for (const auto* list : {&recorded, &now})
    for (const auto& [key, value] : *list)
      if (shapes_steps(key) && std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  for (const std::string& key : keys) {
    const std::string was = value_in(recorded, key), is = value_in(now, key);
    const bool follows = is_number(was) && is_number(is) && !key.starts_with("analysis") && !is_given(key);
    if (was != is && !follows) add(fmt::format("'{}' was {}, and is {} here", key, was, is));
  }
  return issues;
}

}  // namespace trammel
