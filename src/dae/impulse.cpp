// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/impulse.h"

namespace trammel {

Status calc_impulse(const SecondOrderDae& dae, const MotionVariables& x, double t_after, const State& state,
                    Workspace& workspace, Impulse& impulse) {
  const int nv = dae.nv(), nc = dae.nc();
  InputBuffer inputs;
  dae.calc_inputs(t_after, inputs);
  const MotionPoint p = x.point(inputs.view());
  Eigen::VectorXd phi_dot(nc), bias(nc), sum = Eigen::VectorXd::Zero(nv + nc);
  MotionPlanes planes;
  Status status = dae.velocity_level(p, state, phi_dot, bias, workspace);
  if (status.ok()) status = dae.linearize(p, state, PlaneSet::M | PlaneSet::mass | PlaneSet::G, planes, workspace);
  if (!status.ok()) return status;

  PatternBuilder builder(nv + nc, nv + nc);
  builder.add_diagonal();
  builder.add(planes.motion, 0, 0);
  builder.add(planes.constraint, nv, 0);
  builder.add(make_transposed(planes.constraint).pattern, 0, nv);
  const Pattern pattern = builder.build(1);
  std::vector<double> values(static_cast<std::size_t>(pattern.nnz()), 0.0);
  for (int c = 0; c < nv; ++c) {
    for (int k = planes.motion.start[c]; k < planes.motion.start[c + 1]; ++k)
      values[pattern.slot(planes.motion.index[k], c)] += planes.M[k];
    for (int k = planes.constraint.start[c]; k < planes.constraint.start[c + 1]; ++k) {
      values[pattern.slot(nv + planes.constraint.index[k], c)] += planes.G[k];
      values[pattern.slot(c, nv + planes.constraint.index[k])] += planes.G[k];
    }
  }
  const std::unique_ptr<LinearSolver<double>> solver = make_linear_solver<double>(LinearSolverKind::automatic, nv + nc);
  OrderingHint hint;
  hint.roles.assign(static_cast<std::size_t>(nv), UnknownRole::coordinate);
  hint.roles.insert(hint.roles.end(), nc, UnknownRole::multiplier);
  status = solver->analyze(pattern, hint);
  if (status.ok()) status = solver->refactor(values);
  if (!status.ok()) return status;
  // Twice: the second correction is what rounding left of the first.
  for (int k = 0; k < 2; ++k) {
    Eigen::VectorXd r = Eigen::VectorXd::Zero(nv + nc);
    r.tail(nc) = -phi_dot;
    for (int c = 0; c < nv; ++c) {
      for (int i = planes.motion.start[c]; i < planes.motion.start[c + 1]; ++i)
        r[planes.motion.index[i]] -= planes.M[i] * sum[c];
      for (int i = planes.constraint.start[c]; i < planes.constraint.start[c + 1]; ++i) {
        const int row = nv + planes.constraint.index[i];
        r[row] -= planes.G[i] * sum[c];
        r[c] -= planes.G[i] * sum[row];
      }
    }
    status = solver->solve(r);
    if (!status.ok()) return status;
    sum += r;
  }
  impulse.dv = sum.head(nv), impulse.lam = sum.tail(nc);
  // ½ (v + Δv)ᵀM(v + Δv) − ½ vᵀMv = Δvᵀ M (v + ½ Δv)
  impulse.energy = 0.0;
  for (int c = 0; c < nv; ++c)
    for (int i = planes.motion.start[c]; i < planes.motion.start[c + 1]; ++i)
      impulse.energy += impulse.dv[planes.motion.index[i]] * planes.M[i] * (x.v[c] + 0.5 * impulse.dv[c]);
  return status;
}

}  // namespace trammel
