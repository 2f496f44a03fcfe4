// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "trammel/mechanics/geometry.h"

namespace trammel {

/// Reads the triangles of an STL file (text or binary) or an OBJ file (faces of any number of corners; materials and
/// textures are passed over) into a mesh; equal vertices become one. What is wrong with the file is an IoError with
/// path, line or triangle, and reason.
Shape read_mesh(const std::filesystem::path& path);

}  // namespace trammel
