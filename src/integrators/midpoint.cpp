// SPDX-License-Identifier: Apache-2.0
#include "trammel/integrators/midpoint.h"

#include <cmath>

namespace trammel {

Midpoint::Midpoint(const SecondOrderDae& dae, const StepOptions& options, LinearSolverChoice solver,
                   const MotionScaling& scaling)
    : OneStep(dae, options, solver, scaling) {
  stage_.resize(dae.nv(), dae.nz(), dae.nc());
  end_motion_.setZero(dae.nv());
  end_internal_.setZero(dae.nz());
  stage_constraint_.setZero(dae.nc());
}

// (2) from v̇_m and ż_m
void Midpoint::predict(double h) {
  const MotionVariables& x0 = ends_.from;
  MotionVariables& x = ends_.to;
  x.v = x0.v + h * x.a;
  x.q = x0.q + 0.5 * h * (x0.v + x.v);
  x.z = x0.z + h * x.zp;
  stage_.t = x0.t + 0.5 * h;
  dae_.calc_inputs(stage_.t, stage_inputs_);
}

// (2): δq_m = ½ δq, δv_m = δq/h, δv̇_m = 2/h² δq, δz_m = ½ δz, δż_m = δz/h; at the end δv = 2/h δq
MotionCoefficients Midpoint::coefficients(double h) const {
  MotionCoefficients c;
  c.a = 2.0 / (h * h), c.v = 1.0 / h, c.q = 0.5;
  c.zp = 1.0 / h, c.z = 0.5;
  c.v_end = 2.0 / h;
  return c;
}

void Midpoint::update_stage() {
  const MotionVariables &x0 = ends_.from, &x = ends_.to;
  stage_.q = 0.5 * (x0.q + x.q);
  stage_.v = 0.5 * (x0.v + x.v);
  stage_.z = 0.5 * (x0.z + x.z);
  stage_.a = x.a;
  stage_.zp = x.zp;
  stage_.lam = x.lam;
}

Status Midpoint::calc_residual(const State& state, Vec motion, Vec internal, Vec constraint) {
  update_stage();
  Status status =
      dae_.residual(ends_.to.point(inputs_.view()), state, end_motion_, end_internal_, constraint, *workspace_);
  if (!status.ok()) return status;
  status = dae_.residual(stage_.point(stage_inputs_.view()), state, motion, internal, stage_constraint_, *workspace_);
  for (int z = 0; z < dae_.nz(); ++z)
    if (dae_.E()[z] == 0.0) internal[z] = end_internal_[z];
  return status;
}

Status Midpoint::setup_matrix(double h, const State& state, MotionOperator::Refresh refresh) {
  update_stage();
  return operator_.setup(stage_.point(stage_inputs_.view()), ends_.to.point(inputs_.view()), state, coefficients(h), h,
                         refresh, matrix_workspace());
}

void Midpoint::correct(double h, ConstVec dq, ConstVec dz) {
  MotionVariables& x = ends_.to;
  x.q += dq;
  x.v += 2.0 / h * dq;
  x.a += 2.0 / (h * h) * dq;
  x.z += dz;
  x.zp += 1.0 / h * dz;
}

// v̈ from v̇_m of this step and of the one before, (h + h_old)/2 apart; at a start v̇_0 belongs to t_n.
double Midpoint::local_error(double h, Eigen::Index i) const {
  return h * h * h / 12.0 * std::abs(ends_.to.a[i] - ends_.from.a[i]) / (0.5 * (h + h_old_));
}

// h³/12 x‴ with x″ from middles as above; those of the step before lie h_old + ¼ (h − h_old) − ¼ (h_old − h_older)
// earlier.
double Midpoint::integral_error(double h, const IntegralRates& rates) const {
  const double second = (rates.to - rates.from) / (0.5 * (h + h_old_));
  const double apart = 0.25 * (h + h_older_) + 0.5 * h_old_;
  return h * h * h / 12.0 * (second - rates.second) / apart;
}

void Midpoint::remember(double h) {
  h_older_ = h_old_;
  a_rate_ = (ends_.to.a - ends_.from.a) / (0.5 * (h + h_old_));
  zp_rate_ = (ends_.to.zp - ends_.from.zp) / (0.5 * (h + h_old_));
}

}  // namespace trammel
