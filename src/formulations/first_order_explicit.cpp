// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <numeric>

#include "first_order_scratch.h"
#include "trammel/base/error.h"
#include "trammel/mechanics/joint/joint_system.h"

// The explicit formalism of the first-order form [arnold2004 (10)]: rows of motion solved for v̇.

namespace trammel {

// M couples two coordinates if one lies between the other and the ground; M⁻¹ couples all that are connected by that.
void FirstOrderForm::choose_formalism() {
  tree_ = dynamic_cast<const JointSystem*>(&system_);
  const auto refuse = [](std::string why) {
    throw InputError(std::vector<Issue>{{"solver.formalism", "formalism = \"explicit\" " + std::move(why)}});
  };
  if (tree_ == nullptr) refuse("is a recursion over the tree of joints: it needs coordinates = \"joint\"");
  if (const std::string refusal = tree_->explicit_refusal(); !refusal.empty())
    refuse(fmt::format("solves for accelerations, and {}; take formalism = \"residual\"", refusal));
  std::vector<int> group(static_cast<std::size_t>(nv_));
  std::iota(group.begin(), group.end(), 0);
  const auto find = [&](int i) {
    while (group[i] != i) i = group[i] = group[group[i]];  // halves the path: long chains stay linear
    return i;
  };
  for (int link = 0; link < tree_->tree().size(); ++link) {
    int first = -1;
    tree_->tree().along_path(link, [&](int k) {
      if (first >= 0) group[find(k)] = find(first);
      first = k;
    });
  }
  std::vector<int> place(static_cast<std::size_t>(nv_), -1);
  for (int i = 0; i < nv_; ++i) {
    int& at = place[find(i)];
    if (at < 0) {
      at = static_cast<int>(tree_coordinates_.size());
      tree_coordinates_.emplace_back();
    }
    tree_coordinates_[at].push_back(i);
  }
}

// A column that reaches one row of motion of a tree reaches all of them.
Pattern FirstOrderForm::spread_over_trees(const Pattern& pattern) const {
  std::vector<int> tree_of(static_cast<std::size_t>(nv_));
  for (std::size_t t = 0; t < tree_coordinates_.size(); ++t)
    for (const int i : tree_coordinates_[t]) tree_of[i] = static_cast<int>(t);
  PatternBuilder builder(pattern.n_rows, pattern.n_cols);
  std::vector<int> last(tree_coordinates_.size(), -1);
  for (int j = 0; j < pattern.n_cols; ++j)
    for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k) {
      const int row = pattern.index[k];
      builder.add(row, j);
      if (row < v0() || row >= z0()) continue;
      const int t = tree_of[row - v0()];
      if (last[t] == j) continue;
      last[t] = j;
      for (const int i : tree_coordinates_[t]) builder.add(v0() + i, j);
    }
  return builder.build(pattern.version);
}

// Rows (2), (3): v̇ − φ, ż − g; Φ, of nonholonomic rows A v + a, Φ̇ and Gᵀμ go to the scratch.
Status FirstOrderForm::calc_explicit_rows(const MotionPoint& m, const State& state, Vec F, Scratch& s) const {
  const Status status = nc_ == 0 ? tree_->accelerate(m, state, s.acceleration, s.zp, *s.system)
                                 : tree_->stabilized_acceleration(m, s.mu, state, s.acceleration, s.zp, s.phi,
                                                                  s.phi_dot, s.kinematic, *s.system);
  if (!status.ok()) return status;
  for (int r = 0; r < nc_; ++r)
    if (!system_.holonomic()[r]) s.phi[r] = s.phi_dot[r];
  F.segment(v0(), nv_) = m.a - s.acceleration;
  F.segment(z0(), nz_) = m.zp - s.zp;
  return status;
}

// The planes hold the derivatives of M v̇ + Gᵀλ − f at v̇ = φ: those of v̇ − φ are M⁻¹ times them. Where λ = ψ′ its
// columns are in F_y′.
Status FirstOrderForm::solve_for_rates(Planes& planes, Scratch& s) const {
  std::vector<double>&Fy = planes.values[0], &Fyp = planes.values[1], &K_lam = planes.values[2];
  const Pattern& pattern = planes.pattern;
  for (const std::vector<int>& tree : tree_coordinates_) {
    const Eigen::Index n = static_cast<Eigen::Index>(tree.size());
    s.M.setZero(n, n);
    for (Eigen::Index c = 0; c < n; ++c)
      for (Eigen::Index r = 0; r < n; ++r) s.M(r, c) = Fyp[pattern.slot(v0() + tree[r], v0() + tree[c])];
    const bool symmetric = s.m.linear_in_rates;
    if (symmetric) {
      s.factor.compute(s.M);
      if (s.factor.info() != Eigen::Success || !s.factor.isPositive())
        return Status::recoverable(Cause::singular_matrix, v0() + tree[0]);
    } else {
      s.exchanged.compute(s.M);
    }
    s.columns.resize(n, 1);
    for (int j = 0; j < pattern.n_cols; ++j) {
      if (pattern.slot(v0() + tree[0], j) < 0) continue;
      std::vector<double>& plane = options_.form.rates && j >= lam0() ? Fyp : Fy;
      for (Eigen::Index r = 0; r < n; ++r) {
        const int slot = pattern.slot(v0() + tree[r], j);
        s.columns(r, 0) = plane[slot] + K_lam[slot];
        K_lam[slot] = 0.0;
      }
      if (symmetric)
        s.factor.solveInPlace(s.columns);
      else
        s.columns = s.exchanged.solve(s.columns).eval();
      for (Eigen::Index r = 0; r < n; ++r) plane[pattern.slot(v0() + tree[r], j)] = s.columns(r, 0);
    }
    for (Eigen::Index c = 0; c < n; ++c)
      for (Eigen::Index r = 0; r < n; ++r) Fyp[pattern.slot(v0() + tree[r], v0() + tree[c])] = r == c ? 1.0 : 0.0;
  }
  return Status::success();
}

}  // namespace trammel
