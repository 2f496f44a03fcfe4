// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/mechanics/kinds.h"
#include "trammel/mechanics/model.h"

namespace trammel {

class JsonWriter;

/// {"joints": {"revolute": {…}, …}, "forces": {…}}: what the report's page draws of these kinds.
void put_pictures(JsonWriter& json, const Kinds& kinds);

/// The kinds of a model's joints and forces that are none of the standard ones, each once.
Kinds find_own_kinds(const Model& model);

}  // namespace trammel
