// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "trammel/mechanics/kinds/fields.h"
#include "trammel/mechanics/kinds/keys.h"
#include "trammel/mechanics/kinds/measure_descriptor.h"
#include "trammel/mechanics/kinds/measure_signals.h"
#include "trammel/mechanics/model_checks.h"

namespace trammel {

namespace {

/// Between two points of different bodies [m].
struct DistanceMeasure {
  static constexpr std::string_view name = "distance", meaning = "of two points";
  static std::vector<Key> keys() {
    std::vector<Key> keys{point_key("point_a", true, "", "the first point"),
                          point_key("point_b", true, "", "the second point")};
    for (Key& key : bodies_keys()) keys.push_back(std::move(key));
    return keys;
  }
  static void read(KindFields& fields, MeasureSpec& measure) {
    if (const auto a = fields.point("point_a")) measure.point_a = *a;
    if (const auto b = fields.point("point_b")) measure.point_b = *b;
    if (!measure.point_a.body.empty()) measure.body_a = measure.point_a.body;
    if (!measure.point_b.body.empty()) measure.body_b = measure.point_b.body;
    fields.bodies(measure.body_a, measure.body_b, false);
  }
  static void check(detail::ModelChecks& checks, const MeasureSpec& measure) {
    check_body_reference(checks, "measure", measure, "body_a", measure.body_a);
    check_point(checks, "measure", measure, "point_a", measure.point_a);
    check_body_reference(checks, "measure", measure, "body_b", measure.body_b);
    check_point(checks, "measure", measure, "point_b", measure.point_b);
    if (measure.body_a == measure.body_b)
      checks.report("measure", measure, "point_b",
                    fmt::format("both points are fixed on '{}', so that their distance never changes", measure.body_a));
  }
  static constexpr bool is_point = false, has_rate = true;
  static constexpr std::string_view unit = "m";
  static FormulaSignal value(MeasureSignals& signals, const MeasureSpec& m, bool rate) {
    return signals.distance(m.body_a, m.point_a, m.body_b, m.point_b, rate);
  }
};

}  // namespace

constinit const MeasureDescription kinds::distance_measure = describe_measure<DistanceMeasure>();

}  // namespace trammel
