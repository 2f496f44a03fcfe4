// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "trammel/mechanics/kinds/control_descriptor.h"
#include "trammel/mechanics/kinds/fields.h"

namespace trammel {

namespace {

/// u = kp e + ki ∫e dt + kd (e − f)/T,   T ḟ = e − f: the derivative of e, smoothed over the time T.
struct PidControl {
  static constexpr std::string_view name = "pid", meaning = "proportional, integral and derivative";
  static std::vector<Key> keys() {
    return {{.name = "input",
             .type = KeyType::formula,
             .required = true,
             .meaning = "the error e, a formula such as `\"target - hinge.angle\"`"},
            {.name = "kp", .fallback = "0", .meaning = "factor of the error"},
            {.name = "ki", .unit = "1/s", .fallback = "0", .meaning = "factor of its integral"},
            {.name = "kd", .unit = "s", .fallback = "0", .meaning = "factor of its derivative"},
            {.name = "derivative_time",
             .unit = "s",
             .meaning = "T over which the derivative of the input is smoothed; needed with `kd`",
             .range = Range::above(0.0)},
            {.name = "initial", .fallback = "0", .meaning = "integral at the start"},
            {.name = "derivative_initial", .fallback = "0", .meaning = "the smoothed error f at the start"}};
  }
  static void read(KindFields& fields, ControlSpec& control) {
    const Formula e = fields.whole_formula("input");
    const double kp = fields.number("kp", 0.0);
    const double ki = fields.number("ki", 0.0);
    const double kd = fields.number("kd", 0.0);
    control.states = {"integral"};
    control.rates = {e};
    control.algebraic = {false};
    control.initial = {fields.number("initial", 0.0)};
    std::string output = fmt::format("({})*({}) + ({})*integral", kp, e.text, ki);
    if (kd != 0.0 || fields.has("derivative_time")) {
      fields.require("derivative_time");
      const double T = fields.number("derivative_time", 1.0);
      control.states.push_back("filtered");
      control.rates.push_back({fmt::format("(({}) - filtered)/({})", e.text, T), e.where});
      control.algebraic.push_back(false);
      control.initial.push_back(fields.number("derivative_initial", 0.0));
      output += fmt::format(" + ({})*(({}) - filtered)/({})", kd, e.text, T);
    } else {
      fields.refuse("derivative_initial", "without 'kd'");
    }
    control.output = {output, e.where};
  }
};

}  // namespace

constinit const ControlDescription kinds::pid_control = describe_control<PidControl>();

}  // namespace trammel
