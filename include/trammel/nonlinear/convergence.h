#pragma once

#include <cmath>
#include <limits>

namespace trammel {

/// Decides when simplified Newton may stop, from weighted norms ‖δ‖ of its corrections (1 = tolerance).
///
///   (1) rate  ϱ = (‖δ_m‖/‖δ_0‖)^{1/m}
///   (2) converged when ϱ/(1 − ϱ)·‖δ_m‖ ≤ 1: the remaining error, were the rate kept
///   (3) given up when ϱ > max_rate
///
/// A first correction counts with the rate that the same matrix showed before (`remember`), or must be below
/// first_limit of the tolerance.
class ConvergenceTest {
 public:
  static constexpr double max_rate = 0.9;
  static constexpr double first_limit = 1e-2;

  enum class Verdict { go_on, converged, diverging };

  void start() { iteration_ = 0; }
  /// The matrix changed: its rate is not known.
  void forget() { rate_ = std::numeric_limits<double>::infinity(); }

  Verdict judge(double norm) {
    if (!std::isfinite(norm)) return Verdict::diverging;
    if (iteration_++ == 0) {
      first_ = norm;
      if (norm <= first_limit) return Verdict::converged;
      const bool rate_known = rate_ < 1.0;
      return rate_known && rate_ / (1.0 - rate_) * norm <= 1.0 ? Verdict::converged : Verdict::go_on;
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
