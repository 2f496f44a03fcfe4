// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "trammel/mechanics/model.h"

namespace trammel {

/// What a picture of the machine needs besides the motion, as JSON: the attribute `scene` of a results file.
///
///   { "gravity": [x, y, z],
///     "bodies": [{ "name", "kind", "mass", "inertia": [xx, yy, zz, xy, xz, yz], "center_of_mass" }],
///     "shapes": [{ "body", "kind", "position", "quaternion": [w, x, y, z], "size" | "radius", "length" …, "color",
///                  "beam" }],
///     "beams": [{ "name", "order", "nodes": [body …], "at": [x, y, z …], "quaternions": [w, x, y, z …],
///                 "width", "height" | "radius" }],
///     "joints": [{ "name", "kind", "a", "b", "point_a", "point_b", "axis_a", "axis_b", "radius" }],
///     "forces": [{ "name", "kind", "a", "b", "point_a", "point_b", "axis_a" }],
///     "roads": [{ "name", "body", "at", "quaternion", "slope", "bank", "x", "dx", "y": […], "z": […], "period" }],
///     "springs": [{ "name", "kind", "joint" }],
///     "points": [{ "name", "body", "at" }],
///     "pictures": { "joints": { "KIND": … }, "forces": … } }  of kinds that are none of the standard ones
///
/// Bodies are numbered as in /frames/position, the ground is −1. Points are measured from the body's origin in its
/// axes, directions in its axes; both follow from the drawn configuration. A road has its heights at x, x + dx, … (at
/// each of them for all y), without its slopes; it goes on as it ends, or again after its period.
std::string scene_json(const Model& model);

}  // namespace trammel
