// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/consistency.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "trammel/dae/length_unit.h"
#include "trammel/dae/projection.h"
#include "trammel/nonlinear/newton.h"

namespace trammel {

namespace {

constexpr int max_position_iterations = 100, max_velocity_iterations = 20;
// Corrections below this are rounding: coordinates are radians and lengths of the machine of order one.
constexpr double position_tol = 1e-13;
constexpr double residual_tol = 1e-10;  // beside the size of a row
// [m, rad] What is left of rows in joint coordinates, which may be much smaller than the machine that they move.
constexpr double rounding = 1e-15;
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

// What both iterations below move by: rows of constraints through a projection.
struct RowProblem {
  const SecondOrderDae& dae;
  const InputBuffer& inputs;
  Projection& projection;
  MotionVariables& x;
  Workspace& workspace;
  Eigen::VectorXd rows = Eigen::VectorXd::Zero(dae.nc()), delta = Eigen::VectorXd::Zero(dae.nv()),
                  total = Eigen::VectorXd::Zero(dae.nv());
  LengthUnit unit = {};
  double part = 0.0;  // what is left of the rows, beside their sizes
  bool is_done = false;

  MotionPoint point() const { return x.point(inputs.view()); }
  Status give_up(Cause) { return Status::success(); }  // `part` tells
};

class PositionIteration : public RowProblem {
 public:
  PositionIteration(const RowProblem& problem, State& state, InitialReport& report)
      : RowProblem(problem), state_(state), report_(report) {}

  // Rows first: what is not a number there is told by its name. Forces do not matter yet.
  Status prepare(int k) {
    const int nv = dae.nv(), nz = dae.nz();
    dae.accepted(point(), x.q, state_, workspace);  // centred charts: q + δ is exact
    const Status status = dae.residual(point(), state_, motion_, internal_, rows, workspace);
    if (!status.ok() && status.cause == Cause::not_finite && status.row >= nv + nz) return status;
    for (int r = 0; r < dae.nc(); ++r)
      if (!dae.holonomic()[r]) rows[r] = 0.0;  // belongs to the velocities
    const int row = largest(rows, part);
    if (k == 0) report_.position_residual = part, report_.position_row = row;
    is_done = dae.nc() == 0 || part == 0.0;
    return is_done ? Status::success() : projection.setup(point(), state_, workspace);
  }

  Status solve(int) { return is_done ? Status::success() : projection.solve(rows, delta); }

  NewtonVerdict correct(int k) {
    if (is_done) return NewtonVerdict::converged;
    unit = LengthUnit(projection.planes(), dae.layout().kinds(), x.q);
    part = largest_part(rows, unit);
    const double longest = unit.largest(delta);
    if (rows.lpNorm<Eigen::Infinity>() <= rounding) part = std::min(part, residual_tol);
    const bool stalls = part <= residual_tol && (longest <= position_tol || longest >= 0.5 * previous_);
    if (stalls) return NewtonVerdict::converged;
    previous_ = longest;
    if (longest > max_rotation) delta *= max_rotation / longest;
    x.q += delta;
    total += delta;
    report_.iterations = k + 1;
    return NewtonVerdict::go_on;
  }

 private:
  State& state_;
  InitialReport& report_;
  Eigen::VectorXd motion_ = Eigen::VectorXd::Zero(dae.nv()), internal_ = Eigen::VectorXd::Zero(dae.nz());
  double previous_ = std::numeric_limits<double>::infinity();
};

class VelocityIteration : public RowProblem {
 public:
  VelocityIteration(const RowProblem& problem, const State& state, InitialReport& report)
      : RowProblem(problem), state_(state), report_(report) {}

  // Rates are linear in velocities: one matrix serves.
  Status prepare(int k) {
    if (k > 0) return Status::success();
    const Status status = projection.setup(point(), state_, workspace);
    if (status.ok()) unit = LengthUnit(projection.planes(), dae.layout().kinds(), x.q);
    return status;
  }

  Status solve(int k) {
    if (const Status status = dae.velocity_level(point(), state_, rows, bias_, workspace); !status.ok()) return status;
    double size = 0.0;
    const int row = largest(rows, size);
    if (k == 0) report_.velocity_residual = size, report_.velocity_row = row;
    part = largest_part(rows, unit);
    scale_ = 1.0 + unit.largest(x.v);
    is_done = part <= rate_rounding * scale_;
    return is_done ? Status::success() : projection.solve(rows, delta);
  }

  NewtonVerdict correct(int k) {
    if (is_done || (k > 1 && unit.largest(delta) <= 10.0 * rate_rounding * scale_)) return NewtonVerdict::converged;
    x.v += delta;
    total += delta;
    return NewtonVerdict::go_on;
  }

 private:
  const State& state_;
  InitialReport& report_;
  Eigen::VectorXd bias_ = Eigen::VectorXd::Zero(dae.nc());
  double scale_ = 1.0;  // the fastest of the machine [1/s]
};

}  // namespace

InitialFailure project_positions(const SecondOrderDae& dae, const std::vector<char>& firm, MotionVariables& x,
                                 State& state, Workspace& workspace, InitialReport& report) {
  Projection projection(dae, LinearSolverKind::automatic, firm);
  InputBuffer inputs;
  dae.calc_inputs(x.t, inputs);
  PositionIteration iteration({dae, inputs, projection, x, workspace}, state, report);
  if (const Status status = solve_by_newton(iteration, max_position_iterations); !status.ok()) {
    if (status.cause == Cause::not_finite && status.row >= dae.nv() + dae.nz())
      return {fmt::format("{} is not a finite number in the drawn position", dae.layout().describe_row(status.row))};
    return {fmt::format("the constraints cannot be linearised: {}", describe(status.cause))};
  }
  report.position_unknown = largest(iteration.total, report.position_change);
  if (iteration.part > residual_tol) {
    return {
        fmt::format("The machine cannot be assembled: {} iterations leave rows violated.\n"
                    "    worst rows  : {}\n"
                    "    usual cause : lengths or drawn positions that contradict each other, or a motion that asks "
                    "for an unreachable position",
                    report.iterations, describe_violations(dae, iteration.rows))};
  }
  return {};
}

InitialFailure project_velocities(const SecondOrderDae& dae, const std::vector<char>& firm, MotionVariables& x,
                                  const State& state, Workspace& workspace, InitialReport& report) {
  if (dae.nc() == 0) return {};
  Projection projection(dae, LinearSolverKind::automatic, firm);
  InputBuffer inputs;
  dae.calc_inputs(x.t, inputs);
  VelocityIteration iteration({dae, inputs, projection, x, workspace}, state, report);
  if (const Status status = solve_by_newton(iteration, max_velocity_iterations); !status.ok())
    return {fmt::format("no consistent velocities: {}", describe(status.cause))};
  report.velocity_unknown = largest(iteration.total, report.velocity_change);
  if (iteration.part > rate_tol * (1.0 + iteration.unit.largest(x.v)))
    return {
        fmt::format("No velocities satisfy the constraints.\n"
                    "    worst rates : {}\n"
                    "    usual cause : a motion that drives a joint which other joints hold, or a singular position",
                    describe_violations(dae, iteration.rows))};
  return {};
}

}  // namespace trammel
