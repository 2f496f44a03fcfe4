// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "run_model.h"

// Surfaces that press on each other at rest: equilibria, small motions, friction that holds; and contacts in joint
// coordinates.

namespace trammel::test_contact_rest {
namespace {

constexpr double g = 9.81;

const std::string ball = R"(
[parameters]
height = 0.0999
[[body]]
name = "ball"
mass = 2
inertia = [0.008, 0.008, 0.008]
position = [0, 0, "height"]
[[geometry]]
name = "surface"
body = "ball"
kind = "sphere"
radius = 0.1
[[geometry]]
name = "floor"
kind = "plane"
[[contact]]
name = "rest"
between = ["surface", "floor"]
law = "linear"
stiffness = 1e5
[analysis]
kind = "statics"
)";
constexpr double weight = 2.0 * g;
const std::string lugre = R"(friction = { kind = "lugre", mu_k = 0.3, mu_s = 0.3, sigma0 = 1e4 })";

std::string with(const std::string& text, const std::string& line) {
  return replace_once(text, "stiffness = 1e5\n", "stiffness = 1e5\n" + line + "\n");
}

// k aᵖ = m g: whether it is drawn pressed, touching, or well above, by relaxation and with load steps, and whatever the
// friction.
TEST(ContactAtRest, a_ball_lies_as_deep_as_its_weight_needs) {
  for (const std::string friction : {"", R"(friction = { kind = "coulomb", mu = 0.3 })", lugre.c_str()})
    for (const char* law : {"linear", "hertz"})
      for (const double height : {0.0999, 0.1, 0.101, 0.5})
        for (const int load_steps : {0, 4}) {
          SCOPED_TRACE(fmt::format("{}, {}, from {} m, {} load steps", friction, law, height, load_steps));
          const Recorded run =
              run_text(with(ball, friction), {std::string("contact.rest.law=") + law, set("parameters.height", height),
                                              fmt::format("analysis.load_steps={}", load_steps)});
          const double depth = std::pow(weight / 1e5, law == std::string("hertz") ? 2.0 / 3.0 : 1.0);
          EXPECT_NEAR(run.last_value("rest.penetration"), depth, 1e-9 * depth);
          EXPECT_NEAR(run.last_value("rest.normal_force"), weight, 1e-8 * weight);
        }
}

// Nothing below: no equilibrium, and the body that nothing holds is named.
TEST(ContactAtRest, a_ball_beside_the_floor_finds_no_equilibrium_and_is_named) {
  const std::string peg =
      replace_once(ball, "kind = \"plane\"", "kind = \"sphere\"\nradius = 0.05\nposition = [5, 0, 0]");
  Simulation simulation(read_study_text(peg, "model.toml"));
  MemoryRecord record;
  const Summary summary = simulation.run(record);
  EXPECT_FALSE(summary.completed);
  EXPECT_NE(summary.failure.find("body 'ball'"), std::string::npos) << summary.failure;
  EXPECT_NE(summary.failure.find("something that nothing holds"), std::string::npos) << summary.failure;
}

// A plank clamped at one end meets a post under the other after 1 mm of its sag: w_tip = q L⁴/(8 E I) − R L³/(3 E I)
// = 1 mm + R/k. Shear adds (h/L)² = 1e-4, and the sag is small.
TEST(ContactAtRest, a_plank_lies_on_a_post_with_the_reaction_of_a_propped_beam) {
  const double k = 1e6, gap = 1e-3, L = 2.0, EI = 2.1e11 * 0.1 * std::pow(0.02, 3) / 12.0, q = 7800 * 0.1 * 0.02 * g;
  const std::string text = R"(
[[beam]]
name = "plank"
points = [[0, 0, 0.2], [2, 0, 0.2]]
elements = 4
section = { kind = "rectangle", width = 0.1, height = 0.02 }
material = { young = 2.1e11, poisson = 0.3, density = 7800 }
[[joint]]
name = "clamp"
kind = "fixed"
bodies = ["ground", "plank_0"]
point = [0, 0, 0.2]
[[geometry]]
name = "end"
body = "plank_12"
kind = "sphere"
radius = 0.01
[[geometry]]
name = "post"
kind = "sphere"
radius = 0.1
position = [2, 0, 0.089]
[[contact]]
name = "rest"
between = ["end", "post"]
stiffness = 1e6
[analysis]
kind = "statics"
)";
  const double expected = (q * std::pow(L, 4) / (8.0 * EI) - gap) / (std::pow(L, 3) / (3.0 * EI) + 1.0 / k);
  for (const char* load_steps : {"analysis.load_steps=0", "analysis.load_steps=5"}) {
    SCOPED_TRACE(load_steps);
    const Recorded run = run_text(text, {load_steps});
    EXPECT_NEAR(run.last_value("rest.normal_force"), expected, 2e-3 * expected);
  }
}

// A sled of three feet on a slope, drawn as deep as its weight needs. Bristles hold like springs: the feet carry the
// part of the weight along the slope, deflected by tan(slope)/σ₀. Beyond the angle of friction there is no equilibrium,
// and the message says what slips.
TEST(ContactAtRest, bristles_hold_a_sled_below_the_angle_of_friction_and_are_named_above_it) {
  const auto sled = [](double slope, const std::string& friction) {
    std::string text = fmt::format(R"(
gravity = [{:.17g}, 0, {:.17g}]
[[body]]
name = "sled"
mass = 3
inertia = [0.03, 0.03, 0.05]
position = [0, 0, {:.17g}]
)",
                                   g * std::sin(slope), -g * std::cos(slope), 0.05 - g * std::cos(slope) / 1e6);
    for (const char* at : {"[0.2, 0, 0]", "[-0.1, 0.17, 0]", "[-0.1, -0.17, 0]"})
      text += fmt::format(
          "[[geometry]]\ngroup = \"feet\"\nbody = \"sled\"\nkind = \"sphere\"\nradius = 0.05\nposition = {}\n", at);
    return text + R"(
[[geometry]]
name = "slope"
kind = "plane"
[[contact]]
name = "slide"
between = ["feet", "slope"]
stiffness = 1e6
)" + friction +
           "\n[analysis]\nkind = \"statics\"\n";
  };
  const double threshold = std::atan(0.3), gentle = 0.9 * threshold;
  for (const char* load_steps : {"analysis.load_steps=0", "analysis.load_steps=3"}) {
    const Recorded run = run_text(sled(gentle, lugre), {load_steps});
    EXPECT_NEAR(run.last_value("slide.friction_force"), 3.0 * g * std::sin(gentle), 1e-7 * 3.0 * g);
    EXPECT_NEAR(run.last_value("slide.normal_force"), 3.0 * g * std::cos(gentle), 1e-7 * 3.0 * g);
    // The sled also pitches about its feet, by some rad of 1e-5 at an arm of 0.05 m.
    EXPECT_NEAR(run.last("sled.position")[0], std::tan(gentle) / 1e4, 0.1 * std::tan(gentle) / 1e4);
  }
  const auto refused = [](const std::string& text) {
    Simulation simulation(read_study_text(text, "model.toml"));
    MemoryRecord record;
    const Summary summary = simulation.run(record);
    EXPECT_FALSE(summary.completed);
    return summary.failure;
  };
  const std::string steep = refused(sled(1.1 * threshold, lugre));
  EXPECT_NE(steep.find("contact 'slide' between"), std::string::npos) << steep;
  EXPECT_NE(steep.find("friction that cannot hold"), std::string::npos) << steep;
  // Friction that is regularised in motion holds at rest, and never with more than μ N.
  const std::string coulomb = R"(friction = { kind = "coulomb", mu = 0.3 })";
  const Recorded held = run_text(sled(gentle, coulomb));
  EXPECT_NEAR(held.last_value("slide.friction_force"), 3.0 * g * std::sin(gentle), 1e-7 * 3.0 * g);
  ASSERT_FALSE(held.summary.notes.empty());
  EXPECT_NE(held.summary.notes.back().find("not unique"), std::string::npos) << held.summary.notes.back();
  const std::string slides = refused(sled(1.1 * threshold, coulomb));
  EXPECT_NE(slides.find("contact 'slide' between"), std::string::npos) << slides;
}

// A ladder of 4 m leans on a wall, on two feet and two heads.
std::string ladder(double angle, const std::string& wall_friction, const std::string& floor_friction) {
  const double r = 0.005, L = 4.0, x = 0.5 * L * std::cos(angle), z = 0.5 * L * std::sin(angle);
  std::string text = fmt::format(R"(
[[body]]
name = "ladder"
mass = 12
inertia = [16, 16, 0.5]
position = [{:.17g}, 0, {:.17g}]
)",
                                 x + r, z + r);
  for (const double side : {-0.2, 0.2})
    for (const bool foot : {true, false})
      text += fmt::format(
          "[[geometry]]\ngroup = \"{}\"\nbody = \"ladder\"\nkind = \"sphere\"\nradius = {}\nposition = [{:.17g}, "
          "{}, {:.17g}]\n",
          foot ? "feet" : "heads", r, foot ? x : -x, side, foot ? -z : z);
  return text + fmt::format(R"(
[[geometry]]
name = "floor"
kind = "plane"
[[geometry]]
name = "wall"
kind = "plane"
axis = "x"
[[contact]]
name = "stand"
between = ["feet", "floor"]
stiffness = 1e8
{}
[[contact]]
name = "lean"
between = ["heads", "wall"]
stiffness = 1e8
{}
[analysis]
kind = "statics"
)",
                            floor_friction, wall_friction);
}

// F = N_w = W/(2 tan θ) on a smooth wall holds while tan θ ≥ 1/(2μ); with the same friction on the wall while
// tan θ ≥ (1 − μ²)/(2μ). Below, what slips is named. The limit is found by going down from what holds; the radius of
// the feet is 0.25 % of half the ladder.
TEST(ContactAtRest, a_ladder_holds_down_to_its_limit_angle_and_slips_below_it) {
  const double mu = 0.4;
  const std::string rough = "friction = { kind = \"coulomb\", mu = 0.4 }";
  for (const char* coordinates : {"absolute", "joint"})
    for (const bool rough_wall : {false, true}) {
      SCOPED_TRACE(fmt::format("{}, {}", coordinates, rough_wall));
      const double limit = std::atan(rough_wall ? (1.0 - mu * mu) / (2.0 * mu) : 1.0 / (2.0 * mu));
      const auto holds = [&](double angle) {
        const SetList settings{std::string("solver.coordinates=") + coordinates};
        Simulation simulation(read_study_text(ladder(angle, rough_wall ? rough : "", rough), "model.toml", settings));
        MemoryRecord record;
        const Summary summary = simulation.run(record);
        if (!summary.completed) {
          EXPECT_NE(summary.failure.find("friction that cannot hold"), std::string::npos) << summary.failure;
          EXPECT_TRUE(summary.failure.find("contact 'stand'") != std::string::npos ||
                      summary.failure.find("contact 'lean'") != std::string::npos)
              << summary.failure;
        } else if (!rough_wall) {
          const auto last = [&](const char* channel) {
            const Eigen::MatrixXd all = record.read(channel).values;
            return all(all.rows() - 1, 0);
          };
          EXPECT_NEAR(last("stand.normal_force"), 12.0 * g, 1e-6 * 12.0 * g);
          EXPECT_NEAR(last("stand.friction_force"), 12.0 * g / (2.0 * std::tan(angle)), 0.01 * 12.0 * g);
        }
        return summary.completed;
      };
      EXPECT_TRUE(holds(1.2 * limit));
      double high = 1.1 * limit, low = 0.9 * limit;
      for (int k = 0; k < 6; ++k) {
        const double mid = 0.5 * (low + high);
        (holds(mid) ? high : low) = mid;
      }
      EXPECT_NEAR(0.5 * (low + high), limit, 0.01 * limit);
      EXPECT_FALSE(holds(0.8 * limit));
    }
}

// The limit by continuation: floor and wall tilt by β, slowly, until the ladder slips. There the foot holds
// μ N_f = N_w + W sin β, the head μ_w N_w, and about the point below the foot (radius r)
//   N_w (L sin θ + r + μ_w (L cos θ + r)) = W (L/2 cos θ cos β − (L/2 sin θ + r) sin β).
// The last equilibrium is at that angle to 1 %, and what slips is named.
TEST(ContactAtRest, a_ladder_in_a_house_that_tilts_slips_at_its_limit_angle) {
  const double mu = 0.4, L = 4.0, r = 0.005;
  const std::string rough = "friction = { kind = \"coulomb\", mu = 0.4 }";
  for (const char* coordinates : {"absolute", "joint"})
    for (const bool rough_wall : {false, true}) {
      SCOPED_TRACE(fmt::format("{}, {}", coordinates, rough_wall));
      const double theta = 1.06 * std::atan(rough_wall ? (1.0 - mu * mu) / (2.0 * mu) : 1.0 / (2.0 * mu));
      const double of_wall = rough_wall ? mu : 0.0, c = std::cos(theta), s = std::sin(theta);
      double limit = 0.0, high = 0.5;
      for (int k = 0; k < 60; ++k) {
        const double mid = 0.5 * (limit + high);
        const double wall = (mu * std::cos(mid) - std::sin(mid)) / (1.0 + mu * of_wall);
        const double holds = wall * (L * s + r + of_wall * (L * c + r));
        (holds > 0.5 * L * c * std::cos(mid) - (0.5 * L * s + r) * std::sin(mid) ? limit : high) = mid;
      }
      const std::string text = "gravity = [0, 0, 0]\n" + ladder(theta, rough_wall ? rough : "", rough) + R"more(
end = 1
time_steps = 10
[[force]]
name = "weight"
kind = "force"
body = "ladder"
force = ["117.72*sin(0.2*t)", 0, "-117.72*cos(0.2*t)"]
)more";
      const SetList settings{std::string("solver.coordinates=") + coordinates};
      Simulation simulation(read_study_text(text, "model.toml", settings));
      MemoryRecord record;
      const Summary summary = simulation.run(record);
      EXPECT_FALSE(summary.completed);
      EXPECT_NE(summary.failure.find("Equilibria were followed to t = "), std::string::npos) << summary.failure;
      EXPECT_NE(summary.failure.find("contact 'stand'"), std::string::npos) << summary.failure;
      ASSERT_GT(record.times().size(), 3u);
      EXPECT_EQ(record.times().back(), summary.t);
      EXPECT_NEAR(0.2 * summary.t, limit, 0.01 * limit);
    }
}

// A pendulum that rests with its ball on a floor: moments about the hinge, N x + F z of what was drawn at (1, −0.1),
// are g/2 + g/2, with and without friction.
TEST(ContactAtRest, a_pendulum_rests_with_its_ball_on_the_floor) {
  const std::string text = R"(
[[body]]
name = "rod"
mass = 1
inertia = [0.01, 0.09, 0.09]
position = [0.5, 0, 0]
[[body]]
name = "ball"
mass = 0.5
inertia = [0.002, 0.002, 0.002]
position = [1, 0, 0]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "rod"]
point = [0, 0, 0]
axis = "y"
[[joint]]
name = "weld"
kind = "fixed"
bodies = ["rod", "ball"]
point = [1, 0, 0]
[[geometry]]
name = "round"
body = "ball"
kind = "sphere"
radius = 0.1
[[geometry]]
name = "floor"
kind = "plane"
position = [0, 0, -0.1]
[[contact]]
name = "hit"
between = ["round", "floor"]
law = "hunt_crossley"
stiffness = 1e5
damping_factor = 0.3
FRICTION
[analysis]
kind = "statics"
)";
  for (const char* coordinates : {"absolute", "joint"})
    for (const char* friction : {"", R"(friction = { kind = "coulomb", mu = 0.3 })"}) {
      SCOPED_TRACE(std::string(coordinates) + friction);
      const Recorded run =
          run_text(replace_once(text, "FRICTION", friction), {std::string("solver.coordinates=") + coordinates});
      const double N = run.last_value("hit.normal_force"), F = run.last_value("hit.friction_force");
      // The ball sinks by 0.1 mm: levers change by that.
      EXPECT_NEAR(N + 0.1 * F, g, 2e-4 * g);
      EXPECT_EQ(F > 0.0, *friction != '\0');
      EXPECT_LE(F, 0.3 * N);
    }
}

// The same in a joint: N is its reaction, the bristle a state of its own.
TEST(ContactAtRest, a_slider_is_held_by_its_bristle_up_to_mu_times_its_reaction) {
  const auto rail = [](double push) {
    return fmt::format(R"(
[[body]]
name = "block"
mass = 2
inertia = [0.1, 0.1, 0.1]
[[joint]]
name = "rail"
kind = "prismatic"
bodies = ["ground", "block"]
point = [0, 0, 0]
axis = "x"
[[force]]
name = "push"
kind = "force"
body = "block"
force = [{:.17g}, 0, 0]
[[friction]]
name = "rub"
joint = "rail"
kind = "lugre"
mu = 0.3
sigma0 = 1e4
[analysis]
kind = "statics"
)",
                       push * 0.3 * weight);
  };
  for (const double part : {0.9, -0.5})
    EXPECT_NEAR(run_text(rail(part)).last_value("rail.displacement"), part * 0.3 / 1e4, 1e-9);
  for (const double part : {1.1, -1.1}) {
    Simulation simulation(read_study_text(rail(part), "model.toml"));
    MemoryRecord record;
    const Summary summary = simulation.run(record);
    EXPECT_FALSE(summary.completed);
    EXPECT_NE(summary.failure.find("'rub bristle'"), std::string::npos) << summary.failure;
  }
}

std::vector<double> circular_frequencies(const std::string& text, const SetList& settings) {
  Simulation simulation(read_study_text(text, "model.toml", settings));
  EXPECT_TRUE(simulation.find_equilibrium({}).status.ok());
  const EigenModes modes = calc_modes(simulation.linearize({}).motion);
  std::vector<double> omega;
  for (Eigen::Index i = modes.zeros; i < modes.values.size(); ++i)
    if (modes.values[i].imag() > 0.0) omega.push_back(modes.values[i].imag());
  std::sort(omega.begin(), omega.end());
  return omega;
}

// Up and down with √(k/m); Hertz with the tangent 3/2 k √a. With bristles that stick the point of contact is held by
// σ₀ N in both directions, and a ball there has the mass 1/(1/m + r²/J).
TEST(ContactAtRest, small_motions_have_the_frequencies_of_the_springs_that_surfaces_are) {
  for (const char* coordinates : {"absolute", "joint"}) {
    SCOPED_TRACE(coordinates);
    const std::string set_coordinates = std::string("solver.coordinates=") + coordinates;
    const std::vector<double> linear = circular_frequencies(ball, {set_coordinates});
    ASSERT_EQ(linear.size(), 1u);
    EXPECT_NEAR(linear[0], std::sqrt(1e5 / 2.0), 1e-9 * linear[0]);
    const std::vector<double> hertz = circular_frequencies(ball, {set_coordinates, "contact.rest.law=hertz"});
    ASSERT_EQ(hertz.size(), 1u);
    EXPECT_NEAR(hertz[0], std::sqrt(1.5 * 1e5 * std::pow(weight / 1e5, 1.0 / 3.0) / 2.0), 1e-7 * hertz[0]);
    const std::vector<double> held = circular_frequencies(with(ball, lugre), {set_coordinates});
    ASSERT_EQ(held.size(), 3u);
    const double arm = 0.1 - 0.5 * weight / 1e5;  // to the point half-way between the surfaces
    const double sideways = std::sqrt(1e4 * weight * (1.0 / 2.0 + arm * arm / 0.008));
    EXPECT_NEAR(held[0], std::sqrt(1e5 / 2.0), 1e-9 * held[0]);
    for (int i : {1, 2}) EXPECT_NEAR(held[i], sideways, 1e-3 * sideways);
  }
}

// ---- joint coordinates
// -----------------------------------------------------------------------------------------------

struct Motion {
  std::vector<double> changes;  // instants
  Eigen::VectorXd end;          // of the followed body
};

Motion move(const std::string& text, const std::string& body, const SetList& settings) {
  Simulation simulation(read_study_text(text, "model.toml", settings));
  Recorded run;
  run.summary = simulation.run(run.record);
  EXPECT_TRUE(run.summary.completed) << run.summary.stop << "\n" << run.summary.failure;
  Motion motion;
  for (const KinkWatch::Change& change : simulation.contact_changes()) motion.changes.push_back(change.t);
  motion.end.resize(6);
  motion.end << run.last(body + ".position"), run.last(body + ".velocity");
  return motion;
}

// The same machine in both sets of coordinates meets the same surfaces at the same instants, and goes on alike.
void expect_same_motion(const std::string& text, const std::string& body, std::size_t n_changes) {
  const Motion reference = move(text, body, {"solver.integrator=radau", "solver.rtol=1e-10", "solver.atol=1e-12"});
  ASSERT_GE(reference.changes.size(), n_changes);
  // Global errors at rtol = 1e-8; generalized-α adds up those of a second order.
  for (const auto& [method, tol] : {std::pair{"generalized_alpha", 2e-5}, {"bdf", 1e-6}, {"radau", 1e-7}}) {
    SCOPED_TRACE(method);
    const Motion joint = move(text, body, {std::string("solver.integrator=") + method, "solver.coordinates=joint"});
    ASSERT_EQ(joint.changes.size(), reference.changes.size());
    for (std::size_t i = 0; i < joint.changes.size(); ++i) EXPECT_NEAR(joint.changes[i], reference.changes[i], tol);
    EXPECT_LE((joint.end - reference.end).head(3).lpNorm<Eigen::Infinity>(), tol);
    EXPECT_LE((joint.end - reference.end).tail(3).lpNorm<Eigen::Infinity>(), 30.0 * tol);
  }
}

TEST(ContactInJointCoordinates, a_double_pendulum_strikes_the_floor_as_in_absolute_coordinates) {
  expect_same_motion(R"(
[[body]]
name = "upper"
mass = 2
inertia = [0.02, 0.02, 0.01]
position = [0.5, 0, 0]
[[body]]
name = "lower"
mass = 1
inertia = [0.01, 0.01, 0.005]
position = [1.3, 0, 0]
[[joint]]
name = "shoulder"
kind = "revolute"
bodies = ["ground", "upper"]
point = [0, 0, 0]
axis = "y"
[[joint]]
name = "elbow"
kind = "revolute"
bodies = ["upper", "lower"]
point = [1, 0, 0]
axis = "y"
[[geometry]]
name = "tip"
body = "lower"
kind = "sphere"
radius = 0.05
position = [0.3, 0, 0]
[[geometry]]
name = "floor"
kind = "plane"
position = [0, 0, -0.8]
[[contact]]
name = "hit"
between = ["tip", "floor"]
law = "hunt_crossley"
stiffness = 1e5
damping_factor = 0.2
friction = { kind = "coulomb", mu = 0.3, v_s = 0.1 }
[analysis]
end = 0.6
[solver]
rtol = 1e-8
atol = 1e-9
)",
                     "lower", 4);
}

// A body free in space with a tail on a hinge drops on a sphere, and slips off with bristles at the place of contact.
TEST(ContactInJointCoordinates, a_free_body_with_a_tail_drops_on_a_sphere_as_in_absolute_coordinates) {
  expect_same_motion(R"(
[[body]]
name = "hull"
mass = 4
inertia = [0.05, 0.08, 0.1]
position = [0.03, 0.02, 0.4]
[[body]]
name = "tail"
mass = 1
inertia = [0.004, 0.01, 0.01]
position = [0.43, 0.02, 0.4]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["hull", "tail"]
point = [0.23, 0.02, 0.4]
axis = "y"
[[geometry]]
name = "belly"
body = "hull"
kind = "ellipsoid"
half_axes = [0.2, 0.15, 0.1]
[[geometry]]
name = "rock"
kind = "sphere"
radius = 0.2
[[contact]]
name = "land"
between = ["belly", "rock"]
law = "hunt_crossley"
stiffness = 2e4
damping_factor = 0.5
friction = { kind = "lugre", mu_k = 0.4, mu_s = 0.4, sigma0 = 1e3, sigma1 = 1 }
[analysis]
end = 0.4
[solver]
rtol = 1e-8
atol = 1e-9
)",
                     "hull", 2);
}

}  // namespace
}  // namespace trammel::test_contact_rest
