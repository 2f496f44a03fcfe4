// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "trammel/dae/dae_system.h"

namespace trammel {

/// How much of the iteration matrix is made anew.
enum class Refresh : std::uint8_t {
  /// New coefficients with F_y of the last linearization. F_y′ is that of the present point where the system has it in
  /// closed form [arnold2004 (25)]; the system is not evaluated otherwise.
  combine,
  linearize,  ///< new planes at the given point
};

/// The planes of a first-order system for whoever makes iteration matrices of them (BDF's in three and two fields,
/// Radau's blocks), whatever derivatives the system takes: when they are taken anew, and what is followed in between.
class PlaneSource {
 public:
  explicit PlaneSource(const DaeSystem& system) : system_(system) {}

  struct Renewed {
    bool pattern = false;  ///< all slots are new
    bool values = false;   ///< some entry of a plane may have changed
  };
  Status renew(const Point& p, const State& state, double h, Refresh refresh, Workspace& workspace, Renewed& renewed);
  /// What follows depends on nothing before.
  void forget() {
    has_planes_ = has_input_derivatives_ = false;
    planes_.anew = true;
  }

  /// From the next linearization on the planes of `combine` follow the inputs w = (u, u̇, ü):
  ///
  ///   F_y(t) ≈ F_y(t_J) + Σ_i ∂²F/∂w_i∂y (w_i(t) − w_i(t_J))                                       [arnold2004 (26)]
  ///
  /// and F_y′ in the same way where the system has no closed form of it. The second derivatives are taken once, by one
  /// more linearization per entry of w. Time itself is left out: what depends on it periodically would be extrapolated
  /// along a straight line.
  void follow_inputs() { follows_inputs_ = true; }

  Planes& planes() { return planes_; }
  const Planes& planes() const { return planes_; }
  long linearizations() const { return linearizations_; }
  long input_derivatives() const { return n_input_derivatives_; }  ///< linearizations for ∂²F/∂w∂y

  /// values[k] += c_y Σ ∂²F/∂w_i∂y Δw_i + c_y′ …, at slot[k] of the planes (an empty `slot`: at k).
  template <class C, class S>
  void add_followed(const C& c_y, const C& c_yp, const std::vector<int>& slot, std::vector<S>& values) const {
    if (input_derivatives_.empty()) return;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::size_t at = slot.empty() ? k : static_cast<std::size_t>(slot[k]);
      values[k] += c_y * followed_[0][at] + c_yp * followed_[1][at];
    }
  }
  /// Whether a slot becomes an entry by following the inputs.
  bool follows(int slot) const;

 private:
  /// ∂²F/∂w_i∂y or ∂²F/∂w_i∂y′, the entries that are not zero.
  struct InputDerivative {
    std::size_t input;  // place in (u, u̇, ü)
    PlaneRole role;
    std::vector<int> slot;
    std::vector<double> value;
  };
  Status linearize(const Point& p, const State& state, double h, Workspace& workspace);
  Status take_input_derivatives(const Point& p, const State& state, Workspace& workspace);
  InputDerivative compare(std::size_t input, PlaneRole role, double delta, const Planes& moved) const;
  void follow(const Inputs& in);

  const DaeSystem& system_;
  Planes planes_;
  bool has_planes_ = false, follows_inputs_ = false, has_input_derivatives_ = false;
  std::vector<InputDerivative> input_derivatives_;
  std::vector<double> followed_[2];  // Σ ∂²F/∂w_i∂y Δw_i and ∂²F/∂w_i∂y′ Δw_i, by slot of the planes
  long linearizations_ = 0, n_input_derivatives_ = 0;
};

}  // namespace trammel
