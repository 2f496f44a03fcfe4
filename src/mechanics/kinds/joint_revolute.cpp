// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/joint_parts.h"

namespace trammel {

namespace {

// In a planar model every hinge turns about the normal: it need not be said.
bool follow_plane(const KindFields& fields, JointSpec& joint) {
  const BodySpec* body = fields.find_body(joint.body_b);
  if (body == nullptr || body->kind != BodyKind::planar) body = fields.find_body(joint.body_a);
  const bool planar = body != nullptr && body->kind == BodyKind::planar;
  joint.axis.direction = planar ? body->plane_normal : Eigen::Vector3d::UnitZ();
  return planar || (body == nullptr && fields.may_miss_bodies());
}

/// A hinge: points coincide, axes stay parallel, 5 rows.
struct RevoluteJoint {
  static constexpr std::string_view name = "revolute", meaning = "a hinge";
  static std::vector<Key> keys() {
    return {hinge_point_key(), other_point_key(),
            direction_key("axis", false,
                          "of the hinge, fixed in both bodies as drawn" + direction_form +
                              "; needed unless a body is planar, whose normal it then is"),
            other_direction_key(), carried_coordinate_key()};
  }
  static void read(KindFields& fields, JointSpec& joint) {
    read_place(fields, joint);
    if (!fields.has("axis") && !follow_plane(fields, joint)) fields.require("axis");
  }
  static constexpr JointNeeds needs{};
  static constexpr InPlane in_plane{.axis = InPlane::Direction::normal};
  static constexpr auto check = check_nothing;
  static void compose(JointRows& rows, const JointSpec&) {
    rows.coincide();
    rows.keep_axes();
    rows.has_angle();
  }
  static constexpr JointCoordinates coordinates{.angle = true, .on_pin = true};
  static constexpr JointAxes axes = JointAxes::both;
  static constexpr auto motion = moves<Mobility::revolute>;
  static constexpr auto directors = rows_of_directors;
  static constexpr auto signals = no_signals;
  static Picture picture() {
    return {.parts = {{.shape = Picture::Shape::cylinder, .size = {1.0, 1.0, 6.0}}}, .foot = true};
  }
};

}  // namespace

constinit const JointDescription kinds::revolute_joint = describe_joint<RevoluteJoint>();

}  // namespace trammel
