// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "trammel/mechanics/absolute/assembler.h"
#include "trammel/mechanics/elements/custom_force.h"
#include "trammel/mechanics/kinds/force_descriptor.h"

namespace trammel {

/// The elements of one force, as its kind puts them together. Every element joins its group, and is also kept alone, so
/// that reports can tell its force.
class ForceElements {
 public:
  ForceElements(detail::Assembler& assembler, const ForceSpec& force, int index, Assembly::Force& alone);

  // ---- as drawn ----------------------------------------------------------------------------------------------------
  int a() const { return a_; }  ///< the frame of body_a, or the ground
  int b() const { return b_; }
  int frame_of(const std::string& body) const { return assembler_.frame_of(body); }
  const Placement& place(int frame) const { return assembler_.places_[static_cast<std::size_t>(frame)]; }
  Eigen::Vector3d world(const PointSpec& point) const { return assembler_.world(point); }
  Eigen::Vector3d world(const AxisSpec& axis) const { return assembler_.world(axis); }  ///< unit vector
  Eigen::Vector3d point_on(int frame, const PointSpec& point) const { return place(frame).local_point(world(point)); }
  Eigen::Vector3d axis_in(int frame, const AxisSpec& axis) const { return place(frame).local_axis(world(axis)); }
  /// A [[road]] by its name; empty: none.
  std::shared_ptr<const RoadSurface> road(const std::string& name) const;
  /// What it measures (Strain), and the coordinate of any joint.
  const CoordinateTerm& strain() const { return assembler_.force_coordinate_[static_cast<std::size_t>(index_)]; }
  CoordinateTerm coordinate_of(const std::string& joint, JointCoordinate which) const {
    return assembler_.coordinate_of(joint, which);
  }

  // ---- elements ----------------------------------------------------------------------------------------------------
  /// A kernel of forces.h, vehicle_forces.h, tyre.h or of the kind's own.
  template <class K>
  void add(const typename K::Params& params, std::array<int, K::n_frames> frames,
           std::array<int, K::n_turns> branches = {});
  /// A kernel with internal states, which get the force's name: "part of the friction along x of force 'tyre'".
  template <class K>
  void add_with_states(const typename K::Params& params, std::array<int, K::n_frames> frames,
                       const std::array<const char*, K::n_states>& states);
  /// A law that is no kernel: `make` makes one and the same again.
  void add_own(const std::function<std::unique_ptr<const CustomForce>()>& make);
  /// A force that formulas give: `element` says on what, `formulas` are its components.
  void add_formulas(FormulaGroup::Element element, std::span<const Formula> formulas);
  /// Where its forces have kinks: steps end there.
  StopSwitches& switches() { return assembler_.group<StopSwitches>(); }

  // ---- reports -----------------------------------------------------------------------------------------------------
  /// The force is shown on another frame than b, at s; `others` are further frames that it acts on.
  void show_on(int frame, const Eigen::Vector3d& s, std::initializer_list<int> others);
  void show_between(int frame_a, int frame_b, std::initializer_list<int> others);

 private:
  int add_state(const char* what);
  detail::Assembler& assembler_;
  const ForceSpec& force_;
  int index_;
  Assembly::Force& alone_;
  int a_, b_;
};

template <class K>
void ForceElements::add(const typename K::Params& params, std::array<int, K::n_frames> frames,
                        std::array<int, K::n_turns> branches) {
  const typename ForceGroup<K>::Element element{params, frames, branches};
  auto single = std::make_unique<ForceGroup<K>>();
  single->add(element);
  alone_.group = std::move(single);
  assembler_.group<ForceGroup<K>>([this] { return force_.kind->directors(force_); }).add(element);
}

template <class K>
void ForceElements::add_with_states(const typename K::Params& params, std::array<int, K::n_frames> frames,
                                    const std::array<const char*, K::n_states>& states) {
  typename StateForceGroup<K>::Element element{params, frames, 0};
  for (int k = 0; k < K::n_states; ++k) {
    const int z = add_state(states[static_cast<std::size_t>(k)]);
    if (k == 0) element.first_state = z;
  }
  auto single = std::make_unique<StateForceGroup<K>>();
  single->add(element);
  alone_.group = std::move(single);
  assembler_.group<StateForceGroup<K>>([this] { return force_.kind->directors(force_); }).add(element);
}

}  // namespace trammel
