// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "trammel/mechanics/kinds/control_descriptor.h"
#include "trammel/mechanics/kinds/fields.h"

namespace trammel {

namespace {

/// E ż = g: equations of the user's own.
struct OdeControl {
  static constexpr std::string_view name = "ode", meaning = "equations of your own";
  static std::vector<Key> keys() {
    return {{.name = "initial", .type = KeyType::numbers, .fallback = "0", .meaning = "one number for each state"},
            {.name = "states",
             .type = KeyType::names,
             .required = true,
             .meaning = "the names of the states, such as `[\"x\", \"v\"]`"},
            {.name = "rates",
             .type = KeyType::formulas,
             .required = true,
             .meaning = "one formula for each state: its derivative by time"},
            {.name = "algebraic",
             .type = KeyType::any,
             .fallback = "false",
             .meaning = "true or false for each state; true: 0 = rate"},
            {.name = "output",
             .type = KeyType::formula,
             .fallback = "the first state",
             .meaning = "the value of the control's name in formulas"}};
  }
  static void read(KindFields& fields, ControlSpec& control) {
    const bool named = fields.has("states"), moved = fields.has("rates");
    const bool starts = fields.has("initial"), marked = fields.has("algebraic");
    control.output = fields.formula("output");
    if (!named || !moved) return fields.give_up();
    control.states = fields.texts("states", "a list of at least one name");
    if (control.states.empty()) return fields.give_up();
    const std::size_t n = control.states.size();
    control.rates.assign(n, {"0", ""});
    control.initial.assign(n, 0.0);
    control.algebraic.assign(n, false);
    if (fields.fits("rates", n, "states"))
      for (std::size_t i = 0; i < n; ++i) control.rates[i] = fields.formula_item("rates", i);
    if (starts && fields.fits("initial", n, "states"))
      for (std::size_t i = 0; i < n; ++i) control.initial[i] = fields.number_item("initial", i);
    if (marked && fields.fits("algebraic", n, "states"))
      for (std::size_t i = 0; i < n; ++i)
        control.algebraic[i] = fields.boolean_item("algebraic", i, "true or false for each state");
  }
};

}  // namespace

constinit const ControlDescription kinds::ode_control = describe_control<OdeControl>();

}  // namespace trammel
