#include "trammel/dae/projection.h"

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

// A firm coordinate moves this many times less; ten times below 1/redundant_rows, so that it still yields to joints
// which contradict it, and the contradiction can be named.
constexpr double firm_weight = 1e8;
constexpr double massless_weight = 1e-3;  // of the smallest mass
// The regularization is a part of the mean of G W⁻¹ Gᵀ, or of a row's own entry where that is so much smaller: rows
// have units, and in a machine of micrometres those of directions, 1/J, are 1e12 times those of points, 1/m.
constexpr double small_row = 1e-3;
// Inverse iteration gains (σ_min/σ_next)⁴ each time: near a singular position one or two settle it.
constexpr int inverse_iterations = 4;

}  // namespace

Projection::Projection(const SecondOrderDae& dae, LinearSolverKind solver, std::vector<char> firm,
                       double regularization)
    : dae_(dae),
      firm_(std::move(firm)),
      regularization_(regularization),
      solver_(make_linear_solver<double>(solver, dae.nv() + dae.nc())) {
  x_.setZero(dae.nv() + dae.nc());
}

Status Projection::setup(const MotionPoint& p, const State& state, Workspace& workspace) {
  const int nv = dae_.nv(), nc = dae_.nc();
  const Status status = dae_.linearize(p, state, PlaneSet::M | PlaneSet::G, planes_, workspace);
  if (!status.ok()) return status;
  const Pattern& C = planes_.constraint;
  if (planes_.version != version_) {
    version_ = planes_.version;
    PatternBuilder builder(nv + nc, nv + nc);
    builder.add_diagonal();
    builder.add(C, nv, 0);
    builder.add(make_transposed(C).pattern, 0, nv);
    pattern_ = builder.build(version_);
    values_.assign(pattern_.nnz(), 0.0);
    if (const Status analyzed = solver_->analyze(pattern_); !analyzed.ok()) return analyzed;
  }
  W_.assign(nv, 0.0);
  double smallest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < nv; ++i) {
    W_[i] = planes_.M[planes_.motion.slot(i, i)];
    if (W_[i] > 0.0) smallest = std::min(smallest, W_[i]);
  }
  if (!std::isfinite(smallest)) smallest = 1.0;
  for (int i = 0; i < nv; ++i) {
    if (W_[i] <= 0.0) W_[i] = massless_weight * smallest;
    if (!firm_.empty() && firm_[i]) W_[i] *= firm_weight;
  }
  double sum = 0.0;
  square_.assign(nc, 0.0);
  std::fill(values_.begin(), values_.end(), 0.0);
  for (int c = 0; c < nv; ++c) {
    values_[pattern_.slot(c, c)] = W_[c];
    for (int k = C.start[c]; k < C.start[c + 1]; ++k) {
      values_[pattern_.slot(nv + C.index[k], c)] = planes_.G[k];
      values_[pattern_.slot(c, nv + C.index[k])] = planes_.G[k];
      const double square = planes_.G[k] * planes_.G[k] / W_[c];
      square_[C.index[k]] += square;
      sum += square;
    }
  }
  length_.resize(nc, 0.0);
  for (int r = 0; r < nc; ++r) {
    const double own = square_[r];
    length_[r] = std::max(length_[r], std::sqrt(own));
    const bool is_small = firm_.empty() && own > 0.0 && own < small_row * sum / nc;  // a firm row is small on purpose
    values_[pattern_.slot(nv + r, nv + r)] = is_small ? -regularization_ * own : -regularization_ * sum / nc;
  }
  return solver_->refactor(values_);
}

Status Projection::solve(ConstVec r, Vec delta) {
  const int nv = dae_.nv();
  x_.head(nv).setZero();
  x_.tail(dae_.nc()) = -r;
  const Status status = solver_->solve(x_);
  delta = x_.head(nv);
  return status;
}

// A = G W⁻¹ Gᵀ, L the lengths of the rows: n ← −L A⁻¹ L n by the factors of setup(), whose last rows are −A⁻¹.
double Projection::calc_smallest_singular_value(Vec rows) {
  const int nv = dae_.nv(), nc = dae_.nc();
  double square = 0.0;
  for (int k = 0; k < inverse_iterations; ++k) {
    rows /= rows.norm();
    x_.head(nv).setZero();
    for (int r = 0; r < nc; ++r) x_[nv + r] = length_[r] * rows[r];
    if (!solver_->solve(x_).ok()) return 0.0;
    for (int r = 0; r < nc; ++r) rows[r] = -length_[r] * x_[nv + r];
    square = 1.0 / rows.norm();
  }
  rows /= rows.norm();
  return std::sqrt(square);
}

}  // namespace trammel
