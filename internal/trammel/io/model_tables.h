// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "trammel/base/keys.h"
#include "trammel/mechanics/kinds.h"

namespace trammel {

/// The keys of a model file as its reader knows them: those of the file itself (a table without a name), then each
/// [[body]], [[joint]], … in the order in which they are read, then [[repeat]] and [[include]].
const std::vector<KeyTable>& entity_tables();

/// All tables of a model file: those, and [analysis], [solver] and [output].
const std::vector<KeyTable>& model_tables();
/// The same with these kinds instead of the standard ones.
std::vector<KeyTable> make_model_tables(const Kinds& kinds);

}  // namespace trammel
