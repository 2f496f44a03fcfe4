// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "slot_contact.h"
#include "slot_scratch.h"
#include "trammel/mechanics/elements/contact_kernel.h"

namespace trammel {

namespace {

using detail::raise, detail::raw_force, detail::stored_energy;

// Depths are differences of positions: what is left of them is noise.
constexpr double rounding_margin = 64.0 * 2.2e-16;

template <class S>
S still_force(const NormalLaw& law, const S& a) {
  return a > 0.0 ? raw_force(law, a, S(0.0)) : S(0.0);
}

/// S_d: the mean of V′ from b to a.
template <class S>
S mean_force(const NormalLaw& law, const S& a, const S& b) {
  if (!(a > 0.0) && !(b > 0.0)) return S(0.0);
  const double va = value_of(a), vb = value_of(b);
  if (std::min(va, vb) > 0.0 && std::abs(va - vb) < 0.1 * std::max(va, vb)) {
    // Gauss with four points: an error of 1e-16 within these bounds, and none for p = 1, 2, 3
    constexpr double x[2] = {0.86113631159405258, 0.33998104358485626},
                     w[2] = {0.34785484513745386, 0.65214515486254614};
    const S middle = 0.5 * (a + b), half = 0.5 * (a - b);
    S sum(0.0);
    for (int k = 0; k < 2; ++k)
      sum += (0.5 * w[k]) * (still_force<S>(law, middle + x[k] * half) + still_force<S>(law, middle - x[k] * half));
    return sum;
  }
  const double p = law.kind == NormalLaw::Kind::linear ? 1.0 : law.exponent;
  const auto stored = [&](const S& d) { return d > 0.0 ? S(still_force<S>(law, d) * d / (p + 1.0)) : S(0.0); };
  return (stored(a) - stored(b)) / (a - b);
}

/// What two bodies do at a place: [0] at j, [1] at f.
template <class S>
struct Meeting {
  S depth;  // at the end
  Vec3<S> n, u[2], w[2];
};

template <class S>
struct Push {
  Vec3<S> F[2], couple[2];               // on b, per h
  S eps, r[2], damping[2], friction[2];  // friction: the power it takes
};

template <class S>
Push<S> calc_push(const SlotContact& c, double h, const Meeting<S>& at) {
  using std::sqrt;
  Push<S> out;
  const Vec3<S> n[2] = {lift<S>(c.n_0), at.n};
  S moved[2], across[2], sum(0.0);
  for (int k = 0; k < 2; ++k) {
    moved[k] = dot(n[k], at.u[k]);
    across[k] = dot(at.u[k], at.u[k]) + dot(at.w[k], at.w[k]) * S(c.arm * c.arm);
    sum += across[k];
  }
  const S defect = (2.0 / h) * (at.depth - c.depth_0) - moved[0] - moved[1];
  // What is rounding of positions is not corrected.
  const double least = rounding_margin * (c.arm + c.point_0[0].norm() + c.point_0[1].norm()) * 2.0 / h;
  const S kappa = std::abs(value_of(defect)) > least && value_of(sum) > 0.0 ? S(defect / sum) : S(0.0);
  for (int k = 0; k < 2; ++k) out.r[k] = moved[k] + kappa * across[k];
  out.eps = c.depth_0 - (h / 6.0) * (out.r[1] - out.r[0]);
  const S mean = mean_force<S>(c.normal, at.depth, out.eps), star = still_force<S>(c.normal, out.eps);
  const S elastic[2] = {(2.0 * mean + star) / 6.0, (4.0 * mean - star) / 6.0};
  for (int k = 0; k < 2; ++k) {
    const S& depth = k == 0 ? out.eps : at.depth;
    S N(0.0);
    out.damping[k] = S(0.0);
    if (depth > 0.0) {
      N = raw_force(c.normal, depth, out.r[k]);
      if (!(N > 0.0)) N = S(0.0);
      out.damping[k] = 0.5 * (N - still_force<S>(c.normal, depth));
    }
    const S push = elastic[k] + out.damping[k];
    out.F[k] = (n[k] + at.u[k] * kappa) * push;
    out.couple[k] = at.w[k] * S(push * kappa * (c.arm * c.arm));
    out.friction[k] = S(0.0);
    if (c.friction.kind != FrictionLaw::Kind::coulomb) continue;
    const Vec3<S> slip = at.u[k] - n[k] * moved[k];
    const Vec3<S> ratio = detail::friction_ratio(c.friction, slip, Vec3<S>(slip));
    const S half = 0.5 * N;
    out.F[k] += ratio * half;
    out.friction[k] = half * dot(ratio, slip);
  }
  return out;
}

Vec3<double> rate_of_point(const SlotFrameStep::Slots& rate, const Vec3<double>& s) {
  return rate.head<3>() + s[0] * rate.segment<3>(3) + s[1] * rate.segment<3>(6) + s[2] * rate.segment<3>(9);
}

}  // namespace

bool SlotContact::has_potential(const ContactGroup& group, const ContactGroup::Place& place) {
  const FrictionLaw& friction = group.friction_law(place);
  const bool belts = !group.geometry()[place.a].belt.isZero(0.0) || !group.geometry()[place.b].belt.isZero(0.0);
  return !group.is_foundation(place) && !friction.has_bristles() && !friction.resists_turning() && !belts;
}

SlotContact::SlotContact(const ContactGroup& in, const ContactGroup::Place& at, std::span<const int> modes)
    : group(&in), place(at), normal(in.normal_law(at, modes)), friction(in.friction_law(at)) {
  const ContactGroup::Geometry &a = in.geometry()[at.a], &b = in.geometry()[at.b];
  frame[0] = a.frame, frame[1] = b.frame;
  arm = std::min(a.shape.size(), b.shape.size());
}

bool SlotContact::is(const ContactGroup& in, const ContactGroup::Place& at) const {
  return group == &in && place.a == at.a && place.b == at.b && place.feature == at.feature;
}

double SlotContact::calc_depth(const Frame<double>& a, const Frame<double>& b) const {
  return calc_touch(group->geometry()[place.a].shape, a, group->geometry()[place.b].shape, b, place.feature).depth;
}

void SlotContact::begin(std::span<const SlotFrameStep> steps) {
  const Frame<double>&a = steps[frame[0]].start, &b = steps[frame[1]].start;
  const Touch<double> touch =
      calc_touch(group->geometry()[place.a].shape, a, group->geometry()[place.b].shape, b, place.feature);
  depth_0 = touch.depth, n_0 = touch.n;
  point_0[0] = rotate_back(a.R, Vec3<double>(touch.point - a.p));
  point_0[1] = rotate_back(b.R, Vec3<double>(touch.point - b.p));
}

double SlotContact::calc_potential_start() const { return stored_energy(normal, depth_0); }

SlotContact::Ledger SlotContact::add_forces(std::span<SlotFrameStep> steps, double h,
                                            Eigen::Vector3d (&couple)[4]) const {
  for (Eigen::Vector3d& c : couple) c.setZero();
  SlotFrameStep* x[2] = {&steps[frame[0]], &steps[frame[1]]};
  const Touch<double> touch = calc_touch(group->geometry()[place.a].shape, x[0]->at_f, group->geometry()[place.b].shape,
                                         x[1]->at_f, place.feature);
  Vec3<double> point[2];
  for (int c = 0; c < 2; ++c) point[c] = rotate_back(x[c]->at_f.R, Vec3<double>(touch.point - x[c]->at_f.p));
  Meeting<double> at;
  at.depth = touch.depth, at.n = touch.n;
  at.u[0] = rate_of_point(x[0]->rate_j, point_0[0]) - rate_of_point(x[1]->rate_j, point_0[1]);
  at.u[1] = rate_of_point(x[0]->rate_f, point[0]) - rate_of_point(x[1]->rate_f, point[1]);
  at.w[0] = x[0]->w_j - x[1]->w_j, at.w[1] = x[0]->w_f - x[1]->w_f;
  const Push<double> push = calc_push<double>(*this, h, at);
  // Rows have what holds against motion: on a as (5), on b the opposite.
  for (int c = 0; c < 2; ++c) {
    const double sign = c == 0 ? h : -h;
    for (int k = 0; k < 2; ++k) {
      SlotFrameStep::Slots& force = k == 0 ? x[c]->force_j : x[c]->force_f;
      const Vec3<double>& s = k == 0 ? point_0[c] : point[c];
      force.head<3>() += sign * push.F[k];
      for (int i = 0; i < 3; ++i) force.segment<3>(3 + 3 * i) += sign * s[i] * push.F[k];
      couple[2 * c + k] = sign * push.couple[k];
    }
  }
  Ledger ledger;
  ledger.energy = stored_energy(normal, at.depth);
  ledger.strain_jump = stored_energy(normal, depth_0) - stored_energy(normal, push.eps) -
                       still_force(normal, push.eps) * (depth_0 - push.eps);
  for (int k = 0; k < 2; ++k) ledger.dissipated += h * (push.damping[k] * push.r[k] + push.friction[k]);
  return ledger;
}

namespace {

using Wide = Dual<24>;  // by (u_j, u_f) of a from 0, of b from 12

// Depth, normal and points at the end, which follow the poses there.
void follow_poses(const SlotContact& place, const SlotFrame* const (&own)[2], const SlotFrameStep* const (&x)[2],
                  double h, Meeting<Wide>& at, Vec3<Wide> (&point)[2]) {
  using D6 = Dual<6>;
  const ContactShape &shape_a = place.group->geometry()[place.place.a].shape,
                     &shape_b = place.group->geometry()[place.place.b].shape;
  const auto take = [&](const D6& from, Wide& to, int c, const detail::ToTwist& increment) {
    if (c < 0) {
      to = Wide(from.v);
      return;
    }
    for (int i = 0; i < own[c]->nv; ++i) {
      double d = 0.0;
      for (int k = 0; k < 6; ++k) d += from.d[k] * increment(k, i);
      to.d[12 * c + i] = to.d[12 * c + own[c]->nv + i] = d;
    }
  };
  for (int c = -1; c < 2; ++c) {
    if (c >= 0 && own[c]->nv == 0) continue;
    Frame<D6> f[2] = {lift<D6>(x[0]->at_f), lift<D6>(x[1]->at_f)};
    detail::ToTwist increment;
    if (c >= 0) f[c] = seed_position(x[c]->at_f), increment = detail::increment_of(*own[c], *x[c], h);
    const Touch<D6> touch = calc_touch(shape_a, f[0], shape_b, f[1], place.place.feature);
    take(touch.depth, at.depth, c, increment);
    for (int side = 0; side < 2; ++side) {
      const Vec3<D6> s = rotate_back(f[side].R, Vec3<D6>(touch.point - f[side].p));
      for (int i = 0; i < 3; ++i) take(s[i], point[side][i], c, increment);
    }
    for (int i = 0; i < 3; ++i) take(touch.n[i], at.n[i], c, increment);
  }
}

}  // namespace

void SlotContact::calc_matrix(std::span<const SlotFrame> frames, std::span<const SlotFrameStep> steps, double h,
                              Block& block) const {
  const SlotFrame* const own[2] = {&frames[frame[0]], &frames[frame[1]]};
  const SlotFrameStep* const x[2] = {&steps[frame[0]], &steps[frame[1]]};
  Meeting<Wide> at;
  Vec3<Wide> point[2];
  follow_poses(*this, own, x, h, at, point);
  // rates, which follow the unknowns
  for (int k = 0; k < 2; ++k) {
    Vec3<Wide> u[2], w[2];
    for (int c = 0; c < 2; ++c) {
      const SlotFrameStep::Slots& rate = k == 0 ? x[c]->rate_j : x[c]->rate_f;
      const SlotFrameStep::Columns& rate_u = k == 0 ? x[c]->rate_j_u : x[c]->rate_f_u;
      const auto& w_u = k == 0 ? x[c]->w_j_u : x[c]->w_f_u;
      const auto slot = [&](int row) {
        Wide y(rate[row]);
        for (int i = 0; i < 2 * own[c]->nv; ++i) y.d[12 * c + i] = rate_u(row, i);
        return y;
      };
      for (int i = 0; i < 3; ++i) {
        u[c][i] = slot(i);
        for (int d = 0; d < 3; ++d) u[c][i] += slot(3 + 3 * d + i) * (k == 0 ? Wide(point_0[c][d]) : point[c][d]);
        w[c][i] = Wide(k == 0 ? x[c]->w_j[i] : x[c]->w_f[i]);
        for (int d = 0; d < 2 * own[c]->nv; ++d) w[c][i].d[12 * c + d] = w_u(i, d);
      }
    }
    at.u[k] = u[0] - u[1], at.w[k] = w[0] - w[1];
  }
  const Push<Wide> push = calc_push<Wide>(*this, h, at);

  const int n[2] = {own[0]->nv, own[1]->nv}, first[2] = {0, 2 * n[0]};
  block.setZero(2 * (n[0] + n[1]), 2 * (n[0] + n[1]));
  for (int c = 0; c < 2; ++c) {
    const double sign = c == 0 ? 2.0 * h : -2.0 * h;
    for (int k = 0; k < 2 && n[c] > 0; ++k) {
      Eigen::Matrix<Wide, 12, 1> force;
      for (int i = 0; i < 3; ++i) {
        force[i] = push.F[k][i];
        for (int d = 0; d < 3; ++d) force[3 + 3 * d + i] = push.F[k][i] * (k == 0 ? Wide(point_0[c][d]) : point[c][d]);
      }
      Eigen::Matrix<double, 12, 24> by_force;
      Eigen::Matrix<double, 3, 24> couple;
      for (int d = 0; d < 24; ++d) {
        for (int i = 0; i < 12; ++i) by_force(i, d) = force[i].d[d];
        for (int i = 0; i < 3; ++i) couple(i, d) = push.couple[k][i].d[d];
      }
      const SlotFrameStep::Rows& on = k == 0 ? x[c]->on_j : x[c]->on_f;
      Eigen::Matrix<double, Eigen::Dynamic, 24, Eigen::ColMajor, 6, 24> rows = sign * (on * by_force);
      if (own[c]->turns) rows += sign * (x[c]->S_row.transpose() * couple);
      for (int other = 0; other < 2; ++other)
        block.block(first[c] + k * n[c], first[other], n[c], 2 * n[other]) += rows.middleCols(12 * other, 2 * n[other]);
    }
  }
}

}  // namespace trammel
