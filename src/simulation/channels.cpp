// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/channels.h"

#include <fmt/format.h>

#include <algorithm>

#include "trammel/base/text.h"

namespace trammel {

namespace {

const std::string placeholder = "{name}";

std::string replace_name(const std::string& view, const std::string& name) {
  const std::size_t at = view.find(placeholder);
  return view.substr(0, at) + name + view.substr(at + placeholder.size());
}

std::string safe_for_path(const std::string& name) {
  std::string safe = name.empty() ? std::string("_") : name;
  if (safe.find_first_not_of('.') == std::string::npos) safe[0] = '_';
  std::replace(safe.begin(), safe.end(), '/', '_');
  return safe;
}

std::string dotted(std::string path) {
  path.erase(0, path.find_first_not_of('/'));
  std::replace(path.begin(), path.end(), '/', '.');
  return path;
}

// Its only item bears the name of the quantity: the step size, a user's own channel.
bool stands_alone(const RecordGroup& group) {
  return group.n_items() == 1 && group.view.empty() && group.names[0] == group.quantity();
}

ChannelPlace place_of(const RecordGroup& group, bool solver, std::size_t g, int item, int first_column) {
  const int n = group.n_components();
  return {solver, static_cast<int>(g), item, -1, first_column + item * n, n};
}

void append_component(std::vector<ChannelPlace>& places, const RecordSchema& schema, const std::string& component) {
  std::vector<ChannelPlace> kept;
  for (ChannelPlace place : places) {
    const std::vector<RecordGroup>& groups = place.solver ? schema.solver : schema.frames;
    const std::vector<std::string>& components = groups[static_cast<std::size_t>(place.group)].components;
    const auto at = std::find(components.begin(), components.end(), component);
    if (at == components.end()) continue;
    place.component = static_cast<int>(at - components.begin());
    place.column += place.component;
    place.n_columns = 1;
    kept.push_back(place);
  }
  places = kept;
}

}  // namespace

std::string view_path(const RecordGroup& group, int item) {
  return replace_name(group.view, safe_for_path(group.names[static_cast<std::size_t>(item)]));
}

std::string channel_name(const RecordGroup& group, int item) {
  const std::string& name = group.names[static_cast<std::size_t>(item)];
  if (group.view.empty()) {
    const bool frames = group.path.rfind("/frames/", 0) == 0;
    const std::string front = dotted(frames ? group.path.substr(7) : group.path);
    return stands_alone(group) ? front : front + "." + name;
  }
  const std::size_t at = group.view.find(placeholder);
  const bool something_follows = at + placeholder.size() < group.view.size();
  const std::string front = something_follows ? "" : dotted(group.view.substr(0, at));
  std::string behind = group.view.substr(at + placeholder.size());
  std::replace(behind.begin(), behind.end(), '/', '.');
  return front + name + behind;
}

ChannelIndex::ChannelIndex(const RecordSchema& schema) : schema_(&schema) {
  // A bare item name is a courtesy for one-number quantities; it never hides a full name.
  std::unordered_map<std::string, std::vector<ChannelPlace>> bare;
  for (const bool solver : {false, true}) {
    const std::vector<RecordGroup>& groups = solver ? schema.solver : schema.frames;
    int column = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const RecordGroup& group = groups[g];
      for (int item = 0; item < group.n_items(); ++item) {
        const ChannelPlace place = place_of(group, solver, g, item, column);
        places_[channel_name(group, item)].push_back(place);
        if (!group.view.empty()) places_[view_path(group, item)].push_back(place);
        if (stands_alone(group)) places_[group.path].push_back(place);
        if (place.n_columns == 1) bare[group.names[static_cast<std::size_t>(item)]].push_back(place);
      }
      column += group.width();
    }
  }
  for (auto& [name, places] : bare)
    if (!places_.count(name)) places_.emplace(name, std::move(places));
}

ChannelPlace ChannelIndex::find(std::string_view name) const {
  std::vector<ChannelPlace> found;
  if (const auto whole = places_.find(std::string(name)); whole != places_.end()) found = whole->second;
  if (const std::size_t cut = name.find_last_of("./"); found.empty() && cut != std::string_view::npos && cut > 0)
    if (const auto front = places_.find(std::string(name.substr(0, cut))); front != places_.end()) {
      found = front->second;
      append_component(found, *schema_, std::string(name.substr(cut + 1)));
    }
  if (found.size() == 1) return found[0];

  const std::string quoted = "channel '" + std::string(name) + "'";
  if (found.empty()) {
    std::vector<std::string> known = names();
    for (const auto& [full, places] : places_) known.push_back(full);
    std::sort(known.begin(), known.end());
    const auto chosen = schema_->attributes.find("channels");
    const std::string left_out = chosen == schema_->attributes.end() ? "" : "; recorded are only " + chosen->second;
    throw InputError(quoted + " does not exist" + did_you_mean(name, known) + left_out);
  }
  std::vector<std::string> candidates;
  for (const ChannelPlace& place : found) {
    const RecordGroup& group =
        (place.solver ? schema_->solver : schema_->frames)[static_cast<std::size_t>(place.group)];
    const std::string full = group.view.empty() ? channel_name(group, place.item) : view_path(group, place.item);
    candidates.push_back(full);
  }
  throw InputError(quoted + " may mean " + join_quoted(candidates) + "; use the full name");
}

std::string describe_left_out(const RecordSchema& schema) {
  const auto asked = schema.attributes.find("channels"), left_out = schema.attributes.find("left_out");
  if (asked == schema.attributes.end() || left_out == schema.attributes.end()) return "";
  std::string tables = left_out->second;
  for (std::size_t at = 0; (at = tables.find('\n', at)) != tables.npos;) tables.replace(at, 1, ", ");
  return fmt::format("by channels = {}; of tables are kept: {}", asked->second, tables);
}

bool is_whole(const RecordSchema& schema, std::string_view quantity) {
  const auto left_out = schema.attributes.find("left_out");
  return left_out == schema.attributes.end() ||
         ("\n" + left_out->second).find(fmt::format("\n{} ", quantity)) == std::string::npos;
}

std::vector<std::string> ChannelIndex::names() const {
  std::vector<std::string> names;
  for (const std::vector<RecordGroup>* groups : {&schema_->frames, &schema_->solver})
    for (const RecordGroup& group : *groups)
      for (int item = 0; item < group.n_items(); ++item) {
        const std::string name = channel_name(group, item);
        if (group.n_components() == 1)
          names.push_back(name);
        else
          for (const std::string& component : group.components) names.push_back(name + "." + component);
      }
  return names;
}

}  // namespace trammel
