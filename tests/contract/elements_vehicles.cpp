// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "elements_frames.h"
#include "trammel/mechanics/elements/force_group.h"
#include "trammel/mechanics/elements/vehicle_forces.h"

// Forces of vehicles: signs and sizes on paper.

namespace trammel::testing::test_elements_vehicles {
namespace {

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
