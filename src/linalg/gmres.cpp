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
    const int n = pattern.n_cols, m = std::min(options_.restart, std::max(n, 1));
    sort_by_rows();
    // Columns are written before they are read: memory that no iteration needs is never touched.
    basis_.resize(n, m + 1);
    directions_.resize(n, m);
    hessenberg_.setZero(m + 1, m);
    rhs_.setZero(m + 1);
    cosine_.setZero(m);
    sine_.setZero(m);
    b_.setZero(n);
    w_.setZero(n);
    weight_.setOnes(n);
    inverse_weight_.setOnes(n);
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

  /// Where the entries of each row are: products with A then write each number once.
  void sort_by_rows() {
    const std::size_t n_entries = pattern_.index.size();
    row_start_.assign(static_cast<std::size_t>(pattern_.n_rows) + 1, 0);
    column_.resize(n_entries), place_.resize(n_entries);
    values_.assign(n_entries, S(0));
    for (const int row : pattern_.index) ++row_start_[static_cast<std::size_t>(row) + 1];
    for (std::size_t i = 1; i < row_start_.size(); ++i) row_start_[i] += row_start_[i - 1];
    std::vector<int> next(row_start_.begin(), row_start_.end() - 1);
    for (int j = 0; j < pattern_.n_cols; ++j)
      for (int k = pattern_.start[j]; k < pattern_.start[j + 1]; ++k) {
        const int place = next[static_cast<std::size_t>(pattern_.index[k])]++;
        place_[static_cast<std::size_t>(k)] = place;
        column_[static_cast<std::size_t>(place)] = j;
      }
  }

  Status update_preconditioner(std::span<const S> values, bool again) {
    for (std::size_t k = 0; k < values.size(); ++k) values_[static_cast<std::size_t>(place_[k])] = values[k];
    norm_ = 0;
    for (const S& value : values) norm_ = std::hypot(norm_, std::abs(value));
    if (options_.guarded) weigh_rows();
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

  /// Rows to largest entries between 1/2 and 1, by powers of two: A itself is kept to the last bit.
  void weigh_rows() {
    for (int i = 0; i < pattern_.n_rows; ++i) {
      double largest = 0.0;
      for (int k = row_start_[i]; k < row_start_[i + 1]; ++k) largest = std::max(largest, std::abs(values_[k]));
      int exponent = 0;
      if (largest > 0.0 && std::isfinite(largest)) std::frexp(largest, &exponent);
      weight_[i] = std::ldexp(1.0, -exponent);
      inverse_weight_[i] = std::ldexp(1.0, exponent);
      for (int k = row_start_[i]; k < row_start_[i + 1]; ++k) values_[k] *= weight_[i];
    }
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
    whole_values_.resize(values_.size());
    for (std::size_t k = 0; k < values_.size(); ++k)
      whole_values_[k] = values_[static_cast<std::size_t>(place_[k])] * inverse_weight_[pattern_.index[k]];
    const Status status = whole_->refactor(whole_values_);
    this->set_nnz_factors(static_cast<long>(basis_.size()) + whole_->counters().nnz_factors);
    this->set_smallest_pivot(whole_->smallest_pivot());
    return status;
  }

  /// y = W A x or Aᵀ x, W: the weights of rows.
  void multiply(const Eigen::Ref<const Vector>& x, Eigen::Ref<Vector> y, bool transposed) const {
    if (transposed) {
      y.setZero();
      for (int i = 0; i < pattern_.n_rows; ++i) {
        const S xi = inverse_weight_[i] * x[i];
        for (int k = row_start_[i]; k < row_start_[i + 1]; ++k) y[column_[k]] += values_[k] * xi;
      }
      return;
    }
    for (int i = 0; i < pattern_.n_rows; ++i) {
      S sum(0);
      for (int k = row_start_[i]; k < row_start_[i + 1]; ++k) sum += values_[k] * x[column_[k]];
      y[i] = sum;
    }
  }

  /// ‖A‖ ‖x‖ + ‖b‖, or of the weighted rows ‖|A||x| + |b|‖.
  double calc_size(const Eigen::Ref<const Vector>& x, bool transposed) const {
    if (!options_.guarded || transposed) return norm_ * x.norm() + b_.norm();
    double square = 0.0;
    for (int i = 0; i < pattern_.n_rows; ++i) {
      double sum = std::abs(b_[i]);
      for (int k = row_start_[i]; k < row_start_[i + 1]; ++k) sum += std::abs(values_[k]) * std::abs(x[column_[k]]);
      square += sum * sum;
    }
    return std::sqrt(square);
  }

  /// z = P⁻¹ W⁻¹ v, or P⁻ᵀ v.
  Status precondition(const Eigen::Ref<const Vector>& v, Eigen::Ref<Vector> z, bool transposed) {
    z = v;
    if (!preconditioner_) return Status::success();
    if (!transposed) z.array() *= inverse_weight_.template cast<S>().array();
    LinearSolver<S>& factors = whole_left_ > 0 ? *whole_ : *preconditioner_;
    return transposed ? factors.solve_transposed(z) : factors.solve(z);
  }

  Status iterate(std::span<S> b, bool transposed) {
    Eigen::Map<Vector> x(b.data(), static_cast<Eigen::Index>(b.size()));
    if (x.size() == 0) return Status::success();
    b_ = x;
    if (!transposed) b_.array() *= weight_.template cast<S>().array();
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
      if (residual <= goal || residual <= gmres_rounding * calc_size(x, transposed)) break;
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
  /// least-squares problem by Givens rotations as it grows, then x += Z y, Z = P⁻¹ V.
  Status cycle(Eigen::Map<Vector>& x, double residual, double goal, int& iterations, bool transposed) {
    rhs_.setZero();
    rhs_[0] = S(residual);
    basis_.col(0) /= S(residual);
    int k = 0;
    while (k < hessenberg_.cols() && std::abs(rhs_[k]) > goal && iterations < options_.max_iterations) {
      if (const Status status = precondition(basis_.col(k), directions_.col(k), transposed); !status.ok())
        return status;
      multiply(directions_.col(k), basis_.col(k + 1), transposed);
      const double length = orthogonalize(k);
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
    for (int i = 0; i < k; ++i) x += rhs_[i] * directions_.col(i);
    return Status::success();
  }

  /// Takes columns 0 … k of the basis out of column k + 1 and returns what length is left. Each is subtracted while the
  /// product with the next one is formed, so that large vectors are read once.
  double orthogonalize(int k) {
    constexpr Eigen::Index chunk = 2048;
    const Eigen::Index n = basis_.rows();
    auto w = basis_.col(k + 1);
    hessenberg_(0, k) = basis_.col(0).dot(w);
    double square = 0.0;
    for (int i = 0; i <= k; ++i) {
      S next(0);
      for (Eigen::Index at = 0; at < n; at += chunk) {
        const Eigen::Index size = std::min(chunk, n - at);
        auto part = w.segment(at, size);
        part -= hessenberg_(i, k) * basis_.col(i).segment(at, size);
        if (i < k)
          next += basis_.col(i + 1).segment(at, size).dot(part);
        else
          square += part.squaredNorm();
      }
      if (i < k) hessenberg_(i + 1, k) = next;
    }
    return std::sqrt(square);
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
  std::vector<int> row_start_, column_, place_;  // of each row; of each entry, row by row; of each slot of the pattern
  std::vector<S> values_, kept_values_;          // W A, row by row; of the preconditioner
  std::vector<int> from_;                        // slot of A of each entry of the preconditioner; −1: one
  std::unique_ptr<LinearSolver<S>> preconditioner_;
  OrderingHint hint_;
  std::unique_ptr<LinearSolver<S>> whole_;  // factors of A; null: not needed yet
  std::vector<S> whole_values_;
  int whole_left_ = 0;                      // matrices still to come with them, this one included
  double norm_ = 0;                         // Frobenius
  Matrix basis_, directions_, hessenberg_;  // V, Z
  Vector rhs_, cosine_, sine_, b_, w_;
  Eigen::VectorXd weight_, inverse_weight_;  // powers of two
};

}  // namespace

template <class S>
std::unique_ptr<LinearSolver<S>> make_gmres(const GmresOptions& options) {
  return std::make_unique<Gmres<S>>(options);
}

template std::unique_ptr<LinearSolver<double>> make_gmres(const GmresOptions&);
template std::unique_ptr<LinearSolver<std::complex<double>>> make_gmres(const GmresOptions&);

}  // namespace trammel
