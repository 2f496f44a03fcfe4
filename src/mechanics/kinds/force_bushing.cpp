// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/force_parts.h"

namespace trammel {

namespace {

/// 6×6 stiffness and damping between two rigid bodies.
struct BushingForce {
  static constexpr std::string_view name = "bushing", meaning = "6 × 6 between rigid bodies";
  static std::vector<Key> keys() { return bushing_keys(false); }
  static void read(KindFields& fields, ForceSpec& force) { read_bushing(fields, force, false); }
  static constexpr ActsOn acts_on = ActsOn::bodies;
  static constexpr Strain strain = Strain::none;
  static constexpr bool between_points = false;
  static void check(detail::ModelChecks& checks, const ForceSpec& force) { check_bushing(checks, force, false); }
  static void assemble(ForceElements& elements, const ForceSpec& force) { assemble_bushing(elements, force, false); }
  static constexpr auto directors = bushing_directors;
  static Picture picture() { return bushing_picture(Picture::Along::axis_a); }
};

}  // namespace

constinit const ForceDescription kinds::bushing_force = describe_force<BushingForce>();

}  // namespace trammel
