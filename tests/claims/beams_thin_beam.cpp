// SPDX-License-Identifier: Apache-2.0
#include "run_model.h"
#include "trammel/simulation/option.h"

/// The thin beam actuated by a tip crank [bauchau2009 section 9]: examples/11_thin_beam.
namespace trammel::test_beams_thin_beam {
namespace {

const std::string thin_beam = example("11_thin_beam/thin_beam.toml");

/// Times at which |u₂| at mid-span passes 1 mm and 5 mm.
struct Buckling {
  double at_1mm = NAN, at_5mm = NAN;
};
Buckling buckling(const Recorded& run) {
  const Eigen::VectorXd u2 = run.values("u2").col(0).cwiseAbs();
  Buckling found;
  for (int i = 1; i < u2.size(); ++i) {
    const double t0 = run.times()[static_cast<std::size_t>(i - 1)], t1 = run.times()[static_cast<std::size_t>(i)];
    const auto crossing = [&](double level, double& at) {
      if (std::isnan(at) && u2[i] > level) at = t0 + (t1 - t0) * (level - u2[i - 1]) / (u2[i] - u2[i - 1]);
    };
    crossing(1e-3, found.at_1mm), crossing(5e-3, found.at_5mm);
  }
  return found;
}

Study short_study(double end, double h) {
  Study study = read_study(thin_beam);
  study.analysis.end = end;
  study.solver.h = h;
  study.output.interval = 1e-3;
  return study;
}

// Twice the elements in every member, and so twice the number of every node.
Study with_twice_the_elements(double end, double h) {
  std::string text = read_study(thin_beam).text;
  for (const auto& [from, to] :
       {std::pair("elements = 8\n", "elements = 16\n"), std::pair("elements = 4\n", "elements = 8\n"),
        std::pair("elements = 2\n", "elements = 4\n"), std::pair("elements = 1\n", "elements = 2\n"),
        std::pair("\"strip_24\"", "\"strip_48\""), std::pair("\"connector_6\"", "\"connector_12\""),
        std::pair("\"link_12\"", "\"link_24\""), std::pair("\"crank_3\"", "\"crank_6\""),
        std::pair("strip_12.x", "strip_24.x"), std::pair("strip_12.y", "strip_24.y"),
        std::pair("strip_12.z", "strip_24.z")})
    text = replace_once(text, from, to);
  Study study = read_study_text(text, "thin_beam.toml");
  study.analysis.end = end;
  study.solver.h = h;
  study.output.interval = 1e-3;
  return study;
}

TEST(ThinBeam, buckles_sideways_soon_and_independently_of_step_and_mesh) {
  const Buckling found = buckling(run(short_study(0.13, 2e-4)));
  EXPECT_GT(found.at_1mm, 0.05);
  EXPECT_LT(found.at_1mm, 0.09);
  EXPECT_LT(found.at_5mm, 0.13);
  for (const Study& refined : {short_study(0.13, 1e-4), with_twice_the_elements(0.13, 2e-4)}) {
    const Buckling other = buckling(run(refined));
    EXPECT_NEAR(other.at_1mm, found.at_1mm, 0.02 * found.at_1mm);
    EXPECT_NEAR(other.at_5mm, found.at_5mm, 0.02 * found.at_5mm);
  }
}

TEST(ThinBeam, starts_to_the_negative_side_with_a_positive_twist) {
  const Recorded start = run(short_study(0.06, 2e-4));
  EXPECT_LT(start.last_value("u2"), -1e-4);
  EXPECT_GT(start.last("strip_12.orientation")[1], 0.0);
  // Bending in its plane: mid-span rises 5/16 of the tip, which the link lifts less what the strip gives by twisting,
  // F d² L/GJ with F = 3 EI₂/L³ per lift.
  const double lift = 0.03 * std::sin(1.6 * (1.0 - std::cos(2.0 * M_PI * 0.06 / 1.6)));
  const double twist = 3.0 * 15208.33 * 0.005 * 0.005 / 14.39299;
  EXPECT_NEAR(start.last_value("u3") / (5.0 / 16.0 * lift / (1.0 + twist)), 1.0, 0.02);
}

TEST(ThinBeam, runs_through_the_whole_period_and_buckles_again) {
  Study study = read_study(thin_beam);
  study.solver.linear_solver = LinearSolverKind::skyline_ldlt;
  const Recorded period = run(study);
  const Eigen::VectorXd u2 = period.values("u2").col(0);
  EXPECT_GT(u2.cwiseAbs().maxCoeff(), 0.04);
  EXPECT_LT(u2.cwiseAbs().maxCoeff(), 0.06);
  EXPECT_GT(u2.maxCoeff(), 5e-3);  // the load reverses near the dead centre
}

/// The three runs of the paper, without row exchanges; Newton waits for every unknown as it stands in the equations.
TEST(ThinBeam, needs_the_augmented_term_and_scaling_if_rows_are_not_exchanged) {
  const auto attempt = [](const char* scaling, double end) {
    Study study =
        read_study(thin_beam, SetList{"solver.linear_solver=skyline_ldlt", "solver.newton_test=all",
                                      "solver.newton_tol=1e-12", fmt::format("solver.scaling={{{}}}", scaling)});
    study.analysis.end = end;
    MemoryRecord record;
    return Simulation(study).run(record);
  };
  const Summary bare = attempt("m_ave=0.675, d_ave=0, k_ave=4.5625e4, rho=0", 0.01);
  EXPECT_FALSE(bare.completed);
  EXPECT_EQ(bare.steps, 0);
  EXPECT_EQ(bare.iterations, 0);
  EXPECT_NE(bare.failure.find("a pivot vanished"), std::string::npos) << bare.failure;
  EXPECT_NE(bare.failure.find("coordinate 'pin_rotation'"), std::string::npos) << bare.failure;

  const Summary unscaled = attempt("kind=\"none\", rho=1", 0.01);
  EXPECT_FALSE(unscaled.completed);
  EXPECT_EQ(unscaled.steps, 0);
  EXPECT_NE(unscaled.failure.find("Newton did not converge"), std::string::npos) << unscaled.failure;
  EXPECT_NE(unscaled.failure.find("multiplier of joint"), std::string::npos) << unscaled.failure;

  const Summary scaled = attempt("m_ave=0.675, d_ave=0, k_ave=4.5625e4, rho=1", 0.1);
  EXPECT_TRUE(scaled.completed) << scaled.failure;
}

/// Without massless coordinates H = M/h² + K is positive definite, and every multiplier follows its coordinates.
TEST(ThinBeam, needs_no_augmented_term_if_frames_are_its_only_coordinates) {
  Study study = read_study(example("11_thin_beam/thin_beam_frames_only.toml"));
  study.analysis.end = 0.1, study.output.interval = 1e-3;
  study.solver.linear_solver = LinearSolverKind::skyline_ldlt;
  study.solver.scaling.rho = 0.0;
  const Eigen::VectorXd a = run(study).values("u2").col(0), b = run(short_study(0.1, 2e-4)).values("u2").col(0);
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-8);
}

/// Steps of 1 and 5 µs, as in the paper: what rounding leaves of forces beside the connector's stiffness of 5e9 N/m
/// turns its light nodes by 1e-12 rad per step, at rates far above every tolerance. That ends Newton's iteration, not
/// the run.
TEST(ThinBeam, runs_at_steps_where_rounding_ends_newtons_iteration) {
  for (const char* formulation : {"index3", "stabilized_index2"})
    for (const double h : {1e-6, 5e-6}) {
      SCOPED_TRACE(fmt::format("{} {}", formulation, h));
      Study study = short_study(h == 1e-6 ? 1e-4 : 4e-3, h);
      study.solver.integrator = Integrator::radau;
      study.solver.formulation = parse_word<Formulation>(formulation);
      study.solver.newton_tol = 1e-12;
      drop_foreign(study);  // what the file says for generalized_alpha
      MemoryRecord record;
      const Summary summary = Simulation(study).run(record);
      EXPECT_TRUE(summary.completed) << summary.failure;
    }
}

/// The 3.4 g of the connector hardly matter until 0.6 s.
TEST(ThinBeam, moves_alike_with_a_rigid_connector) {
  Study rigid = read_study(example("11_thin_beam/thin_beam_rigid_connector.toml"));
  rigid.analysis.end = 0.2, rigid.output.interval = 1e-3;
  const Eigen::VectorXd a = run(short_study(0.2, 2e-4)).values("u2").col(0), b = run(rigid).values("u2").col(0);
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 0.01 * a.cwiseAbs().maxCoeff());
}

/// hht: second order; radau with three stages: third order at least, until what the start excites (1e-7 m) is all that
/// is left. t ≤ 0.2 s, buckling included.
TEST(ThinBeam, converges_with_the_order_of_the_integrator) {
  const auto motion = [](const std::string& integrator, double h) {
    Study study = short_study(0.2, h);
    study.solver.integrator = parse_word<Integrator>(integrator);
    study.solver.formulation = Formulation::index3;
    study.solver.newton_tol = 1e-12;
    drop_foreign(study);  // what the file says for generalized_alpha
    study.output.interval = 0.02;
    const Recorded moved = run(study);
    Eigen::MatrixXd u(moved.values("u1").rows(), 3);
    u << moved.values("u1"), moved.values("u2"), moved.values("u3");
    return u;
  };
  const Eigen::MatrixXd exact = motion("radau", 1e-4);
  const auto error = [&](const std::string& integrator, double h) {
    return (motion(integrator, h) - exact).rowwise().norm().maxCoeff();
  };
  EXPECT_NEAR(observed_order(error("hht", 5e-4), error("hht", 2.5e-4)), 2.0, 0.1);
  EXPECT_GT(observed_order(error("radau", 5e-3), error("radau", 2.5e-3)), 3.0);
}

}  // namespace
}  // namespace trammel::test_beams_thin_beam
