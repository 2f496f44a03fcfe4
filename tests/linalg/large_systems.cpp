// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <random>

#include "../../src/linalg/elimination_order.h"
#include "../../src/linalg/front_tree.h"
#include "trammel/linalg/automatic_solver.h"
#include "trammel/linalg/guarded_ldlt.h"
#include "trammel/linalg/pivoting_solver.h"
#include "trammel/linalg/predicted_work.h"
#include "trammel/linalg/sparse_ldlt.h"
#include "trammel/linalg/sparse_matrix.h"

// Systems whose factors fill: bodies that touch all around. How they are ordered, what is predicted of them, and who
// solves them.

namespace trammel::test_large_systems {
namespace {

struct Lattice {
  Pattern pattern;
  OrderingHint hint;

  int n() const { return pattern.n_cols; }
};

// nx × ny × nz bodies of `size` coordinates each, coupled to their neighbours.
Lattice lattice(int nx, int ny, int nz, int size) {
  const int n = nx * ny * nz * size;
  PatternBuilder builder(n, n);
  const auto couple = [&](int a, int b) {
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j) builder.add(a * size + i, b * size + j), builder.add(b * size + j, a * size + i);
  };
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        const int body = (z * ny + y) * nx + x;
        couple(body, body);
        if (x + 1 < nx) couple(body, body + 1);
        if (y + 1 < ny) couple(body, body + nx);
        if (z + 1 < nz) couple(body, body + nx * ny);
      }
  Lattice made{builder.build(), {}};
  made.hint.roles.assign(static_cast<std::size_t>(n), UnknownRole::coordinate);
  return made;
}
Lattice lattice(int n, int size) { return lattice(n, n, n, size); }

// Unsymmetric numbers in −1 … 1, the diagonal on top.
std::vector<double> random_values(const Pattern& pattern, double diagonal, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  std::vector<double> values(pattern.index.size());
  for (double& x : values) x = value(engine);
  for (int i = 0; i < pattern.n_cols; ++i) values[pattern.slot(i, i)] += diagonal;
  return values;
}

// ‖A x − b‖∞ of b = 1, with x from the solver.
double residual(LinearSolver<double>& solver, const Pattern& pattern, const std::vector<double>& values) {
  Eigen::VectorXd b = Eigen::VectorXd::Ones(pattern.n_cols), x = b;
  EXPECT_TRUE(solver.solve(x).ok());
  SparseMatrix<double> A(pattern);
  A.values = values;
  A.multiply_add(-1.0, x, b);
  return b.lpNorm<Eigen::Infinity>();
}

// Separators of a lattice of n³ have n² bodies: nested dissection leaves O(n⁴) numbers, minimum degree more.
TEST(Dissection, takes_less_work_than_minimum_degree_where_bodies_touch_all_around) {
  const Lattice A = lattice(12, 2);
  const Graph graph = make_graph(A.pattern);
  const std::vector<char> none(static_cast<std::size_t>(A.n()), 0);
  const auto work = [&](std::vector<int> order) {
    std::vector<int> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (int i = 0; i < A.n(); ++i) EXPECT_EQ(sorted[i], i) << "a permutation";
    return FrontTree::make_tree(graph, std::move(order), 1e300).work;
  };
  EXPECT_LT(work(order_by_dissection(graph, none)), 0.9 * work(order_multipliers_local(graph, none)));
  EXPECT_EQ(order_by_dissection(graph, none), order_by_dissection(graph, none));
}

TEST(Dissection, keeps_multipliers_behind_their_coordinates) {
  PatternBuilder builder(30, 30);
  for (int i = 0; i < 20; ++i) builder.add(i, i);
  for (int m = 0; m < 10; ++m)
    for (const int i : {2 * m, 2 * m + 1, (2 * m + 2) % 20}) builder.add(20 + m, i), builder.add(i, 20 + m);
  const Graph graph = make_graph(builder.build());
  std::vector<char> multiplier(30, 0);
  std::fill(multiplier.begin() + 20, multiplier.end(), 1);
  const std::vector<int> order = order_by_dissection(graph, multiplier);
  std::vector<int> place(30, -1);
  for (int k = 0; k < 30; ++k) place[order[k]] = k;
  for (int m = 20; m < 30; ++m)
    for (const int i : graph.neighbours(m)) EXPECT_LT(place[i], place[m]);
}

// Fronts of some hundred rows, both halves of LDU and one of LDLᵀ, with every kernel.
TEST(LargeFronts, are_eliminated_backward_stably_and_to_the_same_bits) {
  const Lattice A = lattice(7, 4);
  for (const DenseKernel kernel : {DenseKernel::automatic, DenseKernel::portable})
    for (const bool symmetric : {false, true}) {
      std::vector<double> values = random_values(A.pattern, 20.0, 4);
      if (symmetric)
        for (int j = 0; j < A.n(); ++j)
          for (int k = A.pattern.start[j]; k < A.pattern.start[j + 1]; ++k)
            if (A.pattern.index[k] > j) values[k] = values[A.pattern.slot(j, A.pattern.index[k])];
      const std::unique_ptr<LinearSolver<double>> solver = make_sparse_ldlt<double>({.dense_kernel = kernel});
      ASSERT_TRUE(solver->analyze(A.pattern, A.hint).ok());
      ASSERT_TRUE(solver->factor(values).ok());
      EXPECT_FALSE(dense_kernel_of(*solver).empty());
      EXPECT_TRUE(kernel == DenseKernel::automatic || dense_kernel_of(*solver) == "portable");
      EXPECT_LT(residual(*solver, A.pattern, values), 1e-13);
      Eigen::VectorXd first = Eigen::VectorXd::Ones(A.n()), second = first;
      ASSERT_TRUE(solver->solve(first).ok());
      ASSERT_TRUE(solver->refactor(values).ok());
      ASSERT_TRUE(solver->solve(second).ok());
      EXPECT_EQ(first, second);
    }
}

// A dense matrix: n² numbers and 2n³/3 operations, to the leading order.
TEST(PredictedWork, of_a_full_matrix_is_that_of_dense_elimination) {
  constexpr int n = 80;
  PatternBuilder builder(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) builder.add(i, j);
  for (const auto& solver : {make_sparse_ldlt<double>(), make_linear_solver<double>(LinearSolverKind::sparse_lu, n),
                             make_linear_solver<double>(LinearSolverKind::dense, n),
                             make_linear_solver<double>(LinearSolverKind::skyline_ldlt, n)}) {
    ASSERT_TRUE(solver->analyze(builder.build()).ok());
    const PredictedWork work = predicted_work_of(*solver);
    EXPECT_NEAR(work.numbers / (n * n), 1.0, 0.05) << solver->name();
    EXPECT_NEAR(work.operations / (2.0 / 3.0 * n * n * n), 1.0, 0.1) << solver->name();
  }
}

TEST(PredictedWork, is_that_of_the_factors_made) {
  const Lattice A = lattice(6, 3);
  const std::unique_ptr<LinearSolver<double>> solver = make_sparse_ldlt<double>();
  ASSERT_TRUE(solver->analyze(A.pattern, A.hint).ok());
  ASSERT_TRUE(solver->factor(random_values(A.pattern, 20.0, 2)).ok());
  const double made = static_cast<double>(solver->counters().nnz_factors);
  EXPECT_GE(made, predicted_work_of(*solver).numbers);  // merged fronts hold zeros
  EXPECT_LT(made, 1.3 * predicted_work_of(*solver).numbers);
}

// Meshes go to dense fronts, chains to KLU.
TEST(PivotingSolver, goes_by_the_work_that_klu_predicts) {
  const Lattice mesh = lattice(9, 2), chain = lattice(1000, 1, 1, 6);
  const std::unique_ptr<LinearSolver<double>> solver = make_pivoting_solver<double>();
  ASSERT_TRUE(solver->analyze(chain.pattern).ok());
  EXPECT_EQ(solver->name(), "sparse_lu");
  ASSERT_TRUE(solver->analyze(mesh.pattern).ok());
  EXPECT_EQ(solver->name(), "umfpack");
  const std::vector<double> values = random_values(mesh.pattern, 0.0, 8);  // no useful diagonal
  ASSERT_TRUE(solver->refactor(values).ok());
  EXPECT_LT(residual(*solver, mesh.pattern, values), 1e-9);
}

// Where nobody says which unknowns are multipliers rows are exchanged, and where pivots vanish as well.
TEST(AutomaticSolver, exchanges_rows_where_it_must) {
  const Lattice A = lattice(9, 2);
  const std::unique_ptr<LinearSolver<double>> solver = make_automatic_solver<double>(A.n());
  ASSERT_TRUE(solver->analyze(A.pattern, A.hint).ok());
  ASSERT_TRUE(solver->refactor(random_values(A.pattern, 20.0, 1)).ok());
  EXPECT_EQ(solver->name(), "sparse_ldlt");
  std::vector<double> values = random_values(A.pattern, 0.0, 8);
  for (int i = 0; i < A.n(); ++i) values[A.pattern.slot(i, i)] = 0.0;
  ASSERT_TRUE(solver->refactor(values).ok());
  EXPECT_EQ(solver->name(), "umfpack");
  EXPECT_LT(residual(*solver, A.pattern, values), 1e-8);
  ASSERT_TRUE(solver->analyze(A.pattern).ok());
  EXPECT_EQ(solver->name(), "umfpack");
}

// Strong diagonals take a few iterations, weak ones more than they may cost: their matrices are factored, and the next
// twenty at once.
TEST(GuardedLdlt, iterates_while_that_is_cheaper_than_factors) {
  const Lattice A = lattice(9, 6);
  const std::unique_ptr<LinearSolver<double>> solver = make_guarded_ldlt<double>({.iterate_above = 1e8});
  ASSERT_TRUE(solver->analyze(A.pattern, A.hint).ok());
  ASSERT_GT(predicted_work_of(*solver).operations, 1e8);
  const std::vector<double> easy = random_values(A.pattern, 300.0, 1), hard = random_values(A.pattern, 8.0, 2);
  ASSERT_TRUE(solver->refactor(easy).ok());
  EXPECT_LT(residual(*solver, A.pattern, easy), 1e-11);
  EXPECT_EQ(solver->name(), "gmres");
  ASSERT_TRUE(solver->refactor(hard).ok());
  EXPECT_LT(residual(*solver, A.pattern, hard), 1e-10);
  EXPECT_EQ(solver->name(), "sparse_ldlt");
  for (int k = 0; k < 20; ++k) ASSERT_TRUE(solver->refactor(easy).ok());
  EXPECT_EQ(solver->name(), "sparse_ldlt");
  ASSERT_TRUE(solver->refactor(easy).ok());
  EXPECT_EQ(solver->name(), "gmres");
  EXPECT_LT(residual(*solver, A.pattern, easy), 1e-11);
  // Whoever solves often enough with one matrix has it factored.
  int solutions = 0;
  while (solver->name() == "gmres" && ++solutions < 1000) residual(*solver, A.pattern, easy);
  EXPECT_EQ(solver->name(), "sparse_ldlt");
  EXPECT_GT(solutions, 1);
  ASSERT_TRUE(solver->factor(easy).ok());
  EXPECT_EQ(solver->name(), "gmres") << "nothing is left of values before";
}

}  // namespace
}  // namespace trammel::test_large_systems
