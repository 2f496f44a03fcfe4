// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <bit>
#include <random>

#include "../../src/linalg/elimination_order.h"
#include "../../src/linalg/front_tree.h"
#include "trammel/base/crew.h"
#include "trammel/base/threads.h"
#include "trammel/linalg/sparse_ldlt.h"
#include "trammel/linalg/sparse_matrix.h"

// Factors of large matrices are found by several threads, each with a branch of the tree of fronts: the same bits. The
// chain is long enough for forward substitutions with sums of each branch, too.

namespace trammel::test_branches {
namespace {

/// nx × ny bodies of `size` coordinates, coupled to their neighbours.
Pattern make_lattice(int nx, int ny, int size) {
  const int n = nx * ny * size;
  PatternBuilder builder(n, n);
  const auto couple = [&](int a, int b) {
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j) builder.add(a * size + i, b * size + j), builder.add(b * size + j, a * size + i);
  };
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) {
      couple(y * nx + x, y * nx + x);
      if (x + 1 < nx) couple(y * nx + x, y * nx + x + 1);
      if (y + 1 < ny) couple(y * nx + x, (y + 1) * nx + x);
    }
  return builder.build();
}

template <class S>
std::vector<S> make_values(const Pattern& pattern, bool symmetric) {
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  SparseMatrix<S> A(pattern);
  for (int j = 0; j < pattern.n_cols; ++j)
    for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k) {
      const int i = pattern.index[k];
      A.values[k] = i > j || !symmetric ? S(value(engine)) : A.values[pattern.slot(j, i)];
      if constexpr (!std::is_same_v<S, double>)
        if (i > j || !symmetric) A.values[k] += S(0.0, value(engine));
      if (i == j) A.values[k] = S(40.0);
    }
  if (symmetric)
    for (int j = 0; j < pattern.n_cols; ++j)
      for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k)
        if (pattern.index[k] < j) A.values[k] = A.values[pattern.slot(j, pattern.index[k])];
  return A.values;
}

struct Machine {
  const char* name;
  Pattern pattern;
};
std::vector<Machine> machines() { return {{"chain", make_lattice(22000, 1, 6)}, {"net", make_lattice(45, 45, 3)}}; }

template <class S>
class Branches : public ::testing::Test {};
using Scalars = ::testing::Types<double, std::complex<double>>;
TYPED_TEST_SUITE(Branches, Scalars);

TYPED_TEST(Branches, give_the_same_bits_for_any_number_of_threads) {
  using S = TypeParam;
  for (const Machine& machine : machines())
    for (const bool symmetric : {true, false}) {
      SCOPED_TRACE(std::string(machine.name) + (symmetric ? ", symmetric" : ""));
      const std::vector<S> values = make_values<S>(machine.pattern, symmetric);
      const std::size_t n = static_cast<std::size_t>(machine.pattern.n_cols);
      std::vector<S> first, first_transposed;
      const std::unique_ptr<LinearSolver<S>> solver = make_sparse_ldlt<S>();
      ASSERT_TRUE(solver->analyze(machine.pattern).ok());
      for (const int threads : {1, 2, 5}) {
        const ThreadScope scope(threads);
        ASSERT_TRUE(solver->factor(values).ok());
        std::vector<S> x(n, S(1)), y(n, S(1));
        ASSERT_TRUE(solver->solve(std::span<S>(x)).ok());
        ASSERT_TRUE(solver->solve_transposed(std::span<S>(y)).ok());
        EXPECT_EQ(scope.n_used(), threads) << "the tree has branches";
        if (first.empty()) first = x, first_transposed = y;
        EXPECT_TRUE(x == first && y == first_transposed) << threads << " threads";
      }
      // A x = 1 and Aᵀ y = 1, whoever found x and y.
      const SparseMatrix<S> A = [&] {
        SparseMatrix<S> made(machine.pattern);
        made.values = values;
        return made;
      }();
      using Vector = Eigen::Matrix<S, Eigen::Dynamic, 1>;
      const Eigen::Map<const Vector> x(first.data(), machine.pattern.n_cols);
      const Eigen::Map<const Vector> y(first_transposed.data(), machine.pattern.n_cols);
      Vector r = Vector::Ones(machine.pattern.n_cols), s = r;
      A.multiply_add(S(-1), Vector(x), r);
      A.multiply_transposed_add(S(-1), Vector(y), s);
      EXPECT_LT(r.cwiseAbs().maxCoeff(), 1e-12);
      EXPECT_LT(s.cwiseAbs().maxCoeff(), 1e-12);
    }
}

TYPED_TEST(Branches, name_the_same_vanished_pivot_for_any_number_of_threads) {
  using S = TypeParam;
  const Pattern pattern = make_lattice(6000, 1, 6);
  std::vector<S> values = make_values<S>(pattern, true);
  for (const int body : {5500, 700})  // in both halves
    for (int j = body * 6; j < body * 6 + 6; ++j)
      for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k) {
        values[static_cast<std::size_t>(k)] = S(0);
        values[static_cast<std::size_t>(pattern.slot(j, pattern.index[k]))] = S(0);
      }
  int named = -1;
  for (const int threads : {1, 2, 3}) {
    const ThreadScope scope(threads);
    const std::unique_ptr<LinearSolver<S>> solver = make_sparse_ldlt<S>();
    ASSERT_TRUE(solver->analyze(pattern).ok());
    const Status status = solver->factor(values);
    ASSERT_FALSE(status.ok());
    if (named < 0) named = status.row;
    EXPECT_EQ(status.row, named) << threads << " threads";
    EXPECT_TRUE(named / 6 == 5500 || named / 6 == 700) << named;
  }
}

// Every front is in one branch or in the trunk; the children of a front of a branch are in the same branch, and its
// rows outside are rows of the trunk. Halves of a chain cost the same.
TEST(Branches, cut_a_chain_into_halves_and_a_net_into_parts) {
  for (const Machine& machine : machines()) {
    const Graph graph = make_graph(machine.pattern);
    const std::vector<char> none(static_cast<std::size_t>(graph.n()), 0);
    const bool chain = std::string_view(machine.name) == "chain";
    const FrontTree tree(
        graph, FrontTree::make_tree(graph, chain ? order_from_both_ends(graph, none) : order_by_dissection(graph, none),
                                    std::numeric_limits<double>::infinity()));
    const std::span<const FrontTree::Front> fronts = tree.fronts();
    std::vector<int> seen(fronts.size(), 0);
    for (const int f : tree.trunk()) ++seen[f];
    double total = 0, largest = 0;
    for (const FrontTree::Branch& branch : tree.branches()) {
      double cost = 0;
      for (int f = branch.first; f < branch.last; ++f) {
        ++seen[f];
        cost += FrontTree::calc_cost(fronts[f].width, fronts[f].below);
        for (int c = fronts[f].first_child; c < fronts[f].first_child + fronts[f].n_children; ++c) {
          EXPECT_GE(tree.children()[c], branch.first);
          EXPECT_LT(tree.children()[c], branch.last);
        }
      }
      largest = std::max(largest, cost);
    }
    for (const FrontTree::Front& front : fronts) total += FrontTree::calc_cost(front.width, front.below);
    EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; })) << machine.name;
    if (chain) {
      ASSERT_EQ(tree.branches().size(), 2U);
      EXPECT_LT(largest, 0.51 * total);
    } else {
      EXPECT_GE(tree.branches().size(), 4U);
      EXPECT_LT(largest, 0.3 * total);
    }
  }
}

TEST(Branches, are_not_cut_from_small_machines) {
  const Graph graph = make_graph(make_lattice(300, 1, 6));
  const std::vector<char> none(static_cast<std::size_t>(graph.n()), 0);
  const FrontTree tree(
      graph, FrontTree::make_tree(graph, order_from_both_ends(graph, none), std::numeric_limits<double>::infinity()));
  EXPECT_TRUE(tree.branches().empty());
  EXPECT_EQ(tree.trunk().size(), tree.fronts().size());
}

}  // namespace
}  // namespace trammel::test_branches
