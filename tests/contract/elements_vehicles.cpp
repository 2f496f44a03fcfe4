// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "elements_frames.h"
#include "trammel/mechanics/elements/force_group.h"
#include "trammel/mechanics/elements/vehicle_forces.h"

// Forces of vehicles: signs and sizes on paper, and that roads are pushed back.

namespace trammel::testing::test_elements_vehicles {
namespace {

// The car's tyre: coefficients of Chrono's Sedan_Pac02Tire.
const TyreSpec sedan{0.344, 0.33937, 3928.5, 21.92, 2.0012, 1.0489, 1.3507, 22.3, 1.1739, 1.6411, 0.0321, 1.2136, 10.9};
constexpr double stiffness = 2.8e5, damping = 500.0;

/// Frames: 0 the road (ground), 1 the carrier, 2 the wheel, which stands at the height that gives the load.
struct Wheel {
  Random random{1};
  FrameInstant at{random, 2, 0};
  ForceGroup<RollingTyre> group;
  explicit Wheel(double load) {
    RollingTyre::Params params;
    params.s_road = params.center = Eigen::Vector3d::Zero();
    params.axle = params.axle_in_wheel = Eigen::Vector3d::UnitY();
    params.stiffness = stiffness, params.damping = damping;
    params.data = sedan;
    group.add({params, {0, 1, 2}, {}});
    for (int f : {1, 2}) {
      at.frames[f].R.setIdentity();
      at.frames[f].p = {0, 0, sedan.free_radius - load / stiffness};
      at.frames[f].v = {20, 0, 0};
      at.frames[f].w.setZero();
    }
    at.frames[2].w.y() = 20.0 / sedan.rolling_radius;
  }
  std::vector<Wrench<double>> forces() const { return wrenches(group, at); }
};

TEST(Tyre, carries_its_load_and_nothing_else_when_it_rolls_freely) {
  const std::vector<Wrench<double>> w = Wheel(4000).forces();
  EXPECT_NEAR((w[1].force - Eigen::Vector3d(0, 0, 4000)).norm(), 0.0, 1e-6);
  EXPECT_NEAR(w[1].moment.norm(), 0.0, 1e-6);
  EXPECT_NEAR(w[2].moment.norm(), 0.0, 1e-6);
  EXPECT_NEAR((w[0].force + w[1].force).norm(), 0.0, 1e-9);
}

// 70 kN/rad at 4 kN; it slides to the left and is pushed to the right, with a moment that turns the wheel back.
TEST(Tyre, has_the_cornering_stiffness_of_its_data) {
  Wheel wheel(4000);
  const double alpha = 1e-4;
  for (int f : {1, 2}) wheel.at.frames[f].v.y() = 20.0 * std::tan(alpha);
  const std::vector<Wrench<double>> w = wheel.forces();
  const double K_y = 21.92 * 3928.5 * std::sin(2.0 * std::atan(4000.0 / (2.0012 * 3928.5)));
  EXPECT_NEAR(K_y, 7.0e4, 1.5e3);
  EXPECT_NEAR(w[1].force.y(), -K_y * alpha, 1e-3 * K_y * alpha);
  EXPECT_NEAR(w[1].moment.z(), 0.0321 * 4000.0 / 3928.5 * K_y * alpha, 1e-3 * K_y * alpha);
}

// K_x = 22.3 F_z; a wheel that spins faster than it rolls drives, and loses R_e F_x.
TEST(Tyre, drives_by_slip) {
  Wheel wheel(4000);
  const double kappa = 1e-4;
  wheel.at.frames[2].w.y() *= 1.0 + kappa;
  const std::vector<Wrench<double>> w = wheel.forces();
  EXPECT_NEAR(w[1].force.x(), 22.3 * 4000 * kappa, 1e-3 * 22.3 * 4000 * kappa);
  EXPECT_NEAR(w[2].moment.y(), -sedan.rolling_radius * w[1].force.x(), 1e-9);
  // Carrier: F_x at the contact point, ℓ below, and the opposite of the wheel's torque.
  const double radius = sedan.free_radius - 4000 / stiffness;
  EXPECT_NEAR(w[1].moment.y(), (sedan.rolling_radius - radius) * w[1].force.x(), 1e-6);
}

TEST(Tyre, never_pulls_and_is_damped) {
  Wheel wheel(4000);
  wheel.at.frames[1].v.z() = -0.1;
  EXPECT_NEAR(wheel.forces()[1].force.z(), 4000 + 0.1 * damping, 1e-6);
  wheel.at.frames[1].p.z() = 0.35;
  EXPECT_EQ(wheel.forces()[1].force.norm(), 0.0);
}

// Forces and moments of all frames balance, wherever they are: tyres take nothing from nowhere.
TEST(Tyre, pushes_its_road_back) {
  for (unsigned seed = 1; seed < 6; ++seed) {
    Random random(seed);
    FrameInstant at(random, 4, 0, 0.4);
    ForceGroup<RollingTyre> rolling;
    ForceGroup<StandingTyre> standing;
    const TyreSpec data{10.0, 0.4, 30.0, 5.0, 2.0, 1.05, 1.35, 6.0, 1.17, 1.64, 0.2, 1.2, 2.0};
    rolling.add({{random.vector(), Eigen::Vector3d::UnitY(), random.vector(), Eigen::Vector3d::UnitY(), 4.0, 0.1, data},
                 {1, 2, 3},
                 {}});
    standing.add({{random.vector(), Eigen::Vector3d::UnitY(), random.vector(), 4.0, 0.1, 10.0, 3.0, 0.2}, {1, 2}, {}});
    const Sum of_standing = total(wrenches(standing, at), at);
    EXPECT_GT(of_standing.size, 1.0);
    EXPECT_LE(of_standing.force.norm(), 1e-13 * (1.0 + of_standing.size));
    EXPECT_LE(of_standing.moment.norm(), 1e-13 * (1.0 + of_standing.size));
    // The wheel's axle must be its carrier's for the torques to balance.
    at.frames[3].R = at.frames[2].R;
    const Sum of_rolling = total(wrenches(rolling, at), at);
    EXPECT_GT(of_rolling.size, 1.0);
    EXPECT_LE(of_rolling.force.norm(), 1e-13 * (1.0 + of_rolling.size));
    EXPECT_LE(of_rolling.moment.norm(), 1e-13 * (1.0 + of_rolling.size));
  }
}

// 1.8e7 (|y| − 0.025)² beyond a play of 25 mm, as between a carriage and its bogie.
TEST(BumpStop, acts_beyond_its_play_and_never_pulls) {
  BumpStop::Params params;
  params.x.type = RelativeCoordinate::Type::displacement;
  params.x.a3 = Eigen::Vector3d::UnitY();
  params.quadratic = 1.8e7, params.damping = 1000, params.lower = -0.025, params.upper = 0.025;
  ForceGroup<BumpStop> group;
  group.add({params, {0, 1}, {}});
  Random random(1);
  FrameInstant at(random, 1, 0);
  at.frames[1].R.setIdentity();
  at.frames[1].w.setZero();
  const auto push = [&](double y, double rate) {
    at.frames[1].p = {0, y, 0}, at.frames[1].v = {0, rate, 0};
    return wrenches(group, at)[1].force.y();
  };
  EXPECT_EQ(push(0.0249, 3.0), 0.0);
  EXPECT_NEAR(push(0.035, 0.0), -1800.0, 1e-9);
  EXPECT_NEAR(push(-0.035, 0.0), 1800.0, 1e-9);
  EXPECT_NEAR(push(0.035, 0.5), -2300.0, 1e-9);
  EXPECT_EQ(push(0.035, -5.0), 0.0);
}

// Two arms on one body: what one gets, the other gives, and the body in between gets the difference of both.
TEST(AntiRollBar, resists_the_difference_of_two_angles) {
  AntiRollBar::Params params;
  for (RelativeCoordinate& x : params.x) x.type = RelativeCoordinate::Type::angle;
  params.stiffness = 500;
  ForceGroup<AntiRollBar> group;
  group.add({params, {1, 2, 1, 3}, {-1, -1}});
  Random random(1);
  FrameInstant at(random, 3, 0);
  for (int f : {1, 2, 3}) at.frames[f].R.setIdentity();
  at.frames[2].R = exp_so3(Vec3<double>(0, 0, 0.03));
  at.frames[3].R = exp_so3(Vec3<double>(0, 0, 0.01));
  const std::vector<Wrench<double>> w = wrenches(group, at);
  EXPECT_NEAR(w[2].moment.z(), -10.0, 1e-9);
  EXPECT_NEAR(w[3].moment.z(), 10.0, 1e-9);
  EXPECT_NEAR(w[1].moment.norm(), 0.0, 1e-9);
}

}  // namespace
}  // namespace trammel::testing::test_elements_vehicles
