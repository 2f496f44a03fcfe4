// SPDX-License-Identifier: Apache-2.0
#include "joint_workspace.h"
#include "trammel/math/rotations.h"

// Columns of a frame's Jacobian, one per freedom on its path to the ground.
//
// A freedom is a field of velocity, σ everywhere and ν(x) = ν + σ × (x − o). What carries it moves by (w₋, v₋(x)), so
// that seen from the ground the field changes by its bracket with that motion; at a point p that moves with v:
//
//   (1) J_k  = (ν(p), σ)
//   (2) J̇_k = (w₋ × ν(p) + v₋(p) × σ + σ × v + χ × (p − o),  w₋ × σ + χ)
//
// χ = ω × σ for the freedoms of a chart, which turn with the joint's own velocity ω; else 0. The way along a track
// changes with itself, by ṡκ′ times a turn about z through the point of the track (joint_planes.cpp).

namespace trammel {

void JointSystem::calc_jacobian(const MotionPoint& p, const State& state, int frame, Eigen::Ref<Eigen::MatrixXd> J,
                                Eigen::Ref<Eigen::MatrixXd> J_rate, Workspace& workspace) const {
  using V3 = Vec3<double>;
  detail::JointWorkspace& ws = static_cast<detail::JointWorkspace&>(workspace);
  const KinematicState k = update_kinematics(p, state, workspace);
  J.setZero(), J_rate.setZero();
  const Frame<double>& f = k.frames[static_cast<std::size_t>(frame)];
  for (int i = link_of_frame_[static_cast<std::size_t>(frame)]; i >= 0; i = tree_.link(i).parent) {
    const JointTree::Link& link = tree_.link(i);
    const JointTree::Motion& motion = ws.tree.motion[static_cast<std::size_t>(i)];
    const V3 d = f.p - motion.p;
    for (int c = link.offset; c < link.offset + link.nv; ++c) {
      const JointTree::Freedom& s = ws.tree.freedom[static_cast<std::size_t>(c)];
      const bool in_chart = link.chart >= 0 && c >= link.offset + link.nv - 3;
      const V3 chi = in_chart ? cross(V3(motion.w - s.w_before), s.sigma) : V3(V3::Zero());
      const V3 nu = s.nu + cross(s.sigma, d), v_before = s.v_before + cross(s.w_before, d);
      V3 linear = cross(s.w_before, nu) + cross(v_before, s.sigma) + cross(s.sigma, f.v) + cross(chi, d);
      V3 angular = cross(s.w_before, s.sigma) + chi;
      if (tree_.is_travel(i, c)) {
        const JointTree::Travel& travel = ws.tree.travel[static_cast<std::size_t>(i)];
        const V3 z = travel.s_dot * travel.dkappa * V3::UnitZ();
        linear += cross(z, V3(f.p - travel.C)), angular += z;
      }
      J.col(c) << nu, s.sigma;
      J_rate.col(c) << linear, angular;
    }
  }
}

}  // namespace trammel
