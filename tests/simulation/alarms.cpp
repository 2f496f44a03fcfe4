// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "trammel/io/model_reader.h"
#include "trammel/simulation/run_checks.h"
#include "trammel/simulation/simulation.h"

// Runs whose own checks say that their numbers are doubtful.

namespace trammel::test_alarms {
namespace {

constexpr const char* ball = R"(
[parameters]
k = 1e8
height = 1
[[body]]
name = "ball"
mass = 1
inertia = [0.004, 0.004, 0.004]
position = [0, 0, "0.1 + height"]
[[geometry]]
name = "surface"
body = "ball"
kind = "sphere"
radius = 0.1
[[geometry]]
name = "floor"
kind = "plane"
[[contact]]
name = "bounce"
between = ["surface", "floor"]
stiffness = "k"
[analysis]
end = 2
)";

constexpr const char* slider = R"(
gravity = [0, 0, 0]
[[body]]
name = "slider"
mass = 1
inertia = [0.1, 0.1, 0.1]
velocity = [1, 0, 0]
[[joint]]
name = "guide"
kind = "prismatic"
bodies = ["ground", "slider"]
axis = "x"
[[force]]
name = "wall"
kind = "joint_limit"
joint = "guide"
upper = 0.5003
stiffness = 1e8
[analysis]
end = 1
)";

Summary run(const std::string& text, const std::vector<std::string>& settings) {
  Simulation simulation(read_study_text(text, "model.toml", settings));
  MemoryRecord record;
  return simulation.run(record);
}

bool has_alarm(const Summary& summary, const std::string& name) {
  for (const Alarm& alarm : summary.alarms)
    if (alarm.name == name) return true;
  return false;
}

const Alarm& find_alarm(const Summary& summary, const std::string& name) {
  for (const Alarm& alarm : summary.alarms)
    if (alarm.name == name) return alarm;
  throw std::runtime_error("no alarm '" + name + "':\n" + summary.to_text());
}

// A step of 1 ms goes 4 mm deep into a floor that stops the ball within 0.4 mm: the floor stores a hundred times the
// ball's energy. With error control the impact is resolved, and the ball has what it had.
TEST(Alarms, a_fixed_step_that_makes_energy_from_nothing_fails_by_name) {
  for (const std::string method : {"generalized_alpha", "hht", "midpoint", "runge_kutta"}) {
    SCOPED_TRACE(method);
    const Summary wrong = run(ball, {"solver.integrator=" + method, "solver.h=1e-3"});
    const Alarm& alarm = find_alarm(wrong, "energy from nothing");
    EXPECT_NEAR(alarm.t, std::sqrt(2.0 / 9.81), 2e-3);
    EXPECT_NE(alarm.element.find("'bounce'"), std::string::npos) << alarm.element;
    EXPECT_GT(alarm.value, alarm.limit);
    EXPECT_FALSE(wrong.completed);
    EXPECT_NE(wrong.failure.find("energy from nothing"), std::string::npos);
    EXPECT_TRUE(wrong.to_attributes().contains("alarm_1"));
    const Summary right = run(ball, {"solver.integrator=" + method});
    EXPECT_TRUE(right.alarms.empty());
    EXPECT_TRUE(right.completed);
  }
}

TEST(Alarms, the_element_that_the_energy_came_from_is_named) {
  const Summary wrong = run(slider, {"solver.integrator=generalized_alpha", "solver.h=1e-3"});
  const Alarm& alarm = find_alarm(wrong, "energy from nothing");
  EXPECT_EQ(alarm.element, "force 'wall'");
  EXPECT_NEAR(alarm.t, 0.5, 3e-3);
}

// What is within its tolerance has no alarm, so that `alarms = "error"` changes nothing; soft floors have none with a
// fixed step either.
TEST(Alarms, healthy_runs_have_none) {
  for (const std::vector<std::string>& settings :
       {std::vector<std::string>{"output.alarms=\"error\""},
        std::vector<std::string>{"output.alarms=\"error\"", "solver.h=1e-3", "parameters.k=1e4"},
        std::vector<std::string>{"output.alarms=\"error\"", "solver.integrator=bdf", "solver.rtol=1e-3"}}) {
    const Summary right = run(ball, settings);
    EXPECT_TRUE(right.completed) << right.failure;
    EXPECT_TRUE(right.alarms.empty());
  }
}

/// A row of cranks of 1 m on one coupler, φ from upright, with the rate w: with more than two cranks rows are
/// redundant.
std::string parallelogram(int cranks, double phi, double w) {
  std::string text = "gravity = [0, 0, -9.81]\n";
  const double s = std::sin(phi), c = std::cos(phi), length = cranks - 1;
  const auto body = [&](const std::string& name, double x, double z, double vx, double vz, double rate, double angle) {
    text += fmt::format(
        "[[body]]\nname = \"{}\"\nkind = \"planar\"\nnormal = \"y\"\nmass = 1\ninertia = 0.1\n"
        "position = [{:.17g}, 0, {:.17g}]\nvelocity = [{:.17g}, 0, {:.17g}]\nangular_velocity = {:.17g}\n"
        "axis_angle = {{ axis = \"y\", angle = {:.17g} }}\n",
        name, x, z, vx, vz, rate, angle);
  };
  const auto joint = [&](const std::string& name, const std::string& a, const std::string& b, double x, double z) {
    text += fmt::format(
        "[[joint]]\nname = \"{}\"\nkind = \"revolute\"\nbodies = [\"{}\", \"{}\"]\n"
        "point = [{:.17g}, 0, {:.17g}]\n",
        name, a, b, x, z);
  };
  body("coupler", 0.5 * length + s, c, w * c, -w * s, 0.0, 0.0);
  for (int i = 0; i < cranks; ++i) {
    const std::string crank = fmt::format("crank_{}", i);
    body(crank, i + 0.5 * s, 0.5 * c, 0.5 * w * c, -0.5 * w * s, w, phi);
    joint(fmt::format("foot_{}", i), "ground", crank, i, 0.0);
    joint(fmt::format("top_{}", i), crank, "coupler", i + s, c);
  }
  return text + "[analysis]\nend = 1\n[solver]\nredundant = \"drop\"\n";
}

// A fixed step goes through the flat position (t ≈ 0.6 s) as it happens; error control passes it by a step of its own
// and has nothing to warn of.
TEST(Alarms, rank_that_is_lost_between_fixed_steps_is_told_with_its_joints) {
  for (const std::string coordinates : {"absolute", "joint"})
    for (const std::string method : {"generalized_alpha", "midpoint", "bdf", "runge_kutta"}) {
      SCOPED_TRACE(method + " " + coordinates);
      const std::vector<std::string> settings{"solver.integrator=" + method, "solver.coordinates=" + coordinates};
      std::vector<std::string> fixed = settings;
      fixed.push_back("solver.h=5e-3");
      const Summary passed = run(parallelogram(2, 0.3, -2.5), fixed);
      const Alarm& alarm = find_alarm(passed, "rank lost in motion");
      EXPECT_NEAR(alarm.t, 0.6, 0.02);
      EXPECT_NE(alarm.element.find("'top_1'"), std::string::npos) << alarm.element;
      EXPECT_TRUE(passed.completed);
      EXPECT_TRUE(run(parallelogram(2, 0.3, -2.5), settings).alarms.empty());
      // It never gets there: an ordinary swing about the lowest position.
      EXPECT_FALSE(has_alarm(run(parallelogram(2, 3.0, 0.5), fixed), "rank lost in motion"));
    }
}

// Of three cranks one row is left out. With the third crank folded over, so that its other row holds, the left-out one
// is violated by twice its height: the run stops at its first step and says so.
TEST(Alarms, a_left_out_row_that_does_not_hold_stops_the_run_by_name) {
  const double phi = 1.0, w = 0.5;
  Simulation simulation(read_study_text(
      parallelogram(3, phi, w), "model.toml",
      std::vector<std::string>{"solver.integrator=runge_kutta", "solver.h=1e-3", "solver.coordinates=absolute"}));
  bool found = false;
  for (const bool mirrored_in_z : {true, false}) {
    // The tip keeps its x if the angle becomes π − φ, its z if it becomes −φ.
    const double angle = mirrored_in_z ? 3.14159265358979323846 - phi : -phi, rate = -w;
    MotionVariables x = simulation.initial();
    const std::vector<int> at = simulation.find_coordinates({"crank_2"});
    ASSERT_EQ(at.size(), 3u);
    const std::vector<Frame<double>> before = simulation.calc_frames(x, simulation.state());
    x.q[at[2]] += angle - phi, x.v[at[2]] = rate;
    const Eigen::Vector3d centre(2.0 + 0.5 * std::sin(angle), 0.0, 0.5 * std::cos(angle));
    const Eigen::Vector3d speed(0.5 * rate * std::cos(angle), 0.0, -0.5 * rate * std::sin(angle));
    // In-plane axes of a body with normal y: z and x.
    for (int axis = 0; axis < 2; ++axis) {
      MotionVariables moved = simulation.initial();
      moved.q[at[axis]] += 1.0;
      const std::size_t body = before.size() - 1;
      const Eigen::Vector3d direction = simulation.calc_frames(moved, simulation.state())[body].p - before[body].p;
      x.q[at[axis]] += direction.dot(centre - before[body].p);
      x.v[at[axis]] = direction.dot(speed);
    }
    Simulation folded(read_study_text(
        parallelogram(3, phi, w), "model.toml",
        std::vector<std::string>{"solver.integrator=runge_kutta", "solver.h=1e-3", "solver.coordinates=absolute"}));
    folded.begin_at(x, simulation.state());
    MemoryRecord record;
    const Summary summary = folded.run(record);
    if (!has_alarm(summary, "left-out row violated")) continue;
    found = true;
    const Alarm& alarm = find_alarm(summary, "left-out row violated");
    EXPECT_FALSE(summary.completed);
    EXPECT_NE(summary.stop.find("a row that was left out is violated"), std::string::npos) << summary.stop;
    EXPECT_NE(alarm.element.find("'top_2'"), std::string::npos) << alarm.element;
    EXPECT_GT(alarm.value, 0.5);
    EXPECT_TRUE(summary.to_attributes().contains("alarm_1"));
  }
  EXPECT_TRUE(found);
}

constexpr const char* pendulum = R"(
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
end = 10
)";

// index1 lets the rod grow by what the error test leaves in each step. Stabilized forms hold it. Of recorded frames the
// first that is beyond the limit is named, and the row.
TEST(Alarms, frames_whose_constraints_are_violated_are_told) {
  const Summary drifts = run(pendulum, {"solver.integrator=bdf", "solver.formulation=index1", "solver.rtol=1e-5",
                                        "solver.atol=1e-7", "analysis.end=200"});
  const Alarm& alarm = find_alarm(drifts, "frame violation");
  EXPECT_NE(alarm.element.find("'rod'"), std::string::npos) << alarm.element;
  EXPECT_GT(alarm.value, alarm.limit);
  EXPECT_GT(alarm.t, 0.0);
  EXPECT_TRUE(drifts.completed);
  EXPECT_FALSE(run(pendulum, {"solver.integrator=bdf", "solver.formulation=index1", "solver.rtol=1e-5",
                              "solver.atol=1e-7", "analysis.end=200", "output.alarms=\"error\""})
                   .completed);
  for (const std::string method : {"bdf", "radau", "generalized_alpha", "midpoint", "runge_kutta"})
    EXPECT_TRUE(run(pendulum, {"solver.integrator=" + method, "output.alarms=\"error\""}).completed) << method;
}

// Errors of steps add up: (ωh)²/12·ωt of the swing, for methods of order 2.
TEST(Alarms, a_fixed_step_whose_errors_add_up_is_told_and_a_short_one_is_not) {
  for (const std::string method : {"generalized_alpha", "hht", "midpoint", "newmark", "bdf"}) {
    SCOPED_TRACE(method);
    const Summary coarse = run(pendulum, {"solver.integrator=" + method, "solver.h=0.05"});
    const Alarm& alarm = find_alarm(coarse, "step too long");
    EXPECT_NE(alarm.element.find("'bob'"), std::string::npos) << alarm.element;
    // Newmark damps in first order: with 1 ms it is off by 0.5 %, and its energy is told of with 0.2 ms as well.
    const std::string h = method == "newmark" ? "2e-4" : "1e-3";
    const Summary fine = run(pendulum, {"solver.integrator=" + method, "solver.h=" + h});
    EXPECT_FALSE(has_alarm(fine, "step too long"));
    EXPECT_TRUE(method == "newmark" || fine.alarms.empty());
  }
}

// The multipliers of the midpoint rule on index 3 have nothing that damps them: Newton's remainder rings on, and grows
// as it is loosened. A damped method forgets it.
TEST(Alarms, reactions_that_jump_from_step_to_step_are_told) {
  const Summary noisy = run(pendulum, {"solver.integrator=midpoint", "solver.h=1e-3", "solver.newton_tol=1e-4"});
  const Alarm& alarm = find_alarm(noisy, "noise in reactions");
  EXPECT_NE(alarm.element.find("'rod'"), std::string::npos) << alarm.element;
  EXPECT_GT(alarm.value, alarm.limit);
  EXPECT_FALSE(has_alarm(run(pendulum, {"solver.integrator=midpoint", "solver.h=1e-3"}), "noise in reactions"));
}

// The explicit pair has no damping that anybody asked for: what its energy loses to a step that is a tenth of a swing
// is an error, and so is what it gains.
TEST(Alarms, energy_that_no_damping_explains_is_an_imbalance) {
  const Summary fixed = run(pendulum, {"solver.integrator=runge_kutta", "solver.h=0.25", "analysis.end=100"});
  EXPECT_TRUE(has_alarm(fixed, "energy imbalance") || has_alarm(fixed, "energy from nothing")) << fixed.to_text();
}

/// A rod that turns over and over, slowly at the top: what little energy a method loses there delays it by a large
/// part.
constexpr const char* somersaults = R"(
gravity = [0, 0, -9.81]
[[body]]
name = "rod"
kind = "planar"
normal = "y"
mass = 1
inertia = "1/12"
position = [0, 0, 0.5]
velocity = [0.3, 0, 0]
angular_velocity = 0.6
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "rod"]
point = [0, 0, 0]
[analysis]
end = 12
)";

// The alarm's value is how far it is off, nearly: of one freedom that never stops it is exact as far as errors are
// small.
TEST(Alarms, energy_that_makes_a_machine_late_is_told_with_what_it_is_off_by) {
  const auto angles = [](const std::vector<std::string>& settings, Summary& summary) {
    Simulation simulation(read_study_text(somersaults, "somersaults.toml", settings));
    MemoryRecord record;
    summary = simulation.run(record);
    return record.read("hinge.angle").values;
  };
  Summary summary;
  const Eigen::MatrixXd exact =
      angles({"solver.integrator=runge_kutta", "solver.rtol=1e-11", "solver.atol=1e-12"}, summary);
  EXPECT_TRUE(summary.alarms.empty());
  for (const std::string method : {"hht", "generalized_alpha"})
    for (const std::string coordinates : {"absolute", "joint"}) {
      SCOPED_TRACE(method + " " + coordinates);
      const Eigen::MatrixXd x = angles({"solver.integrator=" + method, "solver.coordinates=" + coordinates}, summary);
      const double off = (x - exact).cwiseAbs().maxCoeff() / std::numbers::pi;  // of half a turn
      const Alarm& alarm = find_alarm(summary, "delay");
      EXPECT_GT(alarm.value, 0.5 * off);
      EXPECT_LT(alarm.value, 2.0 * off);
      EXPECT_TRUE(run(somersaults, {"solver.integrator=radau", "solver.coordinates=" + coordinates}).alarms.empty());
    }
}

/// A bob of half a gram rings on a spring below a table of 2 kg that is driven slowly; {}: the spring's damping.
constexpr const char* below_a_table = R"toml(
gravity = [0, 0, 0]
[[body]]
name = "table"
mass = 2
inertia = [1, 1, 1]
[[body]]
name = "bob"
mass = 5e-4
inertia = [1e-6, 1e-6, 1e-6]
position = [1, 0, 0]
velocity = [0.5, 0, 0]
[[joint]]
name = "rail"
kind = "prismatic"
bodies = ["ground", "table"]
point = [0, 0, 0]
axis = [1, 0, 0]
[[joint]]
name = "slide"
kind = "prismatic"
bodies = ["ground", "bob"]
point = [1, 0, 0]
axis = [1, 0, 0]
[[motion]]
name = "waves"
joint = "rail"
function = "0.02*sin(10*t)"
[[force]]
name = "spring"
kind = "spring_damper"
bodies = ["table", "bob"]
point_a = [0, 0, 0]
point_b = [1, 0, 0]
stiffness = 1
damping = {}
free_length = 1
[analysis]
end = 3
)toml";

// ω² = k/m = 2000/s²: x = a sin 10 t + b sin ωt with a = 0.02 ω²/(ω² − 100), b = (½ − 10 a)/ω. The alarm's value is
// what the run is off by. A damper lets it forget, and what the table forces is not late.
TEST(Alarms, free_vibrations_of_driven_machines_are_told_with_what_they_are_off_by) {
  const double omega = std::sqrt(2000.0), a = 0.02 * 2000.0 / 1900.0, b = (0.5 - 10.0 * a) / omega;
  for (const std::string method : {"generalized_alpha", "hht", "midpoint", "newmark"})
    for (const std::string coordinates : {"absolute", "joint"}) {
      SCOPED_TRACE(method + " " + coordinates);
      const std::vector<std::string> settings{"solver.integrator=" + method, "solver.coordinates=" + coordinates};
      Simulation simulation(
          read_study_text(fmt::format(fmt::runtime(below_a_table), 0.0), "below_a_table.toml", settings));
      MemoryRecord record;
      const Summary summary = simulation.run(record);
      const Eigen::MatrixXd x = record.read("bob.position").values;
      double off = 0.0, least = 1.0, most = 1.0;
      for (Eigen::Index i = 0; i < x.rows(); ++i) {
        const double t = record.times()[static_cast<std::size_t>(i)];
        off = std::max(off, std::abs(x(i, 0) - 1.0 - a * std::sin(10.0 * t) - b * std::sin(omega * t)));
        least = std::min(least, x(i, 0)), most = std::max(most, x(i, 0));
      }
      const Alarm& alarm = find_alarm(summary, "delay");
      EXPECT_GT(alarm.value, 0.5 * off / (most - least));
      EXPECT_LT(alarm.value, 2.0 * off / (most - least));
      EXPECT_NE(alarm.element.find(coordinates == "joint" ? "slide" : "bob"), std::string::npos) << alarm.element;
      EXPECT_TRUE(run(fmt::format(fmt::runtime(below_a_table), 5e-3), settings).alarms.empty());
    }
  EXPECT_TRUE(run(fmt::format(fmt::runtime(below_a_table), 0.0), {"solver.integrator=radau"}).alarms.empty());
}

/// T = 2 J, 1e-3 J too much: early by t/4000; at v = 3 m/s over a way of 3 m/s t, off by 1/4000 of it.
TEST(Alarms, a_delay_is_that_of_the_energy_over_twice_the_kinetic_energy) {
  RunChecks checks([](int) { return std::string(); });
  const Eigen::VectorXd v = Eigen::VectorXd::Constant(1, 3.0);
  for (int i = 0; i <= 1000; ++i) checks.note_delay(0.01 * i, 2.0, 1e-3, 0.0, v);
  const std::vector<Kind> kinds{Kind::position};
  EXPECT_NEAR(checks.find_delay(kinds, {}).part, 2.5e-4, 1e-9);
  checks.note_delay(10.01, 0.01, 1e-3, 0.0, v);  // it nearly came to rest
  EXPECT_EQ(checks.find_delay(kinds, {}).part, 0.0);
}

/// The same machine, pushed to and fro by ± 1 J in turn: when it has exchanged the 2 J that it moves with, the energy
/// that it errs by says nothing of when it is where.
TEST(Alarms, of_a_machine_that_exchanges_its_energy_no_delay_is_told) {
  const std::vector<Kind> kinds{Kind::position};
  const Eigen::VectorXd v = Eigen::VectorXd::Constant(1, 3.0);
  for (const int exchanges : {1, 3}) {
    RunChecks checks([](int) { return std::string(); });
    for (int i = 0; i <= 1000; ++i) checks.note_delay(0.01 * i, 2.0, 1e-3, std::min(i, exchanges) % 2, v);
    EXPECT_EQ(checks.find_delay(kinds, {}).part > 0.0, exchanges == 1);
  }
}

// q = sin ωt with steps of h: late by ω² h²/12 of the time, v of at most ω, a way of 2. The steps in which it turns are
// not quite counted.
TEST(Alarms, swings_are_late_by_a_twelfth_of_the_square_of_their_phase_in_a_step) {
  const std::vector<Kind> kinds{Kind::position};
  constexpr double omega = 20.0, h = 0.001;
  for (const double power : {0.0, 5.0}) {
    RunChecks checks([](int) { return std::string(); });
    double t = 0.0;
    for (int i = 0; i <= 100000; ++i, t = h * i) {
      const Eigen::VectorXd v = Eigen::VectorXd::Constant(1, omega * std::cos(omega * t));
      const double kinetic = 0.5 * v.squaredNorm();
      checks.note_delay(t, kinetic, 0.0, power * t, v);
      checks.note_swings(t, kinetic, true);
    }
    const double late = omega * omega * h * h / 12.0 * 100.0;
    // What is driven forgets where it was.
    EXPECT_NEAR(checks.find_late_swings(kinds, {}).part, power > 0.0 ? 0.0 : omega * late / 2.0, 0.025 * omega * late);
  }
}

}  // namespace
}  // namespace trammel::test_alarms
