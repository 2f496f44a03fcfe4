// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/turns.h"

#include <optional>

#include "trammel/mechanics/absolute/absolute_system.h"

namespace trammel {

namespace {

constexpr double off_axis = 0.5;  // [rad]

// n·θ, nothing if θ leaves the axis.
std::optional<double> turned_about(const Vec3<double>& n, const Vec3<double>& theta) {
  const double along_axis = dot(n, theta);
  if (theta.squaredNorm() - along_axis * along_axis > off_axis * off_axis) return std::nullopt;
  return along_axis;
}

}  // namespace

// What a planar frame contributes to (3): its angle about the axis n, in its own axes.
double AbsoluteSystem::planar_turn(int frame, const Vec3<double>& n, ConstVec q) const {
  const FrameMap& map = frames_[frame];
  return map.kind == FrameMap::Kind::planar ? map.axis().dot(n) * q[map.offset + 2] : 0.0;
}

double AbsoluteSystem::planar_turns(const BranchMap& branch, const Frame<double>* f, ConstVec q) const {
  const Vec3<double> n_B = rotate_back(f[1].R, Vec3<double>(rotate(f[0].R, branch.x.a3)));
  return planar_turn(branch.frame[1], n_B, q) - planar_turn(branch.frame[0], branch.x.a3, q);
}

double AbsoluteSystem::expect_angle(const BranchMap& branch, const Branch& last, const Frame<double>* f, ConstVec q,
                                    double t, const State& state) const {
  if (turns_little(f[0], f[1], last, t - last.t)) return last.predict(t);  // (1)
  const Vec3<double> n[2] = {branch.x.a3, rotate_back(f[1].R, Vec3<double>(rotate(f[0].R, branch.x.a3)))};
  double turned = planar_turns(branch, f, q) - last.planar_turns;
  for (int side = 0; side < 2; ++side) {
    const FrameMap& map = frames_[branch.frame[side]];
    if (map.kind != FrameMap::Kind::rigid) continue;
    const std::optional<double> now = turned_about(n[side], q.segment<3>(map.offset + 3)),
                                before = turned_about(n[side], state.charts[map.chart].theta);
    if (!now || !before) return expected_angle(branch.x, f, last, t);  // (2)
    turned += (side == 0 ? -1.0 : 1.0) * (*now - *before);
  }
  return last.angle + turned;  // (3)
}

}  // namespace trammel
