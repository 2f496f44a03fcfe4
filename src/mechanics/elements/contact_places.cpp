// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "trammel/mechanics/elements/contact_group.h"
#include "trammel/mechanics/elements/contact_kernel.h"
#include "trammel/mechanics/elements/contact_surface.h"

// The laws of places: their stiffness, what rubs there, how fast they met.

namespace trammel {

using detail::velocity_at;

// Surfaces with two curvatures, and the balls in them: what is pressed is an ellipse.
void ContactGroup::find_ellipses() {
  const auto curvatures = [](const Geometry& g) { return g.shape.core().curvatures(g.shape.radius); };
  for (int i = 0; i < static_cast<int>(geometry_.size()); ++i) {
    const Eigen::Vector2d of_a = curvatures(geometry_[i]);
    if (of_a[0] == of_a[1]) continue;
    for (const int j : bounded_) {
      const Eigen::Vector2d both = of_a + curvatures(geometry_[j]);
      if (n_places(i, j) > 0 && both.minCoeff() > 0.0)
        ellipses_.push_back({pair_number(i, j, 0), hertz_stiffness(1.0, both[0], both[1]), std::sqrt(both.prod())});
    }
  }
  std::sort(ellipses_.begin(), ellipses_.end(), [](const Ellipse& x, const Ellipse& y) { return x.pair < y.pair; });
}

const ContactGroup::Ellipse* ContactGroup::find_ellipse(const Place& p) const {
  if (ellipses_.empty()) return nullptr;
  const int wanted = pair_number(p.a, p.b, 0);
  const auto found = std::lower_bound(ellipses_.begin(), ellipses_.end(), wanted,
                                      [](const Ellipse& x, int pair) { return x.pair < pair; });
  return found != ellipses_.end() && found->pair == wanted ? &*found : nullptr;
}

void ContactGroup::list_recorded_pairs() {
  for (int law = 0; law < static_cast<int>(laws_.size()); ++law) {
    if (!laws_[law].by_pair) continue;
    const int n = static_cast<int>(geometry_.size());
    for (int i = 0; i < n; ++i)
      for (int j = i + 1; j < n; ++j) {
        if (law_between(i, j) != law || n_places(i, j) == 0) continue;
        const RecordedPair pair{law, geometry_[i].name, geometry_[j].name};
        const auto found = std::find(recorded_pairs_.begin(), recorded_pairs_.end(), pair);
        recorded_.emplace_back(pair_number(i, j, 0), static_cast<int>(found - recorded_pairs_.begin()));
        if (found == recorded_pairs_.end()) recorded_pairs_.push_back(pair);
      }
  }
  std::sort(recorded_.begin(), recorded_.end());
}

int ContactGroup::find_recorded_pair(const Place& p) const {
  const std::pair wanted{pair_number(p.a, p.b, 0), 0};
  const auto found = std::lower_bound(recorded_.begin(), recorded_.end(), wanted);
  return found != recorded_.end() && found->first == wanted.first ? found->second : -1;
}

NormalLaw ContactGroup::normal_law(const Place& p, std::span<const int> modes) const {
  NormalLaw law = laws_[p.law].law.normal;
  const Ellipse* ellipse = find_ellipse(p);
  if (law.bounce > 0.0) law.speed = impact_speed(p, modes);
  if (law.kind == NormalLaw::Kind::foundation) {  // pressed where the depth of a ball is a − κ₁x²/2 − κ₂y²/2
    const bool balls = geometry_[p.a].shape.kind == ContactShape::Kind::sphere;
    const double r = geometry_[p.b].shape.radius, curved = balls ? 1.0 / geometry_[p.a].shape.radius : 0.0;
    law.kind = NormalLaw::Kind::hunt_crossley;
    law.stiffness *= std::numbers::pi / (ellipse != nullptr ? ellipse->curvature : 1.0 / r + curved);
    law.exponent = 2.0;
  }
  if (law.modulus > 0.0) {
    const double ra = geometry_[p.a].shape.curvature_radius(), rb = geometry_[p.b].shape.curvature_radius();
    const double of_one = ellipse != nullptr ? ellipse->stiffness : 4.0 / 3.0 / std::sqrt(1.0 / ra + 1.0 / rb);
    law.stiffness = law.modulus * of_one;
  }
  return law;
}

// What runs on a belt slides: nothing holds it where it was drawn.
const FrictionLaw& ContactGroup::friction_law(const Place& p) const {
  const detail::Belts belts{geometry_[p.a].belt, geometry_[p.b].belt};
  return belts.run() ? sliding_[p.law] : laws_[p.law].law.friction;
}

bool ContactGroup::bristled(const Place& p) const { return friction_law(p).has_bristles(); }

Vec3<double> ContactGroup::bristle_of(const KinematicState& state, const Place& p) const {
  if (!bristled(p)) return Vec3<double>::Zero();
  const int z = first_state_ + 3 * p.slot;
  return {state.z[z], state.z[z + 1], state.z[z + 2]};
}

// ---- speeds of impacts ---------------------------------------------------------------------------------------------

double ContactGroup::impact_speed(const Place& p, std::span<const int> modes) const {
  const double noted = std::bit_cast<float>(modes[2 + 2 * capacity_ + p.slot]);
  return std::max(laws_[p.law].law.normal.speed, noted);
}

// How fast surfaces approach is noted until they touch, and holds from then on: forces do not depend on it before. A
// step that is located ends where they touch but for rounding, which `begun` leaves room for.
void ContactGroup::note_impacts(const KinematicState& state, std::span<int> modes) const {
  constexpr double begun = 1e-9;  // of the size
  for (int i = 0; i < modes[0]; ++i) {
    const Place p = place(modes, i);
    if (laws_[p.law].law.normal.bounce == 0.0) continue;
    const Geometry &ga = geometry_[p.a], &gb = geometry_[p.b];
    const Frame<double>&fa = state.frames[ga.frame], &fb = state.frames[gb.frame];
    const Touch<double> touch = calc_place(p.a, fa, p.b, fb, p.feature, 3.0 * margin(p.a, p.b));
    if (touch.depth > begun * std::min(ga.shape.size(), gb.shape.size())) continue;
    const double rate = touch.n.dot(velocity_at(fa, touch.point) - velocity_at(fb, touch.point));
    modes[2 + 2 * capacity_ + p.slot] = std::bit_cast<int>(static_cast<float>(std::max(0.0, rate)));
  }
}

}  // namespace trammel
