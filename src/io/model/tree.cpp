#include "tree.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>

#include "trammel/base/error.h"

namespace trammel::detail {

namespace {

Place place_of(const toml::source_region& region, int file) {
  return {file, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

Node convert(const toml::node& from, int file) {
  Node node;
  node.place = place_of(from.source(), file);
  if (const toml::table* table = from.as_table()) {
    node.kind = NodeKind::table;
    node.entries.reserve(table->size());
    for (auto&& [key, value] : *table)
      node.entries.push_back({std::string(key.str()), place_of(key.source(), file), convert(value, file)});
    std::stable_sort(node.entries.begin(), node.entries.end(), [](const Entry& a, const Entry& b) {
      return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
    });
  } else if (const toml::array* array = from.as_array()) {
    node.kind = NodeKind::array;
    node.items.reserve(array->size());
    for (const toml::node& item : *array) node.items.push_back(convert(item, file));
  } else if (const auto* text = from.as_string()) {
    node.kind = NodeKind::string;
    node.text = text->get();
  } else if (const auto* integer = from.as_integer()) {
    node.kind = NodeKind::integer;
    node.number = static_cast<double>(integer->get());
  } else if (const auto* real = from.as_floating_point()) {
    node.kind = NodeKind::real;
    node.number = real->get();
  } else if (const auto* boolean = from.as_boolean()) {
    node.kind = NodeKind::boolean;
    node.boolean = boolean->get();
  } else {
    node.kind = NodeKind::date;
  }
  return node;
}

void set_file(Node& node, int file) {
  node.place = {file, 0, 0};
  for (Node& item : node.items) set_file(item, file);
  for (Entry& entry : node.entries) {
    entry.place = {file, 0, 0};
    set_file(entry.value, file);
  }
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  for (const Entry& entry : entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

Node parse_toml(const std::string& text, const std::string& name, int file) {
  try {
    return convert(toml::parse(text), file);
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    throw InputError({{fmt::format("{}:{}:{}", name, at.line, at.column),
                       fmt::format("this is not valid TOML: {}", error.description())}});
  }
}

Node parse_setting(const std::string& text, int file) {
  Node node;
  try {
    node = convert(*toml::parse("value = " + text).get("value"), file);
  } catch (const toml::parse_error&) {
    node.kind = NodeKind::string;
    node.text = text;
  }
  set_file(node, file);
  return node;
}

std::string describe(const Node& node) {
  constexpr std::size_t longest = 40;  // enough to recognise the value, short enough for one line
  std::string text;
  switch (node.kind) {
    case NodeKind::boolean:
      text = node.boolean ? "true" : "false";
      break;
    case NodeKind::integer:
    case NodeKind::real:
      text = fmt::format("{}", node.number);
      break;
    case NodeKind::string:
      text = "\"" + node.text + "\"";
      break;
    case NodeKind::date:
      text = "a date";
      break;
    case NodeKind::table:
      text = "a table";
      break;
    case NodeKind::array:
      text = "[";
      for (const Node& item : node.items) {
        if (text.size() > 1) text += ", ";
        text += describe(item);
        if (text.size() > longest) break;
      }
      text += "]";
      break;
  }
  if (text.size() <= longest) return text;
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // do not cut inside a character
  return text.substr(0, end) + "…";
}

std::string_view kind_name(NodeKind kind) {
  switch (kind) {
    case NodeKind::boolean:
      return "a boolean";
    case NodeKind::integer:
    case NodeKind::real:
      return "a number";
    case NodeKind::string:
      return "a text";
    case NodeKind::array:
      return "a list";
    case NodeKind::table:
      return "a table";
    case NodeKind::date:
      return "a date";
  }
  return "";
}

}  // namespace trammel::detail
