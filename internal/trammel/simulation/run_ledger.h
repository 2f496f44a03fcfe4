// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "trammel/dae/acceleration_solver.h"
#include "trammel/simulation/motion.h"
#include "trammel/simulation/violations.h"

namespace trammel {

class Memory;

/// Keeps the balance of energy of a run, from step to step: kinetic and potential energy, and the work that forces and
/// motions do on the machine, with the order of the method.
///
///   (1)  W ← W + ∫ P dt over the step,   P = Σ f·v of what is not conservative − λᵀG v of motions
///
/// bdf, radau and the explicit pair take long steps in which P is anything but a straight line. Unless it is as good as
/// that, the method says where forces are known (MotionIntegrator::power_rule):
///
///   (2)  ∫ P dt = h Σ b_i P(t + c_i h), or the integral of the polynomial through P at the last ends of steps
///
/// A stiff force makes much of what an interpolant misses (c = 1e5 N s/m makes 1 N of 1e-5 m/s), but not at points
/// where the method has solved M v̇ + Gᵀλ = f: the stages of radau, and the ends of steps of bdf. There Newton leaves
/// r = M v̇ + Gᵀλ − f, 1 N where c = 1e7 N s/m, and f + r is the force of the motion: vᵀr belongs to P. One-step methods
/// of order 2 keep the trapezoidal rule, of the same order: their multipliers ring with the steps, and its mean of both
/// ends is what damps that. The multipliers of the midpoint rule belong to the middle of the step, and so does its
/// power. With error control its velocities are now and then put back on the constraints, by impulses that are in no
/// multiplier: where motions drive, the power at the ends is that of multipliers solved for there.
///
/// P has a kink, though no force has one, where surfaces that parted before they had relaxed cease to overlap: until
/// then the energy that is left in them is dissipated. A step over such an instant is summed on either side of it, at
/// Gauss' points of the dense output.
///
/// A method whose velocities violate Φ̇ = 0 moves along its reactions: where nothing drives, that is its own dissipation
/// and nobody's work, −λᵀ(G v − Φ̇) = 0. Beside motions −λᵀG v is kept: errors of λ and v belong together, and their
/// product with the exact u̇ errs by more.
///
/// Rows that nothing drives therefore do not matter to P, unless a force reads their multipliers: of such a machine P
/// is found from positions, velocities and states alone, with neither accelerations nor reactions.
///
/// Where a law has a high gain, a run that is right to ten tolerances knows its power to
///
///   (3)  δP = P(q, v + δv) − P(q, v) or P(q + δq, v) − P(q, v), whichever is larger,   W to ∫ |δP| dt
///
/// with δv and δq of ten tolerances along the motion, inputs as they are. Of dampers and friction that is next to
/// nothing: what moves together does not stretch them. It is looked for where drift makes the run doubtful.
class RunLedger {
 public:
  /// `solver` is that of recorded frames.
  RunLedger(const Machine& machine, Viewer& viewer, const Motion& motion, Violations& violations,
            AccelerationSolver& solver);

  /// The step of length h that ends at x; h = 0: the start. `kinks`: instants in it where P has a kink.
  void update(const MotionVariables& x, double h, std::span<const double> kinks = {});
  /// Nobody will ask for multipliers and violations at ends of steps: they are left out where nothing else needs them.
  void keep_energies_alone() { energies_alone_ = true; }
  const Ledger& now() const { return ledger_; }  ///< at the end of the last step
  /// Before the start: energies at the run's own start and its work so far are those of the part before.
  void go_on_from(const Ledger& before) { ledger_ = before, goes_on_ = true; }
  /// Work until t within the last step.
  double calc_work(double t) const;

  /// (3) so far [J].
  double uncertainty() const { return uncertainty_; }

  /// Steps since the start, or since forget_smooth_steps(): a kink, a change of contact.
  int smooth_steps() const { return smooth_steps_; }
  void forget_smooth_steps() { smooth_steps_ = 0, n_ends_ = 1; }
  /// The power just behind a kink, where the next step begins: forces and reactions may have jumped there.
  void renew_power(const MotionVariables& x);
  /// A step begins at x, at a kink right behind the end of the last one.
  void begin_behind(const MotionVariables& x);
  /// Velocities have jumped to those of x, which took this energy.
  void note_impulse(double energy, const MotionVariables& x);
  /// Statics: a part of the load, and the energies there.
  void note_load(double load, const MechanicalSystem::Energy& energy);

  /// All multipliers at the end of the last step.
  const Eigen::VectorXd& lam() const { return lam_; }
  /// By how much the largest acceleration changed in the last step.
  double acceleration_change() const { return size_of(newest_a_ - before_.a); }
  /// The largest violations at its two ends.
  double position_violation() const { return std::max(ledger_.position, before_.ledger.position); }
  double velocity_violation() const { return std::max(ledger_.velocity, before_.ledger.velocity); }

  void sum_up(Summary& summary) const;

  template <class Vector>
  static double size_of(const Vector& a) {
    return a.size() > 0 ? a.template lpNorm<Eigen::Infinity>() : 0.0;
  }
  void remember(Memory& memory);

 private:
  bool drives() const;
  bool has_idle_rows() const;
  bool may_work() const;
  bool solves_for_power() const;
  bool leaves_remainders() const;
  double calc_power(const MotionVariables& x);
  std::optional<double> solve_for_power(const MotionVariables& x, double t);
  void note_end(double t, double power);
  void look_at_tolerance(const MotionVariables& x);
  void look_within(double t);
  double calc_step_work(const MotionVariables& x, double h);
  double calc_work_of_ends(int n, double h);
  bool cut_step(double from, double to, std::span<const double> kinks);
  double calc_work_of_parts(const MotionVariables& x);

  const Machine& machine_;
  const Study& study_;
  const Assembly& full_;
  Viewer& viewer_;
  const Motion& motion_;
  const State& state_;
  Violations& violations_;
  AccelerationSolver& solver_;
  MotionVariables sample_;
  Eigen::VectorXd phi_dot_;

  Ledger ledger_;             // at the end of the last step
  Eigen::VectorXd newest_a_;  // its accelerations
  Eigen::VectorXd lam_;       // its multipliers, of all rows
  struct {
    Ledger ledger;
    Eigen::VectorXd a;
  } before_;              // the same at its beginning
  bool goes_on_ = false;  // with the energies of a part of the run before
  bool rows_are_idle_;    // they do no work, and no force reads their multipliers
  bool energies_alone_ = false;
  int smooth_steps_ = 0;  // since the start, a kink or a change of contact
  struct End {
    double t = 0.0, power = 0.0;
  };
  static constexpr std::size_t most_known = 6;
  std::array<End, most_known> ends_{};       // of the last steps, the newest first
  int n_ends_ = 0;                           // that a polynomial may go through
  const MotionIntegrator* mover_ = nullptr;  // that the last step is of
  struct Known {
    double part, power;
  };
  static double integrate(std::span<const Known> known, double theta);
  std::vector<Known> known_;  // powers that tell the work within the last step; none: those of its ends
  struct Part {
    double from = 0.0, to = 0.0, work_before = 0.0;
    std::array<Known, 3> known{};
  };
  std::vector<Part> parts_;  // of the last step, if P has kinks within it
  bool may_work_ = true;     // something brings energy in or takes it out
  double largest_drift_ = 0.0;
  double uncertainty_ = 0.0, looked_at_ = 0.0;
  Eigen::VectorXd q_rate_;
};

}  // namespace trammel
