// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/vehicle_forces.h"

#include "trammel/mechanics/elements/force_group_impl.h"

namespace trammel {

template class ForceGroup<BumpStop>;
template class ForceGroup<AntiRollBar>;

}  // namespace trammel
