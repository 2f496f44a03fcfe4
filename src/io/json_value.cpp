// SPDX-License-Identifier: Apache-2.0
#include "trammel/io/json_value.h"

#include <cctype>
#include <charconv>

namespace trammel {

namespace {

constexpr int deepest = 32;

void append_utf8(std::string& text, unsigned code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | code >> 6);
    text += static_cast<char>(0x80 | (code & 63));
  } else {
    text += static_cast<char>(0xE0 | code >> 12);
    text += static_cast<char>(0x80 | (code >> 6 & 63));
    text += static_cast<char>(0x80 | (code & 63));
  }
}

class JsonParser {
 public:
  explicit JsonParser(std::string_view text) : text_(text) {}

  bool parse(JsonValue& value) {
    if (!parse_value(value, 0)) return false;
    skip_blanks();
    return at_ == text_.size();
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool take_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  bool parse_value(JsonValue& value, int depth) {
    skip_blanks();
    if (at_ == text_.size() || depth > deepest) return false;
    using enum JsonValue::Kind;
    switch (text_[at_]) {
      case '{':
        value.kind = object;
        return parse_object(value, depth);
      case '[':
        value.kind = array;
        return parse_array(value, depth);
      case '"':
        value.kind = JsonValue::Kind::text;
        return parse_text(value.text);
      case 't':
      case 'f':
        value.kind = JsonValue::Kind::boolean;
        value.boolean = text_[at_] == 't';
        return take_word(value.boolean ? "true" : "false");
      case 'n':
        return take_word("null");
      default:
        value.kind = JsonValue::Kind::number;
        return parse_number(value.number);
    }
  }

  bool parse_number(double& number) {
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), number);
    at_ += static_cast<std::size_t>(end - begin);
    return error == std::errc();
  }

  bool parse_text(std::string& text) {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] != '\\') {
        text += text_[at_];
        continue;
      }
      if (++at_ == text_.size()) return false;
      constexpr std::string_view escapes = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
      if (const std::size_t which = escapes.find(text_[at_]); which != escapes.npos) {
        text += meant[which];
        continue;
      }
      unsigned code = 0;
      const std::string_view digits = text_.substr(at_ + 1, 4);
      if (text_[at_] != 'u' || digits.size() < 4 ||
          std::from_chars(digits.data(), digits.data() + 4, code, 16).ptr != digits.data() + 4)
        return false;
      append_utf8(text, code);
      at_ += 4;
    }
    return at_++ < text_.size();
  }

  bool parse_array(JsonValue& value, int depth) {
    ++at_;
    if (take(']')) return true;
    do {
      if (!parse_value(value.items.emplace_back(), depth + 1)) return false;
    } while (take(','));
    return take(']');
  }

  bool parse_object(JsonValue& value, int depth) {
    ++at_;
    if (take('}')) return true;
    do {
      skip_blanks();
      auto& [key, entry] = value.entries.emplace_back(std::string(), JsonValue());
      if (at_ == text_.size() || text_[at_] != '"' || !parse_text(key) || !take(':')) return false;
      if (!parse_value(entry, depth + 1)) return false;
    } while (take(','));
    return take('}');
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const {
  for (const auto& [name, value] : entries)
    if (name == key) return &value;
  return nullptr;
}

double JsonValue::number_at(std::string_view key, double fallback) const {
  const JsonValue* value = find(key);
  return value != nullptr && value->kind == Kind::number ? value->number : fallback;
}

std::vector<double> JsonValue::numbers_at(std::string_view key) const {
  std::vector<double> numbers;
  const JsonValue* list = find(key);
  if (list == nullptr) return numbers;
  for (const JsonValue& item : list->items) {
    if (item.kind != Kind::number) return {};
    numbers.push_back(item.number);
  }
  return numbers;
}

std::optional<JsonValue> parse_json(std::string_view text) {
  JsonValue value;
  if (!JsonParser(text).parse(value)) return std::nullopt;
  return value;
}

}  // namespace trammel
