// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "commands.h"
#include "messages.h"
#include "trammel/io/results_reader.h"
#include "trammel/io/summary_json.h"
#include "trammel/simulation/channels.h"

namespace trammel::apps {

namespace {

constexpr std::size_t names_shown = 12;

void print_line(const std::string& name, const std::string& value) { fmt::print("    {:<16}: {}\n", name, value); }

std::string attribute_or(const ResultsReader& reader, const std::string& key, const std::string& otherwise) {
  const auto& attributes = reader.schema().attributes;
  const auto it = attributes.find(key);
  return it == attributes.end() || it->second.empty() ? otherwise : it->second;
}

// "crank, rod, slider" or "link1, …, link12 and 988 more".
std::string list_names(const std::vector<std::string>& names) {
  std::string text;
  const std::size_t shown = names.size() <= names_shown + 1 ? names.size() : names_shown;
  for (std::size_t i = 0; i < shown; ++i) text += (i > 0 ? ", " : "") + names[i];
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

// Where a person finds the items: "bodies" of "/bodies/{name}/position"; without a view the folder of the path.
std::string family(const RecordGroup& group) {
  const std::string& path = group.view.empty() ? group.path : group.view;
  const std::size_t end = path.find('/', 1);
  return path.substr(1, end == std::string::npos ? end : end - 1);
}

std::string bracketed(const std::string& unit) { return unit.empty() ? "" : " [" + unit + "]"; }

// Items that have a unit of their own say it behind their name.
std::vector<std::string> item_labels(const RecordGroup& group) {
  std::vector<std::string> labels = group.names;
  if (!group.item_units.empty())
    for (int i = 0; i < group.n_items(); ++i) labels[i] += bracketed(group.unit_of(i));
  return labels;
}

bool is_one_per_item(const RecordGroup& group) {  // "/energy/{name}": the item is the channel
  return group.view.size() >= 6 && group.view.compare(group.view.size() - 6, 6, "{name}") == 0;
}

void print_family(const std::string& name, const std::vector<const RecordGroup*>& groups) {
  std::vector<std::string> items;
  for (const RecordGroup* group : groups)
    if (group->names.size() > items.size()) items = item_labels(*group);
  if (groups.size() == 1 && is_one_per_item(*groups[0])) {
    const std::string unit = groups[0]->item_units.empty() ? bracketed(groups[0]->unit) : "";
    fmt::print("    {:<16}: {}{}\n", name, list_names(items), unit);
    return;
  }
  fmt::print("    {:<16}: {}\n", name, list_names(items));
  for (const RecordGroup* group : groups) {
    std::string components;
    for (const std::string& component : group->components) components += (components.empty() ? "" : " ") + component;
    const std::string which = group->names.size() < items.size() ? "  only " + list_names(group->names) : "";
    fmt::print("        .{:<21}{:<14}{}{}\n", group->quantity(), components,
               group->unit.empty() ? "" : "[" + group->unit + "]", which);
  }
}

void print_channels(const RecordSchema& schema) {
  std::vector<std::pair<std::string, std::vector<const RecordGroup*>>> families;
  for (const RecordGroup& group : schema.frames) {
    const std::string name = family(group);
    auto it = std::find_if(families.begin(), families.end(), [&](const auto& f) { return f.first == name; });
    if (it == families.end()) it = families.insert(families.end(), {name, {}});
    it->second.push_back(&group);
  }
  std::string example;
  if (!schema.frames.empty()) {
    const RecordGroup& group = schema.frames.front();
    example = channel_name(group, 0) + (group.components.empty() ? "" : "." + group.components[0]);
  }
  fmt::print("channels, for example {} (`trammel info --channels` lists every one)\n", example);
  for (const auto& [name, groups] : families) print_family(name, groups);
  std::vector<std::string> solver;
  for (const RecordGroup& group : schema.solver) solver.push_back(group.quantity() + bracketed(group.unit));
  if (!solver.empty()) print_line("solver", list_names(solver));
}

std::string state_text(ResultsState state) {
  if (state == ResultsState::closed) return "closed";
  return fmt::format("{}, {}", state == ResultsState::running ? "running" : "interrupted", describe(state));
}

void print_summary(const ResultsReader& reader) {
  if (reader.summary().empty()) {
    fmt::print("summary: none, the run did not end{}\n",
               reader.state() == ResultsState::interrupted ? "; `trammel repair` makes a clean copy" : " yet");
    return;
  }
  const auto print = [](const std::string& key, const std::string& value) {
    std::string indented;
    for (const char c : value) indented += c == '\n' ? "\n    " + std::string(20, ' ') : std::string(1, c);
    fmt::print("    {:<18}: {}\n", key, indented);
  };
  // Why it ended comes first, the rest by name.
  const std::vector<std::string> first{"stop", "failure"};
  fmt::print("summary\n");
  for (const std::string& key : first)
    if (const auto it = reader.summary().find(key); it != reader.summary().end()) print(key, text_of(it->second));
  for (const auto& [key, value] : reader.summary())
    if (std::find(first.begin(), first.end(), key) == first.end()) print(key, text_of(value));
}

void put_channels(JsonWriter& json, std::span<const RecordGroup> groups) {
  for (const RecordGroup& group : groups)
    for (int i = 0; i < group.n_items(); ++i)
      json.begin_object()
          .key("name")
          .text(channel_name(group, i))
          .key("unit")
          .text(group.unit_of(i))
          .key("components")
          .texts(group.components)
          .end_object();
}

std::string describe_results(const InfoCommand& command, const ResultsReader& reader) {
  JsonWriter json;
  json.begin_object().key("file").text(command.file.string());
  for (const char* key : {"title", "model_file", "created", "trammel_version", "command"})
    json.key(key).text(attribute_or(reader, key, ""));
  const char* const states[] = {"closed", "running", "interrupted"};
  json.key("state").text(states[static_cast<int>(reader.state())]);
  const std::vector<double>& times = reader.times();
  json.key("time").numbers(times.empty() ? std::vector<double>{} : std::vector<double>{times.front(), times.back()});
  json.key("frames").number(static_cast<double>(reader.n_frames()));
  json.key("steps").number(static_cast<double>(reader.n_steps())).key("damaged").begin_array();
  for (const DamagedPart& part : reader.damaged())
    json.begin_object().key("part").text(part.part).key("trouble").text(part.trouble).end_object();
  json.end_array().key("left_out").text(describe_left_out(reader.schema())).key("channels").begin_array();
  put_channels(json, reader.schema().frames);
  put_channels(json, reader.schema().solver);
  json.end_array().key("summary");
  put_entries(json, reader.summary());
  if (command.model) json.key("model").text(attribute_or(reader, "model", ""));
  return json.end_object().str();
}

}  // namespace

int info(const InfoCommand& command) {
  require_file(command.file);
  const ResultsReader reader(command.file);
  if (command.json != nullptr) {
    command.json->result = describe_results(command, reader);
    return success;
  }
  if (command.channels) {
    for (const std::string& channel : reader.channels()) fmt::print("{}\n", channel);
    return success;
  }
  if (command.model) {
    fmt::print("{}", attribute_or(reader, "model", ""));
    return success;
  }
  fmt::print("{}\n", command.file.string());
  print_line("title", attribute_or(reader, "title", "(none)"));
  print_line("model", attribute_or(reader, "model_file", "(not recorded)"));
  print_line("made", fmt::format("{} by trammel {}", attribute_or(reader, "created", "at an unknown time"),
                                 attribute_or(reader, "trammel_version", "of unknown version")));
  print_line("command", attribute_or(reader, "command", "(not recorded)"));
  print_line("state", state_text(reader.state()));
  const std::vector<double>& times = reader.times();
  print_line("time",
             times.empty() ? "nothing recorded" : fmt::format("{:.6g} … {:.6g} s", times.front(), times.back()));
  print_line("frames", fmt::format("{}", reader.n_frames()));
  if (const std::string text = describe_left_out(reader.schema()); !text.empty()) print_line("left out", text);
  print_line("steps", fmt::format("{}", reader.n_steps()));
  for (const DamagedPart& part : reader.damaged()) print_line("damaged", part.part + ": " + part.trouble);
  print_channels(reader.schema());
  print_summary(reader);
  return success;
}

}  // namespace trammel::apps
