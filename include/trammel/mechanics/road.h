// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "trammel/mechanics/description.h"
#include "trammel/mechanics/elements/road_data.h"

namespace trammel {

/// A [[road]]: its shape, by a name that tyres refer to.
struct RoadSpec : RoadShape {
  std::string name = {};
  Source source = {};
  std::string body = ground_name;
};

}  // namespace trammel
