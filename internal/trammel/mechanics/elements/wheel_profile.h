// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include "trammel/math/scalar.h"

namespace trammel {

/// The wheel S1002 on the rail UIC60, inclined by 1:40, gauge 1435 mm (14 mm below the top).
///
/// Wheel: R = r₀ + F(S)/1000 with S [mm] across the tread, positive to the field side, in five parts of degree 1, 8, 7,
/// a circle of 13 mm and the flange of 70°; continuous to 1e-4 mm, slopes to 1e-5. Nodes every 0.25 mm.
///
/// Rail: arcs of 300, 80 and 13 mm that touch each other, mirrored, and the tangent beyond a slope of 75°; height h
/// over w, measured from the rail's middle towards the track's centre, with 0 at the top.
class WheelProfileTable {
 public:
  static const WheelProfileTable& instance();

  static constexpr double spacing = 0.25;  ///< [mm] of nodes
  static constexpr double middle = 0.75;   ///< [m] from the track's centre to S = 0
  /// [m] The rail's middle from the track's centre.
  static constexpr double rail_offset = 0.7530545908;

  struct Node {
    double place;   ///< along the axle from the wheelset's middle, outwards [m]
    double radius;  ///< R − r₀ [m]
    double slope;   ///< dR/d(place)
  };
  const std::vector<Node>& nodes() const { return nodes_; }

  /// F [mm] and its slope.
  static double wheel(double S, double& slope);
  /// h [m] and its slope.
  template <class S>
  S rail(const S& w, S& slope) const;
  /// h from a table, within 1e-6 m of the top and the gauge corner: to tell which nodes are near.
  double quick_rail(double w) const;

 private:
  WheelProfileTable();
  struct Arc {
    double end;  ///< it reaches up to this w
    double w, h, radius;
  };
  std::vector<Node> nodes_;
  std::vector<Arc> arcs_;
  struct Tangent {
    double w, h, slope;
  };
  Tangent tangent_[2];  // at the field side and at the gauge side
  double table_start_ = 0.0;
  std::vector<double> table_;
};

template <class S>
S WheelProfileTable::rail(const S& w, S& slope) const {
  using std::sqrt;
  const double at = value_of(w);
  if (at <= tangent_[0].w || at >= tangent_[1].w) {
    const Tangent& t = tangent_[at <= tangent_[0].w ? 0 : 1];
    slope = S(t.slope);
    return t.h + (w - t.w) * t.slope;
  }
  const Arc* arc = arcs_.data();
  while (at > arc->end) ++arc;
  const S d = w - arc->w, root = sqrt(arc->radius * arc->radius - d * d);
  slope = -d / root;
  return arc->h + root;
}

}  // namespace trammel
