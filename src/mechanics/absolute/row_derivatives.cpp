// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/row_derivatives.h"

namespace trammel {

namespace {

/// twist = S v with a constant S: rates of twists change with nothing but v̇.
class AbsoluteRowMotion {
 public:
  AbsoluteRowMotion(const AbsoluteSystem& system, const MotionPoint& p) : system_(system), p_(p) {}

  int active_row(int row) const { return system_.active_row(row); }
  Vec6<double> acceleration(int frame) const {
    const FrameMap& map = system_.frame_map(frame);
    Vec6<double> sum = Vec6<double>::Zero();
    for (int k = 0; k < map.nv; ++k) sum += p_.a[map.offset + k] * column_of(map, k);
    return sum;
  }
  template <class Visit>
  void visit_columns(int frame, Visit&& visit) const {
    const FrameMap& map = system_.frame_map(frame);
    for (int k = 0; k < map.nv; ++k) visit(map.offset + k, frame);
  }
  void change(int frame, const detail::RowDirection& direction, int k, FrameChanges& changes) const {
    if (direction.link != frame) return;
    const FrameMap& map = system_.frame_map(frame);
    (direction.by_velocity ? changes.twist : changes.pose).col(k) = column_of(map, direction.column - map.offset);
  }

 private:
  static Vec6<double> column_of(const FrameMap& map, int k) {
    if (map.kind == FrameMap::Kind::planar) return map.S.col(k);
    return Vec6<double>::Unit(k);
  }

  const AbsoluteSystem& system_;
  const MotionPoint& p_;
};

}  // namespace

RowDerivatives::RowDerivatives(const AbsoluteSystem& machine) {
  for (const auto& group : machine.groups())
    if (const auto* rows = dynamic_cast<const ConstraintElements*>(group.get()); rows != nullptr && rows->size() > 0) {
      rows_.push_back(rows);
      exact_.push_back(dynamic_cast<const RowAccelerations*>(group.get()));
    }
}

bool RowDerivatives::calc(const AbsoluteSystem& system, const MotionPoint& p, const State& state, MotionPlanes& planes,
                          Workspace& workspace) {
  const KinematicState k = system.update_kinematics(p, state, workspace);
  return differentiate(k, AbsoluteRowMotion(system, p), planes);
}

}  // namespace trammel
