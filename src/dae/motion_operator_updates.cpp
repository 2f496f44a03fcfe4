// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "trammel/dae/input_steps.h"
#include "trammel/dae/motion_operator.h"

// Planes at hand for a new step: M of the present point, and derivatives that follow the inputs.

namespace trammel {

std::vector<std::vector<double>*> MotionOperator::all_planes() {
  MotionPlanes& m = planes_;
  return {&m.M,   &m.D,   &m.K,   &m.K_lam, &m.G,     &m.Gv_q,   &m.f_lam,
          &m.f_z, &m.g_q, &m.g_v, &m.g_z,   &m.g_lam, &G_chart_, &end_planes_.G};
}

Status MotionOperator::renew(const MotionPoint& p, const State& state, Workspace& workspace) {
  if (follows_inputs_) follow(p.in);
  if (dae_.has_constant_mass() || turns_) return Status::success();  // in axes that turned it is what it was
  const Status status = dae_.linearize(p, state, PlaneSet::M, mass_planes_, workspace);
  if (status.ok() && mass_planes_.version == planes_.version) planes_.M = mass_planes_.M;
  return status;
}

// Inputs of both points are moved by the same.
Status MotionOperator::take_input_derivatives(const MotionPoint& p, const MotionPoint* end, const State& state,
                                              Workspace& workspace) {
  const std::vector<std::vector<double>*> planes = all_planes();
  taken_planes_.clear();
  for (const std::vector<double>* plane : planes) taken_planes_.push_back(*plane);
  store_inputs(p.in, taken_inputs_);
  if (has_input_derivatives_) return Status::success();
  input_derivatives_.clear();
  const std::size_t n = p.in.u.size();
  std::vector<double> w = taken_inputs_, w_end;
  if (end) store_inputs(end->in, w_end);
  Status status = Status::success();
  for (std::size_t i = 0; i < w.size() && status.ok(); ++i) {
    if (i % n == 0) continue;  // time
    const double delta = input_step * std::max(1.0, std::abs(w[i]));
    w[i] += delta;
    if (end) w_end[i] += delta;
    const MotionPoint moved{p.t, view_inputs(w, n), p.q, p.v, p.a, p.z, p.zp, p.lam};
    if (end) {
      const MotionPoint moved_end{end->t, view_inputs(w_end, n), end->q, end->v, end->a, end->z, end->zp, end->lam};
      status = take_planes(moved, &moved_end, state, workspace);
      w_end[i] -= delta;
    } else {
      status = take_planes(moved, nullptr, state, workspace);
    }
    w[i] = taken_inputs_[i];
    ++n_input_derivatives_;
    for (std::size_t plane = 0; plane < planes.size() && status.ok(); ++plane) {
      InputDerivative d{i, static_cast<int>(plane), {}, {}};
      for (std::size_t k = 0; k < planes[plane]->size(); ++k) {
        const double base = taken_planes_[plane][k], change = ((*planes[plane])[k] - base) / delta;
        if (change == 0.0 || std::abs(change) <= input_noise * std::abs(base)) continue;
        d.slot.push_back(static_cast<int>(k));
        d.value.push_back(change);
      }
      if (!d.slot.empty()) input_derivatives_.push_back(std::move(d));
    }
  }
  for (std::size_t plane = 0; plane < planes.size(); ++plane) *planes[plane] = taken_planes_[plane];
  has_input_derivatives_ = status.ok();
  return status;
}

void MotionOperator::follow(const Inputs& in) {
  const std::vector<std::vector<double>*> planes = all_planes();
  for (std::size_t plane = 0; plane < planes.size(); ++plane) *planes[plane] = taken_planes_[plane];
  for (const InputDerivative& d : input_derivatives_) {
    const double change = input_of(in, d.input) - taken_inputs_[d.input];
    for (std::size_t k = 0; k < d.slot.size(); ++k) (*planes[d.plane])[d.slot[k]] += d.value[k] * change;
  }
}

}  // namespace trammel
