// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/solid.h"

#include "trammel/mechanics/kinds/shape_descriptor.h"

namespace trammel {

std::optional<Solid> calc_solid(const Shape& shape) {
  std::optional<Solid> solid = shape.kind->solid(shape);
  if (!solid) return solid;
  solid->center = shape.position + shape.orientation * solid->center;
  solid->inertia = (shape.orientation * solid->inertia * shape.orientation.transpose()).eval();
  return solid;
}

Solid join(const Solid& a, const Solid& b) {
  Solid sum;
  sum.volume = a.volume + b.volume;
  if (sum.volume == 0.0) return sum;
  sum.center = (a.volume * a.center + b.volume * b.center) / sum.volume;
  for (const Solid* part : {&a, &b}) {
    const Eigen::Vector3d d = part->center - sum.center;
    sum.inertia += part->inertia + part->volume * (d.squaredNorm() * Eigen::Matrix3d::Identity() - d * d.transpose());
  }
  return sum;
}

}  // namespace trammel
