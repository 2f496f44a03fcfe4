// SPDX-License-Identifier: Apache-2.0
#include "trammel/base/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "trammel/base/json.h"

namespace trammel {

namespace {

std::string escaped_for_cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, "\\");
  return text;
}

std::string code(const std::string& text) { return text.empty() ? "" : "`" + text + "`"; }

std::string default_cell(const Key& key) {
  if (key.required) return "required";
  const bool is_value = key.fallback.find(' ') == std::string::npos || key.fallback.front() == '[';
  return is_value ? code(key.fallback) : key.fallback;
}

std::string listed(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + code(name);
  return text;
}

// "a, b" or, where that is shorter, "all but c".
std::string kinds_of(const Key& key, std::span<const std::string> all) {
  std::vector<std::string> others;
  std::copy_if(all.begin(), all.end(), std::back_inserter(others),
               [&](const std::string& kind) { return !key.belongs_to(kind); });
  const bool few = !others.empty() && 2 * others.size() < key.kinds.size();
  return few ? "all but " + listed(others) : listed(key.kinds);
}

std::vector<std::string> all_kinds(std::span<const Key> keys) {
  std::vector<std::string> kinds;
  for (const Key& key : keys)
    for (const std::string& kind : key.kinds)
      if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
  // Those of the key that chooses them: some may have no key of their own.
  for (const Key& key : keys) {
    std::vector<std::string> words;
    for (const Word& word : key.words) words.push_back(word.name);
    const bool chooses = std::all_of(kinds.begin(), kinds.end(), [&](const std::string& kind) {
      return std::find(words.begin(), words.end(), kind) != words.end();
    });
    if (chooses && words.size() > kinds.size()) return words;
  }
  return kinds;
}

std::string meaning_cell(const Key& key, std::span<const std::string> all) {
  std::string text = key.meaning;
  for (std::size_t i = 0; i < key.words.size(); ++i) {
    const Word& word = key.words[i];
    text += i > 0 ? "; " : text.empty() ? "" : ": ";
    text += code(word.name) + (word.meaning.empty() ? "" : " (" + word.meaning + ")");
  }
  if (key.range.is_bounded()) text += (text.empty() ? "" : "; ") + key.range.formula(key.name);
  if (!key.kinds.empty()) text = kinds_of(key, all) + (text.empty() ? "" : ": ") + text;
  return text;
}

// One line of plain text: what the documentation marks as code stays readable without the marks.
std::string plain(std::string text) {
  std::erase(text, '`');
  for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at)) {  // links: their words
    const std::size_t begin = text.rfind('[', at), end = text.find(')', at);
    if (begin == std::string::npos || end == std::string::npos) break;
    text = text.substr(0, begin) + text.substr(begin + 1, at - begin - 1) + text.substr(end + 1);
  }
  return text;
}

void write_number_schema(JsonWriter& json, const Key& key) {
  json.key("anyOf").begin_array();
  json.begin_object().key("type").text(key.type == KeyType::integer ? "integer" : "number");
  if (std::isfinite(key.range.low)) json.key(key.range.low_open ? "exclusiveMinimum" : "minimum").number(key.range.low);
  if (std::isfinite(key.range.high))
    json.key(key.range.high_open ? "exclusiveMaximum" : "maximum").number(key.range.high);
  json.end_object();
  json.begin_object().key("type").text("string").end_object();  // a formula of parameters
  json.end_array();
}

void write_types(JsonWriter& json, std::initializer_list<std::string> types) {
  const std::vector<std::string> list(types);
  json.key("type");
  if (list.size() == 1)
    json.text(list[0]);
  else
    json.texts(list);
}

// A list of such items, n of them; `or_text`: or a formula of vectors.
void write_list(JsonWriter& json, std::initializer_list<std::string> types, int n = 0, bool or_text = false) {
  if (or_text)
    write_types(json, {"array", "string"});
  else
    write_types(json, {"array"});
  json.key("items").begin_object();
  write_types(json, types);
  json.end_object();
  if (n > 0) json.key("minItems").number(n).key("maxItems").number(n);
}

void write_keys(JsonWriter& json, std::span<const Key> keys);

// What may stand behind the key; nothing: anything.
void write_value(JsonWriter& json, const Key& key) {
  switch (key.type) {
    case KeyType::number:
    case KeyType::integer:
      return write_number_schema(json, key);
    case KeyType::boolean:
      return write_types(json, {"boolean"});
    case KeyType::word: {
      std::vector<std::string> words;
      for (const Word& word : key.words) words.push_back(word.name);
      json.key("enum").texts(words);
      return;
    }
    case KeyType::text:
    case KeyType::name:
      return write_types(json, {"string"});
    case KeyType::names:
      return write_list(json, {"string"});
    case KeyType::numbers:
    case KeyType::formulas:
      return write_list(json, {"number", "string"});
    case KeyType::vector:
      return write_list(json, {"number", "string"}, 3, true);
    case KeyType::matrix:
      return write_types(json, {"array", "number", "string"});
    case KeyType::point:
    case KeyType::direction:
      return write_types(json, {"array", "string", "object"});
    case KeyType::formula:
      return write_types(json, {"number", "string"});
    case KeyType::table: {
      std::vector<std::string> words;  // that may stand for the table
      for (const Word& word : key.words) words.push_back(word.name);
      if (!words.empty())
        json.key("anyOf").begin_array().begin_object().key("enum").texts(words).end_object().begin_object();
      write_types(json, {"object"});
      if (!key.inner.empty()) write_keys(json, key.inner);
      if (!words.empty()) json.end_object().end_array();
      return;
    }
    case KeyType::table_list:
      write_types(json, {"array"});
      json.key("items").begin_object();
      write_types(json, {"object"});
      if (!key.inner.empty()) write_keys(json, key.inner);
      json.end_object();
      return;
    case KeyType::any:
      return;
  }
}

// One property for all entries of a name: what one of them takes is taken.
void write_property(JsonWriter& json, std::span<const Key> entries, std::span<const std::string> kinds) {
  std::string description;
  for (const Key& key : entries) {
    description += (description.empty() ? "" : "\n") + plain(meaning_cell(key, kinds));
    if (!key.unit.empty()) description += fmt::format(" [{}]", key.unit);
    if (!key.fallback.empty()) description += fmt::format(" (default: {})", plain(key.fallback));
  }
  json.key(entries[0].name).begin_object().key("description").text(description);
  const bool open =
      std::any_of(entries.begin(), entries.end(), [](const Key& key) { return key.type == KeyType::any; });
  if (entries.size() == 1) {
    write_value(json, entries[0]);
  } else if (!open) {
    json.key("anyOf").begin_array();
    for (const Key& key : entries) {
      json.begin_object();
      write_value(json, key);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
}

void write_properties(JsonWriter& json, std::span<const Key> keys) {
  const std::vector<std::string> kinds = all_kinds(keys);
  for (std::size_t i = 0, n = 1; i < keys.size(); i += n, n = 1) {
    while (i + n < keys.size() && keys[i + n].name == keys[i].name) ++n;
    write_property(json, keys.subspan(i, n), kinds);
  }
}

// For an object that is begun: it takes these keys and no others.
void write_keys(JsonWriter& json, std::span<const Key> keys) {
  json.key("properties").begin_object();
  write_properties(json, keys);
  json.end_object();
  std::vector<std::string> required;
  for (const Key& key : keys)
    if (key.required && key.kinds.empty()) required.push_back(key.name);
  if (!required.empty()) json.key("required").texts(required);
  json.key("additionalProperties").boolean(false);
}

void write_lists(JsonWriter& json, std::span<const KeyTable> tables) {
  for (const KeyTable& table : tables)
    if (table.is_list) {
      json.key(table.name).begin_object().key("description").text(plain(table.meaning));
      json.key("type").text("array").key("items").begin_object();
      json.key("$ref").text("#/definitions/" + table.name).end_object().end_object();
    }
}

std::string python_type(const Key& key) {
  switch (key.type) {
    case KeyType::number:
    case KeyType::formula:
      return "_Number";
    case KeyType::integer:
      return "_Integer";
    case KeyType::boolean:
      return "Optional[bool]";
    case KeyType::word: {
      std::string words;
      for (const Word& word : key.words) words += fmt::format("{}\"{}\"", words.empty() ? "" : ", ", word.name);
      return fmt::format("Optional[Literal[{}]]", words);
    }
    case KeyType::text:
    case KeyType::name:
      return "Optional[str]";
    case KeyType::names:
      return "Optional[Sequence[str]]";
    case KeyType::numbers:
    case KeyType::vector:
    case KeyType::formulas:
      return "_Numbers";
    case KeyType::table:
      return key.words.empty() ? "Optional[Mapping[str, Any]]" : "Union[Mapping[str, Any], str, None]";
    case KeyType::table_list:
      return "Optional[Sequence[Mapping[str, Any]]]";
    default:
      return "Any";
  }
}

// Words of the language cannot be keywords of a method: such keys are given as **{"from": 3}.
bool is_reserved_in_python(std::string_view name) {
  static constexpr std::string_view words[] = {
      "and",  "as",     "assert",   "async", "await", "break",  "class", "continue", "def",  "del",  "elif",
      "else", "except", "finally",  "for",   "from",  "global", "if",    "import",   "in",   "is",   "lambda",
      "not",  "or",     "nonlocal", "pass",  "raise", "return", "try",   "while",    "with", "yield"};
  return std::find(std::begin(words), std::end(words), name) != std::end(words);
}

std::string python_type(const KeyTable& table, const std::string& keyword) {
  if (table.name == "force" && keyword == "law") return "Union[float, str, Callable[..., Any], None]";
  std::string type;
  for (const Key& key : table.keys)
    if (key.name == keyword) type = type.empty() || type == python_type(key) ? python_type(key) : "Any";
  return type;
}

// By place come the name of the thing, the formula of a measure and the file of an include.
std::string python_method(const KeyTable& table) {
  const Key* name = table.find("name");
  const std::string first = table.name == "measure" ? "expression" : table.name == "include" ? "file" : "";
  std::string text = fmt::format("    def {}(\n        self: _M,\n", table.name);
  if (name != nullptr && name->required) text += "        name: str,\n";
  if (first == "file")
    text += "        file: Union[str, PathLike[str]],\n";
  else if (!first.empty())
    text += fmt::format("        {}: {} = ...,\n", first, python_type(table, first));
  text += "        *,\n";
  if (name != nullptr && !name->required) text += "        name: Optional[str] = ...,\n";
  bool has_reserved = false;
  for (const std::string& keyword : python_keywords(table)) {
    has_reserved = has_reserved || is_reserved_in_python(keyword);
    if (keyword != first && !is_reserved_in_python(keyword))
      text += fmt::format("        {}: {} = ...,\n", keyword, python_type(table, keyword));
  }
  if (has_reserved) text += "        **keys: Any,\n";
  return text + "    ) -> _M: ...\n";
}

}  // namespace

bool Range::holds(double x) const { return (low_open ? x > low : x >= low) && (high_open ? x < high : x <= high); }

bool Range::is_bounded() const { return std::isfinite(low) || std::isfinite(high); }

std::string Range::formula(const std::string& name) const {
  if (!words.empty()) return std::string(words);
  if (std::isfinite(low) && std::isfinite(high))
    return fmt::format("{} {} {} {} {}", low, low_open ? "<" : "≤", name, high_open ? "<" : "≤", high);
  if (std::isfinite(low)) return fmt::format("{} {} {}", name, low_open ? ">" : "≥", low);
  if (std::isfinite(high)) return fmt::format("{} {} {}", name, high_open ? "<" : "≤", high);
  return name + " must be finite";
}

std::string Range::condition() const {
  if (!words.empty()) return std::string(words);
  std::string text;
  if (std::isfinite(low)) text += fmt::format("{} {}", low_open ? ">" : "≥", low);
  if (std::isfinite(high)) text += fmt::format("{}{} {}", text.empty() ? "" : " and ", high_open ? "<" : "≤", high);
  return text;
}

bool Key::belongs_to(std::string_view kind) const {
  return kinds.empty() || std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

const Key* KeyTable::find(std::string_view wanted) const {
  const auto it = std::find_if(keys.begin(), keys.end(), [&](const Key& key) { return key.name == wanted; });
  return it == keys.end() ? nullptr : &*it;
}

namespace {

// The names of the keys, each once: one is taken as soon as all that some kind puts before it are there.
std::vector<std::string> order_of_keys(std::span<const KindKeys> kinds) {
  std::vector<std::string> waiting, ordered;
  std::map<std::string, std::set<std::string>> before;
  for (const KindKeys& kind : kinds)
    for (std::size_t i = 0; i < kind.keys.size(); ++i) {
      const std::string& name = kind.keys[i].name;
      const auto [it, fresh] = before.try_emplace(name);
      if (fresh) waiting.push_back(name);
      if (i > 0 && kind.keys[i - 1].name != name) it->second.insert(kind.keys[i - 1].name);
    }
  while (!waiting.empty()) {
    const auto ready = std::find_if(waiting.begin(), waiting.end(), [&](const std::string& name) {
      return std::none_of(waiting.begin(), waiting.end(),
                          [&](const std::string& other) { return before[name].count(other) > 0; });
    });
    const auto next = ready == waiting.end() ? waiting.begin() : ready;  // kinds that contradict each other
    ordered.push_back(*next);
    waiting.erase(next);
  }
  return ordered;
}

}  // namespace

std::vector<Key> keys_of_kinds(std::span<const KindKeys> kinds) {
  std::vector<Key> table;
  for (const std::string& name : order_of_keys(kinds)) {
    const std::size_t first = table.size();
    for (const KindKeys& kind : kinds)
      for (Key key : kind.keys) {
        if (key.name != name) continue;
        const auto same =
            std::find_if(table.begin() + static_cast<std::ptrdiff_t>(first), table.end(), [&](Key& entry) {
              key.kinds = entry.kinds;
              return key == entry;
            });
        if (same != table.end()) {
          same->kinds.emplace_back(kind.kind);
        } else {
          key.kinds = {std::string(kind.kind)};
          table.push_back(std::move(key));
        }
      }
  }
  return table;
}

std::vector<Key> keys_of_kind(std::span<const Key> keys, std::string_view kind) {
  std::vector<Key> chosen;
  for (const Key& key : keys) {
    if (key.kinds.empty() || !key.belongs_to(kind)) continue;
    chosen.push_back(key);
    chosen.back().kinds.clear();
  }
  return chosen;
}

const std::vector<Key>* find_keys(std::span<const KeyTable> tables, std::string_view path) {
  const std::size_t point = path.find('.');
  const std::string_view outer = path.substr(0, point);
  const auto table = std::find_if(tables.begin(), tables.end(), [&](const KeyTable& t) { return t.name == outer; });
  if (table == tables.end()) return nullptr;
  if (point == std::string_view::npos) return &table->keys;
  const Key* key = table->find(path.substr(point + 1));
  return key == nullptr || key->inner.empty() ? nullptr : &key->inner;
}

std::string markdown_table(std::span<const Key> keys) {
  const std::vector<std::string> kinds = all_kinds(keys);
  std::string text = "| key | unit | default | meaning |\n|---|---|---|---|\n";
  for (const Key& key : keys)
    text += fmt::format("| `{}` | {} | {} | {} |\n", key.name, key.unit, escaped_for_cell(default_cell(key)),
                        escaped_for_cell(meaning_cell(key, kinds)));
  return text;
}

std::string json_schema(std::span<const KeyTable> tables) {
  JsonWriter json;
  json.begin_object().key("$schema").text("http://json-schema.org/draft-07/schema#");
  json.key("title").text("A model file of Trammel").key("type").text("object");
  json.key("properties").begin_object();
  for (const KeyTable& table : tables) {
    if (table.name.empty()) {  // the keys of the file itself
      write_properties(json, table.keys);
    } else if (!table.is_list) {
      json.key(table.name).begin_object().key("description").text(plain(table.meaning)).key("type").text("object");
      write_keys(json, table.keys);
      json.end_object();
    }
  }
  write_lists(json, tables);
  json.end_object().key("additionalProperties").boolean(false);
  json.key("definitions").begin_object();
  for (const KeyTable& table : tables) {
    if (!table.is_list) continue;
    json.key(table.name).begin_object().key("type").text("object");
    if (table.holds_lists) {
      json.key("properties").begin_object();
      write_properties(json, table.keys);
      write_lists(json, tables);
      json.end_object().key("additionalProperties").boolean(false);
    } else {
      write_keys(json, table.keys);
    }
    json.end_object();
  }
  json.end_object().end_object();
  return json.str();
}

std::string python_docstring(const KeyTable& table) {
  const std::vector<std::string> kinds = all_kinds(table.keys);
  std::string text = plain(table.meaning) + "\n";
  for (const Key& key : table.keys) {
    if (key.name == "name") continue;  // the first argument
    text += fmt::format("\n{}{}: {}", key.name, key.unit.empty() ? "" : " [" + key.unit + "]",
                        plain(meaning_cell(key, kinds)));
    if (key.required)
      text += " (required)";
    else if (!key.fallback.empty())
      text += fmt::format(" (default: {})", plain(key.fallback));
  }
  return text;
}

std::vector<std::string> python_keywords(const KeyTable& table) {
  std::vector<std::string> names;
  for (const Key& key : table.keys)
    if (key.name != "name" && (names.empty() || names.back() != key.name)) names.push_back(key.name);
  return names;
}

std::string python_stub(std::span<const KeyTable> tables) {
  std::string text =
      "from os import PathLike\n"
      "from typing import Any, Callable, Literal, Mapping, Optional, Sequence, TypeVar, Union\n\n"
      "import numpy as np\n"
      "from numpy.typing import NDArray\n\n"
      "_Number = Union[float, np.floating[Any], np.integer[Any], str, None]\n"
      "_Integer = Union[int, np.integer[Any], str, None]\n"
      "_Numbers = Union[Sequence[Union[float, str]], NDArray[Any], None]\n"
      "_M = TypeVar(\"_M\", bound=\"ModelKeys\")\n\n"
      "class ModelKeys:\n";
  for (const KeyTable& table : tables)
    if (!table.name.empty() && !table.holds_lists) text += python_method(table);
  return text;
}

}  // namespace trammel
