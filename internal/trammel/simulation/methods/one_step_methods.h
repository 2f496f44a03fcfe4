// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/integrators/generalized_alpha.h"
#include "trammel/simulation/methods/method_parts.h"

namespace trammel {

/// Generalized-α and its members, on the scaled equations.
inline MadeMethod make_alpha(const AlphaCoefficients& coefficients, const Machine& machine, const StepRange& range) {
  const StepOptions steps = step_options_of(machine, range);
  MadeMethod made{.scaling = make_scaling(range.solver.scaling), .max_corrections = steps.max_iterations};
  made.method =
      std::make_unique<GeneralizedAlpha>(machine.index3(), coefficients, steps, range.solver_choice(), *made.scaling);
  return made;
}

}  // namespace trammel
