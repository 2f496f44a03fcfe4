// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>

namespace trammel::detail {

/// max(|re|, |im|): within √2 of |x| and free of hypot, good enough to compare magnitudes.
inline double magnitude(double x) { return std::abs(x); }
inline double magnitude(const std::complex<double>& x) { return std::max(std::abs(x.real()), std::abs(x.imag())); }

}  // namespace trammel::detail
