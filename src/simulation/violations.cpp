// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/violations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

// A row that others imply is violated as they are, times a factor of the geometry; more than this, and more than this
// part of the machine's size, and they do not imply it any more.
constexpr double implied_factor = 1e3, implied_part = 1e-5;

}  // namespace

Violations::Violations(const Machine& machine, Viewer& viewer)
    : full_(machine.full()), left_out_(machine.left_out()), viewer_(viewer) {}

void Violations::update(const Shown& shown, Ledger& ledger) {
  const int n_rows = full_.system->n_rows();
  phi_.resize(n_rows), phi_dot_.resize(n_rows);
  full_.system->all_constraints(shown.point, shown.state, {phi_.data(), static_cast<std::size_t>(n_rows)},
                                viewer_.full_workspace());
  full_.system->calc_rates(shown.point, shown.state, phi_dot_, viewer_.full_workspace());
  ledger.position = ledger.velocity = 0.0;
  for (int row = 0; row < n_rows; ++row) {
    if (full_.system->holonomic()[row]) ledger.position = std::max(ledger.position, std::abs(phi_[row]));
    if (std::abs(phi_dot_[row]) <= ledger.velocity) continue;
    ledger.velocity = std::abs(phi_dot_[row]);
    if (ledger.velocity > largest_velocity_) fastest_row_ = row;
  }
  largest_position_ = std::max(largest_position_, ledger.position);
  largest_velocity_ = std::max(largest_velocity_, ledger.velocity);
}

void Violations::note_left_out(double t) {
  t_ = t;
  left_out_violation_ = 0.0, violated_row_ = -1;
  for (const int row : left_out_) {
    if (!full_.system->holonomic()[row] || std::abs(phi_[row]) <= left_out_violation_) continue;
    left_out_violation_ = std::abs(phi_[row]);
    violated_row_ = row;
  }
  if (violated_row_ >= 0) {
    kept_violation_ = 0.0;
    for (int row = 0; row < full_.system->n_rows(); ++row)
      if (full_.system->holonomic()[row] && std::find(left_out_.begin(), left_out_.end(), row) == left_out_.end())
        kept_violation_ = std::max(kept_violation_, std::abs(phi_[row]));
  }
}

std::optional<Alarm> Violations::find_violated_row() const {
  if (violated_row_ < 0) return std::nullopt;
  const double size = full_.drawn.q.size() ? full_.drawn.q.lpNorm<Eigen::Infinity>() : 0.0;
  const double limit = std::max(implied_factor * kept_violation_, implied_part * (size > 0.0 ? size : 1.0));
  if (left_out_violation_ <= limit) return std::nullopt;
  Alarm alarm{.name = "left-out row violated",
              .t = t_,
              .element = full_.system->describe_row(violated_row_),
              .value = left_out_violation_,
              .limit = limit,
              .text = {}};
  alarm.text = fmt::format(
      "a row that was left out, because others implied it where the machine was drawn, does not hold any more: {:.3g}, "
      "limit {:.3g}; usual cause: the machine was drawn in a singular position, or reached one in which it goes "
      "another "
      "way; draw it elsewhere, or remove the redundancy",
      left_out_violation_, limit);
  return alarm;
}

void Violations::sum_up(Summary& summary) const {
  summary.position_drift = largest_position_;
  summary.velocity_drift = largest_velocity_;
}

}  // namespace trammel
