// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "trammel/mechanics/kinds/control_descriptor.h"
#include "trammel/mechanics/kinds/fields.h"

namespace trammel {

namespace {

/// z(k + 1) = g(k): states that are held, and get new values at t = start, start + T, …, as a digital controller does.
struct SampledControl {
  static constexpr std::string_view name = "sampled", meaning = "a digital controller: values that are held";
  static std::vector<Key> keys() {
    return {{.name = "period",
             .unit = "s",
             .required = true,
             .meaning = "T between two samples; the first is at the start",
             .range = Range::above(0.0)},
            {.name = "initial", .type = KeyType::numbers, .fallback = "0", .meaning = "one number for each state"},
            {.name = "states",
             .type = KeyType::names,
             .required = true,
             .meaning = "the names of the states, such as `[\"u\", \"integral\"]`"},
            {.name = "updates",
             .type = KeyType::formulas,
             .required = true,
             .meaning = "one formula for each state: what it becomes, by what is measured and held at the sample"},
            {.name = "output",
             .type = KeyType::formula,
             .fallback = "the first state",
             .meaning = "the value of the control's name in formulas"}};
  }
  static void read(KindFields& fields, ControlSpec& control) {
    const bool named = fields.has("states"), moved = fields.has("updates"), starts = fields.has("initial");
    control.output = fields.formula("output");
    control.period = fields.number("period", 1.0);
    fields.said_at("rates", "updates");
    if (!named || !moved) return fields.give_up();
    control.states = fields.texts("states", "a list of at least one name");
    if (control.states.empty()) return fields.give_up();
    const std::size_t n = control.states.size();
    control.rates.assign(n, {"0", ""});
    control.initial.assign(n, 0.0);
    control.algebraic.assign(n, false);
    if (fields.fits("updates", n, "states"))
      for (std::size_t i = 0; i < n; ++i) control.rates[i] = fields.formula_item("updates", i);
    if (starts && fields.fits("initial", n, "states"))
      for (std::size_t i = 0; i < n; ++i) control.initial[i] = fields.number_item("initial", i);
  }
};

}  // namespace

constinit const ControlDescription kinds::sampled_control = describe_control<SampledControl>();

}  // namespace trammel
