// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "trammel/io/model_reader.h"

namespace trammel {

/// A pendulum that is right in every respect; tests add to it or spoil it.
inline const std::string pendulum = R"toml(title = "pendulum"
gravity = [0, 0, -9.81]

[parameters]
L = 2
m = "3*L"

[[body]]
name = "rod"
mass = "m"
inertia = [0.1, 2, 2]
position = ["L/2", 0, 0]

[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "rod"]
point = [0, 0, 0]
axis = "y"

[analysis]
end = 2

[solver]
h = 1e-3
)toml";

inline Study read(const std::string& text, const std::vector<std::string>& settings = {}) {
  return read_study_text(text, "model.toml", settings);
}

/// The issues of a text that must be refused.
inline std::vector<Issue> refusals(const std::string& text, const std::vector<std::string>& settings = {}) {
  try {
    read_study_text(text, "model.toml", settings);
  } catch (const InputError& error) {
    return error.issues();
  }
  ADD_FAILURE() << "accepted:\n" << text;
  return {};
}

/// "model.toml:3:8" for the first occurrence of `mark` in the text: where a message must point.
inline std::string place_of(const std::string& text, const std::string& mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return "no '" + mark + "' in the text";
  const std::ptrdiff_t line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  const std::size_t begin = text.rfind('\n', at) == std::string::npos || at == 0 ? 0 : text.rfind('\n', at) + 1;
  return "model.toml:" + std::to_string(line) + ":" + std::to_string(at - begin + 1);
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) {
    ADD_FAILURE() << "no '" << from << "' in the text";
    return text;
  }
  return text.replace(at, from.size(), to);
}

/// The text is refused with exactly one issue, at the place of `mark`, whose message contains all `words`.
inline void expect_refused(const std::string& text, const std::string& mark, const std::vector<std::string>& words,
                           const std::vector<std::string>& settings = {}) {
  const std::vector<Issue> found = refusals(text, settings);
  const std::string where = mark.rfind("--set", 0) == 0 ? mark : place_of(text, mark);
  if (found.size() != 1) {
    ADD_FAILURE() << found.size() << " issues instead of one at " << where;
    for (const Issue& issue : found) ADD_FAILURE() << issue.where << ": " << issue.message;
    return;
  }
  EXPECT_EQ(found[0].where, where) << found[0].message;
  for (const std::string& word : words)
    EXPECT_NE(found[0].message.find(word), std::string::npos) << "no '" << word << "' in: " << found[0].message;
}

}  // namespace trammel
