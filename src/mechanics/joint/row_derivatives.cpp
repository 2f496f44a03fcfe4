// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/row_derivatives.h"

#include "coordinate_changes.h"
#include "joint_workspace.h"

namespace trammel {

namespace {

class JointRowMotion {
 public:
  JointRowMotion(const JointSystem& system, const detail::JointWorkspace& ws)
      : system_(system), tree_(system.tree()), ws_(ws) {}

  int active_row(int row) const { return ws_.planes.active_rows[static_cast<std::size_t>(row)]; }
  Vec6<double> acceleration(int frame) const {
    Vec6<double> rate = Vec6<double>::Zero();
    if (const int i = system_.link_of(frame); i >= 0) {
      const auto [v_dot, w_dot] = tree_.calc_frame_acceleration(i, ws_.tree);
      rate << v_dot, w_dot;
    }
    return rate;
  }
  template <class Visit>
  void visit_columns(int frame, Visit&& visit) const {
    for (int i = system_.link_of(frame); i >= 0; i = tree_.link(i).parent)
      for (int j = tree_.link(i).offset; j < tree_.link(i).offset + tree_.link(i).nv; ++j) visit(j, i);
  }
  void change(int frame, const detail::RowDirection& direction, int k, FrameChanges& changes) const {
    const int i = system_.link_of(frame), link = direction.link, j = direction.column;
    if (i < link || i >= tree_.link(link).end) return;
    const JointTree::Freedom& s = ws_.tree.freedom[j];
    const Vec3<double> d = ws_.link_frames[i].p - ws_.tree.motion[link].p;
    const detail::FrameView view{ws_.link_frames[i], ws_.tree.motion[i].w, ws_.tree.motion[i].alpha,
                                 tree_.calc_frame_acceleration(i, ws_.tree).first};
    detail::Change c;
    if (direction.by_velocity) {
      detail::calc_velocity_change(s, detail::chart_turn(tree_, link, j, ws_.tree), d, view, c);
      if (tree_.is_travel(link, j)) detail::add_travel_rate_change(ws_.tree.travel[link], view, c);
    } else {
      detail::calc_position_change(s, d, view, true, c);
      if (tree_.is_travel(link, j)) detail::add_travel_change(s, ws_.tree.travel[link], d, view, true, c);
      changes.pose.col(k) = c.pose;
    }
    changes.twist.col(k) = c.twist;
    changes.rate.col(k) = c.rate;
  }

 private:
  const JointSystem& system_;
  const JointTree& tree_;
  const detail::JointWorkspace& ws_;
};

}  // namespace

bool RowDerivatives::calc(const JointSystem& system, const MotionPoint& p, const State& state, MotionPlanes& planes,
                          Workspace& workspace) {
  detail::JointWorkspace& ws = static_cast<detail::JointWorkspace&>(workspace);
  const KinematicState k = system.update_kinematics(p, state, workspace);
  system.tree().update_accelerations(p.v, p.a, p.in, ws.tree);
  return differentiate(k, JointRowMotion(system, ws), planes);
}

}  // namespace trammel
