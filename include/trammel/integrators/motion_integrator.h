// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include <limits>
#include <span>
#include <string_view>

#include "trammel/dae/field_sizes.h"
#include "trammel/dae/jump_system.h"
#include "trammel/dae/motion_operator.h"
#include "trammel/integrators/repeated_step.h"

namespace trammel {

/// What one call of advance() did. `status` not ok: no step was taken and the variables are those before the call.
struct StepReport {
  Status status;
  double h = 0.0;               ///< of the accepted step
  int order = 0;                ///< of the formula
  int iterations = 0;           ///< Newton iterations, rejected attempts included
  int accepted_iterations = 0;  ///< those of the last attempt, with the matrix that it ended with
  int linearizations = 0;
  int factorizations = 0;
  int rejected_error = 0;       ///< attempts rejected by the error test
  int rejected_newton = 0;      ///< attempts rejected because Newton did not converge
  double error = 0.0;           ///< weighted local error of the accepted step (≤ 1), error-controlled runs
  double stiffness = 0.0;       ///< of explicit methods: h|σ| of the fastest motion that the step has met
  int stages = 0;               ///< of explicit methods that choose how many; 0: as many as the order has
  bool moved_charts = false;    ///< before the step, of methods that choose when
  Cause failure = Cause::none;  ///< why the last rejected attempt was rejected
  std::string_view remedy;      ///< what helped beyond a smaller step, or what was changed for the sake of stability
  /// Sizes of Newton's corrections, if recorded; valid until the next call of advance().
  std::span<const FieldSizes> corrections;
  // For the diagnosis of a failure: the last Newton iteration of the last attempt.
  double attempted_h = 0.0;
  int worst_row = -1;           ///< row of the largest scaled residual
  double worst_residual = 0.0;  ///< its value, physical units
  int worst_unknown = -1;       ///< unknown with the largest weighted correction
  double worst_correction = 0.0;
  double worst_limit = 0.0;
};

/// The motion between the two ends of the last accepted step.
struct StepEnds {
  MotionVariables from, to;                        ///< both in the charts of `from`
  mutable Eigen::VectorXd q_rate_from, q_rate_to;  ///< a cache: made when the step is looked into

  /// Dense output: cubic Hermite in q, v and z (from values and rates), linear in v̇, ż and λ.
  void interpolate(double t, MotionVariables& at) const;
};

/// Where forces of the last step are known, so that their power becomes work.
struct PowerRule {
  std::span<const double> points, weights;  ///< of quadrature, as parts of the step; none: the ends of steps alone
  int ends = 2;  ///< of steps, the newest first: a polynomial through what is known there is as good as the motion

  static PowerRule gauss();  ///< with three points, of order 6
};

/// A method that moves a machine step by step, as a simulation sees it.
class MotionIntegrator {
 public:
  virtual ~MotionIntegrator() = default;

  /// Starts from consistent variables.
  virtual Status start(const MotionVariables& at, State& state) = 0;
  /// The same at an instant before which there was another motion: a contact begins or ends.
  virtual Status restart(const MotionVariables& at, State& state) { return start(at, state); }
  /// The same where somebody else has moved the machine before: points of that smooth motion, newest first and equally
  /// far apart, all in the charts of `state`. A multistep method makes its history of them.
  virtual Status take_over(std::span<const MotionVariables> points, State& state) { return start(points[0], state); }
  /// Takes one step that does not pass t_end. On return newest() and interpolate() are in the charts of `state`, which
  /// are moved to the new rotations at the beginning of the next call.
  virtual StepReport advance(double t_end, State& state) = 0;
  /// Steps of variable size are at most h long from now on, whatever the error test would allow: inputs do something
  /// ahead that no step has met yet (math/step_bounds.h).
  void bound_step(double h) { h_bound_ = h; }
  /// The next step is this one, which must stay until it is taken; null: the method chooses.
  void repeat(const RepeatedStep* step) { repeated_ = step; }
  /// Moves charts, branches and modes to the newest point: called by advance(), and by callers that stop.
  virtual void commit(State& state) = 0;

  virtual const MotionVariables& newest() const = 0;
  /// Dense output within the last step.
  virtual void interpolate(double t, MotionVariables& at) const = 0;
  /// The same for q, v and z alone; the rest of `at` is left in whatever state it is.
  virtual void interpolate_motion(double t, MotionVariables& at) const { interpolate(t, at); }

  /// Where work is summed, and the motion there. Methods that solve M v̇ + Gᵀλ = f within a step, or at its end alone,
  /// say so: forces balance momentum there, however much a stiff one makes of what dense output misses elsewhere.
  virtual PowerRule power_rule() const { return PowerRule::gauss(); }
  virtual void interpolate_balance(double t, MotionVariables& at) const { interpolate(t, at); }
  /// The same for q, v and z alone, as interpolate_motion: accelerations and multipliers are not sought.
  virtual void interpolate_balanced_motion(double t, MotionVariables& at) const { interpolate_balance(t, at); }

  // ---- for reports -----------------------------------------------------------------------------------------------
  virtual const Layout& layout() const = 0;  ///< names of the rows and unknowns in StepReport
  virtual const LinearSolver<double>& linear_solver() const = 0;
  /// What a report calls the linear solver; "none" where no step solves a linear system.
  virtual std::string_view solver_name() const { return linear_solver().name(); }
  /// Of the scaled iteration matrix as last factored: singular values for small systems, else an estimate.
  virtual double calc_condition() = 0;
  /// The largest row sums of |(h Ĵ)⁻¹| by kind of unknown, Ĵ the same matrix [bottasso2007 (6), (9)]; zeros where a
  /// method does not offer them.
  virtual FieldSizes calc_inverse_bounds() { return {}; }
  /// The smallest pivot, its unknown one of layout().
  virtual Pivot smallest_pivot() const { return linear_solver().smallest_pivot(); }
  /// The references of physical scaling at the last linearization, and s; all zero without it.
  struct ScalingReport {
    double m = 0.0, d = 0.0, k = 0.0, s = 0.0;
  };
  virtual ScalingReport scaling() const { return {}; }
  /// How coordinates are split into independent and dependent ones; n_independent < 0: they are not.
  struct SplitReport {
    int n_independent = -1;
    double condition = 0.0;  ///< ‖(GY)⁻¹GX‖₂ when the split was chosen last: how much dependent coordinates amplify
    long choices = 0;        ///< how often a split was chosen
    long changes = 0;        ///< how often it was another one than before
  };
  virtual SplitReport split() const { return {}; }
  /// The balance of energy of the last step, of methods that keep one; null: none.
  virtual const JumpLedger* ledger() const { return nullptr; }
  /// A coordinate that fixed steps left behind by a part of its way that is worth an alarm; unknown < 0: none.
  struct LeftBehind {
    int unknown = -1;
    double part = 0.0, limit = 0.0;
    std::string text;  ///< how far, and why
  };
  virtual LeftBehind left_behind() const { return {}; }

  /// How Jacobians were obtained, of methods that count it [arnold2004 section 4].
  struct JacobianReport {
    long function_calls = 0;     ///< residuals, those of difference Jacobians included
    long corrector_calls = 0;    ///< residuals without those
    long jacobians = 0;          ///< linearizations, exact or by differences
    long updates = 0;            ///< matrices made of derivatives at hand
    long pattern_updates = 0;    ///< estimated patterns that were enlarged
    long input_derivatives = 0;  ///< Jacobians that the extended update took once for its derivatives
    int groups = 0;              ///< of columns; 0: not grouped
    long handed_over = 0;        ///< matrices that did not suit the linear solver that was named
  };
  virtual JacobianReport jacobians() const { return {}; }

  /// Everything besides State that a continuation needs, as numbers. The iteration matrix is not among them: it is
  /// dropped, here and after restore, so that both continue with the same bits.
  virtual std::vector<double> save() = 0;
  virtual void restore(std::span<const double> numbers) = 0;

 protected:
  double h_bound_ = std::numeric_limits<double>::infinity();
  const RepeatedStep* repeated_ = nullptr;
};

}  // namespace trammel
