// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/contact_group.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "contact_balls.h"
#include "contact_columns.h"
#include "contact_foundation.h"
#include "contact_listed.h"
#include "trammel/mechanics/elements/contact_kernel.h"

namespace trammel {

using detail::calc_contact;
using detail::ContactOutput;
using detail::velocity_at;

ContactGroup::ContactGroup(std::vector<Geometry> geometry, std::vector<Law> laws, std::vector<int> law_of, int n_kinds,
                           int capacity)
    : geometry_(std::move(geometry)),
      laws_(std::move(laws)),
      law_of_(std::move(law_of)),
      n_kinds_(n_kinds),
      capacity_(capacity) {
  static std::atomic<long> made = 0;
  id_ = ++made;
  for (int i = 0; i < static_cast<int>(geometry_.size()); ++i)
    (geometry_[i].shape.kind == ContactShape::Kind::plane ? planes_ : bounded_).push_back(i);
  for (const Geometry& g : geometry_) least_size_ = std::min(least_size_, g.shape.size());
  for (const Geometry& g : geometry_) soft_.push_back(g.shape.softened());
  for (const Law& law : laws_) {
    has_bristles_ |= law.law.friction.has_bristles();
    sliding_.push_back(law.law.friction);
    if (law.law.friction.kind == FrictionLaw::Kind::held) sliding_.back().kind = FrictionLaw::Kind::coulomb;
    has_bounce_ |= law.law.normal.bounce > 0.0;
  }
  find_ellipses();
  list_recorded_pairs();
}

int ContactGroup::law_between(int i, int j) const {
  return geometry_[i].frame == geometry_[j].frame ? -1 : law_of_[geometry_[i].kind * n_kinds_ + geometry_[j].kind];
}

int ContactGroup::pair_number(int i, int j, int feature) const {
  const int n = static_cast<int>(geometry_.size());
  return (std::min(i, j) * n + std::max(i, j)) * max_features + feature;
}

// Of a pair whose law is a foundation.
bool ContactGroup::has_points(int a, int b) const {
  const int law = law_of_[geometry_[a].kind * n_kinds_ + geometry_[b].kind];
  return law >= 0 && laws_[law].law.normal.kind == NormalLaw::Kind::foundation &&
         geometry_[b].shape.kind == ContactShape::Kind::solid;
}

bool ContactGroup::is_foundation(const Place& p) const {
  return laws_[p.law].law.normal.kind == NormalLaw::Kind::foundation &&
         geometry_[p.b].shape.kind == ContactShape::Kind::solid;
}

// A pair of geometry (i < j) whose second one is a. Of a foundation the smaller one of two that have points has them.
bool ContactGroup::reversed(int i, int j) const {
  const ContactShape &a = geometry_[i].shape, &b = geometry_[j].shape;
  if (a.kind != b.kind || a.kind != ContactShape::Kind::solid) return a.kind > b.kind;
  if (!has_points(i, j)) return !in_order(a, b);
  if (!a.points || !b.points) return b.points == nullptr;
  return a.size() < b.size();
}

int ContactGroup::n_places(int i, int j) const {
  if (law_between(i, j) < 0) return 0;
  if (reversed(std::min(i, j), std::max(i, j)) != (i > j)) std::swap(i, j);
  const ContactShape &a = geometry_[i].shape, &b = geometry_[j].shape;
  return has_points(i, j) ? (b.points && a.core().takes_points() ? 1 : 0) : n_features(a, b);
}

// As calc_touch; of a foundation the deepest point, if there is one within `limit`.
Touch<double> ContactGroup::calc_place(int a, const Frame<double>& fa, int b, const Frame<double>& fb, int feature,
                                       double limit) const {
  if (!has_points(a, b)) return calc_touch(geometry_[a].shape, fa, geometry_[b].shape, fb, feature);
  const ContactLaw& law = laws_[law_between(a, b)].law;
  const detail::Foundation f(soft_[a], geometry_[b].shape, law.normal, law.friction,
                             {geometry_[a].belt, geometry_[b].belt});
  return detail::find_deepest(f, fa, fb, limit);
}

detail::Foundation ContactGroup::foundation_of(const Place& p, std::span<const int> modes) const {
  NormalLaw normal = laws_[p.law].law.normal;
  if (normal.bounce > 0.0) normal.speed = impact_speed(p, modes);
  return {soft_[p.a], geometry_[p.b].shape, normal, friction_law(p), {geometry_[p.a].belt, geometry_[p.b].belt}};
}

ContactGroup::Place ContactGroup::place(std::span<const int> modes, int index) const {
  const int n = static_cast<int>(geometry_.size());
  Place p;
  p.slot = order(modes)[index];
  const int pair = pairs(modes)[p.slot] - 1;
  p.feature = pair % max_features;
  p.a = pair / max_features / n, p.b = pair / max_features % n;
  if (reversed(p.a, p.b)) std::swap(p.a, p.b);
  p.law = law_of_[geometry_[p.a].kind * n_kinds_ + geometry_[p.b].kind];
  return p;
}

void ContactGroup::keep_listed(std::span<int> modes, bool (*wanted)(const ContactGroup&, const Place&)) const {
  if (capacity_ == 0) return;
  const auto own = modes.subspan(2, capacity_), slots = modes.subspan(2 + capacity_, capacity_);
  int kept = 0;
  for (int i = 0; i < modes[0]; ++i) {
    const Place p = place(modes, i);
    if (wanted(*this, p))
      slots[kept++] = p.slot;
    else
      own[p.slot] = 0;
  }
  modes[0] = kept;
}

double ContactGroup::margin(int i, int j) const {
  return margin_part * std::min(geometry_[i].shape.size(), geometry_[j].shape.size());
}

// ---- search --------------------------------------------------------------------------------------------------------

// Boxes around the bounded shapes; planes have none: everything is compared with them. `visit` gets geometry a, b with
// kind(a) ≤ kind(b), between which there is a law.
template <class Visit>
void ContactGroup::visit_near(const KinematicState& state, double margins, const Visit& visit) const {
  static thread_local std::vector<detail::ContactBox> boxes;  // scratch: nothing survives a call
  boxes.resize(bounded_.size());
  for (std::size_t i = 0; i < bounded_.size(); ++i) {
    const Geometry& g = geometry_[bounded_[i]];
    const Frame<double>& f = state.frames[g.frame];
    const Vec3<double> center = point_position(f, g.shape.center);
    const bool ball = g.shape.kind == ContactShape::Kind::sphere;
    const double extra = margins * margin_part * g.shape.size();
    boxes[i].geometry = bounded_[i];
    for (int k = 0; k < 3; ++k) {
      const double half = (ball ? g.shape.radius : g.shape.extent(f.R.row(k).transpose())) + extra;
      boxes[i].low[k] = center[k] - half, boxes[i].high[k] = center[k] + half;
    }
  }
  const auto call = [&](int i, int j) {
    if (order_pair(i, j)) visit(i, j);
  };
  for (const int plane : planes_)
    for (const int other : bounded_) call(plane, other);
  detail::visit_overlaps(boxes, call);
}

bool ContactGroup::order_pair(int& i, int& j) const {
  if (law_between(i, j) < 0) return false;
  if (i > j) std::swap(i, j);
  if (reversed(i, j)) std::swap(i, j);
  return true;
}

// Where bodies were when all pairs were looked at last, the list then, and by how much more than its margin each pair
// that is not in it was apart. While no surface has moved by half of the least of that since, no other pair can be
// within its margin, and there is nothing to search for.
struct ContactGroup::LastSearch {
  long id = 0;
  double apart = 0.0;
  std::vector<int> modes;
  std::vector<Frame<double>> frames;

  void keep(const ContactGroup& group, const KinematicState& state, std::span<const int> of, double least) {
    id = group.id_;
    apart = std::min(least, margin_part * group.least_size_);
    of = group.listing(of);
    modes.assign(of.begin(), of.end());
    frames.assign(state.frames.begin(), state.frames.end());
  }
};

bool ContactGroup::is_complete(const LastSearch& last, const KinematicState& state, std::span<const int> modes) const {
  modes = listing(modes);
  if (last.id != id_ || !std::equal(modes.begin(), modes.end(), last.modes.begin(), last.modes.end())) return false;
  const double half = 0.5 * last.apart;
  return std::all_of(geometry_.begin(), geometry_.end(), [&](const Geometry& g) {
    const Frame<double>&now = state.frames[g.frame], &then = last.frames[g.frame];
    if (g.shape.kind == ContactShape::Kind::plane) return now.p == then.p && now.R == then.R;
    const bool turns = g.shape.kind != ContactShape::Kind::sphere || !g.shape.center.isZero(0.0);
    const double way = (now.p - then.p).norm();
    return way + (turns ? (now.R - then.R).norm() * (g.shape.center.norm() + g.shape.reach()) : 0.0) < half;
  });
}

// A pair within its margin that is not listed brings all pairs within twice the margin into the list, and those that
// are further than three margins leave it. Otherwise the list stays what it is.
bool ContactGroup::update_modes(const KinematicState& state, std::span<int> modes) const {
  if (capacity_ == 0) return false;
  const bool changed = update_listing(state, modes);
  if (has_bounce_) note_impacts(state, modes);
  return changed;
}

bool ContactGroup::update_listing(const KinematicState& state, std::span<int> modes) const {
  static thread_local std::vector<int> found;  // scratch: pairs within twice the margin
  static thread_local Listed listed;
  static thread_local LastSearch last;  // of any group: a search that is left out would have found nothing
  if (is_complete(last, state, modes)) return false;
  found.clear();
  listed.read(*this, modes);
  bool incomplete = false;
  double apart = std::numeric_limits<double>::infinity();
  visit_near(state, 2.0, [&](int a, int b) {
    const double limit = margin(a, b);
    const Geometry &ga = geometry_[a], &gb = geometry_[b];
    for (int feature = 0; feature < n_places(a, b); ++feature) {
      const double gap = -calc_place(a, state.frames[ga.frame], b, state.frames[gb.frame], feature, 2.0 * limit).depth;
      if (gap > 2.0 * limit) continue;
      const int pair = pair_number(a, b, feature);
      if (listed.contains(pair)) continue;
      found.push_back(pair);
      incomplete |= gap < limit;
      apart = std::min(apart, gap - limit);
    }
  });
  if (!incomplete) {
    last.keep(*this, state, modes, apart);
    return false;
  }
  const auto own = modes.subspan(2, capacity_);
  const auto slots = modes.subspan(2 + capacity_, capacity_);
  int kept = 0;
  for (int i = 0; i < modes[0]; ++i) {
    const Place p = place(modes, i);
    const Geometry &ga = geometry_[p.a], &gb = geometry_[p.b];
    const double limit = 3.0 * margin(p.a, p.b);
    const double gap = -calc_place(p.a, state.frames[ga.frame], p.b, state.frames[gb.frame], p.feature, limit).depth;
    if (gap > limit)
      own[p.slot] = 0;
    else
      slots[kept++] = p.slot;
  }
  int free = 0;
  for (const int pair : found) {
    while (free < capacity_ && own[free] != 0) ++free;
    if (free == capacity_) {
      modes[1] = 1;
      break;
    }
    own[free] = pair + 1;
    if (has_bounce_) modes[2 + 2 * capacity_ + free] = 0;
    slots[kept++] = free;
  }
  std::sort(slots.begin(), slots.begin() + kept, [&](int s, int t) { return own[s] < own[t]; });
  modes[0] = kept;
  last.keep(*this, state, modes, std::numeric_limits<double>::infinity());
  return true;
}

ContactGroup::Missed ContactGroup::find_missed(const KinematicState& state, std::span<const int> modes) const {
  Missed missed;
  static thread_local Listed listed;
  listed.read(*this, modes);
  visit_near(state, 0.0, [&](int a, int b) {
    const Geometry &ga = geometry_[a], &gb = geometry_[b];
    for (int feature = 0; feature < n_places(a, b); ++feature) {
      const double depth = calc_place(a, state.frames[ga.frame], b, state.frames[gb.frame], feature, 0.0).depth;
      if (depth > 0.0 && depth > missed.depth && !listed.contains(pair_number(a, b, feature))) missed = {depth, a, b};
    }
  });
  return missed;
}

// ---- forces --------------------------------------------------------------------------------------------------------

void ContactGroup::release(int slot, Eigen::Ref<Eigen::VectorXd> z) const {
  if (has_bristles_) z.segment<3>(first_state_ + 3 * slot).setZero();
}

void ContactGroup::add_forces(const KinematicState& state, std::span<Wrench<double>> wrench,
                              std::span<double> rates) const {
  if (capacity_ == 0) return;
  if (has_bristles_ && !rates.empty())
    for (int i = first_state_; i < first_state_ + n_states(); ++i) rates[i] = -state.z[i] / bristle_decay;
  const Listed::Balls& balls = Listed::Balls::of(*this, state.modes);
  balls.add_forces(*this, state, wrench);
  balls.visit_others(*this, state, [&](const Place& p, const ContactOutput<double>& out) {
    if (!out.presses) return;
    trammel::add(wrench[geometry_[p.a].frame], out.w[0]);
    trammel::add(wrench[geometry_[p.b].frame], out.w[1]);
    if (bristled(p) && !rates.empty())
      for (int k = 0; k < 3; ++k) rates[first_state_ + 3 * p.slot + k] = out.z_rate[k];
  });
}

// ---- reports -------------------------------------------------------------------------------------------------------

ContactGroup::Report ContactGroup::calc_report(const KinematicState& state, const Place& p) const {
  const Geometry &ga = geometry_[p.a], &gb = geometry_[p.b];
  const Frame<double>&fa = state.frames[ga.frame], &fb = state.frames[gb.frame];
  const Touch<double> touch = calc_place(p.a, fa, p.b, fb, p.feature);
  Report report;
  report.depth = report.indicator = touch.depth;
  report.n = touch.n, report.point = touch.point;
  report.friction.setZero();
  const Vec3<double> relative = velocity_at(fa, touch.point) - velocity_at(fb, touch.point);
  report.rate = touch.n.dot(relative);
  const Vec3<double> sliding = detail::Belts{ga.belt, gb.belt}.sliding(fa, fb, relative);
  const Vec3<double> v = sliding - touch.n.dot(sliding) * touch.n;
  report.slip = v.norm();
  if (!(touch.depth > 0.0)) return report;
  Vec3<double> z = bristle_of(state, p);
  if (is_foundation(p)) {
    const detail::Foundation f = foundation_of(p, state.modes);
    const detail::FoundationSums sums = detail::sum_foundation(f, fa, fb, z);
    report.indicator = touch.depth * std::min(1.0, detail::damped(f.normal, report.rate));
    if (!(sums.normal_force > 0.0)) return report;
    report.normal_force = sums.normal_force, report.pressure = sums.pressure, report.area = sums.area;
    report.n = sums.n, report.point = sums.point, report.friction = sums.friction;
    return report;
  }
  const NormalLaw normal = normal_law(p, state.modes);
  const double raw = detail::raw_force(normal, touch.depth, report.rate);
  if (raw <
      normal.stiffness * detail::raise(touch.depth, normal.kind == NormalLaw::Kind::linear ? 1.0 : normal.exponent))
    report.indicator = std::min(report.indicator, raw / normal.stiffness);
  if (!(raw > 0.0)) return report;
  report.normal_force = raw;
  const Ellipse* ellipse = find_ellipse(p);
  const double curvature =
      ellipse != nullptr ? ellipse->curvature : 1.0 / ga.shape.curvature_radius() + 1.0 / gb.shape.curvature_radius();
  if (curvature > 0.0) report.area = std::numbers::pi * touch.depth / curvature;
  if (bristled(p)) {
    z = fa.R * z;
    z -= touch.n * touch.n.dot(z);
  }
  report.friction = raw * detail::friction_ratio(friction_law(p), v, z);
  return report;
}

double ContactGroup::potential(const KinematicState& state) const {
  if (capacity_ == 0) return 0.0;
  const Listed::Balls& balls = Listed::Balls::of(*this, state.modes);
  double energy = balls.calc_potential(*this, state.frames);
  for (const int i : balls.others) {
    const Place& p = balls.places[i];
    const Geometry &ga = geometry_[p.a], &gb = geometry_[p.b];
    Touch<double> touch;
    if (is_foundation(p))
      energy += detail::sum_foundation(foundation_of(p, state.modes), state.frames[ga.frame], state.frames[gb.frame],
                                       Vec3<double>::Zero())
                    .energy;
    else if (detail::find_touch(ga.shape, state.frames[ga.frame], gb.shape, state.frames[gb.frame], p.feature, touch))
      energy += detail::stored_energy(normal_law(p, state.modes), touch.depth);
  }
  return energy;
}

// Wrench·twist of both sides is −N ȧ − F_t·v_t − M·ω, with the motion of the bodies; the stored energy grows by
// f(a, 0) ȧ.
double ContactGroup::power(const KinematicState& state) const {
  if (capacity_ == 0) return 0.0;
  const Listed::Balls& balls = Listed::Balls::of(*this, state.modes);
  double power = balls.calc_power(*this, state.frames);
  for (const int i : balls.others) {
    const Place& p = balls.places[i];
    const Geometry &ga = geometry_[p.a], &gb = geometry_[p.b];
    const Frame<double>&fa = state.frames[ga.frame], &fb = state.frames[gb.frame];
    if (is_foundation(p)) {
      power += detail::sum_foundation(foundation_of(p, state.modes), fa, fb, bristle_of(state, p)).power;
      continue;
    }
    Touch<double> touch;
    if (!detail::find_touch(ga.shape, fa, gb.shape, fb, p.feature, touch)) continue;
    const Report report = calc_report(state, p);
    const Vec3<double> relative = velocity_at(fa, report.point) - velocity_at(fb, report.point);
    power += detail::raw_force(normal_law(p, state.modes), report.depth, 0.0) * report.rate -
             report.normal_force * report.rate - report.friction.dot(relative);
    const FrictionLaw& friction = friction_law(p);
    if (!friction.resists_turning()) continue;
    const Vec3<double> turning = fa.R * fa.w - fb.R * fb.w;
    power -= report.normal_force * detail::turning_ratio(friction, report.n, turning).dot(turning);
  }
  return power;
}

}  // namespace trammel
