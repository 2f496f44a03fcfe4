// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "trammel/mechanics/absolute/assemble.h"
#include "trammel/mechanics/joint/joint_tree.h"
#include "trammel/mechanics/model.h"

namespace trammel {

/// How a machine is cut into a spanning tree and the joints that close its loops.
///
/// Tree joints become coordinates; all others keep their rows. A maximal tree from the ground is grown by the joint
/// with the fewest freedoms first, because every freedom that the tree leaves out is a row less; among equals the one
/// nearest to the ground, because recursions and matrices grow with depth. Rows by their nature stay rows: distances,
/// points on lines and planes, rolling, blades; joints of particles; joints between a planar and a spatial body; joints
/// whose reactions enter a force somewhere else, or a state. Bodies that no tree joint holds move freely against the
/// ground. A force along the joint's own coordinate may depend on its reactions (friction): it changes nothing of what
/// the joint carries across that coordinate, so that reactions follow from accelerations without it. Such a joint is a
/// *bearing*: part of the tree, and its rows stay in the assembly to be read.
struct Topology {
  struct Step {
    int body = -1;          ///< of the model's list
    int joint = -1;         ///< the tree joint that carries it; −1: free against the ground
    int inner = -1;         ///< the body on the other side; −1: the ground
    bool reversed = false;  ///< the body is a of its joint, and b the inner one
  };
  std::vector<Step> steps;    ///< every body once, inner bodies first
  Eliminated eliminated;      ///< tree joints, and motions that prescribe their only freedom
  std::vector<int> driving;   ///< of each joint: the motion that prescribes it; −1: none
  std::vector<int> bearings;  ///< joints of the tree whose forces depend on their reactions
  std::vector<Issue> issues;  ///< what the model's `loop` keys make impossible
};

/// `full` is the model with all its rows.
Topology find_topology(const Model& model, const Assembly& full);

/// The mobility of a joint within a tree; nullopt: it can only be closed by rows.
std::optional<Mobility> tree_mobility(const JointSpec& joint, const Assembly::Joint& assembled);

}  // namespace trammel
