#include <gtest/gtest.h>

#include "run_model.h"

// The cam of [bottasso2007 section 5]: what two independent models and the paper say about it.

namespace trammel {
namespace {

struct Impact {
  double begin = 0.0, end = 0.0, peak = 0.0, impulse = 0.0;
};

struct CamRun {
  Recorded run;
  std::vector<Impact> impacts;
};

CamRun run_cam(const Settings& settings) {
  Study study = read_study(example("13_cam/cam.toml"), settings);
  study.output.interval.reset();
  study.output.every_step = true;
  CamRun cam;
  Simulation simulation(study);
  cam.run.summary = simulation.run(cam.run.record);
  EXPECT_TRUE(cam.run.summary.completed) << cam.run.summary.stop << "\n" << cam.run.summary.failure;
  for (const ContactWatch::Change& change : simulation.contact_changes()) {
    if (change.begins)
      cam.impacts.push_back({change.t, change.t, 0.0, 0.0});
    else if (!cam.impacts.empty())
      cam.impacts.back().end = change.t;
  }
  const Eigen::VectorXd N = cam.run.values("impact.normal_force").col(0);
  const std::vector<double>& t = cam.run.times();
  for (Impact& impact : cam.impacts)
    for (std::size_t i = 1; i < t.size(); ++i)
      if (t[i] > impact.begin && t[i] <= impact.end + 1e-12) {
        impact.peak = std::max(impact.peak, N[static_cast<Eigen::Index>(i)]);
        impact.impulse +=
            0.5 * (t[i] - t[i - 1]) * (N[static_cast<Eigen::Index>(i)] + N[static_cast<Eigen::Index>(i - 1)]);
      }
  return cam;
}

// Figures of the specification: the first impact is the collision of two bodies of 4 kg, the second follows 0.63 ms
// later. Both integrators, both linear solvers.
TEST(Cam, the_first_impacts_are_those_of_the_specification) {
  const std::vector<Settings> methods{
      {"solver.linear_solver=skyline_ldlt"},
      {"solver.linear_solver=sparse_lu"},
  };
  for (const Settings& method : methods) {
    SCOPED_TRACE(method[0]);
    Settings settings = method;
    settings.push_back("analysis.end=0.4949");
    const CamRun cam = run_cam(settings);
    ASSERT_GE(cam.impacts.size(), 2u);
    const Impact& first = cam.impacts[0];
    EXPECT_NEAR(first.begin, 0.49400, 2e-5);
    EXPECT_NEAR(first.end - first.begin, 1.03e-4, 0.03 * 1.03e-4);
    EXPECT_NEAR(first.peak, 23.4e3, 0.03 * 23.4e3);
    EXPECT_NEAR(first.impulse, 1.52, 0.02 * 1.52);
    EXPECT_NEAR(cam.impacts[1].begin, 0.4946, 5e-5);
    const Eigen::VectorXd N = cam.run.values("impact.normal_force").col(0),
                          F = cam.run.values("impact.friction_force").col(0);
    EXPECT_GE(N.minCoeff(), 0.0);
    double ratio = 0.0;
    for (Eigen::Index i = 0; i < N.size(); ++i) {
      EXPECT_LE(F[i], 0.3 * N[i] * (1.0 + 1e-3));  // bristles are as exact as the tolerance
      if (N[i] > 20e3) ratio = F[i] / N[i];
    }
    EXPECT_NEAR(ratio, 0.3, 1e-3);
    // By symmetry the motion stays in its plane.
    EXPECT_LE(cam.run.values("target.position").col(2).cwiseAbs().maxCoeff(), 1e-9);
  }
}

}  // namespace
}  // namespace trammel
