// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/initial_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/dae/length_unit.h"

namespace trammel {

namespace {

// At an assembled configuration rows agree to rounding; mechanisms near a singular position are not redundant.
constexpr double rank_tol = 1e-8;

// How far beside a position its rank is compared [rad, lengths; of the coordinate that moves most].
constexpr double beside_drawn = 0.02;
constexpr int directions = 2;
// A velocity contradicts a row if more than this part of v² is left of its second derivative.
constexpr double contradiction = 1e-6;

// The rank at an assembled position beside x, near x.q + dq at time t; −1: there is none.
int find_rank_beside(const SecondOrderDae& dae, MotionVariables x, State state, double t, const Eigen::VectorXd& dq,
                     Workspace& workspace, RankReport& report) {
  x.t = t;
  x.q += dq;
  InitialReport assembled;
  if (project_positions(dae, {}, x, state, workspace, assembled).failed()) return -1;
  report = find_redundancy(dae, x, state, workspace);
  return report.rank;
}

LengthUnit find_unit(const SecondOrderDae& dae, const MotionVariables& x, const State& state, Workspace& workspace) {
  MotionPlanes planes;
  InputBuffer inputs;
  dae.calc_inputs(x.t, inputs);
  if (!dae.linearize(x.point(inputs.view()), state, PlaneSet::G, planes, workspace).ok()) return {};
  return LengthUnit(planes, dae.layout().kinds(), x.q);
}

}  // namespace

RankReport find_redundancy(const SecondOrderDae& dae, const MotionVariables& x, const State& state,
                           Workspace& workspace) {
  if (dae.nc() == 0) return {};
  MotionPlanes planes;
  InputBuffer inputs;
  dae.calc_inputs(x.t, inputs);
  // Rows of constraints alone, which have no domain that a point could leave; what is not finite is found in the rank.
  static_cast<void>(dae.linearize(x.point(inputs.view()), state, PlaneSet::G, planes, workspace));
  const LengthUnit unit(planes, dae.layout().kinds(), x.q);
  SparseMatrix<double> G(planes.constraint);
  G.values = planes.G;
  for (int c = 0; c < planes.constraint.n_cols; ++c)
    for (int k = planes.constraint.start[c]; k < planes.constraint.start[c + 1]; ++k) G.values[k] *= unit.of_column(c);
  return find_dependent_rows(G, rank_tol);
}

LastingRedundancy find_lasting_redundancy(const SecondOrderDae& dae, const MotionVariables& given, const State& state,
                                          Workspace& workspace) {
  LastingRedundancy found;
  found.here = found.rows = find_redundancy(dae, given, state, workspace);
  if (found.here.dependent.empty()) return found;
  MotionVariables x = given;
  InitialReport projected;
  if (project_velocities(dae, {}, x, state, workspace, projected).failed()) return found;
  Eigen::VectorXd rate(dae.nv());
  dae.calc_q_rate(x.q, x.v, rate);
  const LengthUnit unit = find_unit(dae, x, state, workspace);
  const double speed = unit.largest(rate);
  int on_the_way = found.here.rank;
  RankReport report;
  if (speed > 0.0) {
    const double dt = beside_drawn / speed;
    const int rank = find_rank_beside(dae, x, state, x.t + dt, dt * rate, workspace, report);
    if (rank > on_the_way) on_the_way = rank, found.rows = report;
  }
  int anywhere = on_the_way;
  for (int k = 0; k < directions; ++k) {
    Eigen::VectorXd any(dae.nv());
    for (Eigen::Index i = 0; i < any.size(); ++i)
      any[i] = beside_drawn * unit.of_column(static_cast<int>(i)) *
               std::sin(1.0 + k + 7.0 * static_cast<double>((i + 1) * (i + 1)));
    anywhere = std::max(anywhere, find_rank_beside(dae, x, state, x.t, any, workspace, report));
  }
  found.singular = on_the_way > found.here.rank;
  found.at_rest = anywhere > on_the_way;
  if (!found.singular) return found;
  // nᵀG = 0 here, so nᵀ(G v̇ + bias) = 0 is a condition on v alone.
  InputBuffer inputs;
  dae.calc_inputs(x.t, inputs);
  Eigen::VectorXd phi_dot(dae.nc()), bias(dae.nc());
  if (!dae.velocity_level(x.point(inputs.view()), state, phi_dot, bias, workspace).ok()) return found;
  for (const DependentRow& row : found.here.dependent) {
    double sum = bias[row.row];
    for (const DependentRow::Term& term : row.terms) sum -= term.coefficient * bias[term.row];
    if (std::abs(sum) > contradiction * speed * speed * unit.of_row(row.row)) found.impossible_row = row.row;
  }
  return found;
}

std::vector<std::string> describe_redundancy(const RankReport& report, const AbsoluteSystem& system) {
  std::vector<std::string> lines;
  for (const DependentRow& dependent : report.dependent) {
    std::string line = system.describe_constraint(dependent.row);
    if (dependent.terms.empty()) {
      line += " constrains nothing that moves";
    } else {
      line += " is implied by ";
      constexpr std::size_t shown = 4;
      std::vector<std::string> owners;
      for (const DependentRow::Term& term : dependent.terms) {
        const std::string text = system.describe_constraint(term.row);
        const std::string owner = text.substr(0, text.find(','));
        if (std::find(owners.begin(), owners.end(), owner) == owners.end()) owners.push_back(owner);
      }
      for (std::size_t i = 0; i < std::min(shown, owners.size()); ++i) line += (i ? ", " : "") + owners[i];
      if (owners.size() > shown) line += fmt::format(" and {} more", owners.size() - shown);
    }
    lines.push_back(line);
  }
  return lines;
}

}  // namespace trammel
