// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/beam_watch.h"

#include <fmt/format.h>

#include <numbers>

#include "trammel/math/rotations.h"

namespace trammel {

BeamWatch::BeamWatch(const Assembly& assembly, const Model& model) : group_(assembly.beams) {
  int element = 0;
  for (const Beam& beam : model.beams)
    for (int e = 0; e < beam.n_elements(); ++e, ++element)
      if (beam.order != 2)  // elements with one node in the middle measure both halves from it
        elements_.push_back({element, fmt::format("beam '{}', element {}", beam.name, e + 1), Eigen::Vector3d::Zero()});
}

void BeamWatch::start(const KinematicState& k) {
  for (Watched& watched : elements_)
    watched.phi = log_near<double>(group_->middle_turn(watched.element, k), Eigen::Vector3d::Zero());
}

std::string BeamWatch::find_passed(const KinematicState& k) {
  for (Watched& watched : elements_) {
    watched.phi = log_near<double>(group_->middle_turn(watched.element, k), watched.phi);
    if (watched.phi.norm() >= std::numbers::pi) return watched.name;
  }
  return {};
}

std::string explain_turned(const std::string& element, const std::string& when) {
  return fmt::format(
      "The step failed: {} at {}.\n    element     : {}\n    usual cause : too few elements for how far the beam bends "
      "or "
      "twists, a load that is much too large, or a step within which it turned over",
      describe(Cause::element_turned), when, element);
}

}  // namespace trammel
