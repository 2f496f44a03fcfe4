// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "trammel/dae/difference_system.h"
#include "trammel/formulations/first_order.h"
#include "trammel/linalg/tall_lu.h"

namespace trammel {

/// Coordinates split into independent ones x = Xᵀq and dependent ones Yᵀq [yen1996 (2.1)–(2.3)]:
///
///   (1)  P = Xᵀ − QᵀYᵀ,   Q = (GY)⁻¹GX,   so that P Gᵀ = 0
///   (2)  s = −(GY)⁻ᵀYᵀr:  r + Gᵀs is zero in the rows of Y, and P r in those of X
///   (3)  ∂(P r)/∂q = P (∂r/∂q + ∂(Gᵀs)/∂q)  at constant s                                             (2.9)
///
/// Y are the pivot rows of an elimination of Gᵀ with row exchanges. Q is never formed: it is full even for a chain. The
/// rows of P are not orthonormal: P Pᵀ = I + QᵀQ.
class CoordinateSplit {
 public:
  /// Gᵀ on its pattern (n × rows of G); `rows`: the rows of G that take part; `independent`: coordinates that must not
  /// be dependent.
  void analyze(const Pattern& Gt, std::vector<int> rows, std::span<const int> independent);
  /// Takes new pivots. singular_matrix: `row` is the row of G that has none.
  Status choose(std::span<const double> Gt);
  /// Keeps X and Y.
  Status update(std::span<const double> Gt) { return lu_.refactor(Gt); }
  bool ready() const { return lu_.ready(); }

  bool is_independent(int coordinate) const { return !lu_.is_pivot(coordinate); }
  /// ‖Q‖₂ when the split was chosen.
  double condition() const { return condition_; }
  /// True when entries of Q have grown so much since the choice that another one is due.
  bool outgrown() const { return lu_.growth() > growth_limit * (1.0 + chosen_growth_); }
  long choices() const { return choices_; }
  long changes() const { return changes_; }

  /// r ← r + Gᵀs with s of (2): P r in rows of X, 0 in rows of Y.
  void project(Vec r, Vec s) const;
  const TallLu& lu() const { return lu_; }

  /// u with P u = a and G u = b [yen1996 (2.19)], by (2.20)–(2.22); a has one entry per coordinate of which those of Y
  /// are not read, b one per row of G. Dense in the independent coordinates.
  Eigen::VectorXd solve_tangent(ConstVec a, ConstVec b, std::span<const double> Gt) const;

 private:
  static constexpr double growth_limit = 100.0;

  Pattern Gt_;
  TallLu lu_;
  std::vector<int> rows_;
  std::vector<char> chosen_;  // independent ones of the last choice
  double condition_ = 0.0, chosen_growth_ = 0.0;
  long choices_ = 0, changes_ = 0;
};

/// The index-1 form of [yen1996 (1.4)] without multipliers in its iteration, and GGL*:
///
///   (4)  P(J_r q̇ − v) = 0,   P(M v̇ − f) = 0,   E ż − g = 0,   Φ̇ = 0,   Φ = 0
///   (5)  Yᵀ(J_r q̇ − v + Gᵀμ) = 0,   Yᵀ(M v̇ + Gᵀλ − f) = 0                     λ and μ follow: they are in no test
///
/// y = (q, v, z, λ, μ) and the rows are those of the stabilized index-2 form; in rows of X stands (4), in rows of Y (5)
/// multiplied by (GY)⁻ᵀ: λ − s₂ and μ − s₁. Both are left multiplications of that form, so its matrix serves: with
/// λ = s₂, μ = s₁ the Newton system of (4), (2.14), is
///
///   (6)  J_GGL (δq, δv, δz, δs) = −(P r in rows of X, 0 in rows of Y, …),       λ = s₂ + δs₂, μ = s₁ + δs₁
///
/// because multiplying by P removes Gᵀδs and leaves (3). Nothing is formed but sparse matrices, and charts, turning
/// bodies and scaling are those of the stabilized form. Algorithm 2.1 of the paper is not used: it has another fixed
/// point unless J₁ maps range(Gᵀ) into itself.
///
/// Iterations:
///   cs        Newton: P at the current iterate, J with ∂(Gᵀs)/∂q
///   cm        J without ∂(Gᵀs)/∂q, which is large and rough beside the smooth motion of stiff systems; by `cm_mode`
///             frozen_step      P at the prediction of each step: consistent, and G is factored once per step
///             matrix_only      P at the current iterate
///             frozen_jacobian  P where the matrix was made, as printed: *not* consistent; its error does not vanish
///                              with the tolerance
///   ggl_star  the stabilized index-2 equations, multipliers predicted by (2) and left out of the corrector test
///
/// The split is chosen anew with every linearization. Rows A v + a = 0 act on velocities alone: P of the kinematic rows
/// annihilates the holonomic rows of G only, that of the motion all of them. Forces may depend on λ: Newton then solves
/// for both.
class CoordinateSplitForm final : public FirstOrderForm {
 public:
  using Iteration = SplitIteration;
  using CmMode = trammel::CmMode;
  struct Options {
    FirstOrderForm::Options form;  ///< by_form: error Xᵀq, Xᵀv (ggl_star: q, v), corrector q, v
    Iteration iteration = Iteration::cm;
    CmMode cm_mode = CmMode::frozen_step;
    std::vector<int> independent;                  ///< coordinates that must be independent
    std::optional<DifferenceOptions> differences;  ///< how J is taken; absent: exact
  };
  CoordinateSplitForm(const MechanicalSystem& system, const Options& options);

  /// Throws InputError when the forced coordinates cannot be independent at this point, with the condition of GY.
  void check_forced(const MotionVariables& at, const State& state) const;

  /// The split of the motion rows and that of the kinematic rows, the same without nonholonomic rows.
  const CoordinateSplit& motion_split(const Workspace& workspace) const;
  const CoordinateSplit& kinematic_split(const Workspace& workspace) const;

  /// Of derivatives by differences; null: they are exact.
  const DifferenceCounters* difference_counters(const Workspace& workspace) const;

  Status interpolate(const Point& from, const Point& to, double t, const Polynomial& polynomial, const State& state,
                     MotionVariables& x, Workspace& workspace) const override;

  // ---- DaeSystem -------------------------------------------------------------------------------------------------
  std::unique_ptr<Workspace> make_workspace() const override;
  /// None: kinematic rows of dependent coordinates give way to those of μ.
  std::vector<int> own_rows() const override { return {}; }
  Status residual(const Point& p, const State& state, Vec F, Workspace& workspace) const override;
  Status linearize(const Point& p, const State& state, Planes& planes, Workspace& workspace) const override;
  Pattern make_pattern(const State& state) const override;
  bool estimates_pattern() const override { return differences_ && differences_->estimates_pattern(); }
  void select_stage(int stage, Workspace& workspace) const override;
  bool has_exact_rates() const override { return false; }  // P M follows the split
  std::vector<char> derived_columns() const override { return {}; }
  void to_matrix_rows(const Point& p, const State& state, Vec F, Workspace& workspace) const override;
  void from_matrix_columns(const Point& p, const State& state, Vec delta, Workspace& workspace) const override;
  bool matrix_outdated(const Point& p, const State& state, const Workspace& workspace) const override;
  bool predicted(double t, const State& state, Vec y, ConstVec yp, Workspace& workspace) const override;
  bool corrected(Vec y, Workspace& workspace) const override;
  void tested(Purpose purpose, std::span<double> mask, const Workspace& workspace) const override;
  void accepted(const Point& p, State& state, Workspace& workspace) const override;
  Status make_consistent(double t, State& state, Vec y, Vec yp, Workspace& workspace) const override;
  Status calc_gap(const Point& from, const Point& to, double t, const Inputs& in, const State& state, double& gap,
                  Workspace& workspace) const override;

 private:
  struct Scratch;
  static FirstOrderForm::Options base_options(const Options& options);
  bool splits() const { return options_.iteration != Iteration::ggl_star; }
  bool follows() const;
  MotionPoint motion_point(const Point& p) const;
  Status evaluate_G(const Point& p, const State& state, Scratch& s) const;
  Status choose(const Point& p, const State& state, Scratch& s) const;
  Status update(const Point& p, const State& state, Scratch& s) const;
  Status bare_residual(const Point& p, const State& state, Vec F, Scratch& s) const;
  void project(Vec F, Scratch& s) const;
  Status linearize_form(const Point& p, const State& state, Planes& planes, Scratch& s) const;

  Options options_;
  std::unique_ptr<FirstOrderForm> plain_;          // the stabilized form, for
  std::unique_ptr<DifferenceSystem> differences_;  // its J by differences; null: exact
  bool nonholonomic_ = false;
};

}  // namespace trammel
