// SPDX-License-Identifier: Apache-2.0
#include "trammel/linalg/petsc.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#include "aligned_rows.h"
#include "elimination_order.h"
#include "kept_entries.h"
#include "petsc_system.h"
#include "trammel/linalg/sparse_ldlt.h"

namespace trammel {

namespace {

/// ‖r‖ ≤ 4 ε (‖A‖ ‖x‖ + ‖b‖): no better x is expected, as of gmres.
constexpr double petsc_rounding = 4 * std::numeric_limits<double>::epsilon();

template <class S>
class PetscSolver final : public LinearSolver<S> {
  static constexpr int parts = std::is_same_v<S, double> ? 1 : 2;  // real unknowns of one of ours
  using Vector = Eigen::Matrix<S, Eigen::Dynamic, 1>;

 public:
  explicit PetscSolver(const PetscOptions& options) : options_(options) {}
  std::string_view name() const override { return "petsc"; }

 protected:
  Cause pivot_cause() const override { return Cause::vanished_pivot; }

  Status do_analyze(const Pattern& pattern, const OrderingHint& hint) override {
    system_.reset();
    naming_.reset();
    pattern_ = pattern;
    values_.assign(pattern.index.size(), S(0));
    const int n = pattern.n_cols;
    const AlignedRows rows = align_rows(pattern, hint.rows);
    const Pattern& aligned = rows.pattern;
    // Neighbours on one rank: along the machine.
    const std::vector<int> order = order_for_profile(make_graph(aligned), find_multipliers(aligned, hint));
    position_.assign(static_cast<std::size_t>(n), 0);
    for (int k = 0; k < n; ++k) position_[order[k]] = k;
    row_position_.assign(static_cast<std::size_t>(n), 0);
    for (int j = 0; j < n; ++j) row_position_[rows.row_of.empty() ? j : rows.row_of[j]] = position_[j];
    if (n == 0) return Status::success();
    system_ = std::make_unique<PetscSystem>(parts * n, options_);
    PetscHanded& handed = system_->handed;
    hand_over(pattern, row_position_, handed.row, handed.col);
    OrderingHint of_aligned = hint;
    of_aligned.rows.clear();
    KeptEntries kept = keep_entries(aligned, of_aligned, false);
    hand_over(kept.pattern, position_, handed.kept_row, handed.kept_col);
    for (int& from : kept.from) from = rows.slot_of[from];
    kept_from_ = std::move(kept.from);
    kept_values_.assign(kept_from_.size(), S(0));
    handed.a.assign(handed.row.size(), 0.0);
    handed.kept_a.assign(handed.kept_row.size(), 0.0);
    handed.x.assign(static_cast<std::size_t>(parts * n), 0.0);
    system_->run(PetscJob::pattern);
    naming_ = make_sparse_ldlt<S>();
    return naming_->analyze(kept.pattern, of_aligned);
  }

  Status do_factor(std::span<const S> values) override {
    if (this->n() == 0) return Status::success();
    std::copy(values.begin(), values.end(), values_.begin());
    norm_ = 0;
    for (const S& value : values) norm_ = std::hypot(norm_, std::abs(value));
    for (std::size_t k = 0; k < kept_from_.size(); ++k) kept_values_[k] = values[kept_from_[k]];
    PetscHanded& handed = system_->handed;
    hand_over(values_, handed.a);
    hand_over(kept_values_, handed.kept_a);
    this->set_nnz_factors(static_cast<long>(handed.a.size() + handed.kept_a.size()));
    this->set_smallest_pivot({});
    const std::span<const double> peak = this->column_peaks();
    if (const auto empty = std::find(peak.begin(), peak.end(), 0.0); empty != peak.end())
      return this->report_zero_pivot(static_cast<int>(empty - peak.begin()));
    if (system_->run(PetscJob::values) != 0) return Status::success();
    // PETSc does not tell whose pivot vanished: our own elimination of the preconditioner does.
    const Status status = naming_->factor(kept_values_);
    this->set_smallest_pivot({0.0, 0.0, naming_->smallest_pivot().unknown});
    return Status::recoverable(pivot_cause(), status.ok() ? naming_->smallest_pivot().unknown : status.row);
  }

  Status do_refactor(std::span<const S> values, bool& kept) override {
    kept = true;
    return do_factor(values);
  }

  Status do_solve(std::span<S> b) override { return iterate(b, false); }
  Status do_solve_transposed(std::span<S> b) override { return iterate(b, true); }

 private:
  // ---- in the order and with the numbers of PETSc
  void hand_over(const Pattern& pattern, const std::vector<int>& row_position, std::vector<int>& row,
                 std::vector<int>& col) const {
    row.clear(), col.clear();
    for (int j = 0; j < pattern.n_cols; ++j)
      for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k)
        for (int p = 0; p < parts; ++p)
          for (int q = 0; q < parts; ++q) {
            row.push_back(parts * row_position[pattern.index[k]] + p);
            col.push_back(parts * position_[j] + q);
          }
  }
  static void hand_over(const std::vector<S>& values, std::vector<double>& a) {
    if constexpr (parts == 1) {
      std::copy(values.begin(), values.end(), a.begin());
    } else {
      for (std::size_t k = 0; k < values.size(); ++k) {
        const double re = values[k].real(), im = values[k].imag();
        a[4 * k] = a[4 * k + 3] = re;  // (1)
        a[4 * k + 1] = -im;
        a[4 * k + 2] = im;
      }
    }
  }
  /// The transpose of (1) belongs to the conjugate of Aᵀ: Aᵀx = b is the conjugate of that system for x̄ and b̄.
  void put(const Vector& from, const std::vector<int>& position, bool conjugate) {
    std::vector<double>& x = system_->handed.x;
    for (Eigen::Index i = 0; i < from.size(); ++i) {
      if constexpr (parts == 1) {
        x[position[i]] = from[i];
      } else {
        x[2 * position[i]] = from[i].real();
        x[2 * position[i] + 1] = conjugate ? -from[i].imag() : from[i].imag();
      }
    }
  }
  void take(Eigen::Map<Vector>& to, const std::vector<int>& position, bool conjugate) const {
    const std::vector<double>& x = system_->handed.x;
    for (Eigen::Index i = 0; i < to.size(); ++i) {
      if constexpr (parts == 1)
        to[i] = x[position[i]];
      else
        to[i] = S(x[2 * position[i]], conjugate ? -x[2 * position[i] + 1] : x[2 * position[i] + 1]);
    }
  }

  /// ‖b − A x‖ or ‖b − Aᵀx‖.
  double residual_of(const Eigen::Map<Vector>& x, bool transposed) {
    r_ = b_;
    for (int j = 0; j < pattern_.n_cols; ++j)
      for (int k = pattern_.start[j]; k < pattern_.start[j + 1]; ++k) {
        if (transposed)
          r_[j] -= values_[k] * x[pattern_.index[k]];
        else
          r_[pattern_.index[k]] -= values_[k] * x[j];
      }
    return r_.norm();
  }

  Status iterate(std::span<S> b, bool transposed) {
    Eigen::Map<Vector> x(b.data(), static_cast<Eigen::Index>(b.size()));
    b_ = x;
    const double size = b_.norm();
    if (size == 0.0) return Status::success();
    put(b_, transposed ? position_ : row_position_, transposed);
    system_->run(PetscJob::right_side);
    double residual = size;
    for (int done = 0; done < options_.max_iterations;) {
      const int more = system_->run(PetscJob::iterate, transposed ? 1 : 0);
      done += std::max(more, 1);
      this->add_iterations(more);
      take(x, transposed ? row_position_ : position_, transposed);
      const double before = residual;
      residual = residual_of(x, transposed);
      if (residual <= options_.tol * size || residual <= petsc_rounding * (norm_ * x.norm() + size))
        return Status::success();
      if (residual < 0.99 * before || done < 2 * petsc_cycle) continue;
      // It stagnates: beside a matrix with rows of many sizes rounding leaves more.
      return residual <= 16 * petsc_rounding * (norm_ * x.norm() + size)
                 ? Status::success()
                 : Status::recoverable(Cause::too_many_iterations);
    }
    return Status::recoverable(Cause::too_many_iterations);
  }

  PetscOptions options_;
  std::unique_ptr<PetscSystem> system_;
  std::unique_ptr<LinearSolver<S>> naming_;
  Pattern pattern_;
  std::vector<int> position_, row_position_;  // of each unknown and of each matrix row, in PETSc's order
  std::vector<int> kept_from_;                // matrix slots of the preconditioner
  std::vector<S> values_, kept_values_;
  double norm_ = 0;  // Frobenius
  Vector b_, r_;
};

}  // namespace

template <class S>
std::unique_ptr<LinearSolver<S>> make_petsc(const PetscOptions& options) {
  return std::make_unique<PetscSolver<S>>(options);
}

template std::unique_ptr<LinearSolver<double>> make_petsc(const PetscOptions&);
template std::unique_ptr<LinearSolver<std::complex<double>>> make_petsc(const PetscOptions&);

}  // namespace trammel
