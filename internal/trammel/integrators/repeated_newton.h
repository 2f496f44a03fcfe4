// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <span>

#include "trammel/dae/types.h"
#include "trammel/integrators/repeated_step.h"

namespace trammel {

/// When Newton's iteration in a repeated step ends: after as many corrections as in the recorded step, and then where
/// nothing but rounding is left of positions.
///
/// The recorded number alone would not do. What it leaves of the multipliers is extrapolated into the next step, up to
/// 2ᵏ⁺¹ − 1 times as large: a test that looks at corrections notices when that grows, a count does not. What is solved
/// to rounding is the same function of the parameters whatever matrix and whatever number led there.
///
/// Rounding is not the same everywhere: ε of Φ is corrected by δq ∼ ε, an acceleration of ε/(βh²) across the
/// constraints, again and again and each time another one. Across them that does not last; but of a matrix that is ϱ
/// away from that of the point a part ϱ acts along the motion, which sums it up over the steps (1e-10 m/s in 4e4 steps
/// of generalized-α on a four-bar). So a one-step method then takes Φ = 0 as solved, and goes on with the balance of
/// forces alone, which is known to ε of the forces.
class RepeatedNewton {
 public:
  enum class Verdict { go_on, hold_rows, renew, settled, not_finite };

  explicit RepeatedNewton(const RepeatedStep& step) : recorded_(std::max(step.iterations, 1)) {}

  int most_iterations() const { return recorded_ + most_further; }

  /// `moved`: the largest correction of a position, beside the positions. renew: with a new matrix. hold_rows: settled,
  /// or go on with Φ = 0 as it is.
  Verdict judge(int k, double moved) {
    if (!std::isfinite(moved)) return Verdict::not_finite;
    const bool falls = k == 0 || moved <= least_fall * before_;
    before_ = moved;
    if (k + 1 < recorded_) return Verdict::go_on;
    if (moved == 0.0 || k + 1 >= most_iterations()) return Verdict::settled;
    if (falls) return Verdict::go_on;
    if (stalls_ > 1) return Verdict::settled;
    if (moved <= near_rounding) return ++stalls_ > 1 ? Verdict::hold_rows : Verdict::go_on;
    return ++renewals_ > most_renewals ? Verdict::settled : Verdict::renew;
  }

  /// Corrections of positions, angles and internal states beside the largest of each kind.
  static double calc_moved(std::span<const Kind> kinds, const Eigen::Ref<const Eigen::VectorXd>& correction,
                           const Eigen::Ref<const Eigen::VectorXd>& values) {
    double moved[3] = {}, size[3] = {1.0, 1.0, 1.0};
    for (Eigen::Index i = 0; i < correction.size(); ++i) {
      const int of = kinds[i] == Kind::position   ? 0
                     : kinds[i] == Kind::rotation ? 1
                     : kinds[i] == Kind::internal ? 2
                                                  : -1;
      if (of < 0) continue;
      if (!(std::abs(correction[i]) <= moved[of])) moved[of] = std::abs(correction[i]);
      size[of] = std::max(size[of], std::abs(values[i]));
    }
    double largest = 0.0;
    for (int of = 0; of < 3; ++of)
      if (!(moved[of] / size[of] <= largest)) largest = moved[of] / size[of];
    return largest;
  }

 private:
  // Rounding stops the corrections across the constraints first. A correction of the size of rounding along them is an
  // acceleration of ε/h²: one iteration more leaves a part of it.
  static constexpr double near_rounding = 1e-13, least_fall = 0.5;
  static constexpr int most_further = 16, most_renewals = 2;

  int recorded_, renewals_ = 0, stalls_ = 0;
  double before_ = 0.0;
};

}  // namespace trammel
