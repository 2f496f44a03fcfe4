// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace trammel::places {

/// Where the repository and the program under test are. Functions and not macros: then test files compile to the same
/// objects wherever a clone lies, and compilers' caches are shared.
std::filesystem::path source_dir();
std::filesystem::path program();

}  // namespace trammel::places
