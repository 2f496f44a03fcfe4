// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "trammel/dae/types.h"

namespace trammel {

/// Explicit stages for what decays fast: the formulas of order 2 of Sommeijer, Shampine and Verwer (RKC, 1997).
///
///   (1) Y₀ = y,  Y₁ = y + μ̃₁ h f₀,  Y_j = (1 − μ_j − ν_j) y + μ_j Y_{j−1} + ν_j Y_{j−2} + μ̃_j h F_{j−1} + γ̃_j h f₀
///   (2) y₁ = Y_s: its polynomial is that of Chebyshev, shifted and damped (ε = 2/13), and bears h|σ| ≤ 0.65 s² where σ
///       is real and negative: s stages reach s/4 times as far as so many stages of the pair of order 5 do
///   (3) error = 0.8 (y − y₁) + 0.4 h (f₀ + f₁), of order 3 in h
///
/// What oscillates has to be resolved as by any explicit method. |σ| is estimated by power iteration on differences of
/// f, from the direction that it found last and the error of the last step together: where much decays independently
/// (each contact of a heap) the old direction alone would not find what has become faster elsewhere, and what is not
/// borne shows in the error.
class ChebyshevStages {
 public:
  static constexpr int max_stages = 60;  ///< beyond, a matrix is worth its price
  using Rates = std::function<Status(double t, ConstVec y, Vec yp)>;

  explicit ChebyshevStages(Eigen::Index n);

  /// How many stages a step of size h needs with the radius known, and the longest that max_stages bear.
  int stages(double h) const;
  double longest_step() const;
  double radius() const { return radius_; }  ///< ≥ |σ| [1/s]

  /// Looks for |σ| at (t, y), where f = f0; `error` of the last step, or zeros.
  Status update_radius(double t, ConstVec y, ConstVec f0, ConstVec error, const Rates& rates);
  /// y1 ← (2); its rates are the caller's.
  Status advance(double t, double h, int stages, ConstVec y, ConstVec f0, const Rates& rates, Vec y1);

  /// What a continuation needs: the radius, and the direction.
  void save(std::vector<double>& numbers) const;
  void restore(std::span<const double>& numbers);

 private:
  double radius_ = 0.0;
  Eigen::VectorXd direction_, before_, last_, f_;
};

}  // namespace trammel
