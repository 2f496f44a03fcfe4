#include "trammel/dae/acceleration_solver.h"

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

constexpr int max_acceleration_iterations = 30;
// Corrections below this fraction of the largest value are rounding, not progress.
constexpr double relative_tol = 1e-12;

// Without M/h² + ρ GᵀG a massless coordinate leaves a zero on the diagonal of [M Gᵀ; G 0]: solvers that do not exchange
// rows are meant for steps only.
LinearSolverKind with_row_exchanges(LinearSolverKind kind) {
  const bool exchanges_rows = kind == LinearSolverKind::dense || kind == LinearSolverKind::sparse_lu;
  return exchanges_rows ? kind : LinearSolverKind::automatic;
}

std::vector<int> map_slots(const Pattern& plane, int row, int column, const Pattern& to) {
  std::vector<int> slots(plane.nnz());
  for (int c = 0; c < plane.n_cols; ++c)
    for (int k = plane.start[c]; k < plane.start[c + 1]; ++k) slots[k] = to.slot(row + plane.index[k], column + c);
  return slots;
}

// M of a machine of micrograms vanishes beside G: forces, rows and multipliers, are counted in a power of two near its
// largest mass. From a milligram on, the unit is 1 kg.
double calc_mass_unit(const std::vector<double>& M) {
  constexpr double ordinary_mass = 1e-6;
  double largest = 0.0;
  for (const double m : M) largest = std::max(largest, std::abs(m));
  return largest > 0.0 && largest < ordinary_mass ? std::exp2(std::floor(std::log2(largest))) : 1.0;
}

}  // namespace

AccelerationSolver::AccelerationSolver(const SecondOrderDae& dae, LinearSolverKind solver)
    : dae_(dae), solver_(make_linear_solver<double>(with_row_exchanges(solver), dae.nv() + dae.nz() + dae.nc())) {
  r_.setZero(dae.nv() + dae.nz() + dae.nc());
  bias_.setZero(dae.nc());
  phi_dot_.setZero(dae.nc());
}

// M shares its pattern with D and K, but springs and contacts that couple bodies have no part in it: an entry counts
// from the first time on when it is not zero. Thousands of bodies in contact have block-diagonal M.
bool AccelerationSolver::note_inertia() {
  if (planes_.version != version_) has_inertia_.assign(planes_.M.size(), 0);
  bool grown = planes_.version != version_;
  for (std::size_t k = 0; k < planes_.M.size(); ++k)
    if (planes_.M[k] != 0.0 && !has_inertia_[k]) has_inertia_[k] = 1, grown = true;
  return grown;
}

void AccelerationSolver::rebuild() {
  version_ = planes_.version;
  const int nv = dae_.nv(), nz = dae_.nz(), n = nv + nz + dae_.nc();
  const TransposedPattern Gt = make_transposed(planes_.constraint);
  PatternBuilder builder(n, n);
  for (int c = 0; c < nv; ++c) {
    builder.add(c, c);
    for (int k = planes_.motion.start[c]; k < planes_.motion.start[c + 1]; ++k)
      if (has_inertia_[k]) builder.add(planes_.motion.index[k], c);
  }
  builder.add(planes_.constraint, nv + nz, 0);
  builder.add(Gt.pattern, 0, nv + nz);
  builder.add(planes_.reaction, 0, nv + nz);
  builder.add(planes_.state_force, 0, nv);
  builder.add(planes_.state_state, nv, nv);
  builder.add(planes_.state_lam, nv, nv + nz);
  pattern_ = builder.build(version_);
  values_.assign(pattern_.nnz(), 0.0);
  M_ = map_slots(planes_.motion, 0, 0, pattern_);
  G_ = map_slots(planes_.constraint, nv + nz, 0, pattern_);
  Gt_.resize(planes_.constraint.nnz());
  for (int c = 0; c < nv; ++c)
    for (int k = planes_.constraint.start[c]; k < planes_.constraint.start[c + 1]; ++k)
      Gt_[k] = pattern_.slot(c, nv + nz + planes_.constraint.index[k]);
  reaction_ = map_slots(planes_.reaction, 0, nv + nz, pattern_);
  state_force_ = map_slots(planes_.state_force, 0, nv, pattern_);
  state_state_ = map_slots(planes_.state_state, nv, nv, pattern_);
  state_lam_ = map_slots(planes_.state_lam, nv, nv + nz, pattern_);
  E_.resize(nz);
  for (int z = 0; z < nz; ++z) E_[z] = pattern_.slot(nv + z, nv + z);
  static_cast<void>(solver_->analyze(pattern_));
}

Status AccelerationSolver::solve(MotionVariables& x, const State& state, Workspace& workspace) {
  const int nv = dae_.nv(), nz = dae_.nz(), nc = dae_.nc();
  const std::span<const double> E = dae_.E();
  dae_.calc_inputs(x.t, inputs_);
  const auto motion = r_.head(nv);
  auto internal = r_.segment(nv, nz);
  auto constraint = r_.tail(nc);
  for (int iteration = 0; iteration < max_acceleration_iterations; ++iteration) {
    const MotionPoint p = x.point(inputs_.view());
    Status status = dae_.residual(p, state, r_.head(nv), internal, constraint, workspace);
    if (!status.ok()) return status;
    status = dae_.velocity_level(p, state, phi_dot_, bias_, workspace);
    if (!status.ok()) return status;
    status =
        dae_.linearize(p, state, PlaneSet::M | PlaneSet::G | PlaneSet::f_lam | PlaneSet::internal, planes_, workspace);
    if (!status.ok()) return status;
    if (note_inertia()) rebuild();
    constraint = bias_;  // G v̇ + bias = 0
    for (int c = 0; c < nv; ++c)
      for (int k = planes_.constraint.start[c]; k < planes_.constraint.start[c + 1]; ++k)
        constraint[planes_.constraint.index[k]] += planes_.G[k] * x.a[c];

    const double unit = calc_mass_unit(planes_.M);
    std::fill(values_.begin(), values_.end(), 0.0);
    for (std::size_t k = 0; k < M_.size(); ++k)
      if (has_inertia_[k]) values_[M_[k]] += planes_.M[k] / unit;
    for (std::size_t k = 0; k < G_.size(); ++k) {
      values_[G_[k]] += planes_.G[k];
      values_[Gt_[k]] += planes_.G[k];
    }
    for (std::size_t k = 0; k < reaction_.size(); ++k) values_[reaction_[k]] += planes_.f_lam[k];
    for (std::size_t k = 0; k < state_lam_.size(); ++k) values_[state_lam_[k]] += planes_.g_lam[k] * unit;
    for (int z = 0; z < nz; ++z) {
      values_[E_[z]] += E[z];
      if (E[z] != 0.0) continue;  // algebraic: its column is z itself
      for (int k = planes_.state_force.start[z]; k < planes_.state_force.start[z + 1]; ++k)
        values_[state_force_[k]] += planes_.f_z[k] / unit;
      for (int k = planes_.state_state.start[z]; k < planes_.state_state.start[z + 1]; ++k)
        values_[state_state_[k]] += planes_.g_z[k];
    }
    status = solver_->refactor(values_);
    if (!status.ok()) return status;
    r_ = -r_;
    r_.head(nv) /= unit;
    status = solver_->solve(r_);
    if (!status.ok()) return status;
    constraint *= unit;

    x.a += motion;
    x.lam += constraint;
    for (int z = 0; z < nz; ++z) (E[z] != 0.0 ? x.zp[z] : x.z[z]) += internal[z];
    const double size = 1.0 + std::max({x.a.size() ? x.a.lpNorm<Eigen::Infinity>() : 0.0,
                                        x.lam.size() ? x.lam.lpNorm<Eigen::Infinity>() : 0.0});
    // Linear in (v̇, λ, ż) unless forces depend on λ: then the second correction is rounding.
    if (r_.size() == 0 || (iteration > 0 && r_.lpNorm<Eigen::Infinity>() <= relative_tol * size)) break;
    if (iteration == 1 && planes_.f_lam.empty() && planes_.g_lam.empty()) break;
    if (iteration + 1 == max_acceleration_iterations) return Status::recoverable(Cause::too_many_iterations);
  }
  return Status::success();
}

}  // namespace trammel
