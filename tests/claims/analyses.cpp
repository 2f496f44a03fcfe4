// SPDX-License-Identifier: Apache-2.0
#include "run_model.h"

/// The three analyses agree: what kinematics finds from the motions, dynamics integrates; what inverse dynamics says
/// the drive must give, dynamics reports as its reaction.
namespace trammel::test_analyses {
namespace {

const std::string slider_crank = "03_slider_crank/slider_crank.toml";
const SetList common{"analysis.end=1", "output.interval=0.05"};

Recorded analyse(const std::string& kind, double h) {
  SetList settings = common;
  settings.push_back("analysis.kind=" + kind);
  settings.push_back(set("solver.h", h));
  return run_example(slider_crank, settings);
}

double largest_difference(const Recorded& a, const Recorded& b, const std::string& channel) {
  return (a.values(channel) - b.values(channel)).cwiseAbs().maxCoeff();
}

// x = r cos φ + √(l² − r² sin² φ)
TEST(Analyses, kinematics_follows_the_closed_form_of_a_slider_crank) {
  const Recorded run = analyse("kinematics", 1e-3);
  const double r = 0.15, l = 0.45, speed = 4.0 * M_PI, tau = 0.2;
  for (std::size_t i = 0; i < run.times().size(); ++i) {
    const double t = run.times()[i], rate = speed * std::pow(std::tanh(t / tau), 2);
    const double phi = speed * (t - tau * std::tanh(t / tau)), root = std::sqrt(l * l - std::pow(r * std::sin(phi), 2));
    const double x = r * std::cos(phi) + root;
    const double dx = -r * std::sin(phi) - r * r * std::sin(phi) * std::cos(phi) / root;
    const auto row = static_cast<Eigen::Index>(i);
    EXPECT_NEAR(run.values("slider.position")(row, 0), x, 1e-10);
    EXPECT_NEAR(run.values("slider.velocity")(row, 0), dx * rate, 1e-8);
    EXPECT_NEAR(run.values("bearing.angle")(row, 0), phi, 1e-10);
  }
}

TEST(Analyses, dynamics_of_a_driven_mechanism_is_its_kinematics) {
  const Recorded kinematics = analyse("kinematics", 1e-3), dynamics = analyse("dynamics", 1e-3);
  ASSERT_EQ(kinematics.times().size(), dynamics.times().size());
  EXPECT_LT(largest_difference(kinematics, dynamics, "slider.position"), 1e-9);  // both solve Φ(q, t) = 0
  const Recorded finer = analyse("dynamics", 5e-4);
  const double coarse = largest_difference(kinematics, dynamics, "rod.velocity");
  const double fine = largest_difference(kinematics, finer, "rod.velocity");
  EXPECT_NEAR(observed_order(coarse, fine), 2.0, order_margin);
}

TEST(Analyses, the_effort_of_inverse_dynamics_is_the_reaction_of_the_motion) {
  const Recorded inverse = analyse("inverse_dynamics", 1e-3);
  const double coarse = largest_difference(inverse, analyse("dynamics", 1e-3), "drive.effort");
  const double fine = largest_difference(inverse, analyse("dynamics", 5e-4), "drive.effort");
  const double size = inverse.values("drive.effort").cwiseAbs().maxCoeff();
  EXPECT_GT(size, 1.0);
  EXPECT_LT(fine, 2e-3 * size);
  EXPECT_NEAR(observed_order(coarse, fine), 2.0, order_margin);
}

// The drive's power is what changes the energy: T + V − (T + V)₀ = ∫ effort · rate dt; the ledger's integral is of
// second order.
TEST(Analyses, the_work_of_the_drive_is_the_change_of_energy) {
  const Recorded run = analyse("dynamics", 5e-4);
  EXPECT_GT(run.values("energy.kinetic").maxCoeff(), 5.0);
  EXPECT_LT(run.summary.energy_drift, 1e-3 * run.values("energy.kinetic").maxCoeff());
}

// An effort that drives: torque to hold a horizontal arm, m g a about y, against gravity.
TEST(Analyses, the_effort_of_a_motion_that_holds_an_arm_is_its_weight_times_the_arm) {
  const Recorded run = run_text(R"toml(
[[body]]
name = "arm"
mass = 2
inertia = [0.1, 0.1, 0.1]
position = [0.5, 0, 0]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "arm"]
point = [0, 0, 0]
axis = "y"
[[motion]]
name = "hold"
joint = "hinge"
function = "0*t"
[analysis]
kind = "inverse_dynamics"
end = 0.1
)toml");
  // Gravity turns the arm about +y; the motor holds it with −m g a.
  EXPECT_NEAR(run.last_value("hold.effort"), -2 * 9.81 * 0.5, 1e-9);
}

TEST(Analyses, a_motion_on_the_velocity_level_prescribes_the_rate) {
  const Recorded run = run_text(R"toml(
gravity = [0, 0, 0]
[[body]]
name = "arm"
mass = 2
inertia = [0.1, 0.1, 0.1]
position = [0.5, 0, 0]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "arm"]
point = [0, 0, 0]
axis = "z"
[[motion]]
name = "turn"
joint = "hinge"
velocity = "3*t^2"
[analysis]
end = 1
[solver]
h = 1e-3
)toml");
  EXPECT_NEAR(run.last_value("hinge.angle_rate"), 3.0, 1e-9);  // imposed at every step
  EXPECT_NEAR(run.last_value("hinge.angle"), 1.0, 1e-5);       // integrated, second order
  EXPECT_NEAR(run.last_value("turn.effort"), (0.1 + 2 * 0.25) * 6.0, 1e-4);
}

// A driven four-bar linkage has a loop, an arm with a motion in every joint has no unknown left in joint coordinates.
// Every recorded number but summed work is the same in both sets; those of kinematics that need reactions are NaN in
// both.
TEST(Analyses, kinematics_and_inverse_dynamics_are_the_same_in_joint_coordinates) {
  const std::string arm = R"toml(
[[body]]
name = "upper"
mass = 2
inertia = [0.1, 0.2, 0.15]
position = [0.5, 0, 0]
[[body]]
name = "lower"
mass = 1
inertia = [0.05, 0.1, 0.08]
position = [1.4, 0, 0]
[[joint]]
name = "shoulder"
kind = "revolute"
bodies = ["ground", "upper"]
point = [0, 0, 0]
axis = [0.2, 0, 1]
[[joint]]
name = "elbow"
kind = "cylindrical"
bodies = ["upper", "lower"]
point = [1, 0, 0]
axis = "y"
[[motion]]
name = "swing"
joint = "shoulder"
function = "0.7*sin(3*t)"
[[motion]]
name = "bend"
joint = "elbow"
coordinate = "angle"
function = "t + 0.2*sin(5*t)"
[[motion]]
name = "shift"
joint = "elbow"
coordinate = "displacement"
function = "0.1*sin(4*t)"
[[force]]
name = "load"
kind = "force"
body = "lower"
force = [0, 3, "-5*lower.vz"]
[analysis]
end = 1
[output]
interval = 0.05
)toml";
  for (const std::string kind : {"kinematics", "inverse_dynamics"}) {
    const SetList in_absolute{"analysis.kind=" + kind, "solver.coordinates=absolute", "output.interval=0.05"},
        in_joint{"analysis.kind=" + kind, "solver.coordinates=joint", "output.interval=0.05"};
    for (const bool loop : {false, true}) {
      const Recorded a = loop ? run_example(slider_crank, in_absolute) : run_text(arm, in_absolute),
                     b = loop ? run_example(slider_crank, in_joint) : run_text(arm, in_joint);
      ASSERT_TRUE(b.summary.completed) << b.summary.failure;
      ASSERT_EQ(a.times().size(), b.times().size());
      ASSERT_EQ(a.record.schema().frame_width(), b.record.schema().frame_width());
      Eigen::VectorXd largest = Eigen::VectorXd::Zero(a.record.schema().frame_width()), difference = largest;
      for (int i = 0; i < static_cast<int>(a.times().size()); ++i) {
        const auto of_a = a.record.frame_values(i), of_b = b.record.frame_values(i);
        for (std::size_t k = 0; k < of_a.size(); ++k) {
          const auto at = static_cast<Eigen::Index>(k);
          EXPECT_EQ(std::isfinite(of_a[k]), std::isfinite(of_b[k])) << kind << " column " << k;
          if (!std::isfinite(of_a[k])) continue;
          largest[at] = std::max(largest[at], std::abs(of_a[k]));
          difference[at] = std::max(difference[at], std::abs(of_a[k] - of_b[k]));
        }
      }
      // Work is summed from step to step, and steps are not the same: how far a prediction is off differs.
      const TablePlace energies = a.record.schema().find_table("/frames/energy");
      const std::vector<std::string>& names = a.record.schema().frames[static_cast<std::size_t>(energies.group)].names;
      for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == "work" || names[i] == "drift") difference[energies.column + static_cast<int>(i)] = 0.0;
      for (Eigen::Index k = 0; k < largest.size(); ++k)
        EXPECT_LT(difference[k], 1e-7 * (1.0 + largest[k])) << kind << (loop ? ", loop" : ", arm") << ", column " << k;
    }
  }
}

}  // namespace
}  // namespace trammel::test_analyses
