// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tree.h"
#include "urdf_robot.h"

namespace trammel::detail {

/// Links and joints as a tree with a root, links without mass made parts of those that they are fixed to.
///
/// A link without mass that moves needs a partner: its parent through a fixed joint, else a child through one. The body
/// of the partner then carries it, and it is a frame of that body. The root needs none if it is fixed to the ground.
struct UrdfTree {
  int root = -1;
  std::vector<int> order;                  ///< links, parents first
  std::vector<int> joint_to;               ///< of each link: the joint above it; −1: the root
  std::vector<std::vector<int>> children;  ///< of each link: joints below it
  std::vector<int> body;                   ///< of each link: the link that is its body; −1: the ground
  std::vector<Eigen::Isometry3d> pose;     ///< of each link in the root, where all coordinates are 0
  std::vector<int> parent, child;          ///< of each joint: its links
};

/// Refuses what is not a tree and what has no mass, names and lines; what is merged is noted.
UrdfTree make_urdf_tree(const UrdfRobot& robot, bool floating, UrdfReport& report);

/// Inertia that a joint moves, about (or along) its axis, where all coordinates are 0 [kg m², kg].
std::vector<double> calc_moved_inertias(const UrdfRobot& robot, const UrdfTree& tree);

/// A mesh that a URDF file names, found below the folder of the file or a stated one.
struct UrdfMesh {
  std::string file;      ///< relative to the folder of the file (or `relative_to`); empty: there is none
  std::string refused;   ///< why it is an error
  std::string left_out;  ///< why it is not drawn
};
UrdfMesh find_urdf_mesh(const std::string& written, const std::filesystem::path& folder,
                        const std::vector<std::filesystem::path>& packages, const std::filesystem::path& relative_to);

/// The robot as the tree of a model file; what it becomes is noted in `report`.
struct UrdfModel {
  Node tree;
  std::vector<UrdfNote> notes;
  int n_bodies = 0, n_joints = 0, n_frames = 0;
  double mass = 0.0;
};

/// `text` of the URDF file `name` in `folder`; file names in the tree are relative to `relative_to`. Throws InputError.
UrdfModel read_urdf(const std::string& text, const std::string& name, int file, const std::filesystem::path& folder,
                    const UrdfOptions& options, const std::filesystem::path& relative_to);

/// Whether a file is one, by its ending.
bool is_urdf(const std::filesystem::path& file);

/// "2 elements are changed and 3 left out; …"; empty: everything is taken.
std::string describe_losses(const std::vector<UrdfNote>& notes, const std::string& file);

}  // namespace trammel::detail
