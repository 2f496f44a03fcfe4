// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace trammel {

/// Writes JSON text from front to back; commas and quotes are its affair.
///
///   JsonWriter json;
///   json.begin_object().key("name").text("rod").key("at").numbers(point).end_object();
///
/// Numbers have as many digits as it takes to read back the same double; what is not finite, which JSON does not know,
/// becomes null. '<' in texts is escaped, so that the result can stand inside a page's script element.
class JsonWriter {
 public:
  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);
  JsonWriter& text(std::string_view value);
  JsonWriter& number(double value);
  JsonWriter& boolean(bool value);
  JsonWriter& numbers(std::span<const double> values);
  JsonWriter& texts(std::span<const std::string> values);
  JsonWriter& raw(std::string_view json);  ///< a value that is JSON already

  const std::string& str() const { return out_; }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate();
  void quote(std::string_view value);

  std::string out_;
  bool first_ = true;  // in its object or array: no comma before it
};

}  // namespace trammel
