// SPDX-License-Identifier: Apache-2.0
#include "trammel/io/summary_json.h"

#include "trammel/base/json.h"

namespace trammel {

void put_entries(JsonWriter& json, const SummaryEntries& summary) {
  struct Put {
    JsonWriter& json;
    void operator()(bool value) const { json.boolean(value); }
    void operator()(long value) const { json.number(static_cast<double>(value)); }
    void operator()(double value) const { json.number(value); }
    void operator()(const std::string& value) const { json.text(value); }
  };
  json.begin_object();
  for (const auto& [name, value] : summary) {
    json.key(name);
    std::visit(Put{json}, value);
  }
  json.end_object();
}

}  // namespace trammel
