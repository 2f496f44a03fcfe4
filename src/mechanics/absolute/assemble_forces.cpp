// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/absolute/assembler.h"
#include "trammel/mechanics/kinds/force_elements.h"
#include "trammel/mechanics/kinds/joint_rows.h"

namespace trammel::detail {

// What forces measure; formulas may ask for it before the forces themselves exist.
void Assembler::prepare_springs() {
  for (const ForceSpec& spec : model_.forces) {
    CoordinateTerm term;
    const Strain strain = spec.kind->strain;
    if (strain == Strain::angle || strain == Strain::displacement) {
      DrawnJoint j;
      j.a = frame_of(spec.body_a), j.b = frame_of(spec.body_b);
      j.axis = j.axis_b = world(spec.axis);
      j.point = world(spec.point_a), j.point_b = world(spec.point_b);
      const bool angle = strain == Strain::angle;
      term.x = angle ? make_angle(j, places_) : make_displacement(j, places_);
      term.frame[0] = j.a, term.frame[1] = j.b;
      if (angle) term.branch = out_.system->add_branch(term.x, j.a, j.b);
      term.unit = angle ? "rad" : "m";
    } else if (strain == Strain::joint) {
      term = coordinate_of(spec.joint, spec.coordinate);
    }
    force_coordinate_.push_back(term);
  }
}

void Assembler::add_force(const ForceSpec& spec) {
  const int index = static_cast<int>(&spec - model_.forces.data());
  const ForceDescription& kind = *spec.kind;
  Assembly::Force& alone = out_.forces.emplace_back();
  alone.frame_a = frame_of(spec.body_a), alone.frame_b = frame_of(spec.body_b);
  alone.s_a = local_point(alone.frame_a, world(spec.point_a));
  alone.s_b = local_point(alone.frame_b, world(spec.point_b));
  alone.on_joint = kind.acts_on == ActsOn::coordinate;
  if (kind.strain != Strain::none && kind.strain != Strain::length) {
    const CoordinateTerm& term = force_coordinate_[static_cast<std::size_t>(index)];
    alone.x = term.x;
    alone.branch = term.branch;
    if (alone.on_joint) alone.frame_a = term.frame[0], alone.frame_b = term.frame[1];
  }
  ForceElements elements(*this, spec, index, alone);
  kind.assemble(elements, spec);
}

}  // namespace trammel::detail
