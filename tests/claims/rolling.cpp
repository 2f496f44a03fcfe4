// SPDX-License-Identifier: Apache-2.0
#include "run_model.h"

/// Nonholonomic machines against their analytic motions.
namespace trammel::test_rolling {
namespace {

// examples/08_rolling_disc/README.md derives the steady motion.
double disc_error(double h) {
  const Recorded run = run_example("08_rolling_disc/rolling_disc.toml", {"analysis.end=2", set("solver.h", h)});
  const double r = 0.3, b = 1.0, alpha = 70.0 * M_PI / 180.0;
  const double precession =
      std::sqrt(9.81 * std::cos(alpha) / (std::sin(alpha) * (1.5 * b + 0.25 * r * std::cos(alpha))));
  double error = 0.0;
  const Eigen::MatrixXd position = run.values("disc.position");
  for (std::size_t i = 0; i < run.times().size(); ++i) {
    const double angle = precession * run.times()[i];
    const Eigen::Vector3d exact(b * std::cos(angle), b * std::sin(angle), r * std::sin(alpha));
    error = std::max(error, (position.row(static_cast<Eigen::Index>(i)).transpose() - exact).norm());
  }
  EXPECT_LT(run.summary.energy_drift, 1e-3);
  return error;
}

TEST(Rolling, a_leaning_disc_rolls_on_its_circle) {
  const double coarse = disc_error(4e-3), fine = disc_error(2e-3);
  EXPECT_NEAR(observed_order(coarse, fine), 2.0, order_margin);
  EXPECT_LT(fine, 1e-4);
}

// The contact force of steady rolling: m g up, m Ω² b towards the centre.
TEST(Rolling, the_reaction_of_a_rolling_disc_is_its_weight_and_the_centripetal_force) {
  const Recorded run = run_example("08_rolling_disc/rolling_disc.toml", {"analysis.end=1", "solver.h=1e-3"});
  const double m = 2.0, r = 0.3, b = 1.0, alpha = 70.0 * M_PI / 180.0;
  const double precession2 = 9.81 * std::cos(alpha) / (std::sin(alpha) * (1.5 * b + 0.25 * r * std::cos(alpha)));
  const double angle = std::sqrt(precession2);
  const Eigen::Vector3d exact =
      m * Eigen::Vector3d(-precession2 * b * std::cos(angle), -precession2 * b * std::sin(angle), 9.81);
  EXPECT_LT((run.last("contact.reaction_force") - exact).norm(), 1e-3);
}

TEST(Rolling, a_sphere_on_a_plane_keeps_its_velocity) {
  const Recorded run = run_text(R"toml(
[[body]]
name = "ball"
mass = 2
shape = { kind = "sphere", radius = 0.1 }
position = [0, 0, 0.1]
velocity = [0.3, -0.4, 0]
angular_velocity = [4, 3, 0.7]
[[joint]]
name = "contact"
kind = "rolling_sphere"
bodies = ["ground", "ball"]
point = [0, 0, 0]
axis = "z"
radius = 0.1
[analysis]
end = 3
[solver]
h = 5e-3
)toml");
  EXPECT_TRUE(run.summary.notes.empty());  // (4, 3)·r is the speed of rolling
  EXPECT_LT((run.last("ball.position") - Eigen::Vector3d(0.9, -1.2, 0.1)).norm(), 1e-9);
  EXPECT_LT((run.last("contact.reaction_force") - Eigen::Vector3d(0, 0, 2 * 9.81)).norm(), 1e-6);
}

// v̇ = 2/7 W e_z × v for a solid ball: its centre moves on a circle with 2/7 of the turntable's speed.
double turntable_error(double h) {
  const Recorded run = run_example("models/turntable.toml", {set("solver.h", h)});
  EXPECT_TRUE(run.summary.notes.empty()) << run.summary.notes[0];
  const double w = 2.0 / 7.0 * 3.5, v0 = 0.3, t = 5.0;
  const Eigen::Vector3d exact(0.4 + v0 / w * std::sin(w * t), v0 / w * (1.0 - std::cos(w * t)), 0.1);
  return (run.last("ball.position") - exact).norm();
}

TEST(Rolling, a_ball_on_a_turntable_moves_on_a_circle_with_two_sevenths_of_its_speed) {
  const double coarse = turntable_error(2e-3), fine = turntable_error(1e-3);
  EXPECT_NEAR(observed_order(coarse, fine), 2.0, order_margin);
  EXPECT_LT(fine, 3e-4);  // the ball turns at 20 rad/s: 100 rad with a phase error of (20 h)²/12 each
}

// v = V tanh(c t), ω = V/k sech(c t), heading (2k/a) atan(tanh(c t/2)), c = a V/k², V = k ω₀
// (examples/models/sleigh.toml)
double sleigh_error(double h) {
  const Recorded run = run_example("models/sleigh.toml", {set("solver.h", h)});
  const double m = 2.0, J = 0.3, a = 0.4, w0 = 3.0, t = 2.0;
  const double k = std::sqrt((J + m * a * a) / m), V = k * w0, c = a * V / (k * k);
  const double heading = 2.0 * k / a * std::atan(std::tanh(0.5 * c * t));
  const double v = V * std::tanh(c * t), w = w0 / std::cosh(c * t);
  const Eigen::Vector2d along(std::cos(heading), std::sin(heading)), across(-std::sin(heading), std::cos(heading));
  const Eigen::Vector2d exact = v * along + a * w * across;  // of the centre of mass
  EXPECT_NEAR(run.last("sleigh.angular_velocity")[2], w, 1e-3);
  return (run.last("sleigh.velocity").head(2) - exact).norm();
}

TEST(Rolling, chaplygins_sleigh_follows_its_analytic_motion) {
  const double coarse = sleigh_error(1e-2), fine = sleigh_error(5e-3);
  EXPECT_NEAR(observed_order(coarse, fine), 2.0, order_margin);
  EXPECT_LT(fine, 1e-3);
}

TEST(Rolling, chaplygins_sleigh_keeps_its_energy) {
  const Recorded coarse = run_example("models/sleigh.toml", {"solver.h=2e-3"});
  const Recorded fine = run_example("models/sleigh.toml", {"solver.h=1e-3"});
  const double energy = fine.summary.energy_start;
  EXPECT_LT(fine.summary.energy_drift, 1e-5 * energy);
  EXPECT_GT(observed_order(coarse.summary.energy_drift, fine.summary.energy_drift), 2.0 - order_margin);
}

// Nonholonomic rows are scaled as displacements within a step, in their rows and in the augmented term.
TEST(Rolling, scaled_iteration_matrices_do_not_depend_on_the_step) {
  for (const char* rho : {"solver.scaling.rho=0", "solver.scaling.rho=1"}) {
    double condition[2];
    int i = 0;
    for (const double h : {1e-2, 1e-6}) {
      const Recorded run =
          run_example("08_rolling_disc/rolling_disc.toml",
                      {rho, set("solver.h", h), set("analysis.end", 2 * h), "solver.record_condition=true"});
      condition[i++] = run.summary.condition;
    }
    EXPECT_LT(condition[0], 100.0) << rho;
    EXPECT_NEAR(condition[1] / condition[0], 1.0, 1e-3) << rho;
  }
}

// A correction of the λ of a rolling contact is rounding of the velocity, ε v, times m/h, and 1e-6 N at h = 1e-10 s,
// where m/h² is the unit of λ in the scaled equations. Newton's test on all unknowns to 1e-8 is met there and nowhere
// else, and the motion is the same.
TEST(Rolling, convergence_is_judged_in_scaled_multipliers) {
  const double h = 1e-10;
  const auto simulation_with = [&](const char* scaling, const char* test) {
    const SetList settings{set("solver.h", h), fmt::format("solver.scaling={}", scaling),
                           fmt::format("solver.newton_test={}", test), "solver.newton_tol=1e-8"};
    return std::make_unique<Simulation>(read_study(example("08_rolling_disc/rolling_disc.toml"), settings));
  };
  const auto scaled = simulation_with("physical", "all"), motion = simulation_with("none", "motion"),
             unscaled = simulation_with("none", "all");
  for (int i = 0; i < 100; ++i)
    for (Simulation* simulation : {scaled.get(), motion.get()})
      ASSERT_TRUE(simulation->integrator().advance(1.0, simulation->state()).status.ok()) << i;
  EXPECT_LT((scaled->integrator().newest().q - motion->integrator().newest().q).norm(), 1e-13);
  StepReport stalled;
  for (int i = 0; i < 100 && stalled.status.ok(); ++i) stalled = unscaled->integrator().advance(1.0, unscaled->state());
  EXPECT_FALSE(stalled.status.ok());
  EXPECT_GE(stalled.worst_unknown, unscaled->dae().nv() + unscaled->dae().nz()) << "a multiplier";
}

}  // namespace
}  // namespace trammel::test_rolling
