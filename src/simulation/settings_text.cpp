// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/settings_text.h"

#include <fmt/format.h>

#include <cmath>
#include <sstream>

#include "trammel/simulation/option.h"
#include "trammel/simulation/phases.h"

namespace trammel {

namespace {

// Strings of TOML: quotes, backslashes and control characters are escaped.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + "\"";
}

/// A value as it stands in a model file; empty for what need not be said.
struct AsToml {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(bool x) const { return x ? "true" : "false"; }
  std::string operator()(int x) const { return fmt::format("{}", x); }
  // As many digits as it takes to read back the same bits.
  std::string operator()(double x) const { return std::isfinite(x) ? fmt::format("{}", x) : std::string(); }
  std::string operator()(const std::string& x) const { return quoted(x); }
  std::string operator()(const std::vector<std::string>& x) const {
    std::string list;
    for (const std::string& item : x) list += (list.empty() ? "" : ", ") + quoted(item);
    return x.empty() ? std::string() : "[" + list + "]";
  }
};

// The tables with the options that are wanted, their names behind `prefix`.
template <class Wanted>
void add_tables(const Settings& settings, const std::string& prefix, Wanted wanted, std::string& text) {
  for (const OptionTable& table : option_tables()) {
    std::string lines;
    for (const Option& option : table.options) {
      if (settings.analysis.kind && !option.acts_in(*settings.analysis.kind)) continue;
      if (!wanted(table, option)) continue;
      if (const std::string value = std::visit(AsToml{}, option.get(settings)); !value.empty())
        lines += fmt::format("{} = {}\n", option.key.name, value);
    }
    if (!lines.empty()) text += fmt::format("{}[{}{}]\n{}", text.empty() ? "" : "\n", prefix, table.name, lines);
  }
}

}  // namespace

// With phases [solver] says what holds in all of them, and each phase the rest.
std::string settings_text(const Settings& settings) {
  std::string text;
  const auto of_phases = [&](const OptionTable& table, const Option& option) {
    return table.name.starts_with("solver") && !(table.name == "solver" && belongs_to_run(option.key.name));
  };
  add_tables(
      settings, "",
      [&](const OptionTable& table, const Option& option) {
        return settings.phases.empty() || !of_phases(table, option);
      },
      text);
  for (const Phase& phase : settings.phases) {
    text += fmt::format("\n[[phase]]\nname = {}\n", quoted(phase.name));
    if (phase.until) text += fmt::format("until = {}\n", *phase.until);
    if (!phase.event.empty()) text += fmt::format("until = {}\n", quoted(phase.event));
    Settings own = settings;
    own.solver = phase.solver, own.extensions = phase.extensions;
    add_tables(own, "phase.", of_phases, text);
  }
  return text;
}

std::map<std::string, std::string> settings_by_key(const std::string& text) {
  std::map<std::string, std::string> keys;
  std::string table, line;
  int phases = 0;
  for (std::istringstream stream(text); std::getline(stream, line);) {
    if (line.empty()) continue;
    if (line == "[[phase]]") {
      table = fmt::format("phase {}", ++phases);
    } else if (line.front() == '[') {
      table = line.substr(1, line.find(']') - 1);
      if (table.starts_with("phase.")) table = fmt::format("phase {}.{}", phases, table.substr(6));
    } else if (const std::size_t at = line.find(" = "); at != line.npos) {
      keys[table + "." + line.substr(0, at)] = line.substr(at + 3);
    }
  }
  return keys;
}

}  // namespace trammel
