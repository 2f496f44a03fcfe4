// SPDX-License-Identifier: Apache-2.0
#include "trammel/formulations/first_order_scaling.h"

#include <algorithm>
#include <cmath>

namespace trammel {

FirstOrderScaling::FirstOrderScaling(const FirstOrderForm& form, const MechanicalSystem& system, const Options& options)
    : form_(form), system_(system), options_(options) {
  if (!has_penalty()) return;
  pivot_rows_ = form.pivot_rows();
  for (int i = static_cast<int>(pivot_rows_.size()); i < form.layout().n(); ++i) pivot_rows_.push_back(i);
}

// Of M (rows of motion, columns of v, F_y′), D (the same in F_y) and K (columns of q in F_y).
FirstOrderScaling::References FirstOrderScaling::calc_references(double h, const Planes& planes) const {
  const int nv = form_.v0();
  References r{0.0, 0.0, 0.0, 1.0};
  if (options_.kind != Kind::physical) {
    r.m = 1.0;
  } else if (options_.reference == ScalingReference::mean_diagonal) {
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

FirstOrderScaling::Factors FirstOrderScaling::calc_factors(Kind kind, double h, double s) const {
  Factors f;
  switch (kind) {
    case Kind::none:
    case Kind::constraints:
      break;
    case Kind::left:
      f.constraint = 1.0 / h;
      break;
    case Kind::left_right:
      f.motion = h, f.constraint = 1.0 / h;
      f.multiplier = s / (h * h * options_.l_ref);
      break;
    case Kind::left_right_velocity:
      f.motion = h, f.constraint = 1.0 / h;
      f.velocity = 1.0 / h, f.multiplier = s / (h * h * options_.l_ref);
      break;
    case Kind::physical:
      f.kinematic = s * h, f.motion = h * h, f.constraint = s / options_.l_ref;
      f.velocity = 1.0 / h, f.multiplier = s / (h * h * options_.l_ref);
      break;
  }
  return f;
}

void FirstOrderScaling::spread(const Factors& f, double h, std::span<double> row, std::span<double> column) const {
  const int n = static_cast<int>(row.size());
  for (int i = 0; i < form_.v0(); ++i) {
    row[i] = f.kinematic;
    row[form_.v0() + i] = f.motion;
    column[form_.v0() + i] = f.velocity;
  }
  const ConstraintForm::Level level = form_.form().level;
  for (int r = 0; r < form_.nc(); ++r) {
    const bool on_positions = system_.holonomic()[r] && level == ConstraintForm::Level::positions;
    const double of_level = level == ConstraintForm::Level::accelerations ? h * h : on_positions ? 1.0 : h;
    row[form_.lam0() + r] = f.constraint * of_level;
    column[form_.lam0() + r] = f.multiplier;
  }
  for (int i = form_.mu0(); i < n; ++i) {
    row[i] = f.constraint * h;
    column[i] = f.velocity;
  }
  // Multiplier rates ψ′, χ′ are solved for through ψ, χ (δψ′ = α δψ): one factor h on their columns.
  if (form_.form().rates)
    for (int i = form_.lam0(); i < n; ++i) column[i] *= h;
}

void FirstOrderScaling::fill(double h, const Coefficients& c, const Planes& planes, std::span<double> row,
                             std::span<double> column) const {
  if (options_.kind == Kind::none) return;
  if (options_.kind == Kind::constraints) {
    const double alpha = c.yp / c.y;
    for (std::size_t i = static_cast<std::size_t>(form_.lam0()); i < row.size(); ++i) row[i] = alpha;
    return;
  }
  if (has_reference()) references_ = calc_references(h, planes);
  const double s = has_reference() ? references_.s : 1.0;
  spread(calc_factors(options_.kind, h, s), h, row, column);
}

// In rows and columns of `physical` w = ρ/s. With others the same term, w row(r) column(c) in units of the equations.
void FirstOrderScaling::fill_penalties(double h, const Coefficients&, const Planes&, std::span<const double> row,
                                       std::span<const double> column, std::span<double> weight) const {
  // `fill` has been here with the same matrix.
  const double unit = has_reference() ? options_.rho / references_.s : options_.rho;
  const std::size_t lam0 = static_cast<std::size_t>(form_.lam0());
  if (options_.kind == Kind::physical) {
    std::fill(weight.begin() + static_cast<std::ptrdiff_t>(lam0), weight.end(), unit);
    return;
  }
  physical_row_.assign(row.size(), 1.0), physical_column_.assign(row.size(), 1.0);
  if (has_reference()) spread(calc_factors(Kind::physical, h, references_.s), h, physical_row_, physical_column_);
  for (std::size_t c = lam0; c < weight.size(); ++c) {
    const int r = pivot_rows_[c];
    weight[c] = unit * physical_row_[r] * physical_column_[c] / (row[r] * column[c]);
  }
}

}  // namespace trammel
