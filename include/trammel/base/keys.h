// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trammel {

/// What may stand behind a key of a model file.
enum class KeyType {
  number,      ///< a number, or a formula of parameters in quotes
  integer,     ///< a whole number, or a formula that gives one
  boolean,     ///< true | false
  word,        ///< one of a few words
  text,        ///< any text
  name,        ///< the name of a thing of the model
  names,       ///< a list of names or texts
  numbers,     ///< a list of numbers
  vector,      ///< [x, y, z], each a number
  matrix,      ///< a number, a list of numbers or rows of numbers
  point,       ///< [x, y, z] in the world or { body = "rod", at = [x, y, z] }
  direction,   ///< [x, y, z], "x", "-y", … or { body = "rod", direction = … }
  formula,     ///< a number or a formula of what the machine does
  formulas,    ///< a list of formulas
  table,       ///< a table { … } with keys of its own
  table_list,  ///< a list of tables
  any,         ///< several of these; the meaning says which
};

/// Where a number must lie. Bounds at infinity are open: what is in range is finite, unless it is said otherwise.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = true, high_open = true;
  std::string_view words = {};  ///< a literal in place of the formula that the bounds give: "-1/3 ≤ alpha ≤ 0"

  static Range above(double low) { return {.low = low}; }
  static Range from(double low) { return {.low = low, .low_open = false}; }
  static Range between(double low, double high) {  ///< both included
    return {.low = low, .high = high, .low_open = false, .high_open = false};
  }
  bool holds(double x) const;
  bool is_bounded() const;
  /// "h > 0", "0 ≤ rtol < 1"; "h must be finite" without bounds.
  std::string formula(const std::string& name) const;
  /// The same without a name, behind "must be": "> 0", "≥ 0 and < 1".
  std::string condition() const;
  friend bool operator==(const Range&, const Range&) = default;
};

/// A word that a key takes, and what it means.
struct Word {
  std::string name;
  std::string meaning;
  friend bool operator==(const Word&, const Word&) = default;
};

/// One key of a table of a model file, described once: the reader, the checks, Python's keywords, the schema for
/// editors and the tables of the documentation follow from it.
struct Key {
  std::string name;
  KeyType type = KeyType::number;
  std::string unit = {};                ///< "m/s"; empty: none
  bool required = false;                ///< (of the kinds that have it)
  std::string fallback = {};            ///< the default as it is shown: "0", "as drawn"; empty: absent means something
  std::string meaning = {};             ///< one sentence, Markdown
  Range range = {};                     ///< number, integer
  std::vector<Word> words = {};         ///< word
  std::vector<std::string> kinds = {};  ///< the kinds of its table that have it; empty: all
  /// table, table_list: the keys inside; empty: the meaning says what stands there
  std::vector<Key> inner = {};

  bool belongs_to(std::string_view kind) const;
  friend bool operator==(const Key&, const Key&) = default;
};

/// A table of a model file, [solver] or [[body]].
struct KeyTable {
  std::string name;      ///< "solver", "body"
  bool is_list = false;  ///< [[name]]: any number of them
  std::string meaning;   ///< one sentence
  /// A key that means different things by kind has several entries, each with its kinds, one after the other.
  std::vector<Key> keys;
  std::string kind_key = "kind";  ///< whose words are the kinds
  bool holds_lists = false;       ///< the lists of tables may stand inside as well, [[repeat.body]]

  const Key* find(std::string_view name) const;
};

/// The keys of one kind as the kind describes them, without `Key::kinds`.
struct KindKeys {
  std::string_view kind;
  std::vector<Key> keys;
};

/// The keys of all kinds as those of one table: what several kinds describe in the same words is one entry. Keys stand
/// in an order that agrees with that of every kind (where there is one), those of earlier kinds first.
std::vector<Key> keys_of_kinds(std::span<const KindKeys> kinds);

/// What only this kind and some others have, as if there were no other kinds.
std::vector<Key> keys_of_kind(std::span<const Key> keys, std::string_view kind);

/// The keys of a table, or inside one: "body", "body.shape"; nullptr if there are none.
const std::vector<Key>* find_keys(std::span<const KeyTable> tables, std::string_view path);

/// The rows "| key | unit | default | meaning |" of the documentation, heads included.
std::string markdown_table(std::span<const Key> keys);

/// The tables as a JSON schema of model files, for editors that check TOML while it is written.
std::string json_schema(std::span<const KeyTable> tables);

/// What Python's help() says of a table: its meaning, and a line for each key.
std::string python_docstring(const KeyTable& table);

/// The keywords of the Python method for a table, "name" left out: each key once.
std::vector<std::string> python_keywords(const KeyTable& table);

/// A stub (.pyi) of the class whose methods the tables are, so that editors and mypy know the keywords.
std::string python_stub(std::span<const KeyTable> tables);

}  // namespace trammel
