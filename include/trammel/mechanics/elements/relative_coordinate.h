// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>

#include "trammel/mechanics/elements/frame.h"

namespace trammel {

/// The free coordinate x of a joint between frames A = f[0] and B = f[1], and its gradient.
///
///   angle         (1)  x = atan2(Y, X) + 2πn,  X = (R_A a₁)·(R_B b),  Y = (R_A a₂)·(R_B b)         [rad]
///   displacement  (2)  x = (R_A a₃)·d,         d = p_B + R_B s_B − p_A − R_A s_A                    [m]
///   scalar        (3)  x = p_A·e_x             the value of a massless scalar coordinate
///
/// a₁, a₂, a₃ are right-handed and fixed in A, a₃ is the joint's axis; b is fixed in B. The number of turns n is the
/// one that brings x nearest to `turns`, the angle predicted from the last accepted instant. x is zero as drawn when
/// b = a₁ there; `zero` shifts it.
struct RelativeCoordinate {
  enum class Type { angle, displacement, scalar };
  Type type = Type::scalar;
  Eigen::Vector3d a1 = Eigen::Vector3d::UnitX(), a2 = Eigen::Vector3d::UnitY(), a3 = Eigen::Vector3d::UnitZ();
  Eigen::Vector3d b = Eigen::Vector3d::UnitX();
  Eigen::Vector3d s_a = Eigen::Vector3d::Zero(), s_b = Eigen::Vector3d::Zero();
  double zero = 0.0;

  template <class S>
  S value(const Frame<S>* f, double turns) const {
    using std::atan2;
    switch (type) {
      case Type::angle: {
        const Vec3<S> b_w = rotate(f[1].R, b);
        const S x = atan2(dot(rotate(f[0].R, a2), b_w), dot(rotate(f[0].R, a1), b_w)) - zero;
        constexpr double turn = 2.0 * std::numbers::pi;
        return x + turn * std::round((turns - value_of(x)) / turn);
      }
      case Type::displacement:
        return dot(rotate(f[0].R, a3), separation(f)) - zero;
      case Type::scalar:
        break;
    }
    return f[0].p.x() - zero;
  }

  /// ∂x/∂(twist of A), ∂x/∂(twist of B): g[0], g[1].
  template <class S>
  void gradient(const Frame<S>* f, FrameRow<S>* g) const {
    g[0] = g[1] = zero_wrench<S>();
    switch (type) {
      case Type::angle: {
        // δ(a_w·b_w) = β_A·(a × R_Aᵀ b_w) + β_B·(b × R_Bᵀ a_w);  δx = (X δY − Y δX)/(X² + Y²)
        const Vec3<S> b_w = rotate(f[1].R, b), b_in_a = rotate_back(f[0].R, b_w);
        const S X = b_in_a.x() * a1.x() + b_in_a.y() * a1.y() + b_in_a.z() * a1.z();
        const S Y = b_in_a.x() * a2.x() + b_in_a.y() * a2.y() + b_in_a.z() * a2.z();
        const S r2 = X * X + Y * Y, cx = -Y / r2, cy = X / r2;
        Vec3<S> c;  // δx = δ(c_w·b_w) with c = cx a₁ + cy a₂ held constant in A
        for (int i = 0; i < 3; ++i) c[i] = cx * a1[i] + cy * a2[i];
        g[0].moment = cross(c, b_in_a);
        g[1].moment = cross(lift<S>(b), rotate_back(f[1].R, rotate(f[0].R, c)));
        return;
      }
      case Type::displacement: {
        const Vec3<S> n = rotate(f[0].R, a3), d = separation(f);
        g[0].force = -n;
        g[0].moment = cross(lift<S>(a3), Vec3<S>(rotate_back(f[0].R, d) + lift<S>(s_a)));
        g[1].force = n;
        g[1].moment = cross(lift<S>(s_b), rotate_back(f[1].R, n));
        return;
      }
      case Type::scalar:
        g[0].force.x() = S(1.0);
        return;
    }
  }

 private:
  template <class S>
  Vec3<S> separation(const Frame<S>* f) const {
    return point_position(f[1], s_b) - point_position(f[0], s_a);
  }
};

/// row · twist
template <class S>
S along(const FrameRow<S>& row, const Frame<S>& f) {
  return dot(row.force, f.v) + dot(row.moment, f.w);
}

}  // namespace trammel
