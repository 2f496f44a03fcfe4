// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "trammel/dae/ode_system.h"
#include "trammel/dae/weighted_norm.h"
#include "trammel/integrators/chebyshev_stages.h"
#include "trammel/integrators/step_control.h"

namespace trammel {

struct RungeKuttaOptions {
  Tolerances tolerances;
  std::optional<int> order;       ///< 5 or 8; absent: 8 where rtol is below 1e-7 and steps are variable
  std::optional<double> h0;       ///< first step [s]; absent: from the first two derivatives
  std::optional<double> fixed_h;  ///< no error control
  /// Of order 5 with variable steps: where what decays fast holds the step, stages of Chebyshev's kind take over.
  bool stabilizes = false;
  double hmin = 0.0, hmax = std::numeric_limits<double>::infinity();
};

struct RungeKuttaCounters {
  long steps = 0, evaluations = 0, error_failures = 0, evaluation_failures = 0, projections = 0;
};

/// The explicit pairs of Dormand and Prince: of order 5(4) with its continuous extension of order 4, and for tight
/// tolerances of order 8(5,3) with one of order 7.
///
///   k_i = f(t + c_i h, y + h Σ_{j<i} a_ij k_j),   y₁ = y + h Σ b_i k_i,   error = h Σ (b_i − b̂_i) k_i
///
/// The last stage is the first of the next step: six evaluations per step, or twelve, and three more where the latter
/// is interpolated. Step sizes by a PI controller, err^(−0.7/p) err_before^(0.4/p), p the order. For non-stiff motion
/// only: with stiffness λ the step is held below 3.3/|λ|, which is noticed and said. After each accepted step y is
/// projected to its manifold, if it has one; then one more evaluation is needed. An instant where f jumps must be an
/// end of a step: stages there see the limit from the step's own side. After the first step nothing allocates.
///
/// With `stabilizes`, where h|σ| is that of the limit for what decays in 15 of 20 steps, or is near to it by the
/// largest |σ| that is found behind them, ChebyshevStages go on, of order 2 with a cubic as dense output, and the
/// system's sizes of y (OdeSystem::calc_sizes) count in tolerances. They give way again where 20 of their steps advance
/// less per evaluation than the limit would let the pair, and are then tried after four times as many steps.
class RungeKutta {
 public:
  RungeKutta(const OdeSystem& system, const RungeKuttaOptions& options);

  Status start(double t, ConstVec y, State& state);
  /// One step that does not pass t_end.
  StepReport advance(double t_end, State& state);
  /// The longest step of variable size from now on; +∞: as the error test allows.
  void bound_step(double h) { h_bound_ = h; }
  /// The next step is this one; null: it is chosen.
  void repeat(const RepeatedStep* step) { repeated_ = step; }
  /// Moves charts, branches and modes to the newest point.
  void commit(State& state);

  double t() const { return t_; }
  const Eigen::VectorXd& y() const { return y_; }
  const Eigen::VectorXd& yp() const { return yp_; }
  /// Within the last step.
  void interpolate(double t, Vec y) const;
  bool has_cubic_output() const { return dense_is_cubic_; }  ///< of the last step
  const RungeKuttaCounters& counters() const { return counters_; }
  Workspace& workspace() const { return *workspace_; }

  /// Everything besides State that a continuation needs. Scratch memory is made anew, here and after restore, so that
  /// both continue with the same bits.
  std::vector<double> save();
  void restore(std::span<const double> numbers);

 private:
  static constexpr int n_stages = 7, stages_of_8 = 13;
  Status evaluate(double t, ConstVec y, const State& state, Vec yp);
  double choose_first_step(const State& state);
  Status attempt(double h, double t_new, const State& state);
  double calc_error(double h) const;
  double weight(Eigen::Index i) const;          // tolerance of the step
  double weighted_error(Eigen::Index i) const;  // per step size
  int find_not_finite_rate() const;             // a row of y′ whose value is no number in the last attempt
  int find_worst_error() const;                 // the unknown with the largest error of the last attempt
  double calc_stiffness(double h) const;
  void note_stiffness(StepReport& report);
  void note_sizes();
  double error_order() const;  // p of error ∼ hᵖ

  // Stages of Chebyshev's kind: runge_kutta_stabilized.cpp.
  struct Stabilized {
    explicit Stabilized(Eigen::Index n) : stages(n), error(Eigen::VectorXd::Zero(n)) {}
    ChebyshevStages stages;
    Eigen::VectorXd error;  // of the last attempt, per step size
    double h_before = 0.0;  // accepted, with the cube root of its error; 0: none
    double error_before = 0.0;
    bool on = false;
    long age = 0;               // steps since the radius was looked for
    long wait = 0, waited = 0;  // steps of the pair before the next trial
    long steps = 0, held = 0;   // of a window, and those at the limit of stability
    long suspected = 0;         // or perhaps there
    double time = 0.0;          // that the window advanced
    long evaluations = 0;       // before it
    double t = 0.0, h = 0.0;    // of the last attempt
    int n_stages = 0;
  };
  bool is_stabilized() const { return stabilized_ && stabilized_->on; }
  Status attempt_stabilized(double h, double t_last, const State& state);
  double weighted_error_stabilized(Eigen::Index i) const;
  double growth_stabilized(double error);  // of the step, after an accepted one
  double bound_stabilized() const;         // of the step
  void judge_stabilized(StepReport& report);
  bool is_held();
  void save_stabilized(std::vector<double>& numbers) const;
  void restore_stabilized(std::span<const double> numbers);

  // Order 8: runge_kutta_8.cpp.
  Status attempt_8(double h, double t_last, const State& state);
  void calc_stage_8(int i, double h, const Eigen::VectorXd& from, Eigen::VectorXd& stage) const;
  double calc_error_8(double h) const;
  double weighted_error_8(Eigen::Index i) const;
  void update_dense_8() const;
  void interpolate_8(double theta, Vec y) const;

  const OdeSystem& system_;
  RungeKuttaOptions options_;
  StepControl control_;
  int order_;
  std::unique_ptr<Stabilized> stabilized_;
  WeightedNorm weights_;
  Eigen::VectorXd size_;  // what the system says of y; empty: nothing
  std::unique_ptr<Workspace> workspace_;
  double t_ = 0.0, h_next_ = 0.0, error_before_ = 1e-4;
  double h_bound_ = std::numeric_limits<double>::infinity();
  const RepeatedStep* repeated_ = nullptr;
  double t_from_ = 0.0, h_taken_ = 0.0;
  bool pending_ = false;      // the newest point is accepted, but the charts still belong to the one before
  bool stale_rates_ = false;  // yp_ belongs to the time before a possible jump
  int stiff_steps_ = 0;
  bool projected_ = false, dense_is_cubic_ = false;
  Eigen::VectorXd y_, yp_, y_from_, y_unprojected_, stage_, projection_;
  mutable std::vector<Eigen::VectorXd> k_;  // stages of the last step; of order 8 with those of its dense output
  mutable Eigen::VectorXd dense_, extra_;
  mutable std::vector<Eigen::VectorXd> dense_8_;
  mutable bool has_dense_ = false;
  const State* state_ = nullptr;  // of the last step: dense output of order 8 evaluates there
  mutable RungeKuttaCounters counters_;
};

}  // namespace trammel
