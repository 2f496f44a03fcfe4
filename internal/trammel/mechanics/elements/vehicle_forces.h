// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/mechanics/elements/relative_coordinate.h"
#include "trammel/mechanics/elements/vehicle_data.h"

/// Forces of vehicles as static kernels on frames; signs and units as in forces.h.

namespace trammel {

/// A rubber stop between a point of A and a point of B, along a direction a fixed in A.
///
///   (1) x = (R_A a)·d,   d = p_B + R_B s_B − p_A − R_A s_A                                                    [m]
///   (2) δ = x − upper > 0:  force on B = −max(0, k δ + k₂ δ² + c ẋ min(1, δ/ε)) R_A a                          [N]
///       δ = lower − x > 0:  the same with the sign of ẋ and of the force reversed; else nothing acts
///   (3) V = ½ k δ² + ⅓ k₂ δ³
///
/// The reaction acts on A at B's point, so that momentum is conserved. With k = 0 the force begins with slope 0: BDF
/// passes the touch-down without noticing. The ramp over ε makes the damping continuous.
struct BumpStop {
  static constexpr int n_frames = 2, n_turns = 0;
  static constexpr bool depends_on_velocity = true;
  static constexpr const char* name = "bump stop";
  struct Params {
    RelativeCoordinate x;  ///< a displacement
    double stiffness = 0.0, quadratic = 0.0, damping = 0.0;
    double lower = 0.0, upper = 0.0, depth = 1e-4;
  };

  template <class S>
  static void force(const Params& c, const Frame<S>* f, const double*, Wrench<S>* w) {
    const S x = c.x.value(f, 0.0);
    w[0] = w[1] = zero_wrench<S>();
    if (!(x > c.upper) && !(x < c.lower)) return;
    FrameRow<S> g[2];
    c.x.gradient(f, g);
    const S rate = along(g[0], f[0]) + along(g[1], f[1]);
    const S Q = x > c.upper ? S(-push(c, S(x - c.upper), rate)) : push(c, S(c.lower - x), S(-rate));
    for (int i = 0; i < 2; ++i) w[i] = {g[i].force * Q, g[i].moment * Q};
  }
  template <class S>
  static S potential(const Params& c, const Frame<S>* f, const double*) {
    const S x = c.x.value(f, 0.0);
    if (!(x > c.upper) && !(x < c.lower)) return S(0.0);
    const S depth = x > c.upper ? S(x - c.upper) : S(c.lower - x);
    return depth * depth * (0.5 * c.stiffness + c.quadratic / 3.0 * depth);
  }

 private:
  template <class S>
  static S push(const Params& c, const S& depth, const S& rate) {
    const S ramp = depth < c.depth ? S(depth / c.depth) : S(1.0);
    const S force = depth * (c.stiffness + c.quadratic * depth) + c.damping * rate * ramp;
    return force > 0.0 ? force : S(0.0);
  }
};

/// A torsion bar that couples the coordinates of two joints, as the arms of the left and the right wheel:
///
///   (1) Q₁ = −k (x₁ − x₂) − c (ẋ₁ − ẋ₂),   Q₂ = −Q₁;   wrenches = Q ∂x/∂twist                            [N m], [N]
///   (2) V = ½ k (x₁ − x₂)²
///
/// Frames 0, 1 are those of the first joint, 2, 3 those of the second; the joints may share a body.
struct AntiRollBar {
  static constexpr int n_frames = 4, n_turns = 2;
  static constexpr bool depends_on_velocity = true;
  static constexpr const char* name = "anti-roll bar";
  struct Params {
    RelativeCoordinate x[2];
    double stiffness = 0.0, damping = 0.0;
  };

  template <class S>
  static void force(const Params& c, const Frame<S>* f, const double* turns, Wrench<S>* w) {
    FrameRow<S> g[4];
    c.x[0].gradient(f, g);
    c.x[1].gradient(f + 2, g + 2);
    const S twist = c.x[0].value(f, turns[0]) - c.x[1].value(f + 2, turns[1]);
    const S rate = along(g[0], f[0]) + along(g[1], f[1]) - along(g[2], f[2]) - along(g[3], f[3]);
    const S Q = -(c.stiffness * twist + c.damping * rate);
    for (int i = 0; i < 4; ++i) {
      const S part = i < 2 ? Q : S(-Q);
      w[i] = {g[i].force * part, g[i].moment * part};
    }
  }
  template <class S>
  static S potential(const Params& c, const Frame<S>* f, const double* turns) {
    const S twist = c.x[0].value(f, turns[0]) - c.x[1].value(f + 2, turns[1]);
    return 0.5 * c.stiffness * twist * twist;
  }
};

}  // namespace trammel
