// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "trammel/base/text.h"
#include "trammel/mechanics/kinds/force_parts.h"
#include "trammel/mechanics/kinds/library_force.h"

namespace trammel {

namespace {

PointSpec origin_of(const std::string& body) { return {body == ground_name ? "" : body, Eigen::Vector3d::Zero()}; }

/// A law of one's own in a shared library, between points of two bodies.
struct ForceOfLibrary {
  static constexpr std::string_view name = "library", meaning = "a law of your own, in a shared library";
  static std::vector<Key> keys() {
    return join_keys(
        {two_bodies_keys(),
         {point_key("point_a", false, "its origin", "where it acts on the first body"),
          point_key("point_b", false, "its origin", "where it acts on the second body"),
          {.name = "library",
           .type = KeyType::text,
           .required = true,
           .meaning = "the file, relative to the folder of the model: its code runs in the program"},
          {.name = "law", .type = KeyType::text, .fallback = "the only one", .meaning = "which of its laws"},
          {.name = "parameters",
           .type = KeyType::table,
           .meaning = "a number for each parameter of the law, `{ c = 0.3, … }`"}}});
  }
  static void read(KindFields& fields, ForceSpec& force) {
    fields.bodies(force.body_a, force.body_b);
    force.point_a = fields.point("point_a").value_or(origin_of(force.body_a));
    force.point_b = fields.point("point_b").value_or(origin_of(force.body_b));
    force.library.file = fields.file("library");
    force.library.law = fields.text("law", "");
    force.numbers = fields.named_numbers("parameters");
  }
  static constexpr ActsOn acts_on = ActsOn::bodies;
  static constexpr Strain strain = Strain::none;
  static constexpr bool between_points = false;
  static void check(detail::ModelChecks& checks, const ForceSpec& force) {
    check_ends(checks, force);
    if (force.library.file.empty()) return;  // the reader has said why
    std::vector<std::string> known;
    try {
      known = load_law(force.library.file, force.library.law).parameters;
    } catch (const InputError& error) {
      checks.report("force", force, "library", error.issues().front().message);
      return;
    }
    for (const std::string& parameter : known)
      if (force.numbers.count(parameter) == 0)
        checks.report("force", force, force.numbers.empty() ? "library" : "parameters",
                      fmt::format("its law needs the parameter '{}'; it has {}", parameter, join_quoted(known)));
    for (const auto& [parameter, value] : force.numbers)
      if (std::find(known.begin(), known.end(), parameter) == known.end())
        checks.report("force", force, "parameters",
                      known.empty() ? fmt::format("its law has no parameters, but '{}' is given", parameter)
                                    : fmt::format("its law has no parameter '{}'{}; it has {}", parameter,
                                                  did_you_mean(parameter, known), join_quoted(known)));
      else if (!std::isfinite(value))
        checks.report("force", force, "parameters", fmt::format("the parameter '{}' is not finite", parameter));
  }
  static void assemble(ForceElements& elements, const ForceSpec& force) {
    const int a = elements.a(), b = elements.b();
    const LibraryLaw law = load_law(force.library.file, force.library.law);
    std::vector<double> parameters;
    for (const std::string& parameter : law.parameters) parameters.push_back(force.numbers.at(parameter));
    const std::array<Eigen::Vector3d, 2> points{elements.point_on(a, force.point_a),
                                                elements.point_on(b, force.point_b)};
    LawMirror mirror;
    if (force.K.cols() == 10) {  // [H, x₀, B_a, B_b] of the mirrored part that it stands in
      mirror = {true, force.K.leftCols<3>(), force.K.col(3), {force.K.middleCols<3>(4), force.K.rightCols<3>()}};
    }
    elements.add_own([&] {
      return std::make_unique<LibraryForce>(law, std::array<int, 2>{a, b}, points, parameters, force.library.trouble,
                                            mirror);
    });
  }
  static constexpr auto directors = load_on_directors;
  static Picture picture() { return {}; }
};

}  // namespace

constinit const ForceDescription kinds::library_force = describe_force<ForceOfLibrary>();

}  // namespace trammel
