// SPDX-License-Identifier: Apache-2.0
#include "run_model.h"

// Observed orders of q, v and λ on index 3 that settings beside the default have, and what a mean gains; those of every
// method at its default are asked by tests/contract/integrators.cpp. The ratio |x_h − x_{h/2}|/|x_{h/2} − x_{h/4}| is
// 2ᵖ for an error c hᵖ: no reference solution is needed.

namespace trammel::test_orders_of_integrators {
namespace {

const std::string index3 = "solver.formulation=index3";

struct Sample {
  Eigen::VectorXd q, v, lam, lam_mean;
};

// The particle of the pendulum at t = 1 s, and the multiplier of its rod. A step beyond gives the mean of neighbours: λ
// of a midpoint step belongs to its middle, so that the mean of the steps before and after t belongs to t.
Sample sample(const SetList& settings, double h) {
  SetList all{set("solver.h", h), set("analysis.end", 1.0 + 1.5 * h)};
  all.insert(all.end(), settings.begin(), settings.end());
  all.push_back("solver.newton_tol=1e-14");
  Simulation simulation(read_study(example("01_pendulum/pendulum.toml"), all));
  Sample s;
  const int n = static_cast<int>(std::lround(1.0 / h));
  for (int i = 0; i < n; ++i) {
    const StepReport report = simulation.integrator().advance(2.0, simulation.state());
    EXPECT_TRUE(report.status.ok()) << i << " " << describe(report.status.cause);
  }
  const MotionVariables& x = simulation.integrator().newest();
  EXPECT_NEAR(x.t, 1.0, 1e-12);
  s.q = x.q, s.v = x.v, s.lam = x.lam;
  EXPECT_TRUE(simulation.integrator().advance(2.0, simulation.state()).status.ok());
  s.lam_mean = 0.5 * (s.lam + simulation.integrator().newest().lam);
  return s;
}

struct OrderCase {
  const char* name;
  SetList settings;
  double h;
  double q, v, lam, lam_mean;  ///< expected orders; 0: not claimed
};

class OrdersOfIntegrators : public ::testing::TestWithParam<OrderCase> {};

TEST_P(OrdersOfIntegrators, in_q_v_and_lambda_are_those_of_the_theory) {
  const OrderCase& c = GetParam();
  Sample s[3];
  for (int k = 0; k < 3; ++k) s[k] = sample(c.settings, c.h / (1 << k));
  const auto expect = [&](const char* what, Eigen::VectorXd Sample::*x, double expected) {
    if (expected == 0.0) return;
    const double order = observed_order((s[0].*x - s[1].*x).norm(), (s[1].*x - s[2].*x).norm());
    EXPECT_NEAR(order, expected, 0.1) << what;
  };
  expect("q", &Sample::q, c.q);
  expect("v", &Sample::v, c.v);
  expect("λ", &Sample::lam, c.lam);
  expect("mean of λ", &Sample::lam_mean, c.lam_mean);
}

INSTANTIATE_TEST_SUITE_P(
    Pendulum, OrdersOfIntegrators,
    ::testing::Values(OrderCase{"midpoint", {"solver.integrator=midpoint"}, 0.01, 2, 2, 1, 2},
                      OrderCase{"radau_1", {"solver.integrator=radau", "solver.stages=1", index3}, 0.001, 1, 1, 1, 0},
                      OrderCase{"radau_2", {"solver.integrator=radau", "solver.stages=2", index3}, 0.01, 3, 2, 1, 0}),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace trammel::test_orders_of_integrators
