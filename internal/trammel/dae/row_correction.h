// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "trammel/nonlinear/newton.h"

namespace trammel {

/// Rows that a matrix at hand corrects until they are small, or until they no longer fall by half: then they are at
/// their rounding, or nothing fulfils them. A problem of solve_by_newton.
///
///   evaluate(size)  → Status   the rows where the unknowns are, and their size
///   solve()         → Status   the correction
///   move()                     the unknowns follow it
template <class Evaluate, class Solve, class Move>
class RowCorrection {
 public:
  /// Rows of at most `limit` are left as they are; once they are corrected, to `fine`.
  RowCorrection(double limit, double fine, Evaluate evaluate, Solve solve, Move move)
      : limit_(limit), fine_(fine), evaluate_(evaluate), solve_(solve), move_(move) {}

  Status prepare(int) { return Status::success(); }

  Status solve(int k) {
    if (const Status status = evaluate_(size_); !status.ok()) return status;
    is_small_ = size_ <= (k > 0 ? fine_ : limit_);
    stalls_ = !(size_ < 0.5 * before_);
    if (is_small_ || stalls_) return Status::success();
    before_ = size_;
    return solve_();
  }

  NewtonVerdict correct(int) {
    if (is_small_ || stalls_) return NewtonVerdict::converged;
    move_();
    return NewtonVerdict::go_on;
  }

  Status give_up(Cause) {
    is_exhausted_ = true;
    return Status::success();
  }

  double size() const { return size_; }  ///< of the rows when they were last looked at
  bool is_small() const { return is_small_; }
  bool is_exhausted() const { return is_exhausted_; }  ///< they still fell

 private:
  const double limit_, fine_;
  Evaluate evaluate_;
  Solve solve_;
  Move move_;
  double size_ = 0.0, before_ = std::numeric_limits<double>::infinity();
  bool is_small_ = false, stalls_ = false, is_exhausted_ = false;
};

}  // namespace trammel
