// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trammel::detail {

/// Where a key or value stands. `file` counts the texts that were opened; a negative one is a `--set` (−1: the first).
struct Place {
  int file = 0;
  int line = 0;
  int column = 0;
};

enum class NodeKind { boolean, integer, real, string, array, table, date };

struct Entry;

/// A TOML value with its place, entries in the order of the text. A tree of our own, because the parsing library is
/// slow to compile, iterates by key and forgets the place of values that are changed.
struct Node {
  NodeKind kind = NodeKind::table;
  Place place;
  bool boolean = false;
  double number = 0.0;
  std::string text;
  std::vector<Node> items;
  std::vector<Entry> entries;

  const Node* find(std::string_view key) const;
  bool is_number() const { return kind == NodeKind::integer || kind == NodeKind::real; }
};

struct Entry {
  std::string key;
  Place place;
  Node value;
};

/// Parts of a key, "body.rod.mass" has three, and levels of tables in one another. Nothing here needs ten.
inline constexpr std::size_t most_key_parts = 32;
inline constexpr int deepest_table = 1000;

/// The tree of a TOML text; throws InputError at "name:line:column" if the syntax is wrong.
Node parse_toml(const std::string& text, const std::string& name, int file);

/// The value of a `--set`: a TOML value, or plain text if it is not one (`solver.integrator=hht`).
Node parse_setting(const std::string& text, int file);

/// "true", "'abc'", "[1, 2, …]": a value as it is shown in messages; long ones are cut.
std::string describe(const Node& node);

/// "a number", "text", ….
std::string_view kind_name(NodeKind kind);

}  // namespace trammel::detail
