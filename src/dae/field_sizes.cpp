// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/field_sizes.h"

#include <algorithm>
#include <cmath>

namespace trammel {

FieldSizes calc_field_sizes(std::span<const Kind> kinds, ConstVec x, std::span<const double> column) {
  FieldSizes sizes;
  double square = 0.0;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const double size = std::abs(x[static_cast<Eigen::Index>(i)] / column[i]);
    square += size * size;
    switch (kinds[i]) {
      case Kind::position:
      case Kind::rotation:
        sizes.position = std::max(sizes.position, size);
        break;
      case Kind::velocity:
        sizes.velocity = std::max(sizes.velocity, size);
        break;
      case Kind::multiplier:
      case Kind::multiplier_rate:
        sizes.multiplier = std::max(sizes.multiplier, size);
        break;
      case Kind::internal:
      case Kind::algebraic:
        break;
    }
  }
  sizes.norm = std::sqrt(square);
  return sizes;
}

}  // namespace trammel
