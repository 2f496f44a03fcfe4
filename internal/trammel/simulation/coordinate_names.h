// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "trammel/mechanics/mechanical_system.h"

namespace trammel {

/// The words by which a model file names coordinates, in the order of q: "BODY.x", ".y", ".z", ".rx", ".ry", ".rz" of a
/// rigid body, ".x", ".y", ".z" of a particle, the two in-plane axes (".u1", ".u2" where they are not axes of the
/// world) and ".angle" of a planar body, and the name of a [[coordinate]]. Joint coordinates: "JOINT.angle",
/// ".displacement",
/// ".angle1", ".angle2", ".rx", … .
std::vector<std::string> coordinate_names(const MechanicalSystem& system);

/// The coordinates with these names. Throws InputError for a name that does not exist, with the nearest one; `option`
/// is what the user wrote them for.
std::vector<int> find_coordinates(const MechanicalSystem& system, const std::vector<std::string>& names,
                                  const std::string& option);

}  // namespace trammel
