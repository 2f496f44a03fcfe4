#pragma once

#include <filesystem>
#include <string>

namespace trammel {

/// False in a build without librsvg (CMake: TRAMMEL_PNG = OFF), where write_png throws.
bool can_write_png();

/// Paints an SVG drawing into a PNG file with `scale` px of the picture for each px of the drawing. IoError when it
/// cannot be written.
void write_png(const std::string& svg, const std::filesystem::path& path, double scale = 2.0);

}  // namespace trammel
