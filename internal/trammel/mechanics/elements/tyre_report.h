// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/mechanics/elements/group.h"

namespace trammel {

/// What is told of a tyre: load [N], slip κ, slip angle [rad], camber [rad], forces ahead and to the left [N], moment
/// about the road's normal [N m], and the parts of friction that are taken ahead and to the left. In the air all are 0.
inline constexpr int n_tyre_values = 9;

/// Of the only tyre in a group.
double calc_tyre_value(const ElementGroup& group, const KinematicState& k, int component);

}  // namespace trammel
