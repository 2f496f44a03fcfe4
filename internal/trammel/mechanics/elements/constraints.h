// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "trammel/mechanics/elements/relative_coordinate.h"

/// The rows of which all joints are made. Each kind is a struct of static kernels on frames: `phi` (holonomic kinds)
/// and `rows`, the gradient on the twists (v, ω_body) of its frames: Φ̇ = Σ_f rows_f · twist_f. `rows` is written in
/// closed form and templated, so that (Gᵀλ)_q, (G v)_q and Ġ v come from it by dual numbers; tests check it against
/// the derivative of `phi`. A = f[0], B = f[1]; s is a point fixed in a frame. δ(R s) = R (β × s).
/// A given function of time enters additively: row = φ − u(t); the group subtracts it.

namespace trammel {

/// N = 3: the points coincide, rows in world axes [m]. N = 2: only along two fixed world directions (planar bodies).
///
///   (1) φ_i = e_i·d,   d = p_B + R_B s_B − p_A − R_A s_A
///
/// λ is minus the force on B along e_i [N].
template <int N>
struct Coincident {
  static constexpr int n_frames = 2, n_rows = N, n_turns = 0;
  static constexpr bool holonomic = true;
  static constexpr const char* name = N == 3 ? "coincident points" : "coincident points in a plane";
  struct Params {
    Eigen::Vector3d s_a, s_b;
    Eigen::Matrix3d e = Eigen::Matrix3d::Identity();  ///< row i is e_i
  };

  template <class S>
  static void phi(const Params& c, const Frame<S>* f, const double*, S* out) {
    const Vec3<S> d = point_position(f[1], c.s_b) - point_position(f[0], c.s_a);
    for (int i = 0; i < N; ++i) out[i] = d.x() * c.e(i, 0) + d.y() * c.e(i, 1) + d.z() * c.e(i, 2);
  }
  template <class S>
  static void rows(const Params& c, const Frame<S>* f, FrameRow<S>* g) {
    for (int i = 0; i < N; ++i) {
      const Vec3<S> e = lift<S>(c.e.row(i).transpose());
      g[2 * i] = {-e, -cross(lift<S>(c.s_a), rotate_back(f[0].R, e))};
      g[2 * i + 1] = {e, cross(lift<S>(c.s_b), rotate_back(f[1].R, e))};
    }
  }

  // The same without rows, for residuals and planes: with F = Σ λ_i e_i the wrench Gᵀλ on B is (F, s_B × R_BᵀF), that
  // on A its opposite, and φ̇_i = e_i·ḋ. Only the moments turn with their own frame, by
  //   (2) ∂(s × RᵀF)/∂β = ŝ ŵ = w sᵀ − (s·w) I,   w = RᵀF.
  static Eigen::Vector3d force(const Params& c, const double* lam) {
    Eigen::Vector3d F = c.e.row(0).transpose() * lam[0];
    for (int i = 1; i < N; ++i) F += c.e.row(i).transpose() * lam[i];
    return F;
  }
  static Eigen::Vector3d moment(const Eigen::Vector3d& s, const Frame<double>& f, const Eigen::Vector3d& F) {
    return cross<double>(s, rotate_back<double>(f.R, F));
  }
  static Eigen::Matrix3d moment_derivative(const Eigen::Vector3d& s, const Frame<double>& f, const Eigen::Vector3d& F) {
    const Eigen::Vector3d w = rotate_back<double>(f.R, F);
    Eigen::Matrix3d D = w * s.transpose();
    D.diagonal().array() -= s.dot(w);
    return D;
  }
  static void levels(const Params& c, const Frame<double>& a, const Frame<double>& b, double* phi, double* phi_dot) {
    const Eigen::Vector3d d = point_position(b, c.s_b) - point_position(a, c.s_a);
    const Eigen::Vector3d rate = point_velocity(b, c.s_b) - point_velocity(a, c.s_a);
    for (int i = 0; i < N; ++i) {
      phi[i] = c.e.row(i).dot(d);
      phi_dot[i] = c.e.row(i).dot(rate);
    }
  }
};

/// A direction a of A and a direction b of B keep their angle:  (1) φ = (R_A a)·(R_B b) − c   [–]
struct Perpendicular {
  static constexpr int n_frames = 2, n_rows = 1, n_turns = 0;
  static constexpr bool holonomic = true;
  static constexpr const char* name = "directions at a fixed angle";
  struct Params {
    Eigen::Vector3d a, b;
    double cosine = 0.0;
  };

  template <class S>
  static void phi(const Params& c, const Frame<S>* f, const double*, S* out) {
    out[0] = dot(rotate(f[0].R, c.a), rotate(f[1].R, c.b)) - c.cosine;
  }
  template <class S>
  static void rows(const Params& c, const Frame<S>* f, FrameRow<S>* g) {
    const Vec3<S> a_w = rotate(f[0].R, c.a), b_w = rotate(f[1].R, c.b);
    g[0] = {Vec3<S>::Zero(), cross(lift<S>(c.a), rotate_back(f[0].R, b_w))};
    g[1] = {Vec3<S>::Zero(), cross(lift<S>(c.b), rotate_back(f[1].R, a_w))};
  }
};

/// B's point stays at a given height over a plane fixed in A:  (1) φ = (R_A n)·d − c   [m], d as in Coincident.
struct Offset {
  static constexpr int n_frames = 2, n_rows = 1, n_turns = 0;
  static constexpr bool holonomic = true;
  static constexpr const char* name = "offset along a direction";
  struct Params {
    Eigen::Vector3d n, s_a, s_b;
    double offset = 0.0;
  };

  template <class S>
  static void phi(const Params& c, const Frame<S>* f, const double*, S* out) {
    const Vec3<S> d = point_position(f[1], c.s_b) - point_position(f[0], c.s_a);
    out[0] = dot(rotate(f[0].R, c.n), d) - c.offset;
  }
  template <class S>
  static void rows(const Params& c, const Frame<S>* f, FrameRow<S>* g) {
    const Vec3<S> n = rotate(f[0].R, c.n), d = point_position(f[1], c.s_b) - point_position(f[0], c.s_a);
    g[0] = {-n, cross(lift<S>(c.n), Vec3<S>(rotate_back(f[0].R, d) + lift<S>(c.s_a)))};
    g[1] = {n, cross(lift<S>(c.s_b), rotate_back(f[1].R, n))};
  }
};

/// Keeps a point of A and a point of B a distance ℓ > 0 apart (a massless rod).
///
///   (1)  φ = ‖d‖ − ℓ        [m]
///   (2)  φ̇ = uᵀḋ, u = d/‖d‖  undefined for d = 0
///
/// λ > 0 pulls the points together [N]. We use ‖d‖ − ℓ and not (‖d‖² − ℓ²)/2: its row is in metres like all others,
/// so one constraint tolerance fits every row. For ℓ = 0 use Coincident.
struct Distance {
  static constexpr int n_frames = 2, n_rows = 1, n_turns = 0;
  static constexpr bool holonomic = true;
  static constexpr const char* name = "distance";
  struct Params {
    Eigen::Vector3d s_a, s_b;
    double length = 1.0;
  };

  template <class S>
  static void phi(const Params& c, const Frame<S>* f, const double*, S* out) {
    using std::sqrt;
    const Vec3<S> d = point_position(f[1], c.s_b) - point_position(f[0], c.s_a);
    out[0] = sqrt(dot(d, d)) - c.length;
  }
  template <class S>
  static void rows(const Params& c, const Frame<S>* f, FrameRow<S>* g) {
    using std::sqrt;
    const Vec3<S> d = point_position(f[1], c.s_b) - point_position(f[0], c.s_a);
    const S length = sqrt(dot(d, d));
    const Vec3<S> u{d.x() / length, d.y() / length, d.z() / length};
    g[0] = {-u, -cross(lift<S>(c.s_a), rotate_back(f[0].R, u))};
    g[1] = {u, cross(lift<S>(c.s_b), rotate_back(f[1].R, u))};
  }
};

/// The same rod, with the row that theory likes to write:
///
///   (1)  φ = d·d − ℓ²       [m²],   φ̇ = 2 dᵀḋ
///
/// λ [N/m]: the rod pulls with 2‖d‖λ. Polynomial, so that nothing is undefined, but the row has another unit and twice
/// the length in its gradient: condition numbers and tolerances are not those of Distance. For comparisons with
/// [bauchau2009 (25)]; elsewhere use Distance.
struct SquaredDistance {
  static constexpr int n_frames = 2, n_rows = 1, n_turns = 0;
  static constexpr bool holonomic = true;
  static constexpr const char* name = "squared distance";
  using Params = Distance::Params;

  template <class S>
  static void phi(const Params& c, const Frame<S>* f, const double*, S* out) {
    const Vec3<S> d = point_position(f[1], c.s_b) - point_position(f[0], c.s_a);
    out[0] = dot(d, d) - c.length * c.length;
  }
  template <class S>
  static void rows(const Params& c, const Frame<S>* f, FrameRow<S>* g) {
    const Vec3<S> d = (point_position(f[1], c.s_b) - point_position(f[0], c.s_a)) * S(2.0);
    g[0] = {-d, -cross(lift<S>(c.s_a), rotate_back(f[0].R, d))};
    g[1] = {d, cross(lift<S>(c.s_b), rotate_back(f[1].R, d))};
  }
};

/// A scalar coordinate x (frame f[2]) is the angle of the line between the points about an axis of A.
///
///   (1) φ = (R_A n)·d [m],   n = cos x t − sin x r
///
/// r, t and the axis r × t are right-handed and fixed in A; x = 0 where the line shows along r. λ is the force across
/// the line [N]; on x it acts with the moment −λ ∂φ/∂x. [bauchau2009 (28): C₂]
struct LineAngle {
  static constexpr int n_frames = 3, n_rows = 1, n_turns = 0;
  static constexpr bool holonomic = true;
  static constexpr const char* name = "angle of a line";
  struct Params {
    Eigen::Vector3d r, t, s_a, s_b;
  };

  template <class S>
  static void phi(const Params& c, const Frame<S>* f, const double*, S* out) {
    const Vec3<S> d = point_position(f[1], c.s_b) - point_position(f[0], c.s_a);
    out[0] = dot(rotate(f[0].R, directions(c, f[2].p.x())[0]), d);
  }
  template <class S>
  static void rows(const Params& c, const Frame<S>* f, FrameRow<S>* g) {
    const auto [n, n_x] = directions(c, f[2].p.x());
    const Vec3<S> n_w = rotate(f[0].R, n), d = point_position(f[1], c.s_b) - point_position(f[0], c.s_a);
    g[0] = {-n_w, cross(n, Vec3<S>(rotate_back(f[0].R, d) + lift<S>(c.s_a)))};
    g[1] = {n_w, cross(lift<S>(c.s_b), rotate_back(f[1].R, n_w))};
    g[2] = zero_wrench<S>();
    g[2].force.x() = dot(rotate(f[0].R, n_x), d);
  }

 private:
  /// n and ∂n/∂x, in the axes of A.
  template <class S>
  static std::array<Vec3<S>, 2> directions(const Params& c, const S& x) {
    using std::cos, std::sin;
    const S cosine = cos(x), sine = sin(x);
    std::array<Vec3<S>, 2> n;
    for (int i = 0; i < 3; ++i) {
      n[0][i] = cosine * c.t[i] - sine * c.r[i];
      n[1][i] = -(sine * c.t[i]) - cosine * c.r[i];
    }
    return n;
  }
};

/// A linear relation between N relative coordinates: gears, racks, screws, explicit joint coordinates, and motions
/// (N = 1, with u(t) subtracted by the group).
///
///   (1) φ = Σ_k c_k x_k(f[2k], f[2k+1]) − offset
///
/// The unit is that of the first coordinate when its factor is 1.
template <int N>
struct Coupler {
  static constexpr int n_frames = 2 * N, n_rows = 1, n_turns = N;
  static constexpr bool holonomic = true;
  static constexpr const char* name = "coupled joint coordinates";
  struct Params {
    RelativeCoordinate x[N];
    double factor[N];
    double offset = 0.0;
  };

  template <class S>
  static void phi(const Params& c, const Frame<S>* f, const double* turns, S* out) {
    out[0] = S(-c.offset);
    for (int k = 0; k < N; ++k) out[0] = out[0] + c.x[k].value(f + 2 * k, turns[k]) * c.factor[k];
  }
  template <class S>
  static void rows(const Params& c, const Frame<S>* f, FrameRow<S>* g) {
    for (int k = 0; k < N; ++k) {
      c.x[k].gradient(f + 2 * k, g + 2 * k);
      for (int i = 0; i < 2; ++i) {
        g[2 * k + i].force *= S(c.factor[k]);
        g[2 * k + i].moment *= S(c.factor[k]);
      }
    }
  }
};

/// The same relation between rates, Σ c_k ẋ_k = u(t): a nonholonomic row (speed coupler, prescribed speed).
template <int N>
struct SpeedCoupler {
  static constexpr int n_frames = 2 * N, n_rows = 1, n_turns = 0;
  static constexpr bool holonomic = false;
  static constexpr const char* name = "coupled joint speeds";
  using Params = typename Coupler<N>::Params;

  template <class S>
  static void rows(const Params& c, const Frame<S>* f, FrameRow<S>* g) {
    Coupler<N>::rows(c, f, g);
  }
};

/// A thin disc (or wheel) of radius r on B, axle e through its centre s_B, touches a plane of A (point s_A, normal n).
///
///   (1) φ = n_w·d − r √(1 − k²),  k = n_w·e_w          [m]; undefined when the disc lies flat (|k| = 1)
struct DiscOnPlane {
  static constexpr int n_frames = 2, n_rows = 1, n_turns = 0;
  static constexpr bool holonomic = true;
  static constexpr const char* name = "disc on a plane";
  struct Params {
    Eigen::Vector3d n, s_a, s_b, axle;
    double radius = 1.0;
  };

  template <class S>
  static void phi(const Params& c, const Frame<S>* f, const double*, S* out) {
    using std::sqrt;
    const Vec3<S> n = rotate(f[0].R, c.n), d = point_position(f[1], c.s_b) - point_position(f[0], c.s_a);
    const S k = dot(n, rotate(f[1].R, c.axle));
    out[0] = dot(n, d) - c.radius * sqrt(1.0 - k * k);
  }
  template <class S>
  static void rows(const Params& c, const Frame<S>* f, FrameRow<S>* g) {
    using std::sqrt;
    Offset::rows<S>({c.n, c.s_a, c.s_b, 0.0}, f, g);
    const Vec3<S> n = rotate(f[0].R, c.n), e = rotate(f[1].R, c.axle);
    const S k = dot(n, e), factor = c.radius * k / sqrt(1.0 - k * k);
    g[0].moment += Vec3<S>(cross(lift<S>(c.n), rotate_back(f[0].R, e)) * factor);
    g[1].moment += Vec3<S>(cross(lift<S>(c.axle), rotate_back(f[1].R, n)) * factor);
  }
};

/// The material points of B and A that meet at the contact have the same velocity along two tangents of A's plane.
///
///   (1) sphere: contact at centre + ρ,  ρ = −r n_w
///   (2) disc:   ρ = −r (n_w − k e_w)/√(1 − k²),  k = n_w·e_w
///   (3) row_i = t_i·[v_B + ω_B × (x − p_B) − v_A − ω_A × (x − p_A)],  x the contact point   [m/s]
struct RollingContact {
  static constexpr int n_frames = 2, n_rows = 2, n_turns = 0;
  static constexpr bool holonomic = false;
  static constexpr const char* name = "rolling without slip";
  struct Params {
    Eigen::Vector3d n, t1, t2, s_b, axle;
    double radius = 1.0;
    bool disc = false;
  };

  template <class S>
  static void rows(const Params& c, const Frame<S>* f, FrameRow<S>* g) {
    using std::sqrt;
    const Vec3<S> n = rotate(f[0].R, c.n);
    Vec3<S> rho = n;
    if (c.disc) {
      const Vec3<S> e = rotate(f[1].R, c.axle);
      const S k = dot(n, e), length = sqrt(1.0 - k * k);
      for (int i = 0; i < 3; ++i) rho[i] = (n[i] - k * e[i]) / length;
    }
    rho *= S(-c.radius);
    const Vec3<S> arm_b = lift<S>(c.s_b) + rotate_back(f[1].R, rho);
    const Vec3<S> contact = f[1].p + rotate(f[1].R, arm_b);
    const Vec3<S> arm_a = rotate_back(f[0].R, Vec3<S>(contact - f[0].p));
    for (int i = 0; i < 2; ++i) {
      const Vec3<S> t = lift<S>(i == 0 ? c.t1 : c.t2), t_w = rotate(f[0].R, t);
      g[2 * i] = {-t_w, -cross(arm_a, t)};
      g[2 * i + 1] = {t_w, cross(arm_b, rotate_back(f[1].R, t_w))};
    }
  }
};

/// A blade at B's point s_B does not move along its own lateral direction e, relative to A (a skate, a rudder).
///
///   (1) row = e_w·[v_B + ω_B × R_B s_B − v_A − ω_A × (x − p_A)]   [m/s]
struct KnifeEdge {
  static constexpr int n_frames = 2, n_rows = 1, n_turns = 0;
  static constexpr bool holonomic = false;
  static constexpr const char* name = "knife edge";
  struct Params {
    Eigen::Vector3d s_b, direction;
  };

  template <class S>
  static void rows(const Params& c, const Frame<S>* f, FrameRow<S>* g) {
    const Vec3<S> e = rotate(f[1].R, c.direction), contact = point_position(f[1], c.s_b);
    const Vec3<S> arm_a = rotate_back(f[0].R, Vec3<S>(contact - f[0].p));
    g[0] = {-e, -cross(arm_a, rotate_back(f[0].R, e))};
    g[1] = {e, lift<S>(c.s_b.cross(c.direction))};
  }
};

}  // namespace trammel
