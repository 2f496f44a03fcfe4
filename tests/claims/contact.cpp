// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "run_model.h"
#include "trammel/mechanics/elements/contact_law.h"

// Contact, impact and friction against theory.

namespace trammel::test_contact {
namespace {

constexpr double g = 9.81;

struct Events {
  std::vector<double> touch, part;  // instants
};

// A run with access to the instants at which contact began and ended.
Events run_events(const std::string& text, const SetList& settings, Recorded& run) {
  Simulation simulation(read_study_text(text, "model.toml", settings));
  run.summary = simulation.run(run.record);
  EXPECT_TRUE(run.summary.completed) << run.summary.stop << "\n" << run.summary.failure;
  Events events;
  for (const KinkWatch::Change& change : simulation.contact_changes())
    (change.begins ? events.touch : events.part).push_back(change.t);
  return events;
}

const std::string ball = R"(
[parameters]
height = 0.5
radius = 0.1
mass = 2

[[body]]
name = "ball"
mass = "mass"
inertia = [0.008, 0.008, 0.008]
position = [0, 0, "radius + height"]

[[geometry]]
name = "surface"
body = "ball"
kind = "sphere"
radius = "radius"

[[geometry]]
name = "floor"
kind = "plane"

[[contact]]
name = "bounce"
between = ["surface", "floor"]
law = "hunt_crossley"
stiffness = 1e8
damping_factor = 0.2

[analysis]
end = 1.5

[solver]
integrator = "generalized_alpha"
rtol = 1e-7
atol = 1e-9
)";

const std::vector<SetList> methods{{"solver.integrator=generalized_alpha"},
                                   {"solver.integrator=hht"},
                                   {"solver.integrator=bdf"},
                                   {"solver.integrator=radau"},
                                   {"solver.integrator=runge_kutta"}};

// The first flight ends at √(2 height/g). Each impact follows x (1 + e) = ln((1 + x)/(1 − e x)), x = μ v₀, and the next
// flight lasts 2 e v₀/g: touch-downs and lift-offs against a chain of these. Gravity during the contact of 0.5 ms adds
// less than 1e-3 of the speed.
TEST(Contact, a_bouncing_ball_keeps_restitution_and_flight_times) {
  for (const SetList& method : methods) {
    SCOPED_TRACE(method[0]);
    Recorded run;
    const Events events = run_events(ball, method, run);
    ASSERT_GE(events.part.size(), 2u);
    ASSERT_GE(events.touch.size(), 3u);
    double v = std::sqrt(2.0 * g * 0.5);
    EXPECT_NEAR(events.touch[0], v / g, 1e-8);
    for (std::size_t i = 0; i + 1 < events.touch.size() && i < events.part.size(); ++i) {
      v *= restitution_of(0.2 * v);
      EXPECT_NEAR(events.touch[i + 1] - events.part[i], 2.0 * v / g, 2e-3 * 2.0 * v / g) << i;
      v = 0.5 * g * (events.touch[i + 1] - events.part[i]);
    }
  }
}

// Touch-down after free fall has a closed form: located to 1e-10 s at tight tolerances.
TEST(Contact, touch_down_after_free_fall_is_met_to_1e_10) {
  const double exact = std::sqrt(2.0 * 0.5 / g);
  for (const SetList& method : methods) {
    SCOPED_TRACE(method[0]);
    SetList settings = method;
    settings.insert(settings.end(), {"solver.rtol=1e-11", "solver.atol=1e-12", "analysis.end=0.33"});
    Recorded run;
    const Events events = run_events(ball, settings, run);
    ASSERT_GE(events.touch.size(), 1u);
    EXPECT_NEAR(events.touch[0], exact, 1e-10);
  }
}

// A pendulum of length 1 m falls from the horizontal on a floor 30° below it, which is no polynomial of time. Energy:
// φ̇² = ω₀² + 2 m g l sin φ/J, so that t = ∫ dφ/φ̇. The instant converges with the tolerance of every method, to 1e-10 s.
TEST(Contact, instants_of_contact_converge_with_the_tolerance) {
  const std::string text = R"(
[[body]]
name = "arm"
mass = 1
inertia = [0.01, 0.01, 0.01]
position = [1, 0, 0]
velocity = [0, 0, -1]
angular_velocity = [0, 1, 0]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "arm"]
point = [0, 0, 0]
axis = "y"
[[geometry]]
name = "tip"
body = "arm"
kind = "sphere"
radius = 0.05
[[geometry]]
name = "floor"
kind = "plane"
position = [0, 0, -0.55]
[[contact]]
name = "hit"
between = ["tip", "floor"]
law = "hunt_crossley"
stiffness = 1e4
[analysis]
end = 0.4
)";
  const auto integrand = [](double angle) { return 1.0 / std::sqrt(1.0 + 2.0 * g * std::sin(angle) / 1.01); };
  double exact = 0.0;  // Simpson
  const int parts = 1000;
  const double step = std::numbers::pi / 6.0 / parts;
  for (int i = 0; i < parts; ++i)
    exact += step / 6.0 * (integrand(i * step) + 4.0 * integrand((i + 0.5) * step) + integrand((i + 1) * step));
  for (const SetList& method : methods) {
    SCOPED_TRACE(method[0]);
    const auto error_at = [&](double rtol, const SetList& more) {
      SetList settings = method;
      settings.insert(settings.end(), {set("solver.rtol", rtol), set("solver.atol", rtol)});
      settings.insert(settings.end(), more.begin(), more.end());
      Recorded run;
      const Events events = run_events(text, settings, run);
      EXPECT_GE(events.touch.size(), 1u);
      return events.touch.empty() ? 1.0 : std::abs(events.touch[0] - exact);
    };
    for (const char* coordinates : {"solver.coordinates=absolute", "solver.coordinates=joint"}) {
      SCOPED_TRACE(coordinates);
      const double coarse = error_at(1e-5, {coordinates}), fine = error_at(1e-8, {coordinates});
      EXPECT_LE(coarse, 1e-3);
      EXPECT_LE(fine, 0.1 * coarse);
    }
    // Errors of second order add up: h² ∝ tol^(2/3).
    const bool second_order =
        method[0].find("alpha") != std::string::npos || method[0].find("hht") != std::string::npos;
    EXPECT_LE(error_at(second_order ? 1e-14 : 1e-13, {"solver.coordinates=joint"}), 1e-10);
  }
}

// Multipliers follow every impact: a test of theirs would ask for steps that the motion does not need.
TEST(Contact, the_corrector_is_modified_unless_another_is_given) {
  const auto corrector_of = [](const std::string& text, const SetList& settings) {
    const Study study = read_study_text(text, "ball.toml", settings);
    return *Simulation(study).settings().solver.bdf.corrector;
  };
  const SetList by_default{"solver.integrator=bdf"}, classical{"solver.integrator=bdf", "solver.corrector=classical"};
  EXPECT_EQ(corrector_of(ball, by_default), Corrector::modified);
  EXPECT_EQ(corrector_of(ball, classical), Corrector::classical);
  const std::string alone = ball.substr(0, ball.find("[[contact]]")) + ball.substr(ball.find("[analysis]"));
  EXPECT_EQ(corrector_of(alone, by_default), Corrector::classical);
}

// Steps of 0.1 s in free flight must become microseconds where the ball meets a stiff floor, within a few steps and
// without help, and grow again in the next flight; with located instants they do so at once.
TEST(Contact, steps_fall_by_five_orders_within_a_few_and_grow_again) {
  for (const SetList& method : methods)
    for (const bool locate : {false, true}) {
      SCOPED_TRACE(method[0] + (locate ? ", located" : ", not located"));
      SetList settings = method;
      settings.insert(settings.end(),
                      {"contact.bounce.stiffness=1e12", "solver.rtol=1e-6", "solver.atol=1e-9", "analysis.end=0.7",
                       locate ? "contact.bounce.locate=true" : "contact.bounce.locate=false"});
      const Recorded run = run_text(ball, settings);
      const Eigen::VectorXd h = run.values("solver.h").col(0);
      Eigen::Index low = 0;
      while (low + 1 < h.size() && h[low] > 1e-5 * h.head(low + 1).maxCoeff()) ++low;
      const double high = h.head(low + 1).maxCoeff();
      EXPECT_LE(h[low], 1e-5 * high);
      Eigen::Index before = low;
      while (before > 0 && h[before] < 0.1 * high) --before;
      EXPECT_LE(low - before, 8) << "steps from " << high << " to " << h[low];
      EXPECT_GE(h.tail(h.size() - low).maxCoeff(), 1e4 * h[low]);
    }
}

// A floor of the step that an impact cannot keep: the run stops and names the contact.
TEST(Contact, an_impact_below_the_floor_of_the_step_is_diagnosed_by_name) {
  Simulation simulation(read_study_text(
      ball, "model.toml", SetList{"contact.bounce.stiffness=1e12", "solver.hmin=1e-4", "contact.bounce.locate=false"}));
  MemoryRecord record;
  const Summary summary = simulation.run(record);
  EXPECT_FALSE(summary.completed);
  EXPECT_NEAR(summary.t, std::sqrt(2.0 * 0.5 / g), 2e-2);
  EXPECT_NE(summary.failure.find("solver.hmin is 0.0001 s"), std::string::npos) << summary.failure;
  EXPECT_NE(summary.failure.find("'bounce' between 'floor' and 'surface'"), std::string::npos) << summary.failure;
}

// Hertz: two equal spheres, effective mass m/2, radius r/2, at relative speed v:
//   k = 4/3 E √R,   deepest a = (5 m v²/(4 k))^(2/5),   force k a^(3/2),   duration 2.94326 a/v
TEST(Contact, two_spheres_meet_as_hertz_says) {
  const std::string text = R"(
gravity = [0, 0, 0]
[[body]]
name = "left"
position = [-0.051, 0, 0]
velocity = [1, 0, 0]
shape = { kind = "sphere", radius = 0.05, density = 7800 }
[[body]]
name = "right"
position = [0.051, 0, 0]
velocity = [-1, 0, 0]
shape = { kind = "sphere", radius = 0.05, density = 7800 }
[[contact]]
name = "impact"
between = ["left", "right"]
law = "hertz"
modulus = 1.15e11
[analysis]
end = 0.0015
[solver]
rtol = 1e-8
atol = 1e-11
[output]
every_step = true
)";
  const double mass = 7800.0 * 4.0 / 3.0 * std::numbers::pi * std::pow(0.05, 3), v = 2.0;
  const double k = 4.0 / 3.0 * 1.15e11 * std::sqrt(0.025);
  const double deepest = std::pow(5.0 * 0.5 * mass * v * v / (4.0 * k), 0.4);
  for (const std::string method : {"generalized_alpha", "bdf", "radau"}) {
    SCOPED_TRACE(method);
    Recorded run;
    const Events events = run_events(text, {"solver.integrator=" + method}, run);
    ASSERT_EQ(events.touch.size(), 1u);
    ASSERT_EQ(events.part.size(), 1u);
    EXPECT_NEAR(events.part[0] - events.touch[0], 2.94326 * deepest / v, 0.01 * 2.94326 * deepest / v);
    const double peak = run.values("impact.normal_force").maxCoeff();
    EXPECT_NEAR(peak, k * std::pow(deepest, 1.5), 0.01 * k * std::pow(deepest, 1.5));
    EXPECT_NEAR(run.last("left.velocity")[0], -1.0, 1e-5);  // equal masses exchange velocities
  }
}

// A sled of three balls on an incline: three places so that it cannot roll; as deep in the surface as its weight needs.
std::string incline(double angle, const std::string& friction) {
  return fmt::format(R"(
gravity = [{:.17g}, 0, {:.17g}]
[[body]]
name = "sled"
mass = 3
inertia = [0.03, 0.03, 0.05]
position = [0, 0, {:.17g}]
[[geometry]]
group = "feet"
body = "sled"
kind = "sphere"
radius = 0.05
position = [0.2, 0, 0]
[[geometry]]
group = "feet"
body = "sled"
kind = "sphere"
radius = 0.05
position = [-0.1, 0.17, 0]
[[geometry]]
group = "feet"
body = "sled"
kind = "sphere"
radius = 0.05
position = [-0.1, -0.17, 0]
[[geometry]]
name = "slope"
kind = "plane"
[[contact]]
name = "slide"
between = ["feet", "slope"]
law = "linear"
stiffness = 1e6
damping = 2e3
friction = {{ {} }}
[analysis]
end = 1
[solver]
integrator = "radau"
rtol = 1e-6
atol = 1e-8
)",
                     g * std::sin(angle), -g * std::cos(angle), 0.05 - g * std::cos(angle) / 1e6, friction);
}

const std::string lugre = R"(kind = "lugre", mu_k = 0.3, mu_s = 0.3, sigma0 = 1e5, sigma1 = 300)";

// Below the angle of friction it moves by what the bristles give, x = (μ/σ₀) ln(1/(1 − ρ)) at the part ρ of the limit
// (the integral of ż = (1 − σ₀ z/μ) ẋ), and does not creep; above it, it slides with g (sin − μ cos).
TEST(Contact, a_block_on_an_incline_sticks_below_and_slides_above_its_angle_of_friction) {
  const double threshold = std::atan(0.3);
  const Recorded stuck = run_text(incline(0.97 * threshold, lugre));
  const Eigen::VectorXd x = stuck.values("sled.position").col(0);
  const double given = 0.3 / 1e5 * std::log(1.0 / (1.0 - std::tan(0.97 * threshold) / 0.3));
  EXPECT_LE(x.maxCoeff(), 1.5 * given);
  const Eigen::Index half = x.size() / 2;
  EXPECT_NEAR(x[x.size() - 1], x[half], 0.02 * given);  // no creep in half a second
  const double slope = 1.03 * threshold;
  const Recorded sliding = run_text(incline(slope, lugre));
  const double a = g * (std::sin(slope) - 0.3 * std::cos(slope));
  const Eigen::MatrixXd v = sliding.values("sled.velocity");
  const Eigen::Index n = v.rows();
  EXPECT_NEAR((v(n - 1, 0) - v(n / 2, 0)) / 0.5, a, 0.01 * a);
  const double steep = 2.0 * threshold, b = g * (std::sin(steep) - 0.3 * std::cos(steep));
  for (const std::string& law : {lugre, std::string(R"(kind = "coulomb", mu = 0.3, v_s = 1e-3)")}) {
    const Eigen::MatrixXd fast = run_text(incline(steep, law)).values("sled.velocity");
    EXPECT_NEAR((fast(fast.rows() - 1, 0) - fast(fast.rows() / 2, 0)) / 0.5, b, 0.01 * b);
  }
}

// Balls on a table without friction against the balls: momentum is kept to rounding, and no energy comes from nowhere.
TEST(Contact, billiard_balls_keep_momentum_and_gain_no_energy) {
  std::string text = R"(
gravity = [0, 0, 0]
[[body]]
name = "cue"
position = [-0.3, 0.004, 0]
velocity = [3, 0, 0]
shape = { kind = "sphere", radius = 0.03, density = 1700 }
[[geometry]]
group = "balls"
body = "cue"
kind = "sphere"
radius = 0.03
[[contact]]
name = "click"
among = "balls"
law = "hertz"
modulus = 2e9
friction = { kind = "coulomb", mu = 0.06, v_s = 1e-3 }
[analysis]
end = 0.25
[solver]
rtol = 1e-6
atol = 1e-9
[output]
every_step = true
)";
  int number = 0;
  for (int row = 0; row < 4; ++row)
    for (int i = 0; i <= row; ++i)
      text += fmt::format(R"(
[[body]]
name = "b{0}"
position = [{1:.17g}, {2:.17g}, 0]
shape = {{ kind = "sphere", radius = 0.03, density = 1700 }}
[[geometry]]
group = "balls"
body = "b{0}"
kind = "sphere"
radius = 0.03
)",
                          number++, 0.0525 * row, 0.0606 * (i - 0.5 * row));
  for (const std::string method : {"generalized_alpha", "bdf", "radau"}) {
    SCOPED_TRACE(method);
    const Recorded run = run_text(text, {"solver.integrator=" + method});
    const double mass = 1700.0 * 4.0 / 3.0 * std::numbers::pi * std::pow(0.03, 3);
    Eigen::MatrixXd p = run.values("cue.velocity");
    for (int i = 0; i < number; ++i) p += run.values(fmt::format("b{}.velocity", i));
    p *= mass;
    const Eigen::RowVector3d start(3.0 * mass, 0.0, 0.0);
    EXPECT_LE((p.rowwise() - start).cwiseAbs().maxCoeff(), 1e-7 * 3.0 * mass);
    const Eigen::MatrixXd energy = run.values("energy.total");
    EXPECT_LE(energy.maxCoeff() - energy(0, 0), 10.0 * 1e-6 * energy(0, 0));
    EXPECT_GE(run.values("click.normal_force").maxCoeff(), 10.0);  // they did meet
  }
}

// A mass on a moving belt, held by a spring: friction that falls with speed makes it stick and slip for ever. The
// period of the limit cycle converges as the tolerance falls.
TEST(Contact, stick_slip_on_a_belt_has_a_period_that_converges) {
  const std::string text = R"(
[[body]]
name = "belt"
mass = 10
inertia = [1, 1, 1]
position = [0, 0, -0.05]
velocity = [0.1, 0, 0]
[[joint]]
name = "drum"
kind = "prismatic"
bodies = ["ground", "belt"]
point = [0, 0, -0.05]
axis = "x"
[[motion]]
name = "drive"
joint = "drum"
function = "0.1*t"
[[geometry]]
name = "top"
body = "belt"
kind = "plane"
position = [0, 0, 0.05]
[[body]]
name = "mass"
mass = 1
inertia = [0.001, 0.001, 0.001]
position = [0, 0, 0.05]
[[joint]]
name = "guide"
kind = "constant_orientation"
bodies = ["ground", "mass"]
[[geometry]]
name = "foot"
body = "mass"
kind = "sphere"
radius = 0.05
[[force]]
name = "spring"
kind = "force"
body = "mass"
point = { body = "mass", at = [0, 0, 0] }
force = ["-100*mass.x", "-100*mass.y - 10*mass.vy", 0]
[[contact]]
name = "rub"
between = ["top", "foot"]
law = "linear"
stiffness = 1e6
damping = 1e3
friction = { kind = "lugre", mu_k = 0.25, mu_s = 0.4, v_s = 0.02, sigma0 = 1e4, sigma1 = 30 }
[analysis]
end = 8
[solver]
integrator = "radau"
[output]
interval = 0.002
)";
  const auto period_of = [&](double rtol) {
    const Recorded run = run_text(text, {set("solver.rtol", rtol), set("solver.atol", 1e-2 * rtol)});
    const Eigen::VectorXd x = run.values("mass.position").col(0), v = run.values("mass.velocity").col(0);
    std::vector<double> turns;  // where the mass begins to slip back
    for (Eigen::Index i = x.size() / 2; i + 1 < x.size(); ++i)
      if (v[i] > 0.0 && v[i + 1] <= 0.0)
        turns.push_back(run.times()[i] + (run.times()[i + 1] - run.times()[i]) * v[i] / (v[i] - v[i + 1]));
    EXPECT_GE(turns.size(), 4u);
    return (turns.back() - turns.front()) / static_cast<double>(turns.size() - 1);
  };
  const double coarse = period_of(1e-4), middle = period_of(1e-6), fine = period_of(1e-8);
  EXPECT_NEAR(middle, fine, 1e-4 * fine);
  EXPECT_LE(std::abs(middle - fine), std::abs(coarse - fine) + 1e-6 * fine);
  EXPECT_GT(fine, 2.0 * std::numbers::pi / 10.0);  // longer than free swings: it sticks for a part
}

}  // namespace
}  // namespace trammel::test_contact
