// SPDX-License-Identifier: Apache-2.0
#include "trammel/base/json.h"

#include <fmt/format.h>

#include <cmath>

namespace trammel {

void JsonWriter::separate() {
  if (!first_) out_ += ',';
  first_ = false;
}

void JsonWriter::quote(std::string_view value) {
  out_ += '"';
  for (const char c : value) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out_ += {'\\', c};
    else if (code < 0x20 || c == '<')
      fmt::format_to(std::back_inserter(out_), "\\u{:04x}", code);
    else
      out_ += c;
  }
  out_ += '"';
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  out_ += bracket;
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  quote(name);
  out_ += ':';
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  separate();
  quote(value);
  return *this;
}

JsonWriter& JsonWriter::number(double value) {
  separate();
  if (std::isfinite(value))
    fmt::format_to(std::back_inserter(out_), "{}", value);
  else
    out_ += "null";
  return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
  separate();
  out_ += value ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::numbers(std::span<const double> values) {
  begin_array();
  for (const double value : values) number(value);
  return end_array();
}

JsonWriter& JsonWriter::texts(std::span<const std::string> values) {
  begin_array();
  for (const std::string& value : values) text(value);
  return end_array();
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

}  // namespace trammel
