// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/force_parts.h"

namespace trammel {

namespace {

/// 3×3 stiffness and damping between two planar bodies, in their plane.
struct PlanarBushingForce {
  static constexpr std::string_view name = "planar_bushing", meaning = "3 × 3 between planar bodies";
  static std::vector<Key> keys() { return bushing_keys(true); }
  static void read(KindFields& fields, ForceSpec& force) { read_bushing(fields, force, true); }
  static constexpr ActsOn acts_on = ActsOn::bodies;
  static constexpr Strain strain = Strain::none;
  static constexpr bool between_points = false;
  static void check(detail::ModelChecks& checks, const ForceSpec& force) { check_bushing(checks, force, true); }
  static void assemble(ForceElements& elements, const ForceSpec& force) { assemble_bushing(elements, force, true); }
  static constexpr auto directors = bushing_directors;
  static Picture picture() { return bushing_picture(Picture::Along::normal); }
};

}  // namespace

constinit const ForceDescription kinds::planar_bushing_force = describe_force<PlanarBushingForce>();

}  // namespace trammel
