// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "places.h"
#include "trammel/io/model_reader.h"
#include "trammel/simulation/simulation.h"

// Recorded forces are those that move the machine: Newton's law holds between channels alone.

namespace trammel {
namespace {

MemoryRecord run(const std::filesystem::path& example, const std::vector<std::string>& settings) {
  const Study study = read_study(places::source_dir() / example, settings);
  MemoryRecord record;
  Simulation simulation(study);
  EXPECT_TRUE(simulation.run(record).completed);
  return record;
}

Eigen::MatrixXd values(const MemoryRecord& record, const std::string& channel) { return record.read(channel).values; }

// m a = Σ forces + m g for bodies between bushings, at the integrator's own points. Each force is recorded on its
// second body; its first body feels the opposite.
TEST(AppliedForces, accelerate_the_bodies_between_bushings) {
  const MemoryRecord record = run("examples/07_stiff_slider_crank/stiff_slider_crank.toml",
                                  {"analysis.end=0.05", "output.every_step=true", "solver.newton_tol=1e-13"});
  const Eigen::MatrixXd pin = values(record, "crank_pin.applied_force"),
                        wrist = values(record, "wrist_pin.applied_force");
  const Eigen::MatrixXd rod = 1.1 * values(record, "rod.acceleration"), guide = values(record, "guide.applied_force");
  const Eigen::MatrixXd slider = 0.5 * values(record, "slider.acceleration");
  ASSERT_GT(pin.rows(), 200);
  const Eigen::RowVector3d g(0, 0, -9.81);
  double largest = 0.0;
  for (Eigen::Index i = 1; i < pin.rows(); ++i) {
    const double size = pin.row(i).norm() + wrist.row(i).norm() + 1.0;
    largest = std::max({largest, (rod.row(i) - pin.row(i) + wrist.row(i) - 1.1 * g).norm() / size,
                        (slider.row(i) - wrist.row(i) - guide.row(i) - 0.5 * g).norm() / size});
  }
  EXPECT_LT(largest, 1e-6);
}

TEST(AppliedForces, of_springs_pull_along_their_line_and_torques_are_moments) {
  const MemoryRecord record = run("examples/06_squeezing_mechanism/squeezing_mechanism.toml", {"analysis.end=1e-3"});
  // As drawn: f = −c0 (|d| − l0) d/|d| on the rocker at D, from C, with the angles of the model file.
  const double gamma = 0.455279819163070380, xd = -0.03635 + 0.02 * std::cos(gamma) + 0.018 * std::sin(gamma),
               yd = 0.03273 + 0.02 * std::sin(gamma) - 0.018 * std::cos(gamma);
  const Eigen::Vector2d d(xd - 0.014, yd - 0.072);
  const Eigen::Vector2d f = -4530.0 * (d.norm() - 0.07785) * d.normalized();
  const Eigen::MatrixXd spring = values(record, "spring.applied_force");
  EXPECT_NEAR(spring(0, 0), f.x(), 1e-9 * f.norm());
  EXPECT_NEAR(spring(0, 1), f.y(), 1e-9 * f.norm());
  EXPECT_NEAR(values(record, "spring.applied_moment").row(0).norm(), 0.0, 1e-12);
  const Eigen::MatrixXd drive = values(record, "drive.applied_moment");
  EXPECT_NEAR((drive.row(drive.rows() - 1) - Eigen::RowVector3d(0, 0, 0.033)).norm(), 0.0, 1e-15);
  EXPECT_EQ(values(record, "drive.applied_force").norm(), 0.0);
}

// Q = −k x − c ẋ of the spring on the rocker's pivot, between channels alone.
TEST(AppliedForces, of_springs_on_joints_are_efforts) {
  const MemoryRecord record = run("examples/04_four_bar/four_bar.toml", {"analysis.end=0.2"});
  const Eigen::MatrixXd effort = values(record, "return_spring.applied_effort"), angle = values(record, "B0.angle"),
                        rate = values(record, "B0.angle_rate");
  EXPECT_EQ(record.read("return_spring.applied_effort").unit, "N m");
  EXPECT_GT(effort.cwiseAbs().maxCoeff(), 0.01);
  EXPECT_LT((effort + 0.5 * angle + 0.02 * rate).cwiseAbs().maxCoeff(), 1e-14);
}

}  // namespace
}  // namespace trammel
