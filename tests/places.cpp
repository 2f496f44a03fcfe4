// SPDX-License-Identifier: Apache-2.0
#include "places.h"

namespace trammel::places {

std::filesystem::path source_dir() { return TRAMMEL_SOURCE_DIR; }
std::filesystem::path program() { return TRAMMEL_PROGRAM; }

}  // namespace trammel::places
