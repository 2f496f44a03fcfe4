// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/LU>
#include <vector>

#include "trammel/mechanics/joint/joint_system.h"

namespace trammel::detail {

/// The elements' frame-level planes and where they go in the planes of joint coordinates.
class JointPlanes {
 public:
  void rebuild(const JointSystem& system, const State& state, std::span<const int> active);
  std::uint64_t version() const { return version_; }
  std::span<const int> slots(std::size_t group) const { return slots_[group]; }
  void clear();
  FramePlanes& frames() { return frame_; }
  const FramePlanes& frames() const { return frame_; }
  /// Gives `planes` the patterns if it has older ones.
  void prepare(MotionPlanes& planes) const { planes.adopt(patterns_); }

  struct Entry {
    int i, j;                  // links, rows or states
    bool of_rows = false;      // pairs: constraints act here
    bool feels_travel = true;  // rows, and pairs of rows: σ and θ of a track joint enter
  };
  std::vector<Entry> pairs, rows, reactions, state_forces, state_rates, state_states, state_lams;
  std::vector<std::vector<int>> pairs_by_column;  // of each link
  std::vector<int> active_rows;                   // of all rows of the machine; −1: left out

 private:
  class Builder;
  std::uint64_t version_ = ~std::uint64_t{0};
  FramePlanes frame_;
  std::vector<std::vector<int>> slots_;
  MotionPatterns patterns_;
};

/// The wrenches of a joint's rows, in columns.
using Wrenches = Eigen::Matrix<double, 6, 7>;

/// A bearing at one point (reactions.cpp): in axes of its body b.
struct BearingMemory {
  Eigen::Matrix<double, 7, 6> inverse;  // of [A C]; rows that are not used are 0
  Vec6<double> wrench;                  // W
  Mat6<double> by_pose[2];              // ∂([A C] (λ, τ)) by increments of the poses of a and b
  Mat6<double> feeds;                   // row k: −∂f/∂λ in the motion row of the link's freedom k
};

struct JointWorkspace final : Workspace {
  JointTree::Memory tree;
  std::vector<Frame<double>> frames;                       // by frame; 0 is the ground
  std::vector<Frame<double>> link_frames;                  // by link
  std::vector<Wrench<double>> wrench, mu_wrench, by_link;  // by frame, by frame, by link
  std::vector<Wrench<double>> row_wrench;                  // by frame: of rows, where forces are evaluated again
  std::vector<BearingMemory> bearings;
  Eigen::VectorXd sweep;  // of the sweep that finds the reactions of bearings
  std::vector<double> last_lam;
  MotionPlanes by_rates;  // of Newton's iteration for accelerations
  Eigen::MatrixXd matrix;
  Eigen::PartialPivLU<Eigen::MatrixXd> factors;
  std::vector<double> lam, mu, turns, phi, phi_dot, bias, rates, no_input;
  Eigen::VectorXd zero, scratch;
  JointPlanes planes;
  // Of linearize: residual wrenches of frames (motion without and with multipliers), sums over subtrees, and changes.
  std::vector<Vec3<double>> force, moment, lam_force, lam_moment, arm, acceleration;
  std::vector<Vec3<double>> sub_force, sub_moment, sub_lam_force, sub_lam_moment;
  std::vector<Vec3<double>> d_force, d_moment, d_lam_force, d_lam_moment;
  Eigen::VectorXd column, lam_column;
};

}  // namespace trammel::detail
