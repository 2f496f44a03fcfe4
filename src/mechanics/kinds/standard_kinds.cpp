#include "trammel/mechanics/kinds.h"
#include "trammel/mechanics/kinds/force_descriptor.h"
#include "trammel/mechanics/kinds/joint_descriptor.h"

namespace trammel {

std::string_view JointKind::name() const { return description_->name; }
std::string_view ForceKind::name() const { return description_->name; }

const Kinds& standard_kinds() {
  static const Kinds standard{
      .joints = {JointKind::spherical, JointKind::revolute, JointKind::prismatic, JointKind::cylindrical,
                 JointKind::universal, JointKind::planar, JointKind::fixed, JointKind::screw, JointKind::point_on_line,
                 JointKind::point_on_plane, JointKind::distance, JointKind::constant_orientation,
                 JointKind::rolling_sphere, JointKind::rolling_disc, JointKind::knife_edge, JointKind::track},
      .forces = {ForceKind::force, ForceKind::torque, ForceKind::spring_damper, ForceKind::torsion_spring,
                 ForceKind::axial_spring, ForceKind::bushing, ForceKind::planar_bushing, ForceKind::joint_spring,
                 ForceKind::joint_limit, ForceKind::bump_stop, ForceKind::anti_roll_bar, ForceKind::tyre,
                 ForceKind::standing_tyre}};
  return standard;
}

}  // namespace trammel
