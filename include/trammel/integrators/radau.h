// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "trammel/dae/field_sizes.h"
#include "trammel/dae/weighted_norm.h"
#include "trammel/integrators/error_goal.h"
#include "trammel/integrators/jacobian_update.h"
#include "trammel/integrators/radau_blocks.h"
#include "trammel/integrators/step_control.h"
#include "trammel/nonlinear/convergence.h"

namespace trammel {

/// Settings of Radau IIA.
struct RadauOptions {
  Tolerances tolerances;
  int stages = 3;            ///< 1, 2 or 3; order 2 stages − 1
  std::optional<double> h0;  ///< first step [s]; absent: 10⁻³ of the time to the stop, and ‖h y′‖ ≤ ½
  double hmin = 0.0;         ///< [s]; never below 4ε max(|t|, |t_stop|)
  double hmax = std::numeric_limits<double>::infinity();

  std::optional<double> fixed_h;  ///< every step has this size, and there is no error test
  double newton_tol = 1e-12;      ///< fixed step: Newton's tolerance, relative to 1 + |y|
  ErrorGoal goal = ErrorGoal::step;
  /// Error-controlled: Newton's remainder against the tolerance; absent: min(0.03, √rtol), as RADAU5.
  std::optional<double> newton_constant;
  int max_iterations = 10;  ///< three times as many if the step is fixed and Newton stops by its tolerance
  NewtonStop newton_stop = NewtonStop::tolerance;  ///< the others are for fixed_h: they see no divergence
  bool records_corrections = false;                ///< sizes of every correction in the record of a step
  int max_attempts = 40;                           ///< per step
  JacobianUpdate jacobian_update = JacobianUpdate::partitioned;

  /// How many tolerances the estimate of a step may be: 1, or what the goal `motion` makes of them.
  double estimate_limit() const;
  /// Newton's, in one attempt at a step.
  int most_iterations() const;
  /// Everything wrong at once.
  std::vector<Issue> issues(const Layout& layout) const;
};

/// The record of one call of advance(). `status` not ok: no step was taken, the integrator stands where it stood.
struct RadauStep : StepReport {
  double t = 0.0;          ///< after the step
  bool restarted = false;  ///< began without a polynomial to extrapolate (start, breakpoint)
};

/// Sums over a run.
struct RadauCounters {
  long steps = 0, residuals = 0, linearizations = 0, factorizations = 0, solves = 0;
  long updates = 0;  ///< factorizations with planes at hand
  long error_failures = 0, convergence_failures = 0, restarts = 0;
};

/// Radau IIA for F(t, y, y′) = 0 [Hairer & Wanner II, IV.8], fully implicit:
///
///   (1) F(t_n + c_i h, Y_i, Y′_i) = 0,   Y_i = y_n + Z_i,   h Y′_i = Σ_j (A⁻¹)_ij Z_j            i = 1 … s
///   (2) y_{n+1} = Y_s,  y′_{n+1} = Y′_s                                             (stiffly accurate)
///   (3) simplified Newton on all stages by one real and one complex matrix          RadauBlocks
///   (4) error:  (F_y + γ/h F_y′) e = −F(t_n, y_n, P′(t_n)),   P the collocation polynomial
///
/// F(t_n, y_n, y′_n) = 0 holds at the end of the step before, so the right side of (4) is F_y′ (y′_n − P′(t_n)): for
/// y′ = f(y) and s = 3 it is the embedded formula of RADAU5, of order s. After a rejection, and in the first step, the
/// estimate is filtered once more by (F_y + γ/h F_y′)⁻¹ γ/h F_y′: a stiff component must not reject for ever.
///
/// Coordinates that constraints determine, motions of time above all, are exact at the ends of steps of any length and
/// show no error in (4). What lies between the ends is shown as well: the system says how much its interpolant misses
/// the constraints in the middle of the step (DaeSystem::calc_gap), and that, of order 6, is held within the tolerance
/// too.
///
/// Unknowns of higher index (velocities and multipliers of index3) enter the tests with a factor h^(index − 1);
/// multipliers are in Newton's test only. Step sizes by the predictive controller of Gustafsson. The order of y is
/// 2s − 1 for ODEs and index 1; on index 3 it is 3, 2, 1 in q, v, λ with two stages and 5, 3, 2 with three.
///
/// After the second accepted step nothing allocates (the linear solver aside, when pivots must be chosen anew).
class Radau {
 public:
  /// Throws InputError when the options cannot be used. System and scaling must outlive the method.
  Radau(const DaeSystem& system, RadauOptions options, LinearSolverChoice solver = LinearSolverKind::automatic,
        const RowColumnScaling* scaling = nullptr);

  /// Starts from consistent values.
  Status start(double t, ConstVec y, ConstVec yp, State& state);
  /// One accepted step that does not pass t_stop.
  RadauStep advance(double t_stop, State& state);
  /// The longest step of variable size from now on; +∞: as the error test allows.
  void bound_step(double h) { h_bound_ = h; }
  /// The next step is this one; null: it is chosen.
  void repeat(const RepeatedStep* step) { repeated_ = step; }
  /// Steps until t_end is reached, or a step fails. The last record is returned; every record goes to
  /// `on_step` if given.
  RadauStep integrate(double t_end, State& state, const std::function<void(const RadauStep&)>& on_step = {});

  /// The solution within the last step, on its collocation polynomial: order s in between, 2s − 1 at the end.
  void interpolate(double at, Vec y, Vec yp) const;
  /// Tells the system of the accepted point and moves charts, with the polynomial. Called by advance() at its
  /// beginning, so that dense output of a step sees its charts; callers that stop may call it.
  void commit(State& state);

  double t() const { return t_; }
  const Eigen::VectorXd& y() const { return y_; }
  const Eigen::VectorXd& yp() const { return yp_; }
  /// The beginning of the last step, in the same charts; t_from() = t(): there was none.
  double t_from() const { return t_from_; }
  const Eigen::VectorXd& y_from() const { return y_from_; }
  const Eigen::VectorXd& yp_from() const { return yp_from_; }
  double h() const { return h_; }  ///< of the next step
  const RadauTableau& tableau() const { return tableau_; }
  const RadauCounters& counters() const { return counters_; }
  RadauBlocks& blocks() { return blocks_; }
  const RadauBlocks& blocks() const { return blocks_; }
  const Eigen::MatrixXd& residuals() const { return F_; }  ///< of the last iteration, a column each stage
  const Workspace& workspace() const { return *workspace_; }

  /// Everything besides State that a continuation needs. Matrices are dropped, here and after restore, so that both
  /// continue with the same bits.
  std::vector<double> save();
  void restore(std::span<const double> numbers);

 private:
  // One attempt: radau.cpp.
  void calc_stage_inputs(bool ends_at_kink);
  void predict();
  void update_stages();
  Status correct(const State& state, RadauStep& step);
  Status correct_as_recorded(const State& state, RadauStep& step);
  Refresh choose_refresh(const State& state) const;
  class Iteration;
  Status iterate(const State& state, RadauStep& step);
  Status calc_corrections(const State& state);
  bool saturated();
  bool residuals_are_rounding(const State& state);
  Status refresh(const State& state, Refresh what, RadauStep& step, bool suspect = false);
  Status estimate_error(const State& state, bool filter_again, double& error);
  Status estimate_gap(const State& state, double& error);
  void accept(double breakpoint, RadauStep& step);
  void forget_matrices();
  Point stage_point(int i) const { return {t_ + tableau_.c(i) * h_, stage_inputs_[i].view(), Y_.col(i), Yp_.col(i)}; }

  // Step sizes and weights: radau_control.cpp.
  double first_step(double t_limit) const;
  double choose_next(const RadauStep& step);
  bool shrink(const Status& status, double smallest, RadauStep& step);
  void update_masks();
  void update_weights();
  double error_norm(ConstVec e) const;
  int find_worst_error() const;
  double corrector_norm(ConstVec x) const;
  void find_worst(RadauStep& step) const;

  const DaeSystem& system_;
  RadauOptions options_;
  RadauTableau tableau_;
  RadauBlocks blocks_;
  std::unique_ptr<Workspace> workspace_;
  WeightedNorm tolerance_;
  StepControl control_;
  InputBuffer inputs_, middle_inputs_;  // at t_n, and in the middle of the step
  std::array<InputBuffer, RadauTableau::max_stages> stage_inputs_;

  double t_ = 0.0, h_ = 0.0;
  double h_bound_ = std::numeric_limits<double>::infinity();
  const RepeatedStep* repeated_ = nullptr;
  bool moved_charts_ = false;  // since the last step
  double t_end_of_step_ = 0.0;
  bool restart_ = true;        // there is no polynomial of a step before
  bool inconsistent_ = false;  // and y, y′ must be made consistent
  bool pending_ = false;       // an accepted point has not been told to the system
  Eigen::VectorXd y_, yp_;

  // The last accepted step: its polynomial y_from + Σ ℓ_i(θ) Z_i.
  double t_from_ = 0.0, h_from_ = 0.0;
  Eigen::VectorXd y_from_, yp_from_;
  Eigen::MatrixXd Z_from_;

  // Predictive control and the reuse of matrices.
  double h_accepted_ = 0.0, error_accepted_ = 0.0;  // of the last accepted step; 0: none
  double rate_factor_ = 1.0;                        // ϱ/(1 − ϱ) of Newton, carried over
  double rate_ = 1.0;                               // ϱ of the last step
  double estimate_limit_ = 1.0;                     // of (4), in tolerances
  double newton_limit_ = 1.0;                       // converged when ϱ/(1 − ϱ)‖δ‖ is below
  double newton_shrink_ = 0.5;                      // proposed by a Newton iteration that would be too slow
  bool planes_are_new_ = false;                     // taken at t_n
  bool planes_follow_ = false;                      // the inputs, since Newton was slow with them
  std::uint64_t matrix_version_ = 0;
  RadauCounters counters_;

  int last_iterations_ = 0;              // of Newton in the accepted attempt
  std::vector<FieldSizes> corrections_;  // of the last attempt, in scaled unknowns
  Eigen::MatrixXd Z_, Y_, Yp_, F_, R_;
  Eigen::VectorXd e_, g_, rate_at_start_, noise_;
  Eigen::VectorXd weight_;  // tolerance of each unknown over h^(index − 1)
  std::vector<int> index_;
  std::vector<double> error_mask_, corrector_mask_;
  double error_mean_ = 0.0, corrector_mean_ = 0.0;
  Eigen::MatrixXd points_;
};

}  // namespace trammel
