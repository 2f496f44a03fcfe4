// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "slot_contact.h"
#include "trammel/mechanics/slots/slot_kernel.h"
#include "trammel/mechanics/slots/slot_system.h"

namespace trammel {

namespace detail {

using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, 12, 12>;
using ToRows = Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor, 6, 6>;   // a wrench to the frame's rows
using ToTwist = Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor, 6, 6>;  // its unknowns to a twist

inline ToRows rows_of(const SlotFrame& frame, const SlotFrameStep& x, bool at_f) {
  ToRows rows(frame.nv, 6);
  rows.leftCols<3>() = frame.S_x.transpose();
  rows.rightCols<3>() = x.S_row.transpose() * (at_f ? x.at_f.R : x.at_j.R);
  return rows;
}

inline ToTwist twist_of(const SlotFrame& frame) {
  ToTwist twist(6, frame.nv);
  twist.topRows<3>() = frame.S_x;
  twist.bottomRows<3>() = frame.S_w;
  return twist;
}

// δ(x_f, β_f) by u_j, and by u_f the same.
inline ToTwist increment_of(const SlotFrame& frame, const SlotFrameStep& x, double h) {
  ToTwist increment(6, frame.nv);
  increment.topRows<3>() = 0.5 * h * frame.S_x;
  const Eigen::Vector3d turn = 0.5 * h * (x.at_j.w + x.at_f.w);
  const Eigen::Matrix3d T = (Eigen::Matrix3d::Identity() - 0.5 * hat<double>(turn)) / (1.0 + 0.25 * turn.squaredNorm());
  increment.bottomRows<3>() = 0.5 * h * T * frame.S_w;
  return increment;
}

/// What the state holds of one group.
inline std::span<const int> modes_of(const AbsoluteSystem& system, std::size_t group, const State& state) {
  std::size_t first = 0;
  for (std::size_t g = 0; g < group; ++g) first += static_cast<std::size_t>(system.groups()[g]->n_modes());
  return std::span(state.modes).subspan(first, static_cast<std::size_t>(system.groups()[group]->n_modes()));
}

template <class Block>
void scatter(const Block& block, std::span<const int> slots, std::span<double> values) {
  const int* slot = slots.data();
  for (Eigen::Index r = 0; r < block.rows(); ++r)
    for (Eigen::Index c = 0; c < block.cols(); ++c, ++slot)
      if (*slot >= 0) values[*slot] += block(r, c);
}

}  // namespace detail

/// External loads at j and f, and where their derivatives go.
struct SlotSystem::Loads {
  struct Pair {
    int i, k;                // frames, rows or states, as the name of the list says
    std::vector<int> slots;  // of its block in the matrix, row by row
  };
  class Recorder;

  std::vector<std::vector<int>> group_slots, modes;  // modes: of contacts without a potential; empty: all
  std::vector<Pair> pairs, reactions, state_forces, state_rates, state_states, state_lams;
  FramePlanes planes_j, planes_f;
  std::vector<Frame<double>> frames_j, frames_f;
  std::vector<Wrench<double>> force_j, force_f;  // on frames
  std::vector<double> lam_j, lam_f, turns_f, g_j, g_f;
  std::vector<Wrench<double>> bow;  // (3) of the header, moments in ground axes
  std::vector<double> g_bow;
  bool bends = false;  // some of them
  // Of rows on positions that are no quadratics, by row of the machine: Φ at f, Φ_u u̇ at j and f.
  std::vector<double> phi, drift_j, drift_f, dropped;
  std::vector<Wrench<double>> dropped_force;
  std::vector<Frame<double>> still;
};

struct SlotSystem::Scratch final : Workspace {
  struct Table {
    std::vector<int> slots;  // of a block, row by row; −1: not part of the matrix
  };

  std::unique_ptr<Workspace> absolute;
  InputBuffer in_0, in_m, in_f;
  std::vector<double> u_mean;
  std::vector<SlotFrameStep> steps;
  std::vector<SlotElementStep> starts;
  std::vector<Eigen::Vector3d> u_0, u_j, u_f;  // of masses
  std::vector<double> turns;
  SlotKernel kernel;
  State state;  // as it was when the step began
  double t_0 = 0.0, h = 0.0, curvature = 1.0;
  Eigen::VectorXd q_0, v_0, z_0, Lambda_j, Lambda_f;  // Λ of the last step
  Eigen::VectorXd dropped;                            // rows of no interest while the matrix is made
  double potential_0 = 0.0, kinetic_0 = 0.0;

  Pattern pattern;
  std::uint64_t version = ~std::uint64_t{0};
  std::vector<Table> frame_tables, element_tables, mass_tables, row_tables;
  std::vector<int> state_diagonal;  // (z_j, z_j), (z_j, z_f), (z_f, z_j), (z_f, z_f) of each state
  Loads loads;
  std::uint64_t n_patterns = 0;  // built so far: their versions
  std::vector<SlotContact> contacts;
  std::vector<int> contact_modes;  // of the end of the step
  std::vector<Frame<double>> way;  // frames at both ends of the step
  SlotContact::Block contact_block;

  SlotKernel::Step step(double mass) const {
    return {h, curvature, mass, in_0.u.data(), in_f.u.data(), in_0.ud.data(), in_f.ud.data(), u_mean.data()};
  }
};

}  // namespace trammel
