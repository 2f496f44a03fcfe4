// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/place_machine.h"

#include <fmt/format.h>

#include <cmath>

namespace trammel {

namespace {

class Placing {
 public:
  Placing(const StartingPoint& point, const Model& model, const Assembly& assembly, MotionVariables& x, State& state)
      : point_(point), model_(model), assembly_(assembly), system_(*assembly.system), x_(x), state_(state) {}

  void run() {
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) place_body(i);
    for (std::size_t i = 0; i < model_.coordinates.size(); ++i) place_coordinate(i);
    place_states();
    if (!issues_.empty()) throw InputError(std::move(issues_));
    for (std::size_t j = 0; j < model_.joints.size(); ++j) count_turns(j);
  }

 private:
  template <class Map>
  const typename Map::mapped_type* find(const Map& map, const std::string& what, const std::string& name) {
    const auto found = map.find(name);
    if (found != map.end()) return &found->second;
    issues_.push_back({fmt::format("{} '{}'", what, name), "is not in the results that the run begins from"});
    return nullptr;
  }

  void place_body(std::size_t i) {
    const StartingPoint::Body* body = find(point_.bodies, "body", model_.bodies[i].name);
    if (body == nullptr) return;
    const FrameMap& map = system_.frame_map(assembly_.body_frame[i]);
    const Eigen::Vector3d& com = assembly_.center_of_mass[i];
    const Eigen::Matrix3d R = body->orientation.normalized().toRotationMatrix();
    const Eigen::Vector3d p = body->position + R * com;
    const Eigen::Vector3d v = body->velocity + R * body->angular_velocity.cross(com);
    auto q = x_.q.segment(map.offset, map.nv);
    auto qd = x_.v.segment(map.offset, map.nv);
    switch (map.kind) {
      case FrameMap::Kind::rigid:
        q << p, Eigen::Vector3d::Zero();
        qd << v, body->angular_velocity;
        state_.charts[map.chart].R_ref = R;
        break;
      case FrameMap::Kind::planar:
        q = map.S.topRows<3>().transpose() * p;
        q[2] = calc_planar_angle(map, R);
        qd = map.S.topRows<3>().transpose() * v + map.S.bottomRows<3>().transpose() * body->angular_velocity;
        break;
      case FrameMap::Kind::particle:
        q = p;
        qd = body->velocity;
        break;
      default:
        break;
    }
  }

  // R = R0 rot(axis, angle).
  static double calc_planar_angle(const FrameMap& map, const Eigen::Matrix3d& R) {
    const Eigen::Matrix3d turned = map.R0.transpose() * R;
    const Eigen::Vector3d n = map.axis();
    const Eigen::Vector3d twice_sine(turned(2, 1) - turned(1, 2), turned(0, 2) - turned(2, 0),
                                     turned(1, 0) - turned(0, 1));
    return std::atan2(n.dot(twice_sine), turned.trace() - 1.0);
  }

  void place_coordinate(std::size_t i) {
    const StartingPoint::Coordinate* x = find(point_.coordinates, "coordinate", model_.coordinates[i].name);
    if (x == nullptr) return;
    const int offset = system_.frame_map(assembly_.coordinate_frame[i]).offset;
    x_.q[offset] = x->value, x_.v[offset] = x->rate;
  }

  void place_states() {
    for (std::size_t i = 0; i < model_.controls.size(); ++i)
      for (std::size_t k = 0; k < model_.controls[i].states.size(); ++k) {
        const std::string name = model_.controls[i].name + "." + model_.controls[i].states[k];
        if (const double* value = find(point_.states, "state", name)) x_.z[assembly_.control_states[i][k]] = *value;
      }
  }

  void count_turns(std::size_t j) {
    const Assembly::Joint& joint = assembly_.joints[j];
    const auto angle = point_.angles.find(model_.joints[j].name);
    if (joint.angle_branch < 0 || angle == point_.angles.end()) return;
    Branch& branch = state_.branches[static_cast<std::size_t>(joint.angle_branch)];
    branch.angle = angle->second.value, branch.rate = angle->second.rate;
    const AbsoluteSystem::BranchMap& map = system_.branches()[static_cast<std::size_t>(joint.angle_branch)];
    const Eigen::Vector3d n(map.x.a3[0], map.x.a3[1], map.x.a3[2]);
    branch.planar_turns = planar_turn(map.frame[1], n) - planar_turn(map.frame[0], n);
  }

  // The axis of a joint between planar bodies is normal to their plane, in the axes of both.
  double planar_turn(int frame, const Eigen::Vector3d& n) const {
    const FrameMap& map = system_.frame_map(frame);
    return map.kind == FrameMap::Kind::planar ? map.axis().dot(n) * x_.q[map.offset + 2] : 0.0;
  }

  const StartingPoint& point_;
  const Model& model_;
  const Assembly& assembly_;
  const AbsoluteSystem& system_;
  MotionVariables& x_;
  State& state_;
  std::vector<Issue> issues_;
};

}  // namespace

void place_machine(const StartingPoint& point, const Model& model, const Assembly& assembly, MotionVariables& x,
                   State& state) {
  Placing(point, model, assembly, x, state).run();
}

}  // namespace trammel
