// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/rejected_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

// Force above moment over length, by the name of the element; and the multipliers of all rows.
RejectedSteps::Sizes RejectedSteps::calc_forces(const MotionVariables& x, Eigen::VectorXd& lam) {
  Sizes sizes;
  const Assembly& full = machine_.full();
  const Model& model = machine_.model();
  KinematicState k = viewer_.update_kinematics(viewer_.show(x, motion_.state));
  lam = viewer_.lam();
  std::vector<double> rates(k.z.size(), 0.0);
  for (std::size_t i = 0; i < full.forces.size(); ++i) {
    if (!full.forces[i].group) continue;
    wrenches_.assign(k.frames.size(), zero_wrench<double>());
    full.forces[i].group->add_forces(k, wrenches_, rates);
    Size& size = sizes.try_emplace(fmt::format("force '{}'", model.forces[i].name), Size::Zero()).first->second;
    const Wrench<double>& w = wrenches_[static_cast<std::size_t>(full.forces[i].frame_b)];
    for (int c = 0; c < 3; ++c) size[c] += w.force[c], size[3 + c] += w.moment[c] / length_;
  }
  add_contacts(k, sizes);
  add_wheels(k, sizes);
  add_beams(k, sizes);
  return sizes;
}

void RejectedSteps::add_contacts(const KinematicState& at, Sizes& sizes) const {
  const Assembly& full = machine_.full();
  if (full.contacts == nullptr) return;
  const ContactGroup& group = *full.contacts;
  KinematicState k = at;
  k.modes = std::span(motion_.state.modes).subspan(full.contact_modes, group.n_modes());
  for (int i = 0; i < group.n_listed(k.modes); ++i) {
    const ContactGroup::Place p = group.place(k.modes, i);
    const std::string name = fmt::format("contact '{}' between '{}' and '{}'", group.laws()[p.law].name,
                                         group.geometry()[p.a].name, group.geometry()[p.b].name);
    sizes.try_emplace(name, Size::Zero()).first->second[0] += group.calc_report(k, p).normal_force;
  }
}

// What the rail does to it: normal force, and creep forces.
void RejectedSteps::add_wheels(const KinematicState& k, Sizes& sizes) const {
  const WheelRailGroup* const group = machine_.full().wheels;
  if (group == nullptr) return;
  for (int e = 0; e < group->size(); ++e) {
    const WheelRailGroup::Element& element = group->element(e);
    const Frame<double>& f = k.frames[static_cast<std::size_t>(element.frame)];
    const WheelContact<double> contact = calc_wheel_contact(element.wheel, f);
    const double lam = k.lam[static_cast<std::size_t>(element.row)];
    Size size = Size::Zero();
    size[2] = lam / contact.per_normal;
    if (element.wheel.creep.friction > 0.0) {
      const CreepForces<double> creep = calc_wheel_creep(element.wheel, contact, f, lam).forces;
      size[0] = creep.Fx, size[1] = creep.Fy, size[5] = creep.M / length_;
    }
    sizes[fmt::format("wheel '{}'", machine_.model().wheels[static_cast<std::size_t>(e)].name)] = size;
  }
}

// What it does to each of its nodes.
void RejectedSteps::add_beams(const KinematicState& k, Sizes& sizes) const {
  const BeamGroup* const group = machine_.full().beams;
  if (group == nullptr) return;
  int element = 0;
  for (const Beam& beam : machine_.model().beams)
    for (int e = 0; e < beam.n_elements(); ++e) {
      const BeamElement& b = group->element(element++);
      std::array<Frame<double>, BeamElement::max_nodes> local;
      std::array<Wrench<double>, BeamElement::max_nodes> wrench;
      for (int a = 0; a < b.nodes; ++a) local[a] = k.frames[static_cast<std::size_t>(b.frame[a])];
      beam_force(b, local.data(), wrench.data());
      Size size = Size::Zero();
      for (int a = 0; a < b.nodes; ++a)
        for (int c = 0; c < 3; ++c)
          size[6 * a + c] = wrench[a].force[c], size[6 * a + 3 + c] = wrench[a].moment[c] / length_;
      sizes[fmt::format("beam '{}', element {}", beam.name, e + 1)] = size;
    }
}

// (2) of the step; wheels have had theirs.
void RejectedSteps::add_rows(double acting, Stretch& stretch) const {
  const AbsoluteSystem& system = *machine_.full().system;
  for (int row = 0; row < system.n_rows(); ++row) {
    const double change = std::abs(lam_to_[row] - lam_from_[row]);
    if (!(change > std::min(1.0, length_) * acting) || system.row_owner(row).starts_with("wheel '")) continue;
    const std::string name = system.describe_row(row);  // with its unit: what holds an angle is a moment
    const double beyond = (name.ends_with("[rad]") ? change / length_ : change) - acting;
    if (std::isfinite(beyond) && beyond > 0.0) stretch.shares[name] += beyond;
  }
}

// (1) of the step.
void RejectedSteps::add_shares(const StepReport& report, const MotionVariables& x, Stretch& stretch) {
  const Sizes to = calc_forces(x, lam_to_);
  motion_.active().interpolate_motion(x.t - report.h, sample_);
  const Sizes from = calc_forces(sample_, lam_from_);
  double acting = 0.0;
  for (const auto& [name, size] : to) {
    const auto before = from.find(name);
    const double change = (before == from.end() ? size : size - before->second).norm();
    if (!std::isfinite(change) || !(change > 0.0)) continue;
    stretch.shares[name] += change;
    acting += change;
  }
  add_rows(acting, stretch);
  if (report.worst_unknown >= 0)
    stretch.unknowns[motion_.active().layout().describe_unknown(report.worst_unknown)] += 1.0;
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
    const std::map<std::string, double>& shares = stretch.shares.empty() ? stretch.unknowns : stretch.shares;
    double all = 0.0;
    for (const auto& [name, share] : shares) all += share;
    const auto largest = std::max_element(shares.begin(), shares.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
    const std::string whose =
        largest == shares.end() || !(all > 0.0)
            ? ""
            : fmt::format("; {} changed most ({:.0f} %)", largest->first, 100.0 * largest->second / all);
    notes.push_back(fmt::format("rejected {} attempts in {} steps from t = {:.6g} to {:.6g} s{}: {}",
                                stretch.by_error + stretch.by_newton, stretch.last - stretch.first + 1, stretch.from,
                                stretch.to, whose, advice_on_rejected(stretch.by_newton > stretch.by_error)));
  }
}

void RejectedSteps::Stretch::remember(Memory& memory) {
  memory.keep(from, to, first, last, by_error, by_newton, shares, unknowns);
}

void RejectedSteps::remember(Memory& memory) {
  memory.section("RejectedSteps");
  memory.keep(stretches_);
  memory.leave(machine_, viewer_, motion_, length_, sample_, wrenches_, lam_from_, lam_to_);
}

}  // namespace trammel
