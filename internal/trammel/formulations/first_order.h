// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "trammel/dae/dae_system.h"
#include "trammel/dae/turning_axes.h"
#include "trammel/formulations/index3.h"
#include "trammel/formulations/kinds.h"
#include "trammel/mechanics/mechanical_system.h"

namespace trammel {

class JointSystem;

/// The equations of a machine as a first-order system F(t, y, y′) = 0 for BDF and Radau:
///
///   y = (q, v, z, λ [, μ]),   rows in the same order:
///   (1) J_r(θ) q̇ − v [+ W Gᵀμ] = 0                  kinematics, multiplied by J_r = T⁻¹: body form
///   (2) M v̇ + Gᵀλ − f = 0
///   (3) E ż − g = 0
///   (4) Φ = 0, Φ̇ = 0 or Φ̈ = 0 by the form;  A v + a = 0 for nonholonomic rows (its derivative in index1)
///   (5) Φ̇ = 0                                       stabilized forms; μ of a nonholonomic row is 0
///
/// W Gᵀμ of (1) pushes coordinates back to the constraints, and μ vanishes with the steps: in which metric is free. It
/// is that of lengths, W = 1 for positions and 1/length² for rotations (`length` ≈ size of the machine): with W = 1 the
/// matrix G Gᵀ of a machine of micrometres, whose levers are 1e-6 beside 1, would be singular beside rounding.
///
/// Columns of q are body increments δβ, δθ = T(θ) δβ at the current θ of every solve, so a moving chart does not age
/// the matrix. Neither does a common rotation, nor a wheel that spins: see TurningAxes. The planes: F_y without
/// ∂(Gᵀλ)/∂q and ∂(Gᵀμ)/∂q, F_y′, and those two apart. μ and ψ, χ start at 0 and are in no error test; index3 tests
/// positions only.
class FirstOrderForm : public DaeSystem {
 public:
  struct Options {
    ConstraintForm form = ConstraintForm::stabilized_index2;
    double baumgarte_alpha = 0.0, baumgarte_beta = 0.0;  ///< [1/s], index1 only
    double chart_threshold = 0.5;                        ///< [rad] re-centre a chart beyond this
    double length = 1.0;                                 ///< unit of (1) [m]
    TestSet error_set = TestSet::by_form, corrector_set = TestSet::by_form;
    std::vector<int> untested;  ///< coordinates that are in no test, with their velocities
    /// Rows (2), (3) solved for the rates, v̇ − φ(q, v, z, λ, u) and ż − g, by the articulated bodies of joint
    /// coordinates [arnold2004 (10)]: coordinates of one tree are all coupled, and F_y′ is constant where multipliers
    /// are no rates and Φ̈ is no row.
    bool explicit_formalism = false;
  };
  /// Throws InputError where the explicit formalism is wanted and cannot be had.
  FirstOrderForm(const MechanicalSystem& system, const Options& options);

  ConstraintForm form() const { return options_.form; }
  const MechanicalSystem& system() const { return system_; }
  bool stabilized() const { return options_.form.stabilized; }
  /// First index of v, z, λ, μ in y (and of their rows).
  int v0() const { return nv_; }
  int z0() const { return 2 * nv_; }
  int lam0() const { return 2 * nv_ + nz_; }
  int mu0() const { return 2 * nv_ + nz_ + nc_; }
  int nc() const { return nc_; }

  /// y, y′ from consistent variables of the motion, and back.
  void pack(const MotionVariables& x, Vec y, Vec yp) const;
  void unpack(double t, ConstVec y, ConstVec yp, MotionVariables& x) const;

  /// The motion at t between two points of a step of order > 3, in the same charts: q, v and z of
  ///
  ///   q(t) the quintic with q, q̇ = T v and q̈ of both ends, errors h⁶ q⁽⁶⁾/46080;   v = T⁻¹ q̇(t), errors of h⁵
  ///   z(t) the quintic with z and ż of both ends, and ż = g on its cubic at ¼ and ¾ of the step; errors of h⁵
  ///
  /// x comes with v̇, λ and algebraic z of the method's own polynomial at t, which `polynomial` gives at any instant of
  /// the step: laws and states may depend on reactions, and g is worth no more than they are.
  using Polynomial = std::function<void(double t, MotionVariables& x)>;
  virtual Status interpolate(const Point& from, const Point& to, double t, const Polynomial& polynomial,
                             const State& state, MotionVariables& x, Workspace& workspace) const;

  // ---- DaeSystem -------------------------------------------------------------------------------------------------
  const Layout& layout() const override { return layout_; }
  std::unique_ptr<Workspace> make_workspace() const override;
  void calc_inputs(double t, InputBuffer& inputs) const override { system_.calc_inputs(t, inputs); }
  double next_breakpoint(double t) const override { return system_.next_breakpoint(t); }
  Status residual(const Point& p, const State& state, Vec F, Workspace& workspace) const override;
  Pattern make_pattern(const State& state) const override;
  /// Stabilized forms: λ acts on v and is found from Φ̇ = 0, μ acts on q and is found from Φ = 0.
  std::vector<int> pivot_rows() const override;
  /// v from (1).
  std::vector<int> own_rows() const override;
  std::vector<PlaneRole> plane_roles() const override { return {PlaneRole::y, PlaneRole::yp, PlaneRole::y}; }
  /// F_y′ = (1, M, E, 0): of forms whose multipliers have no rates.
  bool has_exact_rates() const override;
  bool has_constant_rates() const override { return tree_ != nullptr || system_.has_constant_mass(); }
  Status update_rates(const Point& p, const State& state, Planes& planes, Workspace& workspace) const override;
  /// Stabilized index 2: the columns of μ are the rows of Φ_q, transposed.
  std::vector<char> derived_columns() const override;
  void derive_columns(Planes& planes) const override;
  Status linearize(const Point& p, const State& state, Planes& planes, Workspace& workspace) const override;
  void to_matrix_rows(const Point& p, const State& state, Vec F, Workspace& workspace) const override;
  void from_matrix_columns(const Point& p, const State& state, Vec delta, Workspace& workspace) const override;
  void tested(Purpose purpose, std::span<double> mask, const Workspace& workspace) const override;
  void calc_indices(std::span<int> index) const override;
  /// λ where it is an unknown: μ is a velocity, and of stabilized index 1 the unknown is ∫λ.
  Range forces() const override { return options_.form.rates ? Range{} : Range{lam0(), nc_}; }
  void accepted(const Point& p, State& state, Workspace& workspace) const override;
  Status make_consistent(double t, State& state, Vec y, Vec yp, Workspace& workspace) const override;
  /// The largest |Φ| of interpolate().
  Status calc_gap(const Point& from, const Point& to, double t, const Inputs& in, const State& state, double& gap,
                  Workspace& workspace) const override;
  std::span<const int> chart_unknowns() const override { return chart_unknowns_; }
  bool wants_rebase(ConstVec y, const State& state) const override;
  void rebase(Eigen::Ref<Eigen::MatrixXd> points, State& state, Workspace& workspace) const override;
  void rebase_rates(ConstVec y, ConstVec y_moved, Vec yp) const override;

 private:
  struct Scratch;
  bool has_derived_columns() const { return stabilized() && !options_.form.rates; }
  MotionPoint motion_point(const Point& p, Scratch& scratch) const;
  void turn(const Point& p, const State& state, TurningAxes::To to, Vec x, Scratch& scratch) const;
  void build_slots(const MotionPlanes& m, const Pattern& pattern, Scratch& scratch) const;
  // Between the ends of a step: first_order_dense.cpp.
  void interpolate_positions(const Point& from, const Point& to, double theta, Vec q, Vec v, Scratch& scratch) const;
  Status calc_state_rates(const Point& from, const Point& to, double theta, const Polynomial& polynomial,
                          const State& state, MotionVariables& x, Vec rates, Scratch& scratch) const;
  Status find_fast_states(const Point& from, const Point& to, const State& state, ConstVec rates, MotionVariables& x,
                          Scratch& scratch) const;
  // The explicit formalism: first_order_explicit.cpp.
  void choose_formalism();
  Pattern spread_over_trees(const Pattern& pattern) const;
  Status calc_explicit_rows(const MotionPoint& m, const State& state, Vec F, Scratch& scratch) const;
  Status solve_for_rates(Planes& planes, Scratch& scratch) const;

  const MechanicalSystem& system_;
  Index3 index3_;
  Options options_;
  int nv_, nz_, nc_;
  Layout layout_;
  std::vector<int> chart_unknowns_;
  Eigen::VectorXd metric_;                          // W
  const JointSystem* tree_ = nullptr;               // system_, in the explicit formalism
  std::vector<std::vector<int>> tree_coordinates_;  // coordinates that M couples, of each tree
};

}  // namespace trammel
