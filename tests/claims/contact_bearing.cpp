// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "run_model.h"

// Ball bearings with grooved races against Hertz's theory.

namespace trammel::test_contact_bearing {
namespace {

using std::numbers::pi;

// Of the size of a 209: balls of 12.7 mm on a circle of 65 mm, grooves of 0.52 of their diameter; steel on steel.
constexpr double D = 12.7e-3, pitch = 32.5e-3, conformity = 0.52, rho = conformity * D;
constexpr double young = 2.06e11, poisson = 0.3;

// F = k δ^{3/2} of a ball in a groove by the approximation of D. E. Brewe and B. J. Hamrock, J. Lubrication Technology
// 99 (1977) 485–487, within a percent or so of elliptic integrals. γ = D cos α/d_m; inner: γ > 0.
double race_stiffness(double gamma) {
  const double rx = D / 2.0 * (1.0 - gamma), ry = conformity * D / (2.0 * conformity - 1.0);
  const double a = ry / rx, R = 1.0 / (1.0 / rx + 1.0 / ry);
  const double ellipticity = 1.0339 * std::pow(a, 0.6360), second = 1.0003 + 0.5968 / a,
               first = 1.5277 + 0.6023 * std::log(a);
  const double modulus = young / (1.0 - poisson * poisson);  // of two equal bodies, E′
  return pi * ellipticity * modulus * std::sqrt(R * second / (4.5 * first * first * first));
}

// Of both races one behind the other.
double ball_stiffness(double angle) {
  const double gamma = D * std::cos(angle) / (2.0 * pitch);
  return std::pow(std::pow(race_stiffness(gamma), -2.0 / 3.0) + std::pow(race_stiffness(-gamma), -2.0 / 3.0), -1.5);
}

// The inner ring, which `inner` describes, and a fixed outer one; n balls, each held in its own plane through the axis.
// Balls touch both grooves, pressed in by `interference` at the contact angle.
std::string bearing(int n, double angle, double interference, const std::string& inner) {
  const double apart = rho - D / 2.0 + interference / 2.0;  // of the centre of a groove from that of the balls
  const double c = std::cos(angle), s = std::sin(angle);
  std::string text =
      fmt::format(R"(
gravity = [0, 0, 0]
[[body]]
name = "ring"
mass = 2
inertia = [2e-3, 2e-3, 3e-3]
{}
[[geometry]]
name = "inner"
body = "ring"
kind = "groove"
radius = {:.17g}
pitch_radius = {:.17g}
angle = {:.17g}
position = [0, 0, {:.17g}]
[[geometry]]
name = "outer"
kind = "groove"
radius = {:.17g}
pitch_radius = {:.17g}
angle = {:.17g}
position = [0, 0, {:.17g}]
)",
                  inner, rho, pitch + apart * c, pi + angle, apart * s, rho, pitch - apart * c, angle, -apart * s);
  for (int i = 0; i < n; ++i) {
    const double phi = 2.0 * pi * i / n, x = std::cos(phi), y = std::sin(phi);
    text += fmt::format(R"(
[[body]]
name = "ball{0}"
kind = "particle"
mass = 8.4e-3
position = [{1:.17g}, {2:.17g}, 0]
[[geometry]]
name = "round{0}"
body = "ball{0}"
kind = "sphere"
radius = {3:.17g}
[[joint]]
name = "cage{0}"
kind = "point_on_plane"
bodies = ["ground", "ball{0}"]
point = [{1:.17g}, {2:.17g}, 0]
axis = [{4:.17g}, {5:.17g}, 0]
[[contact]]
name = "race{0}"
between = ["round{0}", ["inner", "outer"]]
law = "hertz"
young = {6}
poisson = {7}
)",
                        i, pitch * x, pitch * y, D / 2.0, -y, x, young, poisson);
  }
  return text + "[analysis]\nkind = \"statics\"\n";
}

std::string guide(const std::string& axis, const std::string& force) {
  return fmt::format(
      "[[joint]]\nname = \"guide\"\nkind = \"prismatic\"\nbodies = [\"ground\", \"ring\"]\npoint = [0, 0, 0]\naxis = "
      "\"{}\"\n[[force]]\nname = \"load\"\nkind = \"force\"\nbody = \"ring\"\nforce = {}\n",
      axis, force);
}

// Radially preloaded by an interference u, pushed by F: F = Σ K (u + δ cos φ)₊^{3/2} cos φ. The load of every ball, the
// way of the ring and the frequency of the ring on its balls, in both sets of coordinates, to 2 %.
TEST(ContactBearing, a_preloaded_radial_bearing_shares_its_load_as_hertz_says) {
  const int n = 9;
  const double K = ball_stiffness(0.0), u = 12e-6;
  for (const double F : {500.0, 4000.0, 12000.0}) {
    const auto sum = [&](double way, double power) {
      double all = 0.0;
      for (int i = 0; i < n; ++i) {
        const double c = std::cos(2.0 * pi * i / n), pressed = std::max(0.0, u + way * c);
        all += K * std::pow(pressed, power) * (power == 1.5 ? c : 1.5 * c * c);
      }
      return all;
    };
    double low = 0.0, high = 1e-3;
    for (int k = 0; k < 80; ++k) {
      const double mid = 0.5 * (low + high);
      (sum(mid, 1.5) < F ? low : high) = mid;
    }
    for (const char* coordinates : {"absolute", "joint"}) {
      SCOPED_TRACE(fmt::format("{} N, {}", F, coordinates));
      const std::string text = bearing(n, 0.0, u, guide("x", fmt::format("[{}, 0, 0]", F)));
      const Recorded run = run_text(text, {std::string("solver.coordinates=") + coordinates});
      EXPECT_NEAR(run.last("ring.position")[0], low, 0.02 * low);
      for (int i = 0; i < n; ++i) {
        const double pressed = std::max(0.0, u + low * std::cos(2.0 * pi * i / n)), Q = K * std::pow(pressed, 1.5);
        // Both races carry it.
        EXPECT_NEAR(run.last_value(fmt::format("race{}.normal_force", i)) / 2.0, Q, 0.02 * Q + 1e-3 * F) << i;
      }
    }
    if (u < low) continue;  // balls that carry nothing stand anywhere
    const std::string text = bearing(n, 0.0, u, guide("x", fmt::format("[{}, 0, 0]", F)));
    Simulation simulation(read_study_text(text, "model.toml"));
    ASSERT_TRUE(simulation.find_equilibrium({}).status.ok());
    const EigenModes modes = calc_modes(simulation.linearize({}).motion);
    double least = 1e30;
    for (Eigen::Index i = modes.zeros; i < modes.values.size(); ++i)
      if (modes.values[i].imag() > 0.0) least = std::min(least, modes.values[i].imag());
    // Stiffness goes with K of a ball, the balls themselves add half of their mass: 1.5 %.
    const double omega = std::sqrt(sum(low, 0.5) / (2.0 + 0.25 * n * 8.4e-3));
    EXPECT_NEAR(least, omega, 0.02 * omega);
  }
}

// Angular contact at 40°, free of load as drawn, pushed along the axis: with A, the distance of the centres of the
// grooves, and A′² = (A cos α)² + (A sin α + δ)² the balls are pressed by A′ − A at an angle that grows,
// F = n K (A′ − A)^{3/2} (A sin α + δ)/A′ [A. B. Jones; T. A. Harris, Rolling Bearing Analysis].
TEST(ContactBearing, an_angular_contact_bearing_yields_along_its_axis_as_hertz_says) {
  const int n = 12;
  const double angle = 40.0 * pi / 180.0, A = 2.0 * rho - D, K = ball_stiffness(angle);
  for (const double F : {300.0, 3000.0, 15000.0}) {
    SCOPED_TRACE(F);
    const auto load = [&](double way) {
      const double across = A * std::cos(angle), along = A * std::sin(angle) + way, now = std::hypot(across, along);
      return n * K * std::pow(now - A, 1.5) * along / now;
    };
    double low = 0.0, high = 1e-3;
    for (int k = 0; k < 80; ++k) {
      const double mid = 0.5 * (low + high);
      (load(mid) < F ? low : high) = mid;
    }
    const Recorded run = run_text(bearing(n, angle, 0.0, guide("z", fmt::format("[0, 0, {}]", F))));
    EXPECT_NEAR(run.last("ring.position")[2], low, 0.01 * low);
    const double steeper = std::atan2(A * std::sin(angle) + low, A * std::cos(angle));
    for (int i = 0; i < n; ++i)
      EXPECT_NEAR(run.last_value(fmt::format("race{}.normal_force", i)) / 2.0, F / n / std::sin(steeper), 0.01 * F / n);
  }
}

TEST(ContactBearing, balls_that_do_not_fit_and_what_does_not_roll_are_refused_by_name) {
  const std::string good = bearing(3, 0.0, 0.0, guide("x", "[1, 0, 0]"));
  const auto refused = [&](const std::string& text) -> std::string {
    try {
      read_study_text(text, "model.toml", {});
    } catch (const InputError& error) {
      return error.what();
    }
    return "not refused";
  };
  const std::string large = refused(replace_once(good, fmt::format("kind = \"sphere\"\nradius = {:.17g}", D / 2.0),
                                                 "kind = \"sphere\"\nradius = 0.007"));
  EXPECT_NE(large.find("geometry 'round0' does not fit into geometry 'inner'"), std::string::npos) << large;
  const std::string box = refused(replace_once(good, fmt::format("kind = \"sphere\"\nradius = {:.17g}", D / 2.0),
                                               "kind = \"box\"\nsize = [0.01, 0.01, 0.01]"));
  EXPECT_NE(box.find("nothing but spheres runs in a groove"), std::string::npos) << box;
  const std::string tight = refused(replace_once(good, "pitch_radius = ", "pitch_radius = 0.005 # "));
  EXPECT_NE(tight.find("'pitch_radius' must be larger than 'radius'"), std::string::npos) << tight;
}

}  // namespace
}  // namespace trammel::test_contact_bearing
