#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel {

/// Decides when simplified Newton may stop, from weighted norms ‖δ‖ of its corrections (1 = tolerance).
///
///   (1) rate  ϱ = (‖δ_m‖/‖δ_0‖)^{1/m}
///   (2) converged when ϱ/(1 − ϱ)·‖δ_m‖ ≤ 1: the remaining error, were the rate kept
///   (3) given up when ϱ > max_rate
///
/// A first correction counts with the rate that the same matrix showed in its last iteration, but never with less than
/// trusted_rate: a matrix ages, and a rate seen while it was fresh would accept anything.
class ConvergenceTest {
 public:
  static constexpr double max_rate = 0.9;
  static constexpr double trusted_rate = 0.1;

  enum class Verdict { go_on, converged, diverging };

  void start() { iteration_ = 0; }
  /// The matrix changed: its rate is not known.
  void forget() { rate_ = std::numeric_limits<double>::infinity(); }

  Verdict judge(double norm) {
    if (!std::isfinite(norm)) return Verdict::diverging;
    if (iteration_++ == 0) {
      first_ = norm;
      const double rate = std::max(rate_, trusted_rate);
      const bool small = rate < 1.0 ? rate / (1.0 - rate) * norm <= 1.0 : norm <= trusted_rate;
      return small ? Verdict::converged : Verdict::go_on;
    }
    rate_ = first_ > 0.0 ? std::pow(norm / first_, 1.0 / (iteration_ - 1)) : 0.0;
    if (rate_ > max_rate) return Verdict::diverging;
    return rate_ / (1.0 - rate_) * norm <= 1.0 ? Verdict::converged : Verdict::go_on;
  }

  double rate() const { return rate_; }

 private:
  int iteration_ = 0;
  double first_ = 0.0;
  double rate_ = std::numeric_limits<double>::infinity();
};

}  // namespace trammel
