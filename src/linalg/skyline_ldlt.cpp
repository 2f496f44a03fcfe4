// SPDX-License-Identifier: Apache-2.0
#include "trammel/linalg/skyline_ldlt.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "elimination_order.h"
#include "small_kernels.h"
#include "unpivoted_solver.h"

namespace trammel {

namespace {

/// Row i of L (without its diagonal 1) is L_[start_[i]] … for columns first_[i] … i − 1; column i of U likewise in U_.
template <class S>
class SkylineLdlt final : public UnpivotedSolver<S> {
 public:
  explicit SkylineLdlt(const UnpivotedOptions& options) : UnpivotedSolver<S>(options, "skyline_ldlt") {}
  std::string_view name() const override { return "skyline_ldlt"; }

 protected:
  PredictedWork choose_order(const Pattern& pattern, const OrderingHint& hint) override {
    const Graph graph = make_graph(pattern);
    order_ = order_for_profile(graph, find_multipliers(pattern, hint));
    const int n = graph.n();
    position_.resize(order_.size());
    for (int k = 0; k < n; ++k) position_[order_[k]] = k;
    first_.resize(order_.size());
    std::iota(first_.begin(), first_.end(), 0);
    start_.assign(order_.size() + 1, 0);
    double operations = 0.0;
    for (int k = 0; k < n; ++k) {
      for (const int neighbour : graph.neighbours(order_[k])) first_[k] = std::min(first_[k], position_[neighbour]);
      const double length = k - first_[k];
      start_[k + 1] = start_[k] + static_cast<std::size_t>(k - first_[k]);
      operations += 2.0 * length * length;
    }
    return {2.0 * static_cast<double>(start_.back()) + n, operations};
  }

  void complete_order(const Pattern& pattern, std::vector<int>& order) override {
    order = order_;
    const std::vector<int>& position = position_;
    entries_.clear();
    for (int j = 0; j < pattern.n_cols; ++j)
      for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k) {
        const int row = position[pattern.index[k]], col = position[j], later = std::max(row, col);
        const std::size_t to = start_[later] + static_cast<std::size_t>(std::min(row, col) - first_[later]);
        if (row == col)
          entries_.push_back({k, static_cast<std::size_t>(row), Part::diagonal});
        else
          entries_.push_back({k, to, row > col ? Part::lower : Part::upper});
      }
    L_.assign(start_.back(), S(0));
    U_.clear();
    inverse_pivot_.assign(order.size(), S(0));
  }

  int eliminate(std::span<const S> values, bool symmetric, std::span<S> pivot) override {
    symmetric_ = symmetric;
    if (!symmetric && U_.empty()) U_.assign(L_.size(), S(0));
    std::fill(L_.begin(), L_.end(), S(0));
    std::fill(U_.begin(), U_.end(), S(0));
    std::fill(pivot.begin(), pivot.end(), S(0));
    for (const Entry& e : entries_) {
      if (e.part == Part::diagonal)
        pivot[e.to] = values[e.slot];
      else if (e.part == Part::lower)
        L_[e.to] = values[e.slot];
      else if (!symmetric)
        U_[e.to] = values[e.slot];
    }
    for (std::size_t i = 0; i < pivot.size(); ++i) {
      pivot[i] -= symmetric ? eliminate_row_symmetric(i) : eliminate_row(i);
      if (!(std::abs(pivot[i]) > 0)) return static_cast<int>(i);
      inverse_pivot_[i] = S(1) / pivot[i];
    }
    return -1;
  }

  void substitute(std::span<S> x) override {
    forward(L_, x);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = product(x[i], inverse_pivot_[i]);
    backward(symmetric_ ? L_ : U_, x);
  }

  void substitute_transposed(std::span<S> x) override {
    forward(symmetric_ ? L_ : U_, x);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = product(x[i], inverse_pivot_[i]);
    backward(L_, x);
  }

  long count_numbers(bool symmetric) const override {
    return (symmetric ? 1 : 2) * static_cast<long>(L_.size()) + static_cast<long>(inverse_pivot_.size());
  }

 private:
  enum class Part : std::uint8_t { lower, upper, diagonal };
  struct Entry {
    int slot;
    std::size_t to;
    Part part;
  };

  /// g_j = a_ij − Σ_{k<j} g_k u_kj with g = l_i D, then l_ij = g_j / d_j; returns Σ g_j l_ij, what d_i loses.
  S eliminate_row_symmetric(std::size_t i) {
    S* g = L_.data() + start_[i];
    const int first = first_[i], n = static_cast<int>(i) - first;
    for (int j = 0; j < n; ++j) g[j] -= overlap(g, first, L_, first + j);
    S sum(0);
    for (int j = 0; j < n; ++j) {
      const S l = product(g[j], inverse_pivot_[static_cast<std::size_t>(first + j)]);
      sum += product(g[j], l);
      g[j] = l;
    }
    return sum;
  }

  /// The same for both triangles: g = l_i D against the columns of U, c = D u_i against the rows of L.
  S eliminate_row(std::size_t i) {
    S *g = L_.data() + start_[i], *c = U_.data() + start_[i];
    const int first = first_[i], n = static_cast<int>(i) - first;
    for (int j = 0; j < n; ++j) {
      g[j] -= overlap(g, first, U_, first + j);
      c[j] -= overlap(c, first, L_, first + j);
    }
    S sum(0);
    for (int j = 0; j < n; ++j) {
      const S inverse = inverse_pivot_[static_cast<std::size_t>(first + j)];
      const S u = product(c[j], inverse);
      sum += product(g[j], u);
      g[j] = product(g[j], inverse);
      c[j] = u;
    }
    return sum;
  }

  /// Σ_{k<j} g_k f_kj over the columns that both profiles hold; g starts at column `first`.
  S overlap(const S* g, int first, const std::vector<S>& factor, int j) const {
    const int from = std::max(first, first_[j]);
    return dot(g + (from - first), factor.data() + start_[j] + (from - first_[j]), j - from);
  }

  void forward(const std::vector<S>& factor, std::span<S> x) const {
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] -= dot(factor.data() + start_[i], x.data() + first_[i], static_cast<int>(i) - first_[i]);
  }

  void backward(const std::vector<S>& factor, std::span<S> x) const {
    for (std::size_t i = x.size(); i-- > 0;)
      subtract_product(x.data() + first_[i], static_cast<int>(i) - first_[i], factor.data() + start_[i], 0, &x[i], 0,
                       1);
  }

  std::vector<int> order_, position_, first_;
  std::vector<std::size_t> start_;
  std::vector<Entry> entries_;
  std::vector<S> L_, U_, inverse_pivot_;
  bool symmetric_ = false;
};

}  // namespace

template <class S>
std::unique_ptr<LinearSolver<S>> make_skyline_ldlt(const UnpivotedOptions& options) {
  return std::make_unique<SkylineLdlt<S>>(options);
}

template std::unique_ptr<LinearSolver<double>> make_skyline_ldlt(const UnpivotedOptions&);
template std::unique_ptr<LinearSolver<std::complex<double>>> make_skyline_ldlt(const UnpivotedOptions&);

}  // namespace trammel
