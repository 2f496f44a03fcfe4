// SPDX-License-Identifier: Apache-2.0
#include "trammel/linalg/condensed_solver.h"

#include <algorithm>
#include <complex>

#include "small_kernels.h"
#include "trammel/linalg/predicted_work.h"

namespace trammel {

namespace {

template <class S>
class CondensedSolver final : public LinearSolver<S>, public WorkPrediction {
 public:
  explicit CondensedSolver(std::unique_ptr<LinearSolver<S>> inner) : inner_(std::move(inner)) {}
  std::string_view name() const override { return inner_->name(); }
  std::string_view dense_kernel() const override { return dense_kernel_of(*inner_); }

 protected:
  Status do_analyze(const Pattern& pattern, const OrderingHint& hint) override {
    take_out(pattern, hint);
    if (count_products() > fuller * pattern.index.size()) take_out(pattern, {});
    const Pattern condensed = make_condensed(pattern);
    values_.assign(condensed.index.size(), S(0));
    x_.assign(unknown_.size(), S(0));
    t_.assign(own_.size(), S(0));
    inverse_.assign(own_.size(), S(0));
    const Status status = named(inner_->analyze(condensed, make_hint(hint)));
    predict(predicted_work_of(*inner_));
    return status;
  }

  Status do_factor(std::span<const S> values) override { return factor_with(values, false); }

  Status do_refactor(std::span<const S> values, bool& kept) override {
    kept = inner_->factored();
    return factor_with(values, true);
  }

  Status do_solve(std::span<S> b) override {
    row_runs_.gather(b, x_);
    for (std::size_t e = 0; e < own_.size(); ++e) {
      const S t = t_[e] = product(b[own_[e].row], inverse_[e]);
      for (int k = V_.start[e]; k < V_.start[e + 1]; ++k) x_[V_.index[k]] -= product(V_.value[k], t);
    }
    const Status status = inner_->solve(x_);
    this->set_handed_over(inner_->counters().n_handed_over);
    if (!status.ok()) return named(status);
    unknown_runs_.scatter(x_, b);
    for (std::size_t e = 0; e < own_.size(); ++e) {
      S x = t_[e];
      for (int k = A_.start[e]; k < A_.start[e + 1]; ++k) x -= product(A_.value[k], x_[A_.index[k]]);
      b[own_[e].unknown] = x;
    }
    return status;
  }

  // The transposed of (3): (B − V P⁻¹A)ᵀ y = c − AᵀP⁻¹c_e, and P y_e = c_e − Vᵀ y.
  Status do_solve_transposed(std::span<S> b) override {
    unknown_runs_.gather(b, x_);
    for (std::size_t e = 0; e < own_.size(); ++e) {
      const S c = t_[e] = b[own_[e].unknown];
      for (int k = A_.start[e]; k < A_.start[e + 1]; ++k) x_[A_.index[k]] -= product(A_.value[k], c);
    }
    const Status status = inner_->solve_transposed(x_);
    this->set_handed_over(inner_->counters().n_handed_over);
    if (!status.ok()) return named(status);
    row_runs_.scatter(x_, b);
    for (std::size_t e = 0; e < own_.size(); ++e) {
      S c = t_[e];
      for (int k = V_.start[e]; k < V_.start[e + 1]; ++k) c -= product(V_.value[k], x_[V_.index[k]]);
      b[own_[e].row] = product(c, inverse_[e]);
    }
    return status;
  }

 private:
  static constexpr std::size_t fuller = 8;  // products per entry of the matrix at most

  struct Own {
    int unknown, row, slot;
  };
  // Numbers of a longer vector in ascending order: nearly always a few runs of neighbours.
  struct Runs {
    struct Run {
      int from, length;
    };
    std::vector<Run> runs;

    void take(const std::vector<int>& indices) {
      runs.clear();
      for (const int i : indices)
        if (!runs.empty() && runs.back().from + runs.back().length == i)
          ++runs.back().length;
        else
          runs.push_back({i, 1});
    }
    void gather(std::span<const S> from, std::vector<S>& to) const {
      auto next = to.begin();
      for (const Run& run : runs) next = std::copy_n(from.begin() + run.from, run.length, next);
    }
    void scatter(const std::vector<S>& from, std::span<S> to) const {
      auto next = from.begin();
      for (const Run& run : runs) {
        std::copy_n(next, run.length, to.begin() + run.from);
        next += run.length;
      }
    }
  };
  // Entries of V by columns, of P⁻¹A by rows; their places in (3).
  struct Entries {
    std::vector<int> start, index, slot;
    std::vector<S> value;

    void take(const std::vector<std::vector<std::pair<int, int>>>& lists) {
      start.assign(1, 0), index.clear(), slot.clear();
      for (const auto& list : lists) {
        for (const auto& [i, k] : list) index.push_back(i), slot.push_back(k);
        start.push_back(static_cast<int>(index.size()));
      }
      value.assign(index.size(), S(0));
    }
  };

  // Finds x_e, A and V; a list of own rows that is none takes nothing out.
  void take_out(const Pattern& pattern, const OrderingHint& hint) {
    const int n = pattern.n_cols;
    own_.clear(), row_.clear(), unknown_.clear();
    std::vector<int> of_row(static_cast<std::size_t>(n), -1), of_unknown = of_row, place(of_row);
    for (int j = 0; j < n && !hint.own_rows.empty(); ++j) {
      const int row = hint.own_rows[j], slot = row < 0 ? -1 : pattern.slot(row, j);
      if (slot < 0) continue;
      of_unknown[j] = of_row[row] = static_cast<int>(own_.size());
      own_.push_back({j, row, slot});
    }
    for (int i = 0; i < n; ++i) {
      if (of_row[i] >= 0) continue;
      place[i] = static_cast<int>(row_.size());
      row_.push_back(i);
    }
    std::vector<std::vector<std::pair<int, int>>> A(own_.size()), V(own_.size());
    for (int j = 0; j < n; ++j) {
      const bool stays = of_unknown[j] < 0;
      for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k) {
        const int i = pattern.index[k];
        if (stays && of_row[i] >= 0) A[of_row[i]].emplace_back(static_cast<int>(unknown_.size()), k);
        if (!stays && of_row[i] < 0) V[of_unknown[j]].emplace_back(place[i], k);
        if (!stays && of_row[i] >= 0 && of_row[i] != of_unknown[j]) return take_out(pattern, {});  // P not diagonal
      }
      if (stays) unknown_.push_back(j);
    }
    A_.take(A), V_.take(V);
    row_runs_.take(row_), unknown_runs_.take(unknown_);
  }

  std::size_t count_products() const {
    std::size_t n = 0;
    for (std::size_t e = 0; e < own_.size(); ++e)
      n += static_cast<std::size_t>(V_.start[e + 1] - V_.start[e]) * (A_.start[e + 1] - A_.start[e]);
    return n;
  }

  // The pattern of (3), and where its terms go.
  Pattern make_condensed(const Pattern& pattern) {
    const int n = static_cast<int>(unknown_.size());
    std::vector<int> place(static_cast<std::size_t>(pattern.n_rows), -1);
    for (std::size_t i = 0; i < row_.size(); ++i) place[row_[i]] = static_cast<int>(i);
    PatternBuilder builder(n, n);
    const auto each_direct = [&](auto&& use) {
      for (int c = 0; c < n; ++c)
        for (int k = pattern.start[unknown_[c]]; k < pattern.start[unknown_[c] + 1]; ++k)
          if (place[pattern.index[k]] >= 0) use(place[pattern.index[k]], c, k);
    };
    const auto each_product = [&](auto&& use) {
      for (std::size_t e = 0; e < own_.size(); ++e)
        for (int v = V_.start[e]; v < V_.start[e + 1]; ++v)
          for (int a = A_.start[e]; a < A_.start[e + 1]; ++a) use(V_.index[v], A_.index[a]);
    };
    each_direct([&](int r, int c, int) { builder.add(r, c); });
    each_product([&](int r, int c) { builder.add(r, c); });
    Pattern condensed = builder.build(pattern.version);
    direct_from_.clear(), direct_to_.clear(), product_to_.clear();
    each_direct([&](int r, int c, int k) { direct_from_.push_back(k), direct_to_.push_back(condensed.slot(r, c)); });
    each_product([&](int r, int c) { product_to_.push_back(condensed.slot(r, c)); });
    return condensed;
  }

  // An unknown that had its pivot in a row that is gone has it where the unknown of that row had its own: q where v
  // had.
  OrderingHint make_hint(const OrderingHint& hint) const {
    OrderingHint inner;
    std::vector<int> place(static_cast<std::size_t>(this->n()), -1), unknown_of(place);
    for (std::size_t i = 0; i < row_.size(); ++i) place[row_[i]] = static_cast<int>(i);
    for (const Own& own : own_) unknown_of[own.row] = own.unknown;
    for (const int j : unknown_) {
      if (!hint.roles.empty()) inner.roles.push_back(hint.roles[j]);
      if (!hint.blocks.empty()) inner.blocks.push_back(hint.blocks[j]);
      int row = hint.rows.empty() ? j : hint.rows[j];
      while (unknown_of[row] >= 0) row = hint.rows.empty() ? unknown_of[row] : hint.rows[unknown_of[row]];
      inner.rows.push_back(place[row]);
    }
    return inner;
  }

  Status factor_with(std::span<const S> values, bool keeps) {
    for (std::size_t e = 0; e < own_.size(); ++e) {
      const S pivot = values[own_[e].slot];
      if (pivot == S(0)) return this->report_zero_pivot(own_[e].unknown);
      inverse_[e] = S(1) / pivot;
    }
    for (std::size_t k = 0; k < V_.slot.size(); ++k) V_.value[k] = values[V_.slot[k]];
    std::fill(values_.begin(), values_.end(), S(0));
    for (std::size_t k = 0; k < direct_from_.size(); ++k) values_[direct_to_[k]] = values[direct_from_[k]];
    const int* to = product_to_.data();
    for (std::size_t e = 0; e < own_.size(); ++e) {
      for (int a = A_.start[e]; a < A_.start[e + 1]; ++a) A_.value[a] = product(values[A_.slot[a]], inverse_[e]);
      for (int v = V_.start[e]; v < V_.start[e + 1]; ++v)
        for (int a = A_.start[e]; a < A_.start[e + 1]; ++a) values_[*to++] -= product(V_.value[v], A_.value[a]);
    }
    const Status status = keeps ? inner_->refactor(values_) : inner_->factor(values_);
    Pivot pivot = inner_->smallest_pivot();
    if (pivot.unknown >= 0) pivot.unknown = unknown_[pivot.unknown];
    this->set_smallest_pivot(pivot);
    this->set_handed_over(inner_->counters().n_handed_over);
    this->set_nnz_factors(inner_->counters().nnz_factors +
                          static_cast<long>(V_.value.size() + A_.value.size() + inverse_.size()));
    return named(status);
  }

  // Rows and unknowns of (3) -> those of the matrix.
  Status named(Status status) const {
    if (status.row >= 0) status.row = status.cause == Cause::not_finite ? row_[status.row] : unknown_[status.row];
    return status;
  }

  std::unique_ptr<LinearSolver<S>> inner_;
  std::vector<Own> own_;
  std::vector<int> row_, unknown_;  // of (3)
  Runs row_runs_, unknown_runs_;
  Entries A_, V_;
  std::vector<int> direct_from_, direct_to_, product_to_;
  std::vector<S> values_, x_, t_, inverse_;
};

}  // namespace

template <class S>
std::unique_ptr<LinearSolver<S>> make_condensed_solver(std::unique_ptr<LinearSolver<S>> inner) {
  return std::make_unique<CondensedSolver<S>>(std::move(inner));
}

template std::unique_ptr<LinearSolver<double>> make_condensed_solver(std::unique_ptr<LinearSolver<double>>);
template std::unique_ptr<LinearSolver<std::complex<double>>> make_condensed_solver(
    std::unique_ptr<LinearSolver<std::complex<double>>>);

}  // namespace trammel
