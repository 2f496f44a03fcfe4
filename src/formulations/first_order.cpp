// SPDX-License-Identifier: Apache-2.0
#include "trammel/formulations/first_order.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "first_order_scratch.h"
#include "trammel/dae/acceleration_solver.h"
#include "trammel/dae/consistency.h"
#include "trammel/math/rotations.h"
#include "trammel/mechanics/joint/joint_system.h"

namespace trammel {

namespace {

using Level = ConstraintForm::Level;

// ∂(Gᵀμ)/∂q matters to Newton only through μ, which is of the size of the local error: below this, in units of the
// machine's length, it is left out.
constexpr double noticeable_mu = 1e-6;

Vec3<double> chart_of(ConstVec y, int offset) { return y.segment<3>(offset); }

}  // namespace

FirstOrderForm::FirstOrderForm(const MechanicalSystem& system, const Options& options)
    : system_(system), index3_(system), options_(options), nv_(system.nv()), nz_(system.nz()), nc_(system.nc()) {
  std::vector<Kind> kinds(system.kinds_q().begin(), system.kinds_q().end());
  kinds.insert(kinds.end(), nv_, Kind::velocity);
  for (double e : system.E()) kinds.push_back(e != 0.0 ? Kind::internal : Kind::algebraic);
  const bool rates = options.form.rates;
  const int multipliers = stabilized() ? 2 * nc_ : nc_;
  kinds.insert(kinds.end(), multipliers, rates ? Kind::multiplier_rate : Kind::multiplier);
  const auto unknown = [this](int i) {
    if (i < nv_) return system_.describe_coordinate(i);
    if (i < z0()) return "rate of " + system_.describe_coordinate(i - nv_);
    if (i < lam0()) return system_.describe_state(i - z0());
    if (i < mu0()) return "multiplier of " + system_.describe_constraint(i - lam0());
    return "stabilizing multiplier of " + system_.describe_constraint(i - mu0());
  };
  const auto row = [this](int i) {
    if (i < nv_) return "kinematics of " + system_.describe_coordinate(i);
    if (i < z0()) return system_.describe_motion_row(i - nv_);
    if (i < lam0()) return "rate of " + system_.describe_state(i - z0());
    if (i < mu0()) return system_.describe_constraint(i - lam0());
    return "velocity of " + system_.describe_constraint(i - mu0());
  };
  layout_ = Layout(std::move(kinds), unknown, row);
  metric_.setOnes(nv_);
  for (int i = 0; i < nv_; ++i)
    if (system.kinds_q()[i] == Kind::rotation) metric_[i] /= options.length * options.length;
  for (int offset : system.chart_offsets())
    for (int k = 0; k < 3; ++k) chart_unknowns_.push_back(offset + k);
  if (options_.explicit_formalism) choose_formalism();
}

std::unique_ptr<Workspace> FirstOrderForm::make_workspace() const {
  auto scratch = std::make_unique<Scratch>();
  scratch->system = system_.make_workspace();
  scratch->axes.reset(system_.turning());
  scratch->zp.setZero(nz_);
  for (auto* x : {&scratch->lam, &scratch->mu, &scratch->phi, &scratch->phi_dot, &scratch->bias}) x->setZero(nc_);
  for (auto* x : {&scratch->kinematic, &scratch->body_rate, &scratch->acceleration, &scratch->rate, &scratch->rate_from,
                  &scratch->rate_to, &scratch->bend_from, &scratch->bend_to})
    x->setZero(nv_);
  for (auto* x : {&scratch->first_quarter, &scratch->last_quarter}) x->setZero(nz_);
  scratch->is_fast.assign(static_cast<std::size_t>(nz_), 0);
  scratch->between.resize(nv_, nz_, nc_);
  return scratch;
}

std::vector<int> FirstOrderForm::pivot_rows() const {
  std::vector<int> rows;
  if (!stabilized()) return rows;
  for (int i = 0; i < layout_.n(); ++i) rows.push_back(i);
  for (int r = 0; r < nc_; ++r)  // a nonholonomic row has no Φ, and its own row for μ = 0
    if (system_.holonomic()[r]) std::swap(rows[lam0() + r], rows[mu0() + r]);
  return rows;
}

std::vector<int> FirstOrderForm::own_rows() const {
  std::vector<int> rows(static_cast<std::size_t>(layout_.n()), -1);
  std::iota(rows.begin() + v0(), rows.begin() + z0(), 0);
  return rows;
}

void FirstOrderForm::pack(const MotionVariables& x, Vec y, Vec yp) const {
  y.setZero();
  yp.setZero();
  y.head(nv_) = x.q;
  y.segment(v0(), nv_) = x.v;
  y.segment(z0(), nz_) = x.z;
  system_.calc_q_rate(x.q, x.v, yp.head(nv_));
  yp.segment(v0(), nv_) = x.a;
  yp.segment(z0(), nz_) = x.zp;
  (options_.form.rates ? yp : y).segment(lam0(), nc_) = x.lam;
}

void FirstOrderForm::unpack(double t, ConstVec y, ConstVec yp, MotionVariables& x) const {
  x.t = t;
  x.q = y.head(nv_);
  x.v = y.segment(v0(), nv_);
  x.a = yp.segment(v0(), nv_);
  x.z = y.segment(z0(), nz_);
  x.zp = yp.segment(z0(), nz_);
  x.lam = (options_.form.rates ? yp : y).segment(lam0(), nc_);
}

MotionPoint FirstOrderForm::motion_point(const Point& p, Scratch& s) const {
  const bool rates = options_.form.rates;
  s.lam = (rates ? p.yp : p.y).segment(lam0(), nc_);
  if (stabilized()) s.mu = (rates ? p.yp : p.y).segment(mu0(), nc_);
  return {p.t,
          p.in,
          p.y.head(nv_),
          p.y.segment(v0(), nv_),
          p.yp.segment(v0(), nv_),
          p.y.segment(z0(), nz_),
          p.yp.segment(z0(), nz_),
          s.lam};
}

Status FirstOrderForm::residual(const Point& p, const State& state, Vec F, Workspace& workspace) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  const MotionPoint m = motion_point(p, s);
  const std::span<const char> holonomic = system_.holonomic();
  auto motion = F.segment(v0(), nv_);
  auto internal = F.segment(z0(), nz_);
  auto constraint = F.segment(lam0(), nc_);
  Status status = Status::success();
  s.kinematic.setZero();
  if (tree_ != nullptr)
    status = calc_explicit_rows(m, state, F, s);
  else if (stabilized() || options_.form.level == Level::velocities)
    status = system_.stabilized_residual(m, s.mu, state, motion, internal, s.phi, s.phi_dot, s.kinematic, *s.system);
  else
    status = system_.residual(m, state, motion, internal, s.phi, *s.system);
  if (!status.ok()) {  // rows of (motion, state, constraint) -> rows of F
    if (status.row >= 0) status.row += nv_;
    return status;
  }
  switch (options_.form.level) {
    case Level::positions:
      if (!stabilized()) constraint = s.phi;
      for (int r = 0; stabilized() && r < nc_; ++r) {
        constraint[r] = holonomic[r] ? s.phi[r] : s.phi_dot[r];
        F[mu0() + r] = holonomic[r] ? s.phi_dot[r] : s.mu[r];
      }
      break;
    case Level::velocities:
      constraint = s.phi_dot;
      break;
    case Level::accelerations: {
      status = system_.velocity_level(m, state, s.phi_dot, s.bias, *s.system);
      if (!status.ok()) return status;
      const double a = options_.baumgarte_alpha, b = options_.baumgarte_beta;
      system_.calc_G_times(m, state, m.a, constraint, *s.system);
      for (int r = 0; r < nc_; ++r)
        constraint[r] += s.bias[r] + (holonomic[r] ? 2.0 * a * s.phi_dot[r] + b * b * s.phi[r] : a * s.phi[r]);
      break;
    }
  }
  // (1) in body form
  auto kinematic = F.head(nv_);
  kinematic = p.yp.head(nv_) - p.y.segment(v0(), nv_) + metric_.cwiseProduct(s.kinematic);
  for (int offset : system_.chart_offsets()) {
    const Vec3<double> theta = chart_of(p.y, offset), rate = chart_of(p.yp, offset);
    kinematic.segment<3>(offset) += right_jacobian(theta) * rate - rate;
  }
  return Status::success();
}

// ---- derivatives ---------------------------------------------------------------------------------------------------

Pattern FirstOrderForm::make_pattern(const State& state) const {
  MotionPlanes m;
  MotionVariables at;
  at.resize(nv_, nz_, nc_);
  InputBuffer inputs;
  system_.calc_inputs(0.0, inputs);
  const std::unique_ptr<Workspace> workspace = system_.make_workspace();
  // Only the pattern is asked for, which no law can spoil: the point is not one of the motion.
  static_cast<void>(system_.linearize(at.point(inputs.view()), state, PlaneSet::none, m, *workspace));
  const int n = layout_.n();
  const Pattern Gt = make_transposed(m.constraint).pattern;
  PatternBuilder builder(n, n);
  for (int i = 0; i < nv_; ++i) {
    builder.add(i, i);
    builder.add(i, v0() + i);
  }
  for (int offset : system_.chart_offsets())
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) builder.add(offset + r, offset + c);
  builder.add(m.motion, v0(), 0);
  builder.add(m.motion, v0(), v0());
  builder.add(m.state_force, v0(), z0());
  builder.add(m.state_rate, z0(), 0);
  builder.add(m.state_rate, z0(), v0());
  builder.add(m.state_state, z0(), z0());
  builder.add(m.state_lam, z0(), lam0());
  builder.add(m.reaction, v0(), lam0());
  builder.add(Gt, v0(), lam0());
  builder.add(m.constraint, lam0(), 0);
  const bool velocities_in_constraints = options_.form.level != Level::positions;
  const std::span<const char> holonomic = system_.holonomic();
  for (int c = 0; c < nv_; ++c)
    for (int k = m.constraint.start[c]; k < m.constraint.start[c + 1]; ++k)
      if (velocities_in_constraints || !holonomic[m.constraint.index[k]])
        builder.add(lam0() + m.constraint.index[k], v0() + c);
  if (stabilized()) {
    builder.add(m.curvature.n_cols > 0 ? m.curvature : m.motion, 0, 0);  // ∂(Gᵀμ)/∂q
    builder.add(Gt, 0, mu0());
    builder.add(m.constraint, mu0(), 0);
    builder.add(m.constraint, mu0(), v0());
    for (int r = 0; r < nc_; ++r)
      if (!holonomic[r]) builder.add(mu0() + r, mu0() + r);
  }
  const Pattern pattern = builder.build(state.version + 1);
  return tree_ != nullptr ? spread_over_trees(pattern) : pattern;
}

void FirstOrderForm::build_slots(const MotionPlanes& m, const Pattern& pattern, Scratch& s) const {
  s.version = pattern.version;
  const auto map = [&](const Pattern& plane, int row, int column, std::vector<int>& to) {
    to.resize(plane.nnz());
    for (int c = 0; c < plane.n_cols; ++c)
      for (int k = plane.start[c]; k < plane.start[c + 1]; ++k) to[k] = pattern.slot(row + plane.index[k], column + c);
  };
  const auto map_transposed = [&](const Pattern& plane, int row, int column, std::vector<int>& to) {
    to.resize(plane.nnz());
    for (int c = 0; c < plane.n_cols; ++c)
      for (int k = plane.start[c]; k < plane.start[c + 1]; ++k) to[k] = pattern.slot(row + c, column + plane.index[k]);
  };
  map(m.motion, v0(), 0, s.motion_q);
  map(m.motion, v0(), v0(), s.motion_v);
  map(m.reaction, v0(), lam0(), s.reaction);
  map(m.state_force, v0(), z0(), s.force_z);
  map(m.state_rate, z0(), 0, s.rate_q);
  map(m.state_rate, z0(), v0(), s.rate_v);
  map(m.state_state, z0(), z0(), s.state_state);
  map(m.state_lam, z0(), lam0(), s.state_lam);
  map(m.constraint, lam0(), 0, s.constraint_q);
  map(m.constraint, lam0(), v0(), s.constraint_v);  // −1 where a holonomic row has no velocity columns
  map_transposed(m.constraint, v0(), lam0(), s.transposed);
  s.mu_diagonal.assign(nc_, -1);
  if (stabilized()) {
    map(m.motion, 0, 0, s.kinematic_q);  // −1 where constraints have no curvature
    map(m.constraint, mu0(), 0, s.rate_constraint_q);
    map(m.constraint, mu0(), v0(), s.rate_constraint_v);
    map_transposed(m.constraint, 0, mu0(), s.transposed_mu);
    s.metric_mu.resize(m.constraint.nnz());
    for (int c = 0; c < nv_; ++c)
      std::fill(s.metric_mu.begin() + m.constraint.start[c], s.metric_mu.begin() + m.constraint.start[c + 1],
                metric_[c]);
    for (int r = 0; r < nc_; ++r)
      if (!system_.holonomic()[r]) s.mu_diagonal[r] = pattern.slot(mu0() + r, mu0() + r);
  }
  s.motion_diagonal.resize(nv_);
  for (int i = 0; i < nv_; ++i) s.motion_diagonal[i] = pattern.slot(v0() + i, v0() + i);
  s.kinematic_diagonal.resize(nv_);
  s.kinematic_v.resize(nv_);
  for (int i = 0; i < nv_; ++i) {
    s.kinematic_diagonal[i] = pattern.slot(i, i);
    s.kinematic_v[i] = pattern.slot(i, v0() + i);
  }
  s.E.resize(nz_);
  for (int z = 0; z < nz_; ++z) s.E[z] = pattern.slot(z0() + z, z0() + z);
  s.chart.clear();
  for (int offset : system_.chart_offsets())
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r) s.chart.push_back(pattern.slot(offset + r, offset + c));
}

Status FirstOrderForm::linearize(const Point& p, const State& state, Planes& planes, Workspace& workspace) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  const MotionPoint point = motion_point(p, s);
  Status status = Status::success();
  if (tree_ != nullptr) {  // derivatives of φ are those of the residual at v̇ = φ, times −M⁻¹
    status = tree_->accelerate(point, state, s.acceleration, s.zp, *s.system);
    if (!status.ok()) return status;
  }
  const Eigen::Ref<const Eigen::VectorXd> rates =
      tree_ != nullptr ? Eigen::Ref<const Eigen::VectorXd>(s.acceleration) : point.a;
  const MotionPoint at{point.t, point.in, point.q, point.v, rates, point.z, point.zp, point.lam};
  status = system_.linearize(at, state, PlaneSet::all, s.m, *s.system);
  if (!status.ok()) return status;
  const MotionPlanes& m = s.m;
  if (s.version != planes.pattern.version || s.motion_q.size() != m.M.size()) build_slots(m, planes.pattern, s);
  s.axes.take(system_.turning(), p.y.head(nv_), state);
  planes.set_zero();
  std::vector<double>&Fy = planes.values[0], &Fyp = planes.values[1], &K_lam = planes.values[2];
  const std::span<const char> holonomic = system_.holonomic();
  const auto add = [](const std::vector<int>& slot, const std::vector<double>& from, double factor,
                      std::vector<double>& to) {
    for (std::size_t k = 0; k < from.size(); ++k) to[slot[k]] += factor * from[k];
  };
  // (1): δ[J_r(θ)θ̇] = J_r δθ̇ + N δβ, N = −J_r ∂(T ω)/∂θ T at ω = J_r θ̇
  for (int i = 0; i < nv_; ++i) {
    Fyp[s.kinematic_diagonal[i]] += 1.0;
    Fy[s.kinematic_v[i]] -= 1.0;
  }
  const int* chart_slot = s.chart.data();
  for (int offset : system_.chart_offsets()) {
    const Vec3<double> theta = chart_of(p.y, offset), rate = chart_of(p.yp, offset);
    const Mat3<double> J = right_jacobian(theta), T = inverse_right_jacobian(theta);
    const Mat3<double> N = -J * inverse_right_jacobian_derivative(theta, Vec3<double>(J * rate)) * T;
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r) Fy[*chart_slot++] += N(r, c);
  }
  // (2), (3)
  add(s.motion_v, m.M, 1.0, Fyp);
  add(s.motion_v, m.D, 1.0, Fy);
  add(s.motion_q, m.K, 1.0, Fy);
  add(s.motion_q, m.K_lam, 1.0, K_lam);
  add(s.force_z, m.f_z, 1.0, Fy);
  add(s.rate_q, m.g_q, 1.0, Fy);
  add(s.rate_v, m.g_v, 1.0, Fy);
  add(s.state_state, m.g_z, 1.0, Fy);
  for (int z = 0; z < nz_; ++z) Fyp[s.E[z]] += system_.E()[z];
  std::vector<double>& multiplier_plane = options_.form.rates ? Fyp : Fy;
  add(s.transposed, m.G, 1.0, multiplier_plane);
  add(s.reaction, m.f_lam, 1.0, multiplier_plane);
  add(s.state_lam, m.g_lam, 1.0, multiplier_plane);
  // (4), (5)
  const double a = options_.baumgarte_alpha, b = options_.baumgarte_beta;
  for (std::size_t k = 0; k < m.G.size(); ++k) {
    const bool positions = holonomic[m.constraint.index[k]];
    switch (options_.form.level) {
      case Level::positions:
        if (positions) {
          Fy[s.constraint_q[k]] += m.G[k];
        } else {
          Fy[s.constraint_q[k]] += m.Gv_q[k];
          Fy[s.constraint_v[k]] += m.G[k];
        }
        break;
      case Level::velocities:
        Fy[s.constraint_q[k]] += m.Gv_q[k];
        Fy[s.constraint_v[k]] += m.G[k];
        break;
      case Level::accelerations:
        // The terms (G v̇ + bias)_q are left out: Newton contracts with O(h²) instead of 0 from them.
        Fyp[s.constraint_v[k]] += m.G[k];
        Fy[s.constraint_v[k]] += 2.0 * m.Gv_q[k] + (positions ? 2.0 * a : a) * m.G[k];
        Fy[s.constraint_q[k]] += positions ? 2.0 * a * m.Gv_q[k] + b * b * m.G[k] : a * m.Gv_q[k];
        break;
    }
    if (stabilized() && positions) {
      multiplier_plane[s.transposed_mu[k]] += s.metric_mu[k] * m.G[k];
      Fy[s.rate_constraint_q[k]] += m.Gv_q[k];
      Fy[s.rate_constraint_v[k]] += m.G[k];
    }
  }
  if (stabilized()) {
    for (int r = 0; r < nc_; ++r)
      if (s.mu_diagonal[r] >= 0) multiplier_plane[s.mu_diagonal[r]] += 1.0;
    if (nc_ > 0 && s.mu.lpNorm<Eigen::Infinity>() > noticeable_mu * options_.length) {
      for (int r = 0; r < nc_; ++r) s.lam[r] = holonomic[r] ? s.mu[r] : 0.0;
      const MotionPoint with_mu{at.t, at.in, at.q, at.v, at.a, at.z, at.zp, s.lam};
      status = system_.linearize(with_mu, state, PlaneSet::K_lam, s.m_mu, *s.system);
      if (!status.ok()) return status;
      for (std::size_t k = 0; k < s.kinematic_q.size(); ++k)
        if (s.kinematic_q[k] >= 0) K_lam[s.kinematic_q[k]] += metric_[m.motion.index[k]] * s.m_mu.K_lam[k];
    }
  }
  return tree_ != nullptr ? solve_for_rates(planes, s) : Status::success();
}

bool FirstOrderForm::has_exact_rates() const {
  return !options_.form.rates && options_.form.level != Level::accelerations;
}

Status FirstOrderForm::update_rates(const Point& p, const State& state, Planes& planes, Workspace& workspace) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  const MotionPoint at = motion_point(p, s);
  const Status status = system_.linearize(at, state, PlaneSet::M, s.m, *s.system);
  if (!status.ok()) return status;
  if (s.version != planes.pattern.version || s.motion_q.size() != s.m.M.size()) build_slots(s.m, planes.pattern, s);
  std::vector<double>& Fyp = planes.F_yp();
  std::fill(Fyp.begin(), Fyp.end(), 0.0);
  for (const int slot : s.kinematic_diagonal) Fyp[slot] = 1.0;
  for (int z = 0; z < nz_; ++z) Fyp[s.E[z]] = system_.E()[z];
  if (tree_ != nullptr)
    for (const int slot : s.motion_diagonal) Fyp[slot] = 1.0;
  else
    for (std::size_t k = 0; k < s.m.M.size(); ++k) Fyp[s.motion_v[k]] += s.m.M[k];
  return status;
}

std::vector<char> FirstOrderForm::derived_columns() const {
  std::vector<char> derived(static_cast<std::size_t>(layout_.n()), 0);
  if (has_derived_columns()) std::fill(derived.begin() + mu0(), derived.end(), char{1});
  return derived;
}

void FirstOrderForm::derive_columns(Planes& planes) const {
  if (!has_derived_columns()) return;
  const Pattern& pattern = planes.pattern;
  std::vector<double>& Fy = planes.F_y();
  for (int i = 0; i < nv_; ++i)
    for (int k = pattern.start[i]; k < pattern.start[i + 1]; ++k) {
      const int r = pattern.index[k] - lam0();
      if (r >= 0 && r < nc_ && system_.holonomic()[r] && Fy[k] != 0.0)
        Fy[pattern.slot(i, mu0() + r)] = metric_[i] * Fy[k];
    }
  for (int r = 0; r < nc_; ++r)
    if (!system_.holonomic()[r]) Fy[pattern.slot(mu0() + r, mu0() + r)] = 1.0;
}

// ---- turning with the bodies ----------------------------------------------------------------------------------------

void FirstOrderForm::turn(const Point& p, const State& state, TurningAxes::To to, Vec x, Scratch& s) const {
  const TurningVectors turning = system_.turning();
  s.axes.update(turning, p.y.head(nv_), state);
  s.axes.turn_coordinates(turning, to, x.head(nv_));
  s.axes.turn_coordinates(turning, to, x.segment(v0(), nv_));
  s.axes.turn_rows(turning, to, x.segment(lam0(), nc_));
  if (stabilized()) s.axes.turn_rows(turning, to, x.segment(mu0(), nc_));
}

void FirstOrderForm::to_matrix_rows(const Point& p, const State& state, Vec F, Workspace& workspace) const {
  turn(p, state, TurningAxes::To::matrix, F, static_cast<Scratch&>(workspace));
}

void FirstOrderForm::from_matrix_columns(const Point& p, const State& state, Vec delta, Workspace& workspace) const {
  turn(p, state, TurningAxes::To::here, delta, static_cast<Scratch&>(workspace));
  for (int offset : system_.chart_offsets()) {
    const Vec3<double> beta = delta.segment<3>(offset);
    delta.segment<3>(offset) = inverse_right_jacobian(chart_of(p.y, offset)) * beta;
  }
}

// ---- hooks ---------------------------------------------------------------------------------------------------------

void FirstOrderForm::tested(Purpose purpose, std::span<double> mask, const Workspace&) const {
  TestSet set = purpose == Purpose::error ? options_.error_set : options_.corrector_set;
  if (set == TestSet::by_form && purpose == Purpose::corrector) set = TestSet::all;
  if (set == TestSet::by_form) set = options_.form.positions_alone() ? TestSet::positions : TestSet::states;
  const bool velocities = set == TestSet::states || set == TestSet::independent;
  for (int i = 0; i < layout_.n(); ++i) {
    const Kind kind = layout_.kinds()[i];
    const bool position = kind == Kind::position || kind == Kind::rotation;
    const bool state = position || kind == Kind::internal || (kind == Kind::velocity && velocities);
    mask[i] = set == TestSet::all || state ? 1.0 : 0.0;
  }
  for (const int i : options_.untested) mask[i] = mask[v0() + i] = 0.0;
}

// index3: v is of index 2 and λ of index 3; with Φ̇ = 0 beside the motion multipliers are of index 2. Rows A v + a = 0
// have multipliers of index 2 in both.
void FirstOrderForm::calc_indices(std::span<int> index) const {
  const bool positions = options_.form.positions_alone();
  if (positions && nc_ > 0)
    for (int i = 0; i < nv_; ++i) index[v0() + i] = 2;
  if (options_.form.rates || options_.form.level == Level::accelerations) return;
  for (int r = 0; r < nc_; ++r) {
    index[lam0() + r] = positions && system_.holonomic()[r] ? 3 : 2;
    if (stabilized()) index[mu0() + r] = 2;
  }
}

void FirstOrderForm::accepted(const Point& p, State& state, Workspace& workspace) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  const MotionPoint m = motion_point(p, s);
  s.body_rate = p.y.head(nv_);  // charts are moved by rebase, together with the history
  system_.accepted(m, std::numeric_limits<double>::infinity(), s.body_rate, state, *s.system);
}

Status FirstOrderForm::make_consistent(double t, State& state, Vec y, Vec yp, Workspace& workspace) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  MotionVariables x;
  x.resize(nv_, nz_, nc_);
  unpack(t, y, yp, x);
  InitialReport report;
  if (project_positions(index3_, {}, x, state, *s.system, report).failed() ||
      project_velocities(index3_, {}, x, state, *s.system, report).failed())
    return Status::recoverable(Cause::slow_convergence, lam0() + std::max(0, report.position_row));
  AccelerationSolver acceleration(index3_, LinearSolverKind::automatic);
  if (Status status = acceleration.solve(x, state, *s.system); !status.ok()) return status;
  pack(x, y, yp);
  return Status::success();
}

bool FirstOrderForm::wants_rebase(ConstVec y, const State&) const {
  for (int offset : system_.chart_offsets())
    if (chart_of(y, offset).squaredNorm() > options_.chart_threshold * options_.chart_threshold) return true;
  return false;
}

void FirstOrderForm::rebase(Eigen::Ref<Eigen::MatrixXd> points, State& state, Workspace&) const {
  constexpr int max_points = 16;
  std::array<Vec3<double>, max_points> mapped;
  const int n_points = static_cast<int>(points.cols());
  for (std::size_t c = 0; c < state.charts.size(); ++c) {
    const int row = 3 * static_cast<int>(c);
    const Vec3<double> newest = points.block<3, 1>(row, 0);
    if (newest.squaredNorm() <= options_.chart_threshold * options_.chart_threshold) continue;
    Chart moved = recentre(state.charts[c], newest);
    for (int i = 0; i < n_points; ++i) mapped[i] = points.block<3, 1>(row, i);
    map_points(state.charts[c], moved, std::span(mapped.data(), n_points));
    for (int i = 0; i < n_points; ++i) points.block<3, 1>(row, i) = mapped[i];
    moved.theta = mapped[0];
    state.charts[c] = moved;
  }
}

void FirstOrderForm::rebase_rates(ConstVec y, ConstVec y_moved, Vec yp) const {
  for (int offset : system_.chart_offsets()) {
    const Vec3<double> theta = chart_of(y, offset), moved = chart_of(y_moved, offset), rate = chart_of(yp, offset);
    if (theta == moved) continue;
    yp.segment<3>(offset) = inverse_right_jacobian(moved) * Vec3<double>(right_jacobian(theta) * rate);
  }
}

}  // namespace trammel
