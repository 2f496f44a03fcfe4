// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "claims/run_model.h"
#include "trammel/simulation/methods/formulation_descriptor.h"
#include "trammel/simulation/option.h"

namespace trammel::test_contract_integrators {

// A spatial slider crank, one loop without a redundant row: a spring, a filter whose output acts on the crank, a smooth
// torque, a force with a kink at 0.1234 s, and an event. Nothing about its numbers is special.
inline const std::string machine = R"toml(
[[body]]
name = "crank"
mass = 1
inertia = [0.01, 0.02, 0.012]
position = [0, 0, 0.1]
[[body]]
name = "rod"
mass = 0.7
inertia = [0.01, 0.013, 0.011]
position = ["sqrt(0.2)/2", 0.05, 0.1]
[[body]]
name = "slider"
mass = 0.5
inertia = [0.002, 0.002, 0.003]
position = ["sqrt(0.2)", 0.1, 0]
[[joint]]
name = "bearing"
kind = "revolute"
bodies = ["ground", "crank"]
point = [0, 0, 0]
axis = "y"
[[joint]]
name = "pin"
kind = "spherical"
bodies = ["crank", "rod"]
point = [0, 0, 0.2]
[[joint]]
name = "cross"
kind = "universal"
bodies = ["rod", "slider"]
point = ["sqrt(0.2)", 0.1, 0]
axis = "y"
axis_b = "z"
[[joint]]
name = "guide"
kind = "prismatic"
bodies = ["ground", "slider"]
point = [0, 0.1, 0]
axis = "x"
[[force]]
name = "spring"
kind = "spring_damper"
point_a = [1, 0.1, 0]
point_b = {body = "slider", at = [0, 0, 0]}
stiffness = 30
damping = 0.5
[[control]]
name = "filter"
kind = "filter"
input = "bearing.angle_rate"
time_constant = 0.05
[[force]]
name = "motor"
kind = "torque"
body = "crank"
torque = [0, "2*sin(5*t) - 0.1*filter", 0]
[[force]]
name = "push"
kind = "force"
body = "slider"
force = ["-40*max(0, t - 0.1234)", 0, 0]
[[measure]]
name = "place"
expression = "slider.x"
[[event]]
name = "passing"
measure = "place"
level = 0.46
direction = "both"
[analysis]
end = 0.4
[output]
interval = 0.0137
)toml";

struct Cell {
  Integrator integrator;
  std::optional<Formulation> formulation;  // absent: the method has none to choose
  CoordinateSet coordinates;
  std::string name;
};

inline std::ostream& operator<<(std::ostream& out, const Cell& cell) { return out << cell.name; }

inline Study study_of(const Cell& cell, const std::vector<std::string>& settings = {}) {
  Study study = read_study_text(machine, "machine.toml", settings);
  study.solver.integrator = cell.integrator;
  study.solver.formulation = cell.formulation;
  study.solver.coordinates = cell.coordinates;
  return study;
}

// Every combination that is not refused.
inline std::vector<Cell> make_cells() {
  std::vector<Cell> cells;
  const auto add = [&](const Cell& cell) {
    const Study study = study_of(cell);
    const bool taken = resolve(study, study.model).issues.empty();
    if (taken) cells.push_back(cell);
    return taken;
  };
  for (const auto& integrator : words_of<Integrator>())
    for (const auto& coordinates : words_of<CoordinateSet>()) {
      bool has_forms = false;
      for (const auto& formulation : words_of<Formulation>())
        has_forms |= add({integrator.value, formulation.value, coordinates.value,
                          integrator.name + "_" + formulation.name + "_" + coordinates.name});
      if (!has_forms) add({integrator.value, {}, coordinates.value, integrator.name + "_" + coordinates.name});
    }
  return cells;
}

}  // namespace trammel::test_contract_integrators
