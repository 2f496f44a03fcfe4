#include "trammel/integrators/events.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel {

namespace {

int sign(double x) { return x > 0.0 ? 1 : x < 0.0 ? -1 : 0; }

}  // namespace

void EventFinder::configure(const DaeSystem& system) {
  std::vector<EventKind> kinds;
  for (int id = 0; id < system.n_events(); ++id) kinds.push_back(system.event_kind(id));
  configure(std::move(kinds));
}

void EventFinder::configure(std::vector<EventKind> kinds) {
  kinds_ = std::move(kinds);
  side_.assign(kinds_.size(), 0);
  samples_.setZero(n(), n_samples + 1);
  scratch_.setZero(n());
  hits_.reserve(16 + 4 * kinds_.size());
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
  const Crossing wanted = kinds_[id].crossing;
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
      if (side_[id] == 0) {  // still where it started: on zero
        side_[id] = sign(gb);
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
      if (sign(g_min) == side_[id]) continue;
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
  // Illinois' regula falsi inside the bracket [ta, tb].
  const double floor = 4.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(ta), std::abs(tb));
  const double width = std::max(floor, 1e-14 * std::abs(tb - ta));
  double fa = ga, fb = gb;
  int last = 0;
  for (int i = 0; i < 100 && tb - ta > width; ++i) {
    double t = fb != fa ? tb - fb * (tb - ta) / (fb - fa) : 0.5 * (ta + tb);
    if (i > 40 || !(t > ta && t < tb)) t = 0.5 * (ta + tb);
    const double g = value(id, t, values);
    if (g == 0.0) {
      ta = tb = t;
      break;
    }
    if (sign(g) == side_[id]) {
      ta = t;
      fa = g;
      if (last < 0) fb *= 0.5;
      last = -1;
    } else {
      tb = t;
      fb = g;
      if (last > 0) fa *= 0.5;
      last = 1;
    }
  }
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

void EventFinder::append(std::vector<double>& numbers) const {
  numbers.push_back(t_);
  for (int id = 0; id < n(); ++id) {
    numbers.push_back(side_[id]);
    numbers.push_back(samples_(id, n_samples));
  }
}

const double* EventFinder::read(const double* numbers) {
  t_ = *numbers++;
  for (int id = 0; id < n(); ++id) {
    side_[id] = static_cast<int>(*numbers++);
    samples_(id, n_samples) = *numbers++;
  }
  return numbers;
}

}  // namespace trammel
