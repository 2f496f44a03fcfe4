// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/mechanics/absolute/assemble.h"

namespace trammel {

/// A realisation of a model that has been checked (CheckedStudy), or another one of a model that assemble() has taken:
/// it is not checked again. Given the signals of another realisation, both see the same inputs.
Assembly assemble_again(const Model& model, const Eliminated& eliminated = {},
                        std::shared_ptr<InputSignals> signals = {});

}  // namespace trammel
