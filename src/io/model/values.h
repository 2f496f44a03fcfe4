#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "trammel/base/error.h"
#include "trammel/mechanics/model.h"
#include "tree.h"

namespace trammel::detail {

/// Collects what is wrong, by place. One for a whole reading, over all files.
class Findings {
 public:
  int add_file(std::string name);
  int add_setting(const std::string& key);
  std::string where(const Place& place) const;
  std::size_t add(const Place& place, std::string message) { return add(where(place), std::move(message)); }
  std::size_t add(std::string place, std::string message);
  /// Takes back what `add` returned: something else says it better.
  void retract(std::size_t finding) { issues_[finding].message.clear(); }
  bool has(const std::string& place) const { return places_.count(place) > 0; }
  bool empty() const { return issues_.empty(); }
  std::size_t size() const { return issues_.size(); }

  /// An entity that could not be understood at all: what others say about it would only confuse.
  void add_broken(const std::string& name, const Source& source);

  /// Adds the model's own issues, except those that only follow from what was found already.
  void add_consequences(const std::vector<Issue>& found);

  /// All issues in the order of the texts (a file's includes follow it, `--set` comes last); what every instance of a
  /// [[repeat]] repeats is said once.
  std::vector<Issue> in_order() const;

 private:
  std::vector<std::string> files_, settings_;
  std::vector<Issue> issues_;
  std::set<std::string> places_, broken_names_, broken_places_;
};

/// Constants that numbers and names may use: parameters, indices of repeats.
class Scope {
 public:
  explicit Scope(const Scope* parent = nullptr, bool local = false) : parent_(parent), local_(local) {}
  void add(const std::string& name, double value) { values_[name] = value; }
  std::optional<double> find(const std::string& name) const;
  /// Only the values that formulas cannot know by name: indices, and parameters of included files.
  std::optional<double> find_local(const std::string& name) const;
  bool has_locals() const { return local_ || (parent_ != nullptr && parent_->has_locals()); }
  std::vector<std::string> names() const;

 private:
  const Scope* parent_;
  bool local_;
  std::map<std::string, double> values_;
};

/// A file in its role as a part of the model: the root, or one include of a file.
struct Part {
  const Part* parent = nullptr;
  std::string file;                 ///< as shown in messages
  std::filesystem::path folder;     ///< of the file: tables and includes are relative to it
  std::string prefix;               ///< of all names inside, those of the outer parts included
  std::set<std::string> own_names;  ///< without the prefix
  std::set<std::string> own_beams;  ///< those of them whose nodes have names, NAME_0, NAME_1, …
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
  Eigen::Vector3d position = Eigen::Vector3d::Zero();

  /// The full name of what `name` means here: an own entity, else one of the including files.
  std::string full_name(const std::string& name) const;
  bool is_moved() const { return rotation != Eigen::Matrix3d::Identity() || position != Eigen::Vector3d::Zero(); }
};

/// The value of a formula of constants, or what is wrong with it.
struct Evaluated {
  double value = 0.0;
  std::string error;  ///< empty: good
};
Evaluated evaluate(const std::string& text, const Scope& scope);

/// A resolver for evaluate(): the value of a name, or nothing.
using ConstantLookup = std::function<std::optional<double>(const std::string& name)>;
Evaluated evaluate(const std::string& text, const ConstantLookup& lookup, const std::vector<std::string>& names);

/// "link_{i+1}" with i = 2 -> "link_3".
Evaluated interpolate(const std::string& text, const Scope& scope, std::string& result);

/// A name as it stands in a formula: quoted unless it is a plain identifier.
std::string quoted_name(const std::string& name);

/// A formula of a part, in terms of the whole model: local constants become numbers, own names get their prefix.
std::string globalize(const std::string& formula, const Scope& scope, const Part& part);

template <class E>
using Choices = std::vector<std::pair<std::string, E>>;

/// Reads the keys of one table. Every getter makes its key a known one, reports what is wrong and then returns the
/// fallback; `finish` reports the keys that nobody asked for.
class Fields {
 public:
  Fields(Findings& findings, const Node& table, const Scope& scope, const Part& part, std::string what);

  const std::string& what() const { return what_; }
  /// "joint 'hinge'" -> "joint 'hinge' (revolute)": keys belong to a kind.
  void specify(const std::string& kind) { what_ += " (" + kind + ")"; }
  const Part& part() const { return part_; }
  const Scope& scope() const { return scope_; }
  Findings& findings() const { return findings_; }
  const Node& table() const { return table_; }

  const Node* get(const std::string& key);
  bool has(const std::string& key) { return get(key) != nullptr; }
  const Node* require(const std::string& key, const std::string& meaning);
  /// The only one of these keys that is there; several are refused; none: nullptr.
  const Node* one_of(const std::vector<std::string>& keys, std::string* which = nullptr);
  void report(const std::string& message) const { findings_.add(table_.place, what_ + ": " + message); }
  void report(const Node& at, const std::string& message) const { findings_.add(at.place, what_ + ": " + message); }
  /// "'mass' must be a number, not a boolean (true)"
  void report_type(const Node& node, const std::string& key, const std::string& wanted) const;

  double number(const std::string& key, double fallback);
  double required_number(const std::string& key, const std::string& meaning, double fallback);
  std::optional<double> optional_number(const std::string& key);
  int integer(const std::string& key, int fallback);
  bool boolean(const std::string& key, bool fallback);
  std::string text(const std::string& key, const std::string& fallback);
  /// A reference to a named thing of the model.
  std::string name(const std::string& key, const std::string& fallback);
  Eigen::Vector3d vector(const std::string& key, const Eigen::Vector3d& fallback);
  Formula formula(const std::string& key);
  template <class E>
  E choice(const std::string& key, const Choices<E>& choices, E fallback, bool* good = nullptr) {
    const Node* node = get(key);
    if (node == nullptr) return fallback;
    std::vector<std::string> names;
    for (const auto& [name, value] : choices) names.push_back(name);
    const int chosen = choose(*node, key, names);
    if (good != nullptr) *good = chosen >= 0;
    return chosen < 0 ? fallback : choices[static_cast<std::size_t>(chosen)].second;
  }

  /// Values of nodes inside this table; `key` is what messages call them.
  double number_of(const Node& node, const std::string& key, double fallback) const;
  std::string text_of(const Node& node, const std::string& key) const;
  std::string name_of(const Node& node, const std::string& key) const;
  std::vector<double> list_of(const Node& node, const std::string& key) const;
  Eigen::Vector3d vector_of(const Node& node, const std::string& key, const Eigen::Vector3d& fallback) const;
  std::optional<Eigen::MatrixXd> matrix_of(const Node& node, const std::string& key, int n) const;
  Formula formula_of(const Node& node, const std::string& key) const;
  /// The fields of a table inside this one, if it is a table.
  std::optional<Fields> inner(const Node& node, const std::string& key) const;

  void ignore(const std::string& key) { known_.push_back(key); }
  void finish();
  Source source() const;

 private:
  int choose(const Node& node, const std::string& key, const std::vector<std::string>& names) const;

  Findings& findings_;
  const Node& table_;
  const Scope& scope_;
  const Part& part_;
  std::string what_;
  std::vector<std::string> known_;
  std::map<std::string, std::size_t> missing_;  // key -> finding
};

}  // namespace trammel::detail
