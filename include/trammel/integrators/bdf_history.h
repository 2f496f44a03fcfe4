// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <span>
#include <vector>

#include "trammel/dae/types.h"

namespace trammel {

/// The past of a BDF method with fixed leading coefficient as modified divided differences.
///
///   (1) ψ_i = t_n − t_{n−i}                                     distances to older points
///   (2) φ_1 = y_n,  φ_{j+1} = ψ_1 … ψ_j [y_n, …, y_{n−j}]       modified divided differences
///   (3) α_s = −Σ_{i≤k} 1/i,  α = −α_s/h                         leading coefficient: y′ = y′ₚ + α (y − yₚ)
///   (4) yₚ = Σ_{j≤k+1} φ*_j,  y′ₚ = Σ γ_j φ*_j                  prediction; φ*_j = β_j φ_j with the β of the new step
///   (5) e = y − yₚ, local error ≈ c_k ‖e‖,  σ_{k+1} ‖e‖         the error, and its size at constant step
///
/// [K. E. Brenan, S. L. Campbell, L. R. Petzold, section 5.2.] One row of 64 bytes per unknown holds φ_1 … φ_7 and the
/// factor of the error norm, so that a prediction, the norms of four orders and an update are one pass each.
class BdfHistory {
 public:
  static constexpr int max_order = 6;

  void resize(int n);
  int n() const { return static_cast<int>(rows_.size()); }

  /// A new beginning at t: φ_1 = y, φ_2 = h y′ (as if a point y − h y′ stood h before).
  void start(double t, ConstVec y, ConstVec yp, double h);
  /// A beginning with k + 1 known points y_n, y_{n−1}, … (columns of `points`), ready for a step of order k.
  void start(std::span<const double> times, const Eigen::Ref<const Eigen::MatrixXd>& points);

  /// Coefficients of a step of size h with order k ≤ last order + 1. undo() takes it back.
  void begin(double h, int k);
  /// (4). Returns ‖yₚ‖ in the error norm.
  double predict(Vec y, Vec yp);
  /// y_n − yₚ from the differences: small numbers that never were subtracted from large ones. Call after predict().
  void calc_change(Vec e) const;
  void undo();
  /// Norms of the differences of order k + 1 down to k − 1 and, if the last k + 1 steps were equal, k + 2. Each is the
  /// estimated local error of a method of that order at constant step.
  struct Estimates {
    double e = 0.0;          ///< ‖e‖
    double k = 0.0;          ///< σ_{k+1} ‖e‖
    double k_minus_1 = 0.0;  ///< 0 if k = 1
    double k_minus_2 = 0.0;  ///< 0 if k ≤ 2
    double k_plus_1 = 0.0;   ///< only if can_raise()
    double second = 0.0;     ///< the same of order 2, if k ≥ 3
  };
  Estimates calc_estimates(ConstVec e) const;
  /// The third difference of unknown i in the step under way, weighted: h³ y‴ at constant step. Needs k ≥ 3.
  double third_difference(int i, double e) const {
    const Row& row = rows_[i];
    double sum = e;
    for (int j = k_; j >= 3; --j) sum += row.phi[j];
    return sum * row.factor;
  }
  /// c_k of (5).
  double error_constant() const { return c_k_; }
  /// Enough equal steps behind to judge order k + 1.
  bool can_raise() const { return k_ + 1 < equal_steps_ && k_ < max_order; }
  /// The step is done: φ and the last order move on, t becomes t_new (t + h up to rounding).
  void accept(ConstVec e, double t_new);

  /// y and y′ of the interpolating polynomial of the last step.
  void interpolate(double t, Vec y, Vec yp) const;

  // Points y_{n−i} of the given unknowns, newest first, and back [ROTATIONS section 6].
  int n_points() const;
  void calc_points(std::span<const int> unknowns, Eigen::Ref<Eigen::MatrixXd> points) const;
  void set_points(std::span<const int> unknowns, const Eigen::Ref<const Eigen::MatrixXd>& points);

  double t() const { return t_; }          ///< of the newest accepted point
  double alpha() const { return alpha_; }  ///< (3)
  int last_order() const { return last_k_; }
  double last_h() const { return last_h_; }
  double y(int i) const { return rows_[i].phi[0]; }
  /// Factor of unknown i in the error norm (0: not tested).
  void set_factor(int i, double factor) { rows_[i].factor = factor; }
  double factor(int i) const { return rows_[i].factor; }

  void append(std::vector<double>& numbers) const;
  const double* read(const double* numbers);

 private:
  static constexpr int width = max_order + 1;
  struct alignas(64) Row {
    std::array<double, width> phi;
    double factor;
  };
  template <class F>
  static void for_order(int k, F&& f);

  std::vector<Row> rows_;
  double t_ = 0.0, h_ = 0.0, last_h_ = 0.0;
  int k_ = 1, last_k_ = 0;  // of the step under way, of the last accepted one
  int equal_steps_ = 0;     // steps with the present h and k, the one under way included; at most last_k + 2
  bool scaled_ = false;     // φ* = β φ is done
  double alpha_ = 0.0, c_k_ = 0.0;
  // Index i − 1 holds ψ_i, β_i, γ_i, σ_i.
  std::array<double, width + 1> psi_{}, beta_{}, gamma_{}, sigma_{};
};

}  // namespace trammel
