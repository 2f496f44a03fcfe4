// SPDX-License-Identifier: Apache-2.0
#include "compare_frames.h"
#include "run_model.h"
#include "support/chain.h"
#include "trammel/simulation/bdf_motion.h"

// BDF on machines that are hard for a multistep method: singular positions and fast spin.

namespace trammel::test_bdf_machines {
namespace {

Study by_bdf(const std::string& text, double tol) {
  Study study = read_study_text(text, "model.toml");
  study.solver = {};
  study.solver.integrator = Integrator::bdf;
  study.solver.rtol = study.solver.atol = tol;
  return study;
}

// IFToMM A02. In a flat position all 2N + 1 rods are in line and N freedoms meet; beyond it each cell could go on as a
// parallelogram or crossed. On the parallelogram branch all verticals stay parallel. Multipliers are not determined in
// the flat position, so they are left out of Newton's test.
Recorded four_bars(int n, double tol) {
  Study study = by_bdf(testing::four_bar_text(n), tol);
  study.solver.bdf.corrector = Corrector::modified;
  return run(study);
}

struct FourBarCase {
  int n;
  double tol;
};
class FourBarsByBdf : public ::testing::TestWithParam<FourBarCase> {};

TEST_P(FourBarsByBdf, pass_their_singular_positions_on_the_parallelogram_branch) {
  const auto [n, tol] = GetParam();
  const Recorded recorded = four_bars(n, tol);
  const Eigen::VectorXd first = recorded.values("foot_0.angle"),
                        last = recorded.values(fmt::format("foot_{}.angle", n));
  EXPECT_GT(first.cwiseAbs().maxCoeff(), 3.0);           // through the flat position at ±π/2
  EXPECT_LT((first - last).cwiseAbs().maxCoeff(), 0.1);  // a crossed cell would be wrong by radians
  if (n != 2 || tol > 1e-6) return;
  const double x = recorded.last("vertical_0.position")[0];
  EXPECT_NEAR(x, 0.5 * 0.328458111540815, 1e-2);  // half the tip's, at 10 s
}
INSTANTIATE_TEST_SUITE_P(Tolerances, FourBarsByBdf,
                         ::testing::Values(FourBarCase{2, 1e-4}, FourBarCase{2, 1e-5}, FourBarCase{2, 1e-6},
                                           FourBarCase{2, 1e-7}, FourBarCase{2, 1e-8}, FourBarCase{40, 1e-4},
                                           FourBarCase{40, 1e-7}));

// A falling chain whips: fast, but resolved. The detector of stability limits must not take its order away.
TEST(ChainByBdf, keeps_its_order) {
  for (const double tol : {1e-4, 1e-6, 1e-8}) {
    Study study = by_bdf(testing::chain_text(30, true), tol);
    study.analysis.end = 2.0;
    Simulation simulation(study);
    MotionIntegrator& integrator = simulation.integrator();
    double order = 0.0;
    while (integrator.newest().t < 2.0) {
      const StepReport step = integrator.advance(2.0, simulation.state());
      ASSERT_TRUE(step.status.ok());
      order += step.order;
    }
    const BdfCounters& counters = dynamic_cast<const BdfMotion&>(integrator).bdf().counters();
    EXPECT_EQ(counters.orders_lowered, 0) << tol;
    EXPECT_GT(order / static_cast<double>(counters.steps), 3.5) << tol;
  }
}

// [ROTATIONS section 5] A balanced flywheel in a hinge, 150 rad/s and a slow torque: the motion is smooth in the chart,
// so steps of many radians are right if the history follows the continuous branch of the logarithm. Measured there: 79
// steps; 964 and more with the principal logarithm.
TEST(FlywheelByBdf, turns_1500_radians_in_150_steps) {
  const std::string text = R"toml(
gravity = [0, 0, 0]
[[body]]
name = "wheel"
mass = 10
inertia = [0.1, 0.1, 0.2]
angular_velocity = [0, 0, 150]
[[joint]]
name = "axle"
kind = "revolute"
bodies = ["ground", "wheel"]
point = [0, 0, 0]
axis = "z"
[[force]]
name = "motor"
kind = "torque"
body = "wheel"
torque = [0, 0, "0.2*sin(t)"]
[analysis]
end = 10
)toml";
  const Recorded recorded = run(by_bdf(text, 1e-3));
  EXPECT_LE(recorded.summary.steps, 150);
  EXPECT_NEAR(recorded.last("wheel.angular_velocity")[2], 150.0 + 1.0 - std::cos(10.0), 0.15 + 0.15);  // rtol |ω|
}

// On index 3 velocities are differences of positions: loops at tight tolerances once began with steps of picoseconds,
// in which ε/h is more than velocities may be off by, and failed there, or went on from wrong ones. Errors over all
// frames, relative to the largest of their sort: ten tolerances of positions (atol of parts of some cm), of velocities
// twenty times as many, since the crank of the squeezing mechanism turns by 0.1 mrad in a step.
TEST(LoopsByBdf, begin_on_index_3_with_steps_at_which_velocities_have_digits) {
  for (const char* file : {"04_four_bar/four_bar.toml", "03_slider_crank/slider_crank.toml",
                           "models/spatial_four_bar.toml", "06_squeezing_mechanism/squeezing_mechanism.toml"}) {
    const bool fast = std::string_view(file).starts_with("06");
    const SetList common{"solver=", fmt::format("analysis.end={}", fast ? 0.003 : 0.3),
                         fmt::format("output.interval={}", fast ? 3e-5 : 3e-3), "analysis.kind=dynamics"};
    const auto run_with = [&](SetList settings) {
      settings.insert(settings.begin(), common.begin(), common.end());
      return run_example(file, settings);
    };
    const Recorded reference = run_with({"solver.integrator=radau", "solver.rtol=1e-11", "solver.atol=1e-12"});
    struct Tolerances {
      double rtol, atol;
    };
    for (const Tolerances tol : {Tolerances{1e-4, 1e-6}, {1e-6, 1e-8}, {1e-8, 1e-8}, {1e-8, 1e-10}, {1e-9, 1e-11}})
      for (const char* coordinates : {"joint", "absolute"}) {
        SCOPED_TRACE(fmt::format("{}, {}, {}, {}", file, tol.rtol, tol.atol, coordinates));
        const Recorded found = run_with(
            {"solver.integrator=bdf", "solver.formulation=index3", fmt::format("solver.coordinates={}", coordinates),
             fmt::format("solver.rtol={}", tol.rtol), fmt::format("solver.atol={}", tol.atol)});
        const std::vector<FrameDifference> all = compare_frames(found, reference);
        const FrameDifference q = largest_difference(all, "position"), v = largest_difference(all, "velocity");
        const double allowed = 10.0 * std::max(tol.rtol, 100.0 * tol.atol);
        EXPECT_LE(q.relative(), allowed) << q;
        EXPECT_LE(v.relative(), 20.0 * allowed) << v;
      }
  }
}

}  // namespace
}  // namespace trammel::test_bdf_machines
