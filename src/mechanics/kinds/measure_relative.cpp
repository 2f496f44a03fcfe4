// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "trammel/mechanics/kinds/fields.h"
#include "trammel/mechanics/kinds/keys.h"
#include "trammel/mechanics/kinds/measure_descriptor.h"
#include "trammel/mechanics/kinds/measure_signals.h"
#include "trammel/mechanics/model_checks.h"

namespace trammel {

namespace {

/// How a point of one body moves against a point of another, along a direction that is fixed in a third; or how a body
/// is turned against another.
struct RelativeMeasure {
  static constexpr std::string_view name = "relative", meaning = "motion of one body against another";
  static std::vector<Key> keys() {
    std::vector<Key> keys{point_key("point_a", false, "the body's origin", "the point it is measured from"),
                          point_key("point_b", false, "the body's origin", "the point that moves"),
                          {.name = "axes",
                           .type = KeyType::name,
                           .fallback = "the first body",
                           .meaning = "the body that the direction turns with"},
                          {.name = "along",
                           .type = KeyType::direction,
                           .meaning = "the direction that counts, as drawn; it or `angle` is needed"},
                          {.name = "angle",
                           .type = KeyType::word,
                           .meaning = "instead of `along`: how the second body is turned in axes of the first, by "
                                      "Rz(yaw) Ry(pitch) Rx(roll)",
                           .words = {{"roll", "about x"}, {"pitch", "about y"}, {"yaw", "about z"}}}};
    for (Key& key : bodies_keys()) keys.push_back(std::move(key));
    return keys;
  }
  static void read(KindFields& fields, MeasureSpec& measure) {
    const auto a = fields.point("point_a"), b = fields.point("point_b");
    if (a && !a->body.empty()) measure.body_a = a->body;
    if (b && !b->body.empty()) measure.body_b = b->body;
    fields.bodies(measure.body_a, measure.body_b, false);
    measure.point_a = a.value_or(PointSpec{measure.body_a == ground_name ? "" : measure.body_a, {0, 0, 0}});
    measure.point_b = b.value_or(PointSpec{measure.body_b == ground_name ? "" : measure.body_b, {0, 0, 0}});
    const std::string which = fields.one_of({"along", "angle"});
    if (which.empty()) fields.report("what is measured is missing: give a direction 'along', or an 'angle'");
    measure.third = fields.name("axes", measure.body_a);
    if (const auto along = fields.axis("along")) measure.axis = *along;
    const std::string word = fields.word("angle", "");
    measure.angle = word == "roll" ? 0 : word == "pitch" ? 1 : word == "yaw" ? 2 : -1;
    if (which == "angle")
      for (const char* key : {"axes", "point_a", "point_b"}) fields.refuse(key, "beside an 'angle'");
  }
  static void check(detail::ModelChecks& checks, const MeasureSpec& measure) {
    check_body_reference(checks, "measure", measure, "body_a", measure.body_a);
    check_point(checks, "measure", measure, "point_a", measure.point_a);
    check_body_reference(checks, "measure", measure, "body_b", measure.body_b);
    check_point(checks, "measure", measure, "point_b", measure.point_b);
    if (measure.angle < 0) {
      check_body_reference(checks, "measure", measure, "axes", measure.third);
      check_axis(checks, "measure", measure, "along", measure.axis);
    }
    if (measure.body_a == measure.body_b)
      checks.report("measure", measure, "body_b",
                    fmt::format("both ends are on '{}', which does not move against itself", measure.body_a));
  }
  static constexpr bool is_point = false, has_rate = true;
  static constexpr std::string_view unit = "";
  static FormulaSignal value(MeasureSignals& signals, const MeasureSpec& m, bool rate) {
    return signals.relative(m, rate);
  }
};

}  // namespace

constinit const MeasureDescription kinds::relative_measure = describe_measure<RelativeMeasure>();

}  // namespace trammel
