// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/rejected_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/dae/memory_of_motion.h"
#include "trammel/mechanics/elements/contact_group.h"
#include "trammel/simulation/machine_length.h"

namespace trammel {

namespace {

// Steps without a rejected attempt that a stretch may have between two with one.
constexpr long steps_between = 10;
// What is told: attempts of a stretch, as a part of its steps, and how many stretches.
constexpr long few_attempts = 10;
constexpr double told_part = 0.2;
constexpr std::size_t most_told = 3, most_kept = 16;

}  // namespace

std::string_view advice_on_rejected(bool by_newton) {
  return by_newton
             ? "Newton's iteration does not converge there: a law with a corner or a very high gain; smooth it, or "
               "take another integrator"
             : "the error test asks for shorter steps there: a law with a jump, a corner or a fast vibration; smooth "
               "it over a time that matters, or damp it";
}

RejectedSteps::RejectedSteps(const Machine& machine, Viewer& viewer, const Motion& motion)
    : machine_(machine), viewer_(viewer), motion_(motion), length_(machine_length(machine.model())), sample_(motion.x) {
  if (!(length_ > 0.0)) length_ = 1.0;
}

void RejectedSteps::note_step(const StepReport& report, const MotionVariables& x, long n) {
  if (report.rejected_error + report.rejected_newton == 0 || motion_.is_passing()) return;
  if (stretches_.empty() || n > stretches_.back().last + steps_between) {
    if (stretches_.size() == most_kept) {
      const auto least = std::min_element(stretches_.begin(), stretches_.end(),
                                          [this](const Stretch& a, const Stretch& b) { return is_worse(b, a); });
      stretches_.erase(least);
    }
    stretches_.emplace_back();
    stretches_.back().from = x.t - report.h, stretches_.back().first = n;
  }
  Stretch& stretch = stretches_.back();
  stretch.to = x.t, stretch.last = n;
  stretch.by_error += report.rejected_error, stretch.by_newton += report.rejected_newton;
  add_shares(report, x, stretch);
}

bool RejectedSteps::is_worse(const Stretch& a, const Stretch& b) const {
  return a.by_error + a.by_newton > b.by_error + b.by_newton;
}

// Force above moment over length, by the name of the element.
RejectedSteps::Sizes RejectedSteps::calc_forces(const KinematicState& k) {
  Sizes sizes;
  const Assembly& full = machine_.full();
  const Model& model = machine_.model();
  std::vector<double> rates(k.z.size(), 0.0);
  for (std::size_t i = 0; i < full.forces.size(); ++i) {
    if (!full.forces[i].group) continue;
    wrenches_.assign(k.frames.size(), zero_wrench<double>());
    full.forces[i].group->add_forces(k, wrenches_, rates);
    Eigen::Matrix<double, 6, 1>& size =
        sizes.try_emplace(fmt::format("force '{}'", model.forces[i].name), Eigen::Matrix<double, 6, 1>::Zero())
            .first->second;
    const Wrench<double>& w = wrenches_[static_cast<std::size_t>(full.forces[i].frame_b)];
    for (int c = 0; c < 3; ++c) size[c] += w.force[c], size[3 + c] += w.moment[c] / length_;
  }
  if (full.contacts == nullptr) return sizes;
  const ContactGroup& group = *full.contacts;
  for (int i = 0; i < group.n_listed(k.modes); ++i) {
    const ContactGroup::Place p = group.place(k.modes, i);
    const std::string name = fmt::format("contact '{}' between '{}' and '{}'", group.laws()[p.law].name,
                                         group.geometry()[p.a].name, group.geometry()[p.b].name);
    sizes.try_emplace(name, Eigen::Matrix<double, 6, 1>::Zero()).first->second[0] +=
        group.calc_report(k, p).normal_force;
  }
  return sizes;
}

// (1) of the step.
void RejectedSteps::add_shares(const StepReport& report, const MotionVariables& x, Stretch& stretch) {
  const Sizes to = calc_forces(viewer_.update_kinematics(x, motion_.state));
  if (to.empty() && report.worst_unknown >= 0)
    stretch.shares[motion_.active().layout().describe_unknown(report.worst_unknown)] += 1.0;
  motion_.active().interpolate_motion(x.t - report.h, sample_);
  const Sizes from = calc_forces(viewer_.update_kinematics(sample_, motion_.state));
  for (const auto& [name, size] : to) {
    const auto before = from.find(name);
    const double change = (before == from.end() ? size : size - before->second).norm();
    if (std::isfinite(change) && change > 0.0) stretch.shares[name] += change;
  }
}

void RejectedSteps::sum_up(std::vector<std::string>& notes) const {
  std::vector<Stretch> worst;
  for (const Stretch& stretch : stretches_) {
    const long attempts = stretch.by_error + stretch.by_newton, steps = stretch.last - stretch.first + 1;
    if (attempts >= few_attempts && static_cast<double>(attempts) >= told_part * static_cast<double>(steps))
      worst.push_back(stretch);
  }
  std::sort(worst.begin(), worst.end(), [this](const Stretch& a, const Stretch& b) { return is_worse(a, b); });
  if (worst.size() > most_told) worst.resize(most_told);
  for (const Stretch& stretch : worst) {
    double all = 0.0;
    for (const auto& [name, share] : stretch.shares) all += share;
    const auto largest = std::max_element(stretch.shares.begin(), stretch.shares.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
    const std::string whose =
        largest == stretch.shares.end() || !(all > 0.0)
            ? ""
            : fmt::format("; {} changed most ({:.0f} %)", largest->first, 100.0 * largest->second / all);
    notes.push_back(fmt::format("rejected {} attempts in {} steps from t = {:.6g} to {:.6g} s{}: {}",
                                stretch.by_error + stretch.by_newton, stretch.last - stretch.first + 1, stretch.from,
                                stretch.to, whose, advice_on_rejected(stretch.by_newton > stretch.by_error)));
  }
}

void RejectedSteps::Stretch::remember(Memory& memory) {
  memory.keep(from, to, first, last, by_error, by_newton, shares);
}

void RejectedSteps::remember(Memory& memory) {
  memory.section("RejectedSteps");
  memory.keep(stretches_);
  memory.leave(machine_, viewer_, motion_, length_, sample_, wrenches_);
}

}  // namespace trammel
