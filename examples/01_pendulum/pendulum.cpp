// A mass on a massless rod swings from the horizontal: pendulum.toml in C++.
#include <cstdio>

#include "trammel/io/report.h"
#include "trammel/io/results_file.h"
#include "trammel/simulation/simulation.h"

using namespace trammel;

int main() {
  constexpr double L = 1.0;  // length [m]
  constexpr double m = 1.0;  // mass [kg]

  Study study;
  Model& model = study.model;
  model.title = "Pendulum";
  model.gravity = {0.0, 0.0, -9.81};

  BodySpec bob;
  bob.name = "bob";
  bob.kind = BodyKind::particle;
  bob.mass = m;
  bob.position = {L, 0.0, 0.0};
  model.bodies.push_back(bob);

  JointSpec rod;
  rod.name = "rod";
  rod.kind = JointKind::distance;
  rod.body_b = "bob";
  rod.point.at = {0.0, 0.0, 0.0};                         // on the ground
  rod.point_b = PointSpec{"", Eigen::Vector3d(L, 0, 0)};  // on the bob, as drawn
  model.joints.push_back(rod);

  const auto measure = [&](const char* name, const char* expression, const char* unit) {
    MeasureSpec spec;
    spec.name = name;
    spec.expression.text = expression;
    spec.unit = unit;
    model.measures.push_back(spec);
  };
  measure("angle", "atan2(bob.x, -bob.z)", "rad");
  measure("tension", "rod.force", "N");

  study.analysis.end = 10.0;
  study.solver.h = 1e-3;

  Simulation simulation(study);
  ResultsFile results("pendulum.h5");
  const Summary summary = simulation.run(results);
  std::fputs(summary.to_text().c_str(), stdout);
  static_cast<void>(write_report(std::span(&results.path(), 1), "pendulum.html"));
  return summary.completed ? 0 : 1;
}
