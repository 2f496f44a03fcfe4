// SPDX-License-Identifier: Apache-2.0
#include "trammel/linalg/rank.h"

#include <fmt/format.h>
#include <SuiteSparseQR.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <queue>
#include <utility>

#include "trammel/base/error.h"
#include "trammel/linalg/dense_decompositions.h"

namespace trammel {

namespace {

/// What is left of columns of length 1 after a back substitution that should have given zero; not spread any further.
constexpr double null_rounding = 1e-14;

/// Entries of a null vector below this part of its largest one are rounding. Not larger: rows that are nearly dependent
/// (by 1e-7, say) give vectors with entries of 1e7 that cancel later, and what was dropped would then matter.
constexpr double noise = 1e-15;

/// A row with less than this share in a dependence (rows of length 1) is not blamed for it: without that row the others
/// would still be dependent to within this number, and dropping it would help nobody.
constexpr double significance = 1e-4;

using SparseVector = std::vector<DependentRow::Term>;  // ascending rows

double largest(const SparseVector& v) {
  double peak = 0;
  for (const DependentRow::Term& term : v) peak = std::max(peak, std::abs(term.coefficient));
  return peak;
}

void drop_below(SparseVector& v, double part) {
  const double limit = part * largest(v);
  std::erase_if(v, [&](const DependentRow::Term& term) { return !(std::abs(term.coefficient) > limit); });
}

/// v − factor · w without the entry in `row`, which cancels.
SparseVector subtract(const SparseVector& v, double factor, const SparseVector& w, int row) {
  SparseVector out;
  out.reserve(v.size() + w.size());
  auto a = v.begin();
  auto b = w.begin();
  while (a != v.end() || b != w.end()) {
    DependentRow::Term term{0, 0.0};
    if (b == w.end() || (a != v.end() && a->row < b->row)) {
      term = *a++;
    } else if (a == v.end() || b->row < a->row) {
      term = {b->row, -factor * b->coefficient};
      ++b;
    } else {
      term = {a->row, a->coefficient - factor * b->coefficient};
      ++a;
      ++b;
    }
    if (term.row != row) out.push_back(term);
  }
  drop_below(out, noise);
  return out;
}

struct CholmodSession {
  cholmod_common common;
  CholmodSession() {
    cholmod_l_start(&common);
    common.print = 0;
  }
  ~CholmodSession() { cholmod_l_finish(&common); }
  CholmodSession(const CholmodSession&) = delete;
  CholmodSession& operator=(const CholmodSession&) = delete;
};

/// Upper staircase factor R of Gᵀ E, as SuiteSparseQR leaves it, with the columns it found independent.
struct Staircase {
  std::vector<SuiteSparse_long> start, index;
  std::vector<double> value;
  std::vector<int> column_row;  // E: which row of G stands in column j
  std::vector<int> live;        // column that has its pivot in row r of R, r = 0 … rank − 1
  std::vector<int> dead;
};

Staircase factor_transposed(const Pattern& transposed, const std::vector<double>& values, double tol) {
  CholmodSession session;
  std::vector<SuiteSparse_long> start(transposed.start.begin(), transposed.start.end());
  std::vector<SuiteSparse_long> index(transposed.index.begin(), transposed.index.end());
  cholmod_sparse A;
  std::memset(&A, 0, sizeof A);
  A.nrow = static_cast<std::size_t>(transposed.n_rows);
  A.ncol = static_cast<std::size_t>(transposed.n_cols);
  A.nzmax = index.size();
  A.p = start.data();
  A.i = index.data();
  A.x = const_cast<double*>(values.data());
  A.itype = CHOLMOD_LONG;
  A.xtype = CHOLMOD_REAL;
  A.dtype = CHOLMOD_DOUBLE;
  A.sorted = 1;
  A.packed = 1;

  cholmod_sparse* R = nullptr;
  SuiteSparse_long* E = nullptr;
  constexpr SuiteSparse_long economy = 0;  // R has rank rows
  const SuiteSparse_long rank = SuiteSparseQR<double>(SPQR_ORDERING_COLAMD, tol, economy, &A, &R, &E, &session.common);
  const auto free_R = [&](cholmod_sparse* r) { cholmod_l_free_sparse(&r, &session.common); };
  const std::unique_ptr<cholmod_sparse, decltype(free_R)> R_owner(R, free_R);
  const std::size_t n = A.ncol;
  const auto free_E = [&](SuiteSparse_long* e) { cholmod_l_free(n, sizeof(SuiteSparse_long), e, &session.common); };
  const std::unique_ptr<SuiteSparse_long, decltype(free_E)> E_owner(E, free_E);
  if (rank < 0 || !R) {
    if (session.common.status == CHOLMOD_OUT_OF_MEMORY) throw std::bad_alloc();
    throw Error(fmt::format("rank analysis: the sparse QR factorization of {} rows failed (status {})", n,
                            session.common.status));
  }

  Staircase out;
  const SuiteSparse_long* Rp = static_cast<const SuiteSparse_long*>(R->p);
  const SuiteSparse_long* Ri = static_cast<const SuiteSparse_long*>(R->i);
  const double* Rx = static_cast<const double*>(R->x);
  out.start.assign(Rp, Rp + n + 1);
  out.index.assign(Ri, Ri + Rp[n]);
  out.value.assign(Rx, Rx + Rp[n]);
  for (std::size_t j = 0; j < n; ++j) {
    out.column_row.push_back(static_cast<int>(E ? E[j] : static_cast<SuiteSparse_long>(j)));
    const SuiteSparse_long next = static_cast<SuiteSparse_long>(out.live.size());
    const bool pivot = std::find(Ri + Rp[j], Ri + Rp[j + 1], next) != Ri + Rp[j + 1];
    (pivot ? out.live : out.dead).push_back(static_cast<int>(j));
  }
  return out;
}

/// The null vectors of Gᵀ: a dead column d satisfies R e_d = R_live c, so n = e_d − c. One sparse back substitution
/// each, visiting only the rows that are reached, from the last to the first.
std::vector<SparseVector> null_vectors(const Staircase& R) {
  std::vector<double> work(R.live.size(), 0.0);
  std::vector<char> queued(R.live.size(), 0);
  std::vector<SparseVector> basis;
  for (const int d : R.dead) {
    std::priority_queue<int> reached;
    const auto subtract_column = [&](int column, double factor, int below) {
      for (SuiteSparse_long k = R.start[column]; k < R.start[column + 1]; ++k) {
        const int row = static_cast<int>(R.index[k]);
        if (row >= below) continue;
        work[row] -= factor * R.value[k];
        if (!queued[row]) {
          queued[row] = 1;
          reached.push(row);
        }
      }
    };
    subtract_column(d, -1.0, static_cast<int>(R.live.size()));
    SparseVector v{{R.column_row[d], 1.0}};
    while (!reached.empty()) {
      const int r = reached.top();
      reached.pop();
      double pivot = 0;
      for (SuiteSparse_long k = R.start[R.live[r]]; k < R.start[R.live[r] + 1]; ++k)
        if (R.index[k] == r) pivot = R.value[k];
      const double c = work[r] / pivot;
      work[r] = 0;
      queued[r] = 0;
      if (std::abs(c) < null_rounding) continue;
      subtract_column(R.live[r], c, r);
      v.push_back({R.column_row[R.live[r]], -c});
    }
    std::sort(v.begin(), v.end(), [](const auto& a, const auto& b) { return a.row < b.row; });
    drop_below(v, noise);
    basis.push_back(std::move(v));
  }
  return basis;
}

/// Reduced echelon form from the last row upwards. Afterwards every vector has a pivot row of its own, where it is 1
/// and all other vectors are 0; returns these rows. A vector passes a row by in which no candidate has a significant
/// entry.
std::vector<int> reduce_upwards(std::vector<SparseVector>& basis, int n_rows) {
  std::vector<std::vector<int>> waiting_at(static_cast<std::size_t>(n_rows));
  std::vector<int> owner(static_cast<std::size_t>(n_rows), -1), pivot_row(basis.size(), -1);
  const auto entry_at = [&](int k, int row) {
    return std::lower_bound(basis[k].begin(), basis[k].end(), row,
                            [](const auto& term, int r) { return term.row < r; });
  };
  const auto wait_above = [&](int k, int row) {
    if (const auto next = entry_at(k, row); next != basis[k].begin()) waiting_at[std::prev(next)->row].push_back(k);
  };
  const auto weight = [&](int k, int row) { return std::abs(entry_at(k, row)->coefficient) / largest(basis[k]); };
  const auto own = [&](int k, int row) {
    owner[row] = k;
    pivot_row[k] = row;
    const double pivot = entry_at(k, row)->coefficient;
    for (DependentRow::Term& term : basis[k]) term.coefficient /= pivot;
  };
  for (std::size_t k = 0; k < basis.size(); ++k) wait_above(static_cast<int>(k), n_rows);
  for (int row = n_rows - 1; row >= 0; --row) {
    const std::vector<int>& candidates = waiting_at[row];
    if (candidates.empty()) continue;
    const int best = *std::max_element(candidates.begin(), candidates.end(),
                                       [&](int a, int b) { return weight(a, row) < weight(b, row); });
    const bool significant = weight(best, row) >= significance;
    if (significant) own(best, row);
    for (const int k : candidates) {
      if (significant && k == best) continue;
      if (significant) basis[k] = subtract(basis[k], entry_at(k, row)->coefficient, basis[best], row);
      wait_above(k, row);
    }
  }
  // What is left of a vector may stand only in rows that it has passed by: take the largest of them.
  for (std::size_t k = 0; k < basis.size(); ++k) {
    if (pivot_row[k] >= 0) continue;
    const DependentRow::Term* peak = nullptr;
    for (const DependentRow::Term& term : basis[k])
      if (owner[term.row] < 0 && (!peak || std::abs(term.coefficient) > std::abs(peak->coefficient))) peak = &term;
    if (peak) own(static_cast<int>(k), peak->row);
  }
  // Clear the other pivot rows, from the first row on: the vector that is subtracted is already reduced.
  for (int row = 0; row < n_rows; ++row) {
    if (owner[row] < 0) continue;
    SparseVector& v = basis[owner[row]];
    std::vector<int> to_clear;
    for (const DependentRow::Term& term : v)
      if (term.row != row && owner[term.row] >= 0) to_clear.push_back(term.row);
    for (const int other : to_clear) {
      const auto entry = entry_at(owner[row], other);
      if (entry != v.end() && entry->row == other) v = subtract(v, entry->coefficient, basis[owner[other]], other);
    }
  }
  return pivot_row;
}

/// The null vector v, 1 at `row`, as a statement about rows of G; `unit` are the rows scaled to length 1.
DependentRow describe(const SparseVector& v, int row, const Pattern& transposed, const std::vector<double>& unit,
                      const std::vector<double>& length, std::vector<double>& rest) {
  DependentRow dependent{row, 0.0, {}};
  for (const DependentRow::Term& term : v) {
    for (int k = transposed.start[term.row]; k < transposed.start[term.row + 1]; ++k)
      rest[transposed.index[k]] += term.coefficient * unit[k];
    if (term.row != row) dependent.terms.push_back({term.row, -term.coefficient * length[row] / length[term.row]});
  }
  double sum = 0;
  for (const DependentRow::Term& term : v)
    for (int k = transposed.start[term.row]; k < transposed.start[term.row + 1]; ++k) {
      const double left = std::exchange(rest[transposed.index[k]], 0.0);
      sum += left * left;
    }
  dependent.residual = std::sqrt(sum);
  return dependent;
}

/// Whether the rows other than `dropped` have full rank by the same measure.
bool rest_is_independent(const Pattern& transposed, const std::vector<double>& unit, const std::vector<int>& dropped,
                         int rank, double tol) {
  if (dropped.empty()) return true;
  std::vector<char> is_dropped(static_cast<std::size_t>(transposed.n_cols), 0);
  for (const int row : dropped) {
    if (row < 0) return false;
    is_dropped[row] = 1;
  }
  Pattern rest;
  rest.n_rows = transposed.n_rows;
  std::vector<double> values;
  for (int row = 0; row < transposed.n_cols; ++row) {
    if (is_dropped[row]) continue;
    for (int k = transposed.start[row]; k < transposed.start[row + 1]; ++k) {
      rest.index.push_back(transposed.index[k]);
      values.push_back(unit[k]);
    }
    rest.start.push_back(rest.nnz());
    ++rest.n_cols;
  }
  if (rest.n_cols != rank) return false;
  return rank == 0 || static_cast<int>(factor_transposed(rest, values, tol).live.size()) == rank;
}

}  // namespace

RankReport find_dependent_rows(const SparseMatrix<double>& G, double relative_tol) {
  if (!(relative_tol > 0 && relative_tol < 1))
    throw Error(fmt::format("rank analysis: relative_tol = {} must lie between 0 and 1", relative_tol));
  if (std::any_of(G.values.begin(), G.values.end(), [](double x) { return !std::isfinite(x); }))
    throw Error("rank analysis: the matrix contains NaN or infinity");
  const int n_rows = G.pattern->n_rows;
  const TransposedPattern transposed = make_transposed(*G.pattern);
  const Pattern& t = transposed.pattern;
  std::vector<double> values(G.values.size());
  std::vector<double> length(static_cast<std::size_t>(n_rows), 0.0);
  for (int row = 0; row < n_rows; ++row) {
    for (int k = t.start[row]; k < t.start[row + 1]; ++k)
      length[row] = std::hypot(length[row], values[k] = G.values[transposed.from[k]]);
    if (length[row] > 0)
      for (int k = t.start[row]; k < t.start[row + 1]; ++k) values[k] /= length[row];
  }
  RankReport report;
  if (n_rows == 0) return report;
  const Staircase R = factor_transposed(t, values, relative_tol);
  report.rank = static_cast<int>(R.live.size());
  const std::vector<SparseVector> found = null_vectors(R);
  std::vector<SparseVector> basis = found;
  std::vector<int> pivot_row = reduce_upwards(basis, n_rows);
  if (!rest_is_independent(t, values, pivot_row, report.rank, relative_tol)) {
    // Nearly dependent rows spoilt the reduction. The columns that the factorization itself left out are a sound
    // choice.
    basis = found;
    for (std::size_t d = 0; d < basis.size(); ++d) pivot_row[d] = R.column_row[R.dead[d]];
  }

  std::vector<double> rest(static_cast<std::size_t>(G.pattern->n_cols), 0.0);
  for (std::size_t d = 0; d < basis.size(); ++d) {
    std::erase_if(basis[d], [&](const auto& term) { return std::abs(term.coefficient) < relative_tol; });
    report.dependent.push_back(describe(basis[d], pivot_row[d], t, values, length, rest));
  }
  std::sort(report.dependent.begin(), report.dependent.end(),
            [](const DependentRow& a, const DependentRow& b) { return a.row < b.row; });
  return report;
}

Eigen::VectorXd minimum_norm_solve(const Eigen::Ref<const Eigen::MatrixXd>& A,
                                   const Eigen::Ref<const Eigen::VectorXd>& b, double relative_tol) {
  if (A.rows() != b.size())
    throw Error(fmt::format("minimum-norm solve: {} equations but {} right-hand sides", A.rows(), b.size()));
  if (A.rows() == 0 || A.cols() == 0) return Eigen::VectorXd::Zero(A.cols());
  return solve_least_norm(A, b, relative_tol);
}

}  // namespace trammel
