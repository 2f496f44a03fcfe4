// SPDX-License-Identifier: Apache-2.0
#include "trammel/formulations/coordinate_split.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "trammel/base/error.h"
#include "trammel/linalg/condition.h"

namespace trammel {

// ---- the split -----------------------------------------------------------------------------------------------------

void CoordinateSplit::analyze(const Pattern& Gt, std::vector<int> rows, std::span<const int> independent) {
  Gt_ = Gt;
  rows_ = rows;
  std::vector<char> excluded(static_cast<std::size_t>(Gt.n_rows), 0);
  for (const int i : independent) excluded[i] = 1;
  lu_.analyze(Gt, std::move(rows), std::move(excluded));
}

Status CoordinateSplit::choose(std::span<const double> Gt) {
  if (const Status status = lu_.factor(Gt); !status.ok()) return status;
  condition_ = lu_.estimate_ratio_norm();
  chosen_growth_ = lu_.growth();
  const std::size_t n = static_cast<std::size_t>(Gt_.n_rows);
  bool changed = false;
  chosen_.resize(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const char independent = is_independent(static_cast<int>(i)) ? 1 : 0;
    changed = changed || chosen_[i] != independent;
    chosen_[i] = independent;
  }
  if (changed && choices_ > 0) ++changes_;
  ++choices_;
  return Status::success();
}

void CoordinateSplit::project(Vec r, Vec s) const {
  lu_.solve(r, s);
  lu_.subtract(s, r);
  for (const int row : rows_) s[row] = -s[row];
}

Eigen::VectorXd CoordinateSplit::solve_tangent(ConstVec a, ConstVec b, std::span<const double> Gt) const {
  const int n = Gt_.n_rows, m = lu_.m(), p = n - m;
  std::vector<int> x, y(lu_.pivot_rows().begin(), lu_.pivot_rows().end());
  for (int i = 0; i < n; ++i)
    if (is_independent(i)) x.push_back(i);
  Eigen::MatrixXd GX = Eigen::MatrixXd::Zero(m, p), GY = Eigen::MatrixXd::Zero(m, m);
  Eigen::VectorXd right(m), u(n);
  for (int r = 0; r < m; ++r) {
    right[r] = b[rows_[r]];
    for (int k = Gt_.start[rows_[r]]; k < Gt_.start[rows_[r] + 1]; ++k) {
      for (int j = 0; j < p; ++j)
        if (x[j] == Gt_.index[k]) GX(r, j) = Gt[k];
      for (int j = 0; j < m; ++j)
        if (y[j] == Gt_.index[k]) GY(r, j) = Gt[k];
    }
  }
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(GY);
  const Eigen::MatrixXd Q = lu.solve(GX);
  Eigen::VectorXd ax(p);
  for (int j = 0; j < p; ++j) ax[j] = a[x[j]];
  const Eigen::VectorXd ux = (Eigen::MatrixXd::Identity(p, p) + Q.transpose() * Q)
                                 .ldlt()
                                 .solve(ax + Q.transpose() * lu.solve(right));  // (2.22)
  const Eigen::VectorXd uy = lu.solve(right - GX * ux);                         // (2.21)
  for (int j = 0; j < p; ++j) u[x[j]] = ux[j];
  for (int j = 0; j < m; ++j) u[y[j]] = uy[j];
  return u;
}

// ---- the form ------------------------------------------------------------------------------------------------------

struct CoordinateSplitForm::Scratch final : Workspace {
  static constexpr std::size_t max_stages = 3;  // of Radau
  std::unique_ptr<Workspace> form, system, derivatives;
  MotionPlanes m;
  std::uint64_t version = 0;  // of the patterns that the splits belong to
  TransposedPattern Gt;
  std::vector<double> Gt_values;
  bool reactions = false;  // forces or states depend on λ
  CoordinateSplit motion, kinematic;
  bool chosen = false;
  Status failure;  // of P at the prediction
  InputBuffer inputs;
  Eigen::VectorXd y, F, s_motion, s_kinematic;
  struct Sigma {
    Eigen::VectorXd motion, kinematic;  // λ − s₂, μ − s₁ of the residual that is being solved with
  };
  std::array<Sigma, max_stages> sigmas;  // of the points that are solved for at once
  int stage = 0;
  Eigen::VectorXd multipliers;  // λ, μ after the last correction

  const CoordinateSplit& kinematic_split(bool nonholonomic) const { return nonholonomic ? kinematic : motion; }
};

FirstOrderForm::Options CoordinateSplitForm::base_options(const Options& options) {
  FirstOrderForm::Options base = options.form;
  base.form = ConstraintForm::stabilized_index2;
  if (base.error_set == TestSet::by_form && options.iteration != Iteration::ggl_star)
    base.error_set = TestSet::independent;
  if (base.corrector_set == TestSet::by_form) base.corrector_set = TestSet::states;
  return base;
}

CoordinateSplitForm::CoordinateSplitForm(const MechanicalSystem& system, const Options& options)
    : FirstOrderForm(system, base_options(options)), options_(options) {
  options_.form = base_options(options);
  if (options.differences) {
    plain_ = std::make_unique<FirstOrderForm>(system, options_.form);
    differences_ = std::make_unique<DifferenceSystem>(*plain_, *options.differences);
  }
  for (const char holonomic : system.holonomic()) nonholonomic_ = nonholonomic_ || !holonomic;
}

std::unique_ptr<Workspace> CoordinateSplitForm::make_workspace() const {
  auto s = std::make_unique<Scratch>();
  s->form = FirstOrderForm::make_workspace();
  s->system = system().make_workspace();
  for (auto* x : {&s->y, &s->F}) x->setZero(layout().n());
  for (auto* x : {&s->s_motion, &s->s_kinematic}) x->setZero(nc());
  for (Scratch::Sigma& sigma : s->sigmas) sigma.motion.setZero(nc()), sigma.kinematic.setZero(nc());
  if (differences_) s->derivatives = differences_->make_workspace();
  s->multipliers.setZero(2 * nc());
  return s;
}

const CoordinateSplit& CoordinateSplitForm::motion_split(const Workspace& workspace) const {
  return static_cast<const Scratch&>(workspace).motion;
}

const CoordinateSplit& CoordinateSplitForm::kinematic_split(const Workspace& workspace) const {
  return static_cast<const Scratch&>(workspace).kinematic_split(nonholonomic_);
}

// P at every iterate?
bool CoordinateSplitForm::follows() const {
  return options_.iteration == Iteration::cs || options_.cm_mode == CmMode::matrix_only;
}

MotionPoint CoordinateSplitForm::motion_point(const Point& p) const {
  const int nv = v0(), nz = lam0() - z0();
  return {p.t,
          p.in,
          p.y.head(nv),
          p.y.segment(v0(), nv),
          p.yp.segment(v0(), nv),
          p.y.segment(z0(), nz),
          p.yp.segment(z0(), nz),
          p.y.segment(lam0(), nc())};
}

Status CoordinateSplitForm::evaluate_G(const Point& p, const State& state, Scratch& s) const {
  const Status status = system().linearize(motion_point(p), state, PlaneSet::G, s.m, *s.system);
  if (!status.ok()) return status;
  if (s.version != s.m.version || s.Gt_values.size() != s.m.G.size()) {
    s.version = s.m.version;
    s.Gt = make_transposed(s.m.constraint);
    s.Gt_values.resize(s.m.G.size());
    s.reactions = s.m.reaction.nnz() > 0 || s.m.state_lam.nnz() > 0;
    std::vector<int> all(static_cast<std::size_t>(nc())), holonomic;
    std::iota(all.begin(), all.end(), 0);
    for (const int row : all)
      if (system().holonomic()[row]) holonomic.push_back(row);
    s.motion.analyze(s.Gt.pattern, std::move(all), options_.independent);
    s.kinematic.analyze(s.Gt.pattern, std::move(holonomic), options_.independent);
  }
  for (std::size_t k = 0; k < s.Gt_values.size(); ++k) s.Gt_values[k] = s.m.G[s.Gt.from[k]];
  return status;
}

namespace {

// The row of G without a pivot -> its multiplier.
Status named(Status status, int lam0) {
  if (status.row >= 0) status.row += lam0;
  return status;
}

}  // namespace

Status CoordinateSplitForm::choose(const Point& p, const State& state, Scratch& s) const {
  s.chosen = false;
  Status status = evaluate_G(p, state, s);
  if (!status.ok()) return status;
  status = s.motion.choose(s.Gt_values);
  if (status.ok() && nonholonomic_) status = s.kinematic.choose(s.Gt_values);
  s.chosen = status.ok();
  return named(status, lam0());
}

Status CoordinateSplitForm::update(const Point& p, const State& state, Scratch& s) const {
  Status status = evaluate_G(p, state, s);
  if (!status.ok()) return status;
  status = s.motion.update(s.Gt_values);
  if (status.ok() && nonholonomic_) status = s.kinematic.update(s.Gt_values);
  s.chosen = s.chosen && status.ok();
  return named(status, lam0());
}

// r₁, r₂ of (2), the rows of states and constraints: the stabilized form with λ = μ = 0 in the constraint forces.
Status CoordinateSplitForm::bare_residual(const Point& p, const State& state, Vec F, Scratch& s) const {
  s.y = p.y;
  s.y.tail(2 * nc()).setZero();
  if (s.reactions) s.y.segment(lam0(), nc()) = p.y.segment(lam0(), nc());
  const Status status = FirstOrderForm::residual({p.t, p.in, s.y, p.yp}, state, F, *s.form);
  if (!status.ok() || !s.reactions) return status;
  const Pattern& G = s.m.constraint;
  for (int c = 0; c < v0(); ++c)
    for (int k = G.start[c]; k < G.start[c + 1]; ++k) F[v0() + c] -= s.m.G[k] * p.y[lam0() + G.index[k]];
  return status;
}

// Both projections; multipliers in s_kinematic and s_motion.
void CoordinateSplitForm::project(Vec F, Scratch& s) const {
  s.kinematic_split(nonholonomic_).project(F.head(v0()), s.s_kinematic);
  s.motion.project(F.segment(v0(), v0()), s.s_motion);
}

Status CoordinateSplitForm::residual(const Point& p, const State& state, Vec F, Workspace& workspace) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  if (!splits()) return FirstOrderForm::residual(p, state, F, *s.form);
  Status status = s.failure;
  if (status.ok() && s.motion.choices() == 0)
    status = choose(p, state, s);
  else if (status.ok() && !s.chosen)
    status = Status::recoverable(Cause::singular_matrix);
  else if (status.ok() && follows())
    status = update(p, state, s);
  else if (status.ok() && s.reactions)
    status = evaluate_G(p, state, s);
  if (!status.ok()) return status;
  status = bare_residual(p, state, F, s);
  if (!status.ok()) return status;
  project(F, s);
  const TallLu &kinematic = s.kinematic_split(nonholonomic_).lu(), &motion = s.motion.lu();
  for (int k = 0; k < kinematic.m(); ++k) {
    const int c = kinematic.pivot_columns()[k];
    F[kinematic.pivot_rows()[k]] = p.y[mu0() + c] - s.s_kinematic[c];
  }
  for (int k = 0; k < motion.m(); ++k) {
    const int c = motion.pivot_columns()[k];
    F[v0() + motion.pivot_rows()[k]] = p.y[lam0() + c] - s.s_motion[c];
  }
  for (int r = 0; r < nc(); ++r)
    if (!system().holonomic()[r]) F[mu0() + r] = p.y[mu0() + r];
  return status;
}

Status CoordinateSplitForm::linearize(const Point& p, const State& state, Planes& planes, Workspace& workspace) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  s.failure = Status::success();
  Status status = choose(p, state, s);
  if (!status.ok()) return status;
  if (!splits()) return linearize_form(p, state, planes, s);
  if (s.reactions) {
    status = system().linearize(motion_point(p), state, PlaneSet::f_lam | PlaneSet::internal, s.m, *s.system);
    if (!status.ok()) return status;
  }
  const bool newton = options_.iteration == Iteration::cs;
  if (newton) {
    status = bare_residual(p, state, s.F, s);
    if (!status.ok()) return status;
    project(s.F, s);
  }
  // Without K_λ: λ = μ = 0, or what forces depend on and the plane left out.
  s.y = p.y;
  if (newton) {
    s.y.segment(lam0(), nc()) = s.s_motion;
    s.y.segment(mu0(), nc()) = s.s_kinematic;
  } else {
    s.y.tail(s.reactions ? nc() : 2 * nc()).setZero();
  }
  status = linearize_form({p.t, p.in, s.y, p.yp}, state, planes, s);
  if (!newton && s.reactions) std::fill(planes.values[2].begin(), planes.values[2].end(), 0.0);
  return status;
}

// J of the stabilized form. By differences, ∂(Gᵀs)/∂q is no plane of its own and stays where forces depend on λ.
Status CoordinateSplitForm::linearize_form(const Point& p, const State& state, Planes& planes, Scratch& s) const {
  return differences_ ? differences_->linearize(p, state, planes, *s.derivatives)
                      : FirstOrderForm::linearize(p, state, planes, *s.form);
}

Pattern CoordinateSplitForm::make_pattern(const State& state) const {
  return differences_ ? differences_->make_pattern(state) : FirstOrderForm::make_pattern(state);
}

const DifferenceCounters* CoordinateSplitForm::difference_counters(const Workspace& workspace) const {
  return differences_ ? &differences_->counters(*static_cast<const Scratch&>(workspace).derivatives) : nullptr;
}

void CoordinateSplitForm::select_stage(int stage, Workspace& workspace) const {
  static_cast<Scratch&>(workspace).stage = stage;
}

// (6): rows of Y are σ = λ − s₂; where forces or states depend on λ, they see δλ = δs − σ.
void CoordinateSplitForm::to_matrix_rows(const Point& p, const State& state, Vec F, Workspace& workspace) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  if (splits()) {
    Scratch::Sigma& sigma = s.sigmas[s.stage];
    const TallLu &kinematic = s.kinematic_split(nonholonomic_).lu(), &motion = s.motion.lu();
    for (int k = 0; k < kinematic.m(); ++k)
      sigma.kinematic[kinematic.pivot_columns()[k]] = std::exchange(F[kinematic.pivot_rows()[k]], 0.0);
    for (int k = 0; k < motion.m(); ++k)
      sigma.motion[motion.pivot_columns()[k]] = std::exchange(F[v0() + motion.pivot_rows()[k]], 0.0);
    if (s.reactions) {
      for (int c = 0; c < nc(); ++c) {
        for (int k = s.m.reaction.start[c]; k < s.m.reaction.start[c + 1]; ++k)
          F[v0() + s.m.reaction.index[k]] -= s.m.f_lam[k] * sigma.motion[c];
        for (int k = s.m.state_lam.start[c]; k < s.m.state_lam.start[c + 1]; ++k)
          F[z0() + s.m.state_lam.index[k]] -= s.m.g_lam[k] * sigma.motion[c];
      }
    }
  }
  FirstOrderForm::to_matrix_rows(p, state, F, *s.form);
}

void CoordinateSplitForm::from_matrix_columns(const Point& p, const State& state, Vec delta,
                                              Workspace& workspace) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  FirstOrderForm::from_matrix_columns(p, state, delta, *s.form);
  if (!splits()) return;
  delta.segment(lam0(), nc()) -= s.sigmas[s.stage].motion;
  for (int r = 0; r < nc(); ++r)
    if (system().holonomic()[r]) delta[mu0() + r] -= s.sigmas[s.stage].kinematic[r];
  s.multipliers = p.y.tail(2 * nc()) + delta.tail(2 * nc());
}

bool CoordinateSplitForm::matrix_outdated(const Point&, const State&, const Workspace& workspace) const {
  const Scratch& s = static_cast<const Scratch&>(workspace);
  return splits() && s.chosen && (s.motion.outgrown() || (nonholonomic_ && s.kinematic.outgrown()));
}

bool CoordinateSplitForm::predicted(double t, const State& state, Vec y, ConstVec yp, Workspace& workspace) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  const bool freezes = options_.iteration == Iteration::cm && options_.cm_mode == CmMode::frozen_step;
  if (splits() && !(freezes && s.chosen)) return false;
  system().calc_inputs(t, s.inputs);
  const Point p{t, s.inputs.view(), y, yp};
  if (freezes) {
    s.failure = update(p, state, s);
    return false;
  }
  if (!choose(p, state, s).ok() || !bare_residual(p, state, s.F, s).ok()) return false;
  project(s.F, s);
  y.segment(lam0(), nc()) = s.s_motion;
  for (int r = 0; r < nc(); ++r) y[mu0() + r] = system().holonomic()[r] ? s.s_kinematic[r] : 0.0;
  return true;
}

bool CoordinateSplitForm::corrected(Vec y, Workspace& workspace) const {
  if (!splits()) return false;
  y.tail(2 * nc()) = static_cast<Scratch&>(workspace).multipliers;
  return true;
}

// Without a degree of freedom there is no independent coordinate, and everything is tested.
void CoordinateSplitForm::tested(Purpose purpose, std::span<double> mask, const Workspace& workspace) const {
  const Scratch& s = static_cast<const Scratch&>(workspace);
  FirstOrderForm::tested(purpose, mask, *s.form);
  const TestSet set = purpose == Purpose::error ? options_.form.error_set : options_.form.corrector_set;
  const bool independent = set == TestSet::independent || set == TestSet::independent_positions;
  if (!independent || !s.chosen || nc() == v0()) return;
  const CoordinateSplit& kinematic = s.kinematic_split(nonholonomic_);
  for (int i = 0; i < v0(); ++i) {
    if (!kinematic.is_independent(i)) mask[i] = 0.0;
    if (!s.motion.is_independent(i)) mask[v0() + i] = 0.0;
  }
}

void CoordinateSplitForm::accepted(const Point& p, State& state, Workspace& workspace) const {
  FirstOrderForm::accepted(p, state, *static_cast<Scratch&>(workspace).form);
}

Status CoordinateSplitForm::make_consistent(double t, State& state, Vec y, Vec yp, Workspace& workspace) const {
  return FirstOrderForm::make_consistent(t, state, y, yp, *static_cast<Scratch&>(workspace).form);
}

Status CoordinateSplitForm::interpolate(const Point& from, const Point& to, double t, const Polynomial& polynomial,
                                        const State& state, MotionVariables& x, Workspace& workspace) const {
  return FirstOrderForm::interpolate(from, to, t, polynomial, state, x, *static_cast<Scratch&>(workspace).form);
}

Status CoordinateSplitForm::calc_gap(const Point& from, const Point& to, double t, const Inputs& in, const State& state,
                                     double& gap, Workspace& workspace) const {
  return FirstOrderForm::calc_gap(from, to, t, in, state, gap, *static_cast<Scratch&>(workspace).form);
}

// ---- forced coordinates
// ----------------------------------------------------------------------------------------------

namespace {

// Beyond this a split has lost all digits that a tolerance of 1e-5 needs.
constexpr double singular_condition = 1e10;

double condition_of(const Pattern& Gt, std::span<const double> values, const std::vector<int>& Y) {
  if (Gt.n_cols > condition_svd_limit || static_cast<int>(Y.size()) != Gt.n_cols)
    return std::numeric_limits<double>::infinity();
  Eigen::MatrixXd GY = Eigen::MatrixXd::Zero(Gt.n_cols, Gt.n_cols);
  for (int r = 0; r < Gt.n_cols; ++r)
    for (int k = Gt.start[r]; k < Gt.start[r + 1]; ++k)
      for (std::size_t j = 0; j < Y.size(); ++j)
        if (Y[j] == Gt.index[k]) GY(r, static_cast<Eigen::Index>(j)) = values[k];
  return condition_number(GY);
}

}  // namespace

void CoordinateSplitForm::check_forced(const MotionVariables& at, const State& state) const {
  if (options_.independent.empty()) return;
  const std::unique_ptr<Workspace> workspace = make_workspace();
  Scratch& s = static_cast<Scratch&>(*workspace);
  std::string names;
  for (const int i : options_.independent)
    names += fmt::format("{}{}", names.empty() ? "" : "; ", system().describe_coordinate(i));
  const int freedoms = v0() - nc(), n_forced = static_cast<int>(options_.independent.size());
  if (n_forced > freedoms)
    throw InputError(
        fmt::format("solver.independent names {} coordinates ({}), but the machine has {} degrees of "
                    "freedom: as many coordinates can be independent",
                    n_forced, names, freedoms));
  Eigen::VectorXd y(layout().n()), yp(layout().n());
  pack(at, y, yp);
  system().calc_inputs(at.t, s.inputs);
  const Status status = choose({at.t, s.inputs.view(), y, yp}, state, s);
  std::vector<int> Y;
  if (status.ok())
    Y.assign(s.motion.lu().pivot_rows().begin(), s.motion.lu().pivot_rows().end());
  else if (n_forced == freedoms)
    for (int i = 0; i < v0(); ++i)
      if (std::find(options_.independent.begin(), options_.independent.end(), i) == options_.independent.end())
        Y.push_back(i);
  if (status.ok() && nc() > condition_svd_limit) return;
  const double condition = condition_of(s.Gt.pattern, s.Gt_values, Y);
  if (status.ok() && condition < singular_condition) return;
  throw InputError(
      fmt::format("solver.independent makes the split singular: with {} independent, the matrix GY of the dependent "
                  "coordinates has "
                  "the condition number {:.3g}, limit {:.0e}\n    usual cause : the joints determine the named "
                  "coordinates, or hold "
                  "them at a dead centre; name others, or none (pivots then choose)",
                  names, condition, singular_condition));
}

}  // namespace trammel
