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
#include "contact_simple_planes.h"
#include "trammel/mechanics/elements/contact_kernel.h"

namespace trammel {

using detail::calc_contact;
using detail::calc_contact_force;
using detail::ContactForce;
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
  for (const Law& law : laws_) has_bristles_ |= law.law.friction.kind == FrictionLaw::Kind::lugre;
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
  return has_points(i, j) ? (b.points ? 1 : 0) : n_features(a, b);
}

// As calc_touch; of a foundation the deepest point, if there is one within `limit`.
Touch<double> ContactGroup::calc_place(int a, const Frame<double>& fa, int b, const Frame<double>& fb, int feature,
                                       double limit) const {
  if (!has_points(a, b)) return calc_touch(geometry_[a].shape, fa, geometry_[b].shape, fb, feature);
  const detail::Foundation f(soft_[a], geometry_[b].shape, laws_[law_between(a, b)].law);
  return detail::find_deepest(f, fa, fb, limit);
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

NormalLaw ContactGroup::normal_law(const Place& p) const {
  NormalLaw law = laws_[p.law].law.normal;
  if (law.kind == NormalLaw::Kind::foundation) {  // a ball in a flat surface, pressed where its depth is a − x²/2R
    const bool balls = geometry_[p.a].shape.kind == ContactShape::Kind::sphere;
    const double r = geometry_[p.b].shape.radius, curved = balls ? 1.0 / geometry_[p.a].shape.radius : 0.0;
    law.kind = NormalLaw::Kind::hunt_crossley;
    law.stiffness *= std::numbers::pi / (1.0 / r + curved);
    law.exponent = 2.0;
  }
  if (law.modulus > 0.0) {
    const double ra = geometry_[p.a].shape.curvature_radius(), rb = geometry_[p.b].shape.curvature_radius();
    law.stiffness = 4.0 / 3.0 * law.modulus / std::sqrt(1.0 / ra + 1.0 / rb);
  }
  return law;
}

bool ContactGroup::bristled(const Place& p) const { return laws_[p.law].law.friction.kind == FrictionLaw::Kind::lugre; }

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
    modes.assign(of.begin(), of.end());
    frames.assign(state.frames.begin(), state.frames.end());
  }
};

bool ContactGroup::is_complete(const LastSearch& last, const KinematicState& state, std::span<const int> modes) const {
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
  for (const int i : balls.others) {
    const Place& p = balls.places[i];
    const Geometry &ga = geometry_[p.a], &gb = geometry_[p.b];
    const int z = first_state_ + 3 * p.slot;
    Vec3<double> bristle = Vec3<double>::Zero();
    if (bristled(p)) bristle = {state.z[z], state.z[z + 1], state.z[z + 2]};
    if (is_foundation(p)) {
      const Frame<double>&fa = state.frames[ga.frame], &fb = state.frames[gb.frame];
      const detail::Foundation f(soft_[p.a], gb.shape, laws_[p.law].law);
      static thread_local std::vector<int> pressed;  // scratch
      detail::find_pressed(f, fa, fb, pressed);
      const auto out = detail::calc_foundation<double>(f, fa, fb, bristle, pressed);
      if (!out.presses) continue;
      trammel::add(wrench[ga.frame], out.w[0]);
      trammel::add(wrench[gb.frame], out.w[1]);
      if (bristled(p) && !rates.empty())
        for (int k = 0; k < 3; ++k) rates[z + k] = out.z_rate[k];
      continue;
    }
    const ContactOutput<double> out =
        calc_contact<double>(ga.shape, state.frames[ga.frame], gb.shape, state.frames[gb.frame], p.feature,
                             normal_law(p), laws_[p.law].law.friction, bristle);
    if (!out.presses) continue;
    trammel::add(wrench[ga.frame], out.w[0]);
    trammel::add(wrench[gb.frame], out.w[1]);
    if (bristled(p) && !rates.empty())
      for (int k = 0; k < 3; ++k) rates[z + k] = out.z_rate[k];
  }
}

// Slots: the diagonal of every bristle; then per listed place the four pairs of its frames, and with bristles per
// frame three forces of z, per bristle two frames and three bristles.
void ContactGroup::connect(std::span<const int> modes, Connectivity& connectivity, std::vector<int>& slots) const {
  for (int i = 0; i < n_states(); ++i) slots.push_back(connectivity.state_state(first_state_ + i, first_state_ + i));
  if (capacity_ == 0) return;
  for (int i = 0; i < modes[0]; ++i) {
    const Place p = place(modes, i);
    const int frame[2] = {geometry_[p.a].frame, geometry_[p.b].frame};
    for (int r : frame)
      for (int c : frame) slots.push_back(connectivity.pair(r, c));
    if (!bristled(p)) continue;
    const int z = first_state_ + 3 * p.slot;
    for (int f : frame)
      for (int k = 0; k < 3; ++k) slots.push_back(connectivity.state_force(f, z + k));
    for (int k = 0; k < 3; ++k) {
      for (int f : frame) slots.push_back(connectivity.state_rate(z + k, f));
      for (int other = 0; other < 3; ++other) slots.push_back(connectivity.state_state(z + k, z + other));
    }
  }
}

void ContactGroup::add_planes(const KinematicState& state, PlaneSet set, std::span<const int> all_slots,
                              FramePlanes& planes) const {
  if (capacity_ == 0) return;
  const bool wants_K = contains(set, PlaneSet::K), wants_D = contains(set, PlaneSet::D);
  const bool wants_states = has_bristles_ && contains(set, PlaneSet::internal);
  if (!wants_K && !wants_D && !wants_states) return;
  using D6 = Dual<6>;
  const int* slot = all_slots.data();
  const int* diagonal = slot;
  if (wants_states)
    for (int i = 0; i < n_states(); ++i) planes.g_z[diagonal[i]] += 1.0 / bristle_decay;  // of the row ż − g
  slot += n_states();
  for (int i = 0; i < state.modes[0]; ++i) {
    const Place p = place(state.modes, i);
    const Geometry &ga = geometry_[p.a], &gb = geometry_[p.b];
    const Frame<double>* f[2] = {&state.frames[ga.frame], &state.frames[gb.frame]};
    const FrictionLaw& friction = laws_[p.law].law.friction;
    const bool bristles = bristled(p);
    const int* own = slot;
    const int *of_force = own + 4, *of_rate = own + 10;
    slot += 4 + (bristles ? 6 + 15 : 0);
    if (is_foundation(p)) {
      add_foundation_planes(state, p, set, own, diagonal, planes);
      continue;
    }
    const Touch<double> touch = calc_touch(ga.shape, *f[0], gb.shape, *f[1], p.feature);
    if (!(touch.depth > 0.0)) continue;
    const NormalLaw normal = normal_law(p);
    const int z = first_state_ + 3 * p.slot;
    Vec3<double> bristle = Vec3<double>::Zero();
    if (bristles) bristle = {state.z[z], state.z[z + 1], state.z[z + 2]};

    // Without the motion of the surfaces: by the velocity u of a against b (the first three seeds) and by the bristles
    // in the axes of a (the others).
    Touch<D6> still{D6(touch.depth), trammel::lift<D6>(touch.n), trammel::lift<D6>(touch.point)};
    const Vec3<double> relative = velocity_at(*f[0], touch.point) - velocity_at(*f[1], touch.point);
    const Vec3<double> world_bristle = f[0]->R * bristle;
    Vec3<D6> u = trammel::lift<D6>(relative), moved_bristle = trammel::lift<D6>(world_bristle);
    for (int k = 0; k < 3; ++k) {
      u[k].d[k] = 1.0;
      for (int l = 0; l < 3; ++l) moved_bristle[l].d[3 + k] = f[0]->R(l, k);
    }
    const ContactForce<D6> force = calc_contact_force(still, u, normal, friction, moved_bristle);
    if (!force.presses) continue;

    // u = L_a (twist of a) − L_b (twist of b), L = (1, −R ŝ) with the arm s of the point; the wrenches are −L_aᵀF and
    // L_bᵀF.
    Eigen::Matrix<double, 3, 6> L[2];
    for (int c = 0; c < 2; ++c) {
      L[c].leftCols<3>().setIdentity();
      L[c].rightCols<3>() = -f[c]->R * hat<double>(Vec3<double>(f[c]->R.transpose() * (touch.point - f[c]->p)));
      if (c == 1) L[c] = -L[c];
    }
    const auto slope = [](const Vec3<D6>& x, int first) {
      Eigen::Matrix3d d;
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) d(r, c) = x[r].d[first + c];
      return d;
    };
    if (wants_D) {
      const Eigen::Matrix3d F_u = slope(force.F, 0);
      for (int c = 0; c < 2; ++c) {
        const Eigen::Matrix<double, 3, 6> by_twist = F_u * L[c];
        for (int r = 0; r < 2; ++r)
          if (own[2 * r + c] >= 0) planes.D[own[2 * r + c]] += L[r].transpose() * by_twist;
      }
    }
    if (bristles && wants_states) {
      const Eigen::Matrix3d F_z = slope(force.F, 3), to_a = f[0]->R.transpose();
      const Eigen::Matrix3d rate_u = to_a * slope(force.z_rate, 0), rate_z = to_a * slope(force.z_rate, 3);
      for (int r = 0; r < 2; ++r) {
        const Eigen::Matrix<double, 6, 3> by_bristle = L[r].transpose() * F_z;
        for (int k = 0; k < 3; ++k)
          if (of_force[3 * r + k] >= 0) planes.f_z[of_force[3 * r + k]] += by_bristle.col(k).transpose();
      }
      for (int c = 0; c < 2; ++c) {
        const Eigen::Matrix<double, 3, 6> by_twist = rate_u * L[c];
        for (int k = 0; k < 3; ++k)
          if (of_rate[5 * k + c] >= 0) planes.g_v[of_rate[5 * k + c]] -= by_twist.row(k);
      }
      for (int k = 0; k < 3; ++k) {
        planes.g_z[diagonal[3 * p.slot + k]] -= 1.0 / bristle_decay;  // here the law holds instead
        for (int other = 0; other < 3; ++other) planes.g_z[of_rate[5 * k + 2 + other]] -= rate_z(k, other);
      }
    }

    // By the poses, which move the surfaces as well: by hand, or by a sweep per frame that has columns.
    if (!wants_K && !(bristles && wants_states)) continue;
    if (!bristles && gb.shape.kind == ContactShape::Kind::sphere && detail::is_simple(ga.shape)) {
      for (int c = 0; c < 2; ++c) {
        if (own[3 * c] < 0) continue;
        Block6* const K[2] = {own[c] < 0 ? nullptr : &planes.K[own[c]],
                              own[2 + c] < 0 ? nullptr : &planes.K[own[2 + c]]};
        detail::subtract_pose_derivatives(ga.shape, gb.shape, f, touch, normal, friction, c, K);
      }
      continue;
    }
    const Vec3<D6> held_bristle = trammel::lift<D6>(bristle);
    Frame<D6> lifted[2] = {lift<D6>(*f[0]), lift<D6>(*f[1])};
    for (int c = 0; c < 2; ++c) {
      if (own[3 * c] < 0) continue;
      lifted[c] = seed_position(*f[c]);
      const ContactOutput<D6> out =
          calc_contact<D6>(ga.shape, lifted[0], gb.shape, lifted[1], p.feature, normal, friction, held_bristle);
      lifted[c] = lift<D6>(*f[c]);
      if (wants_K)
        for (int r = 0; r < 2; ++r)
          if (own[2 * r + c] >= 0) subtract_derivative(out.w[r], planes.K[own[2 * r + c]]);
      if (bristles && wants_states)
        for (int k = 0; k < 3; ++k)
          for (int d = 0; d < 6; ++d) planes.g_q[of_rate[5 * k + c]][d] -= out.z_rate[k].d[d];
    }
  }
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
  const Vec3<double> v = relative - report.rate * touch.n;
  report.slip = v.norm();
  if (!(touch.depth > 0.0)) return report;
  Vec3<double> z = Vec3<double>::Zero();
  if (bristled(p)) {
    const int first = first_state_ + 3 * p.slot;
    z = {state.z[first], state.z[first + 1], state.z[first + 2]};
  }
  if (is_foundation(p)) {
    const ContactLaw& law = laws_[p.law].law;
    const detail::FoundationSums sums = detail::sum_foundation({soft_[p.a], gb.shape, law}, fa, fb, z);
    report.indicator = touch.depth * std::min(1.0, 1.0 + law.normal.damping * report.rate);
    if (!(sums.normal_force > 0.0)) return report;
    report.normal_force = sums.normal_force, report.pressure = sums.pressure;
    report.n = sums.n, report.point = sums.point, report.friction = sums.friction;
    return report;
  }
  const NormalLaw normal = normal_law(p);
  const double raw = detail::raw_force(normal, touch.depth, report.rate);
  if (raw <
      normal.stiffness * detail::raise(touch.depth, normal.kind == NormalLaw::Kind::linear ? 1.0 : normal.exponent))
    report.indicator = std::min(report.indicator, raw / normal.stiffness);
  if (!(raw > 0.0)) return report;
  report.normal_force = raw;
  if (bristled(p)) {
    z = fa.R * z;
    z -= touch.n * touch.n.dot(z);
  }
  report.friction = raw * detail::friction_ratio(laws_[p.law].law.friction, v, z);
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
      energy += detail::sum_foundation({soft_[p.a], gb.shape, laws_[p.law].law}, state.frames[ga.frame],
                                       state.frames[gb.frame], Vec3<double>::Zero())
                    .energy;
    else if (detail::find_touch(ga.shape, state.frames[ga.frame], gb.shape, state.frames[gb.frame], p.feature, touch))
      energy += detail::stored_energy(normal_law(p), touch.depth);
  }
  return energy;
}

// Wrench·twist of both sides is −N ȧ − F_t·v_t; the stored energy grows by f(a, 0) ȧ.
double ContactGroup::power(const KinematicState& state) const {
  if (capacity_ == 0) return 0.0;
  const Listed::Balls& balls = Listed::Balls::of(*this, state.modes);
  double power = balls.calc_power(*this, state.frames);
  for (const int i : balls.others) {
    const Place& p = balls.places[i];
    const Geometry &ga = geometry_[p.a], &gb = geometry_[p.b];
    if (is_foundation(p)) {
      const int first = first_state_ + 3 * p.slot;
      Vec3<double> z = Vec3<double>::Zero();
      if (bristled(p)) z = {state.z[first], state.z[first + 1], state.z[first + 2]};
      power += detail::sum_foundation({soft_[p.a], gb.shape, laws_[p.law].law}, state.frames[ga.frame],
                                      state.frames[gb.frame], z)
                   .power;
      continue;
    }
    Touch<double> touch;
    if (!detail::find_touch(ga.shape, state.frames[ga.frame], gb.shape, state.frames[gb.frame], p.feature, touch))
      continue;
    const Report report = calc_report(state, p);
    const Vec3<double> relative =
        velocity_at(state.frames[ga.frame], report.point) - velocity_at(state.frames[gb.frame], report.point);
    power += detail::raw_force(normal_law(p), report.depth, 0.0) * report.rate - report.normal_force * report.rate -
             report.friction.dot(relative);
  }
  return power;
}

}  // namespace trammel
