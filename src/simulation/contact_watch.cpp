#include "trammel/simulation/contact_watch.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel {

namespace {

constexpr int n_samples = 4;

int pair_of(const ContactGroup::Place& p) { return (p.a * ContactGroup::max_geometry + p.b) * 8 + p.feature; }

}  // namespace

ContactWatch::ContactWatch(const ContactGroup& group) : group_(&group) {
  side_.assign(group.capacity(), 0), pair_.assign(group.capacity(), -1);
  before_.assign(group.capacity(), 0.0);
}

double ContactWatch::indicator(const KinematicState& state, const ContactGroup::Place& place) const {
  return group_->calc_report(state, place).indicator;
}

std::optional<ContactWatch::Change> ContactWatch::find(double t0, double t1, const At& at) {
  const double part = (t1 - t0) / n_samples, tiny = instant_tol * (1.0 + std::abs(t1));
  for (int s = 0; s <= n_samples; ++s) {
    const double t = s == n_samples ? t1 : t0 + s * part;
    const KinematicState k = at(t);
    const int n = group_->n_listed(k.modes);
    changed_.clear();
    for (int i = 0; i < n; ++i) {
      const ContactGroup::Place p = group_->place(k.modes, i);
      const double now = indicator(k, p);
      const int side = now > 0.0 ? 1 : -1;
      if (pair_[p.slot] != pair_of(p)) pair_[p.slot] = pair_of(p), side_[p.slot] = side;
      if (s > 0 && side != side_[p.slot] && group_->laws()[p.law].locate) changed_.push_back({p, before_[p.slot], now});
      before_[p.slot] = now;
    }
    const bool missed = s > 0 && s % 2 == 0 && group_->find_missed(k, k.modes).depth > 0.0;
    std::optional<Change> first;
    for (const Changed& c : changed_) {  // k is not valid any more
      const double zero = locate(c.place, t - part, c.before, t, c.now, at);
      if (zero <= t0 + tiny) {  // it changed where the step began: the step knew
        side_[c.place.slot] = c.now > 0.0 ? 1 : -1;
        continue;
      }
      if (!first || zero < first->t) first = Change{zero, c.place.slot, c.place.law, c.place.a, c.place.b, c.now > 0.0};
    }
    if (first) return first;
    if (missed) return Change{last_clear(t - 2.0 * part, t, at), -1, -1, -1, -1, true};
  }
  return std::nullopt;
}

// An instant in [ta, tb) shortly before a pair that is not listed overlaps.
double ContactWatch::last_clear(double ta, double tb, const At& at) const {
  constexpr int halvings = 12;  // near enough for the search to list the pair, far enough to step on
  for (int i = 0; i < halvings; ++i) {
    const double t = 0.5 * (ta + tb);
    const KinematicState k = at(t);
    (group_->find_missed(k, k.modes).depth > 0.0 ? tb : ta) = t;
  }
  return ta;
}

// Illinois' regula falsi; returns the end of the bracket that is beyond the zero.
double ContactWatch::locate(const ContactGroup::Place& place, double ta, double fa, double tb, double fb,
                            const At& at) const {
  if ((fa > 0.0) == (fb > 0.0)) return ta;  // it was on the other side of a change that rounding had moved
  const double width = 4.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(ta), std::abs(tb));
  int last = 0;
  for (int i = 0; i < 100 && tb - ta > width; ++i) {
    double t = fb != fa ? tb - fb * (tb - ta) / (fb - fa) : 0.5 * (ta + tb);
    if (i > 40 || !(t > ta && t < tb)) t = 0.5 * (ta + tb);
    const double f = indicator(at(t), place);
    if ((f > 0.0) == (fb > 0.0)) {
      tb = t, fb = f;
      if (last > 0) fa *= 0.5;
      last = 1;
    } else {
      ta = t, fa = f;
      if (last < 0) fb *= 0.5;
      last = -1;
    }
  }
  return tb;
}

void ContactWatch::accept(const KinematicState& state, const std::optional<Change>& change) {
  for (int i = 0; i < group_->n_listed(state.modes); ++i) {
    const ContactGroup::Place p = group_->place(state.modes, i);
    pair_[p.slot] = pair_of(p);
    side_[p.slot] = indicator(state, p) > 0.0 ? 1 : -1;
  }
  if (change && change->slot >= 0) side_[change->slot] = change->begins ? 1 : -1;
}

}  // namespace trammel
