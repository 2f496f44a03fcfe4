// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "trammel/dae/motion_operator.h"
#include "trammel/formulations/scaling.h"
#include "trammel/simulation/simulation.h"

namespace trammel::testing {

/// The scaled iteration matrix of generalized-α for a model after a few steps, with what an operator tells a solver.
struct MotionMatrix {
  Pattern pattern;
  std::vector<double> values;
  OrderingHint hint;
};

inline MotionMatrix make_motion_matrix(const Study& study, double rho, double h, int n_steps = 3) {
  Simulation simulation(study);
  const double end = *simulation.settings().analysis.end;
  for (int i = 0; i < n_steps && simulation.integrator().newest().t < end; ++i)
    static_cast<void>(simulation.integrator().advance(end, simulation.state()));
  simulation.integrator().commit(simulation.state());
  const MotionVariables x = simulation.integrator().newest();
  const SecondOrderDae& dae = simulation.dae();
  const std::unique_ptr<Workspace> workspace = dae.make_workspace();
  InputBuffer inputs;
  dae.calc_inputs(x.t, inputs);
  PhysicalScaling::Options options;
  options.rho = rho;
  const PhysicalScaling scaling(options);
  // δv̇ = a δq, δv = v δq of generalized-alpha with ρ∞ = 0.8, to two digits.
  const MotionCoefficients coefficients{3.2 / (h * h), 1.8 / h, 1.0 / h, 1.8 / h};
  MotionOperator matrix(dae, LinearSolverKind::sparse_lu, scaling);
  static_cast<void>(matrix.setup(x.point(inputs.view()), simulation.state(), coefficients, h,
                                 MotionOperator::Refresh::linearize, *workspace));
  const std::span<const double> values = matrix.matrix();
  return {matrix.pattern(), {values.begin(), values.end()}, matrix.make_hint()};
}

}  // namespace trammel::testing
