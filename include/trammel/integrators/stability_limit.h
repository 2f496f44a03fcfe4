#pragma once

#include <array>
#include <vector>

#include "trammel/integrators/bdf_history.h"

namespace trammel {

/// Notices that the step size is held down by stability and not by accuracy.
///
/// BDF methods of order 3 to 6 amplify undamped oscillations over a wide range of hω (order 3: up to hω ≈ 2). On a
/// smooth motion of a stiff, hardly damped structure the step grows into that range, invisible oscillations grow out of
/// the tolerance, steps are rejected, and the method crawls along with hω ≪ 1 for ever; orders 1 and 2 are A-stable and
/// damp them. CVODE's detector estimates the dominant characteristic root from norms; here it is fitted to the vectors:
///
///   (1) e_n ≈ a e_{n−1} − b e_{n−2}       least squares in the error norm, three steps of equal size and order
///   (2) r = √b, cos θ = a/(2r)            modulus and angle of the pair of roots, if a² < 4b
///
/// The order should fall to 2 when one pair explains e_n, r is close to 1 or beyond, and order 2 would allow a step
/// not much smaller than the present one. The last condition tells an oscillation that the method creates (as large as
/// the tolerance, hω ≈ 1) from one that the solution has and the method resolves (order 2 would need far smaller
/// steps).
class StabilityLimit {
 public:
  static constexpr double min_modulus = 0.98;  ///< roots below decay by themselves
  static constexpr double max_remainder = 0.4;  ///< ‖e_n − a e_{n−1} + b e_{n−2}‖/‖e_n‖: one pair dominates
  static constexpr double min_step_factor = 0.6;  ///< of order 2 against the present order

  void resize(int n) {
    for (auto& e : past_) e.assign(static_cast<std::size_t>(n), 0.0);
    reset();
  }
  void reset() { n_past_ = 0; }

  /// Called with e of every accepted step, before it enters the history. True: the order should fall to 2.
  bool judge(ConstVec e, const BdfHistory& history, double h, int k, double second_order_estimate);

  double modulus() const { return modulus_; }
  double angle() const { return angle_; }

 private:
  std::array<std::vector<double>, 2> past_;  // e_{n−1}, e_{n−2}
  int n_past_ = 0, k_ = 0;
  double h_ = 0.0, modulus_ = 0.0, angle_ = 0.0;
};

}  // namespace trammel
