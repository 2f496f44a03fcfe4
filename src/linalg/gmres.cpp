// SPDX-License-Identifier: Apache-2.0
#include "trammel/linalg/gmres.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "kept_entries.h"
#include "trammel/base/error.h"
#include "trammel/linalg/guarded_ldlt.h"
#include "trammel/linalg/sparse_ldlt.h"
#include "trammel/linalg/sparse_matrix.h"

namespace trammel {

namespace {

/// ‖r‖ ≤ 4 ε (‖A‖ ‖x‖ + ‖b‖): no better x is expected from any solver.
constexpr double gmres_rounding = 4 * std::numeric_limits<double>::epsilon();
/// What is aimed at where `tol` is only what is accepted.
constexpr double guarded_goal = 1e-15;

template <class S>
class Gmres final : public LinearSolver<S> {
  using Vector = Eigen::Matrix<S, Eigen::Dynamic, 1>;
  using Matrix = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;

 public:
  explicit Gmres(const GmresOptions& options) : options_(options) {
    if (!(options.tol > 0 && options.tol < 1))
      throw InputError(fmt::format("gmres: tol = {} must lie in 0 < tol < 1", options.tol));
    if (options.restart < 1 || options.max_iterations < 1)
      throw InputError(fmt::format("gmres: restart = {} and max_iterations = {} must be at least 1", options.restart,
                                   options.max_iterations));
  }

  std::string_view name() const override { return "gmres"; }

 protected:
  Status do_analyze(const Pattern& pattern, const OrderingHint& hint) override {
    pattern_ = pattern;
    hint_ = hint;
    whole_ = nullptr, whole_left_ = 0;
    values_.assign(pattern.index.size(), S(0));
    const int n = pattern.n_cols, m = std::min(options_.restart, std::max(n, 1));
    basis_.setZero(n, m + 1);
    hessenberg_.setZero(m + 1, m);
    rhs_.setZero(m + 1);
    cosine_.setZero(m);
    sine_.setZero(m);
    b_.setZero(n);
    w_.setZero(n);
    weight_.setOnes(n);
    absolute_.setZero(n);
    return options_.preconditioner == Preconditioner::none ? Status::success() : analyze_preconditioner(hint);
  }

  // What was found of other values is forgotten.
  Status do_factor(std::span<const S> values) override {
    whole_ = nullptr, whole_left_ = 0;
    return update_preconditioner(values, false);
  }
  Status do_refactor(std::span<const S> values, bool& kept) override {
    kept = true;
    return update_preconditioner(values, true);
  }

  Status do_solve(std::span<S> b) override { return iterate(b, false); }
  Status do_solve_transposed(std::span<S> b) override { return iterate(b, true); }
  Cause pivot_cause() const override { return Cause::vanished_pivot; }

 private:
  static constexpr int patience = 20;  // matrices until the preconditioner is tried again

  Status analyze_preconditioner(const OrderingHint& hint) {
    KeptEntries kept = keep_entries(pattern_, hint, options_.preconditioner == Preconditioner::diagonal);
    from_ = std::move(kept.from);
    kept_values_.assign(from_.size(), S(0));
    preconditioner_ = make_sparse_ldlt<S>({.dense_kernel = options_.dense_kernel});
    return preconditioner_->analyze(kept.pattern, hint);
  }

  Status update_preconditioner(std::span<const S> values, bool again) {
    std::copy(values.begin(), values.end(), values_.begin());
    norm_ = 0;
    for (const S& value : values) norm_ = std::hypot(norm_, std::abs(value));
    if (options_.guarded) find_weights();
    this->set_nnz_factors(static_cast<long>(basis_.size()));
    this->set_smallest_pivot({});
    if (!preconditioner_) return Status::success();
    if (whole_left_ > 0 && --whole_left_ > 0) return factor_whole();
    for (std::size_t k = 0; k < from_.size(); ++k) kept_values_[k] = from_[k] < 0 ? S(1) : values[from_[k]];
    const Status status = again ? preconditioner_->refactor(kept_values_) : preconditioner_->factor(kept_values_);
    if (options_.guarded && !status.ok()) return begin_whole();
    this->set_nnz_factors(static_cast<long>(basis_.size()) + preconditioner_->counters().nnz_factors);
    this->set_smallest_pivot(preconditioner_->smallest_pivot());
    return status;
  }

  void find_weights() {
    weight_.setZero();
    for (std::size_t k = 0; k < values_.size(); ++k)
      weight_[pattern_.index[k]] = std::max(weight_[pattern_.index[k]], std::abs(values_[k]));
    for (double& weight : weight_) weight = weight > 0.0 ? 1.0 / weight : 1.0;
  }

  Status begin_whole() {
    whole_left_ = patience;
    return factor_whole();
  }

  Status factor_whole() {
    if (!whole_) {
      whole_ = make_guarded_ldlt<S>(
          {.dense_kernel = options_.dense_kernel, .iterate_above = std::numeric_limits<double>::infinity()});
      if (const Status status = whole_->analyze(pattern_, hint_); !status.ok()) return status;
    }
    this->add_handed_over();
    const Status status = whole_->refactor(values_);
    this->set_nnz_factors(static_cast<long>(basis_.size()) + whole_->counters().nnz_factors);
    this->set_smallest_pivot(whole_->smallest_pivot());
    return status;
  }

  /// y = W A x or Aᵀ x, W: the weights of rows.
  void multiply(const Eigen::Ref<const Vector>& x, Eigen::Ref<Vector> y, bool transposed) const {
    y.setZero();
    for (int j = 0; j < pattern_.n_cols; ++j)
      for (int k = pattern_.start[j]; k < pattern_.start[j + 1]; ++k) {
        if (transposed)
          y[j] += values_[k] * x[pattern_.index[k]];
        else
          y[pattern_.index[k]] += values_[k] * x[j];
      }
    if (options_.guarded && !transposed) y.array() *= weight_.template cast<S>().array();
  }

  /// ‖A‖ ‖x‖ + ‖b‖, or of the weighted rows ‖|A||x| + |b|‖.
  double calc_size(const Eigen::Ref<const Vector>& x, bool transposed) {
    if (!options_.guarded || transposed) return norm_ * x.norm() + b_.norm();
    absolute_.setZero();
    for (int j = 0; j < pattern_.n_cols; ++j)
      for (int k = pattern_.start[j]; k < pattern_.start[j + 1]; ++k)
        absolute_[pattern_.index[k]] += std::abs(values_[k]) * std::abs(x[j]);
    return (absolute_.cwiseProduct(weight_) + b_.cwiseAbs()).norm();
  }

  Status precondition(Vector& x, bool transposed) {
    if (!preconditioner_) return Status::success();
    if (options_.guarded && !transposed) x.array() /= weight_.template cast<S>().array();
    LinearSolver<S>& factors = whole_left_ > 0 ? *whole_ : *preconditioner_;
    return transposed ? factors.solve_transposed(Eigen::Ref<Vector>(x)) : factors.solve(Eigen::Ref<Vector>(x));
  }

  Status iterate(std::span<S> b, bool transposed) {
    Eigen::Map<Vector> x(b.data(), static_cast<Eigen::Index>(b.size()));
    if (x.size() == 0) return Status::success();
    b_ = x;
    if (options_.guarded && !transposed) b_.array() *= weight_.template cast<S>().array();
    const Status status = iterate_from_zero(x, transposed);
    const bool helps = options_.guarded && preconditioner_ && whole_left_ == 0;
    if (status.ok() || !helps) return status;
    if (const Status factors = begin_whole(); !factors.ok()) return factors;
    return iterate_from_zero(x, transposed);
  }

  Status iterate_from_zero(Eigen::Map<Vector>& x, bool transposed) {
    x.setZero();
    const double size = b_.norm(), goal = (options_.guarded ? guarded_goal : options_.tol) * size;
    int iterations = 0;
    basis_.col(0) = b_;
    for (double residual = size; residual > goal;) {
      const double reached = residual;
      if (const Status status = cycle(x, residual, goal, iterations, transposed); !status.ok()) return status;
      multiply(x, w_, transposed);
      basis_.col(0) = b_ - w_;
      residual = basis_.col(0).norm();
      if (residual <= gmres_rounding * calc_size(x, transposed)) break;
      const bool ends = !(residual < 0.99 * reached) || iterations >= options_.max_iterations;
      if (residual > options_.tol * size && ends) {
        this->add_iterations(iterations);
        return Status::recoverable(Cause::too_many_iterations);
      }
      if (ends) break;
    }
    this->add_iterations(iterations);
    return Status::success();
  }

  /// One cycle from the residual in column 0 of the basis: Arnoldi's process with modified Gram–Schmidt, the small
  /// least-squares problem by Givens rotations as it grows, then x += P⁻¹ V y.
  Status cycle(Eigen::Map<Vector>& x, double residual, double goal, int& iterations, bool transposed) {
    rhs_.setZero();
    rhs_[0] = S(residual);
    basis_.col(0) /= S(residual);
    int k = 0;
    while (k < hessenberg_.cols() && std::abs(rhs_[k]) > goal && iterations < options_.max_iterations) {
      w_ = basis_.col(k);
      if (const Status status = precondition(w_, transposed); !status.ok()) return status;
      multiply(w_, basis_.col(k + 1), transposed);
      for (int i = 0; i <= k; ++i) {
        hessenberg_(i, k) = basis_.col(i).dot(basis_.col(k + 1));
        basis_.col(k + 1) -= hessenberg_(i, k) * basis_.col(i);
      }
      const double length = basis_.col(k + 1).norm();
      hessenberg_(k + 1, k) = S(length);
      if (length > 0) basis_.col(k + 1) /= S(length);
      rotate(k);
      ++k;
      ++iterations;
      if (length == 0) break;  // the space is invariant: the solution lies in it
    }
    for (int i = k - 1; i >= 0; --i) {
      for (int j = i + 1; j < k; ++j) rhs_[i] -= hessenberg_(i, j) * rhs_[j];
      rhs_[i] /= hessenberg_(i, i);
    }
    w_.setZero();
    for (int i = 0; i < k; ++i) w_ += rhs_[i] * basis_.col(i);
    if (const Status status = precondition(w_, transposed); !status.ok()) return status;
    x += w_;
    return Status::success();
  }

  void rotate(int k) {
    using Eigen::numext::conj;
    for (int i = 0; i < k; ++i) {
      const S a = hessenberg_(i, k), b = hessenberg_(i + 1, k);
      hessenberg_(i, k) = conj(cosine_[i]) * a + conj(sine_[i]) * b;
      hessenberg_(i + 1, k) = -sine_[i] * a + cosine_[i] * b;
    }
    const S a = hessenberg_(k, k), b = hessenberg_(k + 1, k);
    const double r = std::hypot(std::abs(a), std::abs(b));
    cosine_[k] = r > 0 ? a / r : S(1);
    sine_[k] = r > 0 ? b / r : S(0);
    hessenberg_(k, k) = S(r);
    hessenberg_(k + 1, k) = S(0);
    rhs_[k + 1] = -sine_[k] * rhs_[k];
    rhs_[k] = conj(cosine_[k]) * rhs_[k];
  }

  GmresOptions options_;
  Pattern pattern_;
  std::vector<S> values_, kept_values_;
  std::vector<int> from_;  // slot of A of each entry of the preconditioner; −1: one
  std::unique_ptr<LinearSolver<S>> preconditioner_;
  OrderingHint hint_;
  std::unique_ptr<LinearSolver<S>> whole_;  // factors of A; null: not needed yet
  int whole_left_ = 0;                      // matrices still to come with them, this one included
  double norm_ = 0;                         // Frobenius
  Matrix basis_, hessenberg_;
  Vector rhs_, cosine_, sine_, b_, w_;
  Eigen::VectorXd weight_, absolute_;
};

}  // namespace

template <class S>
std::unique_ptr<LinearSolver<S>> make_gmres(const GmresOptions& options) {
  return std::make_unique<Gmres<S>>(options);
}

template std::unique_ptr<LinearSolver<double>> make_gmres(const GmresOptions&);
template std::unique_ptr<LinearSolver<std::complex<double>>> make_gmres(const GmresOptions&);

}  // namespace trammel
