// SPDX-License-Identifier: Apache-2.0
#include "trammel/base/text.h"

#include <algorithm>
#include <cctype>

namespace trammel {

namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Optimal string alignment distance: edits plus swaps of neighbouring characters.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = previous[j - 1] + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replace});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
    }
    before = previous;
    previous = current;
  }
  return previous[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> candidates) {
  // One letter can be edited into any other: only its case may differ.
  const std::size_t limit = name.size() < 2 ? 0 : std::max<std::size_t>(1, name.size() / 3);
  std::size_t best = limit + 1;
  std::string nearest;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  const std::string nearest = nearest_name(name, candidates);
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

std::string not_allowed(std::string_view word, std::span<const std::string> allowed) {
  const std::string near = did_you_mean(word, allowed);
  return "'" + std::string(word) + "'" + (near.empty() ? "." : near) + " Allowed: " + join_quoted(allowed);
}

std::string join_quoted(std::span<const std::string> names) {
  if (names.empty()) return "nothing";
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += "'" + names[i] + "'";
  }
  return text;
}

bool matches_pattern(std::string_view name, std::string_view pattern) {
  std::size_t n = 0, p = 0, star = pattern.npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*')
      star = p++, resume = n;
    else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n]))
      ++p, ++n;
    else if (star != pattern.npos)
      p = star + 1, n = ++resume;  // the star takes one more
    else
      return false;
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool is_pattern(std::string_view word) { return word.find_first_of("*?") != word.npos; }

}  // namespace trammel
