// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/math/dual.h"
#include "trammel/math/rotations.h"
#include "trammel/math/vectors.h"

namespace trammel {

/// What an element may see of a body: its frame and how it moves. Never coordinates: the same kernel serves absolute
/// and joint coordinates.
///
///   p, v   position and velocity of the frame's origin, world axes [m], [m/s]
///   R, w   orientation R_WB and angular velocity in **body** axes [rad/s]
///
/// A massless scalar coordinate is a frame as well: it slides along x, value = p.x, rate = v.x.
template <class S>
struct Frame {
  Mat3<S> R;
  Vec3<S> p, v, w;
};

/// Force in world axes and moment about the frame's origin in body axes: power = force·v + moment·w.
template <class S>
struct Wrench {
  Vec3<S> force, moment;
};

/// A covector on a frame's twist: row · (v, w). The rows of G are made of these.
template <class S>
using FrameRow = Wrench<S>;

template <class S>
Wrench<S> zero_wrench() {
  return {Vec3<S>::Zero(), Vec3<S>::Zero()};
}

template <class S>
Vec3<S> cross(const Vec3<S>& a, const Vec3<S>& b) {
  return {a.y() * b.z() - a.z() * b.y(), a.z() * b.x() - a.x() * b.z(), a.x() * b.y() - a.y() * b.x()};
}

template <class S>
S dot(const Vec3<S>& a, const Vec3<S>& b) {
  return a.x() * b.x() + a.y() * b.y() + a.z() * b.z();
}

/// Lifts constants into the scalar type of a kernel.
template <class S>
Vec3<S> lift(const Eigen::Vector3d& x) {
  return {S(x.x()), S(x.y()), S(x.z())};
}
template <>
inline Vec3<double> lift<double>(const Eigen::Vector3d& x) {
  return x;
}

/// R x.
template <class S, class X>
Vec3<S> rotate(const Mat3<S>& R, const Eigen::Matrix<X, 3, 1>& x) {
  Vec3<S> y;
  for (int i = 0; i < 3; ++i) y[i] = R(i, 0) * x[0] + R(i, 1) * x[1] + R(i, 2) * x[2];
  return y;
}

/// Rᵀ x.
template <class S>
Vec3<S> rotate_back(const Mat3<S>& R, const Vec3<S>& x) {
  Vec3<S> y;
  for (int i = 0; i < 3; ++i) y[i] = R(0, i) * x[0] + R(1, i) * x[1] + R(2, i) * x[2];
  return y;
}

/// World position and velocity of the point s fixed in a frame:  p + R s,  v + R (ω × s).
template <class S>
Vec3<S> point_position(const Frame<S>& f, const Eigen::Vector3d& s) {
  return f.p + rotate(f.R, s);
}
template <class S>
Vec3<S> point_velocity(const Frame<S>& f, const Eigen::Vector3d& s) {
  const Vec3<S> arm = lift<S>(s);
  return f.v + rotate(f.R, cross(f.w, arm));
}

/// The frame as a constant of the scalar type S.
template <class S>
Frame<S> lift(const Frame<double>& f) {
  Frame<S> g;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) g.R(i, j) = S(f.R(i, j));
    g.p[i] = S(f.p[i]);
    g.v[i] = S(f.v[i]);
    g.w[i] = S(f.w[i]);
  }
  return g;
}

/// The frame with its position seeded: derivative k = 0…2 by δp, 3…5 by δβ where R(β) = R (I + β̂).
inline Frame<Dual<6>> seed_position(const Frame<double>& f) {
  Frame<Dual<6>> g = lift<Dual<6>>(f);
  for (int i = 0; i < 3; ++i) {
    g.p[i].d[i] = 1.0;
    // R ê_k has columns: ê_k x = e_k × x, so column j of dR/dβ_k is R (e_k × e_j).
    g.R(i, 1).d[3] = f.R(i, 2);
    g.R(i, 2).d[3] = -f.R(i, 1);
    g.R(i, 0).d[4] = -f.R(i, 2);
    g.R(i, 2).d[4] = f.R(i, 0);
    g.R(i, 0).d[5] = f.R(i, 1);
    g.R(i, 1).d[5] = -f.R(i, 0);
  }
  return g;
}

/// The frame with its velocity seeded: derivative k = 0…2 by v, 3…5 by ω.
inline Frame<Dual<6>> seed_velocity(const Frame<double>& f) {
  Frame<Dual<6>> g = lift<Dual<6>>(f);
  for (int i = 0; i < 3; ++i) {
    g.v[i].d[i] = 1.0;
    g.w[i].d[3 + i] = 1.0;
  }
  return g;
}

/// The frame moving on: derivative by time with v̇ = 0, ω̇ = 0.
inline Frame<Dual<1>> along_motion(const Frame<double>& f) {
  Frame<Dual<1>> g = lift<Dual<1>>(f);
  const Mat3<double> rate = f.R * hat<double>(f.w);
  for (int i = 0; i < 3; ++i) {
    g.p[i].d[0] = f.v[i];
    for (int j = 0; j < 3; ++j) g.R(i, j).d[0] = rate(i, j);
  }
  return g;
}

}  // namespace trammel
