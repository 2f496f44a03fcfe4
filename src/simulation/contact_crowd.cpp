// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/contact_crowd.h"

#include <fmt/format.h>

namespace trammel {

namespace {

constexpr int many_places = 30;
constexpr long window = 100, many_changes = 10;  // steps

}  // namespace

void ContactCrowd::note_step(double t, int n_places, bool changes) {
  ++steps_;
  changed_ += changes ? 1 : 0;
  if (changes) changed_at_ = t, since_change_ = 0;
  const bool heap = n_places >= many_places;
  const bool rests = ++since_change_ > window && t - changed_at_ > changed_at_ - first_;
  const bool now = heap && (crowd_ ? !rests : changed_ >= many_changes);
  if (steps_ >= window || now != crowd_) steps_ = changed_ = 0;
  if (now == crowd_) return;
  crowd_ = now;
  if (!now) {
    lasted_ += t - since_;
  } else {
    since_ = t;
    if (times_++ == 0) first_ = t;
  }
}

std::string ContactCrowd::to_text(double end) const {
  if (times_ == 0) return {};
  return fmt::format(
      "a heap: with {} and more places near to touching, and contact that began or ended in {} of {} steps, steps do "
      "not "
      "end there but follow the error test alone: from t = {:.6g} s on, for {:.6g} s in all",
      many_places, many_changes, window, first_, lasted_ + (crowd_ ? end - since_ : 0.0));
}

}  // namespace trammel
