// SPDX-License-Identifier: Apache-2.0
#include "trammel/math/input_signals.h"

#include <limits>

namespace trammel {

Taylor2<double> InputSignals::Piece::at(double t) const {
  // On behind its end: whoever set it sets it anew there, and until then u̇ is that of the ramp.
  Taylor2<double> u(t == t1 || slope == 0.0 ? u1 : u0 + slope * (t - t0));
  u.d = slope;
  return u;
}

int InputSignals::add(double value) {
  signals_.emplace_back();
  reset(size() - 1, value);
  return size() - 1;
}

void InputSignals::reset(int signal, double value) {
  const Piece piece{.u0 = value, .u1 = value};
  signals_[static_cast<std::size_t>(signal)] = {-std::numeric_limits<double>::infinity(), piece, piece};
}

bool InputSignals::change(int signal, double t, const Piece& piece) {
  Signal& s = signals_[static_cast<std::size_t>(signal)];
  const Taylor2<double> last = s.now.at(t), next = piece.at(t);
  const bool changes = last.v != next.v || last.d != next.d;
  if (t > s.since) s.before = s.now;  // set twice at one instant: the first was never seen
  s.now = piece;
  if (t > s.since) s.since = t;
  return changes;
}

bool InputSignals::hold(int signal, double t, double value) {
  return change(signal, t, {.t0 = t, .u0 = value, .t1 = t, .u1 = value});
}

bool InputSignals::ramp(int signal, double t, double value, double t_end) {
  const double from = this->value(signal, t);
  const double slope = t_end > t ? (value - from) / (t_end - t) : 0.0;
  return change(signal, t, {.t0 = t, .u0 = from, .slope = slope, .t1 = t_end, .u1 = value});
}

Taylor2<double> InputSignals::at(int signal, double t) const {
  const Signal& s = signals_[static_cast<std::size_t>(signal)];
  return (t < s.since ? s.before : s.now).at(t);
}

}  // namespace trammel
