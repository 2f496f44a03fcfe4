#include "trammel/integrators/stability_limit.h"

#include <algorithm>
#include <cmath>

namespace trammel {

bool StabilityLimit::judge(ConstVec e, const BdfHistory& history, double h, int k, double second_order_estimate) {
  if (k < 3) {
    reset();
    return false;
  }
  if (h != h_ || k != k_) reset();
  h_ = h;
  k_ = k;
  const int had = n_past_;
  double s00 = 0.0, s01 = 0.0, s02 = 0.0, s11 = 0.0, s12 = 0.0, s22 = 0.0;
  std::vector<double>&e1 = past_[0], &e2 = past_[1];
  for (int i = 0; i < history.n(); ++i) {
    const double x0 = e[i] * history.factor(i), x1 = e1[i], x2 = e2[i];
    s00 += x0 * x0;
    s01 += x0 * x1;
    s02 += x0 * x2;
    s11 += x1 * x1;
    s12 += x1 * x2;
    s22 += x2 * x2;
    e2[i] = x0;  // the older vector is overwritten; the two change names below
  }
  std::swap(e1, e2);
  n_past_ = std::min(had + 1, 2);
  if (had < 2 || s00 == 0.0) return false;

  // (1): normal equations of the fit
  const double determinant = s11 * s22 - s12 * s12;
  if (determinant <= 1e-6 * s11 * s22) return false;  // e_{n−1} ∥ e_{n−2}: no oscillation seen
  const double a = (s01 * s22 - s02 * s12) / determinant;
  const double b = -(s02 * s11 - s01 * s12) / determinant;
  const double remainder = std::max(s00 - a * s01 + b * s02, 0.0);
  if (a * a >= 4.0 * b) return false;  // real roots
  modulus_ = std::sqrt(b);
  angle_ = std::acos(std::clamp(0.5 * a / modulus_, -1.0, 1.0));
  const double step_factor = std::pow(2.0 * second_order_estimate + 1e-4, -1.0 / 3.0);
  return modulus_ >= min_modulus && remainder <= max_remainder * max_remainder * s00 && step_factor >= min_step_factor;
}

}  // namespace trammel
