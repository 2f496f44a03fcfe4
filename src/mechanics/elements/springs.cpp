// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/force_group_impl.h"
#include "trammel/mechanics/elements/forces.h"

namespace trammel {

template class ForceGroup<SpringDamper>;
template class ForceGroup<CoordinateForce>;

}  // namespace trammel
