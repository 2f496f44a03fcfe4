// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/projection.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/base/memory.h"
#include "trammel/dae/mass_unit.h"

namespace trammel {

namespace {

// A firm coordinate moves this many times less; ten times below 1/redundant_rows, so that it still yields to joints
// which contradict it, and the contradiction can be named.
constexpr double firm_weight = 1e8;
constexpr double massless_weight = 1e-3;  // of the smallest mass
// The regularization is a part of the mean of G W⁻¹ Gᵀ, or of a row's own entry where that is so much smaller: rows
// have units, and in a machine of micrometres those of directions, 1/J, are 1e12 times those of points, 1/m.
constexpr double small_row = 1e-3;
// Inverse iteration gains (σ_i/σ_{k+1})² each time, beginning with the vectors found last.
constexpr int inverse_iterations = 3;

// H ← diagonal, falling, by Jacobi's rotations, of which N's columns take part: for the few that are wanted here.
void diagonalize(Eigen::MatrixXd& H, Eigen::Ref<Eigen::MatrixXd> N) {
  constexpr int sweeps = 8;
  const Eigen::Index k = H.cols();
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (Eigen::Index i = 0; i < k; ++i)
      for (Eigen::Index j = i + 1; j < k; ++j) {
        const double off = 0.5 * (H(i, j) + H(j, i));
        if (!(std::abs(off) > 1e-15 * std::sqrt(std::abs(H(i, i) * H(j, j))))) continue;
        const double angle = 0.5 * std::atan2(2.0 * off, H(i, i) - H(j, j)), c = std::cos(angle), s = std::sin(angle);
        for (Eigen::Index r = 0; r < N.rows(); ++r) {
          const double a = N(r, i), b = N(r, j);
          N(r, i) = c * a + s * b, N(r, j) = c * b - s * a;
        }
        for (Eigen::Index r = 0; r < k; ++r) {
          const double a = H(r, i), b = H(r, j);
          H(r, i) = c * a + s * b, H(r, j) = c * b - s * a;
        }
        for (Eigen::Index r = 0; r < k; ++r) {
          const double a = H(i, r), b = H(j, r);
          H(i, r) = c * a + s * b, H(j, r) = c * b - s * a;
        }
      }
  for (Eigen::Index i = 0; i < k; ++i)
    for (Eigen::Index j = i + 1; j < k; ++j)
      if (H(j, j) > H(i, i)) {
        std::swap(H(i, i), H(j, j));
        for (Eigen::Index r = 0; r < N.rows(); ++r) std::swap(N(r, i), N(r, j));
      }
}

}  // namespace

Projection::Projection(const SecondOrderDae& dae, LinearSolverChoice solver, std::vector<char> firm,
                       double regularization)
    : dae_(dae),
      firm_(std::move(firm)),
      regularization_(regularization),
      solver_(make_linear_solver<double>(solver, dae.nv() + dae.nc())) {
  x_.setZero(dae.nv() + dae.nc());
}

void Projection::remember(Memory& memory) {
  memory.keep(length_);
  memory.keep(mass_unit_);
  version_ = std::numeric_limits<std::uint64_t>::max();
  memory.leave(dae_, firm_, regularization_, solver_, planes_, pattern_, values_, W_, square_, x_, image_, H_);
}

Status Projection::setup(const MotionPoint& p, const State& state, Workspace& workspace) {
  const int nv = dae_.nv(), nc = dae_.nc();
  const Status status = dae_.linearize(p, state, PlaneSet::M | PlaneSet::mass | PlaneSet::G, planes_, workspace);
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
    OrderingHint hint;
    hint.roles.assign(static_cast<std::size_t>(nv), UnknownRole::coordinate);
    hint.roles.insert(hint.roles.end(), nc, UnknownRole::multiplier);
    if (const Status analyzed = solver_->analyze(pattern_, hint); !analyzed.ok()) return analyzed;
  }
  W_.assign(nv, 0.0);
  double smallest = std::numeric_limits<double>::infinity();
  if (mass_unit_ == 0.0) mass_unit_ = calc_mass_unit(planes_.M);
  for (int i = 0; i < nv; ++i) {
    W_[i] = planes_.M[planes_.motion.slot(i, i)] / mass_unit_;
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

// A = G W⁻¹ Gᵀ, L the lengths of the rows: N ← −L A⁻¹ L N by the factors of setup(), whose last rows are −A⁻¹; the
// columns of N are made orthonormal, and their mean values H = Nᵀ L A⁻¹ L N turned to diagonal form.
Status Projection::calc_smallest_singular_values(Eigen::Ref<Eigen::MatrixXd> N, Vec sigma) {
  const int nv = dae_.nv(), nc = dae_.nc();
  const Eigen::Index k = N.cols();
  image_.resize(nc, k);
  H_.resize(k, k);
  const auto orthonormalize = [&] {
    for (Eigen::Index i = 0; i < k; ++i) {
      for (int twice = 0; twice < 2; ++twice)
        for (Eigen::Index j = 0; j < i; ++j) N.col(i) -= N.col(j).dot(N.col(i)) * N.col(j);
      if (const double norm = N.col(i).norm(); norm > 0.0) N.col(i) /= norm;
    }
  };
  const auto apply = [&] {
    for (Eigen::Index j = 0; j < k; ++j) {
      x_.head(nv).setZero();
      for (int r = 0; r < nc; ++r) x_[nv + r] = length_[r] * N(r, j);
      if (const Status status = solver_->solve(x_); !status.ok()) return status;
      for (int r = 0; r < nc; ++r) image_(r, j) = -length_[r] * x_[nv + r];
    }
    return Status::success();
  };
  orthonormalize();
  for (int iteration = 0; iteration < inverse_iterations; ++iteration) {
    if (const Status status = apply(); !status.ok()) return status;
    if (iteration + 1 == inverse_iterations) break;
    N = image_;
    orthonormalize();
  }
  H_.noalias() = N.transpose() * image_;
  diagonalize(H_, N);
  for (Eigen::Index i = 0; i < k; ++i) sigma[i] = H_(i, i) > 0.0 ? 1.0 / std::sqrt(H_(i, i)) : 0.0;
  return Status::success();
}

}  // namespace trammel
