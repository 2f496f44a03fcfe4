// SPDX-License-Identifier: Apache-2.0
#include "run_model.h"

/// Benchmarks with known digits: the reference values were computed in quadruple precision.
namespace trammel::test_benchmarks {
namespace {

// A01, t = 5: (x, z) of the bob.
double pendulum_error(double h) {
  const Recorded run = run_example("01_pendulum/pendulum.toml", {"analysis.end=5", set("solver.h", h)});
  const Eigen::Vector3d exact(0.942305435043757, 0.0, -0.334754338414001);
  return (run.last("bob.position") - exact).norm();
}

TEST(Benchmarks, a_pendulum_is_right_to_1e_5_m_and_gains_a_factor_of_four_when_h_is_halved) {
  const double coarse = pendulum_error(4e-3), middle = pendulum_error(2e-3), fine = pendulum_error(5e-4);
  EXPECT_NEAR(observed_order(coarse, middle), 2.0, order_margin);
  EXPECT_NEAR(observed_order(middle, fine), 4.0, 2.0 * order_margin);
  EXPECT_LE(fine, 1e-5);
}

// A02, N = 2, t = 10: the tip of the first vertical.
double four_bar_error(double h) {
  const Recorded run = run_example("models/n_four_bar.toml", {set("solver.h", h)});
  EXPECT_LT(run.summary.position_drift, 1e-8);
  return (run.last("B0.point") - Eigen::Vector3d(0.328458111540815, 0.0, 0.944518538178601)).norm();
}

TEST(Benchmarks, two_four_bars_pass_their_flat_positions_and_are_right_to_1e_3_m) {
  const double coarse = four_bar_error(2e-3), fine = four_bar_error(1e-3);
  EXPECT_NEAR(observed_order(coarse, fine), 2.0, order_margin);
  EXPECT_LE(fine, 1e-3);
}

// A02 with more cells: at a flat position N freedoms meet, and rounding alone (ε · N metres, divided by the distance
// from the singularity) exceeds Newton's tolerance. On the parallelogram branch all verticals stay parallel.
TEST(Benchmarks, many_four_bars_stay_parallel_through_their_flat_positions) {
  const std::pair<int, const char*> cases[] = {{2, "solver.h=1e-4"}, {10, "solver.h=1e-3"}, {40, "solver.h=1e-3"}};
  for (const auto& [N, h] : cases) {
    SCOPED_TRACE(fmt::format("N = {}, {}", N, h));
    const Recorded recorded = run_example("models/n_four_bar.toml",
                                          {set("parameters.N", N), h, N == 40 ? "analysis.end=4" : "analysis.end=6"});
    constexpr double parallel_tol = 1e-6;  // [rad]
    const Eigen::VectorXd first = recorded.values("foot_0.angle"),
                          last = recorded.values(fmt::format("foot_{}.angle", N));
    EXPECT_LT((first - last).cwiseAbs().maxCoeff(), parallel_tol);
    EXPECT_GT(first.cwiseAbs().maxCoeff(), 3.0);  // it went through
    EXPECT_LT(recorded.summary.energy_drift, 1e-4 * recorded.summary.energy_start);
  }
}

// Heavy top, t = 1.
double top_error(double h) {
  const Recorded run = run_example("05_heavy_top/heavy_top.toml", {"analysis.end=1", set("solver.h", h)});
  return (run.last("top.position") - Eigen::Vector3d(0.173343964098386, 0.640088592070569, -0.748490791133581)).norm();
}

TEST(Benchmarks, a_heavy_top_is_right_to_1e_6_m) {
  const double coarse = top_error(2e-4), middle = top_error(1e-4);
  EXPECT_NEAR(observed_order(coarse, middle), 2.0, order_margin);
  EXPECT_LE(top_error(1e-5), 1e-6);
}

// Andrews' mechanism, t = 0.03: largest error of the seven angles, relative to 1 + |angle|.
double squeezer_error(double h) {
  const Recorded run = run_example("06_squeezing_mechanism/squeezing_mechanism.toml", {set("solver.h", h)});
  EXPECT_TRUE(run.summary.notes.empty()) << run.summary.notes[0];  // the drawing is consistent
  const std::pair<const char*, double> angles[] = {{"beta", 15.810771195153707},    {"theta", -15.756371058411839},
                                                   {"gamma", 0.040822240119645805}, {"phi", -0.53473011634207959},
                                                   {"delta", 0.52440996587995407},  {"omega", 0.53473011634207959},
                                                   {"epsilon", 1.0480807410419379}};
  double error = 0.0;
  for (const auto& [name, value] : angles)
    error = std::max(error, std::abs(run.last_value(name) - value) / (1.0 + std::abs(value)));
  return error;
}

TEST(Benchmarks, the_squeezing_mechanism_of_bodies_and_joints_is_right_to_six_digits) {
  const double coarse = squeezer_error(1e-5), middle = squeezer_error(5e-6);
  EXPECT_NEAR(observed_order(coarse, middle), 2.0, order_margin);
  // 6e-8. Below 1e-6 s errors grow again: rounding of positions becomes accelerations by 1/h².
  EXPECT_LE(squeezer_error(2e-6), 1e-6);
}

}  // namespace
}  // namespace trammel::test_benchmarks
