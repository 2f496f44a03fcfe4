// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "trammel/mechanics/kinds/control_parts.h"

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
            initial_key(),
            states_key("`[\"u\", \"integral\"]`"),
            {.name = "updates",
             .type = KeyType::formulas,
             .required = true,
             .meaning = "one formula for each state: what it becomes, by what is measured and held at the sample"},
            output_key()};
  }
  static void read(KindFields& fields, ControlSpec& control) {
    control.period = fields.number("period", 1.0);
    fields.said_at("rates", "updates");
    static_cast<void>(read_states(fields, control, "updates"));
  }
};

}  // namespace

constinit const ControlDescription kinds::sampled_control = describe_control<SampledControl>();

}  // namespace trammel
