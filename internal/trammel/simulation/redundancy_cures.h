// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "trammel/linalg/rank.h"
#include "trammel/mechanics/absolute/assemble.h"

namespace trammel {

/// Which joints hold what too often, and both cures as lines to paste: other kinds of hinges, which are tried so that
/// the machine keeps its freedoms, or shared reactions; with what each does to the reactions.
std::string explain_redundancy(const RankReport& report, const AbsoluteSystem& system, const Model& model);

}  // namespace trammel
