// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/static_units.h"

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

constexpr double shortest_in_metres = 0.1;  // [m]

template <class Factor>
void multiply_plane(const Pattern& pattern, std::vector<double>& values, Factor&& factor) {
  if (values.empty()) return;
  for (int c = 0; c < pattern.n_cols; ++c)
    for (int k = pattern.start[c]; k < pattern.start[c + 1]; ++k) values[k] *= factor(pattern.index[k], c);
}

// max |s A s|.
double largest_work(const Pattern& pattern, const std::vector<double>& values, ConstVec s) {
  double size = 0.0;
  if (values.empty()) return size;
  for (int c = 0; c < pattern.n_cols; ++c)
    for (int k = pattern.start[c]; k < pattern.start[c + 1]; ++k)
      size = std::max(size, std::abs(values[k]) * s[pattern.index[k]] * s[c]);
  return size;
}

}  // namespace

StaticUnits::StaticUnits(double length, const MotionPlanes& planes, std::span<const Kind> kinds, ConstVec motion) {
  const Eigen::Index nv = planes.motion.n_cols;
  if (length > 0.0 && length < shortest_in_metres) length_ = std::exp2(std::round(std::log2(length)));
  s_.setOnes(nv);
  for (Eigen::Index i = 0; i < nv; ++i)
    if (kinds[static_cast<std::size_t>(i)] != Kind::rotation) s_[i] = length_;
  const double size =
      std::max({largest_work(planes.motion, planes.K, s_), largest_work(planes.motion, planes.K_lam, s_),
                nv > 0 ? s_.cwiseProduct(motion).lpNorm<Eigen::Infinity>() : 0.0});
  energy_ = size > 0.0 && std::isfinite(size) ? std::exp2(std::floor(std::log2(std::min(length_, size)))) : length_;
  if (length_ == 1.0 && energy_ == 1.0) {
    s_.resize(0);
    return;
  }
  // A row that moves positions is in metres. Levers tell metres from angles in rows that only turn something: there (4)
  // follows Ĝ down to ℓ.
  const Pattern& C = planes.constraint;
  rho_.setZero(C.n_rows);
  for (int c = 0; c < C.n_cols; ++c)
    for (int k = C.start[c]; k < C.start[c + 1]; ++k)
      rho_[C.index[k]] = std::max(rho_[C.index[k]], std::abs(planes.G[k]) * s_[c]);
  for (double& rho : rho_) rho = rho > length_ ? std::min(1.0, std::exp2(std::floor(std::log2(rho)))) : length_;
}

void StaticUnits::scale(MotionPlanes& planes) const {
  if (are_si()) return;
  const auto work = [&](int row, int column) { return s_[row] * s_[column] / energy_; };
  for (auto* plane : {&planes.M, &planes.D, &planes.K, &planes.K_lam}) multiply_plane(planes.motion, *plane, work);
  const auto moved = [&](int row, int column) { return s_[column] / rho_[row]; };
  for (auto* plane : {&planes.G, &planes.Gv_q}) multiply_plane(planes.constraint, *plane, moved);
  multiply_plane(planes.reaction, planes.f_lam, [&](int row, int column) { return s_[row] / rho_[column]; });
  multiply_plane(planes.state_force, planes.f_z, [&](int row, int) { return s_[row] / energy_; });
  const auto of_motion = [&](int, int column) { return s_[column]; };
  for (auto* plane : {&planes.g_q, &planes.g_v}) multiply_plane(planes.state_rate, *plane, of_motion);
  multiply_plane(planes.state_lam, planes.g_lam, [&](int, int column) { return energy_ / rho_[column]; });
}

void StaticUnits::scale_rows(Vec motion, Vec constraint) const {
  if (are_si()) return;
  motion = motion.cwiseProduct(s_) / energy_;
  constraint = constraint.cwiseQuotient(rho_);
}

}  // namespace trammel
