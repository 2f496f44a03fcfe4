// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/dae/dae_system.h"

namespace trammel {

/// Columns in groups that share no row: one residual gives all columns of a group [arnold2004 (18), (20)]. Greedy, in
/// smallest-last order and with columns of many entries first, and the better of both; never fewer groups than the
/// largest number of entries in a row. O(sum of squared row lengths).
void make_column_groups(const Pattern& pattern, std::vector<int>& group_start, std::vector<int>& columns);

/// δ of [arnold2004 (17)], max(|x|, ε^¼) √ε; of a multiplier with the largest of them, and 1, in the place of ε^¼:
/// residuals are linear in multipliers, and forces of 10⁵ N are rounded to more than that difference of a reaction that
/// is zero.
double calc_increment(double x);
double calc_multiplier_increment(double largest);

/// Where values taken by differences are more than noise: above 1e-9 of the largest of their row.
Pattern find_noticeable(const Pattern& all, std::span<const double> values);

/// F_y and F_y′ by forward differences, one residual per group and plane:
///
///   F_y(:, j) ≈ (F(y + δ_j e_j) − F(y))/δ_j,   δ_j = √ε · max(|y_j|, |h y′_j|, w_j)
///
/// with the weight w_j of the error test as the smallest change that matters; y′ is moved by δ_j/h. Unknowns of
/// algebraic kind have no plane F_y′. Nothing is evaluated outside the directions of the motion: δ has the sign of
/// h y′. The system must have identity matrix rows and columns (no charts).
Status difference_planes(const DaeSystem& system, const Point& p, const State& state, Planes& planes,
                         Workspace& workspace);

}  // namespace trammel
