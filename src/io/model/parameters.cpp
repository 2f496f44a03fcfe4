// SPDX-License-Identifier: Apache-2.0
#include "parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <unordered_map>
#include <unordered_set>

#include "entities.h"
#include "trammel/base/text.h"
#include "trammel/io/source_file.h"

namespace trammel::detail {

bool is_identifier(const std::string& text) { return !text.empty() && quoted_name(text) == text; }

bool is_reserved(const std::string& name) {
  return name == "t" || name == "pi" || name == "and" || name == "or" || name == "not" || name == ground_name;
}

namespace {

// Each parameter is evaluated when it is first needed, what it needs before it. Chains may be as long as the file: what
// is underway is a list of our own, not of calls. Meeting one that is underway closes a circle.
class ParameterTable {
 public:
  ParameterTable(const Fields& fields, const Node& table, const Scope& outer, std::map<std::string, Quantity> given)
      : values(std::move(given)), fields_(fields), outer_(outer), names_(outer.names()) {
    for (const Entry& entry : table.entries) {
      names_.push_back(entry.key);
      nodes_.try_emplace(entry.key, &entry.value);
    }
  }

  void calc(const std::string& wanted) {
    underway_.assign(1, wanted);
    on_the_way_ = {wanted};
    while (!underway_.empty()) {
      const std::string name = underway_.back();
      const Node& node = *nodes_.at(name);
      if (values.count(name) > 0)
        finish(name, Quantity(values[name]));
      else if (node.kind == NodeKind::array)
        calc_vector(name, node);
      else if (node.kind != NodeKind::string)
        finish(name, fields_.quantity_of(node, name).value_or(Quantity::bare(1.0)));
      else if (const std::optional<Quantity> value = calc_formula(name, node))
        finish(name, *value);
    }
  }

  std::map<std::string, Quantity> values;

 private:
  // Nothing: another parameter is needed first, and is underway now.
  std::optional<Quantity> calc_formula(const std::string& name, const Node& node) {
    std::string missing;
    const Evaluated result = evaluate(
        node.text,
        [&](const std::string& other) -> std::optional<Quantity> {
          if (const auto it = values.find(other); it != values.end()) return it->second;
          if (nodes_.count(other) == 0) {
            const Quantity* value = outer_.find(other);
            return value == nullptr ? std::nullopt : std::optional(*value);
          }
          if (missing.empty()) missing = other;
          return Quantity::bare(1.0);
        },
        names_, &fields_.part());
    if (!missing.empty()) {
      if (!on_the_way_.insert(missing).second)
        report_circle(missing);
      else
        underway_.push_back(missing);
      return std::nullopt;
    }
    if (result.error.empty()) return result.value;
    fields_.report(node, fmt::format("'{}' = {}: {}", name, describe(node), result.error));
    return Quantity::bare(1.0);
  }

  // [x, y, z]: a point or a direction.
  void calc_vector(const std::string& name, const Node& node) {
    Quantity vector = Quantity::bare(Eigen::Vector3d::Zero());
    if (node.items.size() != 3) {
      fields_.report(node, fmt::format("'{}' is a list of {}; a parameter is a number or a vector of three, [x, y, z]",
                                       name, node.items.size()));
      return finish(name, vector);
    }
    bool has_bare = false;
    for (std::size_t i = 0; i < 3; ++i) {
      const Node& item = node.items[i];
      std::optional<Quantity> part =
          item.kind == NodeKind::string ? calc_formula(name, item) : fields_.quantity_of(item, name);
      if (!part && item.kind == NodeKind::string) return;
      if (!part || part->is_vector) {
        if (part) fields_.report(item, fmt::format("'{}': a component of a vector must be a number", name));
        part = Quantity::bare(1.0);
      }
      vector.value[static_cast<int>(i)] = part->number();
      has_bare |= !part->has_unit && part->number() != 0.0;
      vector.has_unit |= part->has_unit;
      if (part->dimension && vector.dimension && *part->dimension != *vector.dimension)
        fields_.report(item, fmt::format("'{}': the components of a vector have one dimension, not {} and {}", name,
                                         to_string(*vector.dimension), to_string(*part->dimension)));
      if (part->dimension) vector.dimension = part->dimension;
    }
    if (has_bare && vector.has_unit && !fields_.part().units.empty())
      fields_.report(node, fmt::format("'{}': some components have a unit and some have none; in a file with 'units' "
                                       "say it of all",
                                       name));
    finish(name, vector);
  }

  void finish(const std::string& name, const Quantity& value) {
    values[name] = value;
    on_the_way_.erase(name);
    underway_.pop_back();
  }

  void report_circle(const std::string& name) {
    std::string chain;
    for (auto it = std::find(underway_.begin(), underway_.end(), name); it != underway_.end(); ++it)
      chain += "'" + *it + "' needs ";
    fields_.report(*nodes_.at(name),
                   fmt::format("the parameters depend on each other in a circle: {}'{}'", chain, name));
    // A harmless value: said once is enough.
    const bool is_vector = nodes_.at(name)->kind == NodeKind::array;
    values[name] = is_vector ? Quantity::bare(Eigen::Vector3d::Ones()) : Quantity::bare(1.0);
  }

  const Fields& fields_;
  const Scope& outer_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, const Node*> nodes_;
  std::vector<std::string> underway_;
  std::unordered_set<std::string> on_the_way_;
};

}  // namespace

std::map<std::string, Quantity> calc_parameters(Findings& findings, const Node& table,
                                                const std::map<std::string, Quantity>& given, const Scope& outer,
                                                const Part& part) {
  const Fields fields(findings, table, outer, part, "parameters", nullptr);
  if (table.kind != NodeKind::table) {
    fields.report_type(table, "parameters", "a table of numbers");
    return given;
  }
  ParameterTable parameters(fields, table, outer, given);
  for (const Entry& entry : table.entries) {
    if (!is_identifier(entry.key))
      findings.add(entry.place, fmt::format("parameters: '{}' cannot be used in formulas; a parameter's name consists "
                                            "of letters, digits and _, and does not begin with a digit",
                                            entry.key));
    else if (is_reserved(entry.key))
      findings.add(
          entry.place,
          fmt::format("parameters: '{}' has a meaning of its own in formulas; choose another name", entry.key));
    if (parameters.values.count(entry.key) == 0) parameters.calc(entry.key);
  }
  return std::move(parameters.values);
}

namespace {

std::vector<std::string> split_row(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',' || c == ';')
      cells.emplace_back();
    else if (c != '\r' && c != '"')
      cells.back() += c;
  }
  for (std::string& cell : cells) {
    cell.erase(0, std::min(cell.find_first_not_of(" \t"), cell.size()));
    cell.erase(cell.find_last_not_of(" \t") + 1);
  }
  return cells;
}

std::optional<double> read_cell(const std::string& text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good = error == std::errc{} && end == text.data() + text.size() && std::isfinite(value);
  return good ? std::optional(value) : std::nullopt;
}

}  // namespace

std::map<std::string, Quantity> read_hardpoints(Findings& findings, const Node& node, const KeyIndex* keys,
                                                const Scope& outer, const Part& part) {
  Fields fields(findings, node, outer, part, "hardpoints", keys);
  std::map<std::string, Quantity> points;
  if (node.kind != NodeKind::table) {
    fields.report_type(node, "hardpoints", "a table { file = \"points.csv\", unit = \"mm\" }");
    return points;
  }
  const Node* file_node = fields.get("file");
  const std::string unit_text = fields.text("unit", "m");
  fields.finish();
  if (file_node == nullptr) return points;
  std::optional<Unit> unit = parse_unit(unit_text);
  if (!unit || unit->dimension != Quantity::point({}).dimension) {
    fields.report(*fields.get("unit"),
                  fmt::format("'unit' is '{}', which is no unit of length such as 'mm'", unit_text));
    unit = Unit{};
  }
  const std::filesystem::path path = part.folder / fields.text_of(*file_node, "file");
  std::string text;
  if (const std::string trouble = read_source(path, text); !trouble.empty()) {
    fields.report(*file_node, fmt::format("the file '{}' cannot be read: {}", path.string(), trouble));
    return points;
  }
  std::istringstream lines(text);
  std::string line;
  bool is_first = true;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::vector<std::string> cells = split_row(line);
    if (cells[0].empty() || cells[0][0] == '#') continue;
    const bool is_row = cells.size() == 4;
    const auto x = is_row ? read_cell(cells[1]) : std::nullopt, y = is_row ? read_cell(cells[2]) : std::nullopt,
               z = is_row ? read_cell(cells[3]) : std::nullopt;
    const bool may_be_heads = std::exchange(is_first, false);
    if (is_row && may_be_heads && !x && !y && !z) continue;
    const std::string where = fmt::format("{}:{}:1", path.string(), number);
    if (!x || !y || !z)
      findings.add(where, fmt::format("hardpoints: a row must be a name and three numbers, 'lca_outer, 0.1, 0.6, 0.2', "
                                      "not '{}'",
                                      line));
    else if (!is_identifier(cells[0]) || is_reserved(cells[0]))
      findings.add(where, fmt::format("hardpoints: '{}' cannot be used in formulas; a name consists of letters, digits "
                                      "and _, and does not begin with a digit",
                                      cells[0]));
    else if (!points.emplace(cells[0], Quantity::point({unit->to_si(*x), unit->to_si(*y), unit->to_si(*z)})).second)
      findings.add(where, fmt::format("hardpoints: there are two points '{}'", cells[0]));
  }
  return points;
}

}  // namespace trammel::detail
