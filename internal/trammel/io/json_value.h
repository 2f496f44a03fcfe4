// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trammel {

/// A value of a JSON text that we wrote ourselves, or that somebody says we did.
struct JsonValue {
  enum class Kind { null, boolean, number, text, array, object } kind = Kind::null;
  bool boolean = false;
  double number = 0.0;
  std::string text = {};
  std::vector<JsonValue> items = {};
  std::vector<std::pair<std::string, JsonValue>> entries = {};

  const JsonValue* find(std::string_view key) const;  ///< nullptr: no object, or without this key
  double number_at(std::string_view key, double fallback) const;
  /// All numbers of a list, empty if there is none or if anything else stands in it.
  std::vector<double> numbers_at(std::string_view key) const;
};

/// Nothing: it is not JSON, or nested deeper than anything of ours.
std::optional<JsonValue> parse_json(std::string_view text);

}  // namespace trammel
