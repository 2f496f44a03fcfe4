// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "trammel/mechanics/absolute/absolute_system.h"
#include "trammel/mechanics/elements/row_accelerations.h"

/// Exact derivatives of what rows ask of accelerations, Φ̈ = G v̇ + γ:
///
///   ∂Φ̈/∂q at the v̇ of the point, by increments as Gv_q is, and ∂Φ̈/∂v = ∂γ/∂v
///
/// Every row is differentiated along the coordinates that move its frames, six at a time.

namespace trammel {

class JointSystem;

namespace detail {

/// A direction: a coordinate, by its position or its rate; `link` is the system's own.
struct RowDirection {
  int column = 0, link = 0;
  bool by_velocity = false;
};

}  // namespace detail

/// Of the rows of one machine.
class RowDerivatives {
 public:
  explicit RowDerivatives(const AbsoluteSystem& machine);
  /// Into planes.Gv_q (whatever was there) and by_v(), both on planes.constraint, which are the patterns of the state.
  /// false: a kind of rows is not known twice differentiated.
  bool calc(const AbsoluteSystem& system, const MotionPoint& p, const State& state, MotionPlanes& planes,
            Workspace& workspace);
  bool calc(const JointSystem& system, const MotionPoint& p, const State& state, MotionPlanes& planes,
            Workspace& workspace);
  const std::vector<double>& by_v() const { return by_v_; }

 private:
  /// `Motion` says how coordinates move frames: acceleration(frame), visit_columns(frame, visit(column, link)),
  /// change(frame, direction, k, changes) sets column k if the coordinate moves the frame; active_row(row).
  template <class Motion>
  bool differentiate(const KinematicState& state, const Motion& motion, MotionPlanes& planes);
  template <class Motion>
  void find_directions(const ConstraintElements& rows, int element, const Motion& motion);
  template <class Motion>
  bool differentiate_element(std::size_t group, int element, const KinematicState& state, const Motion& motion,
                             MotionPlanes& planes);

  std::vector<const ConstraintElements*> rows_;
  std::vector<const RowAccelerations*> exact_;  // the same groups; null: not known
  std::vector<double> by_v_;
  std::vector<detail::RowDirection> directions_;
  std::vector<FrameChanges> changes_;
  std::vector<Dual<6>> found_;
};

template <class Motion>
bool RowDerivatives::differentiate(const KinematicState& state, const Motion& motion, MotionPlanes& planes) {
  planes.Gv_q.assign(planes.constraint.nnz(), 0.0);
  by_v_.assign(planes.constraint.nnz(), 0.0);
  for (std::size_t g = 0; g < rows_.size(); ++g)
    for (int e = 0; e < rows_[g]->size(); ++e) {
      bool asked = false;
      for (int r = 0; r < rows_[g]->rows_per_element(); ++r)
        asked = asked || motion.active_row(rows_[g]->first_row(e) + r) >= 0;
      if (asked && !differentiate_element(g, e, state, motion, planes)) return false;
    }
  return true;
}

template <class Motion>
void RowDerivatives::find_directions(const ConstraintElements& rows, int element, const Motion& motion) {
  directions_.clear();
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    const int frame = rows.frame(element, static_cast<int>(i));
    changes_[i].acceleration = motion.acceleration(frame);
    motion.visit_columns(frame, [&](int column, int link) {
      const auto same = [&](const detail::RowDirection& d) { return d.column == column; };
      if (std::any_of(directions_.begin(), directions_.end(), same)) return;
      directions_.push_back({column, link, false});
      directions_.push_back({column, link, true});
    });
  }
}

template <class Motion>
bool RowDerivatives::differentiate_element(std::size_t group, int element, const KinematicState& state,
                                           const Motion& motion, MotionPlanes& planes) {
  constexpr std::size_t width = dual_width;
  const ConstraintElements& rows = *rows_[group];
  if (exact_[group] == nullptr) return false;
  changes_.resize(static_cast<std::size_t>(rows.frames_per_element()));
  found_.resize(static_cast<std::size_t>(rows.rows_per_element()));
  find_directions(rows, element, motion);
  for (std::size_t at = 0; at < directions_.size(); at += width) {
    const std::size_t n = std::min(width, directions_.size() - at);
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      changes_[i].clear();
      for (std::size_t k = 0; k < n; ++k)
        motion.change(rows.frame(element, static_cast<int>(i)), directions_[at + k], static_cast<int>(k), changes_[i]);
    }
    if (!exact_[group]->calc_row_accelerations(state, element, changes_, found_)) return false;
    for (std::size_t r = 0; r < found_.size(); ++r) {
      const int row = motion.active_row(rows.first_row(element) + static_cast<int>(r));
      for (std::size_t k = 0; row >= 0 && k < n; ++k) {
        const int slot = planes.constraint.slot(row, directions_[at + k].column);
        if (slot < 0) continue;  // what rows do not feel
        (directions_[at + k].by_velocity ? by_v_ : planes.Gv_q)[static_cast<std::size_t>(slot)] += found_[r].d[k];
      }
    }
  }
  return true;
}

}  // namespace trammel
