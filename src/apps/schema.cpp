// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "commands.h"
#include "messages.h"
#include "trammel/base/text.h"
#include "trammel/simulation/channel_table.h"

namespace trammel::apps {

namespace {

std::vector<std::string> paths_of(std::span<const KeyTable> tables) {
  std::vector<std::string> paths;
  for (const KeyTable& table : tables) {
    paths.push_back(table.name.empty() ? "file" : table.name);
    for (const Key& key : table.keys)
      if (!key.inner.empty() && paths.back() != table.name + "." + key.name)
        paths.push_back(table.name + "." + key.name);
  }
  return paths;
}

int refuse(const std::string& message) {
  complain("trammel: error: {}\nTry `trammel schema --help`.\n", message);
  return wrong_input;
}

int print_table(const SchemaCommand& command, std::span<const KeyTable> tables) {
  const std::vector<Key>* keys = find_keys(tables, command.table == "file" ? "" : command.table);
  if (keys == nullptr) {
    const std::vector<std::string> paths = paths_of(tables);
    return refuse(fmt::format("there is no table '{}'{}\n    Tables: {}", command.table,
                              did_you_mean(command.table, paths), join_quoted(paths)));
  }
  if (command.kind.empty()) {
    fmt::print("{}", markdown_table(*keys));
    return success;
  }
  const std::vector<Key> chosen = keys_of_kind(*keys, command.kind);
  if (chosen.empty()) return refuse(fmt::format("no key of '{}' is of kind '{}' alone", command.table, command.kind));
  fmt::print("{}", markdown_table(chosen));
  return success;
}

}  // namespace

int schema(const SchemaCommand& command, std::span<const KeyTable> tables) {
  if (command.channels) {
    fmt::print("{}", channel_table());
    return success;
  }
  if (command.format == "markdown") return print_table(command, tables);
  fmt::print("{}\n", command.format == "json" ? json_schema(tables) : python_stub(tables));
  return success;
}

}  // namespace trammel::apps
