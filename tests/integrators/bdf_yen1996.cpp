// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/ivp_problems.h"
#include "trammel/integrators/bdf.h"

// yen1996, Table 5.2, rows "GGL" and "GGL*": the numbers of steps, residuals, Jacobians and failures of DASSL itself.

namespace trammel::test_bdf_yen1996 {
namespace {

using testing::Form;
using testing::MechanismDae;

/// A unit mass on the unit circle, pulled by a stiff spring: f = −ε⁻² (l − l₀)/l (q − q_a) − (0, 1).
struct SpringOnCircle : testing::PlainPendulum {
  double epsilon = 1e-4;
  template <class S>
  void force(const S&, const S* p, const S*, std::array<S, 2>& f) const {
    using std::sqrt;
    const double l0 = 0.4, ya = -0.5;
    const S dx = p[0], dy = p[1] - ya, l = sqrt(dx * dx + dy * dy);
    const S k = (l - l0) / l / (epsilon * epsilon);
    f = {-k * dx, -k * dy - 1.0};
  }
  Eigen::VectorXd p0() const { return Eigen::Vector2d(0.04471, -0.999); }
  Eigen::VectorXd v0() const { return Eigen::Vector2d(0.0, 0.0); }
};

/// The error test takes positions only. The Newton test takes everything in the rows GGL, (q, v) in the rows GGL*: with
/// these sets, and only with them, every counter of the six rows is met exactly.
class PositionsTested : public MechanismDae<SpringOnCircle> {
 public:
  PositionsTested(const SpringOnCircle& mechanism, bool newton_tests_multipliers)
      : MechanismDae(Form::stabilized_index2, mechanism), newton_tests_multipliers_(newton_tests_multipliers) {}
  void tested(Purpose purpose, std::span<double> mask, const Workspace&) const override {
    const int n = purpose == Purpose::error ? 2 : newton_tests_multipliers_ ? 6 : 4;
    for (int i = 0; i < 6; ++i) mask[i] = i < n ? 1.0 : 0.0;
  }

 private:
  bool newton_tests_multipliers_;
};

struct Row {
  bool multipliers;  // GGL or GGL*
  double epsilon, tol;
  long steps, residuals, jacobians, error_failures, convergence_failures;
};

class Table52 : public ::testing::TestWithParam<Row> {};

// Printed for the second row: 416 residuals and 68 Jacobians; 418 and 69 are ours.
TEST_P(Table52, is_reproduced_by_the_preset_dassl_in_every_counter) {
  const Row row = GetParam();
  SpringOnCircle mechanism;
  mechanism.epsilon = row.epsilon;
  const PositionsTested dae(mechanism, row.multipliers);
  BdfOptions options = BdfOptions::dassl();
  options.max_order = 2;
  options.h0 = 1e-6;
  options.tolerances.rtol = options.tolerances.atol = row.tol;
  Bdf bdf(dae, options, LinearSolverKind::dense);
  State state;
  ASSERT_TRUE(bdf.start(0.0, dae.y0, dae.yp0, state).ok());
  while (bdf.t() < 0.05) ASSERT_TRUE(bdf.advance(1.0, state).status.ok());  // past the end, as DASSL does
  EXPECT_EQ(bdf.counters().steps, row.steps);
  EXPECT_EQ(bdf.counters().residuals, row.residuals);
  EXPECT_EQ(bdf.counters().linearizations, row.jacobians);
  EXPECT_EQ(bdf.counters().error_failures, row.error_failures);
  EXPECT_EQ(bdf.counters().convergence_failures, row.convergence_failures);
}

INSTANTIATE_TEST_SUITE_P(
    Yen1996, Table52,
    ::testing::Values(Row{true, 1e-4, 1e-3, 109, 383, 56, 13, 0}, Row{true, 1e-5, 1e-3, 105, 418, 69, 11, 0},
                      Row{true, 1e-4, 1e-4, 822, 2534, 337, 78, 0}, Row{false, 1e-4, 1e-3, 109, 337, 45, 13, 0},
                      Row{false, 1e-5, 1e-3, 105, 387, 47, 12, 0}, Row{false, 1e-4, 1e-4, 818, 2572, 242, 82, 0}));

}  // namespace
}  // namespace trammel::test_bdf_yen1996
