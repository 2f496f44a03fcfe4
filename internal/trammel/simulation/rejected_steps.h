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
///   (1)  ΔF_i = F_i(end) − F_i(beginning)   of every force, contact, wheel on a rail and element of a beam, moments
///   over
///                                           the machine's length
///   (2)  ΔF_r = max(0, |Δλ_r| − Σ_i |ΔF_i|)  of every row of the constraints
///
/// and the one with the largest sum over the stretch is named, with its part of the sum of all. Rows answer what acts:
/// a reaction counts by what it changed beyond all that acts, as it does in a singular position, behind a motion that
/// is prescribed, or in a machine that is driven by its own inertia. Where nothing changes the unknown is named that
/// Newton's iteration moved most, with its part of the steps.
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
    std::map<std::string, double> shares, unknowns;
    void remember(Memory& memory);
  };
  using Size = Eigen::Matrix<double, 6 * BeamElement::max_nodes, 1>;  // forces and moments over length
  using Sizes = std::map<std::string, Size>;
  void add_shares(const StepReport& report, const MotionVariables& x, Stretch& stretch);
  Sizes calc_forces(const MotionVariables& x, Eigen::VectorXd& lam);
  void add_contacts(const KinematicState& k, Sizes& sizes) const;
  void add_wheels(const KinematicState& k, Sizes& sizes) const;
  void add_beams(const KinematicState& k, Sizes& sizes) const;
  void add_rows(double acting, Stretch& stretch) const;
  bool is_worse(const Stretch& a, const Stretch& b) const;

  const Machine& machine_;
  Viewer& viewer_;
  const Motion& motion_;
  double length_;
  MotionVariables sample_;
  std::vector<Wrench<double>> wrenches_;
  Eigen::VectorXd lam_from_, lam_to_;
  std::vector<Stretch> stretches_;  // the worst, and the last one
};

/// What to try where steps are rejected by the error test, or because Newton's iteration does not converge.
std::string_view advice_on_rejected(bool by_newton);

}  // namespace trammel
