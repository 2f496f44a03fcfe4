// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "first_order_scratch.h"
#include "trammel/formulations/first_order.h"
#include "trammel/mechanics/chart_columns.h"

// The motion between the ends of a step.

namespace trammel {

namespace {

// Cubic Hermite through values and rates (times h) at 0 and 1.
double cubic(double x0, double d0, double x1, double d1, double theta) {
  const double rest = 1.0 - theta;
  return rest * rest * ((1.0 + 2.0 * theta) * x0 + theta * d0) + theta * theta * ((3.0 - 2.0 * theta) * x1 - rest * d1);
}

// Its rate, times h.
double cubic_rate(double x0, double d0, double x1, double d1, double theta) {
  return 6.0 * theta * (1.0 - theta) * (x1 - x0) + (1.0 - theta) * (1.0 - 3.0 * theta) * d0 +
         theta * (3.0 * theta - 2.0) * d1;
}

}  // namespace

// With w = x1 − x0 − h ẋ0 − h² ẍ0/2, and the same for rates: q = x0 + θ h ẋ0 + θ² h² ẍ0/2 + θ³ (c3 + c4 θ + c5 θ²).
void FirstOrderForm::interpolate_positions(const Point& from, const Point& to, double theta, Vec q, Vec v,
                                           Scratch& s) const {
  const double h = to.t - from.t;
  const std::span<const int> charts = system_.chart_offsets();
  const auto rates = [&](const Point& p, Eigen::VectorXd& rate, Eigen::VectorXd& bend) {
    system_.calc_q_rate(p.y.head(nv_), p.y.segment(v0(), nv_), rate);
    calc_chart_accelerations(charts, p.y.head(nv_), p.y.segment(v0(), nv_), p.yp.segment(v0(), nv_), bend);
  };
  rates(from, s.rate_from, s.bend_from);
  rates(to, s.rate_to, s.bend_to);
  for (int i = 0; i < nv_; ++i) {
    const double x0 = from.y[i], d0 = h * s.rate_from[i], b0 = h * h * s.bend_from[i];
    const double x1 = to.y[i], d1 = h * s.rate_to[i], b1 = h * h * s.bend_to[i];
    const double w = x1 - x0 - d0 - 0.5 * b0, wd = d1 - d0 - b0, wb = b1 - b0;
    const double c3 = 10.0 * w - 4.0 * wd + 0.5 * wb, c4 = -15.0 * w + 7.0 * wd - wb,
                 c5 = 6.0 * w - 3.0 * wd + 0.5 * wb;
    const double t2 = theta * theta;
    q[i] = x0 + theta * d0 + t2 * (0.5 * b0 + theta * (c3 + theta * (c4 + theta * c5)));
    s.rate[i] = (d0 + theta * b0 + t2 * (3.0 * c3 + theta * (4.0 * c4 + 5.0 * theta * c5))) / h;
  }
  calc_chart_velocities(charts, q, s.rate, v);
}

// Which states follow others at once within a step of this length: h |g(z + δ) − g(z)| ≫ δ for a small part δ of their
// sizes. Their rates make much of what the ends of a step leave of them: x holds the rates' point.
Status FirstOrderForm::find_fast_states(const Point& from, const Point& to, const State& state, ConstVec rates,
                                        MotionVariables& x, Scratch& s) const {
  constexpr double moved_part = 1e-3, fast = 5.0;
  const double h = to.t - from.t;
  const auto move_of = [&](int i) {
    return moved_part * std::max(std::abs(from.y[z0() + i]), std::abs(to.y[z0() + i]));
  };
  for (int i = 0; i < nz_; ++i) x.z[i] += move_of(i);
  const Status status = system_.residual(x.point(s.inputs.view()), state, s.rate, s.zp, s.phi, *s.system);
  for (int i = 0; i < nz_; ++i) s.is_fast[i] = h * std::abs(-s.zp[i] - rates[i]) > fast * move_of(i);
  return status;
}

// ż = g at the motion of interpolate_positions and the cubic of z, with v̇, λ and algebraic z of the polynomial there.
Status FirstOrderForm::calc_state_rates(const Point& from, const Point& to, double theta, const Polynomial& polynomial,
                                        const State& state, MotionVariables& x, Vec rates, Scratch& s) const {
  const double h = to.t - from.t, t = from.t + theta * h;
  const std::span<const double> E = system_.E();
  polynomial(t, x);
  x.t = t;
  system_.calc_inputs(x.t, s.inputs);
  interpolate_positions(from, to, theta, x.q, x.v, s);
  for (int i = 0; i < nz_; ++i) {
    if (E[i] == 0.0) continue;
    const int k = z0() + i;
    x.z[i] = cubic(from.y[k], h * from.yp[k], to.y[k], h * to.yp[k], theta);
  }
  x.zp.setZero();
  const Status status = system_.residual(x.point(s.inputs.view()), state, s.rate, rates, s.phi, *s.system);
  rates = -rates;  // E ż − g at ż = 0
  return status;
}

Status FirstOrderForm::interpolate(const Point& from, const Point& to, double t, const Polynomial& polynomial,
                                   const State& state, MotionVariables& x, Workspace& workspace) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  const double h = to.t - from.t, theta = (t - from.t) / h;
  const std::span<const double> E = system_.E();
  if (std::any_of(E.begin(), E.end(), [](double e) { return e != 0.0; })) {
    MotionVariables& between = s.between;
    Status status = calc_state_rates(from, to, 0.25, polynomial, state, between, s.first_quarter, s);
    if (status.ok()) status = find_fast_states(from, to, state, s.first_quarter, between, s);
    if (status.ok()) status = calc_state_rates(from, to, 0.75, polynomial, state, between, s.last_quarter, s);
    if (!status.ok()) return status;
    // + θ²(1 − θ)² (α + β (θ − ½)), whose rates at ¼ and ¾ are ±3/16 α − 3/256 β
    const double bump = std::pow(theta * (1.0 - theta), 2);
    for (int i = 0; i < nz_; ++i) {
      if (E[i] == 0.0 || s.is_fast[i]) continue;  // the method's own
      const int k = z0() + i;
      const double z[4] = {from.y[k], h * from.yp[k], to.y[k], h * to.yp[k]};
      const double d1 = h * s.first_quarter[i] - cubic_rate(z[0], z[1], z[2], z[3], 0.25);
      const double d3 = h * s.last_quarter[i] - cubic_rate(z[0], z[1], z[2], z[3], 0.75);
      x.z[i] = cubic(z[0], z[1], z[2], z[3], theta) +
               bump * (8.0 / 3.0 * (d1 - d3) - 128.0 / 3.0 * (d1 + d3) * (theta - 0.5));
    }
  }
  interpolate_positions(from, to, theta, x.q, x.v, s);
  return Status::success();
}

Status FirstOrderForm::calc_gap(const Point& from, const Point& to, double t, const Inputs& in, const State& state,
                                double& gap, Workspace& workspace) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  gap = 0.0;
  if (nc_ == 0 || !(to.t > from.t)) return Status::success();
  MotionVariables& x = s.between;
  x.t = t;
  interpolate_positions(from, to, (t - from.t) / (to.t - from.t), x.q, x.v, s);
  x.z = from.y.segment(z0(), nz_);
  x.a.setZero(), x.zp.setZero(), x.lam.setZero();
  const Status status = system_.residual(x.point(in), state, s.rate, s.zp, s.phi, *s.system);
  for (int r = 0; r < nc_; ++r)
    if (system_.holonomic()[r]) gap = std::max(gap, std::abs(s.phi[r]));
  return status;
}

}  // namespace trammel
