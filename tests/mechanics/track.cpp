// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/track.h"

#include <gtest/gtest.h>

#include <numbers>

#include "trammel/mechanics/elements/creep.h"
#include "trammel/mechanics/elements/wheel_profile.h"
#include "trammel/mechanics/elements/wheel_rail.h"

// Railway lines, wheels on rails and creep forces, by themselves, against the figures of the carriage's specification.

namespace trammel {
namespace {

// A crossover like a turnout 1:18.5 with R = 1200 m, and a smooth S.
Track crossover() {
  const double k = 1.0 / 1200.0;
  return {-20.0, 420.0, {{50.0, 4.0, k}, {114.8, 4.0, -k}, {124.1, 4.0, -k}, {188.9, 4.0, k}}};
}
Track smooth_s() { return {-20.0, 480.0, {}, {{40.0, 256.0, 1.0 / 1500.0}}}; }
std::shared_ptr<const Track> straight() { return std::make_shared<Track>(-10.0, 10.0, std::vector<Track::Ramp>{}); }

TEST(Track, LinesLeadToTheParallelTrack) {
  const Track a = crossover(), b = smooth_s();
  double steepest = 0.0;
  for (double s = 0.0; s < 400.0; s += 0.1) steepest = std::max(steepest, a.heading(s));
  EXPECT_NEAR(steepest, 0.0540, 5e-5);
  EXPECT_NEAR(a.at(400.0).y, 4.0003, 5e-5);
  EXPECT_NEAR(a.heading(400.0), 0.0, 1e-15);
  EXPECT_NEAR(b.at(400.0).y, 4.014, 5e-4);
  EXPECT_NEAR(b.heading(400.0), 0.0, 1e-15);
  EXPECT_DOUBLE_EQ(a.at(0.0).x, 0.0);
  EXPECT_DOUBLE_EQ(a.at(-15.0).x, -15.0);
  EXPECT_DOUBLE_EQ(a.at(-15.0).y, 0.0);
}

// C′ = (cos Θ, sin Θ), Θ′ = κ, κ′ and κ″: differences of fourth order, whose error is 1e-12 at this step.
TEST(Track, DerivativesAreThoseOfTheCurve) {
  constexpr double h = 1e-3;
  for (const Track& track : {crossover(), smooth_s()})
    for (double s = 45.0; s < 200.0; s += 0.773) {
      const auto rate = [&](double Track::Point::*member) {
        const auto f = [&](double x) { return track.at(x).*member; };
        return (8.0 * (f(s + h) - f(s - h)) - (f(s + 2.0 * h) - f(s - 2.0 * h))) / (12.0 * h);
      };
      const Track::Point p = track.at(s);
      EXPECT_NEAR(rate(&Track::Point::x), std::cos(p.heading), 1e-10);
      EXPECT_NEAR(rate(&Track::Point::y), std::sin(p.heading), 1e-10);
      EXPECT_NEAR(rate(&Track::Point::heading), p.kappa, 1e-11);
      EXPECT_NEAR(rate(&Track::Point::kappa), p.dkappa, 1e-9);
      EXPECT_NEAR(rate(&Track::Point::dkappa), p.ddkappa, 1e-9);
    }
}

TEST(Track, TheFootOfAPointIsItsOwnSection) {
  const Track track = crossover();
  for (double s = -18.0; s < 418.0; s += 1.37)
    for (const double y : {-1.5, 0.0, 0.7}) {
      const Track::Point p = track.at(s);
      const Track::Point foot = track.foot(p.x - y * p.sine, p.y + y * p.cosine);
      EXPECT_NEAR(foot.s, s, 1e-11);
    }
}

// A wheelset on a straight track at (y, z, φ, ψ).
template <class S = double>
Frame<S> wheelset(double y, double z, double roll, double yaw) {
  Frame<double> f;
  const Mat3<double> Rz = exp_so3(Vec3<double>(0.0, 0.0, yaw)), Rx = exp_so3(Vec3<double>(roll, 0.0, 0.0));
  f.R = Rz * Rx;
  f.p = Vec3<double>(1.0, y, 0.46 + z);
  f.v = Vec3<double>(25.0, 0.0, 0.0), f.w = Vec3<double>(0.0, 25.0 / 0.46, 0.0);
  return f;
}

WheelRail cone(double side, double conicity) {
  WheelRail wheel;
  wheel.track = straight();
  wheel.side = side;
  wheel.conicity = conicity;
  return wheel;
}

WheelRail profile(double side) {
  WheelRail wheel;
  wheel.track = straight();
  wheel.side = side;
  use_profile(wheel);
  return wheel;
}

// The distance found by brute force in three dimensions.
TEST(WheelRail, GapOfACone) {
  const WheelContact<double> k = calc_wheel_contact(cone(1.0, 0.05), wheelset(3e-3, -0.2e-3, 1.5e-3, 8e-3));
  EXPECT_NEAR(-k.phi, 0.73538994e-3, 1e-11);
}

TEST(WheelRail, RowsOfAConeInTheMiddle) {
  for (const double side : {1.0, -1.0}) {
    const Frame<double> f = wheelset(0.0, 0.0, 0.0, 0.0);
    const WheelContact<double> k = calc_wheel_contact(cone(side, 0.05), f);
    const FrameRow<double> row = calc_wheel_row(k, f);
    EXPECT_NEAR(k.phi, 0.0, 1e-15);
    EXPECT_NEAR(row.force.x(), 0.0, 1e-15);
    EXPECT_NEAR(row.force.y(), side * 0.04993762, 1e-8);
    EXPECT_NEAR(row.force.z(), -0.99875234, 1e-8);
    EXPECT_NEAR(row.moment.x(), -side * 0.72609295, 1e-8);
    EXPECT_NEAR(row.moment.y(), 0.0, 1e-15);
    EXPECT_NEAR(row.moment.z(), 0.0, 1e-15);
    EXPECT_NEAR(k.rolling_radius, 0.46, 1e-15);
  }
}

// Wheels on both rails at a lateral position: z and φ from Φ = 0 of both.
std::pair<WheelContact<double>, WheelContact<double>> on_both_rails(const WheelRail& left, const WheelRail& right,
                                                                    double y) {
  Eigen::Vector2d x(0.0, 0.0);
  for (int i = 0; i < 30; ++i) {
    const Frame<double> f = wheelset(y, x[0], x[1], 0.0);
    const WheelContact<double> a = calc_wheel_contact(left, f), b = calc_wheel_contact(right, f);
    Eigen::Matrix2d J;
    J << a.phi_z, calc_wheel_row(a, f).moment.x(), b.phi_z, calc_wheel_row(b, f).moment.x();
    x -= J.inverse() * Eigen::Vector2d(a.phi, b.phi);
  }
  const Frame<double> f = wheelset(y, x[0], x[1], 0.0);
  return {calc_wheel_contact(left, f), calc_wheel_contact(right, f)};
}

// λ_e = λ (b₀ + r_R λ)/(b₀ − r₀ λ)
TEST(WheelRail, EffectiveConicityOfACone) {
  for (const auto& [conicity, effective] : {std::pair(0.05, 0.05261), std::pair(0.10, 0.1108)}) {
    constexpr double y = 1e-4;
    const auto [left, right] = on_both_rails(cone(1.0, conicity), cone(-1.0, conicity), y);
    EXPECT_NEAR((left.rolling_radius - right.rolling_radius) / (2.0 * y), effective, 5e-5);
  }
}

TEST(WheelProfile, PartsOfTheWheelMeet) {
  for (const double S : {32.15796, -26.0, -35.0, -38.426669071}) {
    double above = 0.0, below = 0.0;
    const double F_above = WheelProfileTable::wheel(S + 1e-9, above),
                 F_below = WheelProfileTable::wheel(S - 1e-9, below);
    EXPECT_NEAR(F_above, F_below, 1.5e-4);
    EXPECT_NEAR(above, below, 2e-4) << S;
  }
}

// Gauge 1435 mm, 14 mm below the top, by the arc of 13 mm (which the tangent of 75° leaves shortly before).
TEST(WheelProfile, TheRailHasItsGauge) {
  const WheelProfileTable& table = WheelProfileTable::instance();
  double slope = 0.0;
  const double w = 0.034, h = table.rail(w, slope), angle = -std::atan(slope);
  const double center_w = w - 0.013 * std::sin(angle), center_h = h - 0.013 * std::cos(angle);
  const double d = WheelProfileTable::rail_offset - 0.7175 - center_w;
  EXPECT_NEAR(center_h + std::sqrt(0.013 * 0.013 - d * d), -0.014, 1e-7);
  double highest = -1.0;
  for (double x = -0.03; x < 0.03; x += 1e-5) {
    const double height = table.rail(x, slope);
    highest = std::max(highest, height);
    EXPECT_NEAR(height, table.quick_rail(x), 3e-5);
    double unused = 0.0;
    const double ahead = (table.rail(x + 1e-7, unused) - table.rail(x - 1e-7, unused)) / 2e-7;
    EXPECT_NEAR(ahead, slope, 1e-3 * (1.0 + slope * slope));
  }
  EXPECT_NEAR(highest, 0.0, 1e-9);
}

TEST(WheelRail, ProfileInTheMiddle) {
  const WheelRail wheel = profile(1.0);
  EXPECT_NEAR(wheel.soft_zero, 1.587127e-4, 5e-10);
  const WheelContact<double> k = calc_wheel_contact(wheel, wheelset(0.0, 0.0, 0.0, 0.0));
  EXPECT_NEAR(k.phi, 0.0, 1e-15);
  EXPECT_NEAR(std::atan2(k.n.y(), -k.n.z()) * 180.0 / std::numbers::pi, 1.84, 5e-3);
  EXPECT_NEAR(k.rolling_radius, 0.459997, 5e-7);
}

// Rolling radii on both rails (y in mm: R_L − R_R in mm).
TEST(WheelRail, ProfileAcrossTheTrack) {
  const WheelRail left = profile(1.0), right = profile(-1.0);
  for (const auto& [y, difference] :
       {std::pair(1.0, 0.501), std::pair(2.0, 0.757), std::pair(3.0, 0.957), std::pair(4.0, 1.193),
        std::pair(5.0, 2.016), std::pair(5.5, 4.035), std::pair(6.0, 4.696)}) {
    const auto [a, b] = on_both_rails(left, right, 1e-3 * y);
    EXPECT_NEAR(1e3 * (a.rolling_radius - b.rolling_radius), difference, 1.5e-3) << y;
  }
}

// Rows are the gradient of Φ, off the manifold and within a curve, for both profiles.
TEST(WheelRail, RowsAreTheGradient) {
  for (WheelRail wheel : {cone(1.0, 0.1), cone(-1.0, 0.1), profile(1.0), profile(-1.0)}) {
    wheel.track = std::make_shared<Track>(crossover());
    for (int i = 0; i < 20; ++i) {
      const double s = 50.3 + 0.35 * i, y = 4e-3 * std::sin(1.7 * i);
      const Track::Point c = wheel.track->at(s);
      Frame<double> f =
          wheelset(0.0, 1e-4 * std::cos(2.3 * i), 2e-3 * std::sin(0.9 * i), c.heading + 5e-3 * std::cos(i));
      f.R = f.R * exp_so3(Vec3<double>(0.0, 0.7 * i, 0.0));
      f.p.x() = c.x - y * c.sine, f.p.y() = c.y + y * c.cosine;
      const FrameRow<double> row = calc_wheel_row(calc_wheel_contact(wheel, f), f);
      const WheelContact<Dual<6>> k = calc_wheel_contact(wheel, seed_position(f));
      for (int j = 0; j < 3; ++j) {
        EXPECT_NEAR(row.force[j], k.phi.d[j], 1e-12);
        EXPECT_NEAR(row.moment[j], k.phi.d[3 + j], 1e-12);
      }
      // Neither the way along the track nor a turn about the axle matters.
      EXPECT_NEAR(row.moment.y(), 0.0, 1e-12);
      const Vec3<double> x_T(c.cosine, c.sine, 0.0);
      const Vec3<double> turn = rotate_back(f.R, Vec3<double>(0.0, 0.0, c.kappa));
      EXPECT_NEAR(row.force.dot(x_T) * (1.0 - c.kappa * y) + row.moment.dot(turn), 0.0, 1e-12);
    }
  }
}

TEST(Creep, HertzAndKalker) {
  constexpr double N0 = 54546.05;
  const HertzContact contact = calc_hertz_contact(N0, 0.46, 0.30, 2.1e11, 0.27);
  EXPECT_NEAR(contact.a, 5.888e-3, 5e-7);
  EXPECT_NEAR(contact.b, 4.429e-3, 5e-7);
  EXPECT_NEAR(contact.pressure, 999e6, 0.5e6);
  const double kalker[4] = {4.515, 4.127, 1.861, 1.00};
  const CreepLaw law = make_creep_law(25.0, 0.3, N0, 0.46, 0.30, 2.1e11, 0.27, kalker);
  EXPECT_NEAR(law.f11, 9.7348e6, 3e3);
  EXPECT_NEAR(law.f22, 8.8976e6, 3e3);
  EXPECT_NEAR(law.f23, 2.04914e4, 1e1);
  EXPECT_NEAR(law.f33, 56.2, 0.05);
}

// Linear for small creepages, bounded by μN, continuous with two derivatives where the bound is reached.
TEST(Creep, ForcesSaturate) {
  const double kalker[4] = {4.515, 4.127, 1.861, 1.00};
  const CreepLaw law = make_creep_law(25.0, 0.3, 5e4, 0.46, 0.30, 2.1e11, 0.27, kalker);
  const auto pull = [&](double xi) { return -calc_creep_forces(law, xi, 0.0, 0.0, 5e4).Fx; };
  EXPECT_NEAR(pull(1e-9), law.f11 * 1e-9, 1e-6 * law.f11 * 1e-9);
  EXPECT_NEAR(pull(0.5), 0.3 * 5e4, 1e-9);
  const double full = 3.0 * 0.3 * 5e4 / law.f11, h = 1e-4 * full;  // ε = 3
  EXPECT_NEAR(pull(full * (1.0 + 1e-12)), pull(full * (1.0 - 1e-12)), 1e-6);
  const double bend_before = (pull(full) - 2.0 * pull(full - h) + pull(full - 2.0 * h)) / (h * h);
  EXPECT_NEAR(bend_before * full * full / pull(full), 0.0, 1e-3);
  // Half the load: r^{2/3}, r and r^{4/3}.
  const CreepForces<double> half = calc_creep_forces(law, 1e-9, 0.0, 0.0, 2.5e4);
  EXPECT_NEAR(half.Fx, -law.f11 * 1e-9 * std::pow(0.5, 2.0 / 3.0), 1e-8);
  EXPECT_NEAR(calc_creep_forces(law, 0.0, 0.0, 1e-9, 2.5e4).Fy, -law.f23 * 1e-9 * 0.5, 1e-9);
}

}  // namespace
}  // namespace trammel
