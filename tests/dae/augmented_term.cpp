// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/augmented_term.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <complex>
#include <random>

// L J δ = L r of the augmented Lagrangian: other pivots, the same solution.

namespace trammel::test_augmented_term {
namespace {

// A form with two kinds of multipliers, as the stabilized ones: unknowns (q, v, λ, μ), rows (kinematics, motion, Φ, Φ̇);
// λ has its pivot in Φ̇ and μ in Φ. q₀ and v₀ have neither mass nor stiffness: only constraints hold them.
constexpr int nv = 4, nc = 2, n = 2 * (nv + nc);
constexpr int v0 = nv, lam0 = 2 * nv, mu0 = 2 * nv + nc;

template <class S>
struct Form {
  Pattern pattern;
  OrderingHint hint;
  std::vector<S> values;
  Eigen::Matrix<S, n, n> J = Eigen::Matrix<S, n, n>::Zero();

  explicit Form(S alpha) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    Eigen::Matrix<double, nc, nv> G;
    for (double& x : G.reshaped()) x = number(random);
    for (int i = 0; i < nv; ++i) {
      J(i, i) = alpha, J(i, v0 + i) = -1.0;
      if (i > 0) J(v0 + i, v0 + i) = alpha * (1.0 + i), J(v0 + i, i) = number(random);
    }
    J(0, 0) = S(0.0), J(0, v0) = S(0.0);
    J.block(0, mu0, nv, nc) = G.transpose().cast<S>();
    J.block(v0, lam0, nv, nc) = G.transpose().cast<S>();
    J.block(lam0, 0, nc, nv) = G.cast<S>();
    J.block(mu0, v0, nc, nv) = G.cast<S>();
    PatternBuilder builder(n, n);
    builder.add_diagonal();
    for (int c = 0; c < n; ++c)
      for (int r = 0; r < n; ++r)
        if (J(r, c) != S(0.0)) builder.add(r, c);
    pattern = builder.build();
    for (int c = 0; c < n; ++c)
      for (int k = pattern.start[c]; k < pattern.start[c + 1]; ++k) values.push_back(J(pattern.index[k], c));
    for (int i = 0; i < n; ++i) {
      hint.roles.push_back(i < lam0 ? UnknownRole::coordinate : UnknownRole::multiplier);
      hint.rows.push_back(i < lam0 ? i : i < mu0 ? i + nc : i - nc);
    }
  }
};

template <class S>
Eigen::Matrix<S, n, n> dense(const Pattern& pattern, const std::vector<S>& values) {
  Eigen::Matrix<S, n, n> A = Eigen::Matrix<S, n, n>::Zero();
  for (int c = 0; c < n; ++c)
    for (int k = pattern.start[c]; k < pattern.start[c + 1]; ++k) A(pattern.index[k], c) = values[k];
  return A;
}

template <class S>
void expect_same_solution(S alpha) {
  const Form<S> form(alpha);
  AugmentedTerm term;
  const Pattern sum = term.analyze(form.pattern, form.hint);
  std::vector<double> weight(n, 0.0);
  for (int c = lam0; c < n; ++c) weight[c] = 0.5 + c;
  std::vector<S> values, gains;
  term.make(weight, form.values, values, gains);
  const Eigen::Matrix<S, n, n> LJ = dense(sum, values);

  // Rows of coordinates got w Gᵀ·(rows of constraints), others are as they were.
  EXPECT_GT(std::abs(LJ(0, 0)), 0.1) << "q₀ has a pivot";
  EXPECT_GT(std::abs(LJ(v0, v0)), 0.1) << "v₀ has a pivot";
  EXPECT_EQ((LJ.bottomRows(2 * nc) - form.J.bottomRows(2 * nc)).norm(), 0.0);
  Eigen::Matrix<S, n, n> expected = form.J;
  for (int c = lam0; c < n; ++c)
    expected.topRows(lam0) += weight[c] * form.J.col(c).head(lam0) * form.J.row(form.hint.rows[c]);
  EXPECT_LE((LJ - expected).norm(), 1e-14 * expected.norm());

  Eigen::Vector<S, n> r, Lr;
  for (int i = 0; i < n; ++i) r[i] = 1.0 + i;
  Lr = r;
  term.multiply(gains, Lr);
  const Eigen::Vector<S, n> x = form.J.fullPivLu().solve(r), y = LJ.fullPivLu().solve(Lr);
  EXPECT_LE((x - y).norm(), 1e-12 * x.norm());
  // Jᵀ y = b by (L J)ᵀ z = b, y = Lᵀ z
  Eigen::Vector<S, n> z = LJ.transpose().fullPivLu().solve(r);
  term.multiply_transposed(gains, z);
  EXPECT_LE((form.J.transpose() * z - r).norm(), 1e-12 * r.norm());
}

TEST(AugmentedTerm, changes_pivots_and_no_solution) { expect_same_solution(100.0); }
TEST(AugmentedTerm, does_so_in_complex_blocks) { expect_same_solution(std::complex<double>(80.0, 60.0)); }

}  // namespace
}  // namespace trammel::test_augmented_term
