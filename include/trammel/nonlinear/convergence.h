// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "trammel/nonlinear/newton.h"

namespace trammel {

/// When Newton's iteration ends.
enum class NewtonStop : std::uint8_t {
  tolerance,   ///< the remainder is below the tolerance
  saturation,  ///< the scaled correction does not decrease any more; that one is not applied [bottasso2007 (33)]
  none,        ///< after max_iterations, whatever they did: shows the floor that rounding sets
};

/// Which corrections Newton's iteration waits for.
enum class NewtonTest : std::uint8_t {
  motion,  ///< q, z and the forces Gᵀδλ, as displacements: what moves the machine
  all,     ///< every unknown of the scaled equations, |δx̂| ≤ newton_tol (1 + |x̂|), λ̂ by itself
};

/// Newton's corrections fall by orders of magnitude; one that falls by less than this has stopped decreasing. Without
/// it corrections far below the rounding of y may creep for ever, each 1e-13 smaller than the last.
inline constexpr double newton_decrease = 0.99;

/// Decides when simplified Newton may stop, from weighted norms ‖δ‖ of its corrections (1 = tolerance).
///
///   (1) rate  ϱ = ‖δ_m‖/‖δ_{m−1}‖: the last ratio and not the mean since δ_0, which a lucky first iteration hides
///   behind (2) converged when ϱ/(1 − ϱ)·‖δ_m‖ ≤ 1: the remaining error, were the rate kept (3) given up when ϱ >
///   max_rate
///
/// (2) never trusts a rate below trusted_rate: the large corrections of coordinates along the motion hide how slowly an
/// aged matrix reduces the small ones across it, the violation of constraints. A first correction counts with the rate
/// that the same matrix showed last.
class ConvergenceTest {
 public:
  static constexpr double max_rate = 0.9;
  static constexpr double trusted_rate = 0.1;

  void start() { iteration_ = 0; }
  /// The matrix changed: its rate is not known.
  void forget() { rate_ = std::numeric_limits<double>::infinity(); }

  NewtonVerdict judge(double norm) {
    if (!std::isfinite(norm)) return NewtonVerdict::diverging;
    const bool first = iteration_++ == 0;
    if (!first) rate_ = previous_ > 0.0 ? norm / previous_ : 0.0;
    previous_ = norm;
    if (!first && rate_ > max_rate) return NewtonVerdict::diverging;
    const double rate = std::max(rate_, trusted_rate);
    const bool small = rate < 1.0 ? rate / (1.0 - rate) * norm <= 1.0 : norm <= trusted_rate;
    return small ? NewtonVerdict::converged : NewtonVerdict::go_on;
  }

  double rate() const { return rate_; }
  /// Further iterations k until (2) holds at the present rate: ϱ^k ‖δ_m‖ ϱ/(1 − ϱ) = 1.
  double remaining_iterations() const {
    const double rate = std::max(rate_, trusted_rate);
    if (!(rate < 1.0)) return std::numeric_limits<double>::infinity();
    return std::max(0.0, std::log(rate / (1.0 - rate) * previous_) / -std::log(rate));
  }

 private:
  int iteration_ = 0;
  double previous_ = 0.0;
  double rate_ = std::numeric_limits<double>::infinity();
};

}  // namespace trammel
