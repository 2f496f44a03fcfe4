// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "trammel/dae/iteration_operator.h"
#include "trammel/integrators/bdf_history.h"
#include "trammel/integrators/bdf_options.h"
#include "trammel/integrators/stability_limit.h"
#include "trammel/integrators/step_control.h"

namespace trammel {

/// What a step needed beyond the ordinary, worst last.
enum class Rung : std::uint8_t {
  none,
  fresh_matrix,        ///< Newton failed with an old matrix and succeeded with a new one
  smaller_step,        ///< Newton failed with a new matrix
  restart,             ///< order 1 from consistent values
  modified_corrector,  ///< multipliers no longer in the corrector test
};
std::string_view describe(Rung rung);

/// The record of one call of advance(). `status` not ok: no step was taken, the integrator stands where it stood.
struct BdfStep : StepReport {
  double t = 0.0;  ///< after the step
  Rung rung = Rung::none;
  bool restarted = false;      ///< began at order 1 (start, breakpoint, ladder)
  bool order_lowered = false;  ///< by the detector of stability limits
};

/// Sums over a run.
struct BdfCounters {
  long steps = 0, residuals = 0, linearizations = 0, factorizations = 0;
  long error_failures = 0, convergence_failures = 0, restarts = 0, orders_lowered = 0;
  long updates = 0;  ///< matrices made of planes at hand: factorizations − linearizations
};

/// Backward differentiation formulas of variable order and step size with fixed leading coefficient, for F(t, y, y′) =
/// 0.
///
///   (1) F(t_{n+1}, y, y′ₚ + α (y − yₚ)) = 0                        corrector, solved by simplified Newton
///   (2) J δ = −F,  δ multiplied by c = 2/(1 + α/α_J)                when the matrix was made for α_J
///   (3) accepted if c_k ‖y − yₚ‖ ≤ 1
///
/// with the predictor and differences of BdfHistory. Control of order and step as in DASSL: order and step double in
/// the starting phase; later the order follows the smallest difference h^{j} y^{(j)}, and the step is doubled, kept or
/// reduced to 0.5…0.9. A corrector that fails with an old matrix gets a new one; then the step is quartered; then, if
/// allowed, integration restarts at order 1 from consistent values, and the corrector test leaves out the multipliers.
/// A step that did not converge is never accepted.
///
/// After the second accepted step nothing allocates (the linear solver aside, when pivots must be chosen anew).
class Bdf {
 public:
  /// Throws InputError when the options cannot be used. The system must outlive the method.
  Bdf(const DaeSystem& system, BdfOptions options, std::unique_ptr<IterationOperator> iteration_operator);
  /// With the assembled matrix.
  Bdf(const DaeSystem& system, BdfOptions options, LinearSolverChoice solver = LinearSolverKind::automatic);

  /// Starts from consistent values, at order 1.
  Status start(double t, ConstVec y, ConstVec yp, State& state);
  /// Starts with k + 1 known points (columns y_n, y_{n−1}, …) and order k.
  Status start(std::span<const double> times, const Eigen::Ref<const Eigen::MatrixXd>& points, State& state);

  /// One accepted step that does not pass t_stop.
  BdfStep advance(double t_stop, State& state);
  /// The longest step of variable size from now on; +∞: as the error test allows.
  void bound_step(double h) { h_bound_ = h; }
  /// The next step is this one; null: it is chosen.
  void repeat(const RepeatedStep* step) { repeated_ = step; }
  /// Steps until t_end is reached or a step fails. The last record is returned; every record goes to `on_step` if
  /// given.
  BdfStep integrate(double t_end, State& state, const std::function<void(const BdfStep&)>& on_step = {});

  /// The solution within the last step, t − h ≤ at ≤ t. Charts of `state` at that time: see commit.
  void interpolate(double at, Vec y, Vec yp) const { history_.interpolate(at, y, yp); }
  /// Tells the system of the accepted point and moves charts, with history. Called by advance() at its beginning, so
  /// that dense output of a step sees its charts; callers that stop may call it.
  void commit(State& state);

  double t() const { return t_; }
  const Eigen::VectorXd& y() const { return y_; }
  const Eigen::VectorXd& yp() const { return yp_; }
  int order() const { return k_; }  ///< of the next step
  double h() const { return h_; }   ///< of the next step
  const BdfCounters& counters() const { return counters_; }
  const BdfOptions& options() const { return options_; }
  const BdfHistory& history() const { return history_; }
  const Eigen::VectorXd& residuals() const { return F_; }  ///< of the last iteration
  IterationOperator& iteration_operator() { return *operator_; }
  const Workspace& workspace() const { return *workspace_; }
  Corrector corrector() const { return corrector_; }

  /// Everything besides State that a continuation needs. The matrix is dropped, here and after restore, so that both
  /// continue with the same bits.
  std::vector<double> save();
  void restore(std::span<const double> numbers);

 private:
  /// A correction of this many roundings of y cannot become smaller.
  static constexpr double rounding_margin = 100.0;
  struct Choice {  // of an order, with its error estimate at the present step
    int order = 1;
    double estimate = 0.0;
  };

  // One attempt: bdf.cpp, and its corrector: bdf_newton.cpp.
  void predict(const State& state);
  Status correct(const State& state, BdfStep& step);
  Status correct_as_recorded(const State& state, BdfStep& step);
  void settle();
  class Iteration;
  Status iterate(const State& state, BdfStep& step);
  Refresh cheapest_refresh(const State& state) const;
  Status retry(const State& state, BdfStep& step, Refresh refresh);
  Status refresh(const State& state, BdfStep& step, Refresh refresh = Refresh::linearize);
  double apply_correction();
  bool saturated();
  NewtonVerdict judge(int iteration, double norm);
  bool is_rounding(int iteration) const;
  void note_multipliers(bool rate_is_shown);
  double newton_limit() const;
  void accept(double breakpoint, BdfStep& step);
  Status find_not_finite(const Status& otherwise) const;
  int find_unresolvable() const;
  void find_worst(BdfStep& step) const;

  // Control of order and step size: bdf_control.cpp.
  double first_step(double t_limit) const;
  double step_behind_kink(double t_limit) const;
  double shortest_start(double t_limit) const;
  Choice keep_or_lower(const BdfHistory::Estimates& estimates) const;
  void choose_next(Choice choice, const BdfHistory::Estimates& estimates, BdfStep& step);
  void watch_stability(const BdfHistory::Estimates& estimates, Choice& choice, BdfStep& step);
  bool shrink(const Status& status, Choice choice, double smallest, BdfStep& step);
  bool climb_ladder(double t_limit, double smallest, State& state, BdfStep& step);
  bool relax_corrector(BdfStep& step);
  void begin_anew(double h);
  int order_limit() const { return std::min(options_.max_order, order_cap_); }

  // weights
  void update_masks();
  void update_means();
  void update_weights();
  double size_of(int i, double y) const;
  Point point() const { return {t_trial_, inputs_.view(), y_, yp_}; }

  const DaeSystem& system_;
  BdfOptions options_;
  std::unique_ptr<IterationOperator> operator_;
  std::unique_ptr<Workspace> workspace_;
  WeightedNorm tolerance_;
  StepControl control_;
  BdfHistory history_;
  StabilityLimit stability_;
  InputBuffer inputs_;

  double t_ = 0.0, t_trial_ = 0.0;
  double h_ = 0.0;
  double h_bound_ = std::numeric_limits<double>::infinity();
  const RepeatedStep* repeated_ = nullptr;
  bool moved_charts_ = false;  // since the last step
  int k_ = 1;
  bool start_phase_ = true;    // order and step double with every success
  bool restart_ = true;        // the next step begins from (y, y′) alone …
  bool inconsistent_ = false;  // … after they have been made consistent
  bool pending_ = false;       // an accepted point has not been told to the system
  int attempt_error_failures_ = 0, attempt_convergence_failures_ = 0;  // since the step or its last rung began
  int growth_pause_ = 0;                                               // steps before the size may grow again
  Corrector corrector_;
  int relaxed_steps_ = 0, relaxed_length_ = 0;  // until it is the chosen one again; of the last relaxation

  // Newton's matrix and what is known of its convergence.
  double alpha_matrix_ = 0.0, alpha_last_ = 0.0;
  double rate_factor_ = 0.0, first_norm_ = 0.0, predicted_norm_ = 0.0;
  struct Guarded {
    int unknown, power;   // of the states' index 1, or of 1 + power
    double factor = 0.0;  // of its first correction in a step
  };
  std::vector<Guarded> guarded_;         // multipliers: BdfOptions::guards_multipliers
  DaeSystem::Range forces_;              // those of them that are forces
  std::vector<int> derived_velocities_;  // those of index 2
  double multiplier_size_ = 0.0;         // the largest force, as far as it is believed
  std::uint64_t matrix_version_ = 0;
  int extra_iterations_ = 0;  // beyond the ordinary, with this matrix
  double t_matrix_ = 0.0;     // where it was made
  int planes_age_ = 0;        // accepted steps since its planes were taken
  bool was_slow_ = false;     // Newton failed or was too slow with these planes

  // The order after a stability limit was met: at most order_cap_ for cap_steps_ more steps.
  int order_cap_ = BdfHistory::max_order, cap_steps_ = 0, cap_length_ = 0;
  long free_steps_ = 0;  // since the last cap ended

  BdfCounters counters_;

  Eigen::VectorXd y_, yp_, e_, F_, x_;
  Eigen::VectorXd corrector_factor_;
  // Where the run began, and how far velocities have been from there: see BdfOptions::extent.
  bool began_ = false;
  double t_first_ = 0.0;
  Eigen::VectorXd y_first_, yp_first_, changed_;
  std::vector<double> error_mask_, corrector_mask_;
  double error_mean_ = 0.0, corrector_mean_ = 0.0;
  std::vector<FieldSizes> corrections_;
  Eigen::MatrixXd points_;
};

}  // namespace trammel
