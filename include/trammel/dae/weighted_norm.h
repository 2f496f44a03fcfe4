// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "trammel/base/error.h"
#include "trammel/dae/types.h"

namespace trammel {

/// Tolerances in engineering units: w_i = rtol |y_i| + atol (or max(rtol |y_i|, atol)) is the accepted error of
/// unknown i.
///
/// A kind of unknown may have its own pair, and so may single unknowns (`rtol_each`, `atol_each`: empty or one number
/// per unknown). Rotations never have a relative part: |θ| jumps when a chart moves, and so would the weight.
struct Tolerances {
  struct Pair {
    double rtol, atol;
  };
  static constexpr std::size_t n_kinds = 7;
  enum class Rule : std::uint8_t { sum, max };

  double rtol = 1e-5;  ///< [≥ 0]
  double atol = 1e-7;  ///< in the unit of the unknown [≥ 0, not both zero]
  std::array<std::optional<Pair>, n_kinds> kinds;
  std::vector<double> rtol_each, atol_each;
  Rule rule = Rule::sum;

  void set(Kind kind, double relative, double absolute) {
    kinds[static_cast<std::size_t>(kind)] = Pair{relative, absolute};
  }
  /// Everything that is wrong for these unknowns.
  std::vector<Issue> issues(const Layout& layout) const;
};

/// The tolerances of each unknown, and norms ‖x‖ = √(1/m Σ (x_i/w_i)²) over the m tested ones; 1 means: at the
/// tolerance. Only tested unknowns count in m [yen1996's driver; SUNDIALS divides by all].
class WeightedNorm {
 public:
  /// Throws InputError when the tolerances do not fit the unknowns.
  WeightedNorm(const Layout& layout, const Tolerances& tolerances);

  double weight(Eigen::Index i, double y) const {
    const double relative = rtol_[i] * std::abs(y);
    return rule_ == Tolerances::Rule::sum ? relative + atol_[i] : std::max(relative, atol_[i]);
  }
  /// 1/√m, 0 when nothing is tested: the factor that makes inverse weights produce a root mean square.
  static double mean_factor(std::span<const double> mask);

  /// factor_i = mask_i/(w_i √m): ‖x‖² = Σ (factor_i x_i)².
  void fill(ConstVec y, std::span<const double> mask, Vec factor) const;
  static double norm(ConstVec x, ConstVec factor) { return std::sqrt((x.array() * factor.array()).square().sum()); }

 private:
  Tolerances::Rule rule_;
  Eigen::VectorXd rtol_, atol_;
};

}  // namespace trammel
