// SPDX-License-Identifier: Apache-2.0
#include "compare_axes.h"

#include <fmt/format.h>

#include <algorithm>

#include "trammel/base/error.h"
#include "trammel/base/text.h"
#include "trammel/simulation/option.h"

namespace trammel::apps {

namespace {

/// What may be compared, and the values that are tried.
const Axes known_axes{
    {"integrator", {"generalized_alpha", "midpoint", "energy_decaying", "radau", "bdf", "runge_kutta"}},
    {"formulation", {"index3", "stabilized_index2", "stabilized_index1", "coordinate_split"}},
    {"coordinates", {"absolute", "joint"}},
    {"linear_solver", {"dense", "sparse_lu", "sparse_ldlt", "skyline_ldlt", "umfpack"}}};

/// The words that `solver.NAME` takes.
std::vector<std::string> allowed_words(const std::string& name) {
  std::vector<std::string> allowed;
  const std::vector<KeyTable> tables = option_key_tables();
  for (const Key& key : *find_keys(tables, "solver"))
    if (key.name == name)
      for (const Word& word : key.words) allowed.push_back(word.name);
  return allowed;
}

/// Throws for all values that their axis does not know.
void check_values(const Axes& axes) {
  std::vector<Issue> issues;
  for (const auto& [name, values] : axes) {
    const std::vector<std::string> allowed = allowed_words(name);
    if (values.empty())
      issues.push_back({"--across " + name, fmt::format("no value is given; '{}' alone takes the usual ones", name)});
    for (const std::string& value : values)
      if (std::find(allowed.begin(), allowed.end(), value) == allowed.end())
        issues.push_back({"--across " + name, "there is no " + not_allowed(value, allowed)});
  }
  if (!issues.empty()) throw InputError(std::move(issues));
}

}  // namespace

Axes chosen_axes(const std::vector<std::string>& words) {
  Axes axes;
  std::vector<std::string> names;
  for (const auto& [name, values] : known_axes) names.push_back(name);
  for (const std::string& word : words) {
    const std::size_t equal = word.find('=');
    const std::string name = word.substr(0, equal);
    const auto known =
        std::find_if(known_axes.begin(), known_axes.end(), [&](const auto& a) { return a.first == name; });
    if (known == known_axes.end())
      throw InputError(fmt::format("'{}' cannot be compared{} There are {}", name,
                                   did_you_mean(name, names).empty() ? "." : did_you_mean(name, names),
                                   join_quoted(names)));
    axes.push_back(*known);
    if (equal == std::string::npos) continue;
    axes.back().second.clear();
    std::string value;
    for (const char c : word.substr(equal + 1) + "|") {
      if (c != '|') {
        value += c;
      } else if (!value.empty()) {
        axes.back().second.push_back(value);
        value.clear();
      }
    }
  }
  check_values(axes);
  return axes;
}

void set_axis(Settings& settings, const std::string& name, const std::string& value) {
  for (const OptionTable& table : option_tables())
    for (const Option& option : table.options)
      if (table.name == "solver" && option.key.name == name) option.set(settings, value);
}

}  // namespace trammel::apps
