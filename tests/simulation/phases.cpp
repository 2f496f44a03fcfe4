// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "machines.h"
#include "trammel/simulation/settings_text.h"

/// Runs in phases: one machine, one record, one method after the other.
namespace trammel::test_phases {
namespace {

const std::string arm = testing::arm.substr(0, testing::arm.find("[analysis]"));

struct Outcome {
  MemoryRecord record;
  Summary summary;
};

Outcome run(const std::string& text, const std::vector<std::string>& settings = {}) {
  Outcome made;
  Simulation simulation(read_checked_study_text(text, "phases.toml", settings));
  made.summary = simulation.run(made.record);
  return made;
}

/// Messages of a refusal, one per line; empty: it was accepted.
std::string refusal(const std::string& text, const std::vector<std::string>& settings = {}) {
  try {
    Simulation simulation(read_checked_study_text(text, "phases.toml", settings));
  } catch (const InputError& error) {
    std::string all;
    for (const Issue& issue : error.issues()) all += issue.where + ": " + issue.message + "\n";
    return all;
  }
  return {};
}

/// What is said of phases that were not reached; empty: nothing.
std::vector<std::string> unreached(const Summary& summary) {
  std::vector<std::string> texts;
  for (const Alarm& alarm : summary.alarms)
    if (alarm.name == "phase never reached") texts.push_back(alarm.to_text());
  return texts;
}

/// Largest difference of a channel between two runs at the frames of the second that both have, over its largest value.
double deviation(const MemoryRecord& a, const MemoryRecord& b, const std::string& channel) {
  const Series of_a = a.read(channel), of_b = b.read(channel);
  double largest = 0.0, difference = 0.0;
  std::size_t found = 0;
  for (std::size_t i = 0, k = 0; i < of_b.time.size(); ++i) {
    while (k < of_a.time.size() && of_a.time[k] < of_b.time[i] - 1e-12) ++k;
    if (k == of_a.time.size() || std::abs(of_a.time[k] - of_b.time[i]) > 1e-12) continue;
    ++found;
    const auto row_a = of_a.values.row(static_cast<Eigen::Index>(k)),
               row_b = of_b.values.row(static_cast<Eigen::Index>(i));
    difference = std::max(difference, (row_a - row_b).cwiseAbs().maxCoeff());
    largest = std::max(largest, row_b.cwiseAbs().maxCoeff());
  }
  EXPECT_EQ(found, of_b.time.size()) << channel;
  return difference / largest;
}

const std::string in_three = R"toml(
[analysis]
end = 1.2
[output]
interval = 0.05
[[phase]]
name = "coarse"
until = 0.43
solver = { integrator = "hht", h = 1e-3 }
[[phase]]
name = "fine"
until = "0.8 s"
[phase.solver]
integrator = "radau"
rtol = 1e-8
[[phase]]
solver = { integrator = "bdf", rtol = 1e-8, atol = 1e-10, record_condition = true }
)toml";

const std::string tight =
    "[analysis]\nend = 1.2\n[output]\ninterval = 0.05\n[solver]\nintegrator = \"radau\"\nrtol = 1e-10\natol = 1e-12\n";

// All frames, positions, velocities, reactions, states, energies, both coordinate sets. The coarse phase errs by h² in
// positions and velocities and the rest carries that on; a phase that began elsewhere, or at another time, would be off
// by far more.
TEST(Phases, agree_with_one_tight_run_in_every_frame) {
  for (const std::string coordinates : {"absolute", "joint"}) {
    const std::string set = "solver.coordinates=" + coordinates;
    const Outcome one = run(arm + tight, {set}), three = run(arm + in_three, {set});
    ASSERT_TRUE(three.summary.completed) << three.summary.failure;
    for (const char* channel :
         {"link_0.position", "link_2.position", "link_2.velocity", "link_2.angular_velocity", "link_1.orientation",
          "elbow.reaction_force", "wrist.reaction_moment", "shoulder.reaction_force"})
      EXPECT_LT(deviation(three.record, one.record, channel), 2e-4) << coordinates << " " << channel;
    for (const char* channel : {"energy.kinetic", "energy.potential", "energy.work"})
      EXPECT_LT(deviation(three.record, one.record, channel), 2e-4) << coordinates << " " << channel;
    EXPECT_LT(std::abs(three.summary.method_energy), 1e-4 * std::abs(one.summary.work) + 1e-4) << coordinates;
    EXPECT_TRUE(three.summary.alarms.empty()) << three.summary.alarms.front().to_text();
  }
}

TEST(Phases, record_frames_of_the_whole_run_and_one_where_each_ends) {
  const Outcome three = run(arm + in_three);
  std::vector<double> expected;
  for (int i = 0; i <= 24; ++i) expected.push_back(0.05 * i);
  expected.push_back(0.43);  // 0.8 is one of them
  std::sort(expected.begin(), expected.end());
  ASSERT_EQ(three.record.times().size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(three.record.times()[i], expected[i], 1e-12);
}

TEST(Phases, say_of_each_step_which_it_belongs_to_and_of_each_phase_what_it_cost) {
  const Outcome three = run(arm + in_three);
  const Series phase = three.record.read("solver.phase"), h = three.record.read("solver.h"),
               condition = three.record.read("solver.condition");
  long coarse = 0;
  for (std::size_t i = 0; i < phase.time.size(); ++i) {
    const double t = phase.time[i], number = phase.values(static_cast<Eigen::Index>(i), 0);
    EXPECT_EQ(number, t <= 0.43 ? 1.0 : t <= 0.8 ? 2.0 : 3.0) << t;
    EXPECT_EQ(std::isfinite(condition.values(static_cast<Eigen::Index>(i), 0)), number == 3.0) << t;
    if (number != 1.0) continue;
    ++coarse;
    EXPECT_NEAR(h.values(static_cast<Eigen::Index>(i), 0), 1e-3, 1e-12);
  }
  EXPECT_EQ(coarse, 430);
  EXPECT_EQ(three.summary.steps, static_cast<long>(phase.time.size()));
  ASSERT_EQ(three.summary.phases.size(), 3u);
  EXPECT_NE(three.summary.phases[0].find("'coarse', t = 0 … 0.43 s: hht on index3, 430 steps"), std::string::npos)
      << three.summary.phases[0];
  EXPECT_NE(three.summary.phases[1].find("'fine', t = 0.43 … 0.8 s: radau"), std::string::npos);
  EXPECT_NE(three.summary.phases[2].find("'3', t = 0.8 … 1.2 s: bdf"), std::string::npos);
  EXPECT_EQ(three.summary.integrator, "hht, then radau, then bdf");
}

// The settings that are recorded are those of a file that runs to the same bits.
TEST(Phases, are_recorded_as_settings_that_run_again) {
  const Outcome three = run(arm + in_three);
  const std::string& settings = three.record.schema().attributes.at("settings");
  const Outcome again = run(arm + settings);
  EXPECT_EQ(again.record.schema().attributes.at("settings"), settings);
  ASSERT_EQ(again.record.times(), three.record.times());
  for (int i = 0; i < static_cast<int>(three.record.times().size()); ++i)
    EXPECT_TRUE(std::ranges::equal(again.record.frame_values(i), three.record.frame_values(i))) << i;
}

TEST(Phases, leave_the_rest_of_a_run_to_the_solver_table) {
  const Outcome made = run(arm + R"toml(
[analysis]
end = 0.3
[solver]
integrator = "radau"
rtol = 1e-6
[[phase]]
until = 0.1
solver = { hmax = 1e-3 }
)toml");
  ASSERT_EQ(made.summary.phases.size(), 2u);
  EXPECT_NE(made.summary.phases[1].find("'rest', t = 0.1 … 0.3 s: radau"), std::string::npos);
  const Series h = made.record.read("solver.h"), phase = made.record.read("solver.phase");
  double first = 0.0, second = 0.0;
  for (Eigen::Index i = 0; i < h.values.rows(); ++i) {
    double& largest = phase.values(i, 0) == 1.0 ? first : second;
    largest = std::max(largest, h.values(i, 0));
  }
  EXPECT_NEAR(first, 1e-3, 1e-9);
  EXPECT_GT(second, 5e-3);  // 1e-2 without a bound
}

// A ball that is thrown up and falls onto a floor: the event is where it passes the level, and steps are short from
// there.
const std::string ball = R"toml(
[[body]]
name = "ball"
kind = "particle"
mass = 1
position = [0, 0, 1]
velocity = [0.3, 0, 0]
[[geometry]]
name = "round"
kind = "sphere"
body = "ball"
radius = 0.1
[[geometry]]
name = "floor"
kind = "plane"
[[contact]]
name = "blow"
between = ["round", "floor"]
stiffness = 1e5
damping = 20
[[measure]]
name = "height"
expression = "ball.z"
[[event]]
name = "low"
measure = "height"
level = 0.5
direction = "falling"
[analysis]
end = 1
[output]
interval = 0.1
)toml";

TEST(Phases, end_where_an_event_happens_first) {
  const Outcome made =
      run(ball +
          "[[phase]]\nuntil = \"low\"\nsolver = { integrator = \"runge_kutta\" }\n[[phase]]\nsolver = { "
          "integrator = \"radau\", rtol = 1e-8 }\n");
  ASSERT_TRUE(made.summary.completed) << made.summary.failure;
  const double fall = std::sqrt(2.0 * 0.5 / 9.81);  // z = 1 − g t²/2
  const Series phase = made.record.read("solver.phase");
  double last_of_first = 0.0;
  for (std::size_t i = 0; i < phase.time.size(); ++i)
    if (phase.values(static_cast<Eigen::Index>(i), 0) == 1.0) last_of_first = phase.time[i];
  EXPECT_NEAR(last_of_first, fall, 1e-8);
  EXPECT_NE(std::find_if(made.record.times().begin(), made.record.times().end(),
                         [&](double t) { return std::abs(t - fall) < 1e-8; }),
            made.record.times().end());
  // Of the flight before the blow nothing is lost: the second phase found the same contact as one run.
  const Outcome one = run(ball + "[solver]\nintegrator = \"radau\"\nrtol = 1e-10\natol = 1e-12\n");
  for (const char* channel : {"ball.position", "ball.velocity", "energy.kinetic"})
    EXPECT_LT(deviation(made.record, one.record, channel), 1e-5) << channel;
  // Met on the way down in the first phase, and once more after the blow: never twice at the same instant.
  ASSERT_EQ(made.summary.events.size(), one.summary.events.size());
}

TEST(Phases, pass_a_jump_of_a_prescribed_velocity_between_them) {
  const std::string text = R"toml(
[[body]]
name = "cart"
mass = 2
inertia = [1, 1, 1]
[[joint]]
name = "rail"
kind = "prismatic"
bodies = ["ground", "cart"]
point = [0, 0, 0]
axis = "x"
[[motion]]
name = "drive"
joint = "rail"
function = "0.3*abs(t - 0.5)"
[analysis]
end = 1
[output]
interval = 0.1
[[phase]]
until = 0.5
solver = { integrator = "radau" }
[[phase]]
solver = { integrator = "bdf" }
)toml";
  const Outcome made = run(text);
  ASSERT_TRUE(made.summary.completed) << made.summary.failure;
  const Series x = made.record.read("cart.position.x"), v = made.record.read("cart.velocity.x");
  for (std::size_t i = 0; i < x.time.size(); ++i) {
    EXPECT_NEAR(x.values(static_cast<Eigen::Index>(i), 0), 0.3 * std::abs(x.time[i] - 0.5), 1e-6) << x.time[i];
    if (std::abs(x.time[i] - 0.5) > 1e-9) {
      EXPECT_NEAR(v.values(static_cast<Eigen::Index>(i), 0), x.time[i] < 0.5 ? -0.3 : 0.3, 1e-6) << x.time[i];
    }
  }
}

TEST(Phases, that_are_never_reached_are_named) {
  const std::string never =
      ball + "[[phase]]\nname = \"flight\"\nuntil = \"low\"\n[[phase]]\nname = \"fine\"\nsolver = { rtol = 1e-8 }\n";
  const Outcome made = run(never, {"event.low.level=-5"});
  EXPECT_TRUE(made.summary.completed);
  ASSERT_EQ(unreached(made.summary).size(), 1u);
  EXPECT_NE(unreached(made.summary)[0].find("phase 'fine': the event 'low', which ends phase 'flight', did not happen"),
            std::string::npos)
      << unreached(made.summary)[0];
  EXPECT_FALSE(run(never, {"event.low.level=-5", "output.alarms=error"}).summary.completed);
  const Outcome late =
      run(ball + "[[phase]]\nuntil = \"low\"\n[[phase]]\nname = \"passed\"\nuntil = 0.2\n[[phase]]\nname = \"last\"\n");
  ASSERT_EQ(unreached(late.summary).size(), 1u);
  EXPECT_NE(unreached(late.summary)[0].find("phase 'passed': its end, t = 0.2 s, had passed"), std::string::npos);
  EXPECT_NE(late.summary.phases.back().find("'last'"), std::string::npos);
  EXPECT_EQ(late.summary.t, 1.0);
}

TEST(Phases, are_refused_all_at_once_where_they_make_no_sense) {
  const std::string text = ball + R"toml(
[[phase]]
name = "a"
until = 0.5
solver = { coordinates = "joint" }
[[phase]]
name = "b"
until = 0.4
solver = { integrator = "radau", rho_inf = 0.5 }
[[phase]]
name = "b"
solver = { rtol = 1e-3, h = 1e-3 }
[[phase]]
name = "d"
until = 2
)toml";
  const std::string messages = refusal(text);
  for (const char* part : {"phase 'a': 'coordinates' belongs to the run as a whole",
                           "phase 'b': 'until' is 0.4 s, but the phase before it ends at 0.5 s",
                           "phase 'b': another phase has this name already",
                           "phase 'b': has no 'until' and would last until the end, but another phase follows it",
                           "'rho_inf' belongs to the integrator", "give one or the other",
                           "phase 'd': 'until' is 2 s, but the analysis ends at 1 s"})
    EXPECT_NE(messages.find(part), std::string::npos) << part << "\n" << messages;
  EXPECT_NE(messages.find("phases.toml:"), std::string::npos);
  EXPECT_NE(refusal(ball + "[[phase]]\nuntil = \"lov\"\n")
                .find("neither a time nor the name of an event; did you mean 'low'"),
            std::string::npos)
      << refusal(ball + "[[phase]]\nuntil = \"lov\"\n");
  EXPECT_NE(refusal(ball + "[[phase]]\nuntil = 0.5\nsolvr = {}\n").find("solvr"), std::string::npos);
}

TEST(Phases, are_given_and_changed_by_settings) {
  const Outcome given =
      run(ball, {"phase.short.until=0.3", "phase.short.solver.rtol=1e-9", "phase.long.solver.integrator=bdf"});
  ASSERT_EQ(given.summary.phases.size(), 2u);
  EXPECT_NE(given.summary.phases[0].find("'short', t = 0 … 0.3 s"), std::string::npos);
  EXPECT_NE(given.summary.phases[1].find("'long', t = 0.3 … 1 s: bdf"), std::string::npos);
  const Outcome changed = run(arm + in_three, {"phase.coarse.solver.h=2e-3", "phase.3.solver.integrator=radau"});
  EXPECT_NE(changed.summary.phases[0].find("215 steps"), std::string::npos) << changed.summary.phases[0];
  EXPECT_NE(changed.summary.phases[2].find("radau"), std::string::npos);
}

TEST(Phases, are_set_aside_where_nothing_moves_through_time) {
  const Outcome made = run(arm + in_three, {"analysis.kind=statics"});
  EXPECT_NE(std::find_if(made.summary.notes.begin(), made.summary.notes.end(),
                         [](const std::string& note) { return note.find("phase") != std::string::npos; }),
            made.summary.notes.end());
}

// What a coarse phase has lost is no doubt about the phase behind it.
TEST(Phases, are_judged_by_what_happens_in_them) {
  const std::string text = R"toml(
[[body]]
name = "bob"
kind = "particle"
mass = 1
position = [1, 0, 0]
[[joint]]
name = "rod"
kind = "distance"
bodies = ["ground", "bob"]
point = [0, 0, 0]
point_b = [1, 0, 0]
[analysis]
end = 4
[[phase]]
name = "rough"
until = 2
solver = { integrator = "newmark", gamma = 0.6, h = 0.02 }
[[phase]]
name = "fine"
solver = { integrator = "radau", rtol = 1e-8 }
)toml";
  const Outcome made = run(text);
  EXPECT_LT(made.summary.method_energy, -0.05);  // of 9.81 J that it turns over
  for (const Alarm& alarm : made.summary.alarms) EXPECT_LE(alarm.t, 2.0) << alarm.to_text();
  const Series drift = made.record.read("energy.drift");
  double at_two = 0.0;
  for (std::size_t i = 0; i < drift.time.size(); ++i) {
    const double x = drift.values(static_cast<Eigen::Index>(i), 0);
    if (drift.time[i] <= 2.0 + 1e-9) {
      at_two = x;
    } else {
      EXPECT_NEAR(x, at_two, 1e-4) << drift.time[i];
    }
  }
}

}  // namespace
}  // namespace trammel::test_phases
