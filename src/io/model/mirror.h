// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "entities.h"

namespace trammel::detail {

/// Reflects what mirrored parts hold, when all of it is read. With the plane's reflection H (x ↦ p + H (x − p), world),
/// the signs B of body axes, and δ = det H = det B:
///
///   positions, velocities, forces (polar)     H x                     in body axes  B x
///   torques, angular velocities (axial)       δ H x                                 δ B x
///   orientations of bodies and frames         H R B, a rotation: the body's own axes are reflected as well
///   inertia                                   B J B
///   axes of joints that slide                 H a: the displacement keeps its sign
///   axes of joints that turn                  δ H a: the angle keeps its sign, as do springs, stops and motions on it
///   axes of joints that do both               H a: the angle changes its sign, and so does the pitch of a screw
///   stiffness of bushings (x and z by H, y = z × x)   T K T,   T = diag(1, δ, 1, δ, 1, δ)
///   sections of beams                         H Λ diag(1, δ, 1): e₁ stays along the beam, e₃ where it was drawn, and
///                                             stiffness, pre-stress, mass go by T as those of bushings do
///   laws of libraries                         see reflected bodies, and what they answer is reflected back
///   tracks, wheels on rails, roads            in the plane y = 0 alone (roads also in x = 0 if their shape allows it):
///                                             a track runs along x from the origin with z up, a road is a height over
///                                             x and y, and no other image of them is one
///
/// What is given in the axes of a body outside the part stays as it is given. The end of a beam that is a part of such
/// a body is reflected in the world: mass, load and drawing.
class Mirror {
 public:
  Mirror(Findings& findings, ModelDraft& model) : findings_(findings), model_(model) {}

  /// Call before and after an element of a mirrored part is read: what it added is its own.
  void begin(const std::string& kind);
  void end(const std::string& kind, const Part& part);
  /// Reflects all of them.
  void apply();

 private:
  struct Sizes {
    std::size_t bodies = 0, joints = 0, couplers = 0, motions = 0, forces = 0, measures = 0, geometry = 0, solids = 0,
                beams = 0, tracks = 0, wheels = 0, flange_stops = 0, roads = 0;
  };
  /// What the end of a beam added to a body that was there before: mass, its centre and moments about that, body axes.
  struct Added {
    std::size_t body;
    double mass;
    Eigen::Vector3d center;
    Eigen::Matrix3d inertia;
  };
  struct Range {
    const Part* part;
    Sizes from, to;
    std::vector<Added> added = {};
  };
  class Reflection;
  Sizes sizes() const;
  void refuse_carried(const JointSpec& joint);
  void refuse_angle(const std::string& place, const std::string& what, const std::string& joint,
                    JointCoordinate coordinate);

  void apply_to_lines(const Range& range, const Reflection& reflection);
  void refuse_plane(const Range& range, const std::string& place, const std::string& what, const std::string& body,
                    const char* reason);

  Findings& findings_;
  ModelDraft& model_;
  Sizes before_;
  std::vector<BodySpec> bodies_before_;  // of a beam
  std::vector<Range> ranges_;
};

}  // namespace trammel::detail
