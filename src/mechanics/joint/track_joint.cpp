// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include "trammel/mechanics/joint/joint_tree.h"

// Links on a track: a star of bodies, each relative to its own travelling section [arnold2004 section 4.1].
//
//   (1) s = station + u + σ,   p = C(s) + y y_T + (height + z) z_T,   R = Rz(Θ + ψ) Rx(φ) Ry(θ + u/r)
//   (2) freedoms in the order in which they carry each other: σ, y, z, ψ, φ, θ. The first is a screw that changes with
//       s itself: a rotation κ about the centre of curvature; seen from the ground dS/ds is a rotation κ′ about C.

namespace trammel {

namespace {

using V3 = Vec3<double>;

// The coordinates or rates of all six freedoms; what is guided has none of its own for σ.
void spread(const JointTree::Link& link, const double* x, double (&own)[6]) {
  const int missing = 6 - link.nv;
  own[0] = 0.0;
  for (int k = missing; k < 6; ++k) own[k] = x == nullptr ? 0.0 : x[link.offset + k - missing];
}

}  // namespace

void JointTree::find_track_freedoms(int i, Memory& memory, Freedom* (&s)[6]) const {
  const Link& link = links_[i];
  const int missing = 6 - link.nv;
  s[0] = &memory.driven[i];
  for (int k = missing; k < 6; ++k) s[k] = &memory.freedom[link.offset + k - missing];
}

void JointTree::update_track_motion(int i, const double* q_all, const double* v_all, const Inputs& in,
                                    Memory& memory) const {
  const Link& link = links_[i];
  double q[6], v[6];
  spread(link, q_all, q);
  spread(link, v_all, v);
  const double u = in.u[link.travel], u_dot = in.ud[link.travel];
  v[0] += u_dot;
  v[5] += u_dot * link.turns;
  const Track::Point c = link.track->at(link.station + u + q[0]);
  const double y = q[1], angle = q[5] + u * link.turns;
  const V3 x_T(c.cosine, c.sine, 0.0), y_T(-c.sine, c.cosine, 0.0), z_T = V3::UnitZ();

  Motion& m = memory.motion[i];
  m.p = V3(c.x, c.y, 0.0) + y * y_T + (link.height + q[2]) * z_T;
  memory.travel[i] = {V3(c.x, c.y, 0.0), c.dkappa, c.ddkappa, v[0], 0.0};
  const double cp = std::cos(q[3]), sp = std::sin(q[3]), cr = std::cos(q[4]), sr = std::sin(q[4]);
  const V3 forward = cp * x_T + sp * y_T, left = cp * y_T - sp * x_T;  // after ψ
  const V3 axle = cr * left + sr * z_T, up = cr * z_T - sr * left;     // after φ
  const double ct = std::cos(angle), st = std::sin(angle);
  m.R.col(0) = ct * forward - st * up;
  m.R.col(1) = axle;
  m.R.col(2) = st * forward + ct * up;

  Freedom* s[6];
  find_track_freedoms(i, memory, s);
  m.w.setZero(), m.v.setZero();
  const auto set = [&](int k, const V3& sigma, const V3& nu) {
    s[k]->sigma = sigma, s[k]->nu = nu, s[k]->w_before = m.w, s[k]->v_before = m.v;
    m.w += sigma * v[k];
    m.v += nu * v[k];
  };
  set(0, c.kappa * z_T, (1.0 - c.kappa * y) * x_T);
  set(1, V3::Zero(), y_T);
  set(2, V3::Zero(), z_T);
  set(3, z_T, V3::Zero());
  set(4, forward, V3::Zero());
  set(5, axle, V3::Zero());
}

// As for other joints, with what σ carries: α += κ′ṡ² z,  a += κ′ṡ² z × (p − C) + ω × v.
void JointTree::update_track_accelerations(int i, const double* v_all, const double* a_all, const Inputs& in,
                                           Memory& memory) const {
  const Link& link = links_[i];
  double v[6], a[6];
  spread(link, v_all, v);
  spread(link, a_all, a);
  const double u_dot = in.ud[link.travel], u_ddot = in.udd[link.travel];
  v[0] += u_dot, v[5] += u_dot * link.turns;
  a[0] += u_ddot, a[5] += u_ddot * link.turns;
  Motion& m = memory.motion[i];
  Travel& travel = memory.travel[i];
  travel.s_ddot = a[0];
  Freedom* s[6];
  find_track_freedoms(i, memory, s);
  const double grows = travel.dkappa * v[0] * v[0];
  const V3 z = V3::UnitZ();
  s[0]->alpha_before.setZero(), s[0]->a_before.setZero();
  m.alpha = s[0]->sigma * a[0] + grows * z;
  m.a = s[0]->nu * a[0] + grows * cross(z, V3(m.p - travel.C)) + cross(V3(s[0]->sigma * v[0]), V3(s[0]->nu * v[0]));
  for (int k = 1; k < 6; ++k) {
    s[k]->alpha_before = m.alpha, s[k]->a_before = m.a;
    m.alpha += s[k]->sigma * a[k] + cross(s[k]->w_before, s[k]->sigma) * v[k];
    m.a += s[k]->nu * a[k] + cross(s[k]->w_before, s[k]->nu) * (2.0 * v[k]);
  }
}

void JointTree::set_track_coordinates(int i, const Mat3<double>& R, const V3& p, const V3& w, const V3& v,
                                      const Inputs& in, Vec q_all, Vec rate_all) const {
  const Link& link = links_[i];
  const double u = in.u[link.travel], u_dot = in.ud[link.travel];
  const Track::Point c = link.track->foot(p.x(), p.y());
  const V3 x_T(c.cosine, c.sine, 0.0), y_T(-c.sine, c.cosine, 0.0), d = p - V3(c.x, c.y, 0.0);
  const double y = d.dot(y_T), s_dot = v.dot(x_T) / (1.0 - c.kappa * y);
  const V3 axle = R.col(1);
  const double yaw = std::atan2(-axle.dot(x_T), axle.dot(y_T)), roll = std::asin(axle.z());
  const V3 forward = std::cos(yaw) * x_T + std::sin(yaw) * y_T, left = std::cos(yaw) * y_T - std::sin(yaw) * x_T;
  // ω = (κ ṡ + ψ̇) z + φ̇ forward + θ̇ axle
  const double pitch_rate = w.dot(left) / std::cos(roll);
  double pitch = std::atan2(-R(2, 0), R(2, 2)) - u * link.turns;
  constexpr double turn = 2.0 * std::numbers::pi;
  pitch -= turn * std::round(pitch / turn);
  const double q[6] = {c.s - link.station - u, y, p.z() - link.height, yaw, roll, pitch};
  const double rate[6] = {s_dot - u_dot,  v.dot(y_T),
                          v.z(),          w.z() - pitch_rate * std::sin(roll) - c.kappa * s_dot,
                          w.dot(forward), pitch_rate - u_dot * link.turns};
  const int missing = 6 - link.nv;
  for (int k = missing; k < 6; ++k) {
    q_all[link.offset + k - missing] = q[k];
    rate_all[link.offset + k - missing] = rate[k];
  }
}

}  // namespace trammel
