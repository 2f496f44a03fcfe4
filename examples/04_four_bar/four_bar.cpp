// SPDX-License-Identifier: Apache-2.0
// A four-bar linkage of planar bodies: four_bar.toml in C++.
#include <cmath>
#include <cstdio>

#include "trammel/trammel.h"

using namespace trammel;

namespace {

constexpr double a = 0.2, b = 0.5, c = 0.4, d = 0.5;  // crank, coupler, rocker, distance of the ground pivots [m]
constexpr double w0 = 12.0;                           // start: crank speed [rad/s]
constexpr double rho = 2.0;                           // mass per length [kg/m]

/// A thin bar in the x-z plane; with this normal angles count from x towards z.
BodySpec bar(const char* name, double length, const Eigen::Vector3d& position) {
  return {.name = name,
          .kind = BodyKind::planar,
          .mass = rho * length,
          .inertia = rho * std::pow(length, 3) / 12.0 * Eigen::Matrix3d::Identity(),  // about the normal
          .position = position,
          .plane_normal = -Eigen::Vector3d::UnitY()};
}

JointSpec hinge(const char* name, const std::string& body_a, const std::string& body_b, const Eigen::Vector3d& point) {
  return {.name = name,
          .kind = JointKind::revolute,
          .body_a = body_a,
          .body_b = body_b,
          .point = {.at = point},
          .axis = {.direction = -Eigen::Vector3d::UnitY()}};
}

}  // namespace

int main() {
  // Drawn with the crank upright: the pin between coupler and rocker is where two circles meet.
  const double f = std::hypot(d, a);  // from the crank pin to the right pivot
  const double g = (std::pow(b, 2) - std::pow(c, 2) + std::pow(f, 2)) / (2.0 * f);  // along that line
  const double k = std::sqrt(std::pow(b, 2) - std::pow(g, 2));                      // and normal to it
  const double px = (g * d + k * a) / f, pz = a + (-g * a + k * d) / f;

  Study study;
  Model& model = study.model;
  model.title = "Four-bar linkage";
  model.gravity = {0.0, 0.0, -9.81};

  BodySpec crank = bar("crank", a, {0.0, 0.0, a / 2});
  crank.velocity = {-w0 * a / 2, 0.0, 0.0};
  crank.angular_velocity = {0.0, -w0, 0.0};
  crank.firm_velocity = true;  // the velocities of coupler and rocker follow from the joints
  model.add_body(crank)
      .add_body(bar("coupler", b, {px / 2, 0.0, (a + pz) / 2}))
      .add_body(bar("rocker", c, {(px + d) / 2, 0.0, pz / 2}))
      .add_joint(hinge("A0", "ground", "crank", {0.0, 0.0, 0.0}))
      .add_joint(hinge("A", "crank", "coupler", {0.0, 0.0, a}))
      .add_joint(hinge("B", "coupler", "rocker", {px, 0.0, pz}))
      .add_joint(hinge("B0", "ground", "rocker", {d, 0.0, 0.0}))
      .add_force({.name = "return_spring",
                  .kind = ForceKind::joint_spring,
                  .joint = "B0",
                  .stiffness = 0.5,  // [N m/rad]
                  .damping = 0.02})  // [N m s/rad]
      .add_measure({.name = "coupler_point",
                    .kind = MeasureKind::point,
                    .body_a = "coupler",
                    .point_a = {.at = {px / 2 - 0.1 * (pz - a) / b, 0.0, (a + pz) / 2 + 0.1 * px / b}}});

  study.analysis.end = 3.0;
  study.solver.h = 5e-4;

  Simulation simulation(study);
  ResultsFile results("four_bar.h5");
  const Summary summary = simulation.run(results);
  std::fputs(summary.to_text().c_str(), stdout);
  static_cast<void>(write_report(std::span(&results.path(), 1), "four_bar.html"));
  return summary.completed ? 0 : 1;
}
