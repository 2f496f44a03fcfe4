// SPDX-License-Identifier: Apache-2.0
#include "own_kinds.h"
#include "trammel/mechanics/kinds/fields.h"
#include "trammel/mechanics/kinds/measure_descriptor.h"
#include "trammel/mechanics/kinds/measure_signals.h"
#include "trammel/mechanics/model_checks.h"

namespace trammel {

namespace {

/// The speed of a body's origin, as a formula of what the body has [m/s].
struct SpeedMeasure {
  static constexpr std::string_view name = "speed", meaning = "of a body";
  static std::vector<Key> keys() {
    return {{.name = "of", .type = KeyType::name, .required = true, .meaning = "the body"}};
  }
  static void read(KindFields& fields, MeasureSpec& measure) {
    measure.body_a = fields.name("of", ground_name);
    measure.expression.text = fmt::format("sqrt('{0}'.vx^2 + '{0}'.vy^2 + '{0}'.vz^2)", measure.body_a);
  }
  static void check(detail::ModelChecks& checks, const MeasureSpec& measure) {
    check_body_reference(checks, "measure", measure, "of", measure.body_a);
  }
  static constexpr bool is_point = false, has_rate = false;
  static constexpr std::string_view unit = "m/s";
  static FormulaSignal value(MeasureSignals& signals, const MeasureSpec&, bool) { return signals.expression(); }
};

}  // namespace

constinit const MeasureDescription own::speed = describe_measure<SpeedMeasure>();

}  // namespace trammel
