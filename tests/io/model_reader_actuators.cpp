// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include "model_text.h"
#include "trammel/simulation/simulation.h"

/// Actuators against closed solutions of a flywheel with inertia J = 2 kg m² about z.
namespace trammel::test_actuators {
namespace {

const std::string flywheel = R"toml(gravity = [0, 0, 0]
[[body]]
name = "wheel"
mass = 1
inertia = [1, 1, 2]
[[joint]]
name = "axle"
kind = "revolute"
bodies = ["wheel"]
point = [0, 0, 0]
axis = "z"
[analysis]
end = 2
[solver]
rtol = 1e-9
atol = 1e-11
)toml";

MemoryRecord run(const std::string& actuator, const std::vector<std::string>& settings = {}) {
  MemoryRecord record;
  const Summary summary = Simulation(read(flywheel + actuator, settings)).run(record);
  EXPECT_TRUE(summary.completed) << summary.failure;
  return record;
}

/// J θ̈ = kp (r − θ) − kd θ̇ with ω = √(kp/J) = 5, kd/J = 6: a damped vibration about r.
TEST(Actuators, AServoIsASpringAndADamperAtItsTarget) {
  const MemoryRecord record = run(R"toml([[actuator]]
name = "drive"
kind = "servo"
joint = "axle"
target = "30 deg"
kp = "50 N m/rad"
kd = "12 N m s/rad"
)toml");
  const double r = std::numbers::pi / 6.0, s = 3.0, w = 4.0;
  const Eigen::MatrixXd angle = record.read("axle.angle").values, effort = record.read("drive.applied_effort").values;
  for (std::size_t i = 0; i < record.times().size(); ++i) {
    const double t = record.times()[i], e = std::exp(-s * t);
    const double x = r * (1.0 - e * (std::cos(w * t) + s / w * std::sin(w * t)));
    const double rate = r * e * (s * s + w * w) / w * std::sin(w * t);
    const int row = static_cast<int>(i);
    EXPECT_NEAR(angle(row, 0), x, 1e-7);
    EXPECT_NEAR(effort(row, 0), 50.0 * (r - x) - 12.0 * rate, 1e-4);
  }
}

/// At its bound the effort is the limit and nothing else; the target is reached with an integral, against a constant
/// load, which a PD servo does not; and with the bound the integral does not carry it far beyond.
TEST(Actuators, AServoKeepsItsLimitAndDoesNotWindUp) {
  const std::string servo = R"toml([[force]]
name = "load"
kind = "torque"
body = "wheel"
torque = [0, 0, -3]
[[actuator]]
name = "drive"
kind = "servo"
joint = "axle"
target = "2 rad"
kp = 60
ki = 90
kd = 22
limit = "12 N m"
windup_time = 0.2
)toml";
  const MemoryRecord record = run(servo, {"analysis.end=8", "solver.rtol=1e-7"});
  const Eigen::MatrixXd angle = record.read("axle.angle").values, effort = record.read("drive.applied_effort").values;
  EXPECT_LE(effort.cwiseAbs().maxCoeff(), 12.0 + 1e-9);
  EXPECT_NEAR(effort(1, 0), 12.0, 1e-9);
  EXPECT_NEAR(angle(angle.rows() - 1, 0), 2.0, 1e-3);
  EXPECT_NEAR(effort(effort.rows() - 1, 0), 3.0, 1e-2);
  EXPECT_LT(angle.maxCoeff(), 2.3);
  const Eigen::MatrixXd wound =
      run(servo, {"analysis.end=8", "solver.rtol=1e-7", "actuator.drive.windup_time=1e6"}).read("axle.angle").values;
  EXPECT_GT(wound.maxCoeff(), angle.maxCoeff() + 0.05);
}

/// J ω̇ = c T₀ (1 − ω/ω₀): ω = ω₀ (1 − exp(−c T₀ t/(J ω₀))), and the mirror image for c < 0.
TEST(Actuators, AMotorFollowsItsCurveInBothDirections) {
  for (const double c : {0.5, -0.5}) {
    const MemoryRecord record = run(R"toml([[table]]
name = "curve"
x = [-40, 0, 40]
y = [16, 8, 0]
[[actuator]]
name = "motor"
kind = "motor"
joint = "axle"
command = "c"
speed_curve = "curve"
[parameters]
c = )toml" + std::to_string(c) + "\n");
    const Eigen::MatrixXd rate = record.read("axle.angle_rate").values;
    for (std::size_t i = 0; i < record.times().size(); ++i) {
      const double w = 40.0 * (1.0 - std::exp(-0.5 * 8.0 / (2.0 * 40.0) * record.times()[i]));
      EXPECT_NEAR(rate(static_cast<int>(i), 0), std::copysign(w, c), 1e-6);
    }
  }
}

/// Between two points a positive effort pushes apart: a mass on a rail, ẍ = F/m.
TEST(Actuators, BetweenPointsPushApart) {
  MemoryRecord record;
  const Study study = read(R"toml(gravity = [0, 0, 0]
[[body]]
name = "cart"
mass = 4
inertia = [1, 1, 1]
position = [1, 0, 0]
frames = { eye = [1, 0, 0] }
[[joint]]
name = "rail"
kind = "prismatic"
bodies = ["cart"]
axis = "x"
[[frame]]
name = "base"
[[actuator]]
name = "cylinder"
kind = "force"
bodies = ["base", "cart.eye"]
effort = "50 N*t"
limit = "20 N"
[analysis]
end = 1
)toml");
  const Summary summary = Simulation(study).run(record);
  EXPECT_TRUE(summary.completed) << summary.failure;
  // F = 50 t up to t₁ = 0.4, then 20: v(1) = (50 t₁²/2 + 20 (1 − t₁))/m
  const Eigen::MatrixXd v = record.read("rail.displacement_rate").values;
  EXPECT_NEAR(v(v.rows() - 1, 0), (4.0 + 12.0) / 4.0, 1e-5);
}

TEST(Actuators, AreRefusedByNameAndPlace) {
  const std::string text = flywheel + R"toml([[actuator]]
name = "a"
kind = "servo"
joint = "axle"
target = "3 N"
point_a = [0, 0, 0]
[[actuator]]
name = "b"
kind = "motor"
command = 1
[[actuator]]
name = "c"
kind = "force"
joint = "axel"
effort = "1 kg"
windup_time = 1
)toml";
  std::string all;
  for (const Issue& issue : refusals(text)) all += issue.where + ": " + issue.message + "\n";
  for (const char* words :
       {"'target' = \"3 N\" is in N but must be in rad, m", "'point_a' has no effect beside 'joint'",
        "give 'kp', 'ki' or 'kd'", "what it acts on is missing", "the key 'speed_curve' is missing",
        "did you mean 'axle'?", "'effort' = \"1 kg\" is in kg", "unknown key 'windup_time'"})
    EXPECT_NE(all.find(words), std::string::npos) << words << "\n" << all;
}

}  // namespace
}  // namespace trammel::test_actuators
