// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/constraint_group_impl.h"
#include "trammel/mechanics/elements/constraints.h"

namespace trammel {

template class ConstraintGroup<DiscOnPlane>;
template class ConstraintGroup<RollingContact>;
template class ConstraintGroup<KnifeEdge>;

}  // namespace trammel
