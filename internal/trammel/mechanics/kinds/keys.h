// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/base/keys.h"

/// Descriptions of keys that several kinds have.

namespace trammel {

/// Behind the meaning of a point or a direction: how it is written.
inline const std::string point_form = ", `[x, y, z]` in the world or `{ body = \"name\", at = [x, y, z] }`";
inline const std::string direction_form = ", `[x, y, z]` or `\"z\"`";

Key point_key(std::string name, bool required, std::string fallback, std::string meaning);
Key direction_key(std::string name, bool required, std::string meaning);

/// `bodies`, `body_a`, `body_b`
std::vector<Key> bodies_keys();

/// `coordinate` = "angle" or "displacement": which coordinate of a joint is meant.
Key joint_coordinate_key();

}  // namespace trammel
