// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/live_simulation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "machines.h"
#include "places.h"
#include "trammel/simulation/channels.h"

// A machine that is driven from outside moves as in a run.

namespace trammel::testing {
namespace {

// A crank, a rod and a rocker; a spring; nothing flat about the loads. Planar motion, spatial bodies.
const std::string four_bar = R"toml(
title = "four-bar"
[[body]]
name = "crank"
mass = 1
inertia = [0.01, 0.02, 0.02]
position = [0, 0, 0.15]
[[body]]
name = "rod"
mass = 2
inertia = [0.1, 0.3, 0.3]
position = [0.5, 0, 0.45]
axis_angle = {axis = "y", angle = "-atan2(0.3, 1)"}
[[body]]
name = "rocker"
mass = 1.5
inertia = [0.05, 0.05, 0.01]
position = [1, 0, 0.3]
[[joint]]
name = "a"
kind = "revolute"
bodies = ["ground", "crank"]
point = [0, 0, 0]
axis = "y"
[[joint]]
name = "b"
kind = "revolute"
bodies = ["crank", "rod"]
point = [0, 0, 0.3]
axis = "y"
[[joint]]
name = "c"
kind = "spherical"
bodies = ["rod", "rocker"]
point = [1, 0, 0.6]
[[joint]]
name = "d"
kind = "universal"
bodies = ["ground", "rocker"]
point = [1, 0, 0]
axis = "y"
axis_b = "x"
[[force]]
name = "spring"
kind = "joint_spring"
joint = "a"
stiffness = 5
damping = 0.1
[[control]]
name = "filter"
kind = "filter"
input = "a.angle_rate"
time_constant = 0.1
[[input]]
name = "torque"
value = 0.5
unit = "N m"
[[force]]
name = "drive"
kind = "joint_spring"
joint = "a"
law = "torque - 0.1*filter"
[analysis]
end = 0.5
)toml";

std::vector<double> copy_of(std::span<const double> row) { return {row.begin(), row.end()}; }

double value(LiveSimulation& live, const std::string& name) {
  return live.outputs()[static_cast<std::size_t>(ChannelIndex(live.output_schema()).find(name).column)];
}

double state(LiveSimulation& live, const std::string& name) {
  return live.state()[static_cast<std::size_t>(ChannelIndex(live.state_schema()).find(name).column)];
}

std::vector<double> last_frame(const Study& study) {
  Simulation simulation(study);
  MemoryRecord record;
  const Summary summary = simulation.run(record);
  EXPECT_TRUE(summary.completed) << summary.failure;
  return copy_of(record.frame_values(static_cast<int>(record.times().size()) - 1));
}

const std::vector<std::string> methods[] = {{},
                                            {"solver.integrator=runge_kutta", "solver.coordinates=joint"},
                                            {"solver.integrator=radau"},
                                            {"solver.integrator=bdf"},
                                            {"solver.integrator=bdf", "solver.coordinates=joint"},
                                            {"solver.integrator=generalized_alpha"},
                                            {"solver.integrator=generalized_alpha", "solver.h=2e-3"},
                                            {"solver.integrator=energy_decaying", "solver.h=2e-3"}};

std::string words(const std::vector<std::string>& settings) { return fmt::format("{}", fmt::join(settings, " ")); }

TEST(Live, gives_the_bits_of_a_run_with_every_method) {
  for (const std::string& text : {arm, four_bar})
    for (std::vector<std::string> settings : methods) {
      if (settings.size() < 2 || !settings.back().starts_with("solver.h")) settings.push_back("solver.h=");
      SCOPED_TRACE(words(settings));
      const Study study = study_of(text, settings);
      LiveSimulation live{study};
      live.step_to(*study.analysis.end);
      const std::vector<double> frame = copy_of(live.outputs());
      const std::vector<double> of_run = last_frame(study);
      if (!study.solver.h) {
        EXPECT_EQ(frame, of_run);
        continue;
      }
      // Of a fixed step the last one of a run ends at the end, and that of a call is whole: instants differ by
      // roundings.
      ASSERT_EQ(frame.size(), of_run.size());
      for (std::size_t i = 0; i < frame.size(); ++i)
        EXPECT_NEAR(frame[i], of_run[i], 1e-6 * (1.0 + std::abs(of_run[i]))) << i;
    }
}

TEST(Live, takes_whole_fixed_steps_so_that_any_parts_give_the_bits_of_a_run) {
  const Study study = study_of(
      four_bar, {"solver.integrator=generalized_alpha", "solver.h=1e-3", "analysis.end=0.4", "output.interval=0.1"});
  LiveSimulation live{study}, coarse{study};
  for (int i = 0; i < 300; ++i) live.step(1e-3);
  for (int i = 0; i < 30; ++i) coarse.step(1e-2);
  EXPECT_NEAR(live.time(), 0.3, 1e-12);
  EXPECT_EQ(live.steps(), 300);
  EXPECT_EQ(copy_of(coarse.state()), copy_of(live.state()));
  Simulation simulation(study);
  MemoryRecord record;
  simulation.run(record);
  const std::vector<double> frame = copy_of(live.outputs()), expected = copy_of(record.frame_values(3));
  for (std::size_t i = 0; i < frame.size(); ++i) EXPECT_EQ(frame[i], expected[i]) << i;
}

// A digital controller keeps its instants, energies are counted on, and neither knows which of them is the copy.
TEST(Live, copies_go_on_as_if_nobody_had_copied_and_with_the_same_bits) {
  for (const char* method : {"runge_kutta", "radau", "bdf", "generalized_alpha"}) {
    SCOPED_TRACE(method);
    const Study study = read_study(
        places::source_dir() / "tests/support/resumed/sampled.toml",
        std::vector<std::string>{fmt::format("solver.integrator={}", method), "solver.rtol=1e-8", "solver.atol=1e-8"});
    LiveSimulation alone{study}, copied{study};
    for (int i = 0; i < 9; ++i) {
      LiveSimulation copy = copied.copy();
      alone.step(0.05), copied.step(0.05), copy.step(0.05);
      EXPECT_EQ(copy.steps(), copied.steps());
      EXPECT_EQ(copy_of(copy.outputs()), copy_of(copied.outputs()));
      const std::vector<double> x = copy_of(copied.state()), y = copy_of(alone.state());
      for (std::size_t k = 0; k < x.size(); ++k) EXPECT_NEAR(x[k], y[k], 1e-6) << i << " " << k;
    }
    EXPECT_NEAR(value(copied, "energy.drift"), value(alone, "energy.drift"), 1e-6);
  }
}

// The same jumps as functions of time: a run ends its steps there.
TEST(Live, holds_inputs_as_a_run_that_knows_them_in_advance) {
  for (const std::vector<std::string>& method : methods) {
    if (!method.empty() && method.back().starts_with("solver.h")) continue;
    SCOPED_TRACE(words(method));
    std::vector<std::string> settings = method;
    settings.insert(settings.end(), {"analysis.end=0.3", "solver.rtol=1e-8", "solver.atol=1e-9"});
    LiveSimulation live{study_of(four_bar, settings)};
    for (const double torque : {0.5, 2.0, -1.0}) {
      live.set_input("torque", torque);
      live.step(0.1);
    }
    std::string known = four_bar;
    known.replace(known.find("torque - 0.1"), 6, "if(t < 0.1, 0.5, if(t < 0.2, 2, -1))");
    const std::vector<double> expected = last_frame(study_of(known, settings));
    const std::vector<double> frame = copy_of(live.outputs());
    ASSERT_EQ(frame.size(), expected.size());
    const auto torque = static_cast<std::size_t>(ChannelIndex(live.output_schema()).find("inputs.torque").column);
    for (std::size_t i = 0; i < frame.size(); ++i) {
      if (i == torque) continue;
      EXPECT_NEAR(frame[i], expected[i], 2e-5 * (1.0 + std::abs(expected[i]))) << i;
    }
    EXPECT_LT(std::abs(value(live, "energy.drift")), 1e-5);  // the work of the held torque included
    EXPECT_EQ(value(live, "inputs.torque"), -1.0);
  }
}

// θ = ω² integrates the ramp u = a t of an angle exactly: the motion follows it, at velocity level by an impulse.
TEST(Live, ramps_linear_inputs_and_lets_motions_follow_them) {
  const std::string text = R"toml(
gravity = [0, 0, 0]
[[body]]
name = "rotor"
mass = 1
inertia = [0.1, 0.1, 0.2]
[[body]]
name = "bob"
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [1, 0, 0]
[[joint]]
name = "axle"
kind = "revolute"
bodies = ["ground", "rotor"]
point = [0, 0, 0]
axis = "z"
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["rotor", "bob"]
point = [0.5, 0, 0]
axis = "z"
[[input]]
name = "angle"
between = "linear"
[[motion]]
name = "drive"
joint = "axle"
function = "2*angle"
[analysis]
end = 1
)toml";
  for (const char* coordinates : {"solver.coordinates=absolute", "solver.coordinates=joint"}) {
    SCOPED_TRACE(coordinates);
    LiveSimulation live{study_of(text, {coordinates})};
    live.set_input("angle", 0.2);
    live.step(0.1);
    EXPECT_NEAR(state(live, "axle.angle"), 0.4, 1e-9);
    EXPECT_NEAR(state(live, "axle.angle_rate"), 4.0, 1e-7);
    live.step(0.1);  // stays where it is: the rotor stops
    EXPECT_NEAR(state(live, "axle.angle"), 0.4, 1e-9);
    EXPECT_NEAR(state(live, "axle.angle_rate"), 0.0, 1e-9);
  }
  std::string held = text;
  held.replace(held.find("between = \"linear\""), 18, "");
  try {
    study_of(held);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("between = \"linear\""), std::string::npos) << error.what();
  }
}

TEST(Live, takes_up_a_state_by_name_and_keeps_the_joint_coordinates_that_are_not_named) {
  for (const char* coordinates : {"solver.coordinates=absolute", "solver.coordinates=joint"}) {
    SCOPED_TRACE(coordinates);
    LiveSimulation live{study_of(arm, {coordinates})};
    live.step(0.1);
    const double shoulder = state(live, "shoulder.angle");
    EXPECT_TRUE(
        live.set_state({{"elbow.angle", {2.5}}, {"elbow.angle_rate", {-0.7}}, {"filter.filtered", {0.3}}}).empty());
    EXPECT_NEAR(state(live, "elbow.angle"), 2.5, 1e-12);
    EXPECT_NEAR(state(live, "elbow.angle_rate"), -0.7, 1e-12);
    EXPECT_NEAR(state(live, "shoulder.angle"), shoulder, 1e-12);
    EXPECT_NEAR(live.time(), 0.1, 1e-12);
    live.step(0.05);
    EXPECT_LT(std::abs(value(live, "constraint_drift.position")), 1e-6);
  }
}

TEST(Live, closes_loops_with_the_named_joint_where_it_was_put) {
  for (const char* coordinates : {"solver.coordinates=absolute", "solver.coordinates=joint"}) {
    SCOPED_TRACE(coordinates);
    LiveSimulation live{study_of(four_bar, {coordinates})};
    EXPECT_TRUE(live.set_state({{"a.angle", {0.8}}, {"a.angle_rate", {1.5}}}).empty());
    EXPECT_NEAR(state(live, "a.angle"), 0.8, 1e-10);
    EXPECT_NEAR(state(live, "a.angle_rate"), 1.5, 1e-10);
    EXPECT_LT(value(live, "constraint_drift.position"), 1e-9);
    EXPECT_LT(value(live, "constraint_drift.velocity"), 1e-9);
    live.step(0.01);
    // All of it at once, elsewhere: nothing is corrected.
    LiveSimulation other{study_of(four_bar, {coordinates})};
    LiveSimulation::NamedValues all;
    std::size_t column = 0;
    const std::vector<double> row = copy_of(live.state());
    const RecordSchema schema = live.state_schema();
    for (const RecordGroup& group : schema.frames)
      for (int i = 0; i < group.n_items(); ++i) {
        const auto n = static_cast<std::size_t>(group.n_components());
        all.push_back({channel_name(group, i),
                       {row.begin() + static_cast<std::ptrdiff_t>(column),
                        row.begin() + static_cast<std::ptrdiff_t>(column + n)}});
        column += n;
      }
    const std::vector<std::string> corrections = other.set_state(all, true, live.time());
    EXPECT_TRUE(corrections.empty());
    const std::vector<double> taken = copy_of(other.state());
    for (std::size_t i = 0; i < row.size(); ++i) EXPECT_NEAR(taken[i], row[i], 1e-7) << i;
  }
}

TEST(Live, corrects_what_contradicts_joints_and_says_so_or_refuses_it) {
  LiveSimulation live{study_of(four_bar)};
  const std::vector<double> before = copy_of(live.state());
  EXPECT_THROW(live.set_state({{"crank.position", {0.0, 0.0, 0.2}}}, true), InputError);
  EXPECT_EQ(copy_of(live.state()), before);
  const std::vector<std::string> corrections = live.set_state({{"crank.position", {0.0, 0.0, 0.2}}});
  ASSERT_EQ(corrections.size(), 1u);
  EXPECT_EQ(corrections[0].find("crank.position.z: 0.2 was asked for, 0.15"), 0u) << corrections[0];
}

TEST(Live, begins_anew_with_the_same_bits_and_copies_that_go_their_own_way) {
  for (const std::vector<std::string>& method : methods) {
    SCOPED_TRACE(words(method));
    LiveSimulation live{study_of(four_bar, method)};
    const auto drive = [](LiveSimulation& s, double torque) {
      s.set_input("torque", torque);
      s.step(0.02);
      s.step(0.02);
    };
    drive(live, 2.0);
    const std::vector<double> first = copy_of(live.state());
    live.reset();
    EXPECT_EQ(live.time(), 0.0);
    EXPECT_EQ(live.inputs(), std::vector<double>{0.5});
    drive(live, 2.0);
    EXPECT_EQ(copy_of(live.state()), first);

    LiveSimulation twin = live.copy(), other = live.copy();
    EXPECT_EQ(twin.time(), live.time());
    EXPECT_EQ(twin.steps(), live.steps());
    EXPECT_EQ(copy_of(twin.state()), first);
    drive(other, -3.0);
    drive(live, 1.0);
    drive(twin, 1.0);
    EXPECT_EQ(copy_of(twin.state()), copy_of(live.state()));
    EXPECT_NE(copy_of(other.state()), copy_of(live.state()));
  }
}

// A free fall of 0.05 m: t = √(2·0.05/9.81).
TEST(Live, returns_events_and_ends_a_step_where_one_stops) {
  const std::string text = R"toml(
[[body]]
name = "ball"
mass = 1
inertia = [1, 1, 1]
[[measure]]
name = "height"
expression = "ball.z"
[[event]]
name = "low"
measure = "height"
level = -0.02
[[event]]
name = "floor"
measure = "height"
level = -0.05
action = "stop"
[analysis]
end = 1
)toml";
  LiveSimulation live{study_of(text)};
  const std::vector<LiveSimulation::Event> events = live.step(0.5);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].name, "low");
  EXPECT_FALSE(events[0].rising || events[0].stops);
  EXPECT_TRUE(events[1].stops);
  const double fall = std::sqrt(0.1 / 9.81);
  EXPECT_NEAR(live.time(), fall, 1e-9);
  EXPECT_NEAR(state(live, "ball.position.z"), -0.05, 1e-9);
  EXPECT_TRUE(live.step_to(0.5).empty());
  EXPECT_NEAR(state(live, "ball.position.z"), -0.5 * 9.81 * 0.25, 1e-7);
}

TEST(Live, names_what_is_wrong_and_changes_nothing) {
  LiveSimulation live{study_of(four_bar)};
  const std::vector<double> before = copy_of(live.state());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(live.step(0.0), InputError);
  EXPECT_THROW(live.step(-1.0), InputError);
  EXPECT_THROW(live.step(1e-300), InputError);
  EXPECT_THROW(live.step(nan), InputError);
  EXPECT_THROW(live.step_to(0.0), InputError);
  EXPECT_THROW(live.set_input("torque", nan), InputError);
  EXPECT_THROW(live.set_input("torqe", 1.0), InputError);
  EXPECT_THROW(live.set_inputs({}), InputError);
  EXPECT_THROW(live.set_state({{"a.angle", {nan}}}), InputError);
  EXPECT_THROW(live.set_state({{"a.angel", {0.0}}}), InputError);
  EXPECT_THROW(live.set_state({{"crank.position", {0.0}}}), InputError);
  EXPECT_EQ(live.inputs(), std::vector<double>{0.5});
  EXPECT_EQ(copy_of(live.state()), before);
}

TEST(Live, says_after_a_failure_that_it_cannot_go_on_until_it_begins_anew) {
  std::string text = four_bar;
  text.replace(text.find("torque - 0.1*filter"), 19, "sqrt(torque)");
  LiveSimulation live{study_of(text)};
  live.step(0.01);
  live.set_input("torque", -1.0);
  EXPECT_THROW(live.step(0.01), SimulationError);
  EXPECT_FALSE(live.failure().empty());
  try {
    live.step(0.01);
    FAIL();
  } catch (const SimulationError& error) {
    EXPECT_NE(std::string(error.what()).find("reset()"), std::string::npos);
  }
  live.reset();
  EXPECT_TRUE(live.failure().empty());
  live.step(0.01);
}

}  // namespace
}  // namespace trammel::testing
