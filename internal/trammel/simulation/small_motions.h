// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/simulation/linearized_machine.h"
#include "trammel/simulation/rig.h"

/// Small motions of a machine about where it is (Motion::x).
namespace trammel {

/// The rows (motion, state, constraint) at other variables. Throws SimulationError where they are not defined.
Eigen::VectorXd residual_at(const MotionVariables& x, const State& state, const Machine& machine, Viewer& viewer);

LinearizedMachine linearize(Rig& rig, const Eigen::MatrixXd& by_input);

/// The modes of smallest |σ|, for machines that are too large for linearize().
EigenModes calc_lowest_modes(Rig& rig, int n_modes, double& largest_acceleration);

}  // namespace trammel
