// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/ivp_problems.h"
#include "trammel/dae/differences.h"
#include "trammel/dae/iteration_operator.h"
#include "trammel/dae/weighted_norm.h"
#include "trammel/linalg/sparse_matrix.h"

// What a multistep method sees of a system: planes, their differences, the iteration operator and the norms.

namespace trammel {
namespace {

using testing::Form;
using testing::MechanismDae;

// A point off the constraint manifold: on it a wrong factor can hide.
struct Disturbed {
  Eigen::VectorXd y, yp;
  explicit Disturbed(const Eigen::VectorXd& y0, const Eigen::VectorXd& yp0) : y(y0), yp(yp0) {
    for (Eigen::Index i = 0; i < y.size(); ++i) {
      y[i] += 0.1 * std::sin(1.0 + static_cast<double>(i));
      yp[i] += 0.1 * std::cos(2.0 + static_cast<double>(i));
    }
  }
};

class Tridiagonal : public DaeSystem {  // F_i = y′_i − y_{i−1} + 2 y_i − y_{i+1}² , banded
 public:
  explicit Tridiagonal(int n)
      : layout_(numbered_layout(std::vector<Kind>(static_cast<std::size_t>(n), Kind::internal))) {}
  const Layout& layout() const override { return layout_; }
  Status residual(const Point& p, const State&, Vec F, Workspace&) const override {
    ++evaluations;
    const int n = layout_.n();
    for (int i = 0; i < n; ++i) {
      F[i] = p.yp[i] + 2.0 * p.y[i];
      if (i > 0) F[i] -= p.y[i - 1];
      if (i + 1 < n) F[i] -= p.y[i + 1] * p.y[i + 1];
    }
    return Status::success();
  }
  Pattern make_pattern(const State&) const override {
    PatternBuilder builder(layout_.n(), layout_.n());
    for (int i = 0; i < layout_.n(); ++i)
      for (int j = std::max(0, i - 1); j <= std::min(layout_.n() - 1, i + 1); ++j) builder.add(i, j);
    return builder.build();
  }
  mutable int evaluations = 0;

 private:
  Layout layout_;
};

TEST(Differences, agree_with_dual_numbers_off_the_manifold) {
  const MechanismDae<testing::Andrews> dae(Form::stabilized_index2);
  const Disturbed at(dae.y0, dae.yp0);
  const State state;
  const auto workspace = dae.make_workspace();
  InputBuffer inputs;
  dae.calc_inputs(0.1, inputs);
  const Point p{0.1, inputs.view(), at.y, at.yp};
  Planes exact, differences;
  dae.update_pattern(state, exact);
  dae.update_pattern(state, differences);
  ASSERT_TRUE(dae.linearize(p, state, exact, *workspace).ok());
  ASSERT_TRUE(difference_planes(dae, p, state, differences, *workspace).ok());
  for (int plane = 0; plane < 2; ++plane) {
    double largest = 0.0, error = 0.0;
    for (std::size_t k = 0; k < exact.values[plane].size(); ++k) {
      largest = std::max(largest, std::abs(exact.values[plane][k]));
      error = std::max(error, std::abs(exact.values[plane][k] - differences.values[plane][k]));
    }
    EXPECT_LT(error, 1e-6 * largest) << "plane " << plane;  // √ε of the largest entry, with a margin
  }
}

TEST(Differences, of_a_band_cost_as_many_residuals_as_its_width_per_plane) {
  const Tridiagonal dae(50);
  const State state;
  Workspace workspace;
  Planes planes;
  dae.update_pattern(state, planes);
  const Eigen::VectorXd y = Eigen::VectorXd::LinSpaced(50, 1.0, 2.0), yp = Eigen::VectorXd::Zero(50);
  ASSERT_TRUE(dae.linearize({0.0, {}, y, yp}, state, planes, workspace).ok());
  EXPECT_EQ(dae.evaluations, 1 + 3 + 3);
  const SparseMatrix<double> F_y = [&] {
    SparseMatrix<double> A(planes.pattern);
    A.values = planes.F_y();
    return A;
  }();
  EXPECT_NEAR(F_y.coefficient(10, 11), -2.0 * y[11], 1e-6);
  EXPECT_NEAR(F_y.coefficient(10, 9), -1.0, 1e-6);
  EXPECT_NEAR(F_y.coefficient(10, 10), 2.0, 1e-6);
}

TEST(ColumnGroups, share_no_row_and_cover_every_column_once) {
  PatternBuilder builder(30, 30);
  for (int j = 0; j < 30; ++j)
    for (int i = 0; i < 4; ++i) builder.add((7 * j + 11 * i * i) % 30, j);
  const Pattern pattern = builder.build();
  std::vector<int> start, columns;
  make_column_groups(pattern, start, columns);
  std::vector<int> seen(30, 0);
  for (std::size_t g = 0; g + 1 < start.size(); ++g) {
    std::vector<int> rows(30, 0);
    for (int c = start[g]; c < start[g + 1]; ++c) {
      ++seen[columns[c]];
      for (int k = pattern.start[columns[c]]; k < pattern.start[columns[c] + 1]; ++k)
        EXPECT_EQ(++rows[pattern.index[k]], 1);
    }
  }
  EXPECT_EQ(seen, std::vector<int>(30, 1));
}

class PowerScaling : public RowColumnScaling {
 public:
  void fill(double h, const Coefficients& c, const Planes&, std::span<double> row,
            std::span<double> column) const override {
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = i % 2 ? c.yp / c.y : 1.0, column[i] = i % 3 ? 1.0 : h;
  }
};

TEST(MatrixOperator, solves_the_unscaled_system_whatever_the_scaling_and_the_unknown) {
  const MechanismDae<testing::PlainPendulum> dae(Form::stabilized_index2);
  const Disturbed at(dae.y0, dae.yp0);
  const State state;
  const auto workspace = dae.make_workspace();
  const Point p{0.0, {}, at.y, at.yp};
  const double h = 1e-3, alpha = 1.5 / h;
  const Eigen::VectorXd F = Eigen::VectorXd::LinSpaced(6, -1.0, 2.0);
  const PowerScaling scaling;
  Eigen::VectorXd expected;
  for (const RowColumnScaling* s :
       {static_cast<const RowColumnScaling*>(nullptr), static_cast<const RowColumnScaling*>(&scaling)})
    for (const bool rates : {false, true}) {
      MatrixOperator J(dae, LinearSolverKind::dense, s);
      const Coefficients c = rates ? Coefficients{1.0 / alpha, 1.0} : Coefficients{1.0, alpha};
      ASSERT_TRUE(J.setup(p, state, c, h, Refresh::linearize, *workspace).ok());
      Eigen::VectorXd x = F;
      ASSERT_TRUE(J.solve(p, state, x, *workspace).ok());
      if (rates) x /= alpha;  // δy = δy′/α
      if (expected.size() == 0) {
        expected = x;
        // −J x = F with the planes themselves
        Eigen::VectorXd r = F;
        for (int j = 0; j < 6; ++j)
          for (int i = 0; i < 6; ++i)
            r[i] += (J.planes().F_y()[6 * j + i] + alpha * J.planes().F_yp()[6 * j + i]) * x[j];
        EXPECT_LT(r.norm(), 1e-9);
      }
      EXPECT_LT((x - expected).norm(), 1e-10 * expected.norm());
    }
}

TEST(MatrixOperator, combines_without_evaluating_the_system) {
  const Tridiagonal dae(20);
  const State state;
  Workspace workspace;
  const Eigen::VectorXd y = Eigen::VectorXd::Ones(20), yp = y;
  MatrixOperator J(dae, LinearSolverKind::dense);
  ASSERT_TRUE(J.setup({0.0, {}, y, yp}, state, {1.0, 10.0}, 0.1, Refresh::linearize, workspace).ok());
  const int evaluations = dae.evaluations;
  ASSERT_TRUE(J.setup({0.0, {}, y, yp}, state, {1.0, 20.0}, 0.05, Refresh::combine, workspace).ok());
  EXPECT_EQ(dae.evaluations, evaluations);
  EXPECT_EQ(J.counters().linearizations, 1);
  EXPECT_EQ(J.counters().factorizations, 2);
  EXPECT_NEAR(J.matrix()[J.pattern().slot(3, 3)], 22.0, 1e-5);
}

// A mode of State may enlarge the pattern: the operator analyzes anew and keeps solving.
class Coupled : public Tridiagonal {
 public:
  using Tridiagonal::Tridiagonal;
  Status residual(const Point& p, const State& state, Vec F, Workspace& workspace) const override {
    const Status status = Tridiagonal::residual(p, state, F, workspace);
    if (!state.modes.empty()) F[0] += 3.0 * p.y[4];
    return status;
  }
  Pattern make_pattern(const State& state) const override {
    PatternBuilder builder(5, 5);
    builder.add(Tridiagonal::make_pattern(state));
    if (!state.modes.empty()) builder.add(0, 4);
    return builder.build();
  }
};

TEST(MatrixOperator, follows_a_pattern_that_grows) {
  const Coupled dae(5);
  State state;
  Workspace workspace;
  const Eigen::VectorXd y = Eigen::VectorXd::Ones(5);
  MatrixOperator J(dae, LinearSolverKind::sparse_lu);
  ASSERT_TRUE(J.setup({0.0, {}, y, y}, state, {1.0, 10.0}, 0.1, Refresh::linearize, workspace).ok());
  const int before = J.pattern().nnz();
  state.modes = {1};
  ++state.version;
  ASSERT_TRUE(J.setup({0.0, {}, y, y}, state, {1.0, 10.0}, 0.1, Refresh::combine, workspace).ok());
  EXPECT_EQ(J.pattern().nnz(), before + 1);
  EXPECT_NEAR(J.matrix()[J.pattern().slot(0, 4)], 3.0, 1e-6);
}

TEST(MatrixOperator, asks_for_the_pattern_again_only_when_the_version_of_state_moves) {
  const Tridiagonal dae(5);
  State state;
  Planes planes;
  EXPECT_TRUE(dae.update_pattern(state, planes));
  const std::uint64_t version = planes.pattern.version;
  EXPECT_FALSE(dae.update_pattern(state, planes));
  ++state.version;  // the same entries again
  EXPECT_FALSE(dae.update_pattern(state, planes));
  EXPECT_EQ(planes.pattern.version, version);
}

struct Singular {
  template <class S>
  void operator()(const S&, const S* y, const S* yp, S* F) const {
    F[0] = yp[0] + y[0];
    F[1] = y[0] * 2.0;  // y[1] appears nowhere
  }
};

TEST(MatrixOperator, names_the_unknown_of_a_singular_matrix) {
  const testing::TemplateDae dae(Singular{}, {Kind::internal, Kind::algebraic});
  const State state;
  const auto workspace = dae.make_workspace();
  const Eigen::VectorXd y = Eigen::VectorXd::Ones(2);
  MatrixOperator J(dae, LinearSolverKind::dense);
  const Status status = J.setup({0.0, {}, y, y}, state, {1.0, 10.0}, 0.1, Refresh::linearize, *workspace);
  EXPECT_EQ(status.cause, Cause::singular_matrix);
  EXPECT_EQ(status.row, 1);
  EXPECT_FALSE(J.ready());
}

TEST(WeightedNorm, is_one_at_the_tolerance_and_counts_tested_unknowns_only) {
  const Layout layout = numbered_layout({Kind::position, Kind::velocity, Kind::multiplier});
  Tolerances tolerances;
  tolerances.rtol = 1e-2;
  tolerances.atol = 1e-3;
  tolerances.set(Kind::velocity, 0.0, 0.5);
  const WeightedNorm norm(layout, tolerances);
  Eigen::VectorXd y(3);
  y << 10.0, 7.0, 1e6;
  const std::vector<double> mask{1.0, 1.0, 0.0};
  Eigen::VectorXd factor(3);
  norm.fill(y, mask, factor);
  Eigen::VectorXd x(3);
  x << 0.101, 0.5, 1e9;
  EXPECT_NEAR(WeightedNorm::norm(x, factor), 1.0, 1e-14);
  x[1] = 0.0;
  EXPECT_NEAR(WeightedNorm::norm(x, factor), std::sqrt(0.5), 1e-14);
}

TEST(WeightedNorm, gives_rotations_an_absolute_tolerance_only) {
  Tolerances tolerances;
  tolerances.rtol = 1e-2;
  tolerances.atol = 1e-3;
  const WeightedNorm norm(numbered_layout({Kind::rotation}), tolerances);
  EXPECT_EQ(norm.weight(0, 100.0), 1e-3);
}

TEST(Tolerances, that_cannot_be_used_are_refused_together) {
  Tolerances tolerances;
  tolerances.rtol = -1.0;
  tolerances.atol_each = {1.0};
  const Layout layout = numbered_layout({Kind::position, Kind::velocity});
  EXPECT_EQ(tolerances.issues(layout).size(), 2u);
  EXPECT_THROW(WeightedNorm(layout, tolerances), InputError);
}

}  // namespace
}  // namespace trammel
