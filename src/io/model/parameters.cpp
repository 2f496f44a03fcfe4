// SPDX-License-Identifier: Apache-2.0
#include "parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "entities.h"
#include "trammel/base/text.h"

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
  ParameterTable(const Fields& fields, const Node& table, const Scope& outer, std::map<std::string, double> given)
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
        finish(name, values[name]);
      else if (node.kind != NodeKind::string)
        finish(name, fields_.number_of(node, name, 1.0));
      else
        calc_formula(name, node);
    }
  }

  std::map<std::string, double> values;

 private:
  void calc_formula(const std::string& name, const Node& node) {
    std::string missing;
    const Evaluated result = evaluate(
        node.text,
        [&](const std::string& other) -> std::optional<double> {
          if (const auto it = values.find(other); it != values.end()) return it->second;
          if (nodes_.count(other) == 0) return outer_.find(other);
          if (missing.empty()) missing = other;
          return 1.0;
        },
        names_);
    if (!missing.empty()) {
      if (!on_the_way_.insert(missing).second)
        report_circle(missing);
      else
        underway_.push_back(missing);
      return;
    }
    if (!result.error.empty())
      fields_.report(node, fmt::format("'{}' = {}: {}", name, describe(node), result.error));
    else if (!std::isfinite(result.value))
      fields_.report(node, fmt::format("'{}' = {} is {}; it must be finite", name, describe(node), result.value));
    finish(name, result.error.empty() && std::isfinite(result.value) ? result.value : 1.0);
  }

  void finish(const std::string& name, double value) {
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
    values[name] = 1.0;  // a harmless value: said once is enough
  }

  const Fields& fields_;
  const Scope& outer_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, const Node*> nodes_;
  std::vector<std::string> underway_;
  std::unordered_set<std::string> on_the_way_;
};

}  // namespace

std::map<std::string, double> calc_parameters(Findings& findings, const Node& table,
                                              const std::map<std::string, double>& given, const Scope& outer,
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

}  // namespace trammel::detail
