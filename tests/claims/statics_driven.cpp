// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "compare_frames.h"
#include "trammel/dae/linearization.h"

/// Machines whose motions have a speed at the start: in an equilibrium they are held where they are, in both sets of
/// coordinates.
namespace trammel::test_statics_driven {
namespace {

/// A turntable and a lift, driven; a pendulum on the one, a mass on a spring in the other; a spring with a damper to
/// the ground.
const std::string text = R"(
gravity = [0, 0, -9.81]
[parameters]
angle = 0.3
speed = 4
acceleration = 7
lift = 0.2
lift_speed = 1.5
c = 30
[[body]]
name = "table"
mass = 3
inertia = [0.2, 0.2, 0.4]
[[joint]]
name = "bearing"
kind = "revolute"
bodies = ["ground", "table"]
point = [0, 0, 0]
axis = "z"
[[motion]]
name = "turning"
joint = "bearing"
function = "angle + speed*t + acceleration*t^2"
[[body]]
name = "arm"
mass = 1.2
inertia = [0.02, 0.05, 0.03]
position = [0.8, 0, -0.1]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["table", "arm"]
point = [0.5, 0, 0]
axis = "y"
[[force]]
name = "line"
kind = "spring_damper"
bodies = ["ground", "arm"]
point_a = [2, 0.5, -1]
point_b = [0.8, 0, -0.1]
stiffness = 5
damping = "c"
[[body]]
name = "cage"
mass = 2
inertia = [0.1, 0.1, 0.1]
position = [-3, 0, 0]
[[joint]]
name = "shaft"
kind = "prismatic"
bodies = ["ground", "cage"]
point = [-3, 0, 0]
axis = "z"
[[motion]]
name = "rising"
joint = "shaft"
function = "lift + lift_speed*t - 2*t^2"
[[body]]
name = "load"
mass = 0.5
inertia = [0.01, 0.01, 0.01]
position = [-3, 0, 0.5]
[[joint]]
name = "guide"
kind = "prismatic"
bodies = ["cage", "load"]
point = [-3, 0, 0.5]
axis = "z"
[[force]]
name = "spring"
kind = "joint_spring"
joint = "guide"
stiffness = 80
)";

const std::vector<SetList> sets{{"solver.coordinates=absolute"}, {"solver.coordinates=joint"}};

std::vector<SetList> draw_drives(int n) {
  std::mt19937 draw(17);
  std::uniform_real_distribution<double> u(-1.0, 1.0);
  std::vector<SetList> drives{{}};
  for (int i = 1; i < n; ++i)
    drives.push_back({set("parameters.angle", 3.0 * u(draw)), set("parameters.speed", 12.0 * u(draw)),
                      set("parameters.acceleration", 40.0 * u(draw)), set("parameters.lift", u(draw)),
                      set("parameters.lift_speed", 5.0 * u(draw))});
  return drives;
}

SetList join(SetList a, const SetList& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(DrivenStatics, stand_still_in_both_sets_of_coordinates) {
  for (const SetList& drive : draw_drives(6)) {
    const SetList settings = join({"analysis.kind=statics"}, drive);
    const Recorded absolute = run_text(text, join(settings, sets[0])), joint = run_text(text, join(settings, sets[1]));
    // Of two frames, the drawn machine and the equilibrium, the second.
    for (const FrameDifference& d : compare_frames(joint, absolute, [](double load) { return load < 0.5; }))
      EXPECT_LT(d.error, 1e-8 * std::max(d.scale, 1.0)) << d.quantity << " of " << d.item;
    for (const Recorded* run : {&absolute, &joint}) {
      for (const char* body : {"table", "arm", "cage", "load"})
        EXPECT_TRUE(run->last(std::string(body) + ".velocity").isZero(1e-12)) << body;
      EXPECT_NEAR(run->last_value("guide.displacement"), -0.5 * 9.81 / 80.0, 1e-10);
      EXPECT_NEAR(run->last("shaft.reaction_force").head<2>().norm(), 0.0, 1e-9);
      EXPECT_NEAR(run->last_value("rising.effort"), 2.5 * 9.81, 1e-8);
    }
  }
}

TEST(DrivenStatics, swing_about_the_equilibrium_at_rest) {
  for (const SetList& drive : draw_drives(4)) {
    std::vector<Eigen::VectorXcd> values;
    for (const SetList& coordinates : sets) {
      Simulation simulation(read_study_text(text, "model.toml", join(join({"analysis.end=1"}, drive), coordinates)));
      ASSERT_TRUE(simulation.find_equilibrium({}).status.ok());
      const LinearizedMachine linearized = simulation.linearize({});
      EXPECT_LT(linearized.largest_acceleration, 1e-8);
      values.push_back(calc_modes(linearized.motion).values);
    }
    ASSERT_EQ(values[0].size(), 4);
    EXPECT_LT((values[0] - values[1]).norm(), 1e-7 * values[0].norm());
    bool swings = false;
    for (const std::complex<double>& value : values[1]) swings |= std::abs(value.imag() - std::sqrt(80.0 / 0.5)) < 1e-8;
    EXPECT_TRUE(swings);  // the load on its spring, whatever the cage does
  }
}

TEST(DrivenStatics, begin_their_motion_with_the_speed_of_the_drive) {
  const SetList settings{"analysis.end=0.05", "analysis.start_from=equilibrium", "solver.rtol=1e-9",
                         "solver.atol=1e-11", "solver.integrator=radau",         "output.interval=0.01"};
  const Recorded absolute = run_text(text, join(settings, sets[0])), joint = run_text(text, join(settings, sets[1]));
  const FrameDifference d = largest_difference(compare_frames(joint, absolute));
  EXPECT_LT(d.relative(), 1e-6) << d.quantity << " of " << d.item;
  for (const Recorded* run : {&absolute, &joint}) {
    EXPECT_NEAR(run->values("bearing.angle_rate")(0, 0), 4.0, 1e-9);
    EXPECT_NEAR(run->values("guide.displacement")(0, 0), -0.5 * 9.81 / 80.0, 1e-9);
  }
}

}  // namespace
}  // namespace trammel::test_statics_driven
