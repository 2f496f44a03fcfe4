// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <bitset>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trammel/base/error.h"
#include "trammel/base/keys.h"
#include "trammel/math/quantity.h"
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
  void add(const std::string& name, const Quantity& value) { values_[name] = value; }
  /// nullptr: there is none.
  const Quantity* find(const std::string& name) const;
  /// Only the values that formulas cannot know by name: indices, parameters of included files, vectors.
  const Quantity* find_local(const std::string& name) const;
  bool has_locals() const;
  std::vector<std::string> names() const;

 private:
  const Scope* parent_;
  bool local_;
  std::map<std::string, Quantity> values_;
};

class Frames;

/// A file in its role as a part of the model: the root, or one include of a file.
///
/// A point x of its drawing is drawn in the world at p + R B x. R is a rotation. B = diag(±1, ±1, ±1) has the signs of
/// the mirrors on the way; things are read as if there were none (p + R x) and are reflected when all are read.
struct Part {
  const Part* parent = nullptr;
  std::string file;                 ///< as shown in messages
  std::filesystem::path folder;     ///< of the file: tables and includes are relative to it
  std::string prefix;               ///< of all names inside, those of the outer parts included
  std::set<std::string> own_names;  ///< without the prefix
  std::set<std::string> own_beams;  ///< those of them whose nodes have names, NAME_0, NAME_1, …
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  Eigen::Vector3d mirror = Eigen::Vector3d::Ones();  ///< diagonal of B
  std::map<std::string, std::string> ports;          ///< what the including file connects, in its words
  std::vector<std::pair<Dimension, Unit>> units;     ///< of bare numbers, where it is not SI
  const Frames* frames = nullptr;                    ///< of the whole model

  /// The full name of what `name` means here: a port, an own entity, else one of the including files.
  std::string full_name(const std::string& name) const;
  bool is_moved() const { return rotation != Eigen::Matrix3d::Identity() || position != Eigen::Vector3d::Zero(); }
  bool is_mirrored() const { return mirror != Eigen::Vector3d::Ones(); }
  Eigen::Matrix3d reflection() const { return rotation * mirror.asDiagonal() * rotation.transpose(); }
  /// A point and a direction of the drawing of the whole machine in this part's drawing.
  Eigen::Vector3d point_from_world(const Eigen::Vector3d& p) const;
  Eigen::Vector3d direction_from_world(const Eigen::Vector3d& d) const;
};

/// The value of a formula of constants, or what is wrong with it.
struct Evaluated {
  Quantity value;
  std::string error;  ///< empty: good
};
/// `part` (if any): its frames are known as points, and its `units` forbid sums of numbers with and without a unit.
Evaluated evaluate(const std::string& text, const Scope& scope, const Part* part = nullptr);

/// A resolver for evaluate(): the value of a name, or nothing.
using ConstantLookup = std::function<std::optional<Quantity>(const std::string& name)>;
Evaluated evaluate(const std::string& text, const ConstantLookup& lookup, const std::vector<std::string>& names,
                   const Part* part);

/// Whether a formula may hold a number with a unit: a letter right behind a number.
bool may_have_unit(const std::string& text);

/// "link_{i+1}" with i = 2 -> "link_3".
Evaluated interpolate(const std::string& text, const Scope& scope, std::string& result);

/// A name as it stands in a formula: quoted unless it is a plain identifier.
std::string quoted_name(const std::string& name);

/// A formula of a part, in terms of the whole model: local constants become numbers, own names get their prefix.
std::string globalize(const std::string& formula, const Scope& scope, const Part& part);

/// A word that a key takes, what it stands for, and what it means to people.
template <class E>
struct Choice {
  std::string name;
  E value;
  std::string meaning = {};
};
template <class E>
using Choices = std::vector<Choice<E>>;

/// The words of a key's description.
template <class E>
std::vector<Word> words(const Choices<E>& choices) {
  std::vector<Word> list;
  for (const Choice<E>& choice : choices) list.push_back({choice.name, choice.meaning});
  return list;
}

/// The described keys of a table by name: those of all kinds, or those of one. Made once for each table, and cheap to
/// ask: a model may have a hundred thousand bodies. Refers to the descriptions.
class KeyIndex {
 public:
  KeyIndex() = default;
  explicit KeyIndex(std::span<const Key> keys);

  static constexpr std::size_t capacity = 128;  ///< keys of one table
  int find(std::string_view name) const;        ///< −1 if there is no such key
  const Key& key(int i) const { return *keys_[static_cast<std::size_t>(i)]; }
  int size() const { return static_cast<int>(keys_.size()); }
  std::vector<std::string> names() const;  ///< each once
  /// The keys of one kind; those of the whole table if they do not depend on the kind.
  const KeyIndex& of_kind(std::string_view kind) const;
  /// The keys of the table that stands behind a key, of { body, at } for a point.
  const KeyIndex& inside(int i) const;

 private:
  void add(const Key& key);

  std::vector<std::string_view> names_;
  std::vector<const Key*> keys_;
  std::vector<KeyIndex> inside_;
  std::vector<std::string_view> kinds_;
  std::vector<KeyIndex> by_kind_;
};

/// Reads the keys of one table as they are described. Asking for a key that is not described is a defect of the reader;
/// so is a described key that is there and that nobody asked for, which `finish` finds. Every getter reports what is
/// wrong, also that a required key is missing, and then returns the fallback.
class Fields {
 public:
  /// Without `keys` every key that is asked for is a known one.
  Fields(Findings& findings, const Node& table, const Scope& scope, const Part& part, std::string what,
         const KeyIndex* keys);

  const std::string& what() const { return what_; }
  const Part& part() const { return part_; }
  const Scope& scope() const { return scope_; }
  Findings& findings() const { return findings_; }
  const Node& table() const { return table_; }

  const Node* get(std::string_view key);
  bool has(std::string_view key) { return get(key) != nullptr; }
  /// A key that is needed because of others.
  const Node* require(std::string_view key);
  /// Whether this kind has the key.
  bool knows(std::string_view key) const { return keys_->find(key) >= 0; }
  bool requires_key(std::string_view key) const { return knows(key) && description(key)->required; }
  /// The words that a key's description allows.
  std::vector<Word> words_of(std::string_view key) const {
    const Key* described = description(key);
    return described == nullptr ? std::vector<Word>{} : described->words;
  }
  /// The only one of these keys that is there; several are refused; none: nullptr.
  const Node* one_of(const std::vector<std::string>& keys, std::string* which = nullptr);
  /// A key that has no effect because of others: "'speed' has no effect without 'friction'".
  void refuse(std::string_view key, std::string_view why);
  void report(const std::string& message) const { findings_.add(table_.place, what_ + ": " + message); }
  void report(const Node& at, const std::string& message) const { findings_.add(at.place, what_ + ": " + message); }
  void report_missing(std::string_view key);
  /// "'mass' must be a number, not a boolean (true)"
  void report_type(const Node& node, std::string_view key, const std::string& wanted) const;

  /// Numbers must be in the range of their description.
  double number(std::string_view key, double fallback);
  std::optional<double> optional_number(std::string_view key);
  int integer(std::string_view key, int fallback);
  bool boolean(std::string_view key, bool fallback);
  std::string text(std::string_view key, const std::string& fallback);
  /// A reference to a named thing of the model.
  std::string name(std::string_view key, const std::string& fallback);
  Eigen::Vector3d vector(std::string_view key, const Eigen::Vector3d& fallback);
  Formula formula(std::string_view key);
  /// `good`: a word of the choices, or none where none is needed.
  template <class E>
  E choice(std::string_view key, const Choices<E>& choices, E fallback, bool* good = nullptr) {
    const Node* node = get(key);
    if (good != nullptr) *good = node != nullptr || missing_.count(std::string(key)) == 0;
    if (node == nullptr) return fallback;
    const std::string text = node->kind == NodeKind::string ? text_of(*node, key) : "";
    if (node->kind == NodeKind::string)
      for (const Choice<E>& choice : choices)
        if (choice.name == text) return choice.value;
    std::vector<std::string> names;
    for (const Choice<E>& choice : choices) names.push_back(choice.name);
    report_choice(*node, key, text, names);
    if (good != nullptr) *good = false;
    return fallback;
  }
  /// The kind of the table, whose keys it then has: "joint 'hinge'" becomes "joint 'hinge' (revolute)". False if there
  /// is no telling which.
  template <class E>
  bool kind(const Choices<E>& choices, E& kind, std::string_view key = "kind") {
    bool good = true;
    kind = choice(key, choices, kind, &good);
    for (const Choice<E>& choice : choices)
      if (good && choice.value == kind) {
        specify(choice.name, table_.find(key) != nullptr);
        break;
      }
    return good;
  }

  /// Values of nodes inside this table; `key` is what messages call them.
  double number_of(const Node& node, std::string_view key, double fallback) const;
  std::string text_of(const Node& node, std::string_view key) const;
  std::string name_of(const Node& node, std::string_view key) const;
  std::vector<double> list_of(const Node& node, std::string_view key) const;
  Eigen::Vector3d vector_of(const Node& node, std::string_view key, const Eigen::Vector3d& fallback) const;
  /// A number or a vector as it stands there, its unit not looked at; nothing (which is reported) if it is neither.
  std::optional<Quantity> quantity_of(const Node& node, std::string_view key) const;
  std::optional<Eigen::MatrixXd> matrix_of(const Node& node, std::string_view key, int n) const;
  Formula formula_of(const Node& node, std::string_view key) const;
  /// Reports a number that is not in the range of its key.
  bool is_in_range(const Node& node, std::string_view key, double value) const;
  /// The fields of a table inside this one, if it is a table.
  std::optional<Fields> inner(const Node& node, std::string_view key) const;

  /// A key that is read elsewhere, or not at all because something else is wrong.
  void ignore(std::string_view key);
  void finish();
  Source source() const;

 private:
  const Key* description(std::string_view key) const;
  int mark(std::string_view key);  // as asked for; its place in keys_, or −1 without
  void specify(std::string_view kind, bool is_said);
  // In SI: by its own unit, which must fit the key's, or by the file's for such keys. False: reported.
  bool convert(const Node& node, std::string_view key, Quantity& value) const;
  bool has_right_unit(const Node& node, std::string_view key, const Quantity& value) const;
  void judge_formula(const Node& node, std::string_view key, const std::string& text) const;
  void report_choice(const Node& node, std::string_view key, const std::string& text,
                     const std::vector<std::string>& names) const;

  Findings& findings_;
  const Node& table_;
  const Scope& scope_;
  const Part& part_;
  std::string what_;
  const KeyIndex* keys_;
  std::bitset<KeyIndex::capacity> asked_;
  std::vector<std::string> known_;              // without keys_
  std::map<std::string, std::size_t> missing_;  // key -> finding
};

}  // namespace trammel::detail
