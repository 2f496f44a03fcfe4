// SPDX-License-Identifier: Apache-2.0
// A mass on a massless rod swings from the horizontal: pendulum.toml in C++.
#include <cstdio>

#include "trammel/trammel.h"

using namespace trammel;

int main() {
  constexpr double L = 1.0;  // length [m]
  constexpr double m = 1.0;  // mass [kg]

  Study study;
  study.model.title = "Pendulum";
  study.model.gravity = {0.0, 0.0, -9.81};
  study.model.add_body({.name = "bob", .kind = BodyKind::particle, .mass = m, .position = {L, 0.0, 0.0}})
      .add_joint({.name = "rod",
                  .kind = JointKind::distance,
                  .body_b = "bob",
                  .point = {.at = {0.0, 0.0, 0.0}},            // on the ground
                  .point_b = PointSpec{.at = {L, 0.0, 0.0}}})  // on the bob, as drawn
      .add_measure({.name = "angle", .expression = {"atan2(bob.x, -bob.z)"}, .unit = "rad"})
      .add_measure({.name = "tension", .expression = {"rod.force"}, .unit = "N"});
  study.analysis.end = 10.0;
  study.solver.h = 1e-3;

  Simulation simulation(study);
  ResultsFile results("pendulum.h5");
  const Summary summary = simulation.run(results);
  std::fputs(summary.to_text().c_str(), stdout);
  static_cast<void>(write_report(std::span(&results.path(), 1), "pendulum.html"));
  return summary.completed ? 0 : 1;
}
