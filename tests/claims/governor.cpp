// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Geometry>

#include "run_model.h"

/// The flyball governor A05: stiff, symmetric, free to spin.
namespace trammel::test_governor {
namespace {

struct Governor {
  Recorded recorded;
  double momentum_change = 0.0;  ///< of the angular momentum about the vertical, relative
};

// L_z = Σ m (p × v)_z + (R J ω)_z; every body's origin is its centre of mass.
double vertical_momentum(const Model& model, const Recorded& recorded, Eigen::Index row) {
  double sum = 0.0;
  for (const BodySpec& body : model.bodies) {
    const Eigen::Vector3d p = recorded.values(body.name + ".position").row(row);
    const Eigen::Vector3d v = recorded.values(body.name + ".velocity").row(row);
    sum += body.mass * (p[0] * v[1] - p[1] * v[0]);
    if (body.kind == BodyKind::particle) continue;
    const Eigen::VectorXd q = recorded.values(body.name + ".orientation").row(row);
    const Eigen::Vector3d w = recorded.values(body.name + ".angular_velocity").row(row);
    sum += (Eigen::Quaterniond(q[0], q[1], q[2], q[3]) * (body.inertia * w))[2];
  }
  return sum;
}

Governor run_governor(double h) {
  const Study study =
      read_study(example("models/governor.toml"), SetList{"analysis.end=2", "output.interval=0.1", set("solver.h", h)});
  Governor governor{run(study)};
  const Eigen::Index n = static_cast<Eigen::Index>(governor.recorded.times().size());
  const double start = vertical_momentum(study.model, governor.recorded, 0);
  for (Eigen::Index row = 1; row < n; ++row) {
    const double change = vertical_momentum(study.model, governor.recorded, row) - start;
    governor.momentum_change = std::max(governor.momentum_change, std::abs(change / start));
  }
  return governor;
}

TEST(Governor, its_two_sides_move_alike_and_the_momentum_about_the_vertical_is_kept) {
  const Governor coarse = run_governor(2e-3), fine = run_governor(1e-3);
  const Recorded& r = fine.recorded;
  EXPECT_TRUE(r.summary.notes.empty());
  EXPECT_LT((r.values("hinge_0.angle") + r.values("hinge_1.angle")).cwiseAbs().maxCoeff(), 1e-8);  // mirror images
  EXPECT_GT((r.values("s").array() - 0.5).abs().maxCoeff(), 1e-2);                                 // it moves
  EXPECT_LT(fine.momentum_change, 1e-4);
  EXPECT_GT(observed_order(coarse.momentum_change, fine.momentum_change), 2.0 - order_margin);
}

TEST(Governor, the_slider_converges_with_second_order) {
  double s[3];
  int k = 0;
  for (const double h : {1e-3, 5e-4, 2.5e-4}) s[k++] = run_governor(h).recorded.last_value("s");
  EXPECT_NEAR(observed_order(std::abs(s[0] - s[1]), std::abs(s[1] - s[2])), 2.0, order_margin);
}

// The first step of an explicit method is half of this span, far beyond what dampers of 4e4 N s/m allow: its stages end
// at accelerations of 1e44 m/s², of which nothing may be left in those of shorter steps.
TEST(Governor, an_explicit_step_that_was_too_long_leaves_nothing_behind) {
  const auto run_with = [](const char* integrator) {
    return run(read_study(example("models/governor.toml"),
                          SetList{"solver.h=", fmt::format("solver.integrator={}", integrator), "analysis.end=0.02",
                                  "solver.rtol=1e-8", "solver.atol=1e-8"}));
  };
  const Recorded explicit_run = run_with("runge_kutta"), implicit_run = run_with("radau");
  EXPECT_TRUE(explicit_run.summary.completed) << explicit_run.summary.failure;
  EXPECT_NEAR(explicit_run.last_value("s"), implicit_run.last_value("s"), 1e-8);
}

}  // namespace
}  // namespace trammel::test_governor
