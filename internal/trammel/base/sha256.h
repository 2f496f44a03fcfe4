// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace trammel {

/// SHA-256 [FIPS 180-4] of some bytes, as 64 hexadecimal digits: two texts with the same digest are the same text.
std::string sha256(std::string_view bytes);

}  // namespace trammel
