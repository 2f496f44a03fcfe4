// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "trammel/base/error.h"
#include "trammel/simulation/dynamics.h"

// A motion that somebody drives from outside, one call after the other: the loop of a run, paused.

namespace trammel {

namespace {

// Of a fixed step: a pause that is nearer than this to its end is at its end.
constexpr double whole_step = 1e-6;

}  // namespace

void Dynamics::begin_live() {
  live_ = true;
  if (study_.solver.h) slack_ = whole_step * *study_.solver.h;
  output_.record_nothing();
  if (!start()) throw InputError(summary_.failure);
  writer_.write(motion_.x.t, viewer_.show(motion_.x, motion_.state), ledger_.now());  // what is asked for before a step
  ledger_.keep_energies_alone();
  end_ = std::numeric_limits<double>::infinity();  // kinks at a pause are passed like all others
}

void Dynamics::take_up_live(std::span<const std::byte> memory) {
  take_up(memory);
  if (t_ >= examined_) examine_inputs(motion_.active().newest(), t_ + study_.analysis.span());
}

// The instants of a run with this step, whatever rounding makes of those that are asked for: t + h after t, and the end
// of the analysis itself.
double Dynamics::end_of_fixed_step() const {
  if (!live_) return pause_;
  const double h = *study_.solver.h, end = *study_.analysis.end;
  if (std::abs(pause_ - end) <= slack_) return end;
  return pause_ - t_ >= h - slack_ ? t_ + 2.0 * h : pause_;
}

bool Dynamics::go_to(double t) {
  if (t > examined_) examine_inputs(motion_.active().newest(), t + study_.analysis.span());
  return advance_to(t);
}

std::vector<EventHit> Dynamics::take_hits() { return std::exchange(hits_, {}); }

// Velocities that motions prescribe may jump with an input, which is an impulse; forces do: accelerations are those
// behind the change, and a method with a past forgets it.
bool Dynamics::meet_inputs() {
  const Model& model = machine_.model();
  bool began = false;
  if (!model.motions.empty() || !model.couplers.empty() || !model.tracks.empty()) {
    MotionVariables x = motion_.active().newest();
    const VelocityJumps::Jump jump = jumps_.find(x);
    if (jump.row >= 0) {
      if (const Status status = jumps_.pass(jump, x, ledger_, summary_.notes); !status.ok())
        return fail(fmt::format("No motion after an input that makes a prescribed velocity jump at t = {:.6g} s: {}.",
                                t_, describe(status.cause)),
                    status.cause);
      began = true;
    }
  }
  if (!began) {
    MotionVariables x = motion_.active().newest();
    Status status = viewer_.calc_accelerations(after_kinks_, x, motion_.state);
    if (status.ok()) {
      viewer_.centre_charts(x, motion_.state);
      status = motion_.active().restart(x, motion_.state);
    }
    if (!status.ok())
      return fail(
          fmt::format("No accelerations with the inputs that are set at t = {:.6g} s: {}.", t_, describe(status.cause)),
          status.cause);
  }
  kinks_.look_anew();
  is_rough_ = true;
  ledger_.renew_power(motion_.active().newest());
  return true;
}

}  // namespace trammel
