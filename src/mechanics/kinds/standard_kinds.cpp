// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "trammel/mechanics/kinds.h"
#include "trammel/mechanics/kinds/control_descriptor.h"
#include "trammel/mechanics/kinds/force_descriptor.h"
#include "trammel/mechanics/kinds/joint_descriptor.h"
#include "trammel/mechanics/kinds/measure_descriptor.h"
#include "trammel/mechanics/kinds/shape_descriptor.h"

namespace trammel {

template <class Description>
std::string_view KindReference<Description>::name() const {
  return description_->name;
}
template class KindReference<JointDescription>;
template class KindReference<ForceDescription>;
template class KindReference<MeasureDescription>;
template class KindReference<ControlDescription>;
template class KindReference<ShapeDescription>;

const Kinds& standard_kinds() {
  static const Kinds standard{.joints = {std::begin(standard_joints), std::end(standard_joints)},
                              .forces = {std::begin(standard_forces), std::end(standard_forces)},
                              .measures = {std::begin(standard_measures), std::end(standard_measures)},
                              .controls = {std::begin(standard_controls), std::end(standard_controls)},
                              .shapes = {std::begin(standard_shapes), std::end(standard_shapes)}};
  return standard;
}

}  // namespace trammel
