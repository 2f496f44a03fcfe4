// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace trammel {

/// Why PNG cannot be written here: a build without it (CMake: TRAMMEL_PNG = OFF), or no librsvg. Empty: it can.
std::string find_png_obstacle();

/// Stands in every picture of ours (a chunk tEXt), so that no other one is replaced.
std::string png_mark();

/// Paints an SVG drawing into a PNG file with `scale` px of the picture for each px of the drawing. IoError when it
/// cannot be written.
void write_png(const std::string& svg, const std::filesystem::path& path, double scale = 2.0);

}  // namespace trammel
