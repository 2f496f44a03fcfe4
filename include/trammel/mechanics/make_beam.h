// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "trammel/base/error.h"
#include "trammel/mechanics/model.h"

namespace trammel {

struct BeamMaterial {
  double young = 0.0;    ///< E [Pa] > 0
  double poisson = 0.3;  ///< −1 < ν ≤ 0.5; shear modulus G = E/(2(1+ν))
  double density = 0.0;  ///< ρ [kg/m³] > 0
};

/// Homogeneous sections. Bending about e₂ is the one that moves the height: I₂ = w h³/12, I₃ = h w³/12.
///
///   rectangle  J = h w³/3 [1 − 192 w/(π⁵ h) Σ_{n odd} tanh(nπh/2w)/n⁵], w ≤ h     shear factor 5/6
///   tube       J = 2 I;   k = 6(1+ν)(1+m²)²/[(7+6ν)(1+m²)² + (20+12ν)m²], m = r/R (Cowper); circle: m = 0
BeamSection rectangle_section(double width, double height, const BeamMaterial& material);
BeamSection circle_section(double radius, const BeamMaterial& material);
BeamSection tube_section(double radius, double inner_radius, const BeamMaterial& material);
/// Diagonal stiffness (EA, GA₂, GA₃, GJ, EI₂, EI₃), mass per length and its moments about e₁, e₂, e₃ [kg m].
BeamSection diagonal_section(const Eigen::Matrix<double, 6, 1>& stiffness, double mass, const Eigen::Vector3d& inertia);

/// A load per length on a whole beam. Each component is a formula of t and whatever formulas know.
struct BeamLoad {
  Formula force[3];       ///< [N/m]
  Formula moment[3];      ///< [N m/m]
  bool follower = false;  ///< components in the axes of the sections, with which the load turns; else world
};

/// A beam as a user states it. Its line is either a chain of straight pieces or one curve.
struct BeamSpec {
  std::string name = {};
  Source source = {};
  std::vector<Eigen::Vector3d> points = {};      ///< two or more [m]; corners are rigid
  std::function<Eigen::Vector3d(double)> curve;  ///< instead: the line for a parameter from 0 to 1
  std::vector<int> elements{1};                  ///< per straight piece; one number: the same for all
  std::vector<double> stations = {};             ///< instead, of one piece: where elements end, 0 … 1, increasing
  int order = 3;                                 ///< 1, 2, 3
  Eigen::Vector3d up = Eigen::Vector3d::Zero();  ///< e₃ of the sections, made normal to e₁; zero: z, or x if e₁ is z
  double twist = 0.0;                            ///< [rad] by which the last section is turned about e₁, evenly
  BeamSection section = {};
  double damping = 0.0;
  Eigen::Matrix<double, 6, 1> pre_stress = Eigen::Matrix<double, 6, 1>::Zero();
  /// The end is a part of this body (or of the ground, or of a node of another beam), wherever the body's origin is: a
  /// rigid offset without a joint. The body takes up the mass of the node. Empty: the end has a node of its own.
  std::string start_body = {}, end_body = {};
  std::vector<std::string> node_names = {};  ///< one per node; empty: name_0, name_1, …
  std::vector<BeamLoad> loads = {};
  /// > 0: contacts can touch it all along, as geometry of the group `name`: capsules of this radius [m] and twice its
  /// length on the share of each node, rigid with it. Their ends meet up to κ ℓ²/8 of a curvature κ.
  double contact_radius = 0.0;
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();          ///< [m/s] at `about`, world
  Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();  ///< [rad/s] of the drawn beam as a whole, world
  Eigen::Vector3d about = Eigen::Vector3d::Zero();             ///< [m]
};

/// Everything wrong with the beam: coincident or crossing points, sections without stiffness or mass, ….
std::vector<Issue> issues(const BeamSpec& spec, const Model& model);

/// Cuts the beam into elements and adds it: bodies for its nodes, forces for its loads, drawings, the Beam itself.
///
/// Nodes stand at the Gauss–Lobatto points of elements, and masses are integrated by their rule, so that each node is
/// an ordinary rigid body with the mass and inertia of its share w_a of the length. Nothing couples the nodes'
/// inertias: the mass matrix is constant, gyroscopic terms are those of rigid bodies, momentum and energy are exact,
/// and the rule's error is of the order of the elements' own (the alternative, a mass matrix that is consistent with
/// the interpolation of rotations, depends on the configuration and gains no order). Throws InputError.
void add_beam(Model& model, const BeamSpec& spec);

}  // namespace trammel
