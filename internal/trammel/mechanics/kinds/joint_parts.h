// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cmath>

#include "trammel/mechanics/kinds/fields.h"
#include "trammel/mechanics/kinds/joint_descriptor.h"
#include "trammel/mechanics/kinds/joint_rows.h"
#include "trammel/mechanics/kinds/keys.h"
#include "trammel/mechanics/model_checks.h"

/// What the descriptors of joints are written with.

namespace trammel {

// ---- keys and reading ----------------------------------------------------------------------------------------------

inline const std::string origin_of_second = "origin of the second body";

/// Of joints whose bodies share the point as drawn.
Key hinge_point_key();
Key other_point_key();      ///< `point_b` where it is another point
Key other_direction_key();  ///< `axis_b` where it is another direction
Key radius_key();
Key carried_coordinate_key();
/// `coordinates`, of joints with several; `which` says of what, in their order.
Key carried_coordinates_key(std::string which);

/// `point`, `point_b`, `axis`, `axis_b`: those that the kind has. Without `point` it sits at the second body's origin.
void read_place(KindFields& fields, JointSpec& joint);

// ---- checks --------------------------------------------------------------------------------------------------------

inline void check_nothing(detail::ModelChecks&, const JointSpec&, bool) {}
void check_radius(detail::ModelChecks& checks, const JointSpec& joint);
bool are_parallel(const Eigen::Vector3d& a, const Eigen::Vector3d& b);

// ---- motion and directors
// --------------------------------------------------------------------------------------------------------

inline std::optional<TreeMotion> no_motion(const JointSpec&, bool) { return std::nullopt; }
template <Mobility mobility>
std::optional<TreeMotion> moves(const JointSpec&, bool) {
  return TreeMotion{mobility};
}

inline Directors rows_of_directors(const JointSpec&) { return {Directors::Form::rows}; }

// ---- pictures ------------------------------------------------------------------------------------------------------

/// What rolls is a part of the second body, of the size of its radius.
inline Picture::Part part_of_wheel(Picture::Shape shape, const std::array<double, 3>& size, Picture::Along along,
                                   int tint = 0, double turn = 0.0) {
  return {.shape = shape,
          .size = size,
          .place = Picture::Place::solid,
          .along = along,
          .unit = Picture::Unit::radius,
          .turn = turn,
          .tint = tint};
}
inline Picture picture_of_wheel(std::vector<Picture::Part> parts) {
  return {.parts = std::move(parts), .reaches_a = false, .reaches_b = false, .on_floor = true};
}

}  // namespace trammel
