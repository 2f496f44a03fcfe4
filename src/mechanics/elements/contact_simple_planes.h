// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/mechanics/elements/contact_kernel.h"
#include "trammel/mechanics/elements/group.h"

/// Derivatives by the poses of balls against spheres and planes, by hand: what duals would carry through the geometry.
namespace trammel::detail {

using ByPose = Eigen::Matrix<double, 3, 6>;  // by (δp, R δβ) of one frame, world axes

/// Columns w × x for the unit vectors w: −x̂.
inline void add_turn(const Vec3<double>& x, double factor, ByPose& out) {
  out.rightCols<3>() -= factor * hat<double>(x);
}

/// What a frame's pose does to a place and to the force there; the law is that of calc_contact_force without bristles.
///
///   (1) sphere: d = c_b − c_a = ℓ n,  δa = −n·δd,  δn = (1 − n nᵀ) δd/ℓ        plane: δn = δφ_a × n,
///       δa = −n·δd − d·δn;         both: x = c_b − n (r_b − a/2)
///   (2) u = u_a − u_b,  u_f = v + W × (x − p),  δu_f = (δφ × W) × (x − p) + W × (δx − δp)
///   (3) ȧ = n·u,  v = u − n ȧ,  F = N n + N g v,  g = μ/√(v² + v_s²)
///   (4) moments: δ(Rᵀ y) = Rᵀ (δy − δφ × y),  y = ± (x − p) × F
///
/// δφ = R δβ turns a frame. `side` is that whose pose moves; K[r] −= ∂(wrench on r)/∂(pose).
inline void subtract_pose_derivatives(const ContactShape& a, const ContactShape& b, const Frame<double>* const f[2],
                                      const Touch<double>& touch, const NormalLaw& normal, const FrictionLaw& friction,
                                      int side, Block6* const K[2]) {
  const Vec3<double>& n = touch.n;
  const bool sphere = a.kind == ContactShape::Kind::sphere, moves_a = side == 0;
  const Vec3<double> ca = center_of(a, *f[0]), cb = center_of(b, *f[1]), d = cb - ca;
  // (1)
  ByPose dc = ByPose::Zero(), dn = ByPose::Zero(), dx, du = ByPose::Zero();
  dc.leftCols<3>().setIdentity();
  add_turn((moves_a ? ca : cb) - f[side]->p, 1.0, dc);
  const double sign = moves_a ? -1.0 : 1.0;  // of δd
  Eigen::Matrix<double, 1, 6> da = -sign * (n.transpose() * dc);
  if (sphere) {
    dn = sign / d.norm() * (dc - n * (n.transpose() * dc));
  } else if (moves_a) {
    add_turn(n, 1.0, dn);
    da -= d.transpose() * dn;
  }
  dx = (touch.depth / 2.0 - b.radius) * dn + 0.5 * n * da;
  if (!moves_a) dx += dc;
  // (2)
  Vec3<double> u = Vec3<double>::Zero();
  for (int c = 0; c < 2; ++c) {
    const double s = c == 0 ? 1.0 : -1.0;
    const Vec3<double> W = rotate(f[c]->R, f[c]->w), arm = touch.point - f[c]->p;
    u += s * (f[c]->v + cross(W, arm));
    const Eigen::Matrix3d turns = s * hat<double>(W);
    du += turns * dx;
    if (c != side) continue;
    du.leftCols<3>() -= turns;
    // (δφ × W) × arm = W (δφ·arm) − δφ (W·arm)
    du.rightCols<3>() += s * (W * arm.transpose() - W.dot(arm) * Eigen::Matrix3d::Identity());
  }
  // (3)
  const double rate = n.dot(u);
  const Eigen::Matrix<double, 1, 6> drate = u.transpose() * dn + n.transpose() * du;
  double by_depth = normal.stiffness, by_rate = normal.damping;
  const double N = raw_force(normal, touch.depth, rate);
  if (normal.kind == NormalLaw::Kind::hunt_crossley) {
    const double elastic = normal.stiffness * raise(touch.depth, normal.exponent);
    by_rate = elastic * normal.damping;
    by_depth = normal.exponent * elastic / touch.depth * (1.0 + normal.damping * rate);
  }
  const Eigen::Matrix<double, 1, 6> dN = by_depth * da + by_rate * drate;
  Vec3<double> F = N * n;
  ByPose dF = N * dn + n * dN;
  if (friction.kind == FrictionLaw::Kind::coulomb) {
    const Vec3<double> v = u - rate * n;
    const double squared = dot(v, v) + friction.v_s * friction.v_s, g = friction.mu_k / std::sqrt(squared);
    const ByPose dv = du - rate * dn - n * drate;
    F += (N * g) * v;
    dF += g * (v * dN) + (N * g) * (dv - v * (v.transpose() * dv) / squared);
  }
  // (4)
  for (int r = 0; r < 2; ++r) {
    if (K[r] == nullptr) continue;
    const double s = r == 0 ? -1.0 : 1.0;
    const Vec3<double> arm = touch.point - f[r]->p;
    ByPose dm = hat<double>(arm) * dF - hat<double>(F) * dx;
    if (r == side) {
      dm.leftCols<3>() += hat<double>(F);
      add_turn(cross(arm, F), -1.0, dm);
    }
    Eigen::Matrix<double, 6, 6> out;
    out.topRows<3>() = s * dF;
    out.bottomRows<3>() = s * (f[r]->R.transpose() * dm);
    K[r]->leftCols<3>() -= out.leftCols<3>();
    K[r]->rightCols<3>() -= out.rightCols<3>() * f[side]->R;
  }
}

}  // namespace trammel::detail
