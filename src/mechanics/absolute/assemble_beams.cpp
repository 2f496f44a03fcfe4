// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/absolute/assembler.h"

namespace trammel::detail {

// Sections are drawn in the world; elements want them in the axes of their nodes' frames, from the centre of mass.
void Assembler::add_beams() {
  for (const Beam& beam : model_.beams)
    for (int e = 0; e < beam.n_elements(); ++e) {
      BeamElement element;
      element.nodes = beam.order + 1;
      element.C = beam.section.stiffness;
      element.n0 = beam.pre_stress;
      element.damping = beam.damping;
      Eigen::Vector3d x[BeamElement::max_nodes];
      Eigen::Matrix3d axes[BeamElement::max_nodes];
      for (int a = 0; a < element.nodes; ++a) {
        const Beam::Place& place = beam.place(e, a);
        const int f = frame_of(beam.node(e, a));
        x[a] = place.position, axes[a] = place.axes;
        element.frame[a] = f;
        element.s[a] = local_point(f, place.position);
        element.Q[a] = places_[static_cast<std::size_t>(f)].R.transpose() * place.axes;
        element.offset = element.offset || !element.s[a].isZero(0.0) || !element.Q[a].isIdentity(1e-15);
      }
      const std::size_t n = static_cast<std::size_t>(element.nodes);
      element.draw({x, n}, {axes, n});
      group<BeamGroup>().add(element);
    }
}

}  // namespace trammel::detail
