// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <Eigen/Cholesky>

#include "plane_assembly.h"
#include "trammel/mechanics/absolute/absolute_system.h"

// Bodies that no row connects: accelerations without any matrix.

namespace trammel {

namespace {

bool has_inertia(const FrameMap& map) {
  switch (map.kind) {
    case FrameMap::Kind::rigid:
      return map.mass > 0.0 && map.inertia.llt().info() == Eigen::Success;
    case FrameMap::Kind::planar:
      return map.mass > 0.0 && map.axial_inertia > 0.0;
    case FrameMap::Kind::particle:
      return map.mass > 0.0;
    case FrameMap::Kind::scalar:
      return false;
    case FrameMap::Kind::ground:
      break;
  }
  return true;
}

}  // namespace

std::string AbsoluteSystem::explicit_refusal() const {
  if (nc_ > 0) return "there are constraint rows";
  for (const FrameMap& map : frames_)
    if (!has_inertia(map)) return fmt::format("'{}' has no inertia", map.name);
  for (int z = 0; z < nz(); ++z)
    if (E_[z] == 0.0) return fmt::format("{} is algebraic", describe_state(z));
  return {};
}

// The rows of motion at v̇ = 0 are what M v̇ has to balance.
Status AbsoluteSystem::accelerate(const MotionPoint& p, const State& state, Vec a, Vec zp, Workspace& workspace) const {
  auto& ws = static_cast<detail::AbsoluteWorkspace&>(workspace);
  const MotionPoint at{p.t, p.in, p.q, p.v, ws.no_rate.head(nv_), p.z, ws.no_rate.head(nz()), p.lam};
  const Status status = residual(at, state, a, zp, ws.no_rows, workspace);
  zp = -zp;
  for (const FrameMap& map : frames_) {
    double* x = a.data() + map.offset;
    for (int i = 0; i < std::min(map.nv, map.kind == FrameMap::Kind::planar ? 2 : 3); ++i) x[i] /= -map.mass;
    if (map.kind == FrameMap::Kind::planar) x[2] /= -map.axial_inertia;
    if (map.kind != FrameMap::Kind::rigid) continue;
    const Vec3<double> angular = map.inverse_inertia * Vec3<double>(x[3], x[4], x[5]);
    for (int i = 0; i < 3; ++i) x[3 + i] = -angular[i];
  }
  return status;
}

}  // namespace trammel
