// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/kink_watch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/math/locate_zero.h"

namespace trammel {

namespace {

constexpr int least_parts = 4, most_parts = 1000;
// Bounds of a way hold while nothing turns by more than this between two instants looked at [rad].
constexpr double turn_of_step = 1.0, turn_of_part = 0.5;
// Parts are halved down to this part of the step: what is met for a shorter while is a graze.
constexpr double shortest_graze = 1e-6;
// A switch that leaves the straight line by some amount between two instants is expected within twice that.
constexpr double beyond_switch_hull = 2.0;

using Passing = ContactGroup::Passing;
using Place = ContactGroup::Place;

int pair_of(const Place& p) { return (p.a * ContactGroup::max_geometry + p.b) * 8 + p.feature; }
int side_of(double x) { return x > 0.0 ? 1 : -1; }

// A change of side between ta and tb, from beyond it: 0 is on the side of −1.
template <class Function>
double locate(double ta, double fa, double tb, double fb, const Function& value) {
  if ((fa > 0.0) == (fb > 0.0)) return ta;  // it was on the other side of a change that rounding had moved
  const double width = 4.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(ta), std::abs(tb));
  return locate_zero(ta, fa, tb, fb, width, !(fb > 0.0), value);
}

void take_earlier(std::optional<KinkWatch::Change>& first, const KinkWatch::Change& change) {
  if (!first || change.t < first->t) first = change;
}

}  // namespace

KinkWatch::KinkWatch(const ContactGroup* contacts, std::vector<const ElementGroup*> switching, bool turns_count)
    : group_(contacts), switching_(std::move(switching)), turns_count_(turns_count) {
  for (const ElementGroup* group : switching_) n_switches_ += group->n_switches();
  switch_side_.assign(n_switches_, 0);
  scratch_.resize(n_switches_);
  if (group_ == nullptr) return;
  side_.assign(group_->capacity(), 0), pair_.assign(group_->capacity(), -1);
  may_locate_ = std::any_of(group_->laws().begin(), group_->laws().end(), [](const auto& law) { return law.locate; });
  locates_contacts_ = may_locate_;
}

// ---- instants ------------------------------------------------------------------------------------------------------

void KinkWatch::calc_switches(const KinematicState& state, SwitchValue* values) const {
  for (const ElementGroup* group : switching_) {
    group->calc_switches(state, {values, static_cast<std::size_t>(group->n_switches())});
    values += group->n_switches();
  }
}

// Frames and switches at an instant; places are read when it is known which are listed in this step.
void KinkWatch::take(double t, const At& at) {
  const KinematicState k = at(t);
  t_.push_back(t);
  append(k);
  read_places(k, t_.size() - 1);
}

void KinkWatch::append(const KinematicState& k) {
  if (n_switches_ > 0) {
    values_.resize(values_.size() + n_switches_);
    calc_switches(k, values_.data() + values_.size() - n_switches_);
  }
  if (group_ != nullptr) frames_.insert(frames_.end(), k.frames.begin(), k.frames.end());
}

void KinkWatch::read_places(const KinematicState& state, std::size_t instant) {
  if (group_ == nullptr) return;
  KinematicState k = state;
  k.frames = way(t_.size()).at(instant);
  for (const Place& p : places_) {
    const ContactGroup::Report report = group_->calc_report(k, p);
    listed_.push_back({report.indicator, -report.depth, -report.rate});
  }
}

// The two ends of a step. Where it begins is where the last one was accepted, as a rule.
void KinkWatch::take_ends(double t0, double t1, const At& at) {
  const bool known = first_known_ && t_.size() == 1 && t_[0] == t0;
  first_known_ = false;
  listed_.clear();
  if (!known) {
    t_.clear(), frames_.clear(), values_.clear();
    t_.push_back(t0);
    append(at(t0));
  }
  const KinematicState k = at(t1);
  t_.push_back(t1);
  append(k);
  if (group_ == nullptr) return;
  modes_.assign(k.modes.begin(), k.modes.end());
  places_.clear();
  if (!locates_contacts_) return;
  for (int i = 0; i < group_->n_listed(k.modes); ++i) places_.push_back(group_->place(k.modes, i));
  read_places(k, 0);
  read_places(k, 1);
}

// Forgets what was looked at behind the beginning of the step.
void KinkWatch::keep_first() {
  if (group_ != nullptr)
    frames_.erase(frames_.begin() + static_cast<std::ptrdiff_t>(frames_.size() / t_.size()), frames_.end());
  t_.resize(1);
  listed_.resize(places_.size());
  values_.resize(n_switches_);
}

// Forgets what was looked at before the end of the step.
void KinkWatch::keep_last() {
  const std::size_t before = t_.size() - 1, n = frames_.size() / t_.size();
  if (before == 0) return;
  frames_.erase(frames_.begin(), frames_.begin() + static_cast<std::ptrdiff_t>(before * n));
  t_.erase(t_.begin(), t_.end() - 1);
  listed_.erase(listed_.begin(), listed_.end() - static_cast<std::ptrdiff_t>(places_.size()));
  values_.erase(values_.begin(), values_.end() - n_switches_);
}

ContactGroup::Way KinkWatch::way(std::size_t n_instants) const {
  const std::size_t n = frames_.size() / t_.size();
  return {{t_.data(), n_instants}, {frames_.data(), n_instants * n}};
}

Passing KinkWatch::passing(std::size_t instant, const Place& place) const {
  return group_->calc_passing(t_[instant], way(t_.size()).at(instant), place);
}

Passing KinkWatch::passing_at(double t, const Place& place, const At& at) const {
  return group_->calc_passing(t, at(t).frames, place);
}

SwitchValue KinkWatch::switch_at(int kink, double t, const At& at) {
  calc_switches(at(t), scratch_.data());
  return scratch_[kink];
}

void KinkWatch::locate_contacts(bool wanted) {
  wanted = wanted && may_locate_;
  if (wanted != locates_contacts_) std::fill(pair_.begin(), pair_.end(), -1);  // sides are to be found anew
  locates_contacts_ = wanted;
}

// Where instants are not sought: which places overlap at the end of the step, and whether others did before.
void KinkWatch::note_sides() {
  contact_changed_ = false;
  const auto frames = way(2).at(1);
  for (int i = 0; i < group_->n_listed(modes_); ++i) {
    const Place p = group_->place(modes_, i);
    const int side = side_of(group_->calc_depth(frames, p));
    if (pair_[p.slot] == pair_of(p) && side_[p.slot] != side) contact_changed_ = true;
    pair_[p.slot] = pair_of(p), side_[p.slot] = side;
  }
}

// ---- bounds --------------------------------------------------------------------------------------------------------

// A cubic through values and rates stays in the hull of its four control values; what leaves the straight line counts
// twice.
bool KinkWatch::stays(int kink, const SwitchValue& from, const SwitchValue& to, double tau) const {
  const double side = switch_side_[kink];
  if (!(side * from.value > 0.0 && side * to.value > 0.0)) return false;
  const double third = (to.value - from.value) / 3.0;
  const double p1 = from.value + third + beyond_switch_hull * (tau * from.rate / 3.0 - third);
  const double p2 = to.value - third + beyond_switch_hull * (third - tau * to.rate / 3.0);
  return side * p1 > 0.0 && side * p2 > 0.0;
}

// Whether the two ends of the step tell that nothing changes within it.
bool KinkWatch::is_quiet() {
  const double h = t_[1] - t_[0];
  for (int i = 0; i < n_switches_; ++i) {
    if (switch_side_[i] == 0) switch_side_[i] = side_of(values_[i].value);
    if (!stays(i, values_[i], values_[n_switches_ + i], h)) return false;
  }
  if (group_ == nullptr) return true;
  const ContactGroup::Way ends = way(2);
  if (h * std::max(group_->largest_spin(ends.at(0), turns_count_), group_->largest_spin(ends.at(1), turns_count_)) >
      turn_of_step)
    return false;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& p = places_[i];
    if (!group_->laws()[p.law].locate) continue;
    if (pair_[p.slot] != pair_of(p) || side_[p.slot] > 0) return false;
    if (listed_[i].indicator > 0.0 || listed_[places_.size() + i].indicator > 0.0) return false;
    if (!(group_->bound_gap(p, passing(0, p), passing(1, p)) > 0.0)) return false;
  }
  if (group_->stays_near(ends)) return true;
  candidates_.clear();
  group_->find_candidates(ends, modes_, candidates_);
  return std::all_of(candidates_.begin(), candidates_.end(),
                     [&](const Place& p) { return group_->bound_gap(p, passing(0, p), passing(1, p)) > 0.0; });
}

// Apart at `from`. True: the shapes overlap somewhere behind it, and [from, to] is narrowed to where they first do.
// Gaps of surfaces that were drawn exactly touching are rounding: bounds cannot part them, in however small parts of
// the step.
bool KinkWatch::find_overlap(const Place& place, Passing& from, Passing& to, const At& at) const {
  constexpr double rounding = 64.0 * std::numeric_limits<double>::epsilon();
  const double size = from.a.p.norm() + from.b.p.norm() + group_->margin(place.a, place.b) / ContactGroup::margin_part;
  const bool meets = to.gap < 0.0;
  if (!meets && group_->bound_gap(place, from, to) > -rounding * size) return false;
  if (to.t - from.t <= least_) return meets;
  constexpr double near = 2e-3;  // of the margin: the search after the step lists the pair, and touch-down is near
  if (meets && from.gap < near * group_->margin(place.a, place.b)) return true;
  Passing mid = passing_at(0.5 * (from.t + to.t), place, at), first = mid;
  if (find_overlap(place, from, first, at)) {
    to = first;
    return true;
  }
  from = mid;
  return find_overlap(place, from, to, at);
}

// On its side at both ends. True: the switch is beyond zero at the new tb.
bool KinkWatch::find_crossing(int kink, double& ta, SwitchValue& from, double& tb, SwitchValue& to, const At& at) {
  if (stays(kink, from, to, tb - ta) || tb - ta <= least_) return false;
  if (std::isnan(from.rate) || std::isnan(to.rate)) return false;  // nothing is known of the way
  if (from.value == 0.0 || to.value == 0.0) return false;          // it is zero for long, or leaves zero
  double tm = 0.5 * (ta + tb);
  SwitchValue mid = switch_at(kink, tm, at);
  if (side_of(mid.value) != switch_side_[kink]) {
    tb = tm, to = mid;
    return true;
  }
  double t_end = tm;
  SwitchValue end = mid;
  if (find_crossing(kink, ta, from, t_end, end, at)) {
    tb = t_end, to = end;
    return true;
  }
  ta = tm, from = mid;
  return find_crossing(kink, ta, from, tb, to, at);
}

// ---- the search ----------------------------------------------------------------------------------------------------

std::optional<KinkWatch::Change> KinkWatch::find(double t0, double t1, const At& at, const IsSharp& is_sharp) {
  take_ends(t0, t1, at);
  together_.clear();
  if (group_ != nullptr && !locates_contacts_) note_sides();
  if (is_quiet()) return std::nullopt;
  double spin = 0.0;
  if (group_ != nullptr)
    for (const std::size_t end : {0, 1}) spin = std::max(spin, group_->largest_spin(way(2).at(end), turns_count_));
  const double h = t1 - t0;
  const int n_parts = std::clamp(static_cast<int>(std::min(1e6, h * spin / turn_of_part)) + 1, least_parts, most_parts);
  least_ = shortest_graze * h;
  keep_first();
  std::optional<Change> first;
  std::size_t parts = 0;
  while (!first && static_cast<int>(parts) < n_parts) {
    ++parts;
    take(static_cast<int>(parts) == n_parts ? t1 : t0 + static_cast<double>(parts) * (h / n_parts), at);
    find_listed(parts, at, first);
    find_switches(parts, at, is_sharp, first);
    // Surfaces that parted before they had relaxed exert no force: where they cease to overlap only energies have a
    // kink, and whoever asks is told of it.
    const Listed *before = listed_.data() + (parts - 1) * places_.size(), *now = before + places_.size();
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (side_[places_[i].slot] > 0 || !(before[i].gap < 0.0 && now[i].gap > 0.0)) continue;
      const auto overlap = [&](double t) { return group_->calc_report(at(t), places_[i]).depth; };
      const double zero = locate(t_[parts - 1], -before[i].gap, t_[parts], -now[i].gap, overlap);
      if (zero > t0 + instant_tol * (1.0 + std::abs(t1))) is_sharp(zero);
    }
  }
  find_unlisted(parts, at, first);
  return first;
}

// Places that are on another side at the end of a part, or that may have come and gone within it.
void KinkWatch::find_brackets(std::size_t part, const At& at) {
  const std::size_t n = places_.size();
  const Listed *before = listed_.data() + (part - 1) * n, *now = listed_.data() + part * n;
  const double ta = t_[part - 1], tb = t_[part];
  brackets_.clear();
  for (std::size_t i = 0; i < n; ++i) {
    const Place& p = places_[i];
    if (pair_[p.slot] != pair_of(p)) pair_[p.slot] = pair_of(p), side_[p.slot] = side_of(before[i].indicator);
    if (!group_->laws()[p.law].locate) continue;
    Bracket bracket{i, ta, before[i].indicator, tb, now[i].indicator};
    if (side_of(bracket.fb) == side_[p.slot]) {
      // It may have come and gone. Shapes that do not turn much would come nearer first and go away at last.
      if (side_[p.slot] > 0 || bracket.fa > 0.0) continue;
      Passing from = passing(part - 1, p), to = passing(part, p);
      const double turned = (tb - ta) * std::max({from.a.w.norm(), from.b.w.norm(), to.a.w.norm(), to.b.w.norm()});
      if (turned < turn_of_part && !(before[i].rate < 0.0 && now[i].rate > 0.0)) continue;
      if (!find_overlap(p, from, to, at)) continue;
      bracket = {i, from.t, -from.gap, to.t, -to.gap};
    }
    brackets_.push_back(bracket);
  }
}

// At t a change was found: of the others those matter that have changed by then.
void KinkWatch::narrow_brackets(std::size_t from, double t, const At& at) {
  if (from == brackets_.size()) return;
  const KinematicState k = at(t);
  for (std::size_t i = from; i < brackets_.size(); ++i) {
    Bracket& x = brackets_[i];
    if (x.b <= t) continue;
    const double f = group_->calc_report(k, places_[x.place]).indicator;
    if (side_of(f) == side_of(x.fb))
      x.b = t, x.fb = f;
    else
      x.a = t, x.fa = f;
  }
}

void KinkWatch::find_listed(std::size_t part, const At& at, std::optional<Change>& first) {
  const double t0 = t_.front(), tiny = instant_tol * (1.0 + std::abs(t_.back()));
  find_brackets(part, at);
  std::sort(brackets_.begin(), brackets_.end(),
            [](const Bracket& x, const Bracket& y) { return x.expected() < y.expected(); });
  std::optional<Change> earliest;
  for (std::size_t i = 0; i < brackets_.size(); ++i) {
    Bracket& x = brackets_[i];
    const Place& p = places_[x.place];
    if (earliest && x.a >= earliest->t) continue;
    const auto indicator = [&](double t) { return group_->calc_report(at(t), p).indicator; };
    const double zero = locate(x.a, x.fa, x.b, x.fb, indicator);
    const Change change{zero, p.slot, p.law, p.a, p.b, x.fb > 0.0, -1};
    if (zero <= t0 + tiny) {  // it changed where the step began: the step knew
      side_[p.slot] = side_of(x.fb);
      together_.push_back(change);
      continue;
    }
    take_earlier(earliest, change);
    narrow_brackets(i + 1, earliest->t, at);
  }
  if (earliest) take_earlier(first, *earliest);
}

void KinkWatch::find_switches(std::size_t part, const At& at, const IsSharp& is_sharp, std::optional<Change>& first) {
  const double t0 = t_.front(), tiny = instant_tol * (1.0 + std::abs(t_.back()));
  for (int i = 0; i < n_switches_; ++i) {
    SwitchValue from = values_[(part - 1) * n_switches_ + i], to = values_[part * n_switches_ + i];
    double ta = t_[part - 1], tb = t_[part];
    if (switch_side_[i] == 0) switch_side_[i] = side_of(from.value);
    if (side_of(to.value) == switch_side_[i]) {
      if (side_of(from.value) != switch_side_[i] || !find_crossing(i, ta, from, tb, to, at)) continue;
    }
    const double zero = locate(ta, from.value, tb, to.value, [&](double t) { return switch_at(i, t, at).value; });
    if (zero <= t0 + tiny || !is_sharp(zero)) {
      switch_side_[i] = side_of(to.value);
      continue;
    }
    Change change{.t = zero, .begins = to.value > 0.0};
    change.kink = i;
    take_earlier(first, change);
  }
}

// Pairs that are not listed: the step should end shortly before they touch.
void KinkWatch::find_unlisted(std::size_t parts, const At& at, std::optional<Change>& first) {
  if (group_ == nullptr) return;
  candidates_.clear();
  group_->find_candidates(way(parts + 1), modes_, candidates_);
  for (const Place& p : candidates_) {
    Passing from = passing(0, p);
    if (from.gap < 0.0) continue;  // cannot be listed any more: the run says so
    for (std::size_t part = 1; part <= parts && (!first || t_[part - 1] < first->t); ++part) {
      const Passing end = passing(part, p);
      Passing to = end;
      if (find_overlap(p, from, to, at)) {
        take_earlier(first, {.t = from.t, .begins = true});
        break;
      }
      from = end;
    }
  }
}

void KinkWatch::accept(const KinematicState& state, const std::optional<Change>& change) {
  t_.clear(), frames_.clear(), values_.clear(), listed_.clear();
  t_.push_back(change ? change->t : std::numeric_limits<double>::quiet_NaN());
  append(state);
  places_.clear();
  if (group_ != nullptr && locates_contacts_)
    for (int i = 0; i < group_->n_listed(state.modes); ++i) places_.push_back(group_->place(state.modes, i));
  read_places(state, 0);
  const auto before = side_;
  set_sides();
  // What touches at the same instant is on its other side where the step ends, and no later step sees it change.
  together_.clear();
  if (change && change->slot >= 0)
    for (const Place& p : places_)
      if (p.slot != change->slot && before[p.slot] * side_[p.slot] < 0)
        together_.push_back({change->t, p.slot, p.law, p.a, p.b, side_[p.slot] > 0, -1});
  first_known_ = false;  // a method that starts again may do so elsewhere by a rounding
  if (change && change->kink >= 0) switch_side_[change->kink] = change->begins ? 1 : -1;
  if (change && change->slot >= 0) side_[change->slot] = change->begins ? 1 : -1;
}

bool KinkWatch::is_met(const Change& change) const {
  const std::size_t last = t_.size() - 1;
  double value = 0.0, before = 0.0, rate = 0.0;
  if (change.kink >= 0) {
    const SwitchValue& now = values_[last * n_switches_ + change.kink];
    value = now.value, rate = now.rate;
    before = values_[(last - 1) * n_switches_ + change.kink].value;
  } else {
    const auto at = std::find_if(places_.begin(), places_.end(), [&](const Place& p) { return p.slot == change.slot; });
    if (at == places_.end()) return false;
    const std::size_t i = at - places_.begin();
    const Listed& now = listed_[last * places_.size() + i];
    value = now.indicator, before = listed_[(last - 1) * places_.size() + i].indicator;
    rate = now.indicator == -now.gap ? -now.rate : std::nan("");
  }
  // A force that ends: how fast it falls is the business of accelerations, and told by the instant before.
  if (std::isnan(rate)) rate = (value - before) / (t_[last] - t_[last - 1]);
  constexpr double rounding = 10.0 * instant_tol;
  return std::abs(value) <= std::abs(rate) * rounding * (1.0 + std::abs(t_.back()));
}

bool KinkWatch::accept_end(double t) {
  if (t_.empty() || t_.back() != t) return false;
  keep_last();
  set_sides();
  first_known_ = true;
  return true;
}

// Of the only instant.
void KinkWatch::set_sides() {
  for (int i = 0; i < n_switches_; ++i) switch_side_[i] = side_of(values_[i].value);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    pair_[places_[i].slot] = pair_of(places_[i]);
    side_[places_[i].slot] = side_of(listed_[i].indicator);
  }
}

}  // namespace trammel
