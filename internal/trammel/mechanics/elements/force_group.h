// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "trammel/mechanics/elements/group.h"

namespace trammel {

/// All elements of one force kind (see forces.h for what a kind is).
template <class K>
class ForceGroup final : public ElementGroup {
 public:
  struct Element {
    typename K::Params params;
    std::array<int, K::n_frames> frame;
    std::array<int, K::n_turns> branch;
  };

  void add(const Element& element) { elements_.push_back(element); }
  const Element& element(int e) const { return elements_[e]; }

  std::string_view kind() const override { return K::name; }
  int size() const override { return static_cast<int>(elements_.size()); }
  bool divisible() const override { return true; }
  void visit_frames(int e, const std::function<void(int)>& visit) const override {
    for (const int frame : elements_[e].frame) visit(frame);
  }
  void connect(std::span<const int> modes, Connectivity& connectivity, std::vector<int>& slots) const override;
  void add_forces(const KinematicState&, std::span<Wrench<double>>, std::span<double>) const override;
  void add_planes(const KinematicState&, PlaneSet, std::span<const int> slots, FramePlanes&) const override;
  double potential(const KinematicState&) const override;
  double power(const KinematicState&) const override;

 private:
  std::vector<Element> elements_;
};

}  // namespace trammel
