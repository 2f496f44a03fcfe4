// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "option_pairs.h"
#include "trammel/base/text.h"
#include "trammel/simulation/option.h"

namespace trammel {

namespace {

constexpr std::string_view rest = "rest";  // the name of what [solver] alone says, behind the last phase

bool is_of_solver(const OptionTable& table) { return table.name.starts_with("solver"); }

// What a phase gives, as settings.
Settings own_settings(const Phase& phase) {
  Settings own;
  own.solver = phase.solver;
  own.extensions = phase.extensions;
  return own;
}

std::string describe(const Phase& phase) { return fmt::format("phase '{}'", phase.name); }

std::string place_of(const Phase& phase, const std::string& key) {
  const std::string& place = phase.source.at(key);
  return place.empty() ? fmt::format("phase.{}.{}", phase.name, key) : place;
}

class PhaseChecks {
 public:
  PhaseChecks(const Settings& run, const Model& machine) : run_(run), machine_(machine) {}

  std::vector<Issue> find() {
    const std::vector<Phase> phases = list_phases(run_);
    for (std::size_t i = 0; i < run_.phases.size(); ++i) {
      const Phase& phase = run_.phases[i];
      check_end(phase, i + 1 == run_.phases.size());
      check_keys(phase);
      for (std::size_t k = 0; k < i; ++k)
        if (run_.phases[k].name == phase.name)
          add(place_of(phase, "name"), describe(phase) + ": another phase has this name already");
    }
    for (const Phase& phase : phases)
      for (const Issue& issue : resolve(settings_of_phase(run_, phase), machine_).issues)
        add(issue.where, issue.message, describe(phase) + ": ");
    return std::move(issues_);
  }

 private:
  void add(const std::string& where, const std::string& message, const std::string& before = {}) {
    if (said_.insert(where + "\n" + message).second) issues_.push_back({where, before + message});
  }

  // Times must rise; of what ends by an event no time is known.
  void check_end(const Phase& phase, bool is_last) {
    const auto report = [&](const std::string& message) {
      add(place_of(phase, "until"), describe(phase) + ": " + message);
    };
    if (!phase.ends_before_run() && !is_last)
      return report("has no 'until' and would last until the end, but another phase follows it");
    if (!phase.event.empty()) {
      std::vector<std::string> names;
      for (const EventSpec& event : machine_.events) names.push_back(event.name);
      if (std::find(names.begin(), names.end(), phase.event) == names.end())
        report(fmt::format("'until' names the event '{}', which the model does not have{}", phase.event,
                           did_you_mean(phase.event, names)));
      return;
    }
    if (!phase.until) return;
    const double start = run_.analysis.start.value_or(default_start), end = run_.analysis.end.value_or(default_end);
    if (!(*phase.until > last_))
      report(fmt::format("'until' is {} s, but {} {} s: phases stand in the order of their time", *phase.until,
                         last_ > start ? "the phase before it ends at" : "the analysis begins at", last_));
    else if (!(*phase.until < end))
      report(fmt::format("'until' is {} s, but the analysis ends at {} s: leave it out of the last phase", *phase.until,
                         end));
    last_ = std::max(last_, *phase.until);
  }

  void check_keys(const Phase& phase) {
    const Settings own = own_settings(phase);
    for (const OptionTable& table : option_tables()) {
      if (table.name != "solver") continue;
      for (const Option& option : table.options)
        if (belongs_to_run(option.key.name) && !std::holds_alternative<std::monostate>(option.get(own)))
          add(detail::place_of(table, option.key.name, own),
              fmt::format("{}: '{}' belongs to the run as a whole: the motion goes on in the coordinates and with the "
                          "rows in which it began; say it in [solver]",
                          describe(phase), option.key.name));
    }
  }

  const Settings& run_;
  const Model& machine_;
  double last_ = run_.analysis.start.value_or(default_start);
  std::vector<Issue> issues_;
  std::set<std::string> said_;
};

}  // namespace

bool has_phases(const Settings& settings) {
  return !settings.phases.empty() && settings.analysis.kind.value_or(AnalysisKind::dynamics) == AnalysisKind::dynamics;
}

std::vector<Phase> list_phases(const Settings& run) {
  std::vector<Phase> phases = run.phases;
  if (!phases.empty() && phases.back().ends_before_run()) phases.emplace_back().name = rest;
  return phases;
}

bool belongs_to_run(const std::string& solver_key) {
  return solver_key == "coordinates" || solver_key == "redundant" || solver_key == "strict";
}

Settings settings_of_phase(const Settings& run, const Phase& phase) {
  Settings settings = run;
  settings.phases.clear();
  const Settings own = own_settings(phase);
  for (const OptionTable& table : option_tables()) {
    if (!is_of_solver(table)) continue;
    const Source& from = source_of(table, own);
    Source& to = table.name == "solver" ? settings.solver.source : settings.solver.scaling.source;
    for (const Option& option : table.options) {
      const OptionValue value = option.get(own);
      // "auto" is said and has no value.
      const bool said = !std::holds_alternative<std::monostate>(value) || from.fields.contains(option.key.name);
      if (!said) continue;
      option.set(settings, value);
      to.fields[option.key.name] = from.at(option.key.name);
    }
  }
  return settings;
}

std::vector<Issue> find_phase_issues(const Settings& run, const Model& machine) {
  return PhaseChecks(run, machine).find();
}

}  // namespace trammel
