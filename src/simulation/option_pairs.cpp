// SPDX-License-Identifier: Apache-2.0
#include "option_pairs.h"

#include <fmt/format.h>

#include <cmath>

#include "trammel/base/text.h"
#include "trammel/simulation/methods/method_parts.h"

namespace trammel::detail {

namespace {

class Pairs {
 public:
  explicit Pairs(SettingsChecks& checks) : checks_(checks), given_(checks.given), s_(checks.settings) {}

  void check() {
    check_analysis();
    check_steps();
    check_method();
    method_of(s_.solver).check(checks_);
  }

 private:
  template <class... Args>
  void report(const Args&... args) {
    checks_.report(args...);
  }

  bool is_first_order() const { return method_of(s_.solver).equations.first_order; }
  const std::string& integrator() const { return word_of(*s_.solver.integrator); }

  void check_analysis() {
    const AnalysisOptions& analysis = s_.analysis;
    if (!(*analysis.end > *analysis.start))
      report(
          "analysis", "end",
          fmt::format("'end' is {} s but must be later than 'start', which is {} s", *analysis.end, *analysis.start));
    if (analysis.kind != AnalysisKind::statics) return;
    if (*analysis.time_steps > 0 && (*analysis.load_steps > 0 || !analysis.steady->empty()))
      report(
          "analysis", "time_steps",
          "'time_steps' follow equilibria under the whole load: neither 'load_steps' nor a 'steady' motion beside it");
    if (!*analysis.arc_length) return;
    if (*analysis.load_steps < 1)
      report("analysis", "arc_length", "'arc_length' needs 'load_steps', which give the length of its first step");
    if (!analysis.steady->empty())
      report("analysis", "arc_length",
             "'arc_length' follows positions at rest, not the 'steady' motion that is asked for");
  }

  void check_steps() {
    const SolverOptions &solver = s_.solver, &said = given_.solver;
    const double span = *s_.analysis.end - *s_.analysis.start;
    for (const ControlSpec& control : checks_.machine.controls) {
      if (!solver.h || !(control.period > 0.0)) continue;
      const double steps = control.period / *solver.h;
      if (std::abs(steps - std::round(steps)) > 1e-6 * steps || steps < 0.5)
        report("h", fmt::format("the step 'h' = {} s does not divide the period {} s of the control '{}', at whose "
                                "samples steps must end",
                                *solver.h, control.period, control.name));
    }
    if (solver.h && span > 0.0 && *solver.h > span)
      report("h", fmt::format("the step 'h' = {} s is longer than the whole analysis, {} s", *solver.h, span));
    if (!solver.hmin || !solver.hmax) return;
    if (said.hmin && *solver.hmin > *solver.hmax && *solver.hmax > 0.0)
      report("hmin", fmt::format("'hmin' = {} is greater than 'hmax' = {}", *solver.hmin, *solver.hmax));
    if (said.h0 && *said.h0 > *solver.hmax)
      report("h0", fmt::format("'h0' = {} is greater than 'hmax' = {}", *said.h0, *solver.hmax));
    if (said.h0 && *said.h0 < *solver.hmin)
      report("h0", fmt::format("'h0' = {} is less than 'hmin' = {}", *said.h0, *solver.hmin));
  }

  void check_method() {
    const SolverOptions& solver = s_.solver;
    if (const FormulationDescription* formulation = formulation_of(solver)) {
      if (!is_first_order() && !formulation->traits.second_order)
        report("formulation",
               fmt::format("'{}' is a second-order method and works on 'index3'; formulation '{}' is a first-order "
                           "system for the integrators {}",
                           integrator(), formulation->name, join_quoted(first_order_integrators())));
      if (const std::string refusal = formulation->refusal(method_of(solver)); is_first_order() && !refusal.empty())
        report("formulation", refusal);
    }
    if (solver.linear_solver)
      if (const std::string obstacle = find_obstacle(*solver.linear_solver); !obstacle.empty())
        report("linear_solver", obstacle);
    if (solver.newton_stop && solver.newton_stop != NewtonStop::tolerance && !solver.h)
      report("newton_stop",
             fmt::format("newton_stop = \"{}\" does not see whether the iteration diverges, so a step cannot be "
                         "rejected: give a fixed step 'h'",
                         word_of(*solver.newton_stop)));
  }

  SettingsChecks& checks_;
  const Settings& given_;
  const Settings& s_;
};

}  // namespace

void check_pairs(const Settings& given, const Settings& settings, const Model& machine, std::vector<Issue>& found) {
  SettingsChecks checks(given, settings, machine, found);
  Pairs(checks).check();
}

std::string place_of(const OptionTable& table, const std::string& key, const Settings& given) {
  const std::string& place = source_of(table, given).at(key);
  return place.empty() ? table.name + "." + key : place;
}

}  // namespace trammel::detail

namespace trammel {

void SettingsChecks::report(const std::string& table, const std::string& key, const std::string& message) {
  for (const OptionTable& each : option_tables())
    if (each.name == table)
      found_.push_back({detail::place_of(each, key, given), fmt::format("{}: {}", table, message)});
}

}  // namespace trammel
