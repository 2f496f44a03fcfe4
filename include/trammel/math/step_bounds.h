// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace trammel {

/// Where functions of time ask for short steps, and how short: found before a run by examining the functions
/// themselves.
///
/// A step control knows what its steps have met. It cannot know of a pulse that begins behind the end of a long step,
/// and the next step begins after it: both ends say that nothing happened. A bound is needed where a function does
/// something that it did not do before, and only there: in a vibration that goes on a control is awake by itself.
class StepBounds {
 public:
  /// Steps that begin within [from, to] are at most h long; longer ones that begin before end at `from`.
  struct Interval {
    double from = 0.0, to = 0.0, h = 0.0;
  };

  void add(const Interval& interval);
  /// To be called after the last add().
  void finish();

  /// The longest step from t; +∞ when nothing ahead is known of. Never shorter than the h of the next interval, so that
  /// no sliver is left before it.
  double longest_step(double t) const;

  bool empty() const { return intervals_.empty(); }
  /// Disjoint and ascending after finish().
  std::span<const Interval> intervals() const { return intervals_; }

 private:
  std::vector<Interval> intervals_;
};

/// Adds the intervals in which u(t) is surprising on [start, end].
///
///   (1)  d(ℓ,k) = |u(m) − p(m)|,  m the middle of cell k of 2^ℓ equal ones, p the cubic through the ends of the cell
///   and
///        of its neighbours: what an interpolating wavelet keeps (Deslauriers & Dubuc), zero for low-order polynomials
///   (2)  r(ℓ,k) = the largest d in the cell, of its level and all finer ones
///   (3)  surprise: r(ℓ,k) > 6.5 max(r(ℓ,k−1), r(ℓ,k−2), r(ℓ,k−3), floor): nothing of this size in three cells before
///
/// A surprise of cells of length H bounds steps by H/5 on the part of the cell that causes it. A vibration, a slow
/// function and noise surprise nobody; a pulse does, down to the scale on which it grows gradually. u is sampled at
/// least 2048 times, more densely where even the finest cells surprise, and about each of `seeds` on ever shorter
/// windows. `floor` is 10⁻⁶ of the largest r. Short spans need no examination: a step ends at each end of them.
void find_surprises(const std::function<double(double)>& u, double start, double end, std::span<const double> seeds,
                    int min_samples, StepBounds& bounds);

}  // namespace trammel
