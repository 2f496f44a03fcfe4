// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace trammel {

inline const std::string ground_name = "ground";

/// Where a description stands in the user's text; empty for models built in code.
struct Source {
  std::string entity = {};                         ///< "arm.toml:12:1", the head of the table
  std::map<std::string, std::string> fields = {};  ///< key -> "arm.toml:14:8", the value of that key

  /// The place of one key, else of the whole table, else "".
  const std::string& at(const std::string& field) const {
    const auto it = fields.find(field);
    return it == fields.end() ? entity : it->second;
  }
};

/// A formula in the expression language (docs/expressions.md): of `t`, parameters, measures, states, reactions.
struct Formula {
  std::string text = {};   ///< empty: not given
  std::string where = {};  ///< where the text stands in the user's file
  bool given() const { return !text.empty(); }
};

}  // namespace trammel
