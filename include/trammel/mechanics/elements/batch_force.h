// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "trammel/mechanics/elements/group.h"

namespace trammel {

/// Users' forces of one law, evaluated together: for laws that are dear to call and cheap to widen, above all those
/// written in a scripting language. A law that is cheap to call is a `CustomForce`.
///
/// Each element names as many frames as all others of the group (0 is the ground). The law gets the frames of every
/// element and gives the wrench on each: force in world axes, moment about the frame's origin (the centre of mass) in
/// body axes. It must not keep state between calls.
///
/// Newton's matrix comes from local differences, all elements and all directions in one call: 12 m elements are
/// evaluated for each element with m moving frames, and the same again by velocity unless the law does not depend on
/// it. Every evaluation allocates room for its arguments; beside the call of such a law that does not count.
class BatchForceGroup final : public ElementGroup {
 public:
  static constexpr int max_frames = 8;

  /// Element e of n has the frames f[e m] … f[e m + m − 1]; w alike. Every wrench must be set.
  using Law = std::function<void(double t, int n, const Frame<double>* f, Wrench<double>* w)>;

  /// Throws InputError when an element would touch no frame or more than max_frames.
  BatchForceGroup(int frames_per_element, Law law, bool depends_on_velocity = true);
  /// Throws InputError when one frame is named twice, or another number of frames than said.
  void add(std::span<const int> frames);

  std::string_view kind() const override { return "batch force"; }
  bool has_own_clock() const override { return true; }
  int size() const override { return static_cast<int>(frames_.size()) / m_; }
  void connect(std::span<const int> modes, Connectivity& connectivity, std::vector<int>& slots) const override;
  void add_forces(const KinematicState&, std::span<Wrench<double>>, std::span<double>) const override;
  void add_planes(const KinematicState&, PlaneSet, std::span<const int> slots, FramePlanes&) const override;
  double power(const KinematicState&) const override;

 private:
  std::vector<Frame<double>> gather(const KinematicState& state) const;
  void add_plane(const KinematicState& state, bool by_velocity, std::span<const int> slots, BlockPlane& plane) const;

  int m_;
  Law law_;
  bool depends_on_velocity_;
  std::vector<int> frames_;  // m_ of each element
};

}  // namespace trammel
