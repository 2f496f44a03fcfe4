// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "trammel/math/expression.h"
#include "values.h"

namespace trammel::detail {

std::optional<Quantity> Fields::quantity_of(const Node& node, std::string_view key) const {
  Quantity value = Quantity::bare(node.number);
  if (node.kind == NodeKind::string) {
    std::string text;
    Evaluated result = interpolate(node.text, scope_, text);
    if (result.error.empty()) result = evaluate(text, scope_, &part_);
    if (!result.error.empty()) {
      report(node, fmt::format("'{}' = {}: {}", key, describe(node), result.error));
      return std::nullopt;
    }
    value = result.value;
  } else if (!node.is_number()) {
    report_type(node, key, "a number (or a formula of parameters in quotes)");
    return std::nullopt;
  }
  if (value.value.allFinite()) return value;
  report(node, fmt::format("'{}' is {}; it must be a finite number", key, value.number()));
  return std::nullopt;
}

bool Fields::has_right_unit(const Node& node, std::string_view key, const Quantity& value) const {
  const Key* described = description(key);
  if (described == nullptr || !value.dimension) return true;
  const bool is_number = described->unit.empty() && described->type == KeyType::number;
  const bool is_whole = described->type == KeyType::integer;
  const std::vector<Unit> allowed = is_number || is_whole ? std::vector<Unit>(1) : allowed_units(described->unit);
  if (allowed.empty()) return true;  // of a key that may be in any unit
  const auto fits = [&](const Unit& unit) {
    if (value.is_written) return unit.dimension == *value.dimension;
    return unit.dimension.without_angle() == value.dimension->without_angle();
  };
  if (std::any_of(allowed.begin(), allowed.end(), fits)) return true;
  report(node, fmt::format("'{}' = {} is in {} but must be {}", key, describe(node), to_string(*value.dimension),
                           is_number || is_whole ? "a number without a unit" : "in " + described->unit));
  return false;
}

bool Fields::convert(const Node& node, std::string_view key, Quantity& value) const {
  if (value.has_unit) return has_right_unit(node, key, value);
  const Key* described = part_.units.empty() ? nullptr : description(key);
  if (described == nullptr || value.value.isZero(0.0)) return true;
  const std::vector<Unit> allowed = allowed_units(described->unit);
  for (const Unit& unit : allowed)
    for (const auto& [dimension, own] : part_.units) {
      if (unit.dimension != dimension) continue;
      if (allowed.size() > 1) {
        report(node, fmt::format("'{}' = {} may be in {}; in a file with 'units' say in which, as in \"30 deg\"", key,
                                 describe(node), described->unit));
        return false;
      }
      if (value.has_pi) {
        report(node, fmt::format("'{}' = {} is made of pi, while angles of this file are not in rad; write \"90 deg\" "
                                 "or \"pi/2 * 1 rad\"",
                                 key, describe(node)));
        return false;
      }
      for (double& x : value.value) x = own.to_si(x);
      return true;
    }
  return true;
}

double Fields::number_of(const Node& node, std::string_view key, double fallback) const {
  std::optional<Quantity> value = quantity_of(node, key);
  if (!value) return fallback;
  if (value->is_vector) {
    report(node,
           fmt::format("'{}' = {} is a vector; it must be a number, as a component '.x' is", key, describe(node)));
    return fallback;
  }
  return convert(node, key, *value) ? value->number() : fallback;
}

std::vector<double> Fields::list_of(const Node& node, std::string_view key) const {
  std::vector<double> values;
  if (node.kind != NodeKind::array) {
    report_type(node, key, "a list of numbers");
    return values;
  }
  for (const Node& item : node.items) values.push_back(number_of(item, key, 0.0));
  return values;
}

Eigen::Vector3d Fields::vector_of(const Node& node, std::string_view key, const Eigen::Vector3d& fallback) const {
  if (node.kind == NodeKind::string) {
    std::optional<Quantity> value = quantity_of(node, key);
    if (!value) return fallback;
    if (!value->is_vector) {
      report(node, fmt::format("'{}' = {} is a number; it must be a vector: [x, y, z], or a formula of vectors", key,
                               describe(node)));
      return fallback;
    }
    return convert(node, key, *value) ? value->value : fallback;
  }
  if (node.kind != NodeKind::array) {
    report_type(node, key, "a list of three numbers [x, y, z]");
    return fallback;
  }
  if (node.items.size() != 3) {
    report(node, fmt::format("'{}' must be a list of three numbers [x, y, z], not of {}", key, node.items.size()));
    return fallback;
  }
  Eigen::Vector3d value;
  for (int i = 0; i < 3; ++i) value[i] = number_of(node.items[static_cast<std::size_t>(i)], key, fallback[i]);
  return value;
}

std::optional<Eigen::MatrixXd> Fields::matrix_of(const Node& node, std::string_view key, int n) const {
  const std::string wanted = fmt::format("a {0} x {0} matrix: a list of {0} rows of {0} numbers", n);
  if (node.kind != NodeKind::array) {
    report_type(node, key, wanted);
    return std::nullopt;
  }
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
  bool fits = static_cast<int>(node.items.size()) == n;
  for (const Node& row : node.items)
    fits = fits && row.kind == NodeKind::array && static_cast<int>(row.items.size()) == n;
  if (!fits) {
    report(node, fmt::format("'{}' must be {}, not {}", key, wanted, describe(node)));
    return std::nullopt;
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      matrix(i, j) = number_of(node.items[static_cast<std::size_t>(i)].items[static_cast<std::size_t>(j)], key, 0.0);
  return matrix;
}

Formula Fields::formula_of(const Node& node, std::string_view key) const {
  static const std::string zero = "0";
  Formula formula;
  formula.where = findings_.where(node.place);
  if (node.is_number()) {
    formula.text = fmt::format("{}", number_of(node, key, 0.0));
  } else if (node.kind == NodeKind::string) {
    const std::string text = text_of(node, key);
    if (may_have_unit(text)) judge_formula(node, key, text);
    formula.text = globalize(text, scope_, part_);
    const bool blank = formula.text.find_first_not_of(" \t\n") == std::string::npos;
    if (blank) {
      report(node, fmt::format("'{}' is an empty formula; write a number or a formula in quotes", key));
      formula.text = zero;
    }
  } else {
    report_type(node, key, "a number or a formula in quotes");
    formula.text = zero;
  }
  return formula;
}

// Whether the units of a formula fit each other and the key. What else is wrong with it is said by whoever compiles it.
void Fields::judge_formula(const Node& node, std::string_view key, const std::string& text) const {
  const QuantityResolver names = [&](const std::vector<std::string>& path) -> std::variant<Quantity, std::string> {
    const Quantity* value = path.size() == 1 ? scope_.find(path[0]) : nullptr;
    return value == nullptr ? std::variant<Quantity, std::string>(std::string("unknown")) : *value;
  };
  try {
    has_right_unit(node, key, judge_units(text, names));
  } catch (const ExpressionError& error) {
    report(node, fmt::format("'{}': {} (column {} of the formula)", key, error.message(), error.column()));
  }
}

}  // namespace trammel::detail
