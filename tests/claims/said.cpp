// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>

#include "run_model.h"

/// What is not as it seems is said: refused by name, or told in the summary.
namespace trammel::test_said {
namespace {

std::string arm(double angle, const std::string& rest = "") {
  return fmt::format(R"toml(
gravity = [0, 0, -9.81]
[[body]]
name = "arm"
mass = 2
inertia = [0.1, 0.2, 0.1]
position = [{:.17g}, 0, {:.17g}]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "arm"]
point = [0, 0, 0]
axis = "y"
{}
)toml",
                     0.5 * std::cos(angle), 0.5 * std::sin(angle), rest);
}

std::string refusal(const std::string& text, const SetList& settings = {}) {
  try {
    const Study study = read_study_text(text, "model.toml", settings);
    Simulation simulation(study);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

// ---- analyses that follow motions ----------------------------------------------------------------------------------

TEST(Said, machines_that_are_not_fully_driven_have_no_kinematics) {
  for (const char* kind : {"kinematics", "inverse_dynamics"}) {
    const std::string said = refusal(arm(0.3, "[analysis]\nend = 1\n"), {fmt::format("analysis.kind=\"{}\"", kind)});
    EXPECT_TRUE(says(said, "not fully driven: 1 of its freedoms is free")) << said;
    EXPECT_TRUE(says(said, "'arm'")) << said;
  }
  const std::string drive =
      "[[motion]]\nname = \"drive\"\njoint = \"hinge\"\nfunction = \"t^2\"\n[analysis]\nend = 1\n";
  EXPECT_EQ(refusal(arm(0.3, drive), {"analysis.kind=\"kinematics\""}), "");
}

// A rod between two balls may turn about itself: nothing else depends on that, and it is no freedom that a motion
// lacks.
TEST(Said, idle_freedoms_do_not_forbid_kinematics) {
  const std::string text = R"toml(
gravity = [0, 0, -9.81]
[[body]]
name = "slider"
mass = 1
inertia = [1, 1, 1]
position = [0, 0, 0]
[[body]]
name = "rod"
mass = 1
inertia = [0.1, 0.1, 0.001]
position = [0, 0, 0.5]
[[body]]
name = "top"
mass = 1
inertia = [1, 1, 1]
position = [0, 0, 1]
[[joint]]
name = "rail"
kind = "prismatic"
bodies = ["ground", "slider"]
point = [0, 0, 0]
axis = "z"
[[joint]]
name = "lower"
kind = "spherical"
bodies = ["slider", "rod"]
point = [0, 0, 0]
[[joint]]
name = "upper"
kind = "spherical"
bodies = ["rod", "top"]
point = [0, 0, 1]
[[joint]]
name = "guide"
kind = "prismatic"
bodies = ["ground", "top"]
point = [0, 0, 1]
axis = "z"
[[motion]]
name = "drive"
joint = "rail"
function = "0.1*t^2"
[analysis]
kind = "kinematics"
end = 1
)toml";
  const Recorded recorded = run_text(text);
  EXPECT_NEAR(recorded.last_value("guide.displacement"), 0.1, 1e-9);
}

TEST(Said, kinematics_has_no_reactions) {
  const std::string drive =
      "[[motion]]\nname = \"drive\"\njoint = \"hinge\"\nfunction = \"t^2\"\n"
      "[[measure]]\nname = \"pull\"\nexpression = \"hinge.force\"\n[analysis]\nend = 1\n";
  const Recorded recorded = run_text(arm(0.3, drive), {"analysis.kind=\"kinematics\""});
  for (const RecordGroup& group : recorded.record.schema().frames) {
    const std::string quantity = group.quantity();
    const bool of_forces = quantity == "reaction_force" || quantity == "reaction_moment" || quantity == "effort";
    EXPECT_TRUE(!of_forces || group.names.empty()) << group.path;
  }
  EXPECT_TRUE(says(recorded.summary.to_text(), "measure 'pull' is no finite number")) << recorded.summary.to_text();
  const Recorded inverse = run_text(arm(0.3, drive), {"analysis.kind=\"inverse_dynamics\""});
  EXPECT_TRUE(inverse.values("hinge.reaction_force").allFinite());
  EXPECT_GT(inverse.last("hinge.reaction_force").norm(), 1.0);
}

// ---- equilibria ----------------------------------------------------------------------------------------------------

TEST(Said, statics_goes_down_to_a_stable_equilibrium) {
  for (const char* coordinates : {"absolute", "joint"})
    for (const double angle : {0.1, 0.7, 1.2, 1.5, 0.5 * std::numbers::pi, 2.5}) {
      SCOPED_TRACE(fmt::format("{} {}", coordinates, angle));
      const Recorded recorded = run_text(arm(angle, "[analysis]\nkind = \"statics\"\n"),
                                         {fmt::format("solver.coordinates=\"{}\"", coordinates)});
      EXPECT_NEAR(recorded.last("arm.position")[2], -0.5, 1e-6);
      EXPECT_FALSE(says(recorded.summary.to_text(), "unstable"));
    }
}

TEST(Said, an_equilibrium_that_is_kept_although_it_is_unstable_is_named) {
  // Along a path of loads the machine is not let down: the arm stands on its point and stays there.
  const Recorded recorded = run_text(arm(0.5 * std::numbers::pi, "[analysis]\nkind = \"statics\"\nload_steps = 2\n"));
  EXPECT_TRUE(says(recorded.summary.to_text(), "unstable")) << recorded.summary.to_text();
  EXPECT_TRUE(says(recorded.summary.to_text(), "'arm'") || says(recorded.summary.to_text(), "'hinge'"));
}

// ---- contacts and tyres --------------------------------------------------------------------------------------------

TEST(Said, pairs_that_are_not_offered_are_refused_among_many_too) {
  const auto machine = [](const char* kind, const char* size) {
    return fmt::format(R"toml(
gravity = [0, 0, -9.81]
[[geometry]]
name = "floor"
kind = "plane"
[[body]]
name = "a"
position = [0, 0, 0.25]
shape = {{ kind = "{0}", {1}, density = 300 }}
[[body]]
name = "b"
position = [0, 0, 0.9]
shape = {{ kind = "{0}", {1}, density = 300 }}
[[contact]]
name = "c"
among = ["a", "b", "floor"]
stiffness = 1e5
[analysis]
end = 0.1
)toml",
                       kind, size);
  };
  const std::string said = refusal(machine("box", "size = [0.5, 0.5, 0.5]"));
  EXPECT_TRUE(says(said, "between box and box")) << said;
  EXPECT_EQ(refusal(machine("sphere", "radius = 0.25")), "");
}

// At rest the slip is 0/0; below 1 m/s both forces are those of dampers.
TEST(Said, a_tyre_at_rest_carries_its_load) {
  const std::string text = R"toml(
gravity = [0, 0, -9.81]
[[body]]
name = "fork"
mass = 100
inertia = [5, 5, 5]
position = [0, 0, 0.33]
[[body]]
name = "wheel"
mass = 20
inertia = [0.6, 1.1, 0.6]
position = [0, 0, 0.33]
[[joint]]
name = "upright"
kind = "prismatic"
bodies = ["ground", "fork"]
point = [0, 0, 0.33]
axis = "z"
[[joint]]
name = "axle"
kind = "revolute"
bodies = ["fork", "wheel"]
point = [0, 0, 0.33]
axis = "y"
[[force]]
name = "tyre"
kind = "tyre"
wheel = "wheel"
carrier = "fork"
contact = [0, 0, 0]
stiffness = 2.8e5
damping = 3000
free_radius = 0.344
rolling_radius = 0.339
nominal_load = 3900
cornering_slope = 20
cornering_load = 2
slip_stiffness = 22
[analysis]
end = 2
)toml";
  const double rest = 0.344 - 120.0 * 9.81 / 2.8e5;  // radius at which the spring carries both bodies
  for (const char* integrator : {"generalized_alpha", "bdf", "radau", "runge_kutta"}) {
    SCOPED_TRACE(integrator);
    const Recorded recorded = run_text(text, {fmt::format("solver.integrator=\"{}\"", integrator)});
    EXPECT_TRUE(recorded.values("wheel.position").allFinite());
    EXPECT_NEAR(recorded.last("wheel.position")[2], rest, 1e-5);
  }
  const Recorded statics = run_text(text, {"analysis.kind=\"statics\""});
  EXPECT_NEAR(statics.last("wheel.position")[2], rest, 1e-9);
}

// ---- summaries -----------------------------------------------------------------------------------------------------

TEST(Said, joints_beside_particles_are_told) {
  const auto machine = [](double x) {
    return fmt::format(R"toml(
gravity = [0, 0, -9.81]
[[body]]
name = "bead"
kind = "particle"
mass = 1
position = [1, 0, 0]
[[joint]]
name = "wire"
kind = "point_on_line"
bodies = ["ground", "bead"]
point = [{}, 0, 0]
axis = "x"
[analysis]
end = 0.1
)toml",
                       x);
  };
  EXPECT_TRUE(says(run_text(machine(4.0)).summary.to_text(), "holds particle 'bead'"));
  EXPECT_FALSE(says(run_text(machine(1.0)).summary.to_text(), "particle"));
}

TEST(Said, a_bushing_that_turns_over_is_told) {
  const auto machine = [](double stiffness) {
    return fmt::format(R"toml(
gravity = [0, 0, 0]
[[body]]
name = "rotor"
mass = 1
inertia = [1, 1, 1]
position = [0, 0, 0]
angular_velocity = [0, 0, 5]
[[force]]
name = "rubber"
kind = "bushing"
bodies = ["ground", "rotor"]
point = [0, 0, 0]
axis = "z"
K = [1e3, 1e3, 1e3, 10, 10, {}]
[analysis]
end = 2
)toml",
                       stiffness);
  };
  EXPECT_TRUE(says(run_text(machine(0.5)).summary.to_text(), "bushing 'rubber' passed half a turn"));
  EXPECT_FALSE(says(run_text(machine(0.0)).summary.to_text(), "half a turn"));  // free about its axis
  EXPECT_FALSE(says(run_text(machine(50.0)).summary.to_text(), "half a turn"));
}

TEST(Said, the_last_frame_is_there_however_long_the_output_interval_is) {
  for (const double interval : {2.0, 1e8, 1e12})
    for (const char* integrator : {"generalized_alpha", "bdf"}) {
      const Recorded recorded =
          run_text(arm(0.0, "[analysis]\nend = 1\n"),
                   {set("output.interval", interval), fmt::format("solver.integrator=\"{}\"", integrator)});
      EXPECT_EQ(recorded.times().size(), 2u);
      EXPECT_EQ(recorded.times().back(), 1.0);
    }
}

TEST(Said, a_fixed_step_that_is_far_too_long_is_told) {
  for (const char* coordinates : {"absolute", "joint"}) {
    const SetList settings{fmt::format("solver.coordinates=\"{}\"", coordinates)};
    const auto run_with = [&](double h) {
      SetList all = settings;
      all.push_back(set("solver.h", h));
      const Study study = read_study_text(arm(0.0, "[analysis]\nend = 100\n"), "model.toml", all);
      Simulation simulation(study);
      MemoryRecord record;
      return simulation.run(record).to_text();
    };
    EXPECT_TRUE(says(run_with(10.0), "is far too long") || says(run_with(10.0), "failed"));
    EXPECT_FALSE(says(run_with(0.001), "too long"));  // with 0.002 the phase is off by 0.3 % of the swing after 100 s
  }
}

TEST(Said, measures_that_are_no_numbers_are_told) {
  const std::string rest = "[[measure]]\nname = \"root\"\nexpression = \"sqrt(0.5 - t)\"\n[analysis]\nend = 1\n";
  const std::string said = run_text(arm(0.0, rest)).summary.to_text();
  EXPECT_TRUE(says(said, "measure 'root' is no finite number in 250 frames, first at t = 0.502 s")) << said;
}

TEST(Said, a_stop_that_never_came_is_told) {
  const auto rest = [](double level) {
    return fmt::format(
        "[[measure]]\nname = \"height\"\nexpression = \"arm.z\"\n[[event]]\nname = \"low\"\n"
        "measure = \"height\"\nlevel = {}\naction = \"stop\"\n[analysis]\nend = 1\n",
        level);
  };
  EXPECT_TRUE(says(run_text(arm(0.0, rest(-3.0))).summary.to_text(), "event 'low', which would have stopped the run"));
  EXPECT_FALSE(says(run_text(arm(0.0, rest(-0.3))).summary.to_text(), "would have stopped"));
}

}  // namespace
}  // namespace trammel::test_said
