// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/fields.h"
#include "trammel/mechanics/kinds/keys.h"
#include "trammel/mechanics/kinds/measure_descriptor.h"
#include "trammel/mechanics/kinds/measure_signals.h"
#include "trammel/mechanics/model_checks.h"

namespace trammel {

namespace {

/// A formula.
struct ExpressionMeasure {
  static constexpr std::string_view name = "expression", meaning = "a formula";
  static std::vector<Key> keys() {
    return {{.name = "expression", .type = KeyType::formula, .required = true, .meaning = "a formula in quotes"}};
  }
  static void read(KindFields& fields, MeasureSpec& measure) {
    measure.expression = fields.formula("expression");
    if (!measure.expression.given()) measure.expression.text = "0";
  }
  static void check(detail::ModelChecks& checks, const MeasureSpec& measure) {
    if (!measure.expression.given()) checks.report("measure", measure, "expression", "its formula is empty");
  }
  static constexpr bool is_point = false, has_rate = false;
  static constexpr std::string_view unit = "";
  static FormulaSignal value(MeasureSignals& signals, const MeasureSpec&, bool) { return signals.expression(); }
};

}  // namespace

constinit const MeasureDescription kinds::expression_measure = describe_measure<ExpressionMeasure>();

}  // namespace trammel
