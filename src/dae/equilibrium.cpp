// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/equilibrium.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/dae/acceleration_solver.h"
#include "trammel/dae/static_stability.h"
#include "trammel/linalg/dense_decompositions.h"
#include "trammel/nonlinear/newton.h"

namespace trammel {

namespace {

constexpr double largest_turn = 0.5;    // [rad] of one correction: Newton's model of a rotation reaches no farther
constexpr double first_move = 0.2;      // [ℓ, rad] of the first pseudo-transient step (lengths: StaticUnits)
constexpr double first_slide = 1e-5;    // [m] the same where friction holds from where the machine was drawn
constexpr double noticed_slide = 1e-4;  // [m] where friction is at its limit, whatever it is
constexpr int most_slid = 3;            // iterations in a row beyond the longest slide: an overshoot comes back sooner
constexpr double fall = 0.2, rise = 4.0;            // of c per iteration
constexpr double slight = 0.02, steep_fall = 0.01;  // the same of a motion that creeps, which goes on all the while
constexpr double good = 0.25, bad = 1.0;            // nonlinearity of an iteration that makes it so
constexpr double smallest_part = 1e-10;             // c M beside K, where it must stay
constexpr double singular_stiffness = 1e-9;
constexpr double small_change = 1e-6;  // of a correction, relative to 1 + |q̂|: more is not rounding
constexpr double largest_floor_factor = 1e4, floor_rise = 100.0;
constexpr double same_direction = 0.1;         // of a cyclic direction that is looked for again after such a move
constexpr double cyclic_moves[] = {0.5, 1.7};  // [ℓ, rad] along a direction that is suspected to be cyclic
constexpr double balanced = 1e-9;              // |r| beside the forces that cancel
constexpr double rounding_margin = 16.0 * std::numeric_limits<double>::epsilon();  // of K q
constexpr double creep_rate = 10.0;                                                // a of (5) [1/ℓ]
constexpr double held = 0.999;                                                     // of what friction can hold, at most
constexpr double friction_settled = 1e-6, friction_digits = 1e-3;                  // of changes of z, and beside z
constexpr int creep_iterations = 100;
constexpr int most_withdrawals = 20;      // in a row, of corrections to where forces do not exist
constexpr int largest_tested = 600;       // coordinates, for `descends`
constexpr int max_iterations_along = 20;  // times as many when the path is followed

// A X of a plane.
Eigen::MatrixXd times(const Pattern& pattern, const std::vector<double>& values, const Eigen::MatrixXd& X, int rows) {
  Eigen::MatrixXd product = Eigen::MatrixXd::Zero(rows, X.cols());
  for (int column = 0; column < pattern.n_cols; ++column)
    for (int k = pattern.start[column]; k < pattern.start[column + 1]; ++k)
      product.row(pattern.index[k]) += values[k] * X.row(column);
  return product;
}

// The longest of some ways, each a group of states.
double calc_slide(const std::vector<std::vector<int>>& groups, const Eigen::VectorXd& z) {
  double longest = 0.0;
  for (const std::vector<int>& group : groups) {
    double way = 0.0;
    for (const int i : group) way = std::hypot(way, z[i]);
    longest = std::max(longest, way);
  }
  return longest;
}

double largest(const std::vector<double>& values) {
  double size = 0.0;
  for (const double value : values) size = std::max(size, std::abs(value));
  return size;
}

}  // namespace

Equilibrium::Equilibrium(const SecondOrderDae& dae, LinearSolverChoice solver, EquilibriumOptions options)
    : dae_(dae), options_(std::move(options)) {
  const int n = dae.nv() + dae.nz() + dae.nc();
  // Stiffness has no sign and multipliers no inertia here: pivots must be chosen.
  if (!exchanges_rows(solver.kind)) solver.kind = LinearSolverKind::automatic;
  solver_ = make_linear_solver<double>(solver, n);
  steady_.assign(dae.nv(), 0);
  follows_.assign(dae.nz(), 0);
  slow_.assign(dae.nz(), 1.0);
  limit_.assign(options_.creeping.size(), std::numeric_limits<double>::infinity());
  if (!limit_.empty()) options_.max_iterations = std::min(options_.max_iterations, creep_iterations);
  for (const int i : options_.steady) steady_[i] = 1;
  if (options_.arc_length) options_.max_iterations *= max_iterations_along;
  for (Eigen::VectorXd* x : {&r_, &r0_, &delta_, &tangent_}) x->setZero(n);
  way_.setZero(dae.nv());
}

EquilibriumReport Equilibrium::find(MotionVariables& x, State& state, Workspace& workspace, const Watch& watch) {
  report_ = {};
  unheld_.clear();
  floor_factor_ = 1.0, neutral_ = false;
  slid_ = 0;
  dae_.calc_inputs(x.t, inputs_);
  if (options_.steady.empty()) x.v.setZero();
  AccelerationSolver acceleration(dae_, LinearSolverKind::automatic);
  report_.status = acceleration.solve(x, state, workspace);
  if (report_.status.ok()) report_.status = find_units(x, state, workspace);
  if (!report_.status.ok()) return report_;
  if (options_.load_steps == 0)
    report_.status = relax_or_name(x, state, workspace);
  else
    report_.status = options_.arc_length ? follow(x, state, workspace, watch) : load(x, state, workspace, watch);
  x.a.setZero();
  x.zp.setZero();
  Eigen::Index row = -1;
  if (dae_.nv() > 0) report_.unbalanced = r_.head(dae_.nv()).cwiseAbs().maxCoeff(&row) * units_.of_motion_row(row);
  report_.worst_row = static_cast<int>(row);
  return report_;
}

Status Equilibrium::find_units(const MotionVariables& x, const State& state, Workspace& workspace) {
  const int nv = dae_.nv(), nz = dae_.nz(), nc = dae_.nc();
  units_ = {};
  Status status = calc_rows(x, state, workspace, r_.head(nv), r_.segment(nv, nz), r_.tail(nc));
  if (status.ok()) status = calc_planes(x, state, workspace);
  if (status.ok()) units_ = StaticUnits(options_.length, planes_, dae_.layout().kinds(), r_.head(nv));
  return status;
}

// Rows of (1); a = 0 and ż = 0.
Status Equilibrium::calc_rows(const MotionVariables& x, const State& state, Workspace& workspace, Vec motion,
                              Vec internal, Vec constraint) const {
  MotionVariables at = x;
  at.a.setZero();
  at.zp.setZero();
  const Status status = dae_.residual(at.point(inputs_.view()), state, motion, internal, constraint, workspace);
  if (status.ok()) units_.scale_rows(motion, constraint);
  return status;
}

Status Equilibrium::calc_planes(const MotionVariables& x, const State& state, Workspace& workspace) {
  MotionVariables at = x;
  at.a.setZero();
  at.zp.setZero();
  MotionPlanes& planes = units_.are_si() ? planes_ : si_planes_;
  const Status status = dae_.linearize(at.point(inputs_.view()), state, PlaneSet::all, planes, workspace);
  if (!status.ok() || units_.are_si()) return status;
  planes_ = si_planes_;
  units_.scale(planes_);
  return status;
}

// (1), less what is missing of the load; a = 0 and ż = 0. Nonholonomic rows without steady motion are met by doing
// nothing.
Status Equilibrium::calc_residual(const MotionVariables& x, const State& state, Workspace& workspace) {
  const int nv = dae_.nv(), nz = dae_.nz(), nc = dae_.nc();
  const Status status = calc_rows(x, state, workspace, r_.head(nv), r_.segment(nv, nz), r_.tail(nc));
  if (!status.ok()) return status;
  r_.head(nv) -= missing_ * r0_.head(nv);
  release_unheld();
  if (options_.steady.empty())
    for (int row = 0; row < nc; ++row)
      if (!dae_.holonomic()[row]) r_[nv + nz + row] = 0.0;
  unbalanced_ = r_.norm();
  return Status::success();
}

Status Equilibrium::linearize(const MotionVariables& x, const State& state, Workspace& workspace) {
  const Status status = calc_planes(x, state, workspace);
  if (!status.ok()) return status;
  const int nv = dae_.nv(), nz = dae_.nz();
  if (planes_.version != version_ || !matrix_) {
    version_ = planes_.version;
    matrix_.emplace(nv + nz + dae_.nc());
    matrix_->include(planes_.motion, 0, 0);
    matrix_->include(planes_.constraint, nv + nz, 0);
    matrix_->include_transposed(planes_.constraint, 0, nv + nz);
    matrix_->include(planes_.reaction, 0, nv + nz);
    matrix_->include(planes_.state_force, 0, nv);
    matrix_->include(planes_.state_rate, nv, 0);
    matrix_->include(planes_.state_state, nv, nv);
    matrix_->include(planes_.state_lam, nv, nv + nz);
    if (nz > 0) matrix_->include_diagonal();
    matrix_->finish(version_);
    // A pattern that cannot be ordered is what factor() fails with.
    static_cast<void>(solver_->analyze(matrix_->pattern()));
  }
  const double mass = largest(planes_.M), stiffness = largest(planes_.K) + largest(planes_.K_lam);
  floor_ = floor_factor_ * (mass > 0.0 && stiffness > 0.0 ? smallest_part * stiffness / mass : 1.0);
  rounding_ = nv > 0 ? rounding_margin * stiffness * units_.scaled(x.q).lpNorm<Eigen::Infinity>() : 0.0;
  find_following();
  return status;
}

// States whose rate depends on velocities alone: at rest their row says nothing.
void Equilibrium::find_following() {
  for (int z = 0; z < dae_.nz(); ++z) follows_[z] = options_.steady.empty() && dae_.E()[z] != 0.0;
  const auto strike = [this](const Pattern& pattern, const std::vector<double>& values) {
    for (std::size_t k = 0; k < values.size(); ++k)
      if (values[k] != 0.0) follows_[pattern.index[k]] = 0;
  };
  strike(planes_.state_rate, planes_.g_q);
  strike(planes_.state_state, planes_.g_z);
  strike(planes_.state_lam, planes_.g_lam);
  find_creep();
}

// a of (5), as a part of A: ‖A‖ is that of displacements, if the machine has such coordinates.
void Equilibrium::find_creep() {
  if (options_.creeping.empty()) return;
  Eigen::VectorXd displaced = Eigen::VectorXd::Zero(dae_.nz()), turned = displaced;  // ‖A‖
  for (int column = 0; column < dae_.nv(); ++column)
    for (int k = planes_.state_rate.start[column]; k < planes_.state_rate.start[column + 1]; ++k) {
      const bool turns = dae_.layout().kinds()[column] == Kind::rotation;
      double& size = (turns ? turned : displaced)[planes_.state_rate.index[k]];
      size = std::hypot(size, planes_.g_v[k]);
    }
  for (std::size_t i = 0; i < limit_.size(); ++i)
    for (const int z : options_.creeping[i]) {
      const double size = displaced[z] > 0.0 ? displaced[z] : turned[z];
      slow_[z] = size > 0.0 ? std::min({1.0, creep_rate / size, limit_[i] / size}) : 1.0;
    }
}

// Of a friction that was too large the next iteration takes less: the a of (5) by which it would have been at its
// limit.
void Equilibrium::limit_creep(const MotionVariables& x) {
  for (std::size_t i = 0; i < limit_.size(); ++i) {
    double size = 0.0;
    for (const int z : options_.creeping[i]) size = std::hypot(size, x.z[z]);
    limit_[i] = size > 0.0 ? held * std::min(creep_rate, limit_[i]) / size : std::numeric_limits<double>::infinity();
  }
}

// (4).
void Equilibrium::release_unheld() {
  if (unheld_.empty()) return;
  const int nv = dae_.nv();
  unheld_load_ = unheld_n_.transpose() * r_.head(nv);
  r_.head(nv) -= unheld_mn_ * unheld_load_;
}

// Cyclic directions with a load, among those that constraints leave free. A direction may lack stiffness only where the
// machine stands (a pendulum drawn level): it is cyclic if it does so after moves along it as well, under the same
// load.
Status Equilibrium::find_unheld(const MotionVariables& x, const State& state, Workspace& workspace) {
  const int nv = dae_.nv();
  unheld_.clear();
  Status status = linearize(x, state, workspace);
  if (!status.ok()) return status;
  const FreeDirections free = calc_free_directions(planes_, nv, dae_.nc());
  const double noticed = balanced * (1.0 + r_.head(nv).lpNorm<Eigen::Infinity>());
  std::vector<int> columns;
  for (std::size_t j = 0; j < free.coordinates.size(); ++j) {
    const auto z = free.Z.col(static_cast<Eigen::Index>(j));
    if (std::abs(z.dot(r_.head(nv))) <= noticed * z.norm()) continue;
    bool cyclic = false;
    status = is_cyclic(free.coordinates[j], x, state, workspace, cyclic);
    if (!status.ok()) return status;
    if (!cyclic) continue;
    unheld_.push_back(free.coordinates[j]);
    columns.push_back(static_cast<int>(j));
  }
  unheld_n_ = free.Z(Eigen::all, columns);
  if (unheld_.empty()) status = find_unheld_together(x, state, workspace);
  if (unheld_.empty() || !status.ok()) return status;
  status = linearize(x, state, workspace);
  if (!status.ok()) return status;
  const Eigen::MatrixXd MN = times(planes_.motion, planes_.M, unheld_n_, nv);
  unheld_mn_ = MN * solve_square(unheld_n_.transpose() * MN, Eigen::MatrixXd::Identity(MN.cols(), MN.cols()));
  release_unheld();
  unbalanced_ = r_.norm();
  return status;
}

// n = Z a with K n = 0 and so on: columns that span what nothing at the present point depends on.
Eigen::MatrixXd Equilibrium::calc_neutral() const {
  const int nv = dae_.nv(), nz = dae_.nz();
  const Eigen::MatrixXd Z = calc_free_directions(planes_, nv, dae_.nc()).Z;
  if (Z.cols() == 0) return Z;
  const double stiffness = largest(planes_.K) + largest(planes_.K_lam);
  Eigen::MatrixXd S = Eigen::MatrixXd::Zero(nv + Z.cols() + 2 * nz, Z.cols());
  const auto put = [&](Eigen::Index row, const Eigen::MatrixXd& part, double size) {
    if (size > 0.0) S.middleRows(row, part.rows()) = part / size;
  };
  if (!planes_.K.empty()) put(0, times(planes_.motion, planes_.K, Z, nv), stiffness);
  if (!planes_.K_lam.empty()) put(nv, Z.transpose() * times(planes_.motion, planes_.K_lam, Z, nv), stiffness);
  if (!planes_.g_q.empty()) put(nv + Z.cols(), times(planes_.state_rate, planes_.g_q, Z, nz), largest(planes_.g_q));
  if (!planes_.g_v.empty())
    put(nv + Z.cols() + nz, times(planes_.state_rate, planes_.g_v, Z, nz), largest(planes_.g_v));
  const RightSingularVectors singular = calc_right_singular_vectors(S);
  Eigen::Index rank = 0;
  while (rank < singular.values.size() && singular.values[rank] > singular_stiffness * singular.values[0]) ++rank;
  return Z * singular.V.rightCols(Z.cols() - rank);
}

// A cyclic direction of several coordinates: a car and its wheels that roll down a slope. Like find_unheld(), but what
// is sought is the part of the load in the span of calc_neutral().
Status Equilibrium::find_unheld_together(MotionVariables x, State state, Workspace& workspace) {
  const int nv = dae_.nv();
  Eigen::VectorXd n, motion(nv), states(dae_.nz()), rows(dae_.nc());
  double last = 0.0;
  for (int i = 0; i <= static_cast<int>(std::size(cyclic_moves)); ++i) {
    Status status = linearize(x, state, workspace);
    if (!status.ok()) return status;
    const Eigen::MatrixXd N = calc_neutral();
    if (N.cols() == 0) return status;
    status = calc_rows(x, state, workspace, motion, states, rows);
    if (!status.ok()) return status;
    const auto in_span = [&](const Eigen::VectorXd& vector) {
      return Eigen::VectorXd(N * solve_square(N.transpose() * N, N.transpose() * vector));
    };
    const Eigen::VectorXd found = in_span(i == 0 ? motion : n);
    if (i == 0 && found.norm() <= balanced * (1.0 + motion.norm())) return status;
    if (i > 0 && (found - n).norm() > same_direction * n.norm()) return status;
    n = i == 0 ? Eigen::VectorXd(found / found.norm()) : found;
    if (!(times(planes_.motion, planes_.M, n, nv).norm() > 0.0)) return status;
    const double load = n.dot(motion);
    if (i > 0 && std::abs(load - last) > small_change * std::abs(last)) return status;
    last = load;
    if (i == static_cast<int>(std::size(cyclic_moves))) break;
    x.q += cyclic_moves[i] * units_.unscaled(n);
    dae_.accepted(x.point(inputs_.view()), x.q, state, workspace);
  }
  Eigen::Index most = 0;  // what carries most of the motion names it
  n.cwiseProduct(times(planes_.motion, planes_.M, n, nv).col(0)).cwiseAbs().maxCoeff(&most);
  unheld_.assign(1, static_cast<int>(most));
  unheld_n_ = n / n[most];
  return Status::success();
}

Status Equilibrium::is_cyclic(int coordinate, MotionVariables x, State state, Workspace& workspace, bool& cyclic) {
  const int nv = dae_.nv(), nz = dae_.nz();
  double load = 0.0, last = 0.0;
  cyclic = false;
  for (int i = 0; i <= static_cast<int>(std::size(cyclic_moves)); ++i) {
    Status status = linearize(x, state, workspace);
    if (!status.ok()) return status;
    const FreeDirections free = calc_free_directions(planes_, nv, dae_.nc());
    const auto found = std::find(free.coordinates.begin(), free.coordinates.end(), coordinate);
    if (found == free.coordinates.end()) return status;
    const Eigen::MatrixXd z = free.Z.col(found - free.coordinates.begin());
    const double noticed = singular_stiffness * z.norm();
    const double stiffness = largest(planes_.K) + largest(planes_.K_lam);
    const auto depends = [&](const Pattern& pattern, const std::vector<double>& values, int rows, double size) {
      return !values.empty() && times(pattern, values, z, rows).norm() > noticed * size;
    };
    // Reactions turn with the bodies that carry them: of these only what works along the direction itself counts.
    const double of_reactions = z.col(0).dot(times(planes_.motion, planes_.K_lam, z, nv).col(0));
    if (depends(planes_.motion, planes_.K, nv, stiffness) || std::abs(of_reactions) > noticed * z.norm() * stiffness ||
        depends(planes_.state_rate, planes_.g_q, nz, largest(planes_.g_q)) ||
        depends(planes_.state_rate, planes_.g_v, nz, largest(planes_.g_v)) ||
        !(times(planes_.motion, planes_.M, z, nv).norm() > 0.0))
      return status;
    Eigen::VectorXd motion(nv), states(nz), rows(dae_.nc());
    status = calc_rows(x, state, workspace, motion, states, rows);
    if (!status.ok()) return status;
    load = z.col(0).dot(motion);
    if (i > 0 && std::abs(load - last) > small_change * std::abs(last)) return status;
    last = load;
    if (i == static_cast<int>(std::size(cyclic_moves))) break;
    x.q += cyclic_moves[i] * units_.unscaled(z.col(0));
    dae_.accepted(x.point(inputs_.view()), x.q, state, workspace);
  }
  cyclic = true;
  return Status::success();
}

// c M + K + …, factored.
Status Equilibrium::factor(double c) {
  const int nv = dae_.nv(), nz = dae_.nz();
  const auto of_position = [&](int, int column) { return steady_[column] ? 0.0 : 1.0; };
  const auto of_velocity = [&](int, int column) { return steady_[column] ? 1.0 : 0.0; };
  PlaneMatrix& J = *matrix_;
  J.set_zero();
  J.add(planes_.motion, planes_.M, 0, 0, [&](int, int column) { return steady_[column] ? 0.0 : c; });
  J.add(planes_.motion, planes_.K, 0, 0, of_position);
  J.add(planes_.motion, planes_.K_lam, 0, 0, of_position);
  J.add(planes_.motion, planes_.D, 0, 0, of_velocity);
  J.add(planes_.state_rate, planes_.g_q, nv, 0, of_position);
  J.add(planes_.state_rate, planes_.g_v, nv, 0,
        [&](int row, int column) { return follows_[row] || steady_[column] ? slow_[row] : 0.0; });
  for (int z = 0; z < nz; ++z)
    if (follows_[z]) J.add(nv + z, nv + z, dae_.E()[z]);
  const bool moves = !options_.steady.empty();
  J.add(planes_.constraint, planes_.G, nv + nz, 0, [&](int row, int column) {
    const bool on_positions = dae_.holonomic()[row] || !moves;
    return static_cast<double>(on_positions ? !steady_[column] : steady_[column]);
  });
  if (moves)
    J.add(planes_.constraint, planes_.Gv_q, nv + nz, 0,
          [&](int row, int column) { return dae_.holonomic()[row] || steady_[column] ? 0.0 : 1.0; });
  J.add_transposed(planes_.constraint, planes_.G, 0, nv + nz);
  J.add(planes_.reaction, planes_.f_lam, 0, nv + nz);
  J.add(planes_.state_force, planes_.f_z, 0, nv);
  J.add(planes_.state_state, planes_.g_z, nv, nv);
  J.add(planes_.state_lam, planes_.g_lam, nv, nv + nz);
  return solver_->refactor(J.values());
}

// One correction by (2). The end of the iteration is Newton's own where it can be: c stays only if the matrix without
// it is singular beside rounding. Pivots may hide that; a correction that is not small although nothing but rounding is
// left over shows it.
Status Equilibrium::correct(double c, MotionVariables& x, State& state, Workspace& workspace) {
  const int nv = dae_.nv();
  Status status = linearize(x, state, workspace);
  if (!status.ok()) return status;
  const bool ends = c <= floor_;
  if (!ends) {
    status = factor(c);
  } else {
    c = neutral_ ? floor_ : 0.0;
    status = factor(c);
    if (!neutral_ && (!status.ok() || solver_->smallest_pivot().relative < singular_stiffness))
      status = factor(c = floor_);
  }
  if (!status.ok()) return status;
  status = solve_correction(x);
  while (ends && status.ok() && normal_.size() == 0 && limit_.empty() && is_settled() &&
         calc_change(x) > small_change && (c == 0.0 || floor_factor_ < largest_floor_factor)) {
    if (c > 0.0) floor_factor_ *= floor_rise, floor_ *= floor_rise;
    neutral_ = true;
    status = factor(c = floor_);
    if (status.ok()) status = solve_correction(x);
  }
  if (!status.ok()) return status;

  double load_change = 0.0;
  if (normal_.size() > 0) {
    status = solve_tangent();
    if (!status.ok()) return status;
    load_change = -normal_.dot(delta_.head(nv)) / normal_.dot(tangent_.head(nv));
    delta_ += load_change * tangent_;
  }
  const double part = limit_turns(delta_);
  missing_ -= part * load_change;
  const Eigen::VectorXd z = x.z;
  move(part, x, state, workspace);
  friction_change_ = limit_.empty() ? 0.0 : (x.z - z).lpNorm<Eigen::Infinity>();
  limit_creep(x);
  ++report_.iterations;
  force_size_ = 0.0;
  Eigen::VectorXd reaction = Eigen::VectorXd::Zero(nv), lam = x.lam;
  for (int row = 0; row < dae_.nc(); ++row) lam[row] /= units_.of_multiplier(row);
  for (int column = 0; column < nv; ++column)
    for (int k = planes_.constraint.start[column]; k < planes_.constraint.start[column + 1]; ++k)
      reaction[column] += planes_.G[k] * lam[planes_.constraint.index[k]];
  if (nv > 0) force_size_ = std::max(reaction.lpNorm<Eigen::Infinity>(), r0_.head(nv).lpNorm<Eigen::Infinity>());
  // What (2) promises to leave over: (1 − part) r − part c M δq.
  const double before = unbalanced_;
  Eigen::VectorXd promised = (1.0 - part) * r_;
  for (int column = 0; column < nv; ++column)
    if (!steady_[column])
      for (int k = planes_.motion.start[column]; k < planes_.motion.start[column + 1]; ++k)
        promised[planes_.motion.index[k]] -= part * c * planes_.M[k] * delta_[column];
  status = calc_residual(x, state, workspace);
  nonlinearity_ = before > 0.0 ? (r_ - promised).norm() / before : 0.0;
  return status;
}

// The matrix is factored. Friction that creeps forgets the way behind it: δz − a A δq = −z.
Status Equilibrium::solve_correction(const MotionVariables& x) {
  delta_ = -r_;
  for (const std::vector<int>& group : options_.creeping)
    for (const int z : group)
      if (follows_[z]) delta_[dae_.nv() + z] = -dae_.E()[z] * x.z[z];
  return solver_->solve(delta_);
}

bool Equilibrium::slides(const MotionVariables& x) {
  const bool far = !options_.sliding.empty() && calc_slide(options_.sliding, x.z) > options_.longest_slide;
  slid_ = far ? slid_ + 1 : 0;
  return slid_ >= most_slid;
}

bool Equilibrium::is_settled() const { return unbalanced_ <= std::max(balanced * (1.0 + force_size_), rounding_); }

// Largest part of the correction beside 1 + |q̂|.
double Equilibrium::calc_change(const MotionVariables& x) const {
  double change = 0.0;
  for (int i = 0; i < dae_.nv(); ++i)
    change = std::max(change,
                      std::abs(delta_[i]) / (1.0 + std::abs(steady_[i] ? x.v[i] : x.q[i]) / units_.of_coordinate(i)));
  return change;
}

// How the machine moves with the load: K_T δ = −r₀.
Status Equilibrium::solve_tangent() {
  tangent_.setZero();
  tangent_.head(dae_.nv()) = -r0_.head(dae_.nv());
  return solver_->solve(tangent_);
}

// x + part·δ. Charts are centred at every iterate, where derivatives by increments and by coordinates agree.
void Equilibrium::move(double part, MotionVariables& x, State& state, Workspace& workspace) {
  const int nv = dae_.nv(), nz = dae_.nz();
  report_.last_change = 0.0;
  for (int i = 0; i < nv; ++i) {
    double& value = steady_[i] ? x.v[i] : x.q[i];
    value += part * delta_[i] * units_.of_coordinate(i);
    const double size = std::abs(delta_[i]) / (1.0 + std::abs(value) / units_.of_coordinate(i));
    if (size > report_.last_change) report_.last_change = size, report_.moving_unknown = i;
  }
  way_ += part * delta_.head(nv);
  x.z += part * delta_.segment(nv, nz);
  for (int row = 0; row < dae_.nc(); ++row) x.lam[row] += delta_[nv + nz + row] * units_.of_multiplier(row);
  MotionVariables at = x;
  dae_.accepted(at.point(inputs_.view()), x.q, state, workspace);
}

double Equilibrium::limit_turns(Vec delta) const {
  double turn = 0.0;
  for (int i = 0; i < dae_.nv(); ++i)
    if (dae_.layout().kinds()[i] == Kind::rotation && !steady_[i]) turn = std::max(turn, std::abs(delta[i]));
  return turn > largest_turn ? largest_turn / turn : 1.0;
}

// What falls freely may be held where it lands (a ball above a floor): directions are looked for that nothing holds
// only where no balance was found, and from where the machine was drawn. They are the cause if all else is in balance
// without them; if it is not, they are told beside what the first search ended with.
Status Equilibrium::relax_or_name(MotionVariables& x, State& state, Workspace& workspace) {
  MotionVariables drawn = x;
  State drawn_state = state;
  const Status failed = relax(x, state, workspace);
  if (failed.ok() || slid_ >= most_slid || !options_.steady.empty() || dae_.nv() == 0 || dae_.nv() > largest_tested)
    return failed;
  EquilibriumReport report = report_;
  const Eigen::VectorXd r = r_;
  floor_factor_ = 1.0, neutral_ = false;
  Status status = calc_residual(drawn, drawn_state, workspace);
  if (status.ok()) status = find_unheld(drawn, drawn_state, workspace);
  if (status.ok() && note_unheld()) {
    report.unheld = report_.unheld, report.unheld_load = report_.unheld_load;
    report_.iterations = 0;
    status = relax(drawn, drawn_state, workspace);
    if (report_.unheld_only) {
      x = drawn, state = drawn_state;
      return status;
    }
  }
  report_ = report;
  r_ = r;
  return failed;
}

// Pseudo-transient continuation. The pace follows from how well (2) describes what happens.
class Equilibrium::Relaxation {
 public:
  Relaxation(Equilibrium& equilibrium, double c, MotionVariables& x, State& state, Workspace& workspace)
      : e_(equilibrium), x_(x), state_(state), workspace_(workspace), c_(c), pace_(c) {}

  // Where the machine would leave an unstable position, c M outweighs what drives it away.
  Status prepare(int) {
    pace_ = c_;
    if (!e_.options_.descends) return Status::success();
    StaticStability stability;
    const Status status =
        calc_static_stability(e_.dae_, x_, state_, e_.options_.length, largest_tested, workspace_, stability);
    if (status.ok() && stability.unstable) pace_ = std::max(c_, -2.0 * stability.stiffness);
    return status;
  }

  Status solve(int) {
    const MotionVariables x_before = x_;
    const State state_before = state_;
    const double before = e_.unbalanced_;
    const Status status = e_.correct(pace_, x_, state_, workspace_);
    is_taken_ = status.ok();
    if (status.cause == Cause::singular_matrix) {  // c M + K is singular by chance: another c
      c_ = rise * std::max(c_, e_.floor_);
      return Status::success();
    }
    if (!status.ok() && ++withdrawn_ <= most_withdrawals) {  // no forces exist there: a shorter way
      x_ = x_before, state_ = state_before;
      c_ = rise * std::max(pace_, e_.floor_);
      return e_.calc_residual(x_, state_, workspace_);
    }
    withdrawn_ = 0;
    if (!status.ok() || !e_.options_.descends || !(e_.nonlinearity_ > bad && e_.unbalanced_ > before)) return status;
    // Into something that (2) did not foresee (a surface): a shorter way.
    is_taken_ = false;
    x_ = x_before, state_ = state_before;
    c_ = rise * std::max(pace_, e_.floor_);
    return e_.calc_residual(x_, state_, workspace_);
  }

  NewtonVerdict correct(int k) {
    if (!is_taken_) return NewtonVerdict::go_on;
    if (!slid_ && calc_slide(e_.options_.sliding, x_.z) > noticed_slide) slid_.emplace(x_, state_);
    if (e_.slides(x_)) return NewtonVerdict::diverging;
    const bool settled = e_.is_settled();
    if (!e_.limit_.empty() && settled && c_ <= e_.floor_ &&
        (e_.friction_change_ < friction_settled + friction_digits * x_.z.lpNorm<Eigen::Infinity>()))
      return NewtonVerdict::converged;
    // The last digits are rounding when they no longer improve.
    const double change = e_.report_.last_change;
    if (settled && c_ <= e_.floor_ && change < small_change &&
        (change <= e_.options_.tol || (k > 3 && change >= 0.5 * last_change_)))
      return NewtonVerdict::converged;
    last_change_ = change;
    if (settled)
      c_ = 0.0;
    else if (e_.nonlinearity_ < good)
      c_ *= !e_.limit_.empty() && e_.nonlinearity_ < slight ? steep_fall : fall;
    else if (e_.nonlinearity_ > bad)
      c_ = rise * std::max(c_, e_.floor_);
    return NewtonVerdict::go_on;
  }

  // What slid before it got lost is shown where it did.
  Status give_up(Cause cause) {
    if (slid_) {
      x_ = slid_->first, state_ = slid_->second;
      e_.slid_ = most_slid;
    }
    return Status::recoverable(cause);
  }

 private:
  Equilibrium& e_;
  MotionVariables& x_;
  State& state_;
  Workspace& workspace_;
  std::optional<std::pair<MotionVariables, State>> slid_;
  double c_, pace_, last_change_ = 0.0;
  bool is_taken_ = false;  // the correction
  int withdrawn_ = 0;      // corrections in a row
};

Status Equilibrium::relax(MotionVariables& x, State& state, Workspace& workspace) {
  missing_ = 0.0;
  const double first = options_.sliding.empty() ? first_move : std::min(first_move, first_slide / units_.length());
  const double c = (x.a.size() > 0 ? units_.scaled(x.a).lpNorm<Eigen::Infinity>() : 0.0) / first;
  Status status = calc_residual(x, state, workspace);
  if (!status.ok()) return status;
  if (unheld_.empty()) r0_ = r_;  // its size is that of the forces
  status = solve_by_newton(Relaxation(*this, c, x, state, workspace), options_.max_iterations);
  if (!status.ok()) return status;
  report_.load = 1.0;
  return judge_unheld();
}

bool Equilibrium::note_unheld() {
  Eigen::Index most = -1;
  const double load = unheld_.empty() ? 0.0 : unheld_load_.cwiseAbs().maxCoeff(&most);
  if (most < 0 || load <= balanced * (1.0 + r0_.head(dae_.nv()).lpNorm<Eigen::Infinity>())) return false;
  report_.unheld = unheld_[static_cast<std::size_t>(most)];
  report_.unheld_load = -unheld_load_[most] * units_.of_motion_row(report_.unheld);  // of r = Gᵀλ − f
  return true;
}

// All else is in balance: a load that is left on cyclic directions has nothing to hold it.
Status Equilibrium::judge_unheld() {
  if (!note_unheld()) return Status::success();
  report_.unheld_only = true;
  report_.load = 0.0;
  Status status = Status::recoverable(Cause::singular_matrix);
  status.row = report_.unheld;
  return status;
}

}  // namespace trammel
