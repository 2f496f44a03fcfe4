// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "trammel/integrators/motion_integrator.h"
#include "trammel/simulation/options.h"

namespace trammel {

/// A row in which something is no number, with the formulas that act there.
std::string describe_not_finite(const Model& model, const std::string& row);

/// What the failure of a step usually means, and what to do (docs/replay.md lists them).
std::string advice(Cause cause, const SolverOptions& options);

/// Why `method` could not take a step: what, where, when, beside which limit, and what it usually means.
std::string explain(const StepReport& report, const MotionIntegrator& method, const Study& study);

}  // namespace trammel
