#include "values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "trammel/base/text.h"

namespace trammel::detail {

std::optional<double> Scope::find(const std::string& name) const {
  const auto it = values_.find(name);
  if (it != values_.end()) return it->second;
  return parent_ == nullptr ? std::nullopt : parent_->find(name);
}

std::optional<double> Scope::find_local(const std::string& name) const {
  if (!has_locals()) return std::nullopt;
  const auto it = values_.find(name);
  if (it != values_.end()) return local_ ? std::optional(it->second) : std::nullopt;
  return parent_ == nullptr ? std::nullopt : parent_->find_local(name);
}

std::vector<std::string> Scope::names() const {
  std::vector<std::string> names = parent_ == nullptr ? std::vector<std::string>{} : parent_->names();
  for (const auto& [name, value] : values_) names.push_back(name);
  return names;
}

std::string Part::full_name(const std::string& name) const {
  if (name == ground_name) return name;
  const std::size_t tail = name.find_last_not_of("0123456789");
  const bool numbered = tail != std::string::npos && tail + 1 < name.size() && name[tail] == '_';
  const std::string beam = numbered ? name.substr(0, tail) : "";
  for (const Part* part = this; part != nullptr; part = part->parent)
    if (part->own_names.count(name) > 0 || part->own_beams.count(beam) > 0) return part->prefix + name;
  return name;
}

Fields::Fields(Findings& findings, const Node& table, const Scope& scope, const Part& part, std::string what)
    : findings_(findings), table_(table), scope_(scope), part_(part), what_(std::move(what)) {}

const Node* Fields::get(const std::string& key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.push_back(key);
  return table_.find(key);
}

const Node* Fields::require(const std::string& key, const std::string& meaning) {
  const Node* node = get(key);
  if (node == nullptr)
    missing_[key] = findings_.add(table_.place, fmt::format("{}: the key '{}' is missing: {}", what_, key, meaning));
  return node;
}

const Node* Fields::one_of(const std::vector<std::string>& keys, std::string* which) {
  const Node* found = nullptr;
  std::string found_key;
  for (const std::string& key : keys) {
    const Node* node = get(key);
    if (node == nullptr) continue;
    if (found != nullptr) {
      report(*node,
             fmt::format("'{}' and '{}' exclude each other; give only one of {}", found_key, key, join_quoted(keys)));
      continue;
    }
    found = node;
    found_key = key;
  }
  if (which != nullptr) *which = found_key;
  return found;
}

void Fields::report_type(const Node& node, const std::string& key, const std::string& wanted) const {
  const bool plain = node.kind == NodeKind::table || node.kind == NodeKind::date;
  report(node, fmt::format("'{}' must be {}, not {}{}", key, wanted, kind_name(node.kind),
                           plain ? std::string() : fmt::format(" ({})", describe(node))));
}

double Fields::number(const std::string& key, double fallback) {
  const Node* node = get(key);
  return node == nullptr ? fallback : number_of(*node, key, fallback);
}

double Fields::required_number(const std::string& key, const std::string& meaning, double fallback) {
  const Node* node = require(key, meaning);
  return node == nullptr ? fallback : number_of(*node, key, fallback);
}

std::optional<double> Fields::optional_number(const std::string& key) {
  const Node* node = get(key);
  if (node == nullptr) return std::nullopt;
  const double value = number_of(*node, key, std::numeric_limits<double>::quiet_NaN());
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

int Fields::integer(const std::string& key, int fallback) {
  const Node* node = get(key);
  if (node == nullptr) return fallback;
  constexpr double largest = 2e9;  // fits an int
  const double value = number_of(*node, key, fallback);
  if (value != std::round(value) || std::abs(value) > largest) {
    report(*node, fmt::format("'{}' is {}; it must be a whole number", key, value));
    return fallback;
  }
  return static_cast<int>(value);
}

bool Fields::boolean(const std::string& key, bool fallback) {
  const Node* node = get(key);
  if (node == nullptr) return fallback;
  if (node->kind == NodeKind::boolean) return node->boolean;
  report_type(*node, key, "true or false");
  return fallback;
}

std::string Fields::text(const std::string& key, const std::string& fallback) {
  const Node* node = get(key);
  return node == nullptr ? fallback : text_of(*node, key);
}

std::string Fields::name(const std::string& key, const std::string& fallback) {
  const Node* node = get(key);
  return node == nullptr ? fallback : name_of(*node, key);
}

Eigen::Vector3d Fields::vector(const std::string& key, const Eigen::Vector3d& fallback) {
  const Node* node = get(key);
  return node == nullptr ? fallback : vector_of(*node, key, fallback);
}

Formula Fields::formula(const std::string& key) {
  const Node* node = get(key);
  return node == nullptr ? Formula{} : formula_of(*node, key);
}

double Fields::number_of(const Node& node, const std::string& key, double fallback) const {
  double value = node.number;
  if (node.kind == NodeKind::string) {
    std::string text;
    Evaluated result = interpolate(node.text, scope_, text);
    if (result.error.empty()) result = evaluate(text, scope_);
    if (!result.error.empty()) {
      report(node, fmt::format("'{}' = {}: {}", key, describe(node), result.error));
      return fallback;
    }
    value = result.value;
  } else if (!node.is_number()) {
    report_type(node, key, "a number (or a formula of parameters in quotes)");
    return fallback;
  }
  if (!std::isfinite(value)) {
    report(node, fmt::format("'{}' is {}; it must be a finite number", key, value));
    return fallback;
  }
  return value;
}

std::string Fields::text_of(const Node& node, const std::string& key) const {
  if (node.kind != NodeKind::string) {
    report_type(node, key, "a text in quotes");
    return "";
  }
  std::string text;
  const Evaluated result = interpolate(node.text, scope_, text);
  if (!result.error.empty()) report(node, fmt::format("'{}' = {}: {}", key, describe(node), result.error));
  return text;
}

std::string Fields::name_of(const Node& node, const std::string& key) const {
  if (node.kind != NodeKind::string) {
    report_type(node, key, "a name in quotes");
    return "";
  }
  return part_.full_name(text_of(node, key));
}

std::vector<double> Fields::list_of(const Node& node, const std::string& key) const {
  std::vector<double> values;
  if (node.kind != NodeKind::array) {
    report_type(node, key, "a list of numbers");
    return values;
  }
  for (const Node& item : node.items) values.push_back(number_of(item, key, 0.0));
  return values;
}

Eigen::Vector3d Fields::vector_of(const Node& node, const std::string& key, const Eigen::Vector3d& fallback) const {
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

std::optional<Eigen::MatrixXd> Fields::matrix_of(const Node& node, const std::string& key, int n) const {
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

Formula Fields::formula_of(const Node& node, const std::string& key) const {
  static const std::string zero = "0";
  Formula formula;
  formula.where = findings_.where(node.place);
  if (node.is_number()) {
    formula.text = fmt::format("{}", number_of(node, key, 0.0));
  } else if (node.kind == NodeKind::string) {
    formula.text = globalize(text_of(node, key), scope_, part_);
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

std::optional<Fields> Fields::inner(const Node& node, const std::string& key) const {
  if (node.kind == NodeKind::table) return Fields(findings_, node, scope_, part_, fmt::format("{}, '{}'", what_, key));
  report_type(node, key, "a table { ... }");
  return std::nullopt;
}

int Fields::choose(const Node& node, const std::string& key, const std::vector<std::string>& names) const {
  if (node.kind != NodeKind::string) {
    report_type(node, key, "one of " + join_quoted(names));
    return -1;
  }
  const std::string text = text_of(node, key);
  const auto it = std::find(names.begin(), names.end(), text);
  if (it != names.end()) return static_cast<int>(it - names.begin());
  std::string near = did_you_mean(text, names);
  report(node, fmt::format("'{}' is '{}'{} Allowed: {}", key, text, near.empty() ? "." : near, join_quoted(names)));
  return -1;
}

void Fields::finish() {
  for (const Entry& entry : table_.entries) {
    if (std::find(known_.begin(), known_.end(), entry.key) != known_.end()) continue;
    const std::string near = did_you_mean(entry.key, known_);
    if (const auto it = missing_.find(nearest_name(entry.key, known_)); it != missing_.end())
      findings_.retract(it->second);  // it is there, but misspelt
    findings_.add(entry.place, fmt::format("{}: unknown key '{}'{} Allowed here: {}", what_, entry.key,
                                           near.empty() ? "." : near, join_quoted(known_)));
  }
}

Source Fields::source() const {
  Source source;
  source.entity = findings_.where(table_.place);
  for (const Entry& entry : table_.entries) source.fields.emplace(entry.key, findings_.where(entry.value.place));
  return source;
}

}  // namespace trammel::detail
