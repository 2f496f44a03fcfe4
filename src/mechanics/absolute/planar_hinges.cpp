// SPDX-License-Identifier: Apache-2.0
#include "planar_hinges.h"

#include <algorithm>
#include <cmath>

#include "trammel/mechanics/elements/constraint_group.h"
#include "trammel/mechanics/elements/constraints.h"

namespace trammel::detail {

namespace {

using Plane = Coincident<2>;
constexpr std::array<double, 2> sign_of_side{-1.0, 1.0};  // A, B

// The rows act along the axes of the frame's own coordinates, and ⊥ is a turn by a positive angle.
bool lies_along(const Plane::Params& c, const FrameMap& map) {
  if (map.kind != FrameMap::Kind::planar) return false;
  const Eigen::Vector3d e1 = map.S.block<3, 1>(0, 0), e2 = map.S.block<3, 1>(0, 1);
  const bool same = c.e.row(0).transpose() == e1 && c.e.row(1).transpose() == e2;
  return same && e1.cross(e2).dot(map.R0 * map.axis()) > 0.0;
}

struct Arm {
  double x, y;
};
// P of (1).
Arm turned(const std::array<double, 2>& a, const PlanarHinges::Turn& turn) {
  return {turn.cosine * a[0] - turn.sine * a[1], turn.cosine * a[1] + turn.sine * a[0]};
}

}  // namespace

PlanarHinges::PlanarHinges(const AbsoluteSystem& system) {
  const ConstraintGroup<Plane>* found = nullptr;
  for (const auto& group : system.groups())
    if (const auto* points = dynamic_cast<const ConstraintGroup<Plane>*>(group.get())) found = points;
  if (!found || found->size() == 0) return;
  std::vector<char> turns(static_cast<std::size_t>(system.n_frames()), 0);  // frames whose angle is needed
  for (int e = 0; e < found->size(); ++e) {
    const auto& element = found->element(e);
    Hinge hinge;
    bool serves = true;
    for (int i = 0; i < 2; ++i) {
      serves = serves && element.input[i] < 0;
      hinge.row[i] = system.active_row(element.row + i);
    }
    for (int k = 0; k < 2; ++k) {
      const FrameMap& map = system.frame_map(element.frame[k]);
      const Eigen::Vector3d& s = k == 0 ? element.params.s_a : element.params.s_b;
      const bool moves = map.kind != FrameMap::Kind::ground;
      serves = serves && (!moves || lies_along(element.params, map));
      const Eigen::Vector3d fixed = moves ? Eigen::Vector3d(map.p0 + map.R_fixed * s) : s;
      for (int i = 0; i < 2; ++i) {
        hinge.constant[i] += sign_of_side[k] * element.params.e.row(i).dot(fixed);
        if (moves) hinge.side[k].a[i] = element.params.e.row(i).dot(map.R_cos * s);
      }
      if (!moves) continue;
      hinge.side[k].frame = element.frame[k];
      hinge.side[k].offset = map.offset;
      turns[element.frame[k]] = 1;
    }
    if (!serves) {
      hinges_.clear();
      return;
    }
    hinges_.push_back(hinge);
  }
  group_ = found;
  alone_ = system.nz() == 0;
  for (const auto& group : system.groups())
    alone_ = alone_ && (group.get() == group_ || (group->size() == 0 && group->n_modes() == 0));
  for (int f = 1; f < system.n_frames(); ++f) {
    const FrameMap& map = system.frame_map(f);
    alone_ = alone_ && map.kind == FrameMap::Kind::planar;
    if (turns[f]) turning_.push_back({f, map.offset + 2});
    const Eigen::Vector2d weight = map.mass * map.S.topLeftCorner<3, 2>().transpose() * system.gravity();
    bodies_.push_back({map.offset, map.mass, map.axial_inertia, {weight[0], weight[1]}});
  }
}

void PlanarHinges::update_turns(ConstVec q, std::span<Turn> turns) const {
  for (const Turning& body : turning_) turns[body.frame] = {std::cos(q[body.angle]), std::sin(q[body.angle])};
}

void PlanarHinges::calc_balance(ConstVec a, Vec motion) const {
  for (const Body& body : bodies_) {
    for (int i = 0; i < 2; ++i) motion[body.offset + i] = body.mass * a[body.offset + i] - body.weight[i];
    motion[body.offset + 2] = body.inertia * a[body.offset + 2];
  }
}

// (2)
template <bool stabilized>
void PlanarHinges::add(const MotionPoint& p, const double* mu, std::span<const Turn> turns, double* motion, double* phi,
                       double* phi_dot, double* kinematic) const {
  const auto force = [](const Hinge& hinge, const double* multipliers, int i) {
    return hinge.row[i] < 0 ? 0.0 : multipliers[hinge.row[i]];
  };
  for (const Hinge& hinge : hinges_) {
    const double lam_x = force(hinge, p.lam.data(), 0), lam_y = force(hinge, p.lam.data(), 1);
    const double mu_x = stabilized ? force(hinge, mu, 0) : 0.0, mu_y = stabilized ? force(hinge, mu, 1) : 0.0;
    double x = hinge.constant[0], y = hinge.constant[1], x_rate = 0.0, y_rate = 0.0;
    for (int k = 0; k < 2; ++k) {
      const Side& side = hinge.side[k];
      if (side.offset < 0) continue;
      const double sign = sign_of_side[k];
      const Arm P = turned(side.a, turns[side.frame]);
      const double* q = p.q.data() + side.offset;
      x += sign * (q[0] + P.x), y += sign * (q[1] + P.y);
      double* on_body = motion + side.offset;
      on_body[0] += sign * lam_x, on_body[1] += sign * lam_y;
      on_body[2] += sign * (P.x * lam_y - P.y * lam_x);
      if constexpr (stabilized) {
        const double* v = p.v.data() + side.offset;
        x_rate += sign * (v[0] - v[2] * P.y), y_rate += sign * (v[1] + v[2] * P.x);
        double* rate = kinematic + side.offset;
        rate[0] += sign * mu_x, rate[1] += sign * mu_y;
        rate[2] += sign * (P.x * mu_y - P.y * mu_x);
      }
    }
    if (hinge.row[0] >= 0) phi[hinge.row[0]] = x;
    if (hinge.row[1] >= 0) phi[hinge.row[1]] = y;
    if constexpr (stabilized) {
      if (hinge.row[0] >= 0) phi_dot[hinge.row[0]] = x_rate;
      if (hinge.row[1] >= 0) phi_dot[hinge.row[1]] = y_rate;
    }
  }
}

void PlanarHinges::add_rows(const MotionPoint& p, std::span<const Turn> turns, Vec motion, Vec phi) const {
  add<false>(p, nullptr, turns, motion.data(), phi.data(), nullptr, nullptr);
}

void PlanarHinges::add_stabilized_rows(const MotionPoint& p, ConstVec mu, std::span<const Turn> turns, Vec motion,
                                       Vec phi, Vec phi_dot, Vec kinematic) const {
  add<true>(p, mu.data(), turns, motion.data(), phi.data(), phi_dot.data(), kinematic.data());
}

PlanarHinges::Slots PlanarHinges::make_slots(const MotionPatterns& patterns) const {
  Slots slots;
  for (const Hinge& hinge : hinges_) {
    std::array<Slots::Side, 2> sides;
    for (int k = 0; k < 2; ++k) {
      const int offset = hinge.side[k].offset;
      if (offset < 0) continue;
      for (int i = 0; i < 2; ++i) {
        if (hinge.row[i] < 0) continue;
        sides[k].position[i] = patterns.constraint.slot(hinge.row[i], offset + i);
        sides[k].angle[i] = patterns.constraint.slot(hinge.row[i], offset + 2);
      }
      sides[k].curvature = patterns.motion.slot(offset + 2, offset + 2);
    }
    slots.hinges.push_back(sides);
  }
  if (!alone_) return slots;
  for (const Body& body : bodies_) {
    std::array<int, 3> diagonal;
    for (int i = 0; i < 3; ++i) diagonal[i] = patterns.motion.slot(body.offset + i, body.offset + i);
    slots.masses.push_back(diagonal);
  }
  return slots;
}

// (3)
void PlanarHinges::add_planes(const MotionPoint& p, PlaneSet set, std::span<const Turn> turns, const Slots& slots,
                              MotionPlanes& planes) const {
  if (alone_) {
    const auto clear = [&](PlaneSet plane, std::vector<double>& values) {
      if (contains(set, plane)) std::fill(values.begin(), values.end(), 0.0);
    };
    clear(PlaneSet::M, planes.M), clear(PlaneSet::D, planes.D), clear(PlaneSet::K, planes.K);
    clear(PlaneSet::K_lam, planes.K_lam), clear(PlaneSet::G, planes.G), clear(PlaneSet::Gv_q, planes.Gv_q);
    for (std::size_t b = 0; contains(set, PlaneSet::M) && b < bodies_.size(); ++b) {
      const auto& [x, y, angle] = slots.masses[b];
      planes.M[x] = planes.M[y] = bodies_[b].mass;
      planes.M[angle] = bodies_[b].inertia;
    }
  }
  const bool wants_G = contains(set, PlaneSet::G), wants_K = contains(set, PlaneSet::K_lam);
  const bool wants_rate = contains(set, PlaneSet::Gv_q);
  if (!wants_G && !wants_K && !wants_rate) return;
  for (std::size_t h = 0; h < hinges_.size(); ++h) {
    const Hinge& hinge = hinges_[h];
    for (int k = 0; k < 2; ++k) {
      const Side& side = hinge.side[k];
      if (side.offset < 0) continue;
      const Slots::Side& at = slots.hinges[h][k];
      const double sign = sign_of_side[k], rate = p.v[side.offset + 2];
      const Arm arm = turned(side.a, turns[side.frame]);
      const std::array<double, 2> P{arm.x, arm.y}, across{-arm.y, arm.x};
      for (int i = 0; i < 2; ++i) {
        if (hinge.row[i] < 0) continue;
        if (wants_G) planes.G[at.position[i]] += sign, planes.G[at.angle[i]] += sign * across[i];
        if (wants_rate) planes.Gv_q[at.angle[i]] -= sign * rate * P[i];
        if (wants_K) planes.K_lam[at.curvature] -= sign * P[i] * p.lam[hinge.row[i]];
      }
    }
  }
}

}  // namespace trammel::detail
