// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/joint_rows.h"

namespace trammel {

JointRows::JointRows(const DrawnJoint& drawn, std::span<const Placement> places, detail::Assembler& assembler,
                     const JointSpec& spec, const std::string& owner, Assembly::Joint& joint)
    : drawn_(drawn), places_(places), assembler_(&assembler), spec_(&spec), owner_(&owner), joint_(&joint) {
  std::tie(e1_, e2_) = complete_triad(drawn.axis);
}

JointRows::JointRows(const DrawnJoint& drawn, std::span<const Placement> places, HeldRows& held)
    : drawn_(drawn), places_(places), held_(&held) {
  std::tie(e1_, e2_) = complete_triad(drawn.axis);
}

Directors JointRows::directors() const { return spec_->kind->directors(*spec_); }

// ---- rows ----------------------------------------------------------------------------------------------------------

void JointRows::coincide() {
  const Eigen::Vector3d s_a = on_a(point()), s_b = on_b(point_b());
  if (drawn_.planar) {
    Coincident<2>::Params params{s_a, s_b};
    const auto [n1, n2] = complete_triad(drawn_.normal);
    params.e.row(0) = n1.transpose();
    params.e.row(1) = n2.transpose();
    add<Coincident<2>>(params, {a(), b()}, "m");
  } else {
    add<Coincident<3>>({s_a, s_b}, {a(), b()}, "m");
  }
}

void JointRows::keep_axes() {
  if (drawn_.planar) return;
  perpendicular(e1_, axis_b());
  perpendicular(e2_, axis_b());
}

// One row in a plane, three in space.
void JointRows::keep_orientation() {
  if (drawn_.planar) {
    const auto [n1, n2] = complete_triad(drawn_.normal);
    perpendicular(n1, n2);
  } else {
    perpendicular(e1_, e2_);
    perpendicular(e1_, axis());
    perpendicular(e2_, axis());
  }
}

void JointRows::stay_on_line() {
  if (drawn_.planar) {
    offset(drawn_.normal.cross(axis()).normalized(), 0.0);
  } else {
    offset(e1_, 0.0);
    offset(e2_, 0.0);
  }
}

void JointRows::perpendicular(const Eigen::Vector3d& of_a, const Eigen::Vector3d& of_b) {
  add<Perpendicular>({axis_in_a(of_a), axis_in_b(of_b), 0.0}, {a(), b()}, "rad");
}

void JointRows::offset(const Eigen::Vector3d& n, double height) {
  add<Offset>({axis_in_a(n), on_a(point()), on_b(point_b()), height}, {a(), b()}, "m");
}

int JointRows::coordinate_frame(const std::string& coordinate) const {
  return held_ ? 0 : assembler_->coordinate_frame_.at(coordinate);
}

// Six freedoms need no row; a guided body has one, which holds its centre of mass.
void JointRows::follow_track(const JointSpec& joint) {
  if (held_) return;
  joint_->track = assembler_->tracks_.at(joint.on_track.track);
  joint_->travel = assembler_->add_time_function(joint.on_track.travel);
  if (!joint.on_track.guided || assembler_->without_rows_) return;
  ConstraintGroup<OnTrack>& group = assembler_->group<ConstraintGroup<OnTrack>>();
  ConstraintGroup<OnTrack>::Element e;
  e.params = {joint_->track, joint.on_track.station};
  e.frame = {b()};
  e.input = {joint_->travel};
  e.row = assembler_->out_.system->add_rows(*owner_, 1, true, "m");
  group.add(e);
  joint_->parts.push_back({&group, group.size() - 1, 0});
}

// ---- coordinates ---------------------------------------------------------------------------------------------------

RelativeCoordinate make_angle(const DrawnJoint& j, std::span<const Placement> places) {
  RelativeCoordinate x;
  x.type = RelativeCoordinate::Type::angle;
  const auto [e1, e2] = complete_triad(j.axis);
  const Placement &a = places[j.a], &b = places[j.b];
  x.a1 = a.local_axis(e1), x.a2 = a.local_axis(e2), x.a3 = a.local_axis(j.axis);
  // A direction of B that shows along e₁ when drawn: the angle is zero there.
  x.b = b.local_axis((e1 - j.axis_b * j.axis_b.dot(e1)).normalized());
  return x;
}

RelativeCoordinate make_displacement(const DrawnJoint& j, std::span<const Placement> places) {
  RelativeCoordinate x;
  x.type = RelativeCoordinate::Type::displacement;
  x.a3 = places[j.a].local_axis(j.axis);
  x.s_a = places[j.a].local_point(j.point), x.s_b = places[j.b].local_point(j.point_b);
  x.zero = j.axis.dot(j.point_b - j.point);
  return x;
}

void JointRows::has_angle() {
  if (held_) return;
  joint_->angle = make_angle(drawn_, places_);
  joint_->angle_branch = assembler_->out_.system->add_branch(*joint_->angle, a(), b());
}

void JointRows::has_displacement() {
  if (!held_) joint_->displacement = make_displacement(drawn_, places_);
}

void JointRows::carry(const JointSpec& joint, const RelativeCoordinate& x, int from, int to, int branch) {
  const int n_named = joint.coordinate.empty() ? static_cast<int>(joint.coordinates.size()) : 1;
  if (n_carried_++ >= n_named) return;
  if (held_) return hold<Coupler<1>>({{x}, {1.0}}, {from, to});
  const bool turns = x.type == RelativeCoordinate::Type::angle;
  if (turns && branch < 0) branch = assembler_->out_.system->add_branch(x, from, to);
  assembler_->carried_.push_back({x, {from, to}, branch, turns ? "rad" : "m"});
}

void JointRows::carries_angle(const JointSpec& joint) {
  carry(joint, make_angle(drawn_, places_), a(), b(), held_ ? -1 : joint_->angle_branch);
}

void JointRows::carries_displacement(const JointSpec& joint, const Eigen::Vector3d& direction) {
  DrawnJoint along = drawn_;
  along.axis = direction;
  carry(joint, make_displacement(along, places_), a(), b(), -1);
}

// b turns about `axis` by the angle of its own `axis_b` in the plane normal to `axis`, in which it stays; and about
// `axis_b` by that of `axis` as b sees it, which turns against b: hence −axis_b.
void JointRows::carries_crossed_angles(const JointSpec& joint) {
  const auto turn_of = [&](const Placement& seen_from, const Eigen::Vector3d& about, const Placement& of,
                           const Eigen::Vector3d& direction) {
    RelativeCoordinate x;
    x.type = RelativeCoordinate::Type::angle;
    const Eigen::Vector3d first = (direction - about * about.dot(direction)).normalized();
    x.a1 = seen_from.local_axis(first), x.a2 = seen_from.local_axis(about.cross(first));
    x.a3 = seen_from.local_axis(about);
    x.b = of.local_axis(direction);
    return x;
  };
  const Placement &on_first = places_[a()], &on_second = places_[b()];
  carry(joint, turn_of(on_first, axis(), on_second, axis_b()), a(), b(), -1);
  carry(joint, turn_of(on_second, -axis_b(), on_first, axis()), b(), a(), -1);
}

void JointRows::couple(double factor) {
  Coupler<2>::Params params;
  params.x[0] = make_displacement(drawn_, places_), params.factor[0] = 1.0;
  params.x[1] = make_angle(drawn_, places_), params.factor[1] = factor;
  if (held_) return hold<Coupler<2>>(params, {a(), b(), a(), b()});
  ConstraintGroup<Coupler<2>>& group = assembler_->group<ConstraintGroup<Coupler<2>>>();
  assembler_->add_element(group, *owner_, params, {a(), b(), a(), b()}, "m", nullptr, -1, {-1, joint_->angle_branch});
  if (assembler_->without_rows_) return;
  // Each of its two terms acts on b.
  joint_->parts.push_back({&group, group.size() - 1, 1});
  joint_->parts.push_back({&group, group.size() - 1, 3});
}

}  // namespace trammel
