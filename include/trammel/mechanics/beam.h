// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "trammel/mechanics/description.h"

namespace trammel {

/// A cross-section: what a slice of the beam resists with and what it weighs. Axes: e₁ along the beam, e₂ and e₃
/// across.
struct BeamSection {
  /// Resultants (N₁, N₂, N₃ [N], M₁, M₂, M₃ [N m]) by strains (Γ₁ − 1, Γ₂, Γ₃, κ₁, κ₂, κ₃): diagonal
  /// (EA, GA₂, GA₃, GJ, EI₂, EI₃) for simple sections. Symmetric, positive definite.
  Eigen::Matrix<double, 6, 6> stiffness = Eigen::Matrix<double, 6, 6>::Zero();
  double mass = 0.0;                                         ///< [kg/m] > 0
  Eigen::Vector3d center_of_mass = Eigen::Vector3d::Zero();  ///< [m] from the beam's line, (0, y, z)
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();         ///< [kg m] about the centre of mass
  double width = 0.0, height = 0.0;                          ///< [m] along e₂ and e₃, for drawings; 0: not known
  double radius = 0.0, inner_radius = 0.0;                   ///< [m] of a round one
};

/// A beam in a model, cut into elements whose nodes are bodies: joints, forces, measures and other beams take hold of
/// them by name. Made by add_beam (make_beam.h); masses are already in the bodies, loads among the forces.
struct Beam {
  /// A section of an element as drawn: where its node stands and how its axes lie, in the world.
  struct Place {
    Eigen::Vector3d position = Eigen::Vector3d::Zero();
    Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
  };

  std::string name = {};
  Source source = {};
  int order = 3;  ///< 1, 2, 3: elements with 2, 3, 4 nodes
  BeamSection section = {};
  double damping = 0.0;  ///< τ [s]: resultants are C (e + τ ė)
  Eigen::Matrix<double, 6, 1> pre_stress = Eigen::Matrix<double, 6, 1>::Zero();  ///< as drawn [N, N m]
  std::vector<std::string> nodes = {};  ///< bodies (or the ground) along the beam: elements · order + 1
  std::vector<Place> places = {};       ///< of node a of element e: [e · (order + 1) + a]

  int n_elements() const { return static_cast<int>(places.size()) / (order + 1); }
  const std::string& node(int element, int a) const { return nodes[static_cast<std::size_t>(element * order + a)]; }
  const Place& place(int element, int a) const { return places[static_cast<std::size_t>(element * (order + 1) + a)]; }
};

}  // namespace trammel
