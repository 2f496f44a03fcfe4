// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "trammel/dae/types.h"

namespace trammel {

/// Derivatives that follow the inputs w = (u, u̇, ü) [arnold2004 (26)], by differences.
///
/// Inputs are moved by this, relative to 1 or their size: F_y by differences carries a noise of 1e-8, which then is
/// 1e-4 of an entry.
inline constexpr double input_step = 1e-4;
/// Second derivatives below this part of F_y's entry (per unit of the input) are noise of differences.
inline constexpr double input_noise = 1e-3;

inline void store_inputs(const Inputs& in, std::vector<double>& w) {
  w.assign(in.u.begin(), in.u.end());
  w.insert(w.end(), in.ud.begin(), in.ud.end());
  w.insert(w.end(), in.udd.begin(), in.udd.end());
}
inline Inputs view_inputs(const std::vector<double>& w, std::size_t n) {
  return {{w.data(), n}, {w.data() + n, n}, {w.data() + 2 * n, n}};
}
/// Entry i of w.
inline double input_of(const Inputs& in, std::size_t i) {
  const std::size_t n = in.u.size();
  return (i < n ? in.u : i < 2 * n ? in.ud : in.udd)[i % n];
}

}  // namespace trammel
