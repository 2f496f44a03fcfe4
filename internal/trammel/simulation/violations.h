// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <optional>

#include "trammel/simulation/frame_channels.h"
#include "trammel/simulation/summary.h"
#include "trammel/simulation/viewer.h"

namespace trammel {

class Memory;

/// How far all rows are violated: at a point, and most in a run. Rows that were left out because others imply them are
/// looked at as well.
class Violations {
 public:
  Violations(const Machine& machine, Viewer& viewer);

  /// Largest |Φ| and |Φ̇| at a point, into `ledger`; of each row in phi() and phi_dot() until the next call.
  void update(const Shown& shown, Ledger& ledger);
  const Eigen::VectorXd& phi() const { return phi_; }
  const Eigen::VectorXd& phi_dot() const { return phi_dot_; }

  /// The point that was looked at last is the end of a step.
  void note_left_out(double t);
  /// A row that was left out and that the others do not imply any more where the last step ended.
  std::optional<Alarm> find_violated_row() const;

  double largest_velocity() const { return largest_velocity_; }
  int fastest_row() const { return fastest_row_; }  ///< the row whose velocity was violated most
  void sum_up(Summary& summary) const;
  void remember(Memory& memory);

 private:
  const Assembly& full_;
  const std::vector<int>& left_out_;
  Viewer& viewer_;
  Eigen::VectorXd phi_, phi_dot_;
  double largest_position_ = 0.0, largest_velocity_ = 0.0;
  int fastest_row_ = -1;
  double t_ = 0.0, left_out_violation_ = 0.0, kept_violation_ = 0.0;  // at the end of the last step
  int violated_row_ = -1;
};

}  // namespace trammel
