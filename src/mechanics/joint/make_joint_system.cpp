// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "joint_workspace.h"
#include "trammel/math/rotations.h"
#include "trammel/mechanics/absolute/assemble_again.h"
#include "trammel/mechanics/joint/joint_system.h"
#include "trammel/mechanics/kinds/joint_descriptor.h"

// From a topology to links, and between joint and absolute coordinates.

namespace trammel {

using detail::JointWorkspace;

namespace {

using V3 = Vec3<double>;

// Half a turn about x: the axis shows the other way, so that a joint seen from its outer side keeps its sign.
const Eigen::Matrix3d half_turn = Eigen::Vector3d(1.0, -1.0, -1.0).asDiagonal();

double angle_about_z(const Mat3<double>& R) { return std::atan2(R(1, 0) - R(0, 1), R(0, 0) + R(1, 1)); }

double nearest_turn(double angle, double to) {
  constexpr double turn = 2.0 * std::numbers::pi;
  return angle + turn * std::round((to - angle) / turn);
}

}  // namespace

JointSystem::JointSystem(const Model& model, const Topology& topology, Assembly machine)
    : machine_(std::move(machine)) {
  for (const auto& group : machine_.system->groups()) has_elements_ = has_elements_ || group->size() > 0;
  build_tree(model, topology);
  build_bearings(topology);
  finish_rows({});
}

void JointSystem::build_tree(const Model& model, const Topology& topology) {
  const AbsoluteSystem& machine = *machine_.system;
  std::vector<JointTree::Link> links;
  std::vector<int> number(machine.n_frames(), -1);  // of each frame's link in the list
  joints_.assign(model.joints.size(), {});
  const auto begin = [&](int frame) {
    const FrameMap& map = machine.frame_map(frame);
    JointTree::Link link;
    link.tag = frame;
    link.mass = map.mass, link.inertia = map.inertia;
    return link;
  };
  for (const Topology::Step& step : topology.steps) {
    const int frame = machine_.body_frame[step.body];
    JointTree::Link link = begin(frame);
    if (step.joint < 0) {
      const FrameMap& map = machine.frame_map(frame);
      if (map.kind == FrameMap::Kind::planar) {
        link.mobility = Mobility::planar;
        link.R_PB << map.S.block<3, 1>(0, 0), map.S.block<3, 1>(0, 1),
            map.S.block<3, 1>(0, 0).cross(map.S.block<3, 1>(0, 1));
        link.p_PB = map.p0;
        link.R_LF = link.R_PB.transpose() * map.R0;
      } else {
        link.mobility = map.kind == FrameMap::Kind::particle ? Mobility::translation : Mobility::free;
      }
    } else {
      const Assembly::Joint& joint = machine_.joints[step.joint];
      const TreeMotion motion = *model.joints[step.joint].kind->motion(model.joints[step.joint], joint.planar);
      link.mobility = motion.mobility;
      if (joint.track) {  // describes the centre of mass and the body's own axes
        const TrackJointSpec& on = model.joints[step.joint].on_track;
        link.track = joint.track, link.travel = joint.travel;
        link.station = on.station, link.height = on.height;
        link.turns = on.radius > 0.0 ? 1.0 / on.radius : 0.0;
        number[frame] = static_cast<int>(links.size());
        links.push_back(link);
        continue;
      }
      const bool r = step.reversed;
      // A universal joint's second axis becomes the first of the reversed one; signs do not matter there.
      Eigen::Matrix3d base = r ? joint.axes_b : joint.axes_a, outer = r ? joint.axes_a : joint.axes_b;
      if (r && link.mobility == Mobility::universal) {
        // Second axis: z of b and x of a. The same axes in the new order: z of the base, x of the base.
        const Eigen::Matrix3d b = joint.axes_b, a = joint.axes_a;
        base << b.col(1), b.col(2).cross(b.col(1)), b.col(2);
        outer << a.col(2).cross(a.col(0)) * -1.0, a.col(0), a.col(2);
      } else if (r) {
        base = base * half_turn, outer = outer * half_turn;
      }
      const Eigen::Vector3d s_base = r ? joint.s_b : joint.s_a, s_outer = r ? joint.s_a : joint.s_b;
      const int inner = r ? joint.frame_b : joint.frame_a;
      if (inner == 0) {
        link.R_PB = base, link.p_PB = s_base;
      } else {
        const JointTree::Link& parent = links[number[inner]];
        link.parent = number[inner];
        link.R_PB = parent.R_LF * base;
        link.p_PB = parent.p_LF + parent.R_LF * s_base;
      }
      link.R_LF = outer.transpose();
      link.p_LF = -(outer.transpose() * s_outer);
      if (joint.displacement) link.zero = joint.displacement->zero;
      link.lead = motion.lead;
      if (topology.driving[step.joint] >= 0) link.input = machine_.motion_input[topology.driving[step.joint]];
    }
    number[frame] = static_cast<int>(links.size());
    links.push_back(link);
  }
  for (const int frame : machine_.coordinate_frame) {  // slides along x
    JointTree::Link link = begin(frame);
    link.mobility = Mobility::prismatic;
    link.R_PB << 0, 0, 1, 1, 0, 0, 0, 1, 0;
    link.R_LF = link.R_PB.transpose();
    links.push_back(link);
  }
  tree_.finish(std::move(links), machine.gravity());
  link_of_frame_.assign(machine.n_frames(), -1);
  for (int i = 0; i < tree_.size(); ++i) link_of_frame_[tree_.link(i).tag] = i;
  branch_coordinate_.assign(machine.branches().size(), -1);
  branch_input_ = branch_coordinate_;
  for (const Topology::Step& step : topology.steps) {
    if (step.joint < 0) continue;
    const int link = link_of_frame_[machine_.body_frame[step.body]];
    joints_[step.joint] = {link, step.reversed, topology.driving[step.joint]};
    const int branch = machine_.joints[step.joint].angle_branch;
    if (branch < 0) continue;
    const JointTree::Link& l = tree_.link(link);
    if (l.input >= 0)
      branch_input_[branch] = l.input;
    else
      branch_coordinate_[branch] = l.offset + (l.mobility == Mobility::planar ? 2 : 0);
  }
  describe_freedoms(model, topology);
}

void JointSystem::describe_freedoms(const Model& model, const Topology& topology) {
  struct Freedom {
    const char *name, *balance;
    Kind kind;
  };
  constexpr Kind P = Kind::position, R = Kind::rotation;
  static const std::map<Mobility, std::vector<Freedom>> freedoms_of{
      {Mobility::fixed, {}},
      {Mobility::revolute, {{"angle [rad]", "moments about the axis [N m]", R}}},
      {Mobility::prismatic, {{"displacement [m]", "forces along the axis [N]", P}}},
      {Mobility::screw, {{"angle [rad]", "moments and forces of the screw [N m]", R}}},
      {Mobility::cylindrical,
       {{"angle [rad]", "moments about the axis [N m]", R}, {"displacement [m]", "forces along the axis [N]", P}}},
      {Mobility::universal,
       {{"first angle [rad]", "moments about the first axis [N m]", R},
        {"second angle [rad]", "moments about the second axis [N m]", R}}},
      {Mobility::planar,
       {{"in-plane position 1 [m]", "forces in the plane, 1 [N]", P},
        {"in-plane position 2 [m]", "forces in the plane, 2 [N]", P},
        {"angle [rad]", "moments [N m]", R}}},
      {Mobility::spherical,
       {{"rotation about x [rad]", "moments about x [N m]", R},
        {"rotation about y [rad]", "moments about y [N m]", R},
        {"rotation about z [rad]", "moments about z [N m]", R}}},
      {Mobility::translation,
       {{"position x [m]", "forces along x [N]", P},
        {"position y [m]", "forces along y [N]", P},
        {"position z [m]", "forces along z [N]", P}}},
      {Mobility::free,
       {{"position x [m]", "forces along x [N]", P},
        {"position y [m]", "forces along y [N]", P},
        {"position z [m]", "forces along z [N]", P},
        {"rotation about x [rad]", "moments about x [N m]", R},
        {"rotation about y [rad]", "moments about y [N m]", R},
        {"rotation about z [rad]", "moments about z [N m]", R}}},
      {Mobility::track,
       {{"way along the track [m]", "forces along the track [N]", P},
        {"lateral [m]", "lateral forces [N]", P},
        {"vertical [m]", "vertical forces [N]", P},
        {"yaw [rad]", "yaw moments [N m]", R},
        {"roll [rad]", "roll moments [N m]", R},
        {"pitch [rad]", "pitch moments [N m]", R}}},
      {Mobility::guided,
       {{"lateral [m]", "lateral forces [N]", P},
        {"vertical [m]", "vertical forces [N]", P},
        {"yaw [rad]", "yaw moments [N m]", R},
        {"roll [rad]", "roll moments [N m]", R},
        {"pitch [rad]", "pitch moments [N m]", R}}}};
  std::map<int, std::string> owner;  // by frame
  for (const Topology::Step& step : topology.steps)
    owner[machine_.body_frame[step.body]] = step.joint >= 0 ? fmt::format("joint '{}'", model.joints[step.joint].name)
                                                            : fmt::format("body '{}'", model.bodies[step.body].name);
  for (std::size_t i = 0; i < model.coordinates.size(); ++i)
    owner[machine_.coordinate_frame[i]] = fmt::format("coordinate '{}'", model.coordinates[i].name);
  for (const JointTree::Link& link : tree_.links()) {
    if (link.nv == 0) continue;
    const bool scalar = machine_.system->frame_map(link.tag).kind == FrameMap::Kind::scalar;
    for (const Freedom& freedom : freedoms_of.at(link.mobility)) {
      kinds_q_.push_back(freedom.kind);
      coordinate_names_.push_back(scalar ? owner[link.tag] : owner[link.tag] + ", " + freedom.name);
      motion_names_.push_back(owner[link.tag] +
                              (scalar ? ", balance of forces" : std::string(", balance of ") + freedom.balance));
    }
    if (scalar) massless_ = owner[link.tag];
  }
}

// ---- absolute coordinates ------------------------------------------------------------------------------------------

void JointSystem::set_from_frames(std::span<const Frame<double>> frames, double t, MotionVariables& x,
                                  State& state) const {
  x.t = t;
  x.resize(nv(), nz(), nc());
  state.charts.assign(chart_offsets().size(), {});
  struct Pose {
    Mat3<double> R;
    V3 p, w, v;
  };
  InputBuffer inputs;
  const auto pose_of = [&](int i) {
    const JointTree::Link& link = tree_.link(i);
    const Frame<double>& f = frames[link.tag];
    Pose pose;
    pose.R = f.R * link.R_LF.transpose();
    const V3 arm = pose.R * link.p_LF;
    pose.w = f.R * f.w;
    pose.p = f.p - arm;
    pose.v = f.v - cross(pose.w, arm);
    return pose;
  };
  for (int i = 0; i < tree_.size(); ++i) {
    const JointTree::Link& link = tree_.link(i);
    if (link.nv == 0) continue;
    const Pose outer = pose_of(i);
    if (link.track) {
      machine_.system->calc_inputs(t, inputs);
      tree_.set_track_coordinates(i, outer.R, outer.p, outer.w, outer.v, inputs.view(), x.q, x.v);
      continue;
    }
    Pose inner{Mat3<double>::Identity(), V3::Zero(), V3::Zero(), V3::Zero()};
    if (link.parent >= 0) inner = pose_of(link.parent);
    const Mat3<double> B = inner.R * link.R_PB, R = B.transpose() * outer.R;
    const V3 offset = B.transpose() * (outer.p - inner.p - inner.R * link.p_PB);
    const V3 w_W = outer.w - inner.w, w = B.transpose() * w_W;
    const V3 v = B.transpose() * (outer.v - inner.v - cross(inner.w, V3(outer.p - inner.p)));
    double *q = x.q.data() + link.offset, *rate = x.v.data() + link.offset;
    double turns = 0.0;  // the angle that was counted so far
    for (std::size_t b = 0; b < branch_coordinate_.size(); ++b)
      if (branch_coordinate_[b] >= link.offset && branch_coordinate_[b] < link.offset + link.nv)
        turns = state.branches[b].angle;
    const auto set_position = [&] {
      for (int k = 0; k < 3; ++k) q[k] = offset[k], rate[k] = v[k];
    };
    const auto set_chart = [&](int first) {
      state.charts[link.chart].R_ref = R;
      const V3 omega = R.transpose() * w;
      for (int k = 0; k < 3; ++k) q[first + k] = 0.0, rate[first + k] = omega[k];
    };
    switch (link.mobility) {
      case Mobility::fixed:
        break;
      case Mobility::revolute:
        q[0] = nearest_turn(angle_about_z(R), turns), rate[0] = w.z();
        break;
      case Mobility::prismatic:
        q[0] = offset.z() - link.zero, rate[0] = v.z();
        break;
      case Mobility::screw:
        q[0] = nearest_turn(angle_about_z(R), link.lead != 0.0 ? (offset.z() - link.zero) / link.lead : turns);
        rate[0] = w.z();
        break;
      case Mobility::cylindrical:
        q[0] = nearest_turn(angle_about_z(R), turns), rate[0] = w.z();
        q[1] = offset.z() - link.zero, rate[1] = v.z();
        break;
      case Mobility::universal: {
        // R = Rz(q₁) C Rz(q₂): z of the link is (cos q₁, sin q₁, 0), and x, y of the link seen from it give q₂.
        q[0] = std::atan2(R(1, 2), R(0, 2));
        const V3 y_between(-std::sin(q[0]), std::cos(q[0]), 0.0);
        q[1] = std::atan2(R(2, 0), y_between.dot(R.col(0)));
        rate[0] = w.z(), rate[1] = w.dot(R.col(2));
        break;
      }
      case Mobility::planar:
        q[0] = offset.x(), q[1] = offset.y(), q[2] = nearest_turn(angle_about_z(R), turns);
        rate[0] = v.x(), rate[1] = v.y(), rate[2] = w.z();
        break;
      case Mobility::spherical:
        set_chart(0);
        break;
      case Mobility::translation:
        set_position();
        break;
      case Mobility::track:
      case Mobility::guided:
        break;  // done
      case Mobility::free:
        set_position();
        set_chart(3);
        break;
    }
  }
}

void JointSystem::to_absolute(const MotionPoint& p, const State& state, const Assembly& full, MotionVariables& x,
                              State& absolute, Workspace& workspace) const {
  JointWorkspace& ws = static_cast<JointWorkspace&>(workspace);
  const AbsoluteSystem& system = *full.system;
  if (x.q.size() != system.nv() || x.lam.size() != system.n_rows()) x.resize(system.nv(), nz(), system.n_rows());
  if (absolute.charts.size() != system.chart_offsets().size() || absolute.branches.size() != system.branches().size())
    absolute = system.make_state();
  Eigen::VectorXd internal(nz()), phi(nc());
  // For the frames that it leaves in the workspace; laws outside their domain (the status) do not move them.
  static_cast<void>(residual(p, state, ws.scratch, internal, phi, workspace));
  x.t = p.t, x.z = p.z, x.zp = p.zp;
  for (int f = 1; f < system.n_frames(); ++f) {
    const FrameMap& map = system.frame_map(f);
    const Frame<double>& frame = ws.frames[f];
    const auto [v_dot, w_dot] = tree_.calc_frame_acceleration(link_of_frame_[f], ws.tree);
    auto q = x.q.segment(map.offset, map.nv), v = x.v.segment(map.offset, map.nv), a = x.a.segment(map.offset, map.nv);
    switch (map.kind) {
      case FrameMap::Kind::rigid:
        absolute.charts[map.chart].R_ref = frame.R;
        q << frame.p, V3::Zero();
        v << frame.v, frame.w;
        a << v_dot, w_dot;
        break;
      case FrameMap::Kind::planar: {
        const V3 e1 = map.S.block<3, 1>(0, 0), e2 = map.S.block<3, 1>(0, 1), axis = map.axis();
        const V3 theta = log_so3(Mat3<double>(map.R0.transpose() * frame.R));
        q << e1.dot(frame.p), e2.dot(frame.p), axis.dot(theta);
        v << e1.dot(frame.v), e2.dot(frame.v), axis.dot(frame.w);
        a << e1.dot(v_dot), e2.dot(v_dot), axis.dot(w_dot);
        break;
      }
      case FrameMap::Kind::particle:
        q = frame.p, v = frame.v, a = v_dot;
        break;
      case FrameMap::Kind::scalar:
        q[0] = frame.p.x(), v[0] = frame.v.x(), a[0] = v_dot.x();
        break;
      case FrameMap::Kind::ground:
        break;
    }
  }
  absolute.modes = state.modes;
  for (std::size_t b = 0; b < absolute.branches.size(); ++b) absolute.branches[b] = {p.t, ws.turns[b], 0.0};
  x.lam.setZero();
  for (std::size_t row = 0; row < full_row_.size(); ++row) x.lam[full_row_[row]] = ws.lam[row];
  find_tree_reactions(full, x.lam, ws);
}

std::unique_ptr<JointSystem> make_joint_system(const Model& model, const Assembly& full,
                                               const std::function<void(Assembly&)>& customize) {
  Topology topology = find_topology(model, full);
  if (!topology.issues.empty()) throw InputError(std::move(topology.issues));
  Assembly machine = assemble_again(model, topology.eliminated, full.signals);  // `full` was assembled
  if (customize) {
    customize(machine);
    machine.system->finish();
  }
  auto system = std::make_unique<JointSystem>(model, topology, std::move(machine));
  system->map_rows(full);
  return system;
}

// Rows of a joint that became coordinates are missing at the front of their owner's: the last ones correspond.
void JointSystem::map_rows(const Assembly& full) {
  const auto by_owner = [](const AbsoluteSystem& system) {
    std::map<std::string, std::vector<int>> rows;
    for (int row = 0; row < system.n_rows(); ++row) rows[system.row_owner(row)].push_back(row);
    return rows;
  };
  const auto all = by_owner(*full.system);
  full_row_.assign(machine_.system->n_rows(), -1);
  for (const auto& [owner, rows] : by_owner(*machine_.system)) {
    const std::vector<int>& from = all.at(owner);
    for (std::size_t k = 0; k < rows.size(); ++k) full_row_[rows[k]] = from[from.size() - rows.size() + k];
  }
}

}  // namespace trammel
