#include "tree.h"

#include <fmt/format.h>

// Texts such as "[ = a]" reach assertions of the parser, and it refuses them right behind: in builds with assertions,
// too, they are to be refused and not to end the program.
#define TOML_ASSERT(expression) static_cast<void>(0)
#include <toml++/toml.h>
#include <algorithm>
#include <cctype>

#include "trammel/base/error.h"

namespace trammel::detail {

namespace {

Place place_of(const toml::source_region& region, int file) {
  return {file, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

Node convert(const toml::node& from, int file, int depth = 0) {
  Node node;
  if (depth > deepest_table) return node;  // the reader knows no such key and says so
  node.place = place_of(from.source(), file);
  if (const toml::table* table = from.as_table()) {
    node.kind = NodeKind::table;
    node.entries.reserve(table->size());
    for (auto&& [key, value] : *table)
      node.entries.push_back({std::string(key.str()), place_of(key.source(), file), convert(value, file, depth + 1)});
    std::stable_sort(node.entries.begin(), node.entries.end(), [](const Entry& a, const Entry& b) {
      return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
    });
  } else if (const toml::array* array = from.as_array()) {
    node.kind = NodeKind::array;
    node.items.reserve(array->size());
    for (const toml::node& item : *array) node.items.push_back(convert(item, file, depth + 1));
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

namespace {

// Keys of thousands of parts make trees of tables that the parser walks with as many calls as they are deep. They are
// looked for beforehand, in a text that may be anything: parts are runs of letters or quoted texts with points between.
void refuse_long_keys(const std::string& text, const std::string& name) {
  std::size_t parts = 0, line = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (c == '"' || c == '\'') {
      const bool several = text.compare(i, 3, std::string(3, c)) == 0;
      const std::string mark(several ? 3 : 1, c);
      for (i += mark.size(); i < text.size() && text.compare(i, mark.size(), mark) != 0; ++i) {
        if (text[i] == '\\' && c == '"') ++i;
        if (i < text.size() && text[i] == '\n') {
          ++line;
          if (!several) break;  // not closed: the parser will say it
        }
      }
      i += mark.size() - 1;
    } else if (c == '.') {
      if (++parts >= most_key_parts)
        throw InputError(
            {{fmt::format("{}:{}:1", name, line),
              fmt::format("a key has more than {} parts with points between; no key of a model has that many",
                          most_key_parts)}});
    } else if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '-' && c != ' ' && c != '\t' &&
               static_cast<unsigned char>(c) < 0x80) {
      parts = 0;
    }
  }
}

}  // namespace

Node parse_toml(const std::string& text, const std::string& name, int file) {
  refuse_long_keys(text, name);
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
