// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/mechanics/kinds.h"

/// Kinds that the library does not know, each described in one file of this folder.

namespace trammel::own {

extern const JointDescription helix;              ///< joint_helix.cpp
extern const JointDescription point_on_cylinder;  ///< joint_point_on_cylinder.cpp
extern const ForceDescription magnet;             ///< force_magnet.cpp
extern const MeasureDescription speed;            ///< measure_speed.cpp
extern const ShapeDescription tetrahedron;        ///< shape_tetrahedron.cpp

}  // namespace trammel::own
