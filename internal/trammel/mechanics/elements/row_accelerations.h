// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "trammel/mechanics/elements/group.h"

namespace trammel {

/// How the twist of a frame changes with time, and how pose, twist and that rate change along up to six directions.
struct FrameChanges {
  Vec6<double> acceleration = Vec6<double>::Zero();                ///< (v̇ in the world, ω̇ in body axes)
  Eigen::Matrix<double, 6, 6, Eigen::RowMajor> pose, twist, rate;  ///< column k: (δp, δβ), (δv, δω), (δv̇, δω̇)

  FrameChanges() { clear(); }
  void clear() { pose.setZero(), twist.setZero(), rate.setZero(); }
};

/// Derivatives along the motion, each with its own along the six directions.
using Moving = BasicDual<Dual<6>, 1>;

/// The frame moving on, derivative by time with the accelerations of `changes`: R(t) = R (I + ω̂ t).
Frame<Moving> moving_frame(const Frame<double>& f, const FrameChanges& changes);

/// Groups of rows whose second derivative by time is differentiated exactly.
class RowAccelerations {
 public:
  virtual ~RowAccelerations() = default;
  /// Φ̈ (or d/dt (A v + a)) of the rows of an element, without functions of time, with its derivatives along the
  /// directions; `changes` of its frames. false: this kind is not known twice differentiated.
  virtual bool calc_row_accelerations(const KinematicState&, int element, std::span<const FrameChanges> changes,
                                      std::span<Dual<6>> phi_ddot) const = 0;
};

}  // namespace trammel
