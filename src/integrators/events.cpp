// SPDX-License-Identifier: Apache-2.0
#include "trammel/integrators/events.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/base/memory.h"
#include "trammel/math/locate_zero.h"

namespace trammel {

namespace {

constexpr int most_halvings_of_part = 60;  // of a part of a step, to where a function ceases to have a value

int sign(double x) { return x > 0.0 ? 1 : x < 0.0 ? -1 : 0; }

}  // namespace

void EventFinder::configure(std::vector<Crossing> wanted) {
  wanted_ = std::move(wanted);
  side_.assign(wanted_.size(), 0);
  samples_.setZero(n(), n_samples + 1);
  scratch_.setZero(n());
  hits_.reserve(16 + 4 * wanted_.size());
}

void EventFinder::start(double t, const Values& values) {
  t_ = t;
  if (n() == 0) return;
  values(t, scratch_);
  samples_.col(n_samples) = scratch_;
  for (int id = 0; id < n(); ++id) side_[id] = sign(scratch_[id]);
}

double EventFinder::value(int id, double t, const Values& values) {
  values(t, scratch_);
  return scratch_[id];
}

void EventFinder::report(int id, double t, bool rising) {
  const Crossing wanted = wanted_[id];
  if (wanted == Crossing::both || (wanted == Crossing::rising) == rising) hits_.push_back({id, t, rising});
}

const std::vector<EventHit>& EventFinder::find(double t1, const Values& values) {
  hits_.clear();
  if (n() == 0) return hits_;
  const double t0 = t_, part = (t1 - t0) / n_samples;
  const auto time = [&](int s) { return s == n_samples ? t1 : t0 + s * part; };
  samples_.col(0) = samples_.col(n_samples);
  for (int s = 1; s <= n_samples; ++s) {
    values(time(s), scratch_);
    samples_.col(s) = scratch_;
  }
  for (int id = 0; id < n(); ++id)
    for (int s = 0; s < n_samples; ++s) {
      const double ga = samples_(id, s), gb = samples_(id, s + 1);
      if (side_[id] == 0) {  // still where it started: on zero, or without a value
        side_[id] = sign(gb);
        continue;
      }
      if (std::isnan(gb)) {  // no value there, and so no side: what counts is the last instant that has one
        double t_known = time(s), g_known = ga, t_none = time(s + 1);
        for (int i = 0; i < most_halvings_of_part && t_known < t_none; ++i) {
          const double t_middle = 0.5 * (t_known + t_none), g_middle = value(id, t_middle, values);
          if (std::isnan(g_middle))
            t_none = t_middle;
          else
            t_known = t_middle, g_known = g_middle;
        }
        if (sign(g_known) != side_[id]) search(id, time(s), ga, t_known, g_known, values);
        side_[id] = 0;
        continue;
      }
      if (sign(gb) != side_[id]) {
        search(id, time(s), ga, time(s + 1), gb, values);
        continue;
      }
      // Same side at both ends. A minimum of |g| inside is possible if g turns round between the neighbours.
      const double before = s > 0 ? samples_(id, s - 1) : 2.0 * ga - gb;
      const double after = s + 1 < n_samples ? samples_(id, s + 2) : 2.0 * gb - ga;
      const double da = std::abs(ga), db = std::abs(gb);
      const bool falls_first = s == 0 || std::abs(before) > da, rises_last = s + 1 == n_samples || std::abs(after) > db;
      if (ga == 0.0 || !falls_first || !rises_last) continue;
      double g_min = gb;
      const double t_min = minimum(id, time(s), time(s + 1), side_[id], values, g_min);
      if (std::isnan(g_min) || sign(g_min) == side_[id]) continue;
      const int side = side_[id];
      search(id, time(s), ga, t_min, g_min, values);
      if (side_[id] == -side) search(id, t_min, g_min, time(s + 1), gb, values);
      side_[id] = side;
    }
  t_ = t1;
  std::stable_sort(hits_.begin(), hits_.end(), [](const EventHit& a, const EventHit& b) { return a.t < b.t; });
  return hits_;
}

// g(ta) is on side_[id] (or zero, left towards it), g(tb) is zero or beyond.
void EventFinder::search(int id, double ta, double ga, double tb, double gb, const Values& values) {
  const bool rising = side_[id] < 0;
  if (gb == 0.0) {
    // Zero at a sample: that is the instant, and the function is "from this side" until it shows the other one.
    const double t = tb;
    report(id, t, rising);
    side_[id] = 0;
    return;
  }
  const double floor = 4.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(ta), std::abs(tb));
  const double width = std::max(floor, 1e-14 * std::abs(tb - ta));
  tb = locate_zero(ta, ga, tb, gb, width, true, [&](double t) { return value(id, t, values); });
  report(id, tb, rising);
  side_[id] = sign(gb);
}

// Golden section on |g| in [ta, tb]; stops at the first value beyond zero.
double EventFinder::minimum(int id, double ta, double tb, double side, const Values& values, double& g_at) {
  const double golden = 0.381966011250105;
  double x1 = ta + golden * (tb - ta), x2 = tb - golden * (tb - ta);
  double g1 = side * value(id, x1, values), g2 = side * value(id, x2, values);
  const int max_cuts = 40;  // to 1e-8 of the part, where a quadratic minimum is exact in doubles
  for (int i = 0; i < max_cuts && g1 > 0.0 && g2 > 0.0; ++i) {
    if (g1 < g2) {
      tb = x2;
      x2 = x1;
      g2 = g1;
      x1 = ta + golden * (tb - ta);
      g1 = side * value(id, x1, values);
    } else {
      ta = x1;
      x1 = x2;
      g1 = g2;
      x2 = tb - golden * (tb - ta);
      g2 = side * value(id, x2, values);
    }
  }
  const bool first = g1 < g2;
  g_at = side * (first ? g1 : g2);
  return first ? x1 : x2;
}

void EventFinder::remember(Memory& memory) {
  memory.keep(t_, side_);
  memory.leave(wanted_, samples_, scratch_, hits_);
}

}  // namespace trammel
