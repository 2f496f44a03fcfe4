// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cctype>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "trammel/mechanics/elements/group.h"
#include "trammel/mechanics/elements/relative_coordinate.h"

// Frames that no system knows: elements are tested from frame data alone, at random places off the constraint manifold.
namespace trammel::testing {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double number(double low = -1.0, double high = 1.0) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  Eigen::Vector3d vector(double size = 1.0) { return {number(-size, size), number(-size, size), number(-size, size)}; }
  Eigen::Vector3d direction() { return (vector() + Eigen::Vector3d(0.1, 0.2, 1.5)).normalized(); }
  Eigen::Matrix3d rotation(double angle = 2.0) { return exp_so3(Vec3<double>(vector(angle))); }

 private:
  std::mt19937 engine_;
};

/// "coupled joint coordinates" of 4 frames -> "coupled_joint_coordinates_4".
inline std::string test_name(std::string text, int n_frames) {
  for (char& c : text)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return text + "_" + std::to_string(n_frames);
}

/// A right-handed triad a₁, a₂, a₃ and points: every coordinate of a joint at once.
inline RelativeCoordinate random_coordinate(Random& random, RelativeCoordinate::Type type) {
  RelativeCoordinate x;
  const Eigen::Matrix3d A = random.rotation();
  x.type = type;
  x.a1 = A.col(0), x.a2 = A.col(1), x.a3 = A.col(2);
  x.b = random.direction();
  x.s_a = random.vector(), x.s_b = random.vector();
  x.zero = random.number();
  return x;
}

/// The instant at which an element is evaluated. One input u = sin(2t + 0.3).
struct FrameInstant {
  std::vector<Frame<double>> frames;  // 0 is the ground
  std::vector<double> lam, z, turns;
  double u[1], ud[1], udd[1];

  FrameInstant(Random& random, int n_frames, int n_rows, double spread = 1.0) {
    Frame<double> ground;
    ground.R.setIdentity();
    ground.p.setZero(), ground.v.setZero(), ground.w.setZero();
    frames.push_back(ground);
    for (int i = 0; i < n_frames; ++i)
      frames.push_back({random.rotation(spread), random.vector(2.0), random.vector(2.0), random.vector(2.0)});
    for (int i = 0; i < n_rows; ++i) lam.push_back(random.number(-5.0, 5.0));
    for (int i = 0; i < n_frames; ++i) turns.push_back(random.number(-20.0, 20.0));
    set_time(0.0);
  }
  void set_time(double t) {
    u[0] = std::sin(2 * t + 0.3), ud[0] = 2 * std::cos(2 * t + 0.3), udd[0] = -4 * std::sin(2 * t + 0.3);
  }
  KinematicState state() const { return {frames, {u, ud, udd}, lam, z, turns}; }

  /// δp in the world, δβ in body axes: R ← R exp(β̂).
  FrameInstant moved(int frame, int k, double eps) const {
    FrameInstant at = *this;
    if (k < 3)
      at.frames[frame].p[k] += eps;
    else
      at.frames[frame].R = frames[frame].R * exp_so3(Vec3<double>(eps * Eigen::Vector3d::Unit(k - 3)));
    return at;
  }
  FrameInstant with_twist(int frame, int k, double eps) const {
    FrameInstant at = *this;
    (k < 3 ? at.frames[frame].v[k] : at.frames[frame].w[k - 3]) += eps;
    return at;
  }
  /// Every frame moves on with constant v (world) and ω (body), the input with time.
  FrameInstant later(double t) const {
    FrameInstant at = *this;
    for (Frame<double>& f : at.frames) {
      f.p += t * f.v;
      f.R = f.R * exp_so3(Vec3<double>(t * f.w));
    }
    at.set_time(t);
    return at;
  }
  /// Everything turned by Q about the origin and shifted by c, a change of the observer that elements must not feel.
  FrameInstant seen_from(const Eigen::Matrix3d& Q, const Eigen::Vector3d& c) const {
    FrameInstant at = *this;
    for (Frame<double>& f : at.frames) {
      f.p = Q * f.p + c;
      f.v = Q * f.v;
      f.R = Q * f.R;
    }
    return at;
  }
  FrameInstant at_rest() const {
    FrameInstant at = *this;
    for (Frame<double>& f : at.frames) f.v.setZero(), f.w.setZero();
    return at;
  }
};

/// Registers everything; frame 0 does not move.
class FrameConnectivity final : public Connectivity {
 public:
  int pair(int i, int j) override { return i && j ? slot(pairs, i, j) : -1; }
  int row(int r, int f) override { return f ? slot(rows, r, f) : -1; }
  int reaction(int f, int r) override { return f ? slot(reactions, f, r) : -1; }
  int state_force(int f, int z) override { return f ? slot(state_forces, f, z) : -1; }
  int state_rate(int z, int f) override { return f ? slot(state_rates, z, f) : -1; }
  int state_state(int z, int other) override { return slot(state_states, z, other); }
  int state_lam(int z, int r) override { return slot(state_lams, z, r); }

  using Slots = std::map<std::pair<int, int>, int>;
  Slots pairs, rows, reactions, state_forces, state_rates, state_states, state_lams;

 private:
  static int slot(Slots& slots, int i, int j) {
    return slots.try_emplace({i, j}, static_cast<int>(slots.size())).first->second;
  }
};

/// The planes of one group at an instant.
struct GroupPlanes {
  FrameConnectivity connectivity;
  FramePlanes planes;

  GroupPlanes(const ElementGroup& group, const FrameInstant& at, PlaneSet set = PlaneSet::all) {
    std::vector<int> slots;
    group.connect({}, connectivity, slots);
    const auto fill = [](auto& plane, const FrameConnectivity::Slots& entries) {
      plane.resize(entries.size());
      for (auto& entry : plane) entry.setZero();
    };
    for (auto* plane : {&planes.M, &planes.D, &planes.K, &planes.K_lam}) plane->resize(connectivity.pairs.size());
    for (auto* plane : {&planes.G, &planes.Gv_q}) fill(*plane, connectivity.rows);
    fill(planes.f_lam, connectivity.reactions);
    fill(planes.f_z, connectivity.state_forces);
    for (auto* plane : {&planes.g_q, &planes.g_v}) fill(*plane, connectivity.state_rates);
    planes.g_z.assign(connectivity.state_states.size(), 0.0);
    planes.g_lam.assign(connectivity.state_lams.size(), 0.0);
    group.add_planes(at.state(), set, slots, planes);
  }
  Block6 block(const BlockPlane& plane, int i, int j) const {
    const auto it = connectivity.pairs.find({i, j});
    return it == connectivity.pairs.end() ? Block6(Block6::Zero()) : plane[it->second];
  }
  Row6 row(const std::vector<Row6>& plane, int r, int f) const {
    const auto it = connectivity.rows.find({r, f});
    return it == connectivity.rows.end() ? Row6(Row6::Zero()) : plane[it->second];
  }
};

/// Applied forces and constraint forces on every frame, frame 0 included.
inline std::vector<Wrench<double>> wrenches(const ElementGroup& group, const FrameInstant& at) {
  std::vector<Wrench<double>> w(at.frames.size(), zero_wrench<double>());
  std::vector<double> phi(at.lam.size() + 1), rates(at.z.size() + 1);
  group.add_forces(at.state(), w, rates);
  group.add_constraints(at.state(), phi, w);
  return w;
}

inline Row6 numbers_of(const Wrench<double>& w) {
  return (Row6() << w.force.transpose(), w.moment.transpose()).finished();
}

/// Σ force and Σ moments about the origin of the world.
struct Sum {
  Eigen::Vector3d force = Eigen::Vector3d::Zero(), moment = Eigen::Vector3d::Zero();
  double size = 0.0;  ///< what cancelled
};
inline Sum total(const std::vector<Wrench<double>>& w, const FrameInstant& at) {
  Sum sum;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const Eigen::Vector3d moment = at.frames[i].R * w[i].moment + at.frames[i].p.cross(w[i].force);
    sum.force += w[i].force;
    sum.moment += moment;
    sum.size += w[i].force.norm() + moment.norm();
  }
  return sum;
}

}  // namespace trammel::testing
