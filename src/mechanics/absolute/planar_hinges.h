// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include "trammel/mechanics/absolute/absolute_system.h"

namespace trammel::detail {

/// The hinges between bodies of one plane, in the numbers of the plane. Planar bodies are frames in space for every
/// element; a hinge between two of them needs their coordinates alone. With (x, θ) the coordinates of a body, a point
/// at a when θ = 0 (from the body's origin, along the axes e₁, e₂ of the plane) and ⊥ a quarter turn in it:
///
///   (1) r = x + P(θ),   P = cos θ a + sin θ a⊥,   ṙ = v + θ̇ P⊥
///   (2) φ = r_B − r_A,   φ̇ = ṙ_B − ṙ_A;   Gᵀλ: ±(λ, P⊥·λ) on (x, θ)
///   (3) ∂(Gᵀλ)/∂q: ∓P·λ in (θ, θ);   ∂φ̇/∂q: ∓θ̇ P in the column of θ
///
/// with the upper sign for B. The rows are those of Coincident<2>, which reports, joint coordinates and directors go on
/// using; tests hold both together. A side on the ground is part of a constant.
///
/// A group of hinges is taken as a whole: none of it, if for any of its elements the directions of the rows are not
/// those of both bodies' coordinates, or a row has a function of time.
class PlanarHinges {
 public:
  /// cos θ and sin θ of a frame.
  struct Turn {
    double cosine = 1.0, sine = 0.0;
  };
  /// Where numbers stand in the planes; −1: nowhere.
  struct Slots {
    struct Side {
      std::array<int, 2> position{-1, -1}, angle{-1, -1};  ///< in G and Gv_q: each row's own coordinate, and θ
      int curvature = -1;                                  ///< in K_lam: (θ, θ)
    };
    std::vector<std::array<Side, 2>> hinges;
    std::vector<std::array<int, 3>> masses;  ///< in M: the diagonal of each body; of machines of hinges alone
  };

  explicit PlanarHinges(const AbsoluteSystem& system);

  bool empty() const { return hinges_.empty(); }
  /// Nothing else is in the machine: no frame needs to be known.
  bool alone() const { return alone_; }
  /// The group whose elements these are.
  const ElementGroup* group() const { return group_; }

  /// The balance of bodies without any wrench, M a − weight; for machines of hinges alone.
  void calc_balance(ConstVec a, Vec motion) const;
  void update_turns(ConstVec q, std::span<Turn> turns) const;
  /// motion += Gᵀλ, phi = Φ.
  void add_rows(const MotionPoint& p, std::span<const Turn> turns, Vec motion, Vec phi) const;
  /// The same, and kinematic += Gᵀμ, phi_dot = Φ̇.
  void add_stabilized_rows(const MotionPoint& p, ConstVec mu, std::span<const Turn> turns, Vec motion, Vec phi,
                           Vec phi_dot, Vec kinematic) const;

  Slots make_slots(const MotionPatterns& patterns) const;
  /// Adds to the planes that everything else has filled; in machines of hinges alone fills all.
  void add_planes(const MotionPoint& p, PlaneSet set, std::span<const Turn> turns, const Slots& slots,
                  MotionPlanes& planes) const;

 private:
  struct Body {
    int offset;
    double mass, inertia;
    std::array<double, 2> weight;
  };
  struct Side {
    int frame = 0, offset = -1;  // −1: the ground
    std::array<double, 2> a{};
  };
  struct Hinge {
    std::array<Side, 2> side;
    std::array<double, 2> constant{};  // of φ
    std::array<int, 2> row{};          // −1: dropped
  };
  template <bool stabilized>
  void add(const MotionPoint& p, const double* mu, std::span<const Turn> turns, double* motion, double* phi,
           double* phi_dot, double* kinematic) const;

  std::vector<Hinge> hinges_;
  std::vector<Body> bodies_;
  struct Turning {
    int frame, angle;  // and its θ in q
  };
  std::vector<Turning> turning_;
  const ElementGroup* group_ = nullptr;
  bool alone_ = false;
};

}  // namespace trammel::detail
