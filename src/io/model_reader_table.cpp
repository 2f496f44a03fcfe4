#include <fmt/format.h>

#include <charconv>
#include <fstream>

#include "model_reader_entities.h"
#include "trammel/base/text.h"

namespace trammel::detail {

namespace {

// "1.0; 2.0" -> {"1.0", "2.0"}: cells between commas, semicolons, tabs or blanks.
std::vector<std::string> split_row(const std::string& line) {
  const bool marked = line.find_first_of(",;") != std::string::npos;
  const std::string separators = marked ? ",;" : " \t";
  std::vector<std::string> cells;
  std::size_t from = 0;
  while (from <= line.size()) {
    std::size_t to = line.find_first_of(separators, from);
    if (to == std::string::npos) to = line.size();
    const std::string cell = line.substr(from, to - from);
    const std::size_t first = cell.find_first_not_of(" \t\r\"");
    const std::size_t last = cell.find_last_not_of(" \t\r\"");
    if (first != std::string::npos)
      cells.push_back(cell.substr(first, last - first + 1));
    else if (marked)
      cells.emplace_back();
    from = to + 1;
  }
  return cells;
}

std::optional<double> to_number(const std::string& cell) {
  double value = 0.0;
  const char* begin = cell.data() + (!cell.empty() && cell[0] == '+' ? 1 : 0);
  const auto [end, error] = std::from_chars(begin, cell.data() + cell.size(), value);
  if (error != std::errc{} || end != cell.data() + cell.size()) return std::nullopt;
  return value;
}

// The column that a key names: a number counted from 1, or a name in the header.
int read_column(Fields& fields, const std::string& key, int fallback, const std::vector<std::string>& header) {
  const Node* node = fields.get(key);
  if (node == nullptr) return fallback;
  if (node->kind == NodeKind::string) {
    const std::string name = fields.text_of(*node, key);
    for (std::size_t i = 0; i < header.size(); ++i)
      if (header[i] == name) return static_cast<int>(i);
    const std::string near = did_you_mean(name, header);
    fields.report(*node, fmt::format("'{}': the file has no column '{}'{} It has {}", key, name,
                                     near.empty() ? "." : near, join_quoted(header)));
    return fallback;
  }
  const int column = fields.integer(key, fallback + 1);
  if (column >= 1) return column - 1;
  fields.report(*node, fmt::format("'{}' is {}; columns are counted from 1", key, column));
  return fallback;
}

void read_csv(Fields& fields, const Node& node, TableSpec& table) {
  const std::filesystem::path path = fields.part().folder / fields.text_of(node, "file");
  std::ifstream stream(path);
  if (!stream || std::filesystem::is_directory(path)) {
    fields.report(node, fmt::format("the file '{}' cannot be read", path.string()));
    fields.ignore("x_column");
    fields.ignore("y_column");
    return fields.findings().add_broken(table.name, table.source);
  }
  std::string line;
  std::vector<std::string> header;
  int x_column = 0, y_column = 1;
  bool first = true;
  for (int number = 1; std::getline(stream, line); ++number) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos || line[begin] == '#') continue;
    const std::vector<std::string> cells = split_row(line);
    if (first) {
      const bool numbers = !cells.empty() && to_number(cells[0]);
      if (!numbers) header = cells;
      x_column = read_column(fields, "x_column", 0, header);
      y_column = read_column(fields, "y_column", 1, header);
      first = false;
      if (!numbers) continue;
    }
    const auto cell = [&](int column) {
      return column < static_cast<int>(cells.size()) ? to_number(cells[static_cast<std::size_t>(column)])
                                                     : std::nullopt;
    };
    const std::optional<double> x = cell(x_column), y = cell(y_column);
    if (!x || !y) {
      const int column = !x ? x_column : y_column;
      const bool there = column < static_cast<int>(cells.size());
      fields.findings().add(
          fmt::format("{}:{}:1", path.string(), number),
          fmt::format("{}: column {} {}; every row must have a number there", fields.what(), column + 1,
                      there ? "is '" + cells[static_cast<std::size_t>(column)] + "'" : "is missing"));
      return fields.findings().add_broken(table.name, table.source);
    }
    table.x.push_back(*x);
    table.y.push_back(*y);
  }
}

}  // namespace

void read_table(Fields& fields, const std::string& name, ModelDraft& model) {
  TableSpec table;
  table.name = name;
  table.source = fields.source();
  std::string which;
  const Node* node = fields.one_of({"file", "x"}, &which);
  if (node == nullptr) {
    fields.report("its data are missing: give 'file' (a CSV file) or the lists 'x' and 'y'");
    fields.findings().add_broken(name, table.source);
  } else if (which == "file") {
    read_csv(fields, *node, table);
  } else {
    table.x = fields.list_of(*node, "x");
    if (const Node* y = fields.require("y", "the values that belong to 'x'"))
      table.y = fields.list_of(*y, "y");
    else
      fields.findings().add_broken(name, table.source);
  }
  table.extrapolation = fields.text("extrapolation", table.extrapolation);
  fields.finish();
  model.tables.push_back(std::move(table));
}

}  // namespace trammel::detail
