// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace trammel {

/// A zero of f in [ta, tb], fa = f(ta) and fb = f(tb) being on different sides of it: the end of a bracket of at most
/// `width` that is beyond the zero, as tb is. Illinois' regula falsi, and bisection where that is slow. f = 0 itself is
/// beyond, or still on this side.
template <class Function>
double locate_zero(double ta, double fa, double tb, double fb, double width, bool zero_is_beyond, const Function& f) {
  constexpr int max_evaluations = 100, patience = 40;
  const bool rises = fb > 0.0 || (fb == 0.0 && fa < 0.0);
  int last = 0;
  for (int i = 0; i < max_evaluations && tb - ta > width; ++i) {
    double t = fb != fa ? tb - fb * (tb - ta) / (fb - fa) : 0.5 * (ta + tb);
    if (i > patience || !(t > ta && t < tb)) t = 0.5 * (ta + tb);
    const double value = f(t);
    if (value == 0.0 && zero_is_beyond) return t;
    if (value != 0.0 && (value > 0.0) == rises) {
      tb = t, fb = value;
      if (last > 0) fa *= 0.5;
      last = 1;
    } else {
      ta = t, fa = value;
      if (last < 0) fb *= 0.5;
      last = -1;
    }
  }
  return tb;
}

}  // namespace trammel
