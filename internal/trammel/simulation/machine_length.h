// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/mechanics/model.h"

/// How large a machine is, for tolerances that nobody gave.
namespace trammel {

/// The largest of [m]: the diagonal of the box about what is drawn (centres of mass, points of joints, of springs and
/// dampers), lengths of rods, radii of gyration, sizes of contact geometry. 0: a single point tells nothing.
///
/// The origin is no point of the machine: a body that flies far away from it is as small as it is.
double machine_length(const Model& model);

/// 1 for machines of at least 0.1 m, below that the power of ten that is at least the length and less than ten times
/// it. Machines of ordinary size keep their tolerances, digit by digit.
double tolerance_scale(const Model& model);

}  // namespace trammel
