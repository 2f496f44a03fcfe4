// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "run_model.h"

// The cam of [bottasso2007 section 5]: what two independent models and the paper say about it.

namespace trammel::test_contact_cam {
namespace {

struct Impact {
  double begin = 0.0, end = 0.0, peak = 0.0, impulse = 0.0;
};

struct CamRun {
  Recorded run;
  std::vector<Impact> impacts;
};

Study cam_study(const SetList& settings) {
  Study study = read_study(example("13_cam/cam.toml"), settings);
  study.output.interval.reset();
  study.output.every_step = true;
  return study;
}

// Two-field BDF; the tests of Newton's iteration in the file belong to second-order methods.
Study with_bdf(Study study) {
  study.solver.one_step.newton_test.reset(), study.solver.newton_tol.reset();
  study.solver.integrator = Integrator::bdf;
  study.solver.formulation = Formulation::index3;
  study.solver.bdf.fields = BdfFields::two;
  return study;
}

CamRun run_cam(const Study& study) {
  CamRun cam;
  Simulation simulation(study);
  cam.run.summary = simulation.run(cam.run.record);
  EXPECT_TRUE(cam.run.summary.completed) << cam.run.summary.stop << "\n" << cam.run.summary.failure;
  for (const KinkWatch::Change& change : simulation.contact_changes()) {
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
  const std::vector<SetList> methods{
      {"solver.linear_solver=skyline_ldlt"},
      {"solver.linear_solver=sparse_lu"},
  };
  for (const SetList& method : methods) {
    SCOPED_TRACE(method[0]);
    SetList settings = method;
    settings.push_back("analysis.end=0.4949");
    const CamRun cam = run_cam(cam_study(settings));
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

// The damped variant: surfaces overlap for 1.10e-4 s, and the force, which never pulls, ends before: at k a + c ȧ = 0
// with a/|ȧ| = c/k to go without a force (within 10 %: beam and cam pull meanwhile). Restitution 0.37, peak 19.1 kN.
TEST(Cam, a_damped_impact_overlaps_for_the_time_of_the_specification_and_presses_for_c_over_k_less) {
  const double k = 2e9, c = 4e4;
  Study study = cam_study({"analysis.end=0.4942"});
  study.model.contacts[0].law.normal = {NormalLaw::Kind::linear, k, 1.0, c, 0.0};
  const CamRun cam = run_cam(study);
  ASSERT_EQ(cam.impacts.size(), 1u);
  const Impact& first = cam.impacts[0];
  const Eigen::MatrixXd apart = cam.run.values("target.position") - cam.run.values("impactor.position");
  const Eigen::MatrixXd speed = cam.run.values("impactor.velocity") - cam.run.values("target.velocity");
  const std::vector<double>& t = cam.run.times();
  const auto depth = [&](Eigen::Index i) { return 0.04 + 0.06 - apart.row(i).norm(); };
  const auto approach = [&](Eigen::Index i) { return speed.row(i).dot(apart.row(i).normalized()); };
  double begin = 0.0, end = 0.0, before = 0.0, after = 0.0;  // of the overlap, zeros between two steps
  for (Eigen::Index i = 1; i < apart.rows(); ++i) {
    const double a = depth(i - 1), b = depth(i);
    if ((a > 0.0) == (b > 0.0)) continue;
    const double zero = t[i - 1] + (t[i] - t[i - 1]) * a / (a - b);
    if (b > 0.0)
      begin = zero, before = approach(i - 1);
    else
      end = zero, after = approach(i);
  }
  EXPECT_NEAR(first.peak, 19.1e3, 0.03 * 19.1e3);
  EXPECT_NEAR(end - begin, 1.10e-4, 0.03 * 1.10e-4);
  EXPECT_NEAR((end - begin) - (first.end - first.begin), c / k, 0.1 * c / k);
  EXPECT_NEAR(-after / before, 0.37, 0.05 * 0.37);
}

// Instants of contact fall anywhere in a step. A change right behind its beginning is reached without a step of its
// own, so that s = m_ave/h² stays where the paper has it, 1e12 … 1e14, and Newton is not asked to converge on a kink.
TEST(Cam, steps_that_end_where_contact_changes_leave_no_slivers) {
  const CamRun cam = run_cam(cam_study({"analysis.end=0.506"}));
  EXPECT_GE(cam.impacts.size(), 5u);
  const double s_max = 1.0 / (cam.run.summary.h_min * cam.run.summary.h_min);
  EXPECT_GE(s_max, 1e11);
  EXPECT_LE(s_max, 1e14);
  EXPECT_LE(cam.run.summary.rejected_newton, 3);
}

// The damped variant is reproducible: the beam is released at 0.57 s and swings by 18.2 mm, 2 %.
TEST(Cam, with_damped_surfaces_the_beam_swings_as_in_the_specification) {
  Study study = with_bdf(cam_study({"analysis.end=0.75", "solver.atol=1e-7"}));
  study.model.contacts[0].law.normal = {NormalLaw::Kind::linear, 2e9, 1.0, 4e4, 0.0};
  const CamRun cam = run_cam(study);
  ASSERT_GE(cam.impacts.size(), 20u);
  EXPECT_NEAR(cam.impacts[0].peak, 19.1e3, 0.03 * 19.1e3);
  EXPECT_NEAR(cam.impacts.back().end, 0.57, 5e-3);
  EXPECT_NEAR(cam.run.values("lift").maxCoeff(), 18.2e-3, 0.02 * 18.2e-3);
}

// The paper's contrast: from steps of 10 ms to microseconds with s = k_ave + m_ave/h². With m_ave = 1 every step
// converges although every scaled unknown must, to some hundred rounding units; with m_ave = 0 the noise of λ̂ does not
// let it.
TEST(Cam, scaling_that_follows_the_step_converges_through_the_impact_and_constant_scaling_does_not) {
  for (const double m_ave : {1.0, 0.0}) {
    Study study = cam_study({"analysis.end=0.4945", "solver.newton_tol=1e-13", set("solver.scaling.m_ave", m_ave)});
    Simulation simulation(study);
    MemoryRecord record;
    const Summary summary = simulation.run(record);
    EXPECT_EQ(summary.completed, m_ave == 1.0) << summary.stop;
    if (m_ave == 1.0) {
      EXPECT_LE(summary.h_min, 2e-6);  // s ≥ 2.5e11
    } else {
      EXPECT_NE(summary.failure.find("multiplier"), std::string::npos) << summary.failure;
    }
  }
}

}  // namespace
}  // namespace trammel::test_contact_cam
