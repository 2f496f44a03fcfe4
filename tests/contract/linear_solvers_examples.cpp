// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "places.h"
#include "support/chain.h"
#include "support/motion_matrix.h"
#include "trammel/io/model_reader.h"
#include "trammel/linalg/dense_decompositions.h"
#include "trammel/linalg/skyline_ldlt.h"
#include "trammel/linalg/sparse_ldlt.h"

// The iteration matrices of all examples with every linear solver: the answer of dense LU, or a refusal that names an
// unknown.

namespace trammel::test_linear_solvers_examples {
namespace {

/// Every model below examples/; the long ones shortened to what dense LU can judge.
std::vector<Study> all_examples() {
  std::vector<Study> all;
  const std::vector<std::string> shorter_chain{"parameters.N=30"}, smaller_net{"parameters.M=6"};
  for (const auto& file : std::filesystem::recursive_directory_iterator(places::source_dir() / "examples")) {
    if (file.path().extension() != ".toml" || file.path().parent_path().filename() == "parts") continue;
    const std::string name = file.path().stem();
    if (name == "chain")
      all.push_back(read_study(file.path(), shorter_chain));
    else if (name == "net")
      all.push_back(read_study(file.path(), smaller_net));
    else
      all.push_back(read_study(file.path()));
  }
  return all;
}

bool iterates(LinearSolverKind kind) { return kind == LinearSolverKind::gmres || kind == LinearSolverKind::petsc; }

// Two solutions with backward errors of some ε differ by 2 κ ε; 1e-10 for every matrix with κ < 1e5. The iterative ones
// stop at 1e-12 relative to b.
double allowed_difference(double condition, LinearSolverKind kind) {
  const double backward = iterates(kind) ? 1e-12 : 1e-15;
  return std::max(1e-10, 10 * backward * condition);
}

TEST(LinearSolversOnExamples, agree_with_dense_lu_or_name_the_unknown_whose_pivot_vanished) {
  const std::vector<Study> examples = all_examples();
  ASSERT_GE(examples.size(), 16u);
  for (const Study& study : examples)
    for (const auto& [rho, h, n_steps] : std::vector<std::tuple<double, double, int>>{
             {0.0, 1e-2, 0}, {1.0, 1e-2, 0}, {0.0, 1e-5, 3}, {1.0, 1e-5, 3}, {0.0, 1e-3, 30}, {1.0, 1e-3, 30}}) {
      const testing::MotionMatrix A = testing::make_motion_matrix(study, rho, h, n_steps);
      if (A.pattern.n_cols == 0) continue;
      SparseMatrix<double> sparse(A.pattern);
      sparse.values = A.values;
      const Eigen::MatrixXd dense = sparse.to_dense();
      const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(dense.rows(), -1.0, 1.3);
      const Eigen::VectorXd exact = solve_square(dense, b);
      const double condition =
          dense.norm() * solve_square(dense, Eigen::MatrixXd::Identity(dense.rows(), dense.rows())).norm();
      for (const std::string& word : linear_solver_kind_names()) {
        SCOPED_TRACE(fmt::format("{} with {}, rho = {}, h = {}, after {} steps, condition {:.1e}", study.model.title,
                                 word, rho, h, n_steps, condition));
        const LinearSolverKind kind = parse_linear_solver_kind(word);
        if (!find_obstacle(kind).empty()) continue;  // not in this build
        const std::unique_ptr<LinearSolver<double>> solver = make_linear_solver(kind, A.pattern.n_cols);
        ASSERT_TRUE(solver->analyze(A.pattern, A.hint).ok());
        const Status status = solver->factor(A.values);
        if (!status.ok()) {
          EXPECT_EQ(status.cause, Cause::vanished_pivot);
          EXPECT_EQ(rho, 0.0) << "with a penalty every freedom has a pivot";
          EXPECT_GE(status.row, 0);
          EXPECT_TRUE(kind != LinearSolverKind::automatic && !exchanges_rows(kind));
          continue;
        }
        Eigen::VectorXd x = b;
        const Status solved = solver->solve(x);
        // Stiff beams at a large step: the diagonal of H says nothing about K, and an iterative solver gives up.
        if (iterates(kind) && !study.model.beams.empty() && !solved.ok()) {
          EXPECT_EQ(solved.cause, Cause::too_many_iterations);
          continue;
        }
        ASSERT_TRUE(solved.ok());
        EXPECT_LT((x - exact).norm(), allowed_difference(condition, kind) * exact.norm());
      }
    }
}

// The solution of a chain holds numbers of very different size, reactions of order N⁴ beside joints that are off by 1.
// Row by row no elimination keeps all digits, with row exchanges or without; in norms each of them does, unrefined.
TEST(LinearSolversOnChains, eliminations_without_row_exchanges_are_as_stable_as_with_them) {
  const testing::MotionMatrix A = testing::make_motion_matrix(testing::chain(100), 0.0, 1e-3, 1);
  SparseMatrix<double> sparse(A.pattern);
  sparse.values = A.values;
  const Eigen::MatrixXd dense = sparse.to_dense();
  const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(dense.rows(), -1.0, 1.3);
  for (const auto& solver :
       {make_sparse_ldlt<double>({.max_refinements = 0}), make_skyline_ldlt<double>({.max_refinements = 0}),
        make_linear_solver(LinearSolverKind::dense, A.pattern.n_cols)}) {
    SCOPED_TRACE(solver->name());
    ASSERT_TRUE(solver->analyze(A.pattern, A.hint).ok());
    ASSERT_TRUE(solver->factor(A.values).ok());
    Eigen::VectorXd x = b;
    ASSERT_TRUE(solver->solve(x).ok());
    const Eigen::VectorXd r = (b - dense * x).cwiseAbs();
    const Eigen::VectorXd size = dense.cwiseAbs() * x.cwiseAbs() + b.cwiseAbs();
    EXPECT_GT(r.cwiseQuotient(size).maxCoeff(), 1e-11);
    EXPECT_LT(r.maxCoeff() / size.maxCoeff(), 1e-15);
  }
}

}  // namespace
}  // namespace trammel::test_linear_solvers_examples
