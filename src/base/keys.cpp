#include "trammel/base/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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
  const bool is_value = key.type == KeyType::word || key.type == KeyType::text || key.type == KeyType::name ||
                        key.fallback.find(' ') == std::string::npos || key.fallback.front() == '[';
  return is_value ? code(key.fallback) : key.fallback;
}

std::string meaning_cell(const Key& key) {
  std::string text = key.meaning;
  for (std::size_t i = 0; i < key.words.size(); ++i) {
    const Word& word = key.words[i];
    text += i > 0 ? "; " : text.empty() ? "" : ": ";
    text += code(word.name) + (word.meaning.empty() ? "" : " (" + word.meaning + ")");
  }
  if (key.range.is_bounded()) text += (text.empty() ? "" : "; ") + key.range.formula(key.name);
  if (!key.kinds.empty()) {
    std::string kinds;
    for (const std::string& kind : key.kinds) kinds += (kinds.empty() ? "" : ", ") + code(kind);
    text = kinds + (text.empty() ? "" : ": ") + text;
  }
  return text;
}

// One line of plain text: what the documentation marks as code stays readable without the marks.
std::string plain(std::string text) {
  std::erase(text, '`');
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

void write_one_of(JsonWriter& json, std::span<const std::string> types) {
  json.key("type").begin_array();
  for (const std::string& type : types) json.text(type);
  json.end_array();
}

void write_keys_schema(JsonWriter& json, std::span<const Key> keys);

void write_key_schema(JsonWriter& json, const Key& key) {
  json.begin_object();
  std::string description = plain(meaning_cell(key));
  if (!key.unit.empty()) description += fmt::format(" [{}]", key.unit);
  if (!key.fallback.empty()) description += fmt::format(" (default: {})", key.fallback);
  json.key("description").text(description);
  const std::string list[] = {"array", "string"}, flexible[] = {"array", "string", "object"};
  switch (key.type) {
    case KeyType::number:
    case KeyType::integer:
      write_number_schema(json, key);
      break;
    case KeyType::boolean:
      json.key("type").text("boolean");
      break;
    case KeyType::word: {
      std::vector<std::string> words;
      for (const Word& word : key.words) words.push_back(word.name);
      json.key("enum").texts(words);
      break;
    }
    case KeyType::text:
    case KeyType::name:
      json.key("type").text("string");
      break;
    case KeyType::names:
    case KeyType::numbers:
    case KeyType::vector:
    case KeyType::formulas:
      json.key("type").text("array");
      break;
    case KeyType::matrix: {
      const std::string matrix[] = {"array", "number", "string"};
      write_one_of(json, matrix);
      break;
    }
    case KeyType::point:
    case KeyType::direction:
      write_one_of(json, flexible);
      break;
    case KeyType::formula: {
      const std::string formula[] = {"number", "string"};
      write_one_of(json, formula);
      break;
    }
    case KeyType::table:
      json.key("type").text("object");
      if (!key.inner.empty()) write_keys_schema(json, key.inner);
      break;
    case KeyType::table_list:
      json.key("type").text("array");
      if (!key.inner.empty()) {
        json.key("items").begin_object().key("type").text("object");
        write_keys_schema(json, key.inner);
        json.end_object();
      }
      break;
    case KeyType::any:
      break;
  }
  json.end_object();
}

void write_keys_schema(JsonWriter& json, std::span<const Key> keys) {
  json.key("properties").begin_object();
  for (const Key& key : keys) {
    json.key(key.name);
    write_key_schema(json, key);
  }
  json.end_object();
  std::vector<std::string> required;
  for (const Key& key : keys)
    if (key.required && key.kinds.empty()) required.push_back(key.name);
  if (!required.empty()) json.key("required").texts(required);
  json.key("additionalProperties").boolean(false);
}

std::string python_type(const Key& key) {
  switch (key.type) {
    case KeyType::number:
    case KeyType::formula:
      return "Union[float, str, None]";
    case KeyType::integer:
      return "Union[int, str, None]";
    case KeyType::boolean:
      return "Optional[bool]";
    case KeyType::word: {
      std::string words;
      for (const Word& word : key.words) words += fmt::format("{}\"{}\"", words.empty() ? "" : ", ", word.name);
      return words.empty() ? "Optional[str]" : fmt::format("Optional[Literal[{}]]", words);
    }
    case KeyType::text:
    case KeyType::name:
      return "Optional[str]";
    case KeyType::names:
      return "Optional[Sequence[str]]";
    case KeyType::numbers:
    case KeyType::vector:
    case KeyType::formulas:
      return "Optional[Sequence[Union[float, str]]]";
    case KeyType::table:
      return "Union[Mapping[str, Any], str, None]";
    case KeyType::table_list:
      return "Optional[Sequence[Mapping[str, Any]]]";
    default:
      return "Any";
  }
}

}  // namespace

bool Range::holds(double x) const { return (low_open ? x > low : x >= low) && (high_open ? x < high : x <= high); }

bool Range::is_bounded() const { return std::isfinite(low) || std::isfinite(high); }

std::string Range::formula(const std::string& name) const {
  if (words != nullptr) return words;
  if (std::isfinite(low) && std::isfinite(high))
    return fmt::format("{} {} {} {} {}", low, low_open ? "<" : "≤", name, high_open ? "<" : "≤", high);
  if (std::isfinite(low)) return fmt::format("{} {} {}", name, low_open ? ">" : "≥", low);
  if (std::isfinite(high)) return fmt::format("{} {} {}", name, high_open ? "<" : "≤", high);
  return name + " must be finite";
}

bool Key::belongs_to(std::string_view kind) const {
  return kinds.empty() || std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

const Key* KeyTable::find(std::string_view wanted) const {
  const auto it = std::find_if(keys.begin(), keys.end(), [&](const Key& key) { return key.name == wanted; });
  return it == keys.end() ? nullptr : &*it;
}

std::string markdown_table(std::span<const Key> keys) {
  std::string text = "| key | unit | default | meaning |\n|---|---|---|---|\n";
  for (const Key& key : keys)
    text += fmt::format("| `{}` | {} | {} | {} |\n", key.name, key.unit, escaped_for_cell(default_cell(key)),
                        escaped_for_cell(meaning_cell(key)));
  return text;
}

std::string json_schema(std::span<const KeyTable> tables) {
  JsonWriter json;
  json.begin_object().key("$schema").text("http://json-schema.org/draft-07/schema#");
  json.key("title").text("A model file of Trammel").key("type").text("object");
  json.key("properties").begin_object();
  for (const KeyTable& table : tables) {
    if (table.name.empty()) {  // the keys of the file itself
      for (const Key& key : table.keys) {
        json.key(key.name);
        write_key_schema(json, key);
      }
      continue;
    }
    json.key(table.name).begin_object().key("description").text(plain(table.meaning));
    json.key("type").text(table.is_list ? "array" : "object");
    if (table.is_list) json.key("items").begin_object().key("type").text("object");
    write_keys_schema(json, table.keys);
    if (table.is_list) json.end_object();
    json.end_object();
  }
  json.end_object().key("additionalProperties").boolean(false).end_object();
  return json.str();
}

std::string python_docstring(const KeyTable& table) {
  std::string text = plain(table.meaning) + "\n";
  for (const Key& key : table.keys) {
    if (key.name == "name") continue;  // the first argument
    text +=
        fmt::format("\n{}{}: {}", key.name, key.unit.empty() ? "" : " [" + key.unit + "]", plain(meaning_cell(key)));
    if (key.required)
      text += " (required)";
    else if (!key.fallback.empty())
      text += fmt::format(" (default: {})", plain(key.fallback));
  }
  return text;
}

std::string python_keywords(const KeyTable& table) {
  std::string text;
  for (const Key& key : table.keys)
    if (key.name != "name") text += fmt::format("{}{}: {} = ...", text.empty() ? "" : ", ", key.name, python_type(key));
  return text;
}

}  // namespace trammel
