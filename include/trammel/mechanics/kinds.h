#pragma once

#include <string_view>
#include <vector>

namespace trammel {

struct JointDescription;

/// A kind of joint: a reference to its description, which says its name, keys, checks, rows, motion in a tree, form for
/// directors, signals and picture, all in one file (docs/recipes/add_a_joint.md). Whoever needs to know something of a
/// kind asks the description; nobody lists the kinds but `standard_kinds()`.
class JointKind {
 public:
  constexpr JointKind(const JointDescription& description) : description_(&description) {}
  const JointDescription& operator*() const { return *description_; }
  const JointDescription* operator->() const { return description_; }
  std::string_view name() const;  ///< the word in model files
  friend bool operator==(const JointKind&, const JointKind&) = default;

  static const JointKind spherical;       ///< 3 rows: points coincide
  static const JointKind revolute;        ///< 5 rows: points coincide, axes stay parallel; coordinate: angle
  static const JointKind prismatic;       ///< 5 rows: slides along the axis, does not turn; coordinate: displacement
  static const JointKind cylindrical;     ///< 4 rows: slides along and turns about the axis; angle, displacement
  static const JointKind universal;       ///< 4 rows: points coincide, `axis` (of a) stays normal to `axis_b` (of b)
  static const JointKind planar;          ///< 3 rows: b's point stays in the plane normal to `axis`, b turns about it
  static const JointKind fixed;           ///< 6 rows
  static const JointKind screw;           ///< 5 rows: cylindrical with displacement = pitch · angle/2π
  static const JointKind point_on_line;   ///< 2 rows: b's point stays on the line through `point` along `axis` of a
  static const JointKind point_on_plane;  ///< 1 row: b's point stays in the plane normal to `axis` of a
  static const JointKind distance;        ///< 1 row: points keep their distance (a massless rod)
  static const JointKind constant_orientation;  ///< 3 rows: no relative rotation
  static const JointKind rolling_sphere;        ///< sphere of `radius`, centre `point_b`, rolls on the plane of a
  static const JointKind rolling_disc;  ///< thin disc of `radius`, centre `point_b`, axle `axis_b`, rolls on a plane
  static const JointKind knife_edge;    ///< nonholonomic: b's `point` has no velocity along `axis_b` (fixed in b)
  static const JointKind track;         ///< b moves relative to a point that travels along a track: at most 1 row

 private:
  const JointDescription* description_;
};

// Where the kinds of the library are described: src/mechanics/kinds/joint_NAME.cpp.
namespace kinds {
extern const JointDescription spherical_joint, revolute_joint, prismatic_joint, cylindrical_joint, universal_joint,
    planar_joint, fixed_joint, screw_joint, point_on_line_joint, point_on_plane_joint, distance_joint,
    constant_orientation_joint, rolling_sphere_joint, rolling_disc_joint, knife_edge_joint, track_joint;
}  // namespace kinds

inline constexpr JointKind JointKind::spherical{kinds::spherical_joint};
inline constexpr JointKind JointKind::revolute{kinds::revolute_joint};
inline constexpr JointKind JointKind::prismatic{kinds::prismatic_joint};
inline constexpr JointKind JointKind::cylindrical{kinds::cylindrical_joint};
inline constexpr JointKind JointKind::universal{kinds::universal_joint};
inline constexpr JointKind JointKind::planar{kinds::planar_joint};
inline constexpr JointKind JointKind::fixed{kinds::fixed_joint};
inline constexpr JointKind JointKind::screw{kinds::screw_joint};
inline constexpr JointKind JointKind::point_on_line{kinds::point_on_line_joint};
inline constexpr JointKind JointKind::point_on_plane{kinds::point_on_plane_joint};
inline constexpr JointKind JointKind::distance{kinds::distance_joint};
inline constexpr JointKind JointKind::constant_orientation{kinds::constant_orientation_joint};
inline constexpr JointKind JointKind::rolling_sphere{kinds::rolling_sphere_joint};
inline constexpr JointKind JointKind::rolling_disc{kinds::rolling_disc_joint};
inline constexpr JointKind JointKind::knife_edge{kinds::knife_edge_joint};
inline constexpr JointKind JointKind::track{kinds::track_joint};

struct ForceDescription;

/// A kind of force: a reference to its description, as that of a joint (docs/recipes/add_a_force.md).
class ForceKind {
 public:
  constexpr ForceKind(const ForceDescription& description) : description_(&description) {}
  const ForceDescription& operator*() const { return *description_; }
  const ForceDescription* operator->() const { return description_; }
  std::string_view name() const;  ///< the word in model files
  friend bool operator==(const ForceKind&, const ForceKind&) = default;

  static const ForceKind force;          ///< force vector at a point of a body
  static const ForceKind torque;         ///< torque vector on a body
  static const ForceKind spring_damper;  ///< between two points: −k (ℓ − ℓ₀) − c ℓ̇ − preload, or a law
  static const ForceKind torsion_spring;  ///< about an axis between two bodies: −k (θ − θ₀) − c θ̇ − preload, or a law
  static const ForceKind
      axial_spring;  ///< along an axis of body a, between two points: −k (x − x₀) − c ẋ − preload, or a law
  static const ForceKind bushing;         ///< 6×6 between two bodies
  static const ForceKind planar_bushing;  ///< 3×3 between two planar bodies
  static const ForceKind joint_spring;    ///< on a joint's coordinate, or on a named scalar coordinate
  static const ForceKind joint_limit;     ///< stops at `lower`, `upper` of a joint's coordinate
  static const ForceKind bump_stop;  ///< along an axis of a, between two points: k δ + k₂ δ² beyond `lower`, `upper`
  static const ForceKind
      anti_roll_bar;  ///< −k (x₁ − x₂) − c (ẋ₁ − ẋ₂) on one joint's coordinate, the opposite on another's
  static const ForceKind tyre;           ///< a wheel rolling on the road (body a), by slip
  static const ForceKind standing_tyre;  ///< a wheel that does not turn, on a road that may move

 private:
  const ForceDescription* description_;
};

// src/mechanics/kinds/force_NAME.cpp
namespace kinds {
extern const ForceDescription force_at_point, torque_force, spring_damper_force, torsion_spring_force,
    axial_spring_force, bushing_force, planar_bushing_force, joint_spring_force, joint_limit_force, bump_stop_force,
    anti_roll_bar_force, tyre_force, standing_tyre_force;
}  // namespace kinds

inline constexpr ForceKind ForceKind::force{kinds::force_at_point};
inline constexpr ForceKind ForceKind::torque{kinds::torque_force};
inline constexpr ForceKind ForceKind::spring_damper{kinds::spring_damper_force};
inline constexpr ForceKind ForceKind::torsion_spring{kinds::torsion_spring_force};
inline constexpr ForceKind ForceKind::axial_spring{kinds::axial_spring_force};
inline constexpr ForceKind ForceKind::bushing{kinds::bushing_force};
inline constexpr ForceKind ForceKind::planar_bushing{kinds::planar_bushing_force};
inline constexpr ForceKind ForceKind::joint_spring{kinds::joint_spring_force};
inline constexpr ForceKind ForceKind::joint_limit{kinds::joint_limit_force};
inline constexpr ForceKind ForceKind::bump_stop{kinds::bump_stop_force};
inline constexpr ForceKind ForceKind::anti_roll_bar{kinds::anti_roll_bar_force};
inline constexpr ForceKind ForceKind::tyre{kinds::tyre_force};
inline constexpr ForceKind ForceKind::standing_tyre{kinds::standing_tyre_force};

/// The kinds that a model file may name, in the order of the documentation. A list to be handed on: whoever has a kind
/// of their own adds it to a copy of the standard ones and gives that to the reader; models carry it from there.
struct Kinds {
  std::vector<JointKind> joints = {};
  std::vector<ForceKind> forces = {};
};
const Kinds& standard_kinds();

}  // namespace trammel
