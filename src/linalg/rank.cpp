#include "trammel/linalg/rank.h"

#include <fmt/format.h>
#include <SuiteSparseQR.hpp>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <queue>

#include "trammel/base/error.h"

namespace trammel {

namespace {

/// What is left of columns of length 1 after a back substitution that should have given zero; not spread any further.
constexpr double rounding = 1e-14;

using SparseVector = std::vector<DependentRow::Term>;  // ascending rows

double largest(const SparseVector& v) {
  double peak = 0;
  for (const DependentRow::Term& term : v) peak = std::max(peak, std::abs(term.coefficient));
  return peak;
}

/// Removes entries below `noise` times the largest one: G is known to relative_tol only, and so are these numbers.
void drop_noise(SparseVector& v, double noise) {
  const double limit = noise * largest(v);
  std::erase_if(v, [&](const DependentRow::Term& term) { return !(std::abs(term.coefficient) > limit); });
}

/// v − factor · w without the entry in `row`, which cancels.
SparseVector subtract(const SparseVector& v, double factor, const SparseVector& w, int row, double noise) {
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
  drop_noise(out, noise);
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
std::vector<SparseVector> null_vectors(const Staircase& R, double noise) {
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
      if (std::abs(c) < rounding) continue;
      subtract_column(R.live[r], c, r);
      v.push_back({R.column_row[R.live[r]], -c});
    }
    std::sort(v.begin(), v.end(), [](const auto& a, const auto& b) { return a.row < b.row; });
    drop_noise(v, noise);
    basis.push_back(std::move(v));
  }
  return basis;
}

/// Reduced echelon form from the last row upwards: afterwards vector k ends at a row of its own, where it is 1 and all
/// other vectors are 0. Among the candidates for a row the one with the relatively largest entry becomes its pivot.
void reduce_upwards(std::vector<SparseVector>& basis, int n_rows, double noise) {
  std::vector<std::vector<int>> ending_at(static_cast<std::size_t>(n_rows));
  for (std::size_t k = 0; k < basis.size(); ++k)
    if (!basis[k].empty()) ending_at[basis[k].back().row].push_back(static_cast<int>(k));
  std::vector<int> owner(static_cast<std::size_t>(n_rows), -1);
  for (int row = n_rows - 1; row >= 0; --row) {
    std::vector<int>& candidates = ending_at[row];
    if (candidates.empty()) continue;
    const auto weight = [&](int k) { return std::abs(basis[k].back().coefficient) / largest(basis[k]); };
    const int best =
        *std::max_element(candidates.begin(), candidates.end(), [&](int a, int b) { return weight(a) < weight(b); });
    owner[row] = best;
    for (const int k : candidates) {
      if (k == best) continue;
      basis[k] =
          subtract(basis[k], basis[k].back().coefficient / basis[best].back().coefficient, basis[best], row, noise);
      if (!basis[k].empty()) ending_at[basis[k].back().row].push_back(k);
    }
  }
  // Clear the other pivot rows, from the first row on: the vector that is subtracted is already reduced.
  for (int row = 0; row < n_rows; ++row) {
    if (owner[row] < 0) continue;
    SparseVector& v = basis[owner[row]];
    const double pivot = v.back().coefficient;
    for (DependentRow::Term& term : v) term.coefficient /= pivot;
    std::vector<int> to_clear;
    for (const DependentRow::Term& term : v)
      if (term.row != row && owner[term.row] >= 0) to_clear.push_back(term.row);
    for (const int other : to_clear) {
      const auto entry = std::find_if(v.begin(), v.end(), [&](const auto& term) { return term.row == other; });
      if (entry != v.end()) v = subtract(v, entry->coefficient, basis[owner[other]], other, noise);
    }
  }
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
  std::vector<SparseVector> basis = null_vectors(R, relative_tol);
  reduce_upwards(basis, n_rows, relative_tol);

  std::vector<double> left(static_cast<std::size_t>(G.pattern->n_cols), 0.0);
  for (const SparseVector& v : basis) {
    if (v.empty()) continue;
    DependentRow dependent;
    dependent.row = v.back().row;
    const double own = length[dependent.row];
    double sum = 0;
    const auto accumulate = [&](bool reset) {
      for (const DependentRow::Term& term : v)
        for (int k = t.start[term.row]; k < t.start[term.row + 1]; ++k)
          if (reset) {
            sum += left[t.index[k]] * left[t.index[k]];
            left[t.index[k]] = 0;
          } else {
            left[t.index[k]] += term.coefficient * values[k];
          }
    };
    accumulate(false);
    accumulate(true);
    dependent.residual = std::sqrt(sum);
    for (const DependentRow::Term& term : v)
      if (term.row != dependent.row) dependent.terms.push_back({term.row, -term.coefficient * own / length[term.row]});
    report.dependent.push_back(std::move(dependent));
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
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
  decomposition.setThreshold(relative_tol);
  decomposition.compute(A);
  return decomposition.solve(b);
}

}  // namespace trammel
