// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/plane_source.h"

#include <algorithm>
#include <cmath>

#include "trammel/dae/input_steps.h"

namespace trammel {

Status PlaneSource::renew(const Point& p, const State& state, double h, Refresh refresh, Workspace& workspace,
                          Renewed& renewed) {
  renewed = {.pattern = system_.update_pattern(state, planes_)};
  if (refresh == Refresh::linearize || renewed.pattern || !has_planes_) {
    renewed.values = true;
    if (renewed.pattern) has_input_derivatives_ = false;
    return linearize(p, state, h, workspace);
  }
  if (system_.has_exact_rates() && !system_.has_constant_rates()) {
    if (const Status status = system_.update_rates(p, state, planes_, workspace); !status.ok()) return status;
    renewed.values = true;
  }
  follow(p.in);
  return Status::success();
}

Status PlaneSource::linearize(const Point& p, const State& state, double h, Workspace& workspace) {
  planes_.h = h;
  has_planes_ = false;
  if (const Status status = system_.linearize(p, state, planes_, workspace); !status.ok()) return status;
  planes_.t = p.t;
  planes_.y = p.y;
  planes_.yp = p.yp;
  planes_.anew = false;
  store_inputs(p.in, planes_.inputs);
  has_planes_ = true;
  ++linearizations_;
  for (std::vector<double>& plane : followed_) std::fill(plane.begin(), plane.end(), 0.0);
  if (!follows_inputs_ || has_input_derivatives_) return Status::success();
  return take_input_derivatives(p, state, workspace);
}

Status PlaneSource::take_input_derivatives(const Point& p, const State& state, Workspace& workspace) {
  input_derivatives_.clear();
  const std::size_t n = p.in.u.size();
  std::vector<double> w = planes_.inputs;
  Planes moved = planes_;
  moved.suspect = false;
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (i % n == 0) continue;  // time
    const double delta = input_step * std::max(1.0, std::abs(w[i]));
    w[i] += delta;
    const Status status = system_.linearize({p.t, view_inputs(w, n), p.y, p.yp}, state, moved, workspace);
    w[i] = planes_.inputs[i];
    ++n_input_derivatives_;
    if (!status.ok()) return status;
    for (const PlaneRole role : {PlaneRole::y, PlaneRole::yp}) {
      if (role == PlaneRole::yp && system_.has_exact_rates()) continue;
      if (InputDerivative d = compare(i, role, delta, moved); !d.slot.empty())
        input_derivatives_.push_back(std::move(d));
    }
  }
  for (std::vector<double>& plane : followed_) plane.assign(planes_.pattern.index.size(), 0.0);
  has_input_derivatives_ = true;
  return Status::success();
}

PlaneSource::InputDerivative PlaneSource::compare(std::size_t input, PlaneRole role, double delta,
                                                  const Planes& moved) const {
  InputDerivative d{input, role, {}, {}};
  for (std::size_t k = 0; k < planes_.pattern.index.size(); ++k) {
    double change = 0.0, size = 0.0;
    for (std::size_t plane = 0; plane < planes_.values.size(); ++plane) {
      if (planes_.roles[plane] != role) continue;
      change += (moved.values[plane][k] - planes_.values[plane][k]) / delta;
      size += std::abs(planes_.values[plane][k]);
    }
    if (std::abs(change) <= input_noise * size || change == 0.0) continue;
    d.slot.push_back(static_cast<int>(k));
    d.value.push_back(change);
  }
  return d;
}

void PlaneSource::follow(const Inputs& in) {
  if (input_derivatives_.empty()) return;
  for (std::vector<double>& plane : followed_) std::fill(plane.begin(), plane.end(), 0.0);
  for (const InputDerivative& d : input_derivatives_) {
    const double change = input_of(in, d.input) - planes_.inputs[d.input];
    std::vector<double>& followed = followed_[d.role == PlaneRole::yp];
    for (std::size_t k = 0; k < d.slot.size(); ++k) followed[d.slot[k]] += d.value[k] * change;
  }
}

bool PlaneSource::follows(int slot) const {
  return std::any_of(input_derivatives_.begin(), input_derivatives_.end(), [slot](const InputDerivative& d) {
    return std::binary_search(d.slot.begin(), d.slot.end(), slot);
  });
}

}  // namespace trammel
