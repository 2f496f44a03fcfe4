// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "trammel/mechanics/elements/contact_shape.h"

/// Balls against spheres and planes, of which heaps are made: no axes of shapes, and no square root where they are
/// apart.
namespace trammel::detail {

inline bool is_simple(const ContactShape& a) {
  return a.kind == ContactShape::Kind::sphere || a.kind == ContactShape::Kind::plane;
}

template <class S>
Vec3<S> center_of(const ContactShape& shape, const Frame<S>& f) {
  return shape.center.isZero(0.0) ? f.p : point_position(f, shape.center);
}

/// A ball of radius r about `center`, which stands at `apart` from the centre of the sphere or plane a.
template <class S>
Touch<S> touch_simply(const ContactShape& a, const Frame<S>& fa, const Vec3<S>& apart, const Vec3<S>& center,
                      double r) {
  using std::sqrt;
  Touch<S> touch;
  if (a.kind == ContactShape::Kind::sphere) {
    const S distance = sqrt(dot(apart, apart));
    const S inverse = 1.0 / distance;
    touch.n = apart * inverse;
    touch.depth = (a.radius + r) - distance;
  } else {
    touch.n = rotate(fa.R, Eigen::Vector3d(a.Q.col(2)));
    touch.depth = r - dot(touch.n, apart);
  }
  touch.point = center - touch.n * S(r - 0.5 * touch.depth);
  return touch;
}

/// The place of a pair. False: a simple pair does not overlap, and `touch` is not set.
template <class S>
bool find_touch(const ContactShape& a, const Frame<S>& fa, const ContactShape& b, const Frame<S>& fb, int feature,
                Touch<S>& touch) {
  if (b.kind != ContactShape::Kind::sphere || !is_simple(a)) {
    touch = calc_touch(a, fa, b, fb, feature);
    return touch.depth > 0.0;
  }
  const Vec3<S> center = center_of(b, fb), apart = center - center_of(a, fa);
  if (a.kind == ContactShape::Kind::sphere) {
    const double reach = a.radius + b.radius;
    if (value_of(dot(apart, apart)) >= reach * reach) return false;
  }
  touch = touch_simply(a, fa, apart, center, b.radius);
  return touch.depth > 0.0;
}

}  // namespace trammel::detail
