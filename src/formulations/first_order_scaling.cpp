// SPDX-License-Identifier: Apache-2.0
#include "trammel/formulations/first_order_scaling.h"

#include <algorithm>
#include <cmath>

namespace trammel {

// Of M (rows of motion, columns of v, F_y′), D (the same in F_y) and K (columns of q in F_y).
FirstOrderScaling::References FirstOrderScaling::calc_references(double h, const Planes& planes) const {
  const int nv = form_.v0();
  References r{0.0, 0.0, 0.0, 1.0};
  if (options_.reference == ScalingReference::mean_diagonal) {
    for (int i = 0; i < nv; ++i) {
      if (const int slot = planes.pattern.slot(nv + i, nv + i); slot >= 0) {
        r.m += std::abs(planes.F_yp()[slot]) / nv;
        r.d += std::abs(planes.F_y()[slot]) / nv;
      }
      if (const int slot = planes.pattern.slot(nv + i, i); slot >= 0) r.k += std::abs(planes.F_y()[slot]) / nv;
    }
  } else {
    r.m = calc_norm(planes.pattern, planes.F_yp(), nv);
    r.d = calc_norm(planes.pattern, planes.F_y(), nv);
    r.k = calc_norm(planes.pattern, planes.F_y(), 0);
  }
  r.m = options_.m_ave.value_or(r.m), r.d = options_.d_ave.value_or(r.d), r.k = options_.k_ave.value_or(r.k);
  const double s = r.m + r.d * h + r.k * h * h;
  if (s > 0.0) r.s = s;
  return r;
}

// ‖·‖_∞ of the rows of motion in nv columns from `first` on.
double FirstOrderScaling::calc_norm(const Pattern& pattern, const std::vector<double>& values, int first) const {
  const int nv = form_.v0();
  row_sum_.assign(static_cast<std::size_t>(nv), 0.0);
  for (int c = first; c < first + nv; ++c)
    for (int k = pattern.start[c]; k < pattern.start[c + 1]; ++k)
      if (pattern.index[k] >= nv && pattern.index[k] < 2 * nv) row_sum_[pattern.index[k] - nv] += std::abs(values[k]);
  return row_sum_.empty() ? 0.0 : *std::max_element(row_sum_.begin(), row_sum_.end());
}

// ρ s/(h² ℓ_r²) Gᵀ Φ in units of the equations is ρ/s Ĝᵀ Φ̂ in rows and columns scaled as below.
double FirstOrderScaling::calc_penalty(double h, const Planes& planes) const {
  return has_penalty() ? options_.rho / calc_references(h, planes).s : 0.0;
}

void FirstOrderScaling::fill(double h, const Coefficients& c, const Planes& planes, std::span<double> row,
                             std::span<double> column) const {
  const int n = static_cast<int>(row.size());
  double kinematic = 1.0, motion = 1.0, constraint = 1.0, velocity_column = 1.0, multiplier = 1.0;
  switch (options_.kind) {
    case Kind::none:
      return;
    case Kind::left:
      constraint = 1.0 / h;
      break;
    case Kind::left_right:
      motion = h, constraint = 1.0 / h;
      multiplier = 1.0 / (h * h);
      break;
    case Kind::left_right_velocity:
      motion = h, constraint = 1.0 / h;
      velocity_column = 1.0 / h, multiplier = 1.0 / (h * h);
      break;
    case Kind::constraints: {
      const double alpha = c.yp / c.y;
      for (int i = form_.lam0(); i < n; ++i) row[i] = alpha;
      return;
    }
    case Kind::physical: {
      const double s = calc_references(h, planes).s, l = options_.l_ref;
      kinematic = s * h, motion = h * h, constraint = s / l;
      velocity_column = 1.0 / h, multiplier = s / (h * h * l);
      break;
    }
  }
  for (int i = 0; i < form_.v0(); ++i) {
    row[i] = kinematic;
    row[form_.v0() + i] = motion;
    column[form_.v0() + i] = velocity_column;
  }
  for (int r = 0; r < form_.nc(); ++r) {
    const bool on_positions = system_.holonomic()[r] && form_.form().level == ConstraintForm::Level::positions;
    row[form_.lam0() + r] = on_positions ? constraint : constraint * h;
    column[form_.lam0() + r] = multiplier;
  }
  for (int i = form_.mu0(); i < n; ++i) {
    row[i] = constraint * h;
    column[i] = velocity_column;
  }
  // Multiplier rates ψ′, χ′ are solved for through ψ, χ (δψ′ = α δψ): one factor h on their columns.
  if (form_.form().rates)
    for (int i = form_.lam0(); i < n; ++i) column[i] *= h;
}

}  // namespace trammel
