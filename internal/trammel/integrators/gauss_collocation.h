// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "trammel/dae/ode_system.h"
#include "trammel/dae/weighted_norm.h"

namespace trammel {

/// One long step of y′ = f(t, y) by collocation at the s = 12 points of Gauss, of order 24:
///
///   (1)  Y_i = y₀ + h Σ_j a_ij f(t₀ + c_j h, Y_j),     y₁ = y₀ + h Σ_j b_j f(t₀ + c_j h, Y_j)
///
/// solved by fixed-point iteration, so for motion that is not stiff within the step. The points lie symmetrically about
/// the middle, the nearest of them 0.06 h away from it: a step can be laid over an instant at which f cannot be
/// evaluated, and with it well resolved on both sides nothing is lost. The error is judged by the last two coefficients
/// of f in Legendre polynomials, which is far too careful for y₁ and right for the polynomial in between.
class GaussCollocation {
 public:
  static constexpr int n_points = 12;

  GaussCollocation(const OdeSystem& system, const Tolerances& tolerances);

  /// Takes the step from (t, y). Recoverable: slow_convergence or error_test, if it is too long; y is then as before.
  Status step(double t, double h, Vec y, const State& state);
  /// Within the last step.
  void interpolate(double t, Vec y) const;
  double error() const { return error_; }  ///< of the last step, ≤ 1 if it was accepted
  int evaluations() const { return evaluations_; }
  Workspace& workspace() const { return *workspace_; }

 private:
  double calc_error(double h, ConstVec y) const;

  const OdeSystem& system_;
  WeightedNorm weights_;
  std::unique_ptr<Workspace> workspace_;
  Eigen::VectorXd c_;               // in [0, 1]
  Eigen::MatrixXd legendre_;        // coefficients of f in P_k(2c − 1) from its values: row k
  Eigen::MatrixXd A_;               // (1)
  Eigen::MatrixXd f_, Y_, change_;  // one column per point
  Eigen::VectorXd from_, to_, correction_;
  double t_ = 0.0, h_ = 0.0, error_ = 0.0;
  int evaluations_ = 0;
};

}  // namespace trammel
