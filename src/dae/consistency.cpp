#include "trammel/dae/consistency.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "trammel/dae/length_unit.h"
#include "trammel/dae/projection.h"

namespace trammel {

namespace {

constexpr int max_position_iterations = 100;
// Corrections below this are rounding: coordinates are radians and lengths of the machine of order one.
constexpr double position_tol = 1e-13;
constexpr double residual_tol = 1e-10;  // beside the size of a row
// What is left of rates beside the fastest of the machine.
constexpr double rate_tol = 1e-8, rate_rounding = 1e-15;
// A first correction beyond this is no correction but another machine; the step is shortened.
constexpr double max_rotation = 0.5;

// Of rows beside their sizes.
double largest_part(ConstVec rows, const LengthUnit& unit) {
  double part = 0.0;
  for (Eigen::Index r = 0; r < rows.size(); ++r)
    part = std::max(part, std::abs(rows[r]) / unit.of_row(static_cast<int>(r)));
  return part;
}

int largest(ConstVec x, double& value) {
  if (x.size() == 0) return -1;
  Eigen::Index at = 0;
  value = x.cwiseAbs().maxCoeff(&at);
  return static_cast<int>(at);
}

// "joint 'a', row 1 [m]: 0.3, joint 'b', row 2 [m]: -0.2": the rows that are violated most, worst first. A
// contradiction is shared by all who take part in it, so one name would often be the wrong one.
std::string describe_violations(const SecondOrderDae& dae, ConstVec rows) {
  constexpr std::size_t shown = 4;
  constexpr double share = 0.05;  // of the worst: less is not part of the contradiction
  std::vector<int> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) { return std::abs(rows[a]) > std::abs(rows[b]); });
  std::string text;
  for (std::size_t i = 0; i < std::min(shown, order.size()); ++i) {
    if (std::abs(rows[order[i]]) < share * std::abs(rows[order[0]])) break;
    text += fmt::format("{}{}: {:.3g}", i ? ", " : "", dae.layout().describe_row(dae.nv() + dae.nz() + order[i]),
                        rows[order[i]]);
  }
  return text;
}

}  // namespace

InitialFailure project_positions(const SecondOrderDae& dae, const std::vector<char>& firm, MotionVariables& x,
                                 State& state, Workspace& workspace, InitialReport& report) {
  const int nv = dae.nv(), nz = dae.nz(), nc = dae.nc();
  Projection projection(dae, LinearSolverKind::automatic, firm);
  Eigen::VectorXd motion(nv), internal(nz), phi(nc), delta(nv), total = Eigen::VectorXd::Zero(nv);
  InputBuffer inputs;
  dae.calc_inputs(x.t, inputs);
  double previous = std::numeric_limits<double>::infinity(), size = 0.0, part = 0.0;
  int row = -1;
  for (int k = 0; k < max_position_iterations; ++k) {
    dae.accepted(x.point(inputs.view()), x.q, state, workspace);  // centred charts: q + δ is exact
    Status status = dae.residual(x.point(inputs.view()), state, motion, internal, phi, workspace);
    if (!status.ok() && status.cause == Cause::not_finite && status.row >= nv + nz)
      return {fmt::format("{} is not a finite number in the drawn position", dae.layout().describe_row(status.row))};
    for (int r = 0; r < nc; ++r)
      if (!dae.holonomic()[r]) phi[r] = 0.0;  // belongs to the velocities
    size = 0.0;
    row = largest(phi, size);
    if (k == 0) report.position_residual = size, report.position_row = row;
    part = size;
    if (nc == 0 || size == 0.0) break;
    status = projection.setup(x.point(inputs.view()), state, workspace);
    if (status.ok()) status = projection.solve(phi, delta);
    if (!status.ok()) return {fmt::format("the constraints cannot be linearised: {}", describe(status.cause))};
    const LengthUnit unit(projection.planes(), dae.layout().kinds(), x.q);
    part = largest_part(phi, unit);
    const double longest = unit.largest(delta);
    const bool stalls = part <= residual_tol && (longest <= position_tol || longest >= 0.5 * previous);
    if (stalls) break;
    previous = longest;
    if (longest > max_rotation) delta *= max_rotation / longest;
    x.q += delta;
    total += delta;
    report.iterations = k + 1;
  }
  report.position_unknown = largest(total, report.position_change);
  if (part > residual_tol) {
    return {
        fmt::format("The machine cannot be assembled: {} iterations leave rows violated.\n"
                    "    worst rows  : {}\n"
                    "    usual cause : lengths or drawn positions that contradict each other, or a motion that asks "
                    "for an unreachable position",
                    report.iterations, describe_violations(dae, phi))};
  }
  return {};
}

InitialFailure project_velocities(const SecondOrderDae& dae, const std::vector<char>& firm, MotionVariables& x,
                                  const State& state, Workspace& workspace, InitialReport& report) {
  const int nv = dae.nv(), nc = dae.nc();
  if (nc == 0) return {};
  Projection projection(dae, LinearSolverKind::automatic, firm);
  Eigen::VectorXd phi_dot(nc), bias(nc), delta(nv), total = Eigen::VectorXd::Zero(nv);
  InputBuffer inputs;
  dae.calc_inputs(x.t, inputs);
  Status status = projection.setup(x.point(inputs.view()), state, workspace);
  const LengthUnit unit = status.ok() ? LengthUnit(projection.planes(), dae.layout().kinds(), x.q) : LengthUnit();
  double size = 0.0, part = 0.0;
  int row = -1;
  for (int k = 0; k < 20 && status.ok(); ++k) {
    status = dae.velocity_level(x.point(inputs.view()), state, phi_dot, bias, workspace);
    if (!status.ok()) break;
    size = 0.0;
    row = largest(phi_dot, size);
    if (k == 0) report.velocity_residual = size, report.velocity_row = row;
    part = largest_part(phi_dot, unit);
    const double scale = 1.0 + unit.largest(x.v);  // [1/s]
    if (part <= rate_rounding * scale) break;
    status = projection.solve(phi_dot, delta);
    if (k > 1 && unit.largest(delta) <= 10.0 * rate_rounding * scale) break;
    x.v += delta;
    total += delta;
  }
  if (!status.ok()) return {fmt::format("no consistent velocities: {}", describe(status.cause))};
  report.velocity_unknown = largest(total, report.velocity_change);
  if (part > rate_tol * (1.0 + unit.largest(x.v)))
    return {
        fmt::format("No velocities satisfy the constraints.\n"
                    "    worst rates : {}\n"
                    "    usual cause : a motion that drives a joint which other joints hold, or a singular position",
                    describe_violations(dae, phi_dot))};
  return {};
}

}  // namespace trammel
