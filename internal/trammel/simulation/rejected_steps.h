// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "trammel/simulation/motion.h"

namespace trammel {

class Memory;

/// Where steps were rejected, again and again, and whose forces changed most in the steps that were taken at last.
///
/// Steps with rejected attempts are one stretch as long as few others stand between them. In each of them
///
///   (1)  ΔF_i = F_i(end) − F_i(beginning)   of every force and every contact, moments over the machine's length
///
/// and the element with the largest sum of |ΔF| over the stretch is named, with its part of the sum of all. Machines
/// without any have the unknown named that Newton's iteration moved most, with its part of the steps.
class RejectedSteps {
 public:
  RejectedSteps(const Machine& machine, Viewer& viewer, const Motion& motion);

  /// The n-th step, which ends at x.
  void note_step(const StepReport& report, const MotionVariables& x, long n);
  /// The worst stretches, a line each: when, how often and why, whose forces, and what to try.
  void sum_up(std::vector<std::string>& notes) const;
  void remember(Memory& memory);

 private:
  struct Stretch {
    double from = 0.0, to = 0.0;
    long first = 0, last = 0;          // steps
    long by_error = 0, by_newton = 0;  // attempts
    std::map<std::string, double> shares;
    void remember(Memory& memory);
  };
  using Sizes = std::map<std::string, Eigen::Matrix<double, 6, 1>>;
  void add_shares(const StepReport& report, const MotionVariables& x, Stretch& stretch);
  Sizes calc_forces(const KinematicState& k);
  bool is_worse(const Stretch& a, const Stretch& b) const;

  const Machine& machine_;
  Viewer& viewer_;
  const Motion& motion_;
  double length_;
  MotionVariables sample_;
  std::vector<Wrench<double>> wrenches_;
  std::vector<Stretch> stretches_;  // the worst, and the last one
};

/// What to try where steps are rejected by the error test, or because Newton's iteration does not converge.
std::string_view advice_on_rejected(bool by_newton);

}  // namespace trammel
