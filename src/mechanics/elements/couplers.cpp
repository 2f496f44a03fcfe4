// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/constraint_group_impl.h"
#include "trammel/mechanics/elements/constraints.h"

namespace trammel {

template class ConstraintGroup<Coupler<1>>;
template class ConstraintGroup<Coupler<2>>;
template class ConstraintGroup<Coupler<3>>;
template class ConstraintGroup<SpeedCoupler<1>>;
template class ConstraintGroup<SpeedCoupler<2>>;
template class ConstraintGroup<SpeedCoupler<3>>;

}  // namespace trammel
