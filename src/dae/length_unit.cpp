// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/length_unit.h"

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

constexpr double shortest_ordinary = 0.1, longest_ordinary = 10.0;  // [m]
// Shorter than atoms: what rounding leaves of axes that meet is no lever.
constexpr double no_lever = 1e-12;  // [m]

}  // namespace

LengthUnit::LengthUnit(const MotionPlanes& planes, std::span<const Kind> kinds, ConstVec q) {
  const Pattern& C = planes.constraint;
  Eigen::VectorXd of_positions = Eigen::VectorXd::Zero(C.n_rows), of_rotations = of_positions;
  for (int c = 0; c < C.n_cols; ++c) {
    Eigen::VectorXd& largest = kinds[c] == Kind::rotation ? of_rotations : of_positions;
    for (int k = C.start[c]; k < C.start[c + 1]; ++k)
      largest[C.index[k]] = std::max(largest[C.index[k]], std::abs(planes.G[k]));
  }
  double lever = 0.0;
  for (int r = 0; r < C.n_rows; ++r)
    if (of_positions[r] > 0.0) lever = std::max(lever, of_rotations[r] / of_positions[r]);
  if (lever < no_lever) {
    lever = 0.0;
    for (int c = 0; c < C.n_cols; ++c)
      if (kinds[c] != Kind::rotation) lever = std::max(lever, std::abs(q[c]));
    lever = std::min(lever, shortest_ordinary);
  }
  if (!(lever > 0.0) || !std::isfinite(lever) || (lever >= shortest_ordinary && lever <= longest_ordinary)) return;
  length_ = std::exp2(std::round(std::log2(lever)));
  columns_.setOnes(C.n_cols);
  for (int c = 0; c < C.n_cols; ++c)
    if (kinds[c] != Kind::rotation) columns_[c] = length_;
  rows_ = (length_ * of_positions).cwiseMax(of_rotations);
  for (Eigen::Index r = 0; r < rows_.size(); ++r)
    if (!(rows_[r] > 0.0)) rows_[r] = length_;  // nothing that moves
}

double LengthUnit::largest(ConstVec x) const {
  if (x.size() == 0) return 0.0;
  return columns_.size() > 0 ? x.cwiseQuotient(columns_).lpNorm<Eigen::Infinity>() : x.lpNorm<Eigen::Infinity>();
}

}  // namespace trammel
