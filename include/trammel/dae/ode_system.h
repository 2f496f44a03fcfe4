// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "trammel/dae/types.h"

namespace trammel {

/// y′ = f(t, y), possibly on a manifold: what explicit methods see.
class OdeSystem {
 public:
  virtual ~OdeSystem() = default;
  virtual const Layout& layout() const = 0;
  virtual std::unique_ptr<Workspace> make_workspace() const = 0;
  virtual Status rates(double t, ConstVec y, const State& state, Vec yp, Workspace& workspace) const = 0;
  /// How large unknowns of the kind of each are in the system as a whole, where many are alike: an error of one that
  /// happens to be near zero is compared with that. 0: with itself alone.
  virtual void calc_sizes(ConstVec /*y*/, Vec sizes) const { sizes.setZero(); }
  /// Brings an accepted y back to the manifold. `moved` tells whether y changed: then the rates are no longer its own.
  virtual Status project(double /*t*/, Vec /*y*/, const State& /*state*/, bool& moved, Workspace& /*workspace*/) const {
    moved = false;
    return Status::success();
  }
  /// Called between steps: moves charts, branches and modes to y; y and its rates change to the new charts.
  virtual void accepted(double /*t*/, Vec /*y*/, Vec /*yp*/, State& /*state*/, Workspace& /*workspace*/) const {}
};

}  // namespace trammel
