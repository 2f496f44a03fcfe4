// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/fields.h"
#include "trammel/mechanics/kinds/keys.h"
#include "trammel/mechanics/kinds/measure_descriptor.h"
#include "trammel/mechanics/kinds/measure_signals.h"
#include "trammel/mechanics/model_checks.h"

namespace trammel {

namespace {

/// Where a point of a body is, and its velocity.
struct PointMeasure {
  static constexpr std::string_view name = "point", meaning = "where a point of a body is";
  static std::vector<Key> keys() {
    return {
        point_key("point", true, "", "`{ body = \"name\", at = [x, y, z] }`, or `[x, y, z]` in the world with `body`"),
        {.name = "body", .type = KeyType::name, .meaning = "the body on which the point is fixed"}};
  }
  static void read(KindFields& fields, MeasureSpec& measure) {
    if (const auto point = fields.point("point")) measure.point_a = *point;
    measure.body_a = fields.name("body", measure.point_a.body);
    fields.said_at("point_a", "point");
    fields.said_at("body_a", "body");
    if (!measure.body_a.empty()) return;
    if (fields.has("point")) fields.require("body");
    measure.body_a = ground_name;
  }
  static void check(detail::ModelChecks& checks, const MeasureSpec& measure) {
    check_body_reference(checks, "measure", measure, "body_a", measure.body_a);
    check_point(checks, "measure", measure, "point_a", measure.point_a);
  }
  static constexpr bool is_point = true, has_rate = false;
  static constexpr std::string_view unit = "m";
  static FormulaSignal value(MeasureSignals& signals, const MeasureSpec& m, bool rate) {
    return signals.point(m.body_a, m.point_a, rate);
  }
};

}  // namespace

constinit const MeasureDescription kinds::point_measure = describe_measure<PointMeasure>();

}  // namespace trammel
