// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

namespace trammel {

/// A method that solves its steps by Newton's iteration can say what is left of each row, for the diagnosis of a
/// failure.
class LeavesResiduals {
 public:
  virtual ~LeavesResiduals() = default;
  /// By the last iteration of the last attempt, of the rows of MotionIntegrator::layout(), each in its own unit; of
  /// several stages the largest.
  virtual Eigen::VectorXd calc_residuals() const = 0;
};

}  // namespace trammel
