// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <tuple>

#include "values.h"

namespace trammel::detail {

namespace {

// "arm.toml:12:7" -> ("arm.toml", 12, 7); anything else has line 0.
std::tuple<std::string, int, int> split_place(const std::string& where) {
  const std::size_t second = where.rfind(':');
  if (second == std::string::npos || second == 0) return {where, 0, 0};
  const std::size_t first = where.rfind(':', second - 1);
  if (first == std::string::npos) return {where, 0, 0};
  int line = 0, column = 0;
  const char* text = where.data();
  if (std::from_chars(text + first + 1, text + second, line).ec != std::errc{}) return {where, 0, 0};
  if (std::from_chars(text + second + 1, text + where.size(), column).ec != std::errc{}) return {where, 0, 0};
  return {where.substr(0, first), line, column};
}

// The message without names and numbers: equal for the instances of a repeat.
std::string pattern_of(const std::string& message) {
  std::string pattern;
  char quote = 0, before = ' ';
  for (const char c : message) {
    const bool may_open = before == ' ' || before == '(' || before == '[';  // not an apostrophe
    if (quote != 0 ? c == quote : (c == '\'' || c == '"') && may_open) quote = quote == 0 ? c : '\0';
    before = c;
    const bool number = std::isdigit(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '+';
    if (quote == 0 && !number) pattern += c;
  }
  return pattern;
}

}  // namespace

int Findings::add_file(std::string name) {
  files_.push_back(std::move(name));
  return static_cast<int>(files_.size()) - 1;
}

int Findings::add_setting(const std::string& key) {
  settings_.push_back("--set " + key);
  return -static_cast<int>(settings_.size());
}

std::string Findings::where(const Place& place) const {
  if (place.file < 0) return settings_[static_cast<std::size_t>(-place.file - 1)];
  return fmt::format("{}:{}:{}", files_[static_cast<std::size_t>(place.file)], place.line, place.column);
}

std::size_t Findings::add(std::string place, std::string message) {
  places_.insert(place);
  issues_.push_back({std::move(place), std::move(message)});
  return issues_.size() - 1;
}

void Findings::add_broken(const std::string& name, const Source& source) {
  if (!name.empty()) broken_names_.insert("'" + name + "'");
  broken_places_.insert(source.entity);
  for (const auto& [key, place] : source.fields) broken_places_.insert(place);
}

void Findings::add_consequences(const std::vector<Issue>& found) {
  const std::set<std::string> before = places_;
  for (const Issue& issue : found) {
    const bool said = before.count(issue.where) > 0 && std::get<1>(split_place(issue.where)) > 0;
    const bool broken = broken_places_.count(issue.where) > 0 ||
                        std::any_of(broken_names_.begin(), broken_names_.end(), [&](const std::string& name) {
                          return issue.message.find(name) != std::string::npos;
                        });
    if (!said && !broken) add(issue.where, issue.message);
  }
}

std::vector<Issue> Findings::in_order() const {
  struct Item {
    std::tuple<int, std::size_t, int, int> order;
    const Issue* issue;
  };
  std::vector<Item> items;
  items.reserve(issues_.size());
  for (const Issue& issue : issues_) {
    if (issue.message.empty()) continue;  // retracted
    const auto [file, line, column] = split_place(issue.where);
    const auto it = std::find(files_.begin(), files_.end(), file);
    const auto set = std::find(settings_.begin(), settings_.end(), issue.where);
    const int group = it != files_.end() ? 0 : set != settings_.end() ? 2 : 1;
    const auto rank = group == 0 ? it - files_.begin() : group == 2 ? set - settings_.begin() : 0;
    items.push_back({{group, static_cast<std::size_t>(rank), line, column}, &issue});
  }
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.order < b.order; });

  std::vector<Issue> sorted;
  std::map<std::pair<std::string, std::string>, std::pair<std::size_t, int>> seen;  // place, pattern -> first, more
  const auto element = [](const std::string& message) { return message.substr(0, message.find(": ")); };
  for (const Item& item : items) {
    const std::string& message = item.issue->message;
    const auto [it, fresh] = seen.try_emplace({item.issue->where, pattern_of(message)}, sorted.size(), 0);
    const std::string& first = fresh ? message : sorted[it->second.first].message;
    // Several things that are wrong with one element are not instances of one thing: each is told.
    if (fresh || (first != message && element(first) == element(message)))
      sorted.push_back(*item.issue);
    else if (first != message)
      ++it->second.second;
  }
  for (const auto& [key, first] : seen)
    if (first.second > 0)
      sorted[first.first].message += fmt::format(" (and {} more instances of this line)", first.second);
  return sorted;
}

}  // namespace trammel::detail
