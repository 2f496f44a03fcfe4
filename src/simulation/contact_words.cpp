// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/contact_words.h"

#include <fmt/format.h>

#include "trammel/mechanics/elements/contact_group.h"

namespace trammel {

std::string find_contact_failure(const Assembly& full, const State& state) {
  if (full.contacts == nullptr) return {};
  const auto modes = std::span(state.modes).subspan(full.contact_modes, full.contacts->n_modes());
  if (full.contacts->n_modes() == 0 || !full.contacts->overflowed(modes)) return {};
  return fmt::format(
      "More places are near to touching than there is room for: {}.\n    usual cause : bodies that crowd together; "
      "give "
      "the [[contact]] a larger 'capacity'",
      full.contacts->capacity());
}

std::string describe_contacts(const Machine& machine, Viewer& viewer, const Motion& motion) {
  const Assembly& full = machine.full();
  const SolverOptions& options = machine.study().solver;
  if (full.contacts == nullptr || full.contacts->n_modes() == 0) return {};
  constexpr int few = 3;
  const KinematicState k = viewer.update_kinematics(motion.active().newest(), motion.state);
  const ContactGroup& group = *full.contacts;
  std::string text;
  int shown = 0;
  for (int i = 0; i < group.n_listed(k.modes) && shown < few; ++i) {
    const ContactGroup::Place p = group.place(k.modes, i);
    const ContactGroup::Report report = group.calc_report(k, p);
    const bool presses = report.normal_force > 0.0;
    if (!presses && report.rate <= 0.0) continue;
    ++shown;
    text += fmt::format("\n    {:<12}: '{}' between '{}' and '{}' {}", "contact", group.laws()[p.law].name,
                        group.geometry()[p.a].name, group.geometry()[p.b].name,
                        presses ? fmt::format("presses with {:.3g} N, {:.3g} m deep", report.normal_force, report.depth)
                                : fmt::format("is {:.3g} m away, closing at {:.3g} m/s", -report.depth, report.rate));
  }
  if (shown > 0 && !options.h)
    text += fmt::format("\n    {:<12}: an impact needs steps well below its duration; solver.hmin is {:.2g} s",
                        "if it hits", *options.hmin);
  return text;
}

void sum_up_contacts(const Assembly& full, const std::vector<KinkWatch::Change>& changes,
                     std::vector<std::string>& notes) {
  if (full.contacts == nullptr) return;
  const std::vector<ContactGroup::Law>& laws = full.contacts->laws();
  for (std::size_t law = 0; law < laws.size(); ++law) {
    long begins = 0, ends = 0;
    double first = 0.0;
    for (const KinkWatch::Change& change : changes) {
      if (change.law != static_cast<int>(law)) continue;
      if (change.begins && begins++ == 0) first = change.t;
      ends += change.begins ? 0 : 1;
    }
    if (begins + ends == 0) continue;
    std::string text = fmt::format("contact '{}': {} touch-downs and {} lift-offs", laws[law].name, begins, ends);
    if (begins > 0) text += fmt::format(", the first touch-down at t = {:.10g} s", first);
    notes.push_back(std::move(text));
  }
}

}  // namespace trammel
