// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "trammel/dae/second_order_dae.h"
#include "trammel/linalg/linear_solver.h"

namespace trammel {

/// How the variables of a one-step formula follow the unknowns x = (q, z, λ) at the end of the step. Where the rows of
/// motion and of differential states are taken: δv̇ = a δq, δv = v δq, δq = q δq, δż = zp δz, δz = z δz. Constraints and
/// algebraic states belong to the end of the step, where δv = v_end δq; for methods with all rows at the end v_end = v.
struct MotionCoefficients {
  double a = 0.0, v = 0.0, zp = 0.0, v_end = 0.0;
  double q = 1.0, z = 1.0;

  friend bool operator==(const MotionCoefficients&, const MotionCoefficients&) = default;
};

/// Row and column factors of the iteration, and the weight of the augmented Lagrangian term. The one place where h, s
/// and λ̂ enter: residuals and stored multipliers are physical.
struct ScalingFactors {
  double motion = 1.0;                        ///< rows M v̇ + Gᵀλ − f
  double holonomic = 1.0;                     ///< rows Φ
  double nonholonomic = 1.0;                  ///< rows A v + a
  double multiplier = 1.0;                    ///< λ = multiplier · λ̂
  double penalty = 0.0;                       ///< motion rows += penalty · Gᵀ (holonomic rows), in r and in J
  double s = 0.0, m = 0.0, d = 0.0, k = 0.0;  ///< s and its references [bauchau2009 (6)], for reports
};

/// Chooses the factors for a step size from the linearization.
class MotionScaling {
 public:
  virtual ~MotionScaling() = default;
  virtual ScalingFactors calc(double h, const MotionCoefficients& c, const MotionPlanes& planes) const = 0;
  virtual bool has_penalty() const { return false; }  ///< decides the pattern, before any h is known
};

/// Solves the linear systems of Newton's iteration for one-step methods:
///
///   | a M + v D + q(K + K_λ)    z f_z            Gᵀ + f_λ |  | δq |       | r_motion     |
///   | q g_q + v g_v             zp E + z g_z     g_λ      |  | δz |  =  − | r_state      |
///   | Φ_q or v_end A + (A v)_q  0                0        |  | δλ |       | r_constraint |
///
/// with the coefficients q, v, z, … of MotionCoefficients. A method like the midpoint rule takes motion at one point
/// and constraints (and algebraic states, with 1 and v_end in place of q, z and v) at another, the end of the step.
/// setup: linearize (dear), combine and scale (cheap), factor. solve: unscaled in, unscaled out. The augmented term is
/// a left multiplication: pivots and conditioning change, the Newton iterates do not.
class MotionOperator {
 public:
  enum class Refresh {
    /// New coefficients or step size with the planes of the last linearization, and M of the present point where it is
    /// not constant [arnold2004 (25)].
    combine,
    linearize,  ///< new planes at the given point
  };

  MotionOperator(const SecondOrderDae& dae, LinearSolverChoice solver, const MotionScaling& scaling);

  Status setup(const MotionPoint& p, const State& state, const MotionCoefficients& coefficients, double h,
               Refresh refresh, Workspace& workspace);
  /// With the rows of constraints and algebraic states at `end`.
  Status setup(const MotionPoint& p, const MotionPoint& end, const State& state, const MotionCoefficients& coefficients,
               double h, Refresh refresh, Workspace& workspace);
  /// Overwrites x = (motion, state, constraint) with −J⁻¹ x = (δq, δz, δλ), both in the axes of the matrix.
  Status solve(Vec x);

  /// From the next linearization on: the matrix turns with the bodies, or stays in world axes as it does at first.
  void set_turning(bool turns) { will_turn_ = turns; }
  /// The axes of q from now on, see TurningAxes. Where the matrix does not turn all are the same.
  void update_axes(ConstVec q, const State& state);
  void to_matrix(Vec x) const { turn(TurningAxes::To::matrix, x); }  ///< of (motion, state, constraint)
  void to_here(Vec x) const { turn(TurningAxes::To::here, x); }      ///< of (δq, δz, δλ)

  /// From the next linearization on the planes of `combine` follow the inputs: see PlaneSource.
  void follow_inputs() { follows_inputs_ = true; }
  long input_derivatives() const { return n_input_derivatives_; }  ///< linearizations that this took

  bool ready() const { return ready_; }
  /// Forgets matrix and pivots: what follows depends on nothing before.
  void invalidate() { ready_ = keeps_pivots_ = false; }
  const MotionCoefficients& coefficients() const { return coefficients_; }
  const ScalingFactors& scaling() const { return factors_; }
  const MotionPlanes& planes() const { return planes_; }
  const LinearSolver<double>& linear_solver() const { return *solver_; }
  /// The scaled iteration matrix as factored, for condition numbers and tests.
  const Pattern& pattern() const { return pattern_; }
  std::span<const double> matrix() const { return values_; }
  /// What solvers without row exchanges are told about its unknowns.
  OrderingHint make_hint() const;
  /// Condition number of that matrix: singular values for small systems, else an estimate of κ₁.
  double condition();
  long linearizations() const { return linearizations_; }

 private:
  struct Map {
    std::vector<int> slot;  // slot of J for each slot of the plane
  };
  void turn(TurningAxes::To to, Vec x) const;
  Status linearize(const MotionPoint& p, const MotionPoint* end, const State& state, Workspace& workspace);
  Status take_planes(const MotionPoint& p, const MotionPoint* end, const State& state, Workspace& workspace);
  Status factor(const MotionCoefficients& coefficients, double h);
  void take_rows_of_end();
  void rebuild();
  void combine(double h);
  Status renew(const MotionPoint& p, const State& state, Workspace& workspace);
  std::vector<std::vector<double>*> all_planes();
  Status take_input_derivatives(const MotionPoint& p, const MotionPoint* end, const State& state, Workspace& workspace);
  void follow(const Inputs& in);
  double penalty(int r) const;
  void apply_penalty();

  const SecondOrderDae& dae_;
  const MotionScaling& scaling_;
  std::unique_ptr<LinearSolver<double>> solver_;
  MotionPlanes planes_, end_planes_;
  std::vector<double> G_chart_, G_scratch_;      // Φ_q where constraints are imposed
  const std::vector<double>* G_rows_ = nullptr;  // G there, acting on velocities
  std::uint64_t version_ = 0;
  Pattern pattern_;
  std::vector<double> values_, row_, column_;
  Map motion_, constraint_, constraint_transposed_, reaction_, state_force_, state_rate_, state_state_, state_lam_;
  std::vector<int> E_slot_;
  // The augmented term: G by rows, and for each row the J slots of all pairs of its columns.
  std::vector<int> row_start_, row_column_, row_slot_, pair_start_, pair_slot_;
  std::vector<double> constraint_values_;
  MotionCoefficients coefficients_;
  ScalingFactors factors_;
  bool ready_ = false, keeps_pivots_ = false;
  TurningAxes axes_;
  bool will_turn_ = false, turns_ = false;
  long linearizations_ = 0;
  MotionPlanes mass_planes_;  // scratch of renew
  // ∂(planes)/∂w_i of every input but time, entries that are not zero; the planes and inputs where they were taken.
  struct InputDerivative {
    std::size_t input;
    int plane;
    std::vector<int> slot;
    std::vector<double> value;
  };
  bool follows_inputs_ = false, has_input_derivatives_ = false;
  long n_input_derivatives_ = 0;
  std::vector<InputDerivative> input_derivatives_;
  std::vector<std::vector<double>> taken_planes_;
  std::vector<double> taken_inputs_;
};

}  // namespace trammel
