// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "entities.h"
#include "trammel/simulation/option.h"

namespace trammel::detail {

namespace {

/// A list of strings.
std::vector<std::string> read_words(Fields& fields, const Node& node, const std::string& key) {
  std::vector<std::string> words;
  if (node.kind != NodeKind::array) {
    fields.report_type(node, key, "a list of names");
    return words;
  }
  for (const Node& item : node.items) {
    if (item.kind == NodeKind::string)
      words.push_back(fields.name_of(item, key));
    else
      fields.report(item, fmt::format("'{}' contains {}; it must be a list of names", key, describe(item)));
  }
  return words;
}

OptionValue read_value(Fields& fields, const Key& key) {
  const Node* node = fields.get(key.name);
  if (node == nullptr) return {};
  switch (key.type) {
    case KeyType::number:
      if (const std::optional<double> x = fields.optional_number(key.name)) return *x;
      return {};
    case KeyType::integer:
      return fields.integer(key.name, 1);
    case KeyType::boolean:
      return fields.boolean(key.name, false);
    case KeyType::names:
      return read_words(fields, *node, key.name);
    case KeyType::word: {
      Choices<std::string> choices;
      for (const Word& word : key.words) choices.push_back({word.name, word.name});
      const std::string word = fields.choice<std::string>(key.name, choices, "");
      return word.empty() ? OptionValue() : OptionValue(word);
    }
    default:
      return fields.text(key.name, "");
  }
}

void read_table(Fields& fields, const OptionTable& table, Settings& settings) {
  for (const Option& option : table.options)
    if (const OptionValue value = read_value(fields, option.key); !std::holds_alternative<std::monostate>(value))
      option.set(settings, value);
}

const OptionTable& find_table(const std::string& name) {
  for (const OptionTable& table : option_tables())
    if (table.name == name) return table;
  throw std::logic_error("no table of options is called " + name);
}

// scaling = "none" is short for its kind.
void read_scaling(Fields& fields, const Node& node, Settings& settings) {
  const OptionTable& table = find_table("solver.scaling");
  if (node.kind == NodeKind::string) {
    Key kind = table.options.front().key;
    kind.name = "scaling";
    settings.solver.scaling.source.entity = fields.source().at("scaling");
    if (const OptionValue value = read_value(fields, kind); !std::holds_alternative<std::monostate>(value))
      table.options.front().set(settings, value);
  } else if (std::optional<Fields> inner = fields.inner(node, "scaling")) {
    settings.solver.scaling.source = inner->source();
    read_table(*inner, table, settings);
    inner->finish();
  }
}

}  // namespace

void read_settings(Fields& fields, const std::string& table, Settings& settings) {
  Source& source = table == "analysis" ? settings.analysis.source
                   : table == "output" ? settings.output.source
                                       : settings.solver.source;
  source = fields.source();
  read_table(fields, find_table(table), settings);
  if (table == "solver")
    if (const Node* node = fields.get("scaling")) read_scaling(fields, *node, settings);
  fields.finish();
}

}  // namespace trammel::detail
