// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/step_channels.h"

#include <fmt/format.h>

#include "trammel/simulation/methods/integrator_descriptor.h"

namespace trammel {

namespace {

// "reason of the last rejected attempt: 0 none, 1 …"
std::string describe_failure_codes() {
  std::string text = "reason of the last rejected attempt: 0 none";
  for (int code = 1; code < n_causes; ++code) text += fmt::format(", {} {}", code, describe(static_cast<Cause>(code)));
  return text;
}

using Items = std::function<ChannelItems(const StepSource&)>;

// One number per step, in every run or only in those for which `items` has a name.
template <class Value>
StepChannel scalar(std::string quantity, std::string unit, std::string meaning, Value value, Items items = {}) {
  return {.quantity = std::move(quantity),
          .unit = std::move(unit),
          .meaning = std::move(meaning),
          .items = std::move(items),
          .write = [value](const StepInstant& s, ChannelValues& out) { out.put(static_cast<double>(value(s))); }};
}

template <class Present>
Items only_if(std::string name, Present present) {
  return [=](const StepSource& s) { return present(s) ? ChannelItems{{name}, {}} : ChannelItems{}; };
}

// A term of the balance of energy that some methods keep (JumpLedger).
StepChannel balance(const std::string& quantity, double JumpLedger::*term, std::string meaning) {
  return scalar(
      quantity, "J", std::move(meaning), [term](const StepInstant& s) { return s.ledger.*term; },
      only_if(quantity, [](const StepSource& s) { return s.integrator.ledger() != nullptr; }));
}

// What another run needs to repeat the step, beyond what its method reports of it.
void add_course(std::vector<StepChannel>& list) {
  const auto cuts = [](const StepSource& s) { return s.cuts_steps; };
  list.push_back(scalar("end", "",
                        "what the step ended at: 0 where the method wished, 1 an instant known before (the end, a kink "
                        "of an input, a sample), 2 a change of a contact or a force",
                        [](const StepInstant& s) { return s.course.end; }));
  list.push_back(scalar(
      "trial", "s", "size before it was cut at a change of a contact or a force; 0: it was not",
      [](const StepInstant& s) { return s.course.trial; }, only_if("trial", cuts)));
  list.push_back(scalar(
      "trial_behind", "s", "the same of a second cut, behind a change right after the beginning",
      [](const StepInstant& s) { return s.course.trial_behind; }, only_if("trial_behind", cuts)));
  list.push_back(scalar(
      "by_other", "", "1: by the other one of the two methods that take turns",
      [](const StepInstant& s) { return s.course.by_other; },
      only_if("by_other", [](const StepSource& s) { return s.has_other; })));
  list.push_back(scalar(
      "charts_moved", "", "1: charts of rotations were moved before the step",
      [](const StepInstant& s) { return s.report.moved_charts; }, only_if("charts_moved", [](const StepSource& s) {
        return method_of(s.options).traits.keeps_charts || s.has_other;
      })));
  list.push_back(scalar(
      "stages", "", "of the explicit method where it chooses how many; 0: as many as its order has",
      [](const StepInstant& s) { return s.report.stages; }, only_if("stages", [](const StepSource& s) {
        return s.options.integrator == Integrator::runge_kutta || s.has_other;
      })));
}

std::vector<StepChannel> make_channels() {
  std::vector<StepChannel> list;
  const auto add = [&](StepChannel channel) { list.push_back(std::move(channel)); };
  add(scalar(
      "phase", "", "number of the phase, from 1", [](const StepInstant& s) { return s.phase; },
      only_if("phase", [](const StepSource& s) { return s.phase > 0; })));
  add(scalar("h", "s", "step size", [](const StepInstant& s) { return s.report.h; }));
  add(scalar("order", "", "order of the formula", [](const StepInstant& s) { return s.report.order; }));
  add(scalar("iterations", "", "Newton iterations", [](const StepInstant& s) { return s.report.iterations; }));
  add(scalar("accepted_iterations", "", "those of the attempt that was accepted, with the matrix that it ended with",
             [](const StepInstant& s) { return s.report.accepted_iterations; }));
  add(scalar("linearizations", "", "new planes", [](const StepInstant& s) { return s.report.linearizations; }));
  add(scalar("factorizations", "", "new factors", [](const StepInstant& s) { return s.report.factorizations; }));
  add(scalar("rejected_error", "", "attempts rejected by the error test",
             [](const StepInstant& s) { return s.report.rejected_error; }));
  add(scalar("rejected_newton", "", "attempts in which Newton did not converge",
             [](const StepInstant& s) { return s.report.rejected_newton; }));
  add(scalar("error", "", "local error over tolerance", [](const StepInstant& s) { return s.report.error; }));
  add(scalar("failure", "", describe_failure_codes(), [](const StepInstant& s) { return s.report.failure; }));
  add_course(list);
  add(scalar(
      "condition", "", "2-norm condition number of the iteration matrix",
      [](const StepInstant& s) { return s.condition; },
      only_if("condition", [](const StepSource& s) { return s.options.record_condition.value_or(false); })));
  add(scalar(
      "scaling_s", "", "the factor s of multipliers and their rows, as the step's matrix has it",
      [](const StepInstant& s) { return s.scaling.s; }, only_if("scaling_s", [](const StepSource& s) {
        return s.options.scaling.kind && has_reference(*s.options.scaling.kind);
      })));
  add({.quantity = "inverse_bound",
       .meaning = "largest row sum of the inverse of h times the scaled matrix, by kind of unknown",
       .items =
           [](const StepSource& s) {
             if (!s.options.record_condition.value_or(false) || !method_of(s.options).traits.has_inverse_bounds)
               return ChannelItems{};
             return ChannelItems{{"position", "velocity", "multiplier"}, {}};
           },
       .write =
           [](const StepInstant& s, ChannelValues& out) {
             out.put(s.inverse_bounds.position);
             out.put(s.inverse_bounds.velocity);
             out.put(s.inverse_bounds.multiplier);
           }});
  add({.quantity = "correction",
       .components = {"position", "velocity", "multiplier", "norm"},
       .meaning = "Newton's corrections in scaled unknowns: largest by kind, and 2-norm of all; 0: not made",
       .items =
           [](const StepSource& s) {
             ChannelItems iterations;
             for (int i = 1; s.options.record_corrections.value_or(false) && i <= s.max_corrections; ++i)
               iterations.names.push_back(fmt::format("iteration_{}", i));
             return iterations;
           },
       .write =
           [](const StepInstant& s, ChannelValues& out) {
             for (int i = 0; i < s.max_corrections; ++i) {
               const FieldSizes sizes = i < std::ssize(s.report.corrections) ? s.report.corrections[i] : FieldSizes{};
               for (const double x : {sizes.position, sizes.velocity, sizes.multiplier, sizes.norm}) out.put(x);
             }
           }});
  add(scalar(
      "split_condition", "", "norm of (GY)^-1 GX: how much dependent coordinates amplify",
      [](const StepInstant& s) { return s.split.condition; },
      only_if("split_condition", [](const StepSource& s) { return s.integrator.split().n_independent >= 0; })));
  add(balance("energy", &JumpLedger::energy, "kinetic and stored energy as the scheme has them"));
  add(balance("kinetic_jump", &JumpLedger::kinetic_jump, "taken by the jump of velocities"));
  add(balance("strain_jump", &JumpLedger::strain_jump, "taken by the jump of strains"));
  add(balance("dissipated", &JumpLedger::dissipated, "taken by dampers"));
  add(balance("supplied", &JumpLedger::supplied, "given by motions and forces without a potential"));
  return list;
}

}  // namespace

const std::vector<StepChannel>& step_channels() {
  static const std::vector<StepChannel> list = make_channels();
  return list;
}

}  // namespace trammel
