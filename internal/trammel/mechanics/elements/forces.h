// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/mechanics/elements/relative_coordinate.h"

/// Force laws as static kernels on frames. `force` gives the wrench on each frame (force in the world, moment about
/// the frame's origin in body axes), `potential` the energy whose negative gradient is the conservative part of it.

namespace trammel {

/// A spring and damper between a point of A and a point of B.
///
///   (1) d = p_B + R_B s_B − p_A − R_A s_A,  ℓ = ‖d‖,  ℓ̇ = dᵀḋ/ℓ
///   (2) force on B = −(k (ℓ − ℓ₀) + c ℓ̇ + F₀) d/ℓ,  on A the opposite      [N]; F₀ > 0 pulls the points together
///   (3) V = ½ k (ℓ − ℓ₀)² + F₀ (ℓ − ℓ₀)
struct SpringDamper {
  static constexpr int n_frames = 2, n_turns = 0;
  static constexpr bool depends_on_velocity = true;
  static constexpr const char* name = "spring-damper";
  struct Params {
    Eigen::Vector3d s_a, s_b;
    double stiffness = 0.0, damping = 0.0, free_length = 0.0, preload = 0.0;
  };

  template <class S>
  static void force(const Params& c, const Frame<S>* f, const double*, Wrench<S>* w) {
    using std::sqrt;
    const Vec3<S> d = point_position(f[1], c.s_b) - point_position(f[0], c.s_a);
    const Vec3<S> rate = point_velocity(f[1], c.s_b) - point_velocity(f[0], c.s_a);
    const S length = sqrt(dot(d, d)), length_rate = dot(d, rate) / length;
    const S tension = c.stiffness * (length - c.free_length) + c.damping * length_rate + c.preload;
    const S per_length = -tension / length;
    const Vec3<S> F = d * per_length;
    w[1] = {F, cross(lift<S>(c.s_b), rotate_back(f[1].R, F))};
    w[0] = {-F, -cross(lift<S>(c.s_a), rotate_back(f[0].R, F))};
  }
  template <class S>
  static S potential(const Params& c, const Frame<S>* f, const double*) {
    using std::sqrt;
    const Vec3<S> d = point_position(f[1], c.s_b) - point_position(f[0], c.s_a);
    const S stretch = sqrt(dot(d, d)) - c.free_length;
    return 0.5 * c.stiffness * stretch * stretch + c.preload * stretch;
  }
};

/// A linear spring-damper on a joint's coordinate x (angle, displacement or scalar), with optional stops.
///
///   (1) Q = −k (x − x₀) − c ẋ − Q₀;   wrench on each frame = Q ∂x/∂twist                [N], [N m]
///   (2) stop: with δ = x − upper > 0 (and likewise below `lower`)  Q = −max(0, k δ + c ẋ min(1, δ/ε)): never pulls
///
/// The ramp over the depth ε makes the damping force of a stop continuous at touch-down.
struct CoordinateForce {
  static constexpr int n_frames = 2, n_turns = 1;
  static constexpr bool depends_on_velocity = true;
  static constexpr const char* name = "joint spring";
  struct Params {
    RelativeCoordinate x;
    bool stop = false;
    double stiffness = 0.0, damping = 0.0, free_value = 0.0, preload = 0.0;
    double lower = 0.0, upper = 0.0, depth = 1e-4;
  };

  template <class S>
  static void force(const Params& c, const Frame<S>* f, const double* turns, Wrench<S>* w) {
    FrameRow<S> g[2];
    c.x.gradient(f, g);
    const S x = c.x.value(f, turns[0]);
    const S rate = along(g[0], f[0]) + along(g[1], f[1]);
    const S Q = law(c, x, rate);
    for (int i = 0; i < 2; ++i) w[i] = {g[i].force * Q, g[i].moment * Q};
  }
  /// A stop that is not reached has neither a force nor derivatives.
  static bool is_off(const Params& c, const Frame<double>* f, const double* turns) {
    if (!c.stop) return false;
    const double x = c.x.value(f, turns[0]);
    return x <= c.upper && x >= c.lower;
  }
  /// ∂Q/∂ẋ; g: ∂x/∂twist, so that ∂wrench_i/∂twist_j = g_i ∂Q/∂ẋ g_jᵀ.
  static double calc_rate_slope(const Params& c, const Frame<double>* f, const double* turns, FrameRow<double>* g) {
    c.x.gradient(f, g);
    Dual<1> rate(along(g[0], f[0]) + along(g[1], f[1]));
    rate.d[0] = 1.0;
    return law(c, Dual<1>(c.x.value(f, turns[0])), rate).d[0];
  }
  template <class S>
  static S potential(const Params& c, const Frame<S>* f, const double* turns) {
    const S x = c.x.value(f, turns[0]);
    if (!c.stop) {
      const S stretch = x - c.free_value;
      return 0.5 * c.stiffness * stretch * stretch + c.preload * stretch;
    }
    if (x > c.upper) return 0.5 * c.stiffness * (x - c.upper) * (x - c.upper);
    if (x < c.lower) return 0.5 * c.stiffness * (c.lower - x) * (c.lower - x);
    return S(0.0);
  }

 private:
  template <class S>
  static S law(const Params& c, const S& x, const S& rate) {
    return c.stop ? stop(c, x, rate) : S(-(c.stiffness * (x - c.free_value) + c.damping * rate + c.preload));
  }
  template <class S>
  static S stop(const Params& c, const S& x, const S& rate) {
    if (x > c.upper) return -pushed(c, S(x - c.upper), rate);
    if (x < c.lower) return pushed(c, S(c.lower - x), S(-rate));
    return S(0.0);
  }
  template <class S>
  static S pushed(const Params& c, const S& depth, const S& rate) {
    const S ramp = depth < c.depth ? S(depth / c.depth) : S(1.0);
    const S push = c.stiffness * depth + c.damping * rate * ramp;
    return push > 0.0 ? push : S(0.0);
  }
};

/// An elastic bushing between A and B: 6×6 stiffness and damping in the bushing's axes, fixed in A (Q_A) and in B
/// (Q_B), which coincide as drawn.
///
///   (1) d = (R_A Q_A)ᵀ (p_B + R_B s_B − p_A − R_A s_A),  R = (R_A Q_A)ᵀ R_B Q_B
///   (2) `log`:     φ = log R;  (f, m) = −K (d, φ) − C (ḋ, φ̇);  force R_A Q_A f, moment on B  T(φ)ᵀ m in Q_B's axes:
///                  the gradient of V = ½ (d, φ)ᵀ K (d, φ), exact for large angles below π
///   (3) `printed`: φ = (−R₂₃, R₁₃, atan2(R₂₁, R₂₂)), rates (R_A Q_A)ᵀ(ḋ_world, ω_B − ω_A), moment −K φ − C ω in A's
///                  bushing axes [yen1996 5.2]; not derived from a potential except for small angles
///
/// The reaction acts on A at the same point of space (B's point), so that momentum is conserved.
struct Bushing {
  static constexpr int n_frames = 2, n_turns = 0;
  static constexpr bool depends_on_velocity = true;
  static constexpr const char* name = "bushing";
  struct Params {
    Eigen::Vector3d s_a, s_b;
    Eigen::Matrix3d Q_a, Q_b;
    Mat6<double> K, C;
    bool printed = false;
  };

  template <class S>
  static void force(const Params& c, const Frame<S>* f, const double*, Wrench<S>* w) {
    const Mat3<S> A = f[0].R * c.Q_a.template cast<S>(), B = f[1].R * c.Q_b.template cast<S>();
    const Vec3<S> arm = point_position(f[1], c.s_b) - point_position(f[0], c.s_a);
    const Vec3<S> d = rotate_back(A, arm);
    const Mat3<S> R = A.transpose() * B;
    const Vec3<S> phi = angles(c, R);
    const Vec3<S> velocity = rotate_back(A, Vec3<S>(point_velocity(f[1], c.s_b) - point_velocity(f[0], c.s_a)));
    const Vec3<S> w_a = rotate_back(Mat3<S>(c.Q_a.template cast<S>()), f[0].w);  // bushing axes of A
    const Vec3<S> w_b = rotate_back(Mat3<S>(c.Q_b.template cast<S>()), f[1].w);  // bushing axes of B
    const Vec3<S> relative_b = w_b - rotate_back(R, w_a);                        // ω_B − ω_A in B's bushing axes
    Vec6<S> x, rate;
    Mat3<S> T;
    if (c.printed) {
      rate << velocity, rotate(R, relative_b);
    } else {
      T = inverse_right_jacobian(phi);
      rate << Vec3<S>(velocity - cross(w_a, d)), Vec3<S>(T * relative_b);
    }
    x << d, phi;
    Vec6<S> reaction;
    for (int i = 0; i < 6; ++i) {
      reaction[i] = S(0.0);
      for (int j = 0; j < 6; ++j) reaction[i] -= c.K(i, j) * x[j] + c.C(i, j) * rate[j];
    }
    const Vec3<S> force_a = reaction.template head<3>(), moment = reaction.template tail<3>();
    const Vec3<S> F = rotate(A, force_a);
    const Vec3<S> moment_b = c.printed ? rotate_back(R, moment) : Vec3<S>(T.transpose() * moment);  // Q_B axes
    const Vec3<S> moment_w = rotate(B, moment_b);
    w[1] = {F, cross(lift<S>(c.s_b), rotate_back(f[1].R, F)) + rotate_back(f[1].R, moment_w)};
    const Vec3<S> arm_a = rotate_back(f[0].R, arm) + lift<S>(c.s_a);
    w[0] = {-F, -cross(arm_a, rotate_back(f[0].R, F)) - rotate_back(f[0].R, moment_w)};
  }
  template <class S>
  static S potential(const Params& c, const Frame<S>* f, const double*) {
    const Mat3<S> A = f[0].R * c.Q_a.template cast<S>(), B = f[1].R * c.Q_b.template cast<S>();
    Vec6<S> x;
    x << rotate_back(A, Vec3<S>(point_position(f[1], c.s_b) - point_position(f[0], c.s_a))),
        angles(c, Mat3<S>(A.transpose() * B));
    S V(0.0);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) V += 0.5 * x[i] * c.K(i, j) * x[j];
    return V;
  }

 private:
  template <class S>
  static Vec3<S> angles(const Params& c, const Mat3<S>& R) {
    using std::atan2;
    if (c.printed) return {-R(1, 2), R(0, 2), atan2(R(1, 0), R(1, 1))};
    return log_so3(R);
  }
};

}  // namespace trammel
