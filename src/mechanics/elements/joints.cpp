// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/constraint_group_impl.h"
#include "trammel/mechanics/elements/constraints.h"

namespace trammel {

template class ConstraintGroup<Coincident<2>>;
template class ConstraintGroup<Coincident<3>>;
template class ConstraintGroup<Perpendicular>;
template class ConstraintGroup<Offset>;
template class ConstraintGroup<Distance>;
template class ConstraintGroup<SquaredDistance>;
template class ConstraintGroup<LineAngle>;

}  // namespace trammel
