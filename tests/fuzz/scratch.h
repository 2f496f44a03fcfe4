// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace trammel::fuzz {

/// A folder of this process in memory (/dev/shm) where there is one, with what models of the targets include: the parts
/// of two examples, a table, a mesh. Removed at the end.
const std::filesystem::path& scratch();

/// Writes a file there.
std::filesystem::path write_scratch(const std::string& name, std::string_view bytes);

std::string read_bytes(const std::filesystem::path& path);

}  // namespace trammel::fuzz
