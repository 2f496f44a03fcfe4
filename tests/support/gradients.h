// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "trammel/io/model_reader.h"
#include "trammel/simulation/simulation.h"

/// Derivatives by differences of runs that repeat steps, and machines for them.
namespace trammel::testing {

inline const std::string damped_pendulum = R"toml(
[parameters]
L = 1
m = 1
[[body]]
name = "rod"
shape = { kind = "rod", length = "L", axis = "x" }
mass = "m"
position = ["L/2", 0, 0]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "rod"]
point = [0, 0, 0]
axis = "y"
[[force]]
name = "damper"
kind = "joint_spring"
joint = "hinge"
damping = 0.1
[analysis]
end = 2
)toml";

inline const std::string crank_rocker = R"toml(
[parameters]
a = 0.2
b = 0.5
c = 0.4
d = 0.5
rho = 2
f = "hypot(d, a)"
g = "(b^2 - c^2 + f^2)/(2*f)"
k = "sqrt(b^2 - g^2)"
px = "(g*d + k*a)/f"
pz = "a + (-g*a + k*d)/f"
[[body]]
name = "crank"
kind = "planar"
normal = "-y"
mass = "rho*a"
inertia = "rho*a^3/12"
position = [0, 0, "a/2"]
velocity = ["-6*a", 0, 0]
angular_velocity = 12
firm = ["velocity"]
[[body]]
name = "coupler"
kind = "planar"
normal = "-y"
mass = "rho*b"
inertia = "rho*b^3/12"
position = ["px/2", 0, "(a + pz)/2"]
[[body]]
name = "rocker"
kind = "planar"
normal = "-y"
mass = "rho*c"
inertia = "rho*c^3/12"
position = ["(px + d)/2", 0, "pz/2"]
[[joint]]
name = "A0"
kind = "revolute"
bodies = ["ground", "crank"]
point = [0, 0, 0]
[[joint]]
name = "A"
kind = "revolute"
bodies = ["crank", "coupler"]
point = [0, 0, "a"]
[[joint]]
name = "B"
kind = "revolute"
bodies = ["coupler", "rocker"]
point = ["px", 0, "pz"]
[[joint]]
name = "B0"
kind = "revolute"
bodies = ["ground", "rocker"]
point = ["d", 0, 0]
[[force]]
name = "return_spring"
kind = "joint_spring"
joint = "B0"
stiffness = 0.5
damping = 0.02
[analysis]
end = 0.5
)toml";

/// The slew ends at T, where an input has a kink.
inline const std::string slewed_arm = R"toml(
[parameters]
m = 0.5
E = 3e7
T = 0.2
[[body]]
name = "hub"
shape = { kind = "cylinder", radius = 0.05, length = 0.06, axis = "z", density = 2700 }
[[beam]]
name = "arm"
points = [[0.05, 0, 0], [1.05, 0, 0]]
elements = 1
order = 2
section = { kind = "rectangle", width = "50 mm", height = "50 mm" }
material = { young = "E", poisson = 0.33, density = 1200 }
[[body]]
name = "load"
shape = { kind = "sphere", radius = 0.03 }
mass = "m"
position = [1.05, 0, 0]
[[joint]]
name = "bearing"
kind = "revolute"
bodies = ["ground", "hub"]
point = [0, 0, 0]
axis = "z"
[[joint]]
name = "root"
kind = "fixed"
bodies = ["hub", "arm_0"]
point = [0.05, 0, 0]
[[joint]]
name = "tip"
kind = "fixed"
bodies = ["arm_2", "load"]
point = [1.05, 0, 0]
[[motion]]
name = "slew"
joint = "bearing"
function = "step(t, 0, 0, T, 40 deg)"
[analysis]
end = 0.3
)toml";

inline MemoryRecord run_repeating(const std::string& model, const std::vector<std::string>& settings,
                                  const MemoryRecord* first = nullptr, Summary* summary = nullptr) {
  MemoryRecord record;
  Study study = read_study_text(model, "gradient.toml", settings);
  if (first) study.steps = std::make_shared<RecordedSteps>("the first run", *first);
  const Summary made = Simulation(std::move(study)).run(record);
  if (summary) *summary = made;
  return record;
}

/// Positions and velocities of all bodies at the end.
inline Eigen::VectorXd end_of(const MemoryRecord& record) {
  std::vector<double> values;
  for (const RecordGroup& group : record.schema().frames) {
    if (group.path != "/frames/position" && group.path != "/frames/velocity") continue;
    for (const std::string& name : group.names) {
      const Series series = record.read(name + "." + group.path.substr(8));
      for (Eigen::Index k = 0; k < series.values.cols(); ++k)
        values.push_back(series.values(series.values.rows() - 1, k));
    }
  }
  return Eigen::Map<Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

struct GradientCase {
  std::string model;
  std::string parameter;
  double value;
  std::vector<std::string> settings = {};
};

/// ∂(end_of)/∂parameter, δ being a part of it.
inline Eigen::VectorXd calc_gradient(const GradientCase& of, std::vector<std::string> settings, double delta) {
  settings.insert(settings.end(), of.settings.begin(), of.settings.end());
  settings.push_back("");
  const auto at = [&](double value) {
    settings.back() = "parameters." + of.parameter + "=" + fmt::format("{}", value);
    return settings;
  };
  const MemoryRecord first = run_repeating(of.model, at(of.value));
  const double d = delta * of.value;
  const Eigen::VectorXd more = end_of(run_repeating(of.model, at(of.value + d), &first));
  const Eigen::VectorXd less = end_of(run_repeating(of.model, at(of.value - d), &first));
  return (more - less) / (2.0 * d);
}

inline Eigen::VectorXd calc_reference(const GradientCase& of) {
  return calc_gradient(of, {"solver.integrator=radau", "solver.rtol=1e-10", "solver.atol=1e-10"}, 1e-5);
}

/// Largest difference from the reference, over its largest entry.
inline double gradient_error(const GradientCase& of, const Eigen::VectorXd& reference, const std::string& integrator,
                             const std::string& coordinates, double delta) {
  const Eigen::VectorXd found = calc_gradient(
      of,
      {"solver.integrator=" + integrator, "solver.coordinates=" + coordinates, "solver.rtol=1e-8", "solver.atol=1e-8"},
      delta);
  return (found - reference).lpNorm<Eigen::Infinity>() / reference.lpNorm<Eigen::Infinity>();
}

}  // namespace trammel::testing
