// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <complex>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "trammel/linalg/dense_decompositions.h"
#include "trammel/linalg/pattern.h"
#include "trammel/linalg/sparse_matrix.h"

// Matrices like those the program meets, for the tests of the linear algebra. Every generator is deterministic.

namespace trammel::testing {

/// Owns its pattern, unlike SparseMatrix.
template <class S>
struct TestMatrix {
  std::string name;
  Pattern pattern;
  std::vector<S> values;
  bool needs_pivoting = false;  ///< the diagonal offers no pivots in any order

  int n() const { return pattern.n_cols; }
  SparseMatrix<S> matrix() const {
    SparseMatrix<S> A(pattern);
    A.values = values;
    return A;
  }
};

/// By Eigen. A complex matrix is the real one that does the same to real and imaginary parts, one below the other.
inline Eigen::MatrixXd inverse_of(const Eigen::MatrixXd& A) {
  return solve_square(A, Eigen::MatrixXd::Identity(A.rows(), A.rows()));
}
inline Eigen::MatrixXcd inverse_of(const Eigen::MatrixXcd& A) {
  const Eigen::Index n = A.rows();
  Eigen::MatrixXd parts(2 * n, 2 * n);
  parts << A.real(), -A.imag(), A.imag(), A.real();
  const Eigen::MatrixXd inverse = inverse_of(parts);
  Eigen::MatrixXcd result(n, n);
  result.real() = inverse.topLeftCorner(n, n);
  result.imag() = inverse.bottomLeftCorner(n, n);
  return result;
}

struct Entry {
  int row, col;
  double value;
};

inline TestMatrix<double> make_test_matrix(std::string name, int n_rows, int n_cols,
                                           const std::vector<Entry>& entries) {
  PatternBuilder builder(n_rows, n_cols);
  for (const Entry& e : entries) builder.add(e.row, e.col);
  TestMatrix<double> A{std::move(name), builder.build(), {}};
  A.values.assign(A.pattern.index.size(), 0.0);
  for (const Entry& e : entries) A.values[A.pattern.slot(e.row, e.col)] += e.value;
  return A;
}

/// The same pattern, every value turned by its own random phase and stretched by up to 2.
inline TestMatrix<std::complex<double>> to_complex(const TestMatrix<double>& A, unsigned seed = 7) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> stretch(1.0, 2.0), phase(0.0, 1.0);
  TestMatrix<std::complex<double>> C{A.name + ", complex", A.pattern, {}, A.needs_pivoting};
  for (const double value : A.values) {
    const double size = stretch(random);
    C.values.push_back(value * std::polar(size, phase(random)));
  }
  return C;
}

/// Random entries, a few per column, and a hidden cyclic permutation that keeps the matrix regular; zero diagonal.
inline TestMatrix<double> random_unsymmetric(int n, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  std::uniform_int_distribution<int> row(0, n - 1);
  std::vector<Entry> entries;
  for (int j = 0; j < n; ++j) {
    entries.push_back({(j + 3) % n, j, 4.0 + value(random)});
    for (int k = 0; k < 4; ++k)
      if (const int i = row(random); i != j) entries.push_back({i, j, value(random)});
  }
  TestMatrix<double> A = make_test_matrix("random unsymmetric, n = " + std::to_string(n), n, n, entries);
  A.needs_pivoting = true;
  return A;
}

/// What a chain of rigid bodies gives: per link 6 coordinates and 5 constraint rows between it and its predecessor,
///
///   [ M/h² + K + ρ GᵀG   Gᵀ ]
///   [ G                  0  ]      unknowns interleaved link by link when `interleaved`, else all multipliers last.
struct ChainOptions {
  int n_links = 10;
  double h = 1e-3;
  double rho = 0;
  bool scaled = true;  ///< rows and columns scaled so that entries are of one size for every h
  bool interleaved = false;
  bool closed = false;  ///< a second, identical copy of the last joint: 5 redundant rows, the matrix is singular
};

inline TestMatrix<double> chain(const ChainOptions& o) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  const int n_joints = o.n_links + (o.closed ? 1 : 0);
  const int n = 6 * o.n_links + 5 * n_joints;
  const auto coordinate = [&](int link, int i) { return o.interleaved ? 11 * link + i : 6 * link + i; };
  const auto multiplier = [&](int joint, int i) {
    return o.interleaved ? 11 * joint + (joint < o.n_links ? 6 : 0) + i : 6 * o.n_links + 5 * joint + i;
  };
  const double h2 = o.h * o.h;
  const double motion = o.scaled ? 1.0 : 1.0 / h2;  // weight of M; K has weight motion · h²
  const double coupling = 1.0;
  std::vector<Entry> entries;
  for (int link = 0; link < o.n_links; ++link)
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j <= i; ++j) {
        const double m = i == j ? 2.0 + value(random) : (i / 3 == j / 3 ? 0.2 * value(random) : 0.0);
        const double k = 10.0 * value(random);
        entries.push_back({coordinate(link, i), coordinate(link, j), motion * (m + h2 * k)});
        if (i != j) entries.push_back({coordinate(link, j), coordinate(link, i), motion * (m + h2 * k)});
      }
  std::vector<std::vector<double>> joints;  // 5 × 12 each: link − 1, link
  for (int joint = 0; joint < o.n_links; ++joint) {
    std::vector<double> g(60);
    for (double& x : g) x = value(random);
    for (int i = 0; i < 5; ++i) g[12 * i + 6 + i] += 3.0;
    joints.push_back(g);
  }
  for (int joint = 0; joint < n_joints; ++joint) {
    const int link = std::min(joint, o.n_links - 1);
    const std::vector<double>& g = joints[link];
    std::vector<int> columns(12, -1);
    for (int i = 0; i < 6; ++i) {
      if (link > 0) columns[i] = coordinate(link - 1, i);
      columns[6 + i] = coordinate(link, i);
    }
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 12; ++j)
        if (columns[j] >= 0) {
          entries.push_back({multiplier(joint, i), columns[j], coupling * g[12 * i + j]});
          entries.push_back({columns[j], multiplier(joint, i), coupling * g[12 * i + j]});
          if (o.rho > 0)
            for (int k = 0; k < 12; ++k)
              if (columns[k] >= 0)
                entries.push_back({columns[k], columns[j], o.rho * motion * g[12 * i + j] * g[12 * i + k]});
        }
  }
  return make_test_matrix("chain of " + std::to_string(o.n_links) + ", h = " + std::to_string(o.h) +
                              (o.scaled ? ", scaled" : ", unscaled") + (o.rho > 0 ? ", augmented" : "") +
                              (o.interleaved ? ", interleaved" : ""),
                          n, n, entries);
}

/// [M Gᵀ; G 0] with random sparse G (nc rows, nv columns) and M = diag.
inline TestMatrix<double> saddle_point(int nv, int nc, unsigned seed = 3) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  std::uniform_int_distribution<int> column(0, nv - 1);
  std::vector<Entry> entries;
  for (int i = 0; i < nv; ++i) entries.push_back({i, i, 1.5 + value(random)});
  for (int r = 0; r < nc; ++r) {
    const auto add = [&](int j, double g) {
      entries.push_back({nv + r, j, g});
      entries.push_back({j, nv + r, g});
    };
    add(r, 3.0 + value(random));
    for (int k = 0; k < 3; ++k) add(column(random), value(random));
  }
  return make_test_matrix("saddle point " + std::to_string(nv) + " + " + std::to_string(nc), nv + nc, nv + nc, entries);
}

template <class S>
std::vector<S> random_vector(int n, unsigned seed = 5) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  std::vector<S> x(static_cast<std::size_t>(n));
  for (S& xi : x) {
    if constexpr (std::is_same_v<S, double>) {
      xi = value(random);
    } else {
      const double real = value(random);
      xi = {real, value(random)};
    }
  }
  return x;
}

}  // namespace trammel::testing
