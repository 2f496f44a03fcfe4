// SPDX-License-Identifier: Apache-2.0
#include "trammel/io/model_tables.h"

#include <algorithm>
#include <mutex>

#include "entities.h"
#include "trammel/simulation/option.h"

namespace trammel {

namespace {

KeyTable root_table() {
  return {.name = "",
          .meaning = "The model itself.",
          .keys = {
              {.name = "format",
               .type = KeyType::integer,
               .fallback = "1",
               .meaning = "version of the language of model files; this program reads 1"},
              {.name = "title", .type = KeyType::text, .fallback = "\"\"", .meaning = "shown in results"},
              {.name = "gravity",
               .type = KeyType::vector,
               .unit = "m/s²",
               .fallback = "[0, 0, -9.81]",
               .meaning = "in the world"},
              {.name = "max_elements",
               .type = KeyType::integer,
               .fallback = "1000000",
               .meaning = "more bodies, joints, … than this, made by `[[repeat]]` and `[[include]]`, or elements "
                          "of beams are refused before they are made",
               .range = Range::between(1.0, 1e9)},
              {.name = "units",
               .type = KeyType::table,
               .fallback = "SI",
               .meaning = "of this file's bare numbers: `{ length = \"mm\", angle = \"deg\" }`",
               .inner = detail::unit_choice_keys()},
              {.name = "parameters",
               .type = KeyType::table,
               .meaning = "a table: numbers or vectors `[x, y, z]` with names, or formulas of other parameters in "
                          "any order"},
              {.name = "hardpoints",
               .type = KeyType::table,
               .meaning = "points from a CSV file as parameters: `{ file = \"axle.csv\", unit = \"mm\" }`",
               .inner =
                   {{.name = "file",
                     .type = KeyType::text,
                     .required = true,
                     .meaning = "rows `name, x, y, z`, relative to the folder of this file; `#` begins a comment"},
                    {.name = "unit", .type = KeyType::text, .fallback = "m", .meaning = "of the numbers in the file"}}},
              {.name = "ports",
               .type = KeyType::table,
               .meaning = "of a part: what an [[include]] of this file must connect, each a `\"body\"`, a "
                          "`\"frame\"` or a `\"joint\"`: `{ base = \"body\", eye = \"frame\" }`"}}};
}

KeyTable repeat_table() {
  return {.name = "repeat",
          .is_list = true,
          .meaning = "The tables inside, many times.",
          .keys = {{.name = "count",
                    .type = KeyType::integer,
                    .required = true,
                    .meaning = "how many times the tables below are repeated",
                    .range = Range::between(0.0, 1e7)},  // more than memory holds: a slip in the formula
                   {.name = "index",
                    .type = KeyType::text,
                    .fallback = "i",
                    .meaning = "the name of the index, for numbers and formulas, and in texts as `{i}`"},
                   {.name = "start", .type = KeyType::integer, .fallback = "0", .meaning = "its first value"},
                   {.name = "parameters",
                    .type = KeyType::table,
                    .meaning = "numbers with names that are evaluated anew for each instance"}},
          .holds_lists = true};
}

KeyTable include_table() {
  return {.name = "include",
          .is_list = true,
          .meaning = "The parts of another model file.",
          .keys = detail::together(
              {{{.name = "file",
                 .type = KeyType::text,
                 .required = true,
                 .meaning = "the model file to include, relative to this file; or a robot, as a URDF file (.urdf)"},
                {.name = "prefix",
                 .type = KeyType::text,
                 .fallback = "\"\"",
                 .meaning = "put before every name of the part (`ground` excepted)"},
                {.name = "parameters",
                 .type = KeyType::table,
                 .meaning = "values instead of those of the part: `{ L = 2, k = \"3*k0\" }`"},
                {.name = "ports",
                 .type = KeyType::table,
                 .meaning = "what the ports of the part are connected to: `{ base = \"ground\", eye = \"boom.eye\" }`"},
                {.name = "at",
                 .type = KeyType::vector,
                 .unit = "m",
                 .fallback = "[0, 0, 0]",
                 .meaning = "where the part's drawing is placed"},
                {.name = "mirror",
                 .type = KeyType::word,
                 .fallback = "none",
                 .meaning = "the part's drawing is reflected at its plane x, y or z = 0 before it is placed",
                 .words = {{"x", ""}, {"y", ""}, {"z", ""}}},
                {.name = "base",
                 .type = KeyType::word,
                 .fallback = "fixed",
                 .meaning = "of a URDF file: what holds the root link",
                 .words = {{"fixed", "to the ground"}, {"floating", "nothing"}}},
                {.name = "packages",
                 .type = KeyType::names,
                 .meaning = "of a URDF file: folders in which `package://NAME/…` is searched, relative to this file"}},
               detail::orientation_keys(
                   "of the part (positions, points, axes, velocities and world forces turn with it)")})};
}

Key key_of(const KeyTable& table) {
  return {.name = table.name, .type = table.is_list ? KeyType::table_list : KeyType::table, .meaning = table.meaning};
}

// The keys of a table and the tables that may stand in it: all of them in a file, lists in a [[repeat]].
std::vector<Key> with_tables(const KeyTable& table, std::span<const KeyTable> tables) {
  std::vector<Key> keys = table.keys;
  for (const KeyTable& other : tables)
    if (other.is_list || (table.name.empty() && !other.name.empty())) keys.push_back(key_of(other));
  return keys;
}

std::vector<KeyTable> tables_of(std::span<const detail::EntityKind> entities) {
  std::vector<KeyTable> list{root_table()};
  for (const detail::EntityKind& entity : entities) list.push_back(entity.table);
  list.push_back(repeat_table());
  list.push_back(include_table());
  return list;
}

std::vector<KeyTable> with_options(std::vector<KeyTable> tables) {
  for (KeyTable& table : option_key_tables()) tables.push_back(std::move(table));
  return tables;
}

// In the order in which they are read. Bodies first: a hinge of a planar body takes its axis from it.
std::vector<detail::EntityKind> entities_of(const Kinds& kinds) {
  using namespace detail;
  return {body_kind(),         frame_kind(), beam_kind(),       coordinate_kind(), joint_kind(kinds),    coupler_kind(),
          motion_kind(),       road_kind(),  force_kind(kinds), actuator_kind(),   control_kind(kinds),  input_kind(),
          measure_kind(kinds), event_kind(), phase_kind(),      table_kind(),      geometry_kind(kinds), contact_kind(),
          friction_kind(),     track_kind(), wheel_kind(),      flange_stop_kind()};
}

}  // namespace

const std::vector<KeyTable>& entity_tables() {
  static const std::vector<KeyTable> tables = tables_of(entities_of(standard_kinds()));
  return tables;
}

const std::vector<KeyTable>& model_tables() {
  static std::mutex lock;
  const std::lock_guard guard(lock);
  static std::vector<KeyTable> tables;
  static int version = -1;
  if (version != option_tables_version()) {
    version = option_tables_version();
    tables = make_model_tables(standard_kinds());
  }
  return tables;
}

std::vector<KeyTable> make_model_tables(const Kinds& kinds) { return with_options(tables_of(entities_of(kinds))); }

namespace detail {

ModelTables::ModelTables(const Kinds& kinds) : entities_(entities_of(kinds)) {
  const std::vector<KeyTable> tables = with_options(tables_of(entities_));
  described_.reserve(tables.size());  // indices refer to the keys
  for (const KeyTable& table : tables) {
    const bool open = table.name.empty() || table.holds_lists;
    described_.push_back({table.name, open ? with_tables(table, tables) : table.keys, {}, table.is_list});
  }
  for (Described& entry : described_) entry.index = KeyIndex(entry.keys);
}

const KeyIndex* ModelTables::find(std::string_view name) const {
  const auto it =
      std::find_if(described_.begin(), described_.end(), [&](const Described& entry) { return entry.name == name; });
  return it == described_.end() ? nullptr : &it->index;
}

const KeyIndex* ModelTables::find_entity(std::string_view name) const {
  const bool known =
      std::any_of(entities_.begin(), entities_.end(), [&](const EntityKind& kind) { return kind.table.name == name; });
  return known ? find(name) : nullptr;
}

std::vector<std::string> ModelTables::lists() const {
  std::vector<std::string> names;
  for (const Described& entry : described_)
    if (entry.is_list) names.push_back(entry.name);
  return names;
}

std::shared_ptr<const ModelTables> find_model_tables(const Kinds& kinds) {
  if (&kinds != &standard_kinds()) return std::make_shared<ModelTables>(kinds);
  static std::mutex lock;
  const std::lock_guard guard(lock);
  static std::shared_ptr<const ModelTables> tables;
  static int version = -1;
  if (version != option_tables_version()) {
    version = option_tables_version();
    tables = std::make_shared<ModelTables>(kinds);
  }
  return tables;
}

}  // namespace detail

}  // namespace trammel
