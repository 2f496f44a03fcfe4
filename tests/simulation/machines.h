// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "trammel/io/model_reader.h"
#include "trammel/simulation/simulation.h"

namespace trammel::testing {

/// Three links in space, hinged about different axes and driven at the first; a spring, a damped joint, a filter and a
/// force that follows it. Nothing about it is special.
inline const std::string arm = R"toml(
title = "arm"
[[repeat]]
count = 3
[[repeat.body]]
name = "link_{i}"
mass = "1 + 0.2*i"
inertia = [0.02, 0.1, 0.11]
position = ["i + 0.5", 0, 0]
[[joint]]
name = "shoulder"
kind = "revolute"
bodies = ["ground", "link_0"]
point = [0, 0, 0]
axis = "z"
[[joint]]
name = "elbow"
kind = "revolute"
bodies = ["link_0", "link_1"]
point = [1, 0, 0]
axis = "y"
[[joint]]
name = "wrist"
kind = "universal"
bodies = ["link_1", "link_2"]
point = [2, 0, 0]
axis = "y"
axis_b = "z"
[[motion]]
name = "drive"
joint = "shoulder"
function = "0.5*sin(2*t)"
[[force]]
name = "spring"
kind = "spring_damper"
point_a = [3, 0, 1]
point_b = {body = "link_2", at = [0.5, 0, 0]}
stiffness = 20
damping = 0.2
[[force]]
name = "damper"
kind = "joint_spring"
joint = "elbow"
damping = 0.1
[[control]]
name = "filter"
kind = "filter"
input = "elbow.angle_rate"
time_constant = 0.1
[[force]]
name = "brake"
kind = "force"
body = "link_1"
force = [0, 0, "-0.5*filter - 0.01*shoulder.force"]
[analysis]
end = 0.4
[solver]
h = 2e-3
)toml";

inline void expect_same_bits(const MotionVariables& a, const MotionVariables& b) {
  EXPECT_EQ(a.t, b.t);
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.v, b.v);
  EXPECT_EQ(a.a, b.a);
  EXPECT_EQ(a.z, b.z);
  EXPECT_EQ(a.zp, b.zp);
  EXPECT_EQ(a.lam, b.lam);
}

inline Study study_of(const std::string& text, const std::vector<std::string>& settings = {}) {
  return read_study_text(text, "machine.toml", settings);
}

}  // namespace trammel::testing
