// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "trammel/mechanics/absolute/assemble.h"

namespace trammel {

/// Adds to an assembled machine what a model file cannot say: a user's own elements (docs/recipes/add_a_force.md).
/// Called for every realisation of the model, before anything is computed with it.
using Customize = std::function<void(Assembly&)>;

}  // namespace trammel
