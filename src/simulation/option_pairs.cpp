#include "option_pairs.h"

#include <fmt/format.h>

#include <algorithm>

namespace trammel::detail {

namespace {

class Pairs {
 public:
  Pairs(const Settings& given, const Settings& settings, const Model& machine, std::vector<Issue>& found)
      : given_(given), s_(settings), machine_(machine), found_(found) {}

  void check() {
    check_analysis();
    check_steps();
    check_method();
    check_jacobian();
    check_split();
    check_scaling();
  }

 private:
  void report(const std::string& table, const std::string& key, const std::string& message) {
    for (const OptionTable& each : option_tables())
      if (each.name == table) found_.push_back({place_of(each, key, given_), fmt::format("{}: {}", table, message)});
  }
  void report(const std::string& key, const std::string& message) { report("solver", key, message); }

  bool is(Integrator integrator) const { return s_.solver.integrator == integrator; }
  bool is_first_order() const { return is(Integrator::bdf) || is(Integrator::radau); }
  bool splits() const { return s_.solver.formulation == Formulation::coordinate_split; }
  bool stars() const { return s_.solver.split.iteration == SplitIteration::ggl_star; }
  const std::string& integrator() const { return word_of(*s_.solver.integrator); }

  void check_analysis() {
    const AnalysisOptions& analysis = s_.analysis;
    if (!(*analysis.end > *analysis.start))
      report(
          "analysis", "end",
          fmt::format("'end' is {} s but must be later than 'start', which is {} s", *analysis.end, *analysis.start));
    if (analysis.kind != AnalysisKind::statics || !*analysis.arc_length) return;
    if (*analysis.load_steps < 1)
      report("analysis", "arc_length", "'arc_length' needs 'load_steps', which give the length of its first step");
    if (!analysis.steady->empty())
      report("analysis", "arc_length",
             "'arc_length' follows positions at rest, not the 'steady' motion that is asked for");
  }

  void check_steps() {
    const SolverOptions &solver = s_.solver, &said = given_.solver;
    const double span = *s_.analysis.end - *s_.analysis.start;
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
    const bool joint = solver.coordinates == CoordinateSet::joint;
    if (is(Integrator::energy_decaying)) {
      if (solver.linear_solver == LinearSolverKind::skyline_ldlt ||
          solver.linear_solver == LinearSolverKind::sparse_ldlt || solver.linear_solver == LinearSolverKind::gmres)
        report("linear_solver",
               fmt::format("the matrix of 'energy_decaying' is not symmetric and needs pivots: choose 'auto', "
                           "'dense' or 'sparse_lu', not '{}'",
                           word_of(*solver.linear_solver)));
      if (joint)
        report("coordinates", "'energy_decaying' moves frames and their directors: choose coordinates = \"absolute\"");
      if (!machine_.contacts.empty())
        report("integrator",
               "'energy_decaying' has no discrete energy for contacts; 'generalized_alpha', 'hht', 'midpoint', "
               "'radau', 'bdf' and 'runge_kutta' meet them");
    }
    if (solver.formulation && !is_first_order() && solver.formulation != Formulation::index3)
      report("formulation",
             fmt::format("'{}' is a second-order method and works on 'index3'; formulation '{}' is a first-order "
                         "system for the integrators 'bdf' and 'radau'",
                         integrator(), word_of(*solver.formulation)));
    const bool three_fields = is_first_order() && solver.bdf.fields != BdfFields::two;
    if (three_fields && solver.formulation == Formulation::index3 && solver.linear_solver == LinearSolverKind::gmres)
      report("linear_solver",
             fmt::format("'gmres' does not solve 'index3' of '{}': Φ(q) = 0 holds positions only, which its "
                         "preconditioner, with the diagonals of M, D and K alone, does not connect with "
                         "multipliers. Take formulation = \"stabilized_index2\"{}, or another linear solver",
                         integrator(), is(Integrator::bdf) ? ", or fields = \"two\"" : ""));
    if (joint && (s_.analysis.kind == AnalysisKind::kinematics || s_.analysis.kind == AnalysisKind::inverse_dynamics))
      report("coordinates",
             "kinematics and inverse dynamics follow all motions in coordinates = \"absolute\"; joint coordinates "
             "are for dynamics and statics");
    const bool independent = solver.split.independent && !solver.split.independent->empty();
    const bool untested = solver.split.untested && !solver.split.untested->empty();
    if (joint && (independent || untested))
      report(independent ? "independent" : "untested",
             "single coordinates are named in coordinates = \"absolute\" only");
    if (solver.newton_stop && solver.newton_stop != NewtonStop::tolerance && !solver.h)
      report("newton_stop",
             fmt::format("newton_stop = \"{}\" does not see whether the iteration diverges, so a step cannot be "
                         "rejected: give a fixed step 'h'",
                         word_of(*solver.newton_stop)));
  }

  // How the matrix of BDF is obtained and re-used.
  void check_jacobian() {
    if (!is(Integrator::bdf)) return;
    const BdfSettings& bdf = s_.solver.bdf;
    const bool is_explicit = bdf.formalism == Formalism::explicit_form;
    const bool differences = bdf.jacobian != JacobianSource::exact;
    if (bdf.jacobian_pattern &&
        (bdf.jacobian_pattern->find_first_not_of("TF") != std::string::npos || !bdf.jacobian_pattern->starts_with('T')))
      report("jacobian_pattern", fmt::format("'jacobian_pattern' is '{}' but must be letters T and F, the first a T "
                                             "(T: a new matrix before this iteration)",
                                             *bdf.jacobian_pattern));
    if (bdf.jacobian_update == JacobianUpdate::extended && !is_explicit)
      report("jacobian_update",
             "jacobian_update = \"extended\" follows the inputs by derivatives of F_y, which the residual formalism "
             "has only with those of the mass matrix by every input: take formalism = \"explicit\", or "
             "\"partitioned\"");
    if (is_explicit && s_.solver.coordinates != CoordinateSet::joint)
      report("formalism",
             "formalism = \"explicit\" is a recursion over the tree of joints: it needs coordinates = \"joint\"");
    if (is_explicit && (s_.solver.formulation != Formulation::stabilized_index2 || stars()))
      report("formalism",
             fmt::format("formalism = \"explicit\" belongs to the formulation 'stabilized_index2' with "
                         "its iteration 'ggl', and '{}'{} is chosen",
                         word_of(*s_.solver.formulation),
                         s_.solver.split.iteration ? fmt::format(" with '{}'", word_of(*s_.solver.split.iteration))
                                                   : std::string()));
    const char* special = differences ? "jacobian" : is_explicit ? "formalism" : nullptr;
    if (special != nullptr && bdf.fields == BdfFields::two)
      report(special, fmt::format("fields = \"two\" eliminates velocities by the structure of exact derivatives of "
                                  "the residual formalism; '{}' needs fields = \"three\"",
                                  special));
    if (differences && (splits() || stars()))
      report("jacobian",
             "the split of coordinates is chosen from exact derivatives of the constraints: it needs jacobian = "
             "\"exact\"");
  }

  // What the coordinate split and GGL* exclude.
  void check_split() {
    const SplitSettings& split = s_.solver.split;
    if (is(Integrator::radau) && splits())
      report("formulation",
             "'coordinate_split' works with the integrator 'bdf'. 'radau' solves all its stages with one "
             "transformed matrix, while the projection P(q) belongs to one point: the stages would need "
             "different ones. Take 'stabilized_index2' with 'radau'; its solution is the same");
    if (!is(Integrator::bdf)) return;
    if (split.iteration) {
      const bool is_split = split.iteration == SplitIteration::cs || split.iteration == SplitIteration::cm;
      if (is_split != splits())
        report("iteration",
               fmt::format("iteration = \"{}\" belongs to the formulation '{}', and '{}' is chosen",
                           word_of(*split.iteration),
                           word_of(is_split ? Formulation::coordinate_split : Formulation::stabilized_index2),
                           word_of(*s_.solver.formulation)));
    }
    const std::pair<const char*, std::optional<TestSet>> sets[] = {{"error_set", split.error_set},
                                                                   {"corrector_set", split.corrector_set}};
    for (const auto& [key, set] : sets)
      if ((set == TestSet::independent || set == TestSet::independent_positions) && !splits() && !stars())
        report(key, fmt::format("{} = \"{}\" needs a split: the formulation 'coordinate_split', or the iteration "
                                "'ggl_star'",
                                key, word_of(*set)));
    if (split.error_set == TestSet::all && splits())
      report("error_set", "multipliers follow from the split and are in no test of 'coordinate_split'");
    const BdfSettings& bdf = s_.solver.bdf;
    if (splits() && bdf.unknown == BdfUnknown::yp)
      report(given_.solver.bdf.unknown ? "unknown" : "preset",
             "'coordinate_split' recovers multipliers beside Newton's iteration for y: unknown = \"yp\" "
             "would scale them by 1/(hβ)");
    if (splits() && split.cm_mode == CmMode::frozen_step && bdf.newton_start == NewtonStart::previous)
      report("newton_start",
             "cm_mode = \"frozen_step\" takes P at the prediction, and newton_start = \"previous\" leaves that out");
  }

  void check_scaling() {
    const std::optional<ScalingKind>& kind = s_.solver.scaling.kind;
    if (!kind || kind == ScalingKind::none || kind == ScalingKind::physical) return;
    if (!is_first_order())
      report("scaling", fmt::format("scaling '{}' belongs to the integrators 'bdf' and 'radau'; '{}' takes "
                                    "'none' or 'physical'",
                                    word_of(*kind), integrator()));
    if (s_.solver.bdf.fields == BdfFields::two && kind == ScalingKind::left_right)
      report("scaling",
             "'left_right' is 'left_right_velocity' without its factor of the velocities, and two fields "
             "have no velocities: say 'left_right_velocity'");
  }

  const Settings& given_;
  const Settings& s_;
  const Model& machine_;
  std::vector<Issue>& found_;
};

}  // namespace

void check_pairs(const Settings& given, const Settings& settings, const Model& machine, std::vector<Issue>& found) {
  Pairs(given, settings, machine, found).check();
}

std::string place_of(const OptionTable& table, const std::string& key, const Settings& given) {
  const std::string& place = source_of(table, given).at(key);
  return place.empty() ? table.name + "." + key : place;
}

}  // namespace trammel::detail
