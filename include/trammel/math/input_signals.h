// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "trammel/math/taylor.h"

namespace trammel {

/// Values that somebody sets from outside while a machine moves: a controller, a person, another program.
///
/// Between two calls a signal is known to be
///
///   (1)  u(t) = u₁                                        held, from the instant at which it was set
///   (2)  u(t) = u₀ + (u₁ − u₀)(t − t₀)/(t₁ − t₀)          ramped, until it is set anew
///
/// What it was before stays known back to the change before the last one, so that both sides of a change can be looked
/// at. Realisations of one machine share these; nothing but inputs is shared between simulations.
class InputSignals {
 public:
  int add(double value);
  int size() const { return static_cast<int>(signals_.size()); }

  /// As if it had always been this.
  void reset(int signal, double value);
  /// (1) from t on; false: it was this already.
  bool hold(int signal, double t, double value);
  /// (2) from what it is at t to `value` at t_end; false: it keeps both value and slope.
  bool ramp(int signal, double t, double value, double t_end);

  /// u, u̇, ü.
  Taylor2<double> at(int signal, double t) const;
  double value(int signal, double t) const { return at(signal, t).v; }

 private:
  struct Piece {
    double t0 = 0.0, u0 = 0.0, slope = 0.0, t1 = 0.0, u1 = 0.0;
    Taylor2<double> at(double t) const;
  };
  struct Signal {
    double since = 0.0;  // the newer piece holds from here on
    Piece before, now;
  };
  bool change(int signal, double t, const Piece& piece);

  std::vector<Signal> signals_;
};

}  // namespace trammel
