// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/energy_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel {

namespace {

// Of the available energy. Runs within their tolerance gain less than a thousandth part; the work of forces is summed
// from step to step, which errs by some hundredths in machines that are driven through sharp kinks.
constexpr double largest_part = 0.5;
// Gains below this part of all energies are rounding, or the first steps of a machine at rest.
constexpr double rounding_part = 1e-9;
// Losses beyond this part of the available energy are asked where they come from.
constexpr double noticed_loss = 1e-4;

}  // namespace

void EnergyWatch::start(const Ledger& ledger) {
  *this = {};
  start_ = ledger.kinetic + ledger.potential;
  work_ = ledger.work;
  least_drift_ = most_drift_ = ledger.drift();
  least_potential_ = ledger.potential;
  largest_ = std::abs(ledger.kinetic) + std::abs(ledger.potential);
  marks_.reserve(64);
}

bool EnergyWatch::update(double t, const Ledger& ledger) {
  if (!std::isfinite(ledger.drift())) {  // coordinates still are numbers, their squares are none
    if (std::isinf(gain_)) return false;
    gain_ = std::numeric_limits<double>::infinity(), gain_t_ = t;
    marks_.push_back({t, gain_, {}});
    loses_ = false;
    return true;
  }
  brought_ += std::max(0.0, ledger.work - work_);
  work_ = ledger.work;
  least_potential_ = std::min(least_potential_, ledger.potential);
  least_drift_ = std::min(least_drift_, ledger.drift());
  const double gain = ledger.drift() - least_drift_;
  most_drift_ = std::max(most_drift_, ledger.drift());
  if (const double loss = most_drift_ - ledger.drift(); loss > loss_) loss_ = loss, loss_t_ = t;
  const double before = largest_;
  loses_ = false;
  if (!(gain > gain_)) {
    largest_ = std::max(largest_, std::abs(ledger.kinetic) + std::abs(ledger.potential));
    loses_ = loss_ > std::max(2.0 * marked_loss_, noticed_loss * available());
    if (loses_) marked_loss_ = loss_;
    return loses_;
  }
  gain_ = gain, gain_t_ = t;
  const bool doubled = gain > rounding_part * before && (marks_.empty() || gain > 2.0 * marks_.back().gain);
  if (doubled && marks_.size() < marks_.capacity()) marks_.push_back({t, gain, {}});
  return doubled;
}

std::optional<Alarm> EnergyWatch::judge(bool fixed_step) const {
  const double limit = largest_part * available();
  if (!(gain_ > limit) || !(gain_ > rounding_part * largest_) || marks_.empty()) return std::nullopt;
  const auto first = std::find_if(marks_.begin(), marks_.end(), [&](const Mark& m) { return m.gain > 0.5 * limit; });
  if (first == marks_.end()) return std::nullopt;
  Alarm alarm{.name = "energy from nothing",
              .t = first->t,
              .element = first->element,
              .value = gain_,
              .limit = limit,
              .text = {}};
  alarm.text = fmt::format(
      "the machine gained {:.3g} J that nothing brought in, limit {:.3g} J ({:.0f} % of the {:.3g} J that it had or "
      "was "
      "given); usual cause: {}",
      gain_, limit, 100.0 * largest_part, available(),
      fixed_step ? "a fixed step that is too long for a stiff force or contact; leave 'h' out, or take it well below "
                   "the duration of an impact"
                 : "a tolerance that is too coarse for a stiff force; tighten rtol and atol");
  return alarm;
}

std::optional<Alarm> EnergyWatch::judge_imbalance(double gain_part, double loss_part, double unknown) const {
  const bool gained = gain_ * loss_part >= loss_ * gain_part;  // the larger one beside its limit
  const double part = gained ? gain_part : loss_part, limit = part * available() + unknown,
               value = gained ? gain_ : loss_;
  if (!(value > limit) || !(value > rounding_part * largest_)) return std::nullopt;
  Alarm alarm{.name = "energy imbalance",
              .t = gained ? gain_t_ : loss_t_,
              .element = gained ? (marks_.empty() ? "" : marks_.back().element) : loss_element_,
              .value = value,
              .limit = limit,
              .text = {}};
  alarm.text = fmt::format(
      "the machine {} {:.3g} J that no force or motion accounts for, limit {:.3g} J ({:.2g} % of the {:.3g} J that it "
      "had or was given): the method's own error is that large; shorten 'h' or leave it out, tighten rtol and atol, or "
      "take a method of higher order",
      gained ? "gained" : "lost", value, limit, 100.0 * limit / available(), available());
  return alarm;
}

}  // namespace trammel
