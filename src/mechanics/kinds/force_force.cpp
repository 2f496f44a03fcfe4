// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/force_parts.h"

namespace trammel {

namespace {

/// A force at a point of a body, by formulas; the reaction acts on body_a at the same point.
struct ForceAtPoint {
  static constexpr std::string_view name = "force", meaning = "at a point of a body";
  static std::vector<Key> keys() {
    return join_keys({single_body_keys(),
                      {point_key("point", false, "origin of the body",
                                 "where it acts, `[x, y, z]` or `{ body = \"name\", at = [x, y, z] }`"),
                       point_key("point_b", false, "", "the same as `point`"),
                       {.name = "force",
                        .type = KeyType::formulas,
                        .unit = "N",
                        .required = true,
                        .meaning = "`[x, y, z]`, each a number or a formula in quotes"},
                       in_body_axes_key()}});
  }
  static void read(KindFields& fields, ForceSpec& force) {
    read_single_body(fields, force);
    const std::string at = fields.one_of({"point", "point_b"});
    force.point_b = at.empty() ? PointSpec{force.body_b, Eigen::Vector3d::Zero()} : *fields.point(at);
    if (!at.empty()) fields.said_at("point_b", at);
    force.point_a = force.point_b;
    force.in_body_axes = fields.boolean("in_body_axes", false);
    force.components = fields.components("force", force.in_body_axes);
  }
  static constexpr ActsOn acts_on = ActsOn::bodies;
  static constexpr Strain strain = Strain::none;
  static constexpr bool between_points = false;
  static void check(detail::ModelChecks& checks, const ForceSpec& force) {
    check_point(checks, "force", force, "point_b", force.point_b);
    if (force.in_body_axes) check_orientations(checks, force, "a force in body axes");
  }
  static void assemble(ForceElements& elements, const ForceSpec& force) {
    assemble_components(elements, force, FormulaGroup::Output::force);
  }
  static constexpr auto directors = load_on_directors;
  static Picture picture() { return {.reaches_a = false, .spans_a = false}; }
};

}  // namespace

constinit const ForceDescription kinds::force_at_point = describe_force<ForceAtPoint>();

}  // namespace trammel
