// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "trammel/mechanics/elements/group.h"
#include "trammel/mechanics/elements/relative_coordinate.h"
#include "trammel/mechanics/elements/track.h"
#include "trammel/mechanics/elements/tyre.h"

namespace trammel {

/// Where the forces of stops and tyres have kinks, so that steps can end there; it exerts no force itself.
///
///   (1) one side of a stop, depth δ = ±(x − limit) and push F = k δ + k₂ δ² + c δ̇ min(1, δ/ε):
///       min(δ, F/k) > 0 exactly where it presses; with damping also δ − ε, where the ramp of the damping ends, and δ:
///       a stop that was left before it had relaxed exerts no force any more, and its energy ½ k δ² has a kink there
///   (2) a stop at the flange, per side: o = ±y − clearance, and o − w where its rounding ends
///   (3) a tyre: R₀ − ℓ − c ℓ̇/k > 0 where it has a load
class StopSwitches final : public ElementGroup {
 public:
  struct Stop {
    RelativeCoordinate x;
    int frame[2] = {0, 0};
    int branch = -1;
    double limit = 0.0;
    double sign = 1.0;  ///< +1: above the limit, −1: below it
    double stiffness = 0.0, quadratic = 0.0, damping = 0.0, ramp = 1e-4;
  };
  struct Flange {
    std::shared_ptr<const Track> track;
    int frame = 0;
    double clearance = 0.0, rounding = 0.0;
  };
  struct Tyre {
    int road = 0, carrier = 0;
    TyrePlace place;
  };

  /// Both sides of a stop, as far as they have limits.
  void add_stop(Stop stop, double lower, double upper);
  void add(Flange flange) { flanges_.push_back(std::move(flange)); }
  void add(const Tyre& tyre) { tyres_.push_back(tyre); }

  std::string_view kind() const override { return "switches of stops"; }
  int size() const override { return static_cast<int>(stops_.size() + flanges_.size() + tyres_.size()); }
  void connect(std::span<const int>, Connectivity&, std::vector<int>&) const override {}
  void add_planes(const KinematicState&, PlaneSet, std::span<const int>, FramePlanes&) const override {}
  int n_switches() const override;
  void calc_switches(const KinematicState& state, std::span<SwitchValue> values) const override;

 private:
  std::vector<Stop> stops_;
  std::vector<Flange> flanges_;
  std::vector<Tyre> tyres_;
};

}  // namespace trammel
