// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "entities.h"
#include "trammel/io/csv.h"

namespace trammel::detail {

namespace {

const Choices<std::string> extrapolations{{"linear", "linear"}, {"constant", "constant"}, {"error", "error"}};

// The column that a key names: a number counted from 1, or a name in the header.
std::vector<double> read_column(Fields& fields, const Table& table, std::string_view key, int number) {
  const Node* node = fields.get(key);
  if (node != nullptr && node->kind == NodeKind::string) {
    try {
      return table.column(fields.text_of(*node, key));
    } catch (const InputError& error) {
      for (const Issue& issue : error.issues()) fields.report(*node, fmt::format("'{}': {}", key, issue.message));
      return {};
    }
  }
  if (node != nullptr) number = fields.integer(key, number);
  const int n = static_cast<int>(table.columns.size());
  if (number >= 1 && number <= n) return table.columns[static_cast<std::size_t>(number - 1)];
  fields.report(node != nullptr ? *node : *fields.get("file"),
                fmt::format("column {} is wanted, and the file has {} (counted from 1)", number, n));
  return {};
}

void read_csv(Fields& fields, const Node& node, TableSpec& table) {
  fields.ignore("x_column");
  fields.ignore("y_column");
  const std::filesystem::path path = fields.part().folder / fields.text_of(node, "file");
  try {
    const Table data = read_table_csv(path);
    table.x = read_column(fields, data, "x_column", 1);
    table.y = read_column(fields, data, "y_column", 2);
    if (!table.x.empty() && !table.y.empty()) return;
  } catch (const InputError& error) {
    for (const Issue& issue : error.issues())
      fields.findings().add(issue.where, fmt::format("{}: {}", fields.what(), issue.message));
  } catch (const IoError&) {
    fields.report(node, fmt::format("the file '{}' cannot be read", path.string()));
  }
  fields.findings().add_broken(table.name, table.source);
}

void read_table(Fields& fields, const std::string& name, ModelDraft& model) {
  TableSpec table;
  table.name = name;
  table.source = fields.source();
  std::string which;
  const Node* node = fields.one_of({"file", "x"}, &which);
  fields.ignore("y");
  if (!fields.has("x")) fields.refuse("y", "without 'x'");
  if (!fields.has("file"))
    for (const char* key : {"x_column", "y_column"}) fields.refuse(key, "without a 'file'");
  if (node == nullptr) {
    fields.report("its data are missing: give 'file' (a CSV file) or the lists 'x' and 'y'");
    fields.findings().add_broken(name, table.source);
  } else if (which == "file") {
    read_csv(fields, *node, table);
  } else {
    table.x = fields.list_of(*node, "x");
    if (const Node* y = fields.require("y"))
      table.y = fields.list_of(*y, "y");
    else
      fields.findings().add_broken(name, table.source);
  }
  table.extrapolation = fields.choice("extrapolation", extrapolations, table.extrapolation);
  fields.finish();
  model.tables.push_back(std::move(table));
}

}  // namespace

EntityKind table_kind() {
  return {{.name = "table",
           .is_list = true,
           .meaning = "Data of a function, used as `table(NAME, x)`: a C² cubic spline through its points.",
           .keys = {name_key(),
                    {.name = "x", .type = KeyType::numbers, .meaning = "where the values belong to; must increase"},
                    {.name = "y", .type = KeyType::numbers, .meaning = "the values that belong to `x`"},
                    {.name = "file",
                     .type = KeyType::text,
                     .meaning = "instead of `x` and `y`: a CSV file, relative to the folder of the model"},
                    {.name = "x_column",
                     .type = KeyType::any,
                     .fallback = "1",
                     .meaning = "column of the file by number, or by name in its header"},
                    {.name = "y_column", .type = KeyType::any, .fallback = "2", .meaning = "the same for the values"},
                    {.name = "extrapolation",
                     .type = KeyType::word,
                     .fallback = "linear",
                     .meaning = "outside the points",
                     .words = words(extrapolations)}}},
          read_table};
}

}  // namespace trammel::detail
