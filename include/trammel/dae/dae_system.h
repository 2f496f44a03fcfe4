// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "trammel/dae/planes.h"
#include "trammel/dae/types.h"

namespace trammel {

/// Everything F is a function of.
struct Point {
  double t;
  Inputs in;
  Eigen::Ref<const Eigen::VectorXd> y, yp;
};

/// Which test a set of unknowns is for.
enum class Purpose : std::uint8_t {
  error,      ///< the local error of a step, and the choice of order
  corrector,  ///< Newton's corrections (classical corrector; the modified one uses the error set)
};

/// Any system F(t, y, y′) = 0, as a multistep method sees it. Const: charts and modes live in State, scratch in
/// Workspace.
///
/// F never contains the step size, a scaling or scaled multipliers: those are row and column factors that the iteration
/// operator applies. The minimum is layout() and residual(); Jacobians are then taken by grouped differences on a dense
/// pattern. Hooks are empty by default.
class DaeSystem {
 public:
  virtual ~DaeSystem() = default;

  virtual const Layout& layout() const = 0;
  virtual Status residual(const Point& p, const State& state, Vec F, Workspace& workspace) const = 0;

  virtual std::unique_ptr<Workspace> make_workspace() const { return std::make_unique<Workspace>(); }
  /// u(t); by default time alone.
  virtual void calc_inputs(double t, InputBuffer& inputs) const;
  /// The next kink of an input after t: no step passes it, integration restarts there.
  virtual double next_breakpoint(double t) const;

  // ---- derivatives ----
  /// Where F_y and F_y′ may be non-zero in this State (dense by default); asked again when state.version has moved.
  virtual Pattern make_pattern(const State& state) const;
  /// Which planes linearize fills, at least {y, yp}.
  virtual std::vector<PlaneRole> plane_roles() const { return {PlaneRole::y, PlaneRole::yp}; }
  /// Overwrites the planes; by default grouped differences of the residual.
  virtual Status linearize(const Point& p, const State& state, Planes& planes, Workspace& workspace) const;
  /// F_y′ in closed form: update_rates() overwrites it at a point and leaves F_y alone. What differences need not take,
  /// and what an update for a new step size renews [arnold2004 (25)].
  virtual bool has_exact_rates() const { return false; }
  virtual bool has_constant_rates() const { return false; }  ///< the same everywhere [arnold2004 (24)]
  /// Linearizations leave out entries that were not seen so far: see Planes::suspect.
  virtual bool estimates_pattern() const { return false; }
  virtual Status update_rates(const Point&, const State&, Planes&, Workspace&) const { return Status::success(); }
  /// Columns of F_y that follow from the others, as those of η in [arnold2004 (7)]: marked by 1, one mark per unknown;
  /// empty: none. derive_columns() fills them from the rest of the plane.
  virtual std::vector<char> derived_columns() const { return {}; }
  virtual void derive_columns(Planes&) const {}
  /// For solvers that do not exchange rows: the row that determines each unknown, a permutation. Empty: row i, unknown
  /// i.
  virtual std::vector<int> pivot_rows() const { return {}; }
  /// The row that gives an unknown by the others at every α, −1: none (OrderingHint::own_rows). Empty: of no unknown.
  virtual std::vector<int> own_rows() const { return {}; }
  /// Brings pattern and planes up to date with the State. Returns true when the pattern changed.
  bool update_pattern(const State& state, Planes& planes) const;

  /// Rows and columns of the matrix need not be those of F and y: with charts, kinematic rows are multiplied by J_r(θ)
  /// and columns are body increments δβ, δθ = T(θ)δβ, both at the *current* θ of every solve; then a moving chart does
  /// not age the matrix.
  virtual void to_matrix_rows(const Point&, const State&, Vec /*F*/, Workspace&) const {}
  virtual void from_matrix_columns(const Point&, const State&, Vec /*delta*/, Workspace&) const {}
  /// Asked with the prediction of every step: has the system moved so far from its last linearization that the matrix
  /// should be made anew (a body has turned by more than 0.2 rad), although Newton may not have noticed?
  virtual bool matrix_outdated(const Point&, const State&, const Workspace&) const { return false; }

  // ---- hooks of a step ----
  /// Which of several points that share one solution of a linear system, stages of a step, the next calls of
  /// to_matrix_rows and from_matrix_columns belong to: what the first leaves for the second is kept apart.
  virtual void select_stage(int /*stage*/, Workspace&) const {}
  /// After the prediction, before the first residual: may replace predicted values (multipliers from elsewhere) and
  /// says so by returning true; y′ follows by the corrector's formula.
  virtual bool predicted(double /*t*/, const State&, Vec /*y*/, ConstVec /*yp*/, Workspace&) const { return false; }
  /// After Newton has converged: may replace unknowns that follow from the others (multipliers in no test) and says so
  /// by returning true; y′ follows by the corrector's formula.
  virtual bool corrected(Vec /*y*/, Workspace&) const { return false; }
  /// mask[i] = 1: unknown i is in the test, 0: it is not. Asked at the start and after every linearization. By default
  /// the error test takes positions, rotations, velocities and internal states, the corrector test everything.
  virtual void tested(Purpose purpose, std::span<double> mask, const Workspace& workspace) const;
  /// The differentiation index of each unknown; 1 on entry. Errors of an unknown of index k are larger by h^(1−k) than
  /// those of index 1: Radau multiplies them by h^(k−1) in its tests.
  virtual void calc_indices(std::span<int> /*index*/) const {}
  /// The multipliers that are forces, as a range of unknowns; none by default.
  struct Range {
    int first = 0, size = 0;
  };
  virtual Range forces() const { return {}; }
  /// Once per accepted step, after its dense output was asked for.
  virtual void accepted(const Point&, State&, Workspace&) const {}
  /// The largest step the system allows from here.
  virtual double step_bound(const Point&, int /*order*/, const State&) const {
    return std::numeric_limits<double>::infinity();
  }
  /// How much the system's own interpolant between the ends of a step violates at t what must hold there [m, rad]; by
  /// default nothing is known of it.
  virtual Status calc_gap(const Point& /*from*/, const Point& /*to*/, double /*t*/, const Inputs& /*in*/, const State&,
                          double& gap, Workspace&) const {
    gap = 0.0;
    return Status::success();
  }
  /// Corrects y and y′ to consistent values before a restart at order 1 (breakpoints, failures).
  virtual Status make_consistent(double /*t*/, State&, Vec /*y*/, Vec /*yp*/, Workspace&) const {
    return Status::success();
  }

  // ---- charts ----
  /// The unknowns that rebase() maps; none by default.
  virtual std::span<const int> chart_unknowns() const { return {}; }
  /// Cheap: has a chart to be moved now that y is the newest point?
  virtual bool wants_rebase(ConstVec /*y*/, const State&) const { return false; }
  /// Moves charts and maps stored points exactly, on the continuous branch. Row i is unknown chart_unknowns()[i],
  /// columns are y_n, y_{n−1}, … (as many as the order needs, and one more for the order-raising test).
  virtual void rebase(Eigen::Ref<Eigen::MatrixXd> /*points*/, State&, Workspace&) const {}
  /// Rates of chart unknowns after rebase() moved y to y_moved: θ̇′ = T(θ′) J_r(θ) θ̇.
  virtual void rebase_rates(ConstVec /*y*/, ConstVec /*y_moved*/, Vec /*yp*/) const {}
};

/// Unknowns and rows that have no better name than their number: "y[3]", "row 3".
Layout numbered_layout(std::vector<Kind> kinds);

/// True for kinds whose rate never appears in F.
constexpr bool is_algebraic(Kind kind) { return kind == Kind::multiplier || kind == Kind::algebraic; }

}  // namespace trammel
