// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "trammel/simulation/dynamics.h"
#include "trammel/simulation/option.h"

// A run whose method was chosen goes over to the other one and back (method_exchange.h).

namespace trammel {

// A run that chose its method goes on with the other one where that gets further.
bool Dynamics::exchange_method(const StepReport& report) {
  if (repeat_.active()) return t_ >= end_ || repeat_exchange();
  if (!exchange_ || t_ >= end_ || motion_.is_passing() || !exchange_->judge(report, t_)) return true;
  if (const Status status = motion_.exchange_method(machine_, viewer_); !status.ok())
    return fail(fmt::format("No motion begins at t = {:.6g} s with the other method: {}.", t_, describe(status.cause)),
                status.cause);
  exchanges_.push_back(t_);
  return true;
}

// What one method cannot pass the other may, unless there is no number: once at each place.
bool Dynamics::exchange_failed_method() {
  if (!exchange_ || t_ <= failed_at_ || motion_.is_passing() || repeat_.active()) return false;
  failed_at_ = t_;
  if (!motion_.exchange_method(machine_, viewer_).ok()) return false;
  exchange_->turn(t_);
  exchanges_.push_back(t_);
  ++failures_passed_;
  return true;
}

// "runge_kutta, then radau", and a note of when and why.
void Dynamics::sum_up_exchanges() {
  if (exchanges_.empty()) return;
  const std::string names[] = {word_of(*study_.solver.integrator), word_of(*machine_.other_method()->integrator)};
  for (std::size_t i = 0; i < exchanges_.size(); ++i)
    summary_.method_changes.push_back(fmt::format("t = {:.9g} s: {}", exchanges_[i], names[(i + 1) % 2]));
  constexpr std::size_t shown = 4;
  std::string turns;
  for (std::size_t i = 0; i < std::min(shown, exchanges_.size()); ++i)
    turns += fmt::format("{}{} at t = {:.6g} s", i ? ", " : "", names[(i + 1) % 2], exchanges_[i]);
  if (exchanges_.size() > shown) turns += fmt::format(", … {} times in all", exchanges_.size());
  if (exchanges_.size() % 2 == 1) summary_.integrator += ", then " + names[1];
  std::string why;
  if (static_cast<std::size_t>(failures_passed_) < exchanges_.size())
    why =
        "the explicit pair must resolve the fastest motion of the machine, radau only what moves it, and the one that "
        "got further for its cost went on";
  if (failures_passed_ > 0)
    why += fmt::format("{}where one could not go on the other was tried ({} times)", why.empty() ? "" : "; ",
                       failures_passed_);
  summary_.notes.push_back(fmt::format("the run went over to {}: {}", turns, why));
}

}  // namespace trammel
