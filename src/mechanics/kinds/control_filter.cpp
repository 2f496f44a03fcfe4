// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "trammel/mechanics/kinds/control_descriptor.h"
#include "trammel/mechanics/kinds/fields.h"

namespace trammel {

namespace {

/// T ẏ = x − y: y follows the input x with the time constant T.
struct FilterControl {
  static constexpr std::string_view name = "filter", meaning = "follows its input with a delay";
  static std::vector<Key> keys() {
    return {{.name = "input", .type = KeyType::formula, .required = true, .meaning = "what is filtered"},
            {.name = "time_constant",
             .unit = "s",
             .required = true,
             .meaning = "T of the filter",
             .range = Range::above(0.0)},
            {.name = "initial", .fallback = "0", .meaning = "output at the start"}};
  }
  static void read(KindFields& fields, ControlSpec& control) {
    const Formula x = fields.whole_formula("input");
    const double T = fields.number("time_constant", 1.0);
    control.states = {"filtered"};
    control.rates = {{fmt::format("(({}) - filtered)/({})", x.text, T), x.where}};
    control.algebraic = {false};
    control.initial = {fields.number("initial", 0.0)};
  }
};

}  // namespace

constinit const ControlDescription kinds::filter_control = describe_control<FilterControl>();

}  // namespace trammel
