// SPDX-License-Identifier: Apache-2.0
#include "values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "trammel/base/text.h"

namespace trammel::detail {

const Quantity* Scope::find(const std::string& name) const {
  const auto it = values_.find(name);
  if (it != values_.end()) return &it->second;
  return parent_ == nullptr ? nullptr : parent_->find(name);
}

const Quantity* Scope::find_local(const std::string& name) const {
  if (!has_locals()) return nullptr;
  const auto it = values_.find(name);
  if (it != values_.end()) return local_ || it->second.is_vector ? &it->second : nullptr;
  return parent_ == nullptr ? nullptr : parent_->find_local(name);
}

bool Scope::has_locals() const {
  if (local_ || (parent_ != nullptr && parent_->has_locals())) return true;
  return std::any_of(values_.begin(), values_.end(), [](const auto& entry) { return entry.second.is_vector; });
}

std::vector<std::string> Scope::names() const {
  std::vector<std::string> names = parent_ == nullptr ? std::vector<std::string>{} : parent_->names();
  for (const auto& [name, value] : values_) names.push_back(name);
  return names;
}

std::string Part::full_name(const std::string& name) const {
  if (name == ground_name) return name;
  if (const auto port = ports.find(name); port != ports.end()) return parent->full_name(port->second);
  if (const std::size_t dot = name.find('.'); dot != std::string::npos)  // a frame of a body
    return full_name(name.substr(0, dot)) + name.substr(dot);
  const std::size_t tail = name.find_last_not_of("0123456789");
  const bool numbered = tail != std::string::npos && tail + 1 < name.size() && name[tail] == '_';
  const std::string beam = numbered ? name.substr(0, tail) : "";
  for (const Part* part = this; part != nullptr; part = part->parent)
    if (part->own_names.count(name) > 0 || part->own_beams.count(beam) > 0) return part->prefix + name;
  return name;
}

Eigen::Vector3d Part::point_from_world(const Eigen::Vector3d& p) const {
  return is_moved() || is_mirrored() ? direction_from_world(p - position) : p;
}

Eigen::Vector3d Part::direction_from_world(const Eigen::Vector3d& d) const {
  return is_moved() || is_mirrored() ? Eigen::Vector3d(mirror.asDiagonal() * (rotation.transpose() * d)) : d;
}

namespace {

// The tables that may stand for a point and for a direction.
const std::vector<Key> point_keys{
    {.name = "body", .type = KeyType::name, .required = true, .meaning = "the body in whose axes `at` is measured"},
    {.name = "at",
     .type = KeyType::vector,
     .unit = "m",
     .required = true,
     .meaning = "the point [x, y, z] in the body's axes, from its origin"}};
const std::vector<Key> direction_keys{{.name = "body",
                                       .type = KeyType::name,
                                       .required = true,
                                       .meaning = "the body in whose axes the direction is given"},
                                      {.name = "direction",
                                       .type = KeyType::direction,
                                       .required = true,
                                       .meaning = "[x, y, z] or \"z\" in the axes of the body"}};

// Text of the documentation as it stands in messages: code in quotes.
std::string quoted(std::string text) {
  std::replace(text.begin(), text.end(), '`', '\'');
  return text;
}

}  // namespace

KeyIndex::KeyIndex(std::span<const Key> keys) {
  for (const Key& key : keys) {
    add(key);
    for (const std::string& kind : key.kinds)
      if (std::find(kinds_.begin(), kinds_.end(), kind) == kinds_.end()) kinds_.push_back(kind);
  }
  if (kinds_.empty()) return;
  kinds_.push_back("");  // a kind that has nothing of its own
  for (const std::string_view kind : kinds_) {
    KeyIndex& index = by_kind_.emplace_back();
    for (const Key& key : keys)
      if (key.belongs_to(kind)) index.add(key);
  }
}

void KeyIndex::add(const Key& key) {
  if (keys_.size() == capacity) throw std::logic_error("a table has more keys than the reader can count");
  names_.push_back(key.name);
  keys_.push_back(&key);
  inside_.emplace_back(key.inner);
}

int KeyIndex::find(std::string_view name) const {
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (names_[i] == name) return static_cast<int>(i);
  return -1;
}

std::vector<std::string> KeyIndex::names() const {
  std::vector<std::string> list;
  for (const std::string_view name : names_)
    if (std::find(list.begin(), list.end(), name) == list.end()) list.emplace_back(name);
  return list;
}

const KeyIndex& KeyIndex::of_kind(std::string_view kind) const {
  if (kinds_.empty()) return *this;
  const auto it = std::find(kinds_.begin(), kinds_.end() - 1, kind);
  return by_kind_[static_cast<std::size_t>(it - kinds_.begin())];
}

const KeyIndex& KeyIndex::inside(int i) const {
  static const KeyIndex of_point(point_keys), of_direction(direction_keys);
  const KeyType type = key(i).type;
  return type == KeyType::point       ? of_point
         : type == KeyType::direction ? of_direction
                                      : inside_[static_cast<std::size_t>(i)];
}

Fields::Fields(Findings& findings, const Node& table, const Scope& scope, const Part& part, std::string what,
               const KeyIndex* keys)
    : findings_(findings), table_(table), scope_(scope), part_(part), what_(std::move(what)), keys_(keys) {}

int Fields::mark(std::string_view key) {
  if (keys_ == nullptr) {
    if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
    return -1;
  }
  const int i = keys_->find(key);
  if (i < 0) throw std::logic_error(fmt::format("{}: the key '{}' is asked for but not described", what_, key));
  asked_.set(static_cast<std::size_t>(i));
  return i;
}

void Fields::ignore(std::string_view key) { mark(key); }

const Node* Fields::get(std::string_view key) {
  const int i = mark(key);
  const Node* node = table_.find(key);
  if (node == nullptr && i >= 0 && keys_->key(i).required) report_missing(key);
  return node;
}

const Node* Fields::require(std::string_view key) {
  const Node* node = get(key);
  if (node == nullptr) report_missing(key);
  return node;
}

void Fields::report_missing(std::string_view key) {
  const auto [it, fresh] = missing_.try_emplace(std::string(key), 0);
  if (!fresh) return;
  const Key& described = keys_->key(keys_->find(key));
  std::vector<std::string> names;
  for (const Word& word : described.words) names.push_back(word.name);
  std::string meaning = quoted(described.meaning);
  if (!described.unit.empty()) meaning += fmt::format(" [{}]", described.unit);
  if (!names.empty()) meaning += fmt::format("{}one of {}", meaning.empty() ? "" : "; ", join_quoted(names));
  it->second = findings_.add(table_.place, fmt::format("{}: the key '{}' is missing: {}", what_, key, meaning));
}

const Node* Fields::one_of(const std::vector<std::string>& keys, std::string* which) {
  const Node* found = nullptr;
  std::string found_key;
  for (std::string_view key : keys) {
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

void Fields::refuse(std::string_view key, std::string_view why) {
  if (get(key) == nullptr) return;
  for (const Entry& entry : table_.entries)
    if (entry.key == key) findings_.add(entry.place, fmt::format("{}: '{}' has no effect {}", what_, key, why));
}

void Fields::specify(std::string_view kind, bool is_said) {
  if (is_said) what_ += fmt::format(" ({})", kind);
  if (keys_ == nullptr) return;
  const KeyIndex& chosen = keys_->of_kind(kind);
  std::bitset<KeyIndex::capacity> asked;
  for (int i = 0; i < keys_->size(); ++i)
    if (asked_[static_cast<std::size_t>(i)])
      if (const int j = chosen.find(keys_->key(i).name); j >= 0) asked.set(static_cast<std::size_t>(j));
  keys_ = &chosen;
  asked_ = asked;
}

const Key* Fields::description(std::string_view key) const {
  const int i = keys_ == nullptr ? -1 : keys_->find(key);
  return i < 0 ? nullptr : &keys_->key(i);
}

bool Fields::is_in_range(const Node& node, std::string_view key, double value) const {
  const Key* described = description(key);
  if (described == nullptr || !described->range.is_bounded() || described->range.holds(value)) return true;
  const std::string& unit = described->unit;
  const bool is_one_unit = !unit.empty() && unit.find(',') == std::string::npos;
  report(node, fmt::format("'{}' is {}{} but must be {}", key, value, is_one_unit ? " " + unit : "",
                           described->range.condition()));
  return false;
}

void Fields::report_type(const Node& node, std::string_view key, const std::string& wanted) const {
  const bool plain = node.kind == NodeKind::table || node.kind == NodeKind::date;
  report(node, fmt::format("'{}' must be {}, not {}{}", key, wanted, kind_name(node.kind),
                           plain ? std::string() : fmt::format(" ({})", describe(node))));
}

double Fields::number(std::string_view key, double fallback) { return optional_number(key).value_or(fallback); }

std::optional<double> Fields::optional_number(std::string_view key) {
  const Node* node = get(key);
  if (node == nullptr) return std::nullopt;
  const double value = number_of(*node, key, std::numeric_limits<double>::quiet_NaN());
  return std::isnan(value) || !is_in_range(*node, key, value) ? std::nullopt : std::optional(value);
}

int Fields::integer(std::string_view key, int fallback) {
  const Node* node = get(key);
  if (node == nullptr) return fallback;
  constexpr double largest = 2e9;  // fits an int
  const double value = number_of(*node, key, std::numeric_limits<double>::quiet_NaN());
  if (std::isnan(value)) return fallback;
  if (value != std::round(value) || std::abs(value) > largest) {
    report(*node, fmt::format("'{}' is {}; it must be a whole number", key, value));
    return fallback;
  }
  return is_in_range(*node, key, value) ? static_cast<int>(value) : fallback;
}

bool Fields::boolean(std::string_view key, bool fallback) {
  const Node* node = get(key);
  if (node == nullptr) return fallback;
  if (node->kind == NodeKind::boolean) return node->boolean;
  report_type(*node, key, "true or false");
  return fallback;
}

std::string Fields::text(std::string_view key, const std::string& fallback) {
  const Node* node = get(key);
  return node == nullptr ? fallback : text_of(*node, key);
}

std::string Fields::name(std::string_view key, const std::string& fallback) {
  const Node* node = get(key);
  return node == nullptr ? fallback : name_of(*node, key);
}

Eigen::Vector3d Fields::vector(std::string_view key, const Eigen::Vector3d& fallback) {
  const Node* node = get(key);
  return node == nullptr ? fallback : vector_of(*node, key, fallback);
}

Formula Fields::formula(std::string_view key) {
  const Node* node = get(key);
  return node == nullptr ? Formula{} : formula_of(*node, key);
}

std::string Fields::text_of(const Node& node, std::string_view key) const {
  if (node.kind != NodeKind::string) {
    report_type(node, key, "a text in quotes");
    return "";
  }
  std::string text;
  const Evaluated result = interpolate(node.text, scope_, text);
  if (!result.error.empty()) report(node, fmt::format("'{}' = {}: {}", key, describe(node), result.error));
  return text;
}

std::string Fields::name_of(const Node& node, std::string_view key) const {
  if (node.kind != NodeKind::string) {
    report_type(node, key, "a name in quotes");
    return "";
  }
  return part_.full_name(text_of(node, key));
}

std::optional<Fields> Fields::inner(const Node& node, std::string_view key) const {
  const KeyIndex* keys = keys_ == nullptr ? nullptr : &keys_->inside(keys_->find(key));
  if (node.kind == NodeKind::table)
    return Fields(findings_, node, scope_, part_, fmt::format("{}, '{}'", what_, key), keys);
  report_type(node, key, "a table { ... }");
  return std::nullopt;
}

void Fields::report_choice(const Node& node, std::string_view key, const std::string& text,
                           const std::vector<std::string>& names) const {
  if (node.kind != NodeKind::string) return report_type(node, key, "one of " + join_quoted(names));
  report(node, fmt::format("'{}' is {}", key, not_allowed(text, names)));
}

void Fields::finish() {
  for (const Entry& entry : table_.entries) {
    const int i = keys_ == nullptr ? -1 : keys_->find(entry.key);
    if (i >= 0 && asked_[static_cast<std::size_t>(i)]) continue;
    if (i >= 0)
      throw std::logic_error(fmt::format("{}: the key '{}' is described but never asked for", what_, entry.key));
    const std::vector<std::string> known = keys_ == nullptr ? known_ : keys_->names();
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    const std::string near = did_you_mean(entry.key, known);
    if (const auto it = missing_.find(nearest_name(entry.key, known)); it != missing_.end())
      findings_.retract(it->second);  // it is there, but misspelt
    findings_.add(entry.place, fmt::format("{}: unknown key '{}'{} Allowed here: {}", what_, entry.key,
                                           near.empty() ? "." : near, join_quoted(known)));
  }
}

Source Fields::source() const {
  Source source;
  source.entity = findings_.where(table_.place);
  for (const Entry& entry : table_.entries) source.fields.emplace(entry.key, findings_.where(entry.value.place));
  return source;
}

}  // namespace trammel::detail
