// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "trammel/mechanics/kinds/control_descriptor.h"
#include "trammel/mechanics/kinds/fields.h"

/// What controls with states of the user's own have in common.

namespace trammel {

inline Key initial_key() {
  return {.name = "initial", .type = KeyType::numbers, .fallback = "0", .meaning = "one number for each state"};
}
inline Key states_key(const char* example) {
  return {.name = "states",
          .type = KeyType::names,
          .required = true,
          .meaning = std::string("the names of the states, such as ") + example};
}
inline Key output_key() {
  return {.name = "output",
          .type = KeyType::formula,
          .fallback = "the first state",
          .meaning = "the value of the control's name in formulas"};
}

/// States, their formulas under `key`, their initial values and the output. False: something needed is missing, which
/// the reader says.
inline bool read_states(KindFields& fields, ControlSpec& control, const std::string& key) {
  const bool named = fields.has("states"), given = fields.has(key), starts = fields.has("initial");
  control.output = fields.formula("output");
  if (named && given) control.states = fields.texts("states", "a list of at least one name");
  if (control.states.empty()) {
    fields.give_up();
    return false;
  }
  const std::size_t n = control.states.size();
  control.rates.assign(n, {"0", ""});
  control.initial.assign(n, 0.0);
  control.algebraic.assign(n, false);
  if (fields.fits(key, n, "states"))
    for (std::size_t i = 0; i < n; ++i) control.rates[i] = fields.formula_item(key, i);
  if (starts && fields.fits("initial", n, "states"))
    for (std::size_t i = 0; i < n; ++i) control.initial[i] = fields.number_item("initial", i);
  return true;
}

}  // namespace trammel
