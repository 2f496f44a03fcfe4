// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/difference_system.h"

#include <gtest/gtest.h>

#include "support/ivp_problems.h"
#include "trammel/integrators/bdf.h"

// Jacobians by differences, for any system [arnold2004 sections 2.2 and 3.1].

namespace trammel {
namespace {

/// Masses in a row with springs and dampers between neighbours; the last one has a stop that is far away at first.
/// Pattern: of neighbours only, and the stop's entry is the diagonal, but a *coupled* stop reaches the first mass.
class Row final : public DaeSystem {
 public:
  explicit Row(int n, bool has_stop = false)
      : n_(n),
        has_stop_(has_stop),
        layout_(numbered_layout(std::vector<Kind>(static_cast<std::size_t>(2 * n), Kind::internal))) {}
  const Layout& layout() const override { return layout_; }
  Status residual(const Point& p, const State&, Vec F, Workspace&) const override {
    for (int i = 0; i < n_; ++i) {
      F[i] = p.yp[i] - p.y[n_ + i];
      F[n_ + i] = p.yp[n_ + i] - (i == n_ - 1 ? 5.0 : 0.0);
      for (const int other : {i - 1, i + 1}) {
        const double d = p.y[i] - (other < 0 || other == n_ ? 0.0 : p.y[other]);
        F[n_ + i] += 10.0 * d + d * d * d + 0.5 * p.y[n_ + i];
      }
    }
    const double depth = p.y[n_ - 1] - 0.3;  // the stop pushes the last mass back and the first one forth
    if (has_stop_ && depth > 0.0) F[2 * n_ - 1] += 1e4 * depth, F[n_] -= 1e4 * depth;
    return Status::success();
  }
  Pattern make_pattern(const State&) const override {
    PatternBuilder builder(2 * n_, 2 * n_);
    builder.add_diagonal();
    for (int i = 0; i < n_; ++i) {
      builder.add(i, n_ + i);
      for (int j = std::max(0, i - 1); j <= std::min(n_ - 1, i + 1); ++j) builder.add(n_ + i, j);
    }
    return builder.build();
  }
  bool has_exact_rates() const override { return true; }
  bool has_constant_rates() const override { return true; }
  Status update_rates(const Point&, const State&, Planes& planes, Workspace&) const override {
    std::fill(planes.F_yp().begin(), planes.F_yp().end(), 0.0);
    for (int i = 0; i < planes.pattern.n_cols; ++i) planes.F_yp()[planes.pattern.slot(i, i)] = 1.0;
    return Status::success();
  }

 private:
  int n_;
  bool has_stop_;
  Layout layout_;
};

struct Taken {
  Planes planes;
  DifferenceCounters counters;
};
template <class System>
Taken take(const System& system, const DifferenceOptions& options, const Eigen::VectorXd& y,
           const Eigen::VectorXd& yp) {
  const DifferenceSystem differences(system, options);
  const auto workspace = differences.make_workspace();
  Taken taken;
  State state;
  differences.update_pattern(state, taken.planes);
  InputBuffer inputs;
  differences.calc_inputs(0.0, inputs);
  taken.planes.h = 1e-3;
  EXPECT_TRUE(differences.linearize({0.0, inputs.view(), y, yp}, state, taken.planes, *workspace).ok());
  taken.counters = differences.counters(*workspace);
  return taken;
}

TEST(DifferenceSystem, gives_the_same_numbers_by_groups_as_column_by_column) {
  const Row row(20);
  const Eigen::VectorXd y = Eigen::VectorXd::LinSpaced(40, -1.0, 1.0), yp = Eigen::VectorXd::Constant(40, 0.3);
  const Taken dense = take(row, {}, y, yp), grouped = take(row, {true, false}, y, yp);
  // The residual of a row adds the same terms in the same order, whatever moves elsewhere.
  EXPECT_EQ(dense.planes.F_y(), grouped.planes.F_y());
  EXPECT_EQ(dense.counters.evaluations, 41);
  EXPECT_LE(grouped.counters.groups, 5);  // a row has five entries
  EXPECT_EQ(grouped.counters.evaluations, grouped.counters.groups + 1);
}

// A system that says nothing of its pattern: one full Jacobian finds it, the next ones are grouped.
class Silent final : public DaeSystem {
 public:
  explicit Silent(const Row& row) : row_(row) {}
  const Layout& layout() const override { return row_.layout(); }
  Status residual(const Point& p, const State& state, Vec F, Workspace& workspace) const override {
    return row_.residual(p, state, F, workspace);
  }

 private:
  const Row& row_;
};

TEST(DifferenceSystem, finds_the_pattern_of_a_system_that_declares_none) {
  const Row row(20);
  const Silent silent(row);
  const DifferenceSystem differences(silent, {true, true});
  BdfOptions settings = BdfOptions::dassl();
  settings.tolerances.rtol = settings.tolerances.atol = 1e-6;
  Bdf bdf(differences, settings, LinearSolverKind::dense);
  State state;
  Eigen::VectorXd y = Eigen::VectorXd::Zero(40), yp = y;
  yp[39] = 5.0;
  ASSERT_TRUE(bdf.start(0.0, y, yp, state).ok());
  ASSERT_TRUE(bdf.integrate(5.0, state).status.ok());
  const DifferenceCounters& counters = differences.counters(bdf.workspace());
  EXPECT_GE(counters.jacobians, 10);
  EXPECT_LE(counters.groups, 5);  // a row has at most five entries
  // Both planes are differenced, those of y' of all 40 unknowns: one full Jacobian, then groups.
  EXPECT_LE(counters.evaluations,
            1 + 2 * 40 + (counters.jacobians - 1) * (1 + 2 * counters.groups) + counters.pattern_updates * 2 * 40);
}

/// x' = v - mu and v' = -x - lam with the columns of mu those of the row of x: the smallest system with a derived
/// column.
class Derived final : public DaeSystem {
 public:
  const Layout& layout() const override { return layout_; }
  Status residual(const Point& p, const State&, Vec F, Workspace&) const override {
    const double x = p.y[0], g = 2.0 + std::cos(x);  // G
    F[0] = p.yp[0] - p.y[1] + g * p.y[3];
    F[1] = p.yp[1] + x + g * p.y[2];
    F[2] = 2.0 * x + std::sin(x);
    F[3] = g * p.y[1];
    return Status::success();
  }
  std::vector<char> derived_columns() const override { return {0, 0, 0, 1}; }
  void derive_columns(Planes& planes) const override {
    planes.F_y()[planes.pattern.slot(0, 3)] = planes.F_y()[planes.pattern.slot(2, 0)];
  }

 private:
  Layout layout_ = numbered_layout({Kind::position, Kind::velocity, Kind::multiplier, Kind::multiplier});
};

TEST(DifferenceSystem, takes_no_difference_for_columns_that_follow_from_others) {
  const Derived system;
  const Eigen::VectorXd y = Eigen::Vector4d(0.3, -0.2, 0.7, 0.1), yp = Eigen::Vector4d(0.5, 0.4, 0.0, 0.0);
  const Taken taken = take(system, {}, y, yp);
  EXPECT_EQ(taken.counters.evaluations, 1 + 3 + 2);  // F, three columns of F_y, two of F_y′
  EXPECT_NEAR(taken.planes.F_y()[taken.planes.pattern.slot(0, 3)], 2.0 + std::cos(0.3), 1e-6);
}

TEST(DifferenceSystem, agrees_with_exact_derivatives) {
  const testing::MechanismDae<testing::Andrews> dae(testing::Form::stabilized_index2);
  Eigen::VectorXd y = dae.y0, yp = dae.yp0;
  y.array() += 0.1, yp.array() += 0.2;
  const Taken found = take(dae, {}, y, yp);
  Planes exact;
  State state;
  dae.update_pattern(state, exact);
  InputBuffer inputs;
  dae.calc_inputs(0.0, inputs);
  const auto workspace = dae.make_workspace();
  ASSERT_TRUE(dae.linearize({0.0, inputs.view(), y, yp}, state, exact, *workspace).ok());
  for (int plane : {0, 1}) {
    double scale = 1.0, worst = 0.0;
    for (std::size_t k = 0; k < exact.values[plane].size(); ++k) {
      scale = std::max(scale, std::abs(exact.values[plane][k]));
      worst = std::max(worst, std::abs(exact.values[plane][k] - found.planes.values[plane][k]));
    }
    EXPECT_LE(worst, 1e-5 * scale);  // δ ≈ 1e-8, residuals of 1e3 times their rounding
  }
}

struct Counts {
  BdfCounters bdf;
  DifferenceCounters differences;
  Eigen::VectorXd y;
};
Counts run(const Row& row, int n, const DifferenceOptions& options, JacobianUpdate update) {
  const DifferenceSystem system(row, options);
  BdfOptions settings = BdfOptions::dassl();
  settings.tolerances.rtol = settings.tolerances.atol = 1e-6;
  settings.jacobian_update = update;
  Bdf bdf(system, settings, LinearSolverKind::dense);
  State state;
  Eigen::VectorXd y = Eigen::VectorXd::Zero(2 * n), yp = y;
  yp[2 * n - 1] = 5.0;
  EXPECT_TRUE(bdf.start(0.0, y, yp, state).ok());
  EXPECT_TRUE(bdf.integrate(5.0, state).status.ok());
  return {bdf.counters(), system.counters(bdf.workspace()), bdf.y()};
}

TEST(DifferenceSystem, needs_fewer_residuals_with_groups_and_fewer_jacobians_with_partitioned_updates) {
  const Row row(20);
  const Counts dense = run(row, 20, {}, JacobianUpdate::full), grouped = run(row, 20, {true}, JacobianUpdate::full);
  const Counts both = run(row, 20, {true, true}, JacobianUpdate::partitioned);
  EXPECT_EQ(dense.bdf.steps, grouped.bdf.steps);  // the same numbers
  EXPECT_LT(5 * grouped.differences.evaluations, dense.differences.evaluations);
  EXPECT_LT(2 * both.differences.jacobians, dense.differences.jacobians);
  EXPECT_LE((dense.y - both.y).lpNorm<Eigen::Infinity>(), 1e-4);
}

// A force that is not active at first has no entry in Ω; Newton fails where it begins, and Ω is enlarged.
TEST(DifferenceSystem, enlarges_an_estimated_pattern_when_a_force_becomes_active) {
  const Row row(6, true);
  const Counts estimated = run(row, 6, {true, true}, JacobianUpdate::full),
               dense = run(row, 6, {}, JacobianUpdate::full);
  EXPECT_GE(estimated.differences.pattern_updates, 1);
  EXPECT_EQ(dense.differences.pattern_updates, 0);
  EXPECT_LE((dense.y - estimated.y).lpNorm<Eigen::Infinity>(), 1e-3);  // steps pass the kink of the stop differently
}

}  // namespace
}  // namespace trammel
