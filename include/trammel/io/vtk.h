// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace trammel {

class ResultsReader;

/// Writes results for ParaView: open results.pvd in `folder` and press play.
///
/// Each frame is one VTK XML file frames/frame_000123.vtp with a point per body and these arrays:
///
///   body         number of the body; bodies.csv says its name
///   axis_x, axis_y, axis_z   directions of the body's axes in the world, from /frames/orientation: a unit
///                            quaternion (components named w, x, y, z in any order) or a rotation matrix (9, by rows)
///   velocity, …  every other quantity recorded for the same bodies; vectors have three components
///
/// Where shapes were recorded, frames/shapes_000123.vtp has their surfaces as polygons, with the cell array `body` (−1:
/// the ground).
///
/// Bodies are the items of /frames/position, which must have three components; InputError if it was not recorded.
/// Returns the path of the collection file.
std::filesystem::path export_vtk(const ResultsReader& reader, const std::filesystem::path& folder);

}  // namespace trammel
