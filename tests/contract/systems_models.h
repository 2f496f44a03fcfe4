// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

// Models for the contract of systems: they are assembled, never simulated, so their joints need not fit each other.
namespace trammel::testing {

/// Every kind of body and of joint, couplers, motions, explicit coordinates.
inline const std::string every_joint = R"toml(
gravity = [0.3, -0.2, -9.81]
[[repeat]]
start = 1
count = 6
[[repeat.body]]
name = "b{i}"
mass = "1 + 0.3*i"
inertia = ["0.5 + 0.1*i", 0.7, 0.6, 0.05, -0.02, 0.03]
center_of_mass = [0.1, -0.2, 0.05]
position = ["0.7*i", "0.4*i^2/3", "-0.3*i"]
axis_angle = {axis = [1, 2, 3], angle = "0.3*i"}
[[body]]
name = "p1"
kind = "planar"
normal = [1, 2, 2]
mass = 1.5
inertia = 0.4
position = [0.2, 0.1, 0.5]
[[body]]
name = "p2"
kind = "planar"
normal = [1, 2, 2]
mass = 2
inertia = 0.3
center_of_mass = [0.2, 0, 0]
position = [2.2, 0.1, -0.5]
[[body]]
name = "dot"
kind = "particle"
mass = 0.8
position = [1, 1, 1]
[[coordinate]]
name = "turn"
value = 0.2
[[coordinate]]
name = "slide"

[[joint]]
name = "spherical"
kind = "spherical"
bodies = ["b1", "b2"]
point = [1, 0.5, -0.2]
[[joint]]
name = "revolute"
kind = "revolute"
bodies = ["ground", "b1"]
point = [0.2, 0.5, -0.2]
axis = [1, 0.2, 0.5]
coordinate = "turn"
[[joint]]
name = "prismatic"
kind = "prismatic"
bodies = ["b2", "b3"]
point = [0.2, 0.5, -0.2]
axis = [1, 0.2, 0.5]
[[joint]]
name = "cylindrical"
kind = "cylindrical"
bodies = ["b3", "b4"]
point = [0.2, 0.5, -0.2]
axis = [0, 1, 0.5]
[[joint]]
name = "universal"
kind = "universal"
bodies = ["b4", "b5"]
point = [0.2, 0.5, -0.2]
axis = "x"
axis_b = "y"
[[joint]]
name = "planar"
kind = "planar"
bodies = ["ground", "b5"]
point = [0.2, 0.5, -0.2]
axis = "z"
[[joint]]
name = "fixed"
kind = "fixed"
bodies = ["b5", "b6"]
point = [0.2, 0.5, -0.2]
[[joint]]
name = "screw"
kind = "screw"
bodies = ["b1", "b6"]
point = [0.2, 0.5, -0.2]
axis = [0, 1, 1]
pitch = 0.7
[[joint]]
name = "line"
kind = "point_on_line"
bodies = ["b2", "b6"]
point = [0.2, 0.5, -0.2]
axis = [0, 1, 1]
[[joint]]
name = "plane"
kind = "point_on_plane"
bodies = ["b3", "b6"]
point = [0.2, 0.5, -0.2]
axis = [0, 1, 1]
[[joint]]
name = "rod"
kind = "distance"
bodies = ["b4", "dot"]
point = [0.2, 0.5, -0.2]
point_b = [1, 1, 1]
[[joint]]
name = "orientation"
kind = "constant_orientation"
bodies = ["b2", "b5"]
[[joint]]
name = "ball"
kind = "rolling_sphere"
bodies = ["ground", "b2"]
point = [0, 0, 0]
axis = "z"
radius = 0.4
[[joint]]
name = "disc"
kind = "rolling_disc"
bodies = ["b1", "b3"]
point = [0, 0, 0]
axis = "z"
axis_b = "y"
radius = 0.4
[[joint]]
name = "blade"
kind = "knife_edge"
bodies = ["b1", "b4"]
point = [0.3, 0.2, 0.1]
axis_b = [1, 1, 0]
[[joint]]
name = "pin"
kind = "revolute"
bodies = ["p1", "p2"]
point = [1, 0.5, 0]
[[joint]]
name = "slot"
kind = "prismatic"
bodies = ["ground", "p2"]
point = [0, 0, 0]
axis = [2, 0, -1]
[[joint]]
name = "wire"
kind = "distance"
bodies = ["p1", "dot"]
point = [0, 0, 0]
point_b = [1, 1, 1]

[[coupler]]
name = "gear"
terms = [{joint = "revolute", factor = 2}, {joint = "cylindrical", coordinate = "angle", factor = -1}]
[[coupler]]
name = "three"
terms = [{joint = "revolute"}, {joint = "cylindrical", coordinate = "displacement", factor = -1}, {joint = "slide", factor = 0.5}]
value = "sin(3*t)"
[[coupler]]
name = "speed"
kind = "speed_coupler"
terms = [{joint = "revolute", factor = 2}, {joint = "pin", factor = -1}]
value = "cos(t)"
[[coupler]]
name = "speed3"
kind = "speed_coupler"
terms = [{joint = "slide", factor = 2}, {joint = "pin", factor = -1}, {joint = "prismatic", factor = 0.3}]
[[motion]]
name = "drive"
joint = "revolute"
function = "0.3*sin(2*t)"
[[motion]]
name = "push"
joint = "slide"
function = "t^3"
[[motion]]
name = "spin"
joint = "pin"
velocity = "1 + t"
)toml";

/// Every kind of force; formulas of positions, velocities, multipliers, states; controls of every kind.
inline const std::string every_force = R"toml(
gravity = [0.3, -0.2, -9.81]
[[repeat]]
start = 1
count = 4
[[repeat.body]]
name = "b{i}"
mass = "1 + 0.3*i"
inertia = ["0.5 + 0.1*i", 0.7, 0.6, 0.05, -0.02, 0.03]
center_of_mass = [0.1, -0.2, 0.05]
position = ["0.7*i", "0.4*i^2/3", "-0.3*i"]
axis_angle = {axis = [1, 2, 3], angle = "0.2*i"}
[[body]]
name = "p1"
kind = "planar"
normal = [1, 2, 2]
mass = 1.5
inertia = 0.4
position = [0.2, 0.1, 0.5]
[[body]]
name = "p2"
kind = "planar"
normal = [1, 2, 2]
mass = 2
inertia = 0.3
position = [2.2, 0.1, -0.5]
[[body]]
name = "dot"
kind = "particle"
mass = 0.8
position = [1, 1, 1]
[[coordinate]]
name = "stretch"
value = 0.2
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "b1"]
point = [0.2, 0.5, -0.2]
axis = [1, 0.2, 0.5]
[[joint]]
name = "rail"
kind = "cylindrical"
bodies = ["b1", "b2"]
point = [0.2, 0.5, -0.2]
axis = [0, 1, 0.5]
[[joint]]
name = "nut"
kind = "screw"
bodies = ["b2", "b3"]
point = [0.2, 0.5, -0.2]
axis = [0, 1, 0.5]
pitch = 0.5
[[motion]]
name = "drive"
joint = "hinge"
function = "0.3*sin(2*t)"

[[force]]
name = "wind"
kind = "force"
body = "b2"
body_a = "b3"
point = {body = "b2", at = [0.1, 0.2, 0.3]}
force = ["2*t - b1.x*b2.vy", "tip.vx*tip.z + filter", "abs_v*dot.vx"]
[[force]]
name = "thrust"
kind = "force"
body = "b3"
in_body_axes = true
force = ["b3.wx*b3.y", "0.4*hinge.angle_rate*rail.angle", "0.3*rail.displacement"]
[[force]]
name = "torque"
kind = "torque"
body = "b4"
body_a = "b1"
torque = ["sin(b4.x)", "stretch*stretch.rate", "gap.rate*gap"]
[[force]]
name = "spin"
kind = "torque"
body = "b4"
in_body_axes = true
torque = ["b4.wx*b4.wy", "cos(b4.z)", 1]
[[force]]
name = "spring"
kind = "spring_damper"
point_a = {body = "b1", at = [0.3, 0.1, 0]}
point_b = {body = "b4", at = [0, -0.4, 0.2]}
stiffness = 30
damping = 3
free_length = 0.4
preload = 2
[[force]]
name = "law"
kind = "spring_damper"
point_a = {body = "p1", at = [0.3, 0.1, 0]}
point_b = {body = "dot", at = [0, 0, 0]}
law = "-20*(length - 0.3)^3 - 0.4*rate*length + pid"
[[force]]
name = "torsion"
kind = "torsion_spring"
bodies = ["b3", "b4"]
axis = [1, 1, 0]
stiffness = 5
damping = 0.3
free_angle = 0.1
[[force]]
name = "torsion_law"
kind = "torsion_spring"
bodies = ["p1", "p2"]
axis = [1, 2, 2]
law = "-4*angle^3 - 0.2*rate"
[[force]]
name = "bushing"
kind = "bushing"
bodies = ["b2", "b4"]
point = [1.5, 0.6, -0.8]
axis = [0, 1, 1]
K = [100, 110, 120, 10, 11, 12]
C = [1, 2, 3, 0.1, 0.2, 0.3]
[[force]]
name = "printed"
kind = "bushing"
bodies = ["ground", "b4"]
point = [1.5, 0.6, -0.8]
angles = "printed"
K = [100, 110, 120, 10, 11, 12]
C = [1, 2, 3, 0.1, 0.2, 0.3]
[[force]]
name = "flat"
kind = "planar_bushing"
bodies = ["p1", "p2"]
point = [1, 0.2, 0.1]
K = [100, 110, 20]
C = [1, 2, 3]
[[force]]
name = "return"
kind = "joint_spring"
joint = "hinge"
stiffness = 7
damping = 0.4
[[force]]
name = "scalar"
kind = "joint_spring"
joint = "stretch"
stiffness = 7
damping = 0.4
[[force]]
name = "stop"
kind = "joint_limit"
joint = "rail"
coordinate = "displacement"
lower = 50
stiffness = 70
damping = 0.4
[[force]]
name = "friction"
kind = "joint_spring"
joint = "rail"
coordinate = "displacement"
law = "-0.2*hinge.force*tanh(rate) - 0.1*hinge.moment - 0.05*nut.fx*nut.my - 0.1*drive.effort"
[[control]]
name = "filter"
kind = "filter"
input = "b1.x*b2.vz + hinge.angle"
time_constant = 0.2
[[control]]
name = "pid"
kind = "pid"
input = "sin(t) - hinge.angle"
kp = 3
ki = 2
kd = 0.5
derivative_time = 0.1
[[control]]
name = "user"
kind = "ode"
states = ["x", "y"]
rates = ["y*y - hinge.fx*gap.rate", "x*y + nut.mz - p1.vx + drive.effort"]
algebraic = [false, true]
initial = [0.1, 0.2]
output = "x*y + stretch"
[[force]]
name = "controlled"
kind = "torque"
body = "p2"
torque = ["user", "user.y*p2.wz", "user.x^2"]
[[measure]]
name = "gap"
kind = "distance"
point_a = {body = "b1", at = [0, 0, 0.1]}
point_b = {body = "dot", at = [0, 0, 0]}
[[measure]]
name = "tip"
kind = "point"
point = {body = "b3", at = [0.4, 0, 0.1]}
[[measure]]
name = "abs_v"
expression = "sqrt(b1.vx^2 + b2.vy^2 + 1)*user"
)toml";

/// A branched tree with every joint that becomes coordinates, some of them seen from their outer side or driven, a
/// loop, a free body with a branch of its own, and forces between branches.
inline const std::string every_tree_joint = R"toml(
gravity = [0.3, -0.2, -9.81]
[[repeat]]
start = 1
count = 12
[[repeat.body]]
name = "b{i}"
mass = "1 + 0.3*i"
inertia = ["0.5 + 0.05*i", 0.7, 0.6, 0.05, -0.02, 0.03]
center_of_mass = [0.1, -0.2, 0.05]
position = ["0.7*i", "0.4*i^2/3", "-0.3*i"]
axis_angle = {axis = [1, 2, 3], angle = "0.3*i"}
[[joint]]
name = "spherical"
kind = "spherical"
bodies = ["ground", "b1"]
point = [1, 0.5, -0.2]
[[joint]]
name = "revolute"
kind = "revolute"
bodies = ["b2", "b1"]
point = [0.2, 0.5, -0.2]
axis = [1, 0.2, 0.5]
[[joint]]
name = "prismatic"
kind = "prismatic"
bodies = ["b3", "b2"]
point = [0.2, 0.5, -0.2]
axis = [1, 0.2, 0.5]
[[joint]]
name = "cylindrical"
kind = "cylindrical"
bodies = ["b4", "b1"]
point = [0.2, 0.5, -0.2]
axis = [0, 1, 0.5]
[[joint]]
name = "universal"
kind = "universal"
bodies = ["b4", "b5"]
point = [0.2, 0.5, -0.2]
axis = "x"
axis_b = "y"
[[joint]]
name = "universal_reversed"
kind = "universal"
bodies = ["b6", "b5"]
point = [0.2, 0.5, -0.2]
axis = "x"
axis_b = "z"
[[joint]]
name = "planar"
kind = "planar"
bodies = ["b7", "b6"]
point = [0.2, 0.5, -0.2]
axis = [1, 0, 2]
[[joint]]
name = "screw"
kind = "screw"
bodies = ["b1", "b8"]
point = [0.2, 0.5, -0.2]
axis = [1, 0, 2]
pitch = 0.3
[[joint]]
name = "fixed"
kind = "fixed"
bodies = ["b8", "b9"]
[[joint]]
name = "driven"
kind = "revolute"
bodies = ["b9", "b10"]
point = [0.2, 0.5, -0.2]
axis = [1, 0.2, 0.5]
[[motion]]
name = "drive"
joint = "driven"
function = "0.4*sin(3*t)"
[[joint]]
name = "hanging"
kind = "revolute"
bodies = ["b11", "b12"]
point = [0.2, 0.5, -0.2]
axis = [1, 0.2, 0.5]
[[joint]]
name = "closing"
kind = "revolute"
bodies = ["b10", "b3"]
point = [0.5, 0.5, -0.2]
axis = [1, 0.2, 0.7]
loop = true
[[force]]
name = "spring"
kind = "spring_damper"
bodies = ["b7", "b12"]
point_a = [0, 0.3, 0.1]
point_b = [2, 1, 1]
stiffness = 7
damping = 2
)toml";

/// The same with forces in its joints that depend on what these carry, seen from both sides, on a driven one, and on
/// both freedoms of one; a state that acts outside them, and planar bodies.
inline const std::string bearings = every_tree_joint + R"toml(
[[friction]]
name = "pin"
joint = "revolute"
kind = "lugre"
mu = 0.4
sigma0 = 3
sigma1 = 0.2
sigma2 = 0.1
radius = 0.3
[[force]]
name = "guide"
kind = "joint_spring"
joint = "prismatic"
law = "-0.3*prismatic.force*tanh(rate) - 0.2*prismatic.moment*prismatic.displacement"
[[force]]
name = "turning"
kind = "joint_spring"
joint = "cylindrical"
coordinate = "angle"
law = "-0.2*cylindrical.force*tanh(rate) + 0.1*cylindrical.fx*cylindrical.mz/(1 + cylindrical.moment)"
[[force]]
name = "sliding"
kind = "joint_spring"
joint = "cylindrical"
coordinate = "displacement"
law = "-0.3*cylindrical.force*tanh(rate) - user.x*cylindrical.fy"
[[friction]]
name = "hinge"
joint = "hanging"
kind = "coulomb"
mu = 0.5
v_s = 0.5
radius = 0.2
[[friction]]
name = "held"
joint = "driven"
kind = "coulomb"
mu = 0.5
v_s = 0.5
radius = 0.2
[[control]]
name = "user"
kind = "ode"
states = ["x"]
rates = ["-x + b3.vx"]
initial = [0.1]
[[force]]
name = "controlled"
kind = "torque"
body = "b3"
torque = ["user.x", "user.x^2", 0]
[[body]]
name = "flat"
kind = "planar"
mass = 2
inertia = 0.3
position = [1, 0, 3]
[[body]]
name = "flatter"
kind = "planar"
mass = 1
inertia = 0.2
position = [2, 0, 3]
[[joint]]
name = "in_plane"
kind = "revolute"
bodies = ["ground", "flat"]
point = [0, 0, 3]
axis = "z"
[[joint]]
name = "slide"
kind = "prismatic"
bodies = ["flatter", "flat"]
point = [2, 0, 3]
axis = "x"
[[friction]]
name = "flat_pin"
joint = "in_plane"
kind = "coulomb"
mu = 0.5
v_s = 0.5
radius = 0.2
[[friction]]
name = "flat_slide"
joint = "slide"
kind = "coulomb"
mu = 0.3
v_s = 0.5
)toml";

// A guided cart with a pendulum and a wheelset, within ramps of strong curvature.
inline const std::string on_a_track = R"toml(
[[track]]
name = "line"
from = -20
to = 20
positions = [-1.5, 2]
changes = [0.08, -0.1]
ramp = 3

[[body]]
name = "cart"
mass = 2
inertia = [0.3, 0.4, 0.5]
position = [0, 0, 0.5]
[[joint]]
name = "on_cart"
kind = "track"
bodies = ["ground", "cart"]
track = "line"
station = 0
height = 0.5
travel = "0.4*t + 0.3*sin(2*t)"
guided = true
radius = 0.7

[[body]]
name = "bob"
mass = 0.7
inertia = [0.02, 0.03, 0.04]
position = [0.3, 0.1, 0.2]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["cart", "bob"]
point = [0.2, 0.1, 0.5]
axis = [1, 2, 0.5]

[[body]]
name = "wheelset"
mass = 1.5
inertia = [0.3, 0.1, 0.35]
position = [1, 0, 0.46]
[[joint]]
name = "on_wheelset"
kind = "track"
bodies = ["ground", "wheelset"]
track = "line"
station = 1
height = 0.46
travel = "0.4*t + 0.3*sin(2*t)"
radius = 0.46
[[wheel]]
name = "left"
body = "wheelset"
track = "line"
side = "left"
conicity = 0.1
speed = 1
load = 1
[[wheel]]
name = "right"
body = "wheelset"
track = "line"
side = "right"
conicity = 0.1
speed = 1
load = 1
[[flange_stop]]
name = "flange"
body = "wheelset"
track = "line"
clearance = 0.01
stiffness = 50
rounding = 0.1

[[force]]
name = "rod"
kind = "axial_spring"
axis = { body = "cart", direction = [1, 0.2, 0] }
point_a = { body = "cart", at = [0.2, 0, 0.1] }
point_b = { body = "wheelset", at = [0, 0.3, 0.1] }
stiffness = 20
damping = 3
[[force]]
name = "stop"
kind = "axial_spring"
axis = { body = "cart", direction = "y" }
point_a = { body = "cart", at = [0.2, 0, 0.1] }
point_b = { body = "wheelset", at = [0, 0.3, 0.1] }
law = "-20*displacement*abs(displacement) - on_wheelset.yaw*on_wheelset.y - 0.01*left.lateral*left.radius"
)toml";

}  // namespace trammel::testing
