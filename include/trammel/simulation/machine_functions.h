// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "trammel/simulation/checked_study.h"
#include "trammel/simulation/customize.h"

namespace trammel {

/// The equations of a machine as functions of its coordinates, for controllers, planners and identification:
///
///   (1)  M(q) v̇ + h(q, v) + G(q)ᵀ λ = τ          motion; h holds everything that the model says, gravity and forces
///   (2)  G(q) v̇ + γ(q, v) = 0                     rows of joints that are not in the coordinates, differentiated twice
///
/// in the coordinates of the study: `coordinates = "joint"` (angles and displacements of a spanning tree; rows only
/// where loops close) or "absolute" (six per body). Rotations in space are three numbers θ, R = R₀ exp θ̂ with R₀ as at
/// the start, and v holds the angular velocity in body axes: q̇ = T(q) v, and T = 1 at θ = 0. Nothing is projected: q
/// and v may violate the constraints.
///
/// Time, inputs and states of controls are those that were set, as at the start before.
class MachineFunctions {
 public:
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::MatrixXd;

  explicit MachineFunctions(CheckedStudy study, Customize customize = {});
  ~MachineFunctions();
  MachineFunctions(MachineFunctions&&) noexcept;

  int nv() const;
  int nc() const;
  std::vector<std::string> coordinate_names() const;  ///< "elbow.angle", "rod.x", …
  std::vector<std::string> row_names() const;         ///< "joint 'elbow', row 2 [m]"
  const Vector& q() const;                            ///< consistent, at the start
  const Vector& v() const;
  void set_time(double t);
  void set_input(const std::string& name, double value);

  Matrix mass_matrix(const Vector& q);
  /// h of (1).
  Vector bias(const Vector& q, const Vector& v);
  /// τ of (1); an empty λ is zero.
  Vector inverse_dynamics(const Vector& q, const Vector& v, const Vector& a, const Vector& lam = {});
  struct Accelerations {
    Vector a, lam;
  };
  /// v̇ and λ of (1) and (2); an empty τ is zero. In a tree by articulated bodies, O(N).
  Accelerations forward_dynamics(const Vector& q, const Vector& v, const Vector& tau = {});

  struct Constraints {
    Vector phi, phi_dot, gamma;  ///< Φ, Φ̇ and γ of (2); of rows on velocities Φ = Φ̇
    Matrix G;
  };
  Constraints constraints(const Vector& q, const Vector& v);

  /// Of a body (its origin) or a [[frame]]: in world axes, velocity and angular velocity are J v, their rates
  /// J v̇ + J̇ v, each (3 linear, 3 angular) × nv.
  struct FrameMotion {
    Eigen::Vector3d p;
    Eigen::Matrix3d R;
    Matrix J, J_rate;
  };
  FrameMotion frame(const std::string& name, const Vector& q, const Vector& v);

  /// Of the whole machine: mass [kg], centre of mass, its velocity, momentum, and moment of momentum about the centre.
  struct Momentum {
    double mass = 0.0;
    Eigen::Vector3d center, velocity, linear, angular;
  };
  Momentum momentum(const Vector& q, const Vector& v);

  /// ∂τ/∂q, ∂τ/∂v, ∂τ/∂v̇ and ∂τ/∂λ of inverse_dynamics, by recursions over the exact derivatives of all elements.
  struct InverseDerivatives {
    Matrix by_q, by_v, by_a, by_lam;
  };
  InverseDerivatives inverse_derivatives(const Vector& q, const Vector& v, const Vector& a, const Vector& lam = {});
  /// The same of forward_dynamics: v̇ and λ by q, v and τ, exactly as well. γ of wheels on rails and of guides along
  /// tracks alone is differentiated by q with differences of order four (some 1e-10).
  struct ForwardDerivatives {
    Accelerations at;
    Matrix a_by_q, a_by_v, a_by_tau, lam_by_q, lam_by_v, lam_by_tau;
  };
  ForwardDerivatives forward_derivatives(const Vector& q, const Vector& v, const Vector& tau = {});

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace trammel
