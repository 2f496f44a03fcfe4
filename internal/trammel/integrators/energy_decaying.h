// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/dae/augmented_term.h"
#include "trammel/dae/difference_jump.h"
#include "trammel/dae/jump_system.h"
#include "trammel/dae/projection.h"
#include "trammel/integrators/one_step.h"
#include "trammel/linalg/condition.h"

namespace trammel {

/// The energy-decaying scheme: linear in time, with a jump of the velocities at the start of each step
/// (docs/integrators/energy_decaying.md; of the family of [bauchau2009, reference 30]).
///
///   (1) z_f = z_0 + h/2 (v_j + v_f),   ζ_f = z_0 + h/4 (3v_j + v_f),   ζ_j = z_0 + h/4 (v_j − v_f)
///   (2) M (v_f − v_j) + 2h B(ζ_f)ᵀΛ_f = 0,   M (v_f + v_j − 2v_0) + 2h B(ζ_j)ᵀΛ_j = 0
///   (3) e(z_f) = 0,   B(ζ_f) v_f − B(ζ_j) v_j = 0
///   (4) E_f = E_0 − ½|v_j − v_0|²_M − ½|ε_j − e_0|²_C − dissipated + supplied            for every h
///
/// Second order in q and v; L-stable: a velocity across the constraints, or an oscillation that h does not resolve, is
/// gone after some steps, and the energy of a machine left alone never grows. For stiff and flexible machines, impacts
/// of velocities, large steps. It has twice the unknowns of generalized-α; where accuracy alone counts take Radau.
///
/// Newton: the matrix is renewed unless a few more corrections will do; steps are damped until the simplified
/// correction is smaller than the last (natural monotonicity). When it fails at the given step: continuation in h, then
/// the variant of first order ((2) with ζ at the middle, the same law (4)), then half the step.
///
/// Velocities across the constraints are O(h²) in v_f; newest() shows the ones projected on them, the scheme goes on
/// with its own (velocities()): fed back, the projection would lose eight times more energy. λ and v̇ belong to the
/// middle of a step and are extrapolated to its end.
///
/// Error control: h |v_j − v_0|/2, which is h³ v̈/12 + O(h⁴) in smooth motion, and what the Cayley map leaves of a
/// rotation,
///
///   (5) |Θ| − 2 atan(|Θ|/2) = |Θ|³/12 + O(Θ⁵),   Θ = h/2 (Ω_j + Ω_f)
///
/// for every body, below rtol |Θ|: the angle of a rotor falls behind by it in every step, and no velocity shows it.
///
/// Scaling: the unknowns hΛ are impulses and the constraints are those of velocities, so that the matrix
///
///   (6)  | M  M  Bᵀ 0  |  rows of motion × 1/s,  impulses × s/ℓ_r,  constraints × 1/ℓ_r,  s = m_r
///        | −M M  0  Bᵀ |
///        | B  B  …     |  does not depend on h but by O(h); stiffnesses stand beside it as compliances of stresses
///
/// has no other reference than a mass. Every unknown has its pivot in its own row (v_j in M, v_f in 2M, Λ_j in
/// −B M⁻¹Bᵀ), so that solvers without exchanges serve, with the augmented term (AugmentedTerm) where mass is missing.
class EnergyDecaying final : public MotionIntegrator, public LeavesResiduals {
 public:
  struct Scaling {
    bool is_physical = false;  ///< else s = 1 kg (of machines below a milligram near their largest mass), ℓ_r = 1 m
    std::optional<double> m_ave;  ///< absent: the mean diagonal of M
    double l_ref = 1.0, rho = 0.0;
  };
  EnergyDecaying(std::unique_ptr<const JumpSystem> jump, const SecondOrderDae& dae, const StepOptions& options,
                 LinearSolverChoice solver, const Scaling& scaling);

  Status start(const MotionVariables& at, State& state) override;
  StepReport advance(double t_end, State& state) override;
  void commit(State& state) override;
  Eigen::VectorXd calc_residuals() const override { return r_; }
  const MotionVariables& newest() const override { return ends_.to; }
  void interpolate(double t, MotionVariables& at) const override;
  const Layout& layout() const override { return jump_.layout(); }
  const LinearSolver<double>& linear_solver() const override { return *solver_; }
  double calc_condition() override;
  ScalingReport scaling() const override { return {mass_unit_, 0.0, 0.0, mass_unit_}; }
  const JumpLedger* ledger() const override { return &ledger_; }
  JacobianReport jacobians() const override;
  LeftBehind left_behind() const override;
  std::vector<double> save() override;
  void restore(std::span<const double> numbers) override;

  /// As the scheme has them at the newest point, components across the constraints included.
  Eigen::VectorXd velocities() const { return memory_.head(jump_.nv()); }
  /// The multipliers of the last step, λ at its middle.
  const Eigen::VectorXd& multipliers() const { return middle_.lam; }
  /// Newton's corrections in one attempt at a step.
  static int most_iterations(const StepOptions& options);
  /// Steps that needed continuation, and the variant of first order.
  long n_continued() const { return n_continued_; }
  long n_first_order() const { return n_first_order_; }

 private:
  class Iteration;
  StepReport attempt(double t_end, const State& state);
  double choose_step(double t_end) const;
  Status solve_step(double h, StepReport& report);
  Status continue_in_h(double h, double curvature, StepReport& report);
  Status iterate(double h, double rough_tol, StepReport& report);
  Status refresh(StepReport& report);
  OrderingHint make_hint() const;
  void find_mass_unit();
  void scale_matrix();
  Status solve(Vec x);
  void prepare(double h, double curvature);
  bool saturated();
  double largest(ConstVec x) const;
  double calc_norm(double h) const;
  double calc_tolerance(double h, double rough_tol) const;
  double error_norm(double h);
  double load_error_norm();
  template <class Use>
  void for_each_turn(double h, Use&& use) const;
  Status accept(double h, const State& state);
  Status project(const State& state);
  double input_time(double t) const;
  void forget_pivots();

  std::unique_ptr<const JumpSystem> own_jump_;
  const DifferenceJump* differences_;  // own_jump_ if its matrix is taken by differences
  const JumpSystem& jump_;
  const SecondOrderDae& dae_;
  StepOptions options_;
  StepControl control_;
  std::unique_ptr<LinearSolver<double>> solver_;
  std::unique_ptr<Workspace> jump_workspace_, workspace_;
  std::unique_ptr<Projection> projection_;
  StepEnds ends_;
  mutable bool has_q_rates_ = false;
  MotionVariables middle_;                 // λ and v̇ of the middle of the last step
  Eigen::VectorXd a_middle_, lam_middle_;  // the same one step before, at t_middle_
  double t_middle_ = 0.0;
  bool has_middle_ = false;
  Eigen::VectorXd memory_, next_memory_;
  Eigen::VectorXd y_, trial_, r_, delta_, next_delta_;
  Scaling scaling_;
  bool exchanges_rows_;
  std::vector<double> values_, plain_;  // as factored, and as linearized
  Pattern pattern_;                     // of the values; a copy, as conditions are asked for later
  Pattern plain_pattern_;
  std::unique_ptr<AugmentedTerm> augmented_;  // null: none
  std::vector<double> weight_, gains_;        // of the augmented term
  std::uint64_t version_ = 0;
  double mass_unit_ = 0.0;  // s [kg]; 0: not yet known
  JumpLedger ledger_;
  Eigen::VectorXd turned_, behind_;  // sums of |Θ| and of (5), at the first coordinate of each rotation [rad]
  InputBuffer inputs_;
  Eigen::VectorXd phi_dot_, bias_;
  Eigen::VectorXd q_first_, v_first_;  // where the run began, at t_first_
  double t_first_ = 0.0;
  bool began_ = false;
  std::vector<double> column_;           // factors of the unknowns
  std::vector<FieldSizes> corrections_;  // of the last attempt, in scaled unknowns
  bool pending_ = false;
  double h_next_ = 0.0, t_trial_ = 0.0;  // proposed; where the step under way ends
  long n_continued_ = 0, n_first_order_ = 0, n_residuals_ = 0, n_linearizations_ = 0;
};

}  // namespace trammel
