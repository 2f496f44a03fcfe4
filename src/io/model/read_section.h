// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "entities.h"
#include "trammel/mechanics/make_beam.h"

namespace trammel::detail {

/// `section` and `material` of a beam.
BeamSection read_section(Fields& outer);
std::vector<Key> section_keys();
std::vector<Key> material_keys();

}  // namespace trammel::detail
