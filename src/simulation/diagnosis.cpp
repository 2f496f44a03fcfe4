// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "trammel/integrators/leaves_residuals.h"
#include "trammel/simulation/option.h"

namespace trammel {

std::string advice(Cause cause, const SolverOptions& options) {
  switch (cause) {
    case Cause::not_finite:
      return "a formula, table or force law is not defined there (division by zero, root of a negative number, a table "
             "left by its argument), or a body flew off to infinity";
    case Cause::element_turned:
      return "too few elements for how far the beam bends or twists, or a load that is much too large";
    case Cause::singular_matrix:
      return "redundant constraints, a singular position of the mechanism, or a freedom without mass; `trammel check` "
             "lists redundant rows";
    case Cause::vanished_pivot:
      return "a freedom without mass or stiffness (solver.scaling.rho = 1 gives it a pivot), redundant constraints, or "
             "a "
             "matrix that needs row exchanges: take solver.linear_solver = \"sparse_lu\" or \"auto\"";
    case Cause::slow_convergence:
    case Cause::too_many_iterations:
      return options.h ? "the fixed step is too large for this motion, or a singular position is near: take a smaller "
                         "solver.h, or remove it so that the step is error-controlled"
                       : "a singular position, a force law with a jump, or contradictory motions: plot the motion up "
                         "to here; smooth the law or loosen the motion";
    case Cause::error_test:
    case Cause::step_too_small:
      return "a force law with a jump or a stiff impact: smooth it, or allow smaller steps (solver.hmin)";
    case Cause::impossible_tolerance:
      return fmt::format(
          "numbers of 16 digits cannot show errors that small: raise solver.rtol ({:.1g}) and "
          "solver.atol ({:.1g}); 1e-12 is the finest that pays",
          options.rtol.value_or(0.0), options.atol.value_or(0.0));
    default:
      return "plot the motion up to here";
  }
}

namespace {

// The forces of the model that are formulas and act on the body that a row belongs to ("body 'rod', balance …"). Rows
// of joint coordinates see the forces on every body that the joint carries: then all of them, with their bodies.
std::string formulas_on(const Model& model, const std::string& row) {
  std::string names;
  for (const ForceSpec& force : model.forces) {
    const bool is_formula =
        force.law.given() || force.components[0].given() || force.components[1].given() || force.components[2].given();
    std::string a = force.body_a, b = force.body_b;
    for (const JointSpec& joint : model.joints)
      if (!force.joint.empty() && joint.name == force.joint) a = joint.body_a, b = joint.body_b;
    const auto acts_on = [&](const std::string& body) { return row.rfind(fmt::format("body '{}',", body), 0) == 0; };
    const char* const comma = names.empty() ? "" : ", ";
    if (is_formula && (acts_on(a) || acts_on(b)))
      names += fmt::format("{}force '{}'", comma, force.name);
    else if (is_formula && row.rfind("joint '", 0) == 0)
      names += fmt::format("{}force '{}' on body '{}'", comma, force.name, b.empty() || b == "ground" ? a : b);
  }
  return names;
}

// Rows beside the worst one of which Newton's iteration left most; empty: of none worth a word.
std::string describe_other_rows(const StepReport& report, const MotionIntegrator& method) {
  constexpr std::size_t most_rows = 5;
  constexpr double worth_a_word = 1e-3;  // of the worst one
  const auto* const newton = dynamic_cast<const LeavesResiduals*>(&method);
  if (!newton) return "";
  const Eigen::VectorXd left = newton->calc_residuals();
  std::vector<int> rows;
  for (int i = 0; i < static_cast<int>(left.size()); ++i)
    if (i != report.worst_row && std::abs(left[i]) >= worth_a_word * std::abs(report.worst_residual)) rows.push_back(i);
  std::sort(rows.begin(), rows.end(), [&](int a, int b) { return std::abs(left[a]) > std::abs(left[b]); });
  if (rows.size() > most_rows) rows.resize(most_rows);
  std::string text;
  for (const int row : rows)
    text += fmt::format("{}{}: {:.3g}", text.empty() ? "" : "; ", method.layout().describe_row(row), left[row]);
  return text;
}

}  // namespace

std::string describe_not_finite(const Model& model, const std::string& row) {
  std::string text = fmt::format("\n    {:<12}: {}", "row", row);
  if (const std::string forces = formulas_on(model, row); !forces.empty())
    text += fmt::format("\n    {:<12}: {}", "formulas", forces);
  for (const ForceSpec& force : model.forces)
    if (const std::string reason = force.library.trouble->reason(); !reason.empty())
      text += fmt::format("\n    {:<12}: force '{}' of '{}': {}", "library", force.name, force.library.file, reason);
  return text;
}

std::string explain(const StepReport& report, const MotionIntegrator& method, const Study& study) {
  const Layout& layout = method.layout();
  const double t = method.newest().t;
  const int attempts = report.rejected_newton + report.rejected_error;
  std::string text;
  const Cause cause = report.status.cause;
  const bool newton = cause == Cause::slow_convergence || cause == Cause::too_many_iterations;
  text += newton ? fmt::format("Newton did not converge ({})", describe(cause))
                 : fmt::format("The step failed: {}", describe(cause));
  text += fmt::format(" at t = {:.6g} s, h = {:.3g} s", t, report.attempted_h);
  text += study.solver.h ? " (fixed step).\n" : fmt::format(" (after {} reduced attempts).\n", attempts);
  const auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("    {:<12}: {}\n", name, value);
  };
  if (newton && report.worst_row >= 0)
    line("worst row", fmt::format("{}: {:.3g}", layout.describe_row(report.worst_row), report.worst_residual));
  if (newton && report.worst_row >= 0)
    if (const std::string others = describe_other_rows(report, method); !others.empty()) line("other rows", others);
  if (newton && report.worst_unknown >= 0)
    line("worst change", fmt::format("{}: {:.3g}, limit {:.3g}", layout.describe_unknown(report.worst_unknown),
                                     report.worst_correction, report.worst_limit));
  if (cause == Cause::not_finite && report.status.row >= 0)
    text += describe_not_finite(study.model, layout.describe_row(report.status.row)).substr(1) + "\n";
  if (cause == Cause::element_turned && report.status.row >= 0)
    line("element", "next to " + layout.describe_row(report.status.row));
  const bool names_unknown =
      cause == Cause::singular_matrix || cause == Cause::vanished_pivot || cause == Cause::impossible_tolerance;
  if (names_unknown && report.status.row >= 0) line("unknown", layout.describe_unknown(report.status.row));
  const bool errs = cause == Cause::error_test || cause == Cause::step_too_small;
  if (errs && report.status.row >= 0) line("error in", layout.describe_unknown(report.status.row));
  if (const Pivot pivot = method.smallest_pivot(); pivot.unknown >= 0 && pivot.relative < 1e-10)
    line("linear solve", fmt::format("smallest relative pivot {:.2g} while eliminating {}", pivot.relative,
                                     layout.describe_unknown(pivot.unknown)));
  if (study.solver.hmin && 0.25 * report.attempted_h <= *study.solver.hmin)
    line("step",
         fmt::format("must not be shorter than solver.hmin = {:.3g} s; a shorter one may do", *study.solver.hmin));
  line("usual cause", advice(cause, study.solver));
  text.pop_back();
  return text;
}

}  // namespace trammel
