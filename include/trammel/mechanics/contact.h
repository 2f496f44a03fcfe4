// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trammel/mechanics/description.h"
#include "trammel/mechanics/elements/contact_law.h"

namespace trammel {

struct Model;

/// What happens where geometry of two bodies meets.
///
/// `a` and `b` name [[geometry]] or groups of it; with `b` empty every two members of `a` may touch. Geometry of one
/// body, or of the ground alone, never meets itself. If several contacts fit a pair, the first one holds.
struct ContactSpec {
  std::string name = {};
  Source source = {};
  std::vector<std::string> a = {}, b = {};
  ContactLaw law;
  std::optional<int> capacity =
      {};                ///< most places at which it may be touched at once; absent: as many as can be expected
  bool locate = true;    ///< steps of an error-controlled run end where contact begins and ends
  bool by_pair = false;  ///< what happens between every two pieces of geometry is recorded as well
};

/// Friction in a joint: resists the free coordinate x of a revolute or prismatic joint.
///
///   (1) prismatic: Q = −N (σ₀ z + σ₁ ż + σ₂ ẋ),     N = ‖reaction force‖, sliding speed v = ẋ
///   (2) revolute:  Q = −r N (σ₀ z + σ₁ ż + σ₂ v),   v = r ẋ on a pin of radius r
///
/// with ż as for contacts, or regularised Coulomb Q = −μ N v/√(v² + v_s²). N follows the multipliers of the joint, so
/// that the friction is part of the equations and not one step late.
struct JointFrictionSpec {
  std::string name = {};
  Source source = {};
  std::string joint = {};
  FrictionLaw law;
  double radius = 0.0;  ///< revolute: of the pin [m] > 0
};

/// Adds a friction of a joint to the model, as a control (its bristle) and a force on the joint's coordinate, both with
/// the friction's name: "<name>" is the force, "<name> bristle" the state.
void add_joint_friction(Model& model, const JointFrictionSpec& friction);

}  // namespace trammel
