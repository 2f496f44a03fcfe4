// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <numeric>
#include <utility>

#include "trammel/mechanics/absolute/absolute_system.h"

// Parts of a machine that can be moved in some direction without any force: their momentum in that direction is a sum
// of rows in world axes.

namespace trammel {

namespace {

constexpr double no_force = 1e-9;  // of what the terms of a row add up to
constexpr double no_hold = 1e-12;  // square of the part of a row that holds in a direction
constexpr int fewest_turning = 2;  // one body alone has its sum in whatever axes

/// Numbers of frames, joined where derivatives join them.
class Parts {
 public:
  explicit Parts(int n) : of_(static_cast<std::size_t>(n)) { std::iota(of_.begin(), of_.end(), 0); }
  int of(int frame) {
    int part = frame;
    while (of_[static_cast<std::size_t>(part)] != part) part = of_[static_cast<std::size_t>(part)];
    while (of_[static_cast<std::size_t>(frame)] != part)
      frame = std::exchange(of_[static_cast<std::size_t>(frame)], part);
    return part;
  }
  void join(int a, int b) { of_[static_cast<std::size_t>(of(a))] = of(b); }

 private:
  std::vector<int> of_;
};

/// What every direction of the world does to a row: Σ P_rc e_c, and Σ |P_rc| |e_c|.
struct RowSum {
  Eigen::Vector3d moved = Eigen::Vector3d::Zero();
  double size = 0.0;
  int frame = -1;  // one of those that it knows
};

}  // namespace

void AbsoluteSystem::find_floating_parts(const MotionPoint& p, const State& state) {
  floats_ = false;
  if (static_cast<int>(chart_offsets_.size()) < fewest_turning) return;
  const std::unique_ptr<Workspace> workspace = make_workspace();
  MotionPlanes m;
  if (!linearize(p, state, PlaneSet::all, m, *workspace).ok()) return;

  std::vector<int> frame_of(static_cast<std::size_t>(nv_));
  std::vector<Eigen::Vector3d> direction(static_cast<std::size_t>(nv_), Eigen::Vector3d::Zero());
  for (int f = 1; f < n_frames(); ++f) {
    const FrameMap& map = frames_[static_cast<std::size_t>(f)];
    for (int i = 0; i < map.nv; ++i) {
      const std::size_t c = static_cast<std::size_t>(map.offset + i);
      frame_of[c] = f;
      if (map.kind == FrameMap::Kind::planar)
        direction[c] = map.S.block<3, 1>(0, i);
      else if (i < 3)
        direction[c] = Eigen::Vector3d::Unit(i);
    }
  }
  Parts parts(n_frames());
  std::vector<RowSum> sums;
  const auto look = [&](const Pattern& pattern, const std::vector<double>& plane, bool rows_are_motion) {
    std::vector<RowSum> rows(static_cast<std::size_t>(pattern.n_rows));
    for (int c = 0; c < pattern.n_cols; ++c)
      for (int k = pattern.start[c]; k < pattern.start[c + 1]; ++k) {
        const double value = plane[static_cast<std::size_t>(k)];
        if (value == 0.0) continue;
        RowSum& row = rows[static_cast<std::size_t>(pattern.index[k])];
        const int frame = frame_of[static_cast<std::size_t>(c)];
        if (rows_are_motion) parts.join(frame, frame_of[static_cast<std::size_t>(pattern.index[k])]);
        if (row.frame >= 0) parts.join(frame, row.frame);
        row.frame = frame;
        row.moved += value * direction[static_cast<std::size_t>(c)];
        row.size += std::abs(value) * direction[static_cast<std::size_t>(c)].norm();
      }
    sums.insert(sums.end(), rows.begin(), rows.end());
  };
  for (const auto* plane : {&m.D, &m.K, &m.K_lam}) look(m.motion, *plane, true);
  look(m.constraint, m.G, false);
  for (const auto* plane : {&m.g_q, &m.g_v}) look(m.state_rate, *plane, false);

  std::vector<Eigen::Matrix3d> held(frames_.size(), Eigen::Matrix3d::Zero());
  std::vector<int> turning(frames_.size(), 0);
  for (int f = 1; f < n_frames(); ++f)
    turning[static_cast<std::size_t>(parts.of(f))] += frames_[static_cast<std::size_t>(f)].chart >= 0;
  for (const RowSum& row : sums)
    if (row.frame >= 0 && row.moved.norm() > no_force * row.size)
      held[static_cast<std::size_t>(parts.of(row.frame))] += row.moved * row.moved.transpose() / (row.size * row.size);
  for (std::size_t part = 0; part < held.size() && !floats_; ++part) {
    if (turning[part] < fewest_turning) continue;
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> directions(held[part], Eigen::EigenvaluesOnly);
    floats_ = directions.eigenvalues()[0] < no_hold;
  }
}

}  // namespace trammel
