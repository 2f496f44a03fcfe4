#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/base/text.h"
#include "trammel/linalg/linear_solver.h"
#include "trammel/simulation/options.h"

namespace trammel {

namespace {

class OptionChecks {
 public:
  OptionChecks(const Source& source, std::string table) : source_(source), table_(std::move(table)) {}

  void report(const std::string& key, const std::string& message) {
    const std::string& place = source_.at(key);
    found_.push_back({place.empty() ? table_ + "." + key : place, fmt::format("{}: {}", table_, message)});
  }
  void range(const std::string& key, double value, bool good, const std::string& formula) {
    if (!good) report(key, fmt::format("'{}' is {} but {} must hold", key, value, formula));
  }
  void name(const std::string& key, const std::string& value, const std::vector<std::string>& allowed) {
    if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return;
    const std::string near = did_you_mean(value, allowed);
    report(key, fmt::format("'{}' is '{}'{} Allowed: {}", key, value, near.empty() ? "." : near, join_quoted(allowed)));
  }
  bool given(const std::string& key) const { return source_.fields.count(key) > 0; }
  void append_to(std::vector<Issue>& all) const { all.insert(all.end(), found_.begin(), found_.end()); }

 private:
  const Source& source_;
  std::string table_;
  std::vector<Issue> found_;
};

void check_analysis(const AnalysisOptions& analysis, std::vector<Issue>& all) {
  OptionChecks checks(analysis.source, "analysis");
  checks.range("start", analysis.start, std::isfinite(analysis.start), "a finite time");
  if (!(analysis.end > analysis.start) || !std::isfinite(analysis.end))
    checks.report("end", fmt::format("'end' is {} s but must be later than 'start', which is {} s", analysis.end,
                                     analysis.start));
  const bool statics = analysis.kind == AnalysisKind::statics;
  checks.range("load_steps", analysis.load_steps, analysis.load_steps >= 0,
               "0 (relax to a stable equilibrium) or more");
  if (statics && analysis.arc_length && analysis.load_steps < 1)
    checks.report("arc_length", "'arc_length' needs 'load_steps', which give the length of its first step");
  if (analysis.arc_length && !analysis.steady.empty())
    checks.report("arc_length", "'arc_length' follows positions at rest, not the 'steady' motion that is asked for");
  for (const char* key : {"load_steps", "arc_length", "steady"})
    if (checks.given(key) && !statics) checks.report(key, fmt::format("'{}' belongs to kind = \"statics\"", key));
  checks.append_to(all);
}

void check_steps(const SolverOptions& solver, const AnalysisOptions& analysis, OptionChecks& checks) {
  const double span = analysis.end - analysis.start;
  if (solver.h) {
    checks.range("h", *solver.h, *solver.h > 0.0 && std::isfinite(*solver.h), "h > 0");
    if (span > 0.0 && *solver.h > span)
      checks.report("h", fmt::format("the step 'h' = {} s is longer than the whole analysis, {} s", *solver.h, span));
    for (const char* key : {"h0", "hmin", "hmax", "rtol", "atol"})
      if (checks.given(key))
        checks.report(key,
                      fmt::format("'{}' belongs to a run with error control, and 'h' makes the step fixed; give one or "
                                  "the other",
                                  key));
    if (solver.h0 && !checks.given("h0"))
      checks.report("h0", "'h0' is given with a fixed step 'h'; give one or the other");
  } else {
    if (solver.h0) checks.range("h0", *solver.h0, *solver.h0 > 0.0 && std::isfinite(*solver.h0), "h0 > 0");
    checks.range("hmin", solver.hmin, solver.hmin >= 0.0 && std::isfinite(solver.hmin), "hmin ≥ 0");
    checks.range("hmax", solver.hmax, solver.hmax > 0.0, "hmax > 0");
    if (solver.hmin > solver.hmax && solver.hmax > 0.0)
      checks.report("hmin", fmt::format("'hmin' = {} is greater than 'hmax' = {}", solver.hmin, solver.hmax));
    if (solver.h0 && *solver.h0 > solver.hmax)
      checks.report("h0", fmt::format("'h0' = {} is greater than 'hmax' = {}", *solver.h0, solver.hmax));
    if (solver.h0 && *solver.h0 < solver.hmin)
      checks.report("h0", fmt::format("'h0' = {} is less than 'hmin' = {}", *solver.h0, solver.hmin));
  }
  checks.range("rtol", solver.rtol, solver.rtol >= 0.0 && solver.rtol < 1.0, "0 ≤ rtol < 1");
  checks.range("atol", solver.atol, solver.atol > 0.0 && std::isfinite(solver.atol), "atol > 0");
}

const std::vector<std::string> formulations{"index3", "stabilized_index2", "stabilized_index1", "index2",
                                            "index1", "coordinate_split"};

bool is_one_of(const std::string& word, const std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_first_order(const SolverOptions& solver) { return solver.integrator == "bdf" || solver.integrator == "radau"; }

bool has_augmented_term(const SolverOptions& solver) {
  if (!is_first_order(solver))  // these two solve other systems
    return solver.integrator != "runge_kutta" && solver.integrator != "energy_decaying";
  return solver.integrator == "bdf" && solver.bdf.fields == "two" && formulation_of(solver) == "index3" &&
         solver.scaling.kind == ScalingKind::physical;
}

// How the matrix of BDF is obtained and re-used, and the pairs that exclude each other.
void check_jacobian(const SolverOptions& solver, OptionChecks& checks) {
  const BdfSettings& bdf = solver.bdf;
  checks.name("jacobian_update", bdf.jacobian_update, {"full", "partitioned", "extended"});
  checks.name("jacobian", bdf.jacobian, {"exact", "dense_differences", "sparse_differences"});
  checks.name("jacobian_sparsity", bdf.jacobian_sparsity, {"given", "estimated"});
  checks.name("formalism", bdf.formalism, {"residual", "explicit"});
  if (solver.integrator != "bdf") return;
  const bool is_explicit = bdf.formalism == "explicit", extended = bdf.jacobian_update == "extended";
  const bool splits = formulation_of(solver) == "coordinate_split" || iteration_of(solver) == "ggl_star";
  if (checks.given("jacobian_sparsity") && bdf.jacobian != "sparse_differences")
    checks.report("jacobian_sparsity", "'jacobian_sparsity' belongs to jacobian = \"sparse_differences\"");
  if (extended && !is_explicit)
    checks.report(
        "jacobian_update",
        "jacobian_update = \"extended\" follows the inputs by derivatives of F_y, which the residual formalism "
        "has only with those of the mass matrix by every input: take formalism = \"explicit\", or "
        "\"partitioned\"");
  if (is_explicit && solver.coordinates != "joint")
    checks.report("formalism",
                  "formalism = \"explicit\" is a recursion over the tree of joints: it needs coordinates = \"joint\"");
  if (is_explicit && (formulation_of(solver) != "stabilized_index2" || splits))
    checks.report("formalism",
                  fmt::format("formalism = \"explicit\" belongs to the formulation 'stabilized_index2' with "
                              "its iteration 'ggl', and '{}' with '{}' is chosen",
                              formulation_of(solver), iteration_of(solver)));
  const char* special = bdf.jacobian != "exact" ? "jacobian" : is_explicit ? "formalism" : nullptr;
  if (special != nullptr && bdf.fields == "two")
    checks.report(special,
                  fmt::format("fields = \"two\" eliminates velocities by the structure of exact derivatives of "
                              "the residual formalism; '{}' needs fields = \"three\"",
                              special));
  if (bdf.jacobian != "exact" && splits)
    checks.report("jacobian",
                  "the split of coordinates is chosen from exact derivatives of the constraints: it needs jacobian = "
                  "\"exact\"");
}

void check_bdf(const SolverOptions& solver, OptionChecks& checks) {
  const BdfSettings& bdf = solver.bdf;
  if (solver.integrator != "bdf") {
    for (const char* key :
         {"preset", "max_order", "newton_constant", "unknown", "corrector", "stability_detection", "newton_start",
          "jacobian_pattern", "jacobian_update", "jacobian", "jacobian_sparsity", "formalism"})
      if (checks.given(key))
        checks.report(key,
                      fmt::format("'{}' belongs to the integrator 'bdf', and '{}' is chosen", key, solver.integrator));
    const bool second_order = is_one_of(solver.integrator, {"generalized_alpha", "hht", "newmark", "midpoint"});
    for (const char* key : {"newton_stop", "record_corrections"})
      if (checks.given(key) && !second_order)
        checks.report(key, fmt::format("'{}' belongs to the integrators 'bdf', 'generalized_alpha', 'hht', 'newmark' "
                                       "and 'midpoint', and '{}' is chosen",
                                       key, solver.integrator));
    for (const char* key : {"position_tol", "rotation_tol", "velocity_tol", "multiplier_tol", "internal_tol"})
      if (checks.given(key) && !is_first_order(solver) && solver.integrator != "runge_kutta")
        checks.report(
            key, fmt::format("'{}' belongs to the integrators 'bdf', 'radau' and 'runge_kutta', and '{}' is chosen",
                             key, solver.integrator));
    if (checks.given("fields"))
      checks.report("fields",
                    fmt::format("'fields' belongs to the integrator 'bdf'; '{}' has eliminated the velocities "
                                "from its linear systems by its own formula",
                                solver.integrator));
  } else if (checks.given("newton_tol")) {
    checks.report("newton_tol", "'newton_tol' belongs to the one-step methods; 'bdf' has 'newton_constant'");
  }
  checks.name("fields", bdf.fields, {"three", "two"});
  if (bdf.fields == "two" && solver.scaling.kind == ScalingKind::left_right)
    checks.report("scaling",
                  "'left_right' is 'left_right_velocity' without its factor of the velocities, and two fields "
                  "have no velocities: say 'left_right_velocity'");
  checks.name("newton_stop", bdf.newton_stop, {"tolerance", "saturation", "none"});
  if (bdf.newton_stop != "tolerance" && !solver.h)
    checks.report("newton_stop",
                  fmt::format("newton_stop = \"{}\" does not see whether the iteration diverges, so a step "
                              "cannot be rejected: give a fixed step 'h'",
                              bdf.newton_stop));
  checks.name("newton_start", bdf.newton_start, {"prediction", "previous"});
  check_jacobian(solver, checks);
  if (bdf.jacobian_pattern.find_first_not_of("TF") != std::string::npos ||
      (!bdf.jacobian_pattern.empty() && bdf.jacobian_pattern.front() != 'T'))
    checks.report("jacobian_pattern",
                  fmt::format("'jacobian_pattern' is '{}' but must be letters T and F, the first a T "
                              "(T: a new matrix before this iteration)",
                              bdf.jacobian_pattern));
  if (!bdf.preset.empty()) checks.name("preset", bdf.preset, {"dassl", "gstiff_i3", "gstiff_si2", "hastiff"});
  if (!bdf.unknown.empty()) checks.name("unknown", bdf.unknown, {"y", "yp"});
  if (!bdf.corrector.empty()) checks.name("corrector", bdf.corrector, {"classical", "modified"});
  if (bdf.max_order)
    checks.range("max_order", *bdf.max_order, *bdf.max_order >= 1 && *bdf.max_order <= 6, "1 ≤ max_order ≤ 6");
  if (bdf.newton_constant)
    checks.range("newton_constant", *bdf.newton_constant, *bdf.newton_constant > 0.0 && *bdf.newton_constant <= 1.0,
                 "0 < newton_constant ≤ 1");
  const std::pair<const char*, std::optional<double>> tolerances[] = {{"position_tol", bdf.position_tol},
                                                                      {"rotation_tol", bdf.rotation_tol},
                                                                      {"velocity_tol", bdf.velocity_tol},
                                                                      {"multiplier_tol", bdf.multiplier_tol},
                                                                      {"internal_tol", bdf.internal_tol}};
  for (const auto& [key, value] : tolerances)
    if (value) checks.range(key, *value, *value > 0.0 && std::isfinite(*value), fmt::format("{} > 0", key));
  const std::pair<const char*, double> baumgarte[] = {{"baumgarte_alpha", solver.baumgarte_alpha},
                                                      {"baumgarte_beta", solver.baumgarte_beta}};
  for (const auto& [key, value] : baumgarte) {
    checks.range(key, value, value >= 0.0 && std::isfinite(value), fmt::format("{} ≥ 0", key));
    if (checks.given(key) && formulation_of(solver) != "index1")
      checks.report(key, fmt::format("'{}' belongs to the formulation 'index1'", key));
  }
  const bool second_order = !is_first_order(solver);
  if (second_order && solver.scaling.kind != ScalingKind::none && solver.scaling.kind != ScalingKind::physical)
    checks.report("scaling",
                  fmt::format("this kind of scaling belongs to the integrators 'bdf' and 'radau'; '{}' takes "
                              "'none' or 'physical'",
                              solver.integrator));
  if (!has_augmented_term(solver) && solver.scaling.rho.value_or(0.0) != 0.0)
    checks.report("scaling",
                  fmt::format("the augmented term 'rho' belongs to second-order systems: the one-step methods on "
                              "'index3', and 'bdf' on 'index3' with fields = \"two\" and physical scaling; '{}' on "
                              "'{}' is chosen",
                              solver.integrator, formulation_of(solver)));
}

// Pairs that the coordinate split and GGL* exclude, with the reason.
void check_split(const SolverOptions& solver, OptionChecks& checks) {
  const SplitSettings& split = solver.split;
  const std::string formulation = formulation_of(solver), iteration = iteration_of(solver);
  const bool splits = formulation == "coordinate_split", star = !splits && iteration == "ggl_star";
  if (solver.integrator != "bdf") {
    for (const char* key : {"iteration", "cm_mode", "independent", "error_set", "corrector_set", "untested"})
      if (checks.given(key))
        checks.report(key,
                      fmt::format("'{}' belongs to the integrator 'bdf', and '{}' is chosen", key, solver.integrator));
    if (splits && solver.integrator == "radau")
      checks.report("formulation",
                    "'coordinate_split' works with the integrator 'bdf'. 'radau' solves all its stages with one "
                    "transformed matrix, while the projection P(q) belongs to one point: the stages would need "
                    "different ones. Take 'stabilized_index2' with 'radau'; its solution is the same");
    return;
  }
  if (!split.iteration.empty()) {
    checks.name("iteration", split.iteration, {"ggl", "ggl_star", "cs", "cm"});
    const bool is_split = split.iteration == "cs" || split.iteration == "cm";
    if (is_split && !splits)
      checks.report("iteration", fmt::format("iteration = \"{}\" belongs to the formulation 'coordinate_split', and "
                                             "'{}' is chosen",
                                             split.iteration, formulation));
    if (!is_split && formulation != "stabilized_index2")
      checks.report("iteration", fmt::format("iteration = \"{}\" belongs to the formulation 'stabilized_index2', and "
                                             "'{}' is chosen",
                                             split.iteration, formulation));
  }
  checks.name("cm_mode", split.cm_mode, {"frozen_step", "matrix_only", "frozen_jacobian"});
  if (checks.given("cm_mode") && iteration != "cm")
    checks.report("cm_mode", fmt::format("'cm_mode' belongs to the iteration 'cm', and '{}' is chosen", iteration));
  if (!split.independent.empty() && !splits && !star)
    checks.report("independent",
                  "'independent' names coordinates of a split: it belongs to the formulation 'coordinate_split' and to "
                  "the iteration 'ggl_star'");
  const std::vector<std::string> sets{"positions", "states", "all", "independent_positions", "independent"};
  const std::pair<const char*, std::string> given[] = {{"error_set", split.error_set},
                                                       {"corrector_set", split.corrector_set}};
  for (const auto& [key, set] : given) {
    if (set.empty()) continue;
    checks.name(key, set, sets);
    if (set.rfind("independent", 0) == 0 && !splits && !star)
      checks.report(key, fmt::format("{} = \"{}\" needs a split: the formulation 'coordinate_split', or the iteration "
                                     "'ggl_star'",
                                     key, set));
  }
  if (split.error_set == "all" && splits)
    checks.report("error_set", "multipliers follow from the split and are in no test of 'coordinate_split'");
  const bool rates = solver.bdf.unknown == "yp" || (solver.bdf.preset == "hastiff" && solver.bdf.unknown.empty());
  if (splits && rates)
    checks.report(solver.bdf.unknown.empty() ? "preset" : "unknown",
                  "'coordinate_split' recovers multipliers beside Newton's iteration for y: unknown = \"yp\" "
                  "would scale them by 1/(hβ)");
  if (splits && iteration == "cm" && split.cm_mode == "frozen_step" && solver.bdf.newton_start == "previous")
    checks.report(
        "newton_start",
        "cm_mode = \"frozen_step\" takes P at the prediction, and newton_start = \"previous\" leaves that out");
}

void check_solver(const SolverOptions& solver, const AnalysisOptions& analysis, std::vector<Issue>& all) {
  OptionChecks checks(solver.source, "solver");
  checks.name("integrator", solver.integrator,
              {"generalized_alpha", "hht", "newmark", "midpoint", "energy_decaying", "radau", "bdf", "runge_kutta"});
  const bool is_explicit = solver.integrator == "runge_kutta";
  if (is_explicit)
    for (const char* key :
         {"formulation", "linear_solver", "newton_tol", "newton_test", "max_iterations", "scaling", "record_condition"})
      if (checks.given(key))
        checks.report(key, fmt::format("'{}' belongs to implicit methods, and 'runge_kutta' solves for accelerations "
                                       "directly",
                                       key));
  const bool jumps = solver.integrator == "energy_decaying";
  if (jumps) {
    for (const char* key : {"formulation", "newton_test", "scaling"})
      if (checks.given(key) && !(key == std::string_view("scaling") && solver.scaling.kind == ScalingKind::none))
        checks.report(key, fmt::format("'{}' does not apply to 'energy_decaying', which has its own equations: two "
                                       "multipliers per constraint, times h, so that its matrix does not depend on h",
                                       key));
    if (is_one_of(solver.linear_solver, {"skyline_ldlt", "sparse_ldlt", "gmres"}))
      checks.report("linear_solver",
                    fmt::format("the matrix of 'energy_decaying' is not symmetric and needs pivots: choose 'auto', "
                                "'dense' or 'sparse_lu', not '{}'",
                                solver.linear_solver));
    if (solver.coordinates == "joint")
      checks.report("coordinates",
                    "'energy_decaying' moves frames and their directors: choose coordinates = \"absolute\"");
  }
  const std::string formulation = is_explicit || jumps ? "index3" : formulation_of(solver);
  checks.name("formulation", formulation, formulations);
  // The pairs that exclude each other, with the reason.
  if (!is_first_order(solver) && formulation != "index3" && is_one_of(formulation, formulations))
    checks.report("formulation",
                  fmt::format("'{}' is a second-order method and works on 'index3'; formulation '{}' is a first-order "
                              "system for the integrators 'bdf' and 'radau'",
                              solver.integrator, formulation));
  const bool three_fields = is_first_order(solver) && !(solver.integrator == "bdf" && solver.bdf.fields == "two");
  if (three_fields && formulation == "index3" && solver.linear_solver == "gmres")
    checks.report("linear_solver",
                  fmt::format("'gmres' does not solve 'index3' of '{}': Φ(q) = 0 holds positions only, which its "
                              "preconditioner, with the diagonals of M, D and K alone, does not connect with "
                              "multipliers. Take formulation = \"stabilized_index2\"{}, or another linear solver",
                              solver.integrator, solver.integrator == "bdf" ? ", or fields = \"two\"" : ""));
  checks.name("coordinates", solver.coordinates, {"absolute", "joint"});
  if (solver.coordinates == "joint" &&
      (analysis.kind == AnalysisKind::kinematics || analysis.kind == AnalysisKind::inverse_dynamics))
    checks.report("coordinates",
                  "kinematics and inverse dynamics follow all motions in coordinates = \"absolute\"; joint coordinates "
                  "are for dynamics and statics");
  if (solver.coordinates == "joint" && !(solver.split.independent.empty() && solver.split.untested.empty()))
    checks.report(solver.split.independent.empty() ? "untested" : "independent",
                  "single coordinates are named in coordinates = \"absolute\" only");
  checks.name("linear_solver", solver.linear_solver, linear_solver_kind_names());
  check_steps(solver, analysis, checks);

  // Each member of the family has its own parameter; one that would be ignored is refused.
  const std::pair<const char*, const char*> owners[] = {
      {"rho_inf", "generalized_alpha"}, {"alpha", "hht"}, {"gamma", "newmark"}, {"stages", "radau"}};
  for (const auto& [key, owner] : owners)
    if (checks.given(key) && solver.integrator != owner)
      checks.report(
          key, fmt::format("'{}' belongs to the integrator '{}', and '{}' is chosen", key, owner, solver.integrator));
  checks.range("rho_inf", solver.rho_inf, solver.rho_inf >= 0.0 && solver.rho_inf < 1.0, "0 ≤ rho_inf < 1");
  checks.range("alpha", solver.alpha, solver.alpha >= -1.0 / 3.0 && solver.alpha <= 0.0, "-1/3 ≤ alpha ≤ 0");
  checks.range("gamma", solver.gamma, solver.gamma >= 0.5 && std::isfinite(solver.gamma), "gamma ≥ 1/2");
  checks.range("stages", solver.stages, solver.stages >= 1 && solver.stages <= 3, "1 ≤ stages ≤ 3");
  checks.name("newton_test", solver.newton_test, {"motion", "all"});
  if (checks.given("newton_test") && is_first_order(solver))
    checks.report("newton_test",
                  fmt::format("'newton_test' belongs to the second-order methods on 'index3', and '{}' is "
                              "chosen",
                              solver.integrator));
  checks.range("newton_tol", solver.newton_tol, solver.newton_tol > 0.0 && solver.newton_tol < 1.0,
               "0 < newton_tol < 1");
  checks.range("max_iterations", solver.max_iterations, solver.max_iterations >= 1, "max_iterations ≥ 1");
  check_bdf(solver, checks);
  check_split(solver, checks);
  checks.append_to(all);

  OptionChecks scaling(solver.scaling_source, "solver.scaling");
  const ScalingOptions& s = solver.scaling;
  const auto average = [&](const char* key, const std::optional<double>& value, bool zero_allowed) {
    if (!value) return;
    const bool good = std::isfinite(*value) && (*value > 0.0 || (zero_allowed && *value == 0.0));
    scaling.range(key, *value, good, fmt::format("{} {} 0", key, zero_allowed ? "≥" : ">"));
    if (s.kind == ScalingKind::none) scaling.report(key, fmt::format("'{}' has no meaning with kind = \"none\"", key));
  };
  average("m_ave", s.m_ave, true);
  average("d_ave", s.d_ave, true);
  average("k_ave", s.k_ave, true);
  scaling.range("l_ref", s.l_ref, s.l_ref > 0.0 && std::isfinite(s.l_ref), "l_ref > 0");
  if (s.rho) scaling.range("rho", *s.rho, *s.rho >= 0.0 && std::isfinite(*s.rho), "rho ≥ 0");
  scaling.name("reference", s.reference, {"mean_diagonal", "infinity_norm"});
  if (scaling.given("reference") && s.kind != ScalingKind::physical)
    scaling.report("reference", "'reference' belongs to kind = \"physical\"");
  scaling.append_to(all);
}

void check_output(const OutputOptions& output, std::vector<Issue>& all) {
  OptionChecks checks(output.source, "output");
  if (output.interval) {
    checks.range("interval", *output.interval, *output.interval > 0.0 && std::isfinite(*output.interval),
                 "interval > 0");
    if (output.every_step)
      checks.report("every_step", "'every_step' and 'interval' exclude each other; give one of them");
  }
  checks.append_to(all);
}

}  // namespace

std::string formulation_of(const SolverOptions& options) {
  if (options.integrator == "runge_kutta") return "explicit";
  if (options.integrator == "energy_decaying") return "slots";
  if (!options.formulation.empty()) return options.formulation;
  if (!is_first_order(options) || options.bdf.preset == "gstiff_i3") return "index3";
  return options.bdf.preset == "hastiff" ? "stabilized_index1" : "stabilized_index2";
}

std::string iteration_of(const SolverOptions& options) {
  if (!options.split.iteration.empty()) return options.split.iteration;
  return formulation_of(options) == "coordinate_split" ? "cm" : "ggl";
}

double augmented_weight(const SolverOptions& options) {
  // The preconditioner of gmres has the constraints exactly and only the diagonal of H: ρ GᵀG would be new work for it.
  const bool by_default =
      has_augmented_term(options) && options.scaling.kind == ScalingKind::physical && options.linear_solver != "gmres";
  return options.scaling.rho.value_or(by_default ? 1.0 : 0.0);
}

std::vector<Issue> issues(const Study& study) {
  std::vector<Issue> all;
  check_analysis(study.analysis, all);
  check_solver(study.solver, study.analysis, all);
  if (study.solver.integrator == "energy_decaying" && !study.model.contacts.empty())
    all.push_back(
        {study.solver.source.at("integrator").empty() ? "solver.integrator" : study.solver.source.at("integrator"),
         "'energy_decaying' has no discrete energy for contacts; 'generalized_alpha', 'hht', 'midpoint', "
         "'radau', 'bdf' and 'runge_kutta' meet them"});
  check_output(study.output, all);
  return all;
}

}  // namespace trammel
