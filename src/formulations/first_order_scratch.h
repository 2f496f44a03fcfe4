// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "trammel/dae/turning_axes.h"
#include "trammel/formulations/first_order.h"
#include "trammel/math/rotations.h"

namespace trammel {

struct FirstOrderForm::Scratch final : Workspace {
  std::unique_ptr<Workspace> system;
  MotionPlanes m, m_mu;
  std::uint64_t version = 0;  // of the pattern that the slots belong to
  // Slots in the pattern of y for each slot of a plane: rows × columns by name.
  std::vector<int> motion_q, motion_v, kinematic_q, reaction, force_z, rate_q, rate_v, state_state, state_lam;
  std::vector<int> constraint_q, constraint_v, transposed, rate_constraint_q, rate_constraint_v, transposed_mu;
  std::vector<double> metric_mu;  // W of each entry of Gᵀμ
  std::vector<int> kinematic_diagonal, kinematic_v, motion_diagonal, E, mu_diagonal;
  std::vector<int> chart;  // nine per chart, by columns
  TurningAxes axes;        // of the matrix
  Eigen::VectorXd lam, mu, phi, phi_dot, bias, kinematic, body_rate, acceleration, zp;
  // Of the interpolation between the ends of a step.
  InputBuffer inputs;
  MotionVariables between;
  Eigen::VectorXd rate, rate_from, rate_to, bend_from, bend_to, first_quarter, last_quarter;
  std::vector<char> is_fast;
  // Of the explicit formalism: M of one tree, and columns of its rows.
  Eigen::MatrixXd M, columns;
  Eigen::LDLT<Eigen::MatrixXd> factor;
  Eigen::PartialPivLU<Eigen::MatrixXd> exchanged;  // where forces depend on v̇: ∂r/∂v̇ is not symmetric
};

}  // namespace trammel
