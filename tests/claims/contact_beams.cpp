// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numbers>

#include "run_model.h"

// Beams that are touched between their nodes.

namespace trammel::test_contact_beams {
namespace {

constexpr double g = 9.81, L = 1.0, r = 0.005, R = 0.05, K = 1e9, density = 7850.0, young = 2.1e11;

// A round rod, clamped at x = 0, above a cylinder across it at x = a whose top is `gap` below the rod.
std::string rod_on_post(double a, double gap, int elements, int order, const std::string& more = "") {
  return fmt::format(R"(
[[beam]]
name = "rod"
points = [[0, 0, 0], [{}, 0, 0]]
elements = {}
order = {}
section = {{ kind = "circle", radius = {} }}
material = {{ young = {}, poisson = 0.3, density = {} }}
start_body = "ground"
contact_radius = {}
damping = 1e-3
[[geometry]]
name = "post"
kind = "cylinder"
radius = 0.05
length = 0.4
axis = "y"
position = [{:.17g}, 0, {:.17g}]
[[contact]]
name = "rest"
between = ["rod", "post"]
law = "foundation"
stiffness = 1e9
{}
[analysis]
kind = "statics"
)",
                     L, elements, order, r, young, density, r, a, -gap - r - 0.05, more);
}

// Euler and Bernoulli: the deflection of the free rod at a less that by the force there is the gap and what surfaces
// sink,
//   q a² (6L² − 4aL + a²)/(24 EI) − N a³/(3 EI) = gap + s,   N = π K √(r R) s²
// (pressure K times a depth s − x²/2R − y²/2r), wherever a is between nodes. What a node carries is rigid with it.
TEST(ContactBeams, a_rod_rests_on_a_post_anywhere_between_its_nodes) {
  const double area = std::numbers::pi * r * r, EI = young * std::numbers::pi * std::pow(r, 4) / 4.0;
  const double q = density * area * g, gap = 2e-4;
  for (const char* coordinates : {"absolute", "joint"})
    for (const double a : {0.61, 0.8, 0.937}) {
      const double w = q * a * a * (6.0 * L * L - 4.0 * a * L + a * a) / (24.0 * EI);
      double expected = 0.0, high = (w - gap) / (a * a * a / (3.0 * EI));
      for (int k = 0; k < 60; ++k) {
        const double mid = 0.5 * (expected + high), sunk = std::sqrt(mid / (std::numbers::pi * K * std::sqrt(r * R)));
        (w - mid * a * a * a / (3.0 * EI) > gap + sunk ? expected : high) = mid;
      }
      SCOPED_TRACE(fmt::format("{} at {}", coordinates, a));
      const Recorded run = run_text(rod_on_post(a, gap, 10, 3), {std::string("solver.coordinates=") + coordinates});
      const double N = run.last_value("rest.normal_force");
      EXPECT_NEAR(N, expected, 0.01 * expected);
      // The point of contact is where they cross, to some part of the distance of points.
      EXPECT_NEAR(run.last("rest.contact_point")[0], a, 2e-3);
    }
}

TEST(ContactBeams, what_is_not_along_a_length_is_refused_by_name) {
  const auto refused = [](const std::string& text) -> std::string {
    try {
      read_study_text(text, "model.toml", {});
    } catch (const InputError& error) {
      return error.what();
    }
    return "not refused";
  };
  const std::string good = rod_on_post(0.8, 1e-3, 4, 3);
  const std::string linear = refused(replace_once(good, "law = \"foundation\"", "law = \"linear\""));
  EXPECT_NE(linear.find("beam 'rod' is touched all along: law = \"foundation\""), std::string::npos) << linear;
  const std::string among = refused(replace_once(good, "between = [\"rod\", \"post\"]", "among = [\"rod\", \"post\"]"));
  EXPECT_NE(among.find("the pieces of beam 'rod' join each other"), std::string::npos) << among;
  const std::string ball = refused(replace_once(good, "kind = \"cylinder\"\nradius = 0.05\nlength = 0.4\naxis = \"y\"",
                                                "kind = \"sphere\"\nradius = 0.05"));
  EXPECT_NE(ball.find("geometry 'post' meets beam 'rod' in one place"), std::string::npos) << ball;
}

// Free of any joint it lies on two posts between its nodes: moments about them share its weight.
TEST(ContactBeams, a_rod_lies_on_two_posts) {
  const double weight = density * std::numbers::pi * r * r * L * g, rough = 0.3;
  std::string text = rod_on_post(0.27, 1e-4, 6, 2, fmt::format("friction = {{ mu = {} }}", rough));
  text = replace_once(text, "start_body = \"ground\"\n", "");
  text = replace_once(text, "[analysis]\n", R"(
[[geometry]]
name = "other"
kind = "cylinder"
radius = 0.05
length = 0.4
axis = "y"
position = [0.83, 0, -0.0551]
[[contact]]
name = "rest_2"
between = ["rod", "other"]
law = "foundation"
stiffness = 1e9
friction = { mu = 0.3 }
[analysis]
)");
  const double first = weight * (0.83 - 0.5) / (0.83 - 0.27);
  for (const char* coordinates : {"absolute", "joint"}) {
    const Recorded run = run_text(text, {std::string("solver.coordinates=") + coordinates});
    EXPECT_NEAR(run.last_value("rest.normal_force"), first, 0.01 * weight) << coordinates;
    EXPECT_NEAR(run.last_value("rest_2.normal_force"), weight - first, 0.01 * weight) << coordinates;
  }
}

}  // namespace
}  // namespace trammel::test_contact_beams
