// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "trammel/mechanics/kinds/control_parts.h"

namespace trammel {

namespace {

/// E ż = g: equations of the user's own.
struct OdeControl {
  static constexpr std::string_view name = "ode", meaning = "equations of your own";
  static std::vector<Key> keys() {
    return {initial_key(),
            states_key("`[\"x\", \"v\"]`"),
            {.name = "rates",
             .type = KeyType::formulas,
             .required = true,
             .meaning = "one formula for each state: its derivative by time"},
            {.name = "algebraic",
             .type = KeyType::any,
             .fallback = "false",
             .meaning = "true or false for each state; true: 0 = rate"},
            output_key()};
  }
  static void read(KindFields& fields, ControlSpec& control) {
    const bool marked = fields.has("algebraic");
    if (!read_states(fields, control, "rates")) return;
    const std::size_t n = control.states.size();
    if (marked && fields.fits("algebraic", n, "states"))
      for (std::size_t i = 0; i < n; ++i)
        control.algebraic[i] = fields.boolean_item("algebraic", i, "true or false for each state");
  }
};

}  // namespace

constinit const ControlDescription kinds::ode_control = describe_control<OdeControl>();

}  // namespace trammel
