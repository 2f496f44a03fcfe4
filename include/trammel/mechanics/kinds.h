// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

/// Kinds of joints, forces, measures, controls and shapes: references to descriptions, each of which says all that the
/// program knows of its kind, in one file (docs/recipes/add_a_joint.md). Whoever needs to know something of a kind asks
/// the description; the kinds of the library are listed here and nowhere else.

namespace trammel {

struct JointDescription;
struct ForceDescription;
struct MeasureDescription;
struct ControlDescription;
struct ShapeDescription;

template <class Description>
class KindReference {
 public:
  constexpr KindReference(const Description& description) : description_(&description) {}
  const Description& operator*() const { return *description_; }
  const Description* operator->() const { return description_; }
  std::string_view name() const;  ///< the word in model files
  friend bool operator==(const KindReference&, const KindReference&) = default;

 private:
  const Description* description_;
};

/// Name, keys, checks, rows, motion in a tree, form for directors, signals, picture.
class JointKind : public KindReference<JointDescription> {
 public:
  using KindReference::KindReference;

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
};

/// Name, keys, checks, what it acts on and measures, elements, form for directors, picture.
class ForceKind : public KindReference<ForceDescription> {
 public:
  using KindReference::KindReference;

  static const ForceKind force;          ///< force vector at a point of a body
  static const ForceKind torque;         ///< torque vector on a body
  static const ForceKind spring_damper;  ///< between two points: −k (ℓ − ℓ₀) − c ℓ̇ − preload, or a law
  static const ForceKind torsion_spring;  ///< about an axis between two bodies: −k (θ − θ₀) − c θ̇ − preload, or a law
  static const ForceKind axial_spring;  ///< along an axis of a, between points: −k (x − x₀) − c ẋ − preload, or a law
  static const ForceKind bushing;         ///< 6×6 between two bodies
  static const ForceKind planar_bushing;  ///< 3×3 between two planar bodies
  static const ForceKind joint_spring;    ///< on a joint's coordinate, or on a named scalar coordinate
  static const ForceKind joint_limit;     ///< stops at `lower`, `upper` of a joint's coordinate
  static const ForceKind bump_stop;  ///< along an axis of a, between two points: k δ + k₂ δ² beyond `lower`, `upper`
  static const ForceKind
      anti_roll_bar;  ///< −k (x₁ − x₂) − c (ẋ₁ − ẋ₂) on a joint's coordinate, the opposite on another's
  static const ForceKind tyre;           ///< a wheel rolling on the road (body a), by slip
  static const ForceKind standing_tyre;  ///< a wheel that does not turn, on a road that may move
  static const ForceKind library;        ///< a law of a user's own, in a shared library
};

/// Name, keys, checks, value, how it is recorded.
class MeasureKind : public KindReference<MeasureDescription> {
 public:
  using KindReference::KindReference;

  static const MeasureKind expression;  ///< a formula
  static const MeasureKind distance;    ///< between point_a and point_b [m]; `.rate` [m/s]
  static const MeasureKind relative;    ///< how a point or a body moves against another, in axes of a third
  static const MeasureKind point;       ///< x, y, z, vx, vy, vz of point_a (fixed on body_a)
};

/// Name, keys, and the states and rates that they mean.
using ControlKind = KindReference<ControlDescription>;

/// Name, keys, checks, what it encloses, what contacts touch of it, how it is drawn.
class GeometryKind : public KindReference<ShapeDescription> {
 public:
  using KindReference::KindReference;

  static const GeometryKind box;           ///< edges `size`
  static const GeometryKind sphere;        ///< `radius`
  static const GeometryKind cylinder;      ///< `radius`, `length` along its z axis, `inner_radius` of a bore
  static const GeometryKind capsule;       ///< a cylinder of `length` with half spheres at its ends
  static const GeometryKind cone;          ///< base of `radius` at z = −length/2, apex at z = +length/2
  static const GeometryKind extrusion;     ///< the `polygon` (x, y), `length` along z, half of it on either side
  static const GeometryKind mesh;          ///< `vertices` and `triangles`
  static const GeometryKind plane;         ///< everything below its xy plane, without end; drawn with the edges `size`
  static const GeometryKind ellipsoid;     ///< half axes `size`
  static const GeometryKind hull;          ///< all that is between points
  static const GeometryKind height_field;  ///< ground by its heights over a grid
  static const GeometryKind groove;        ///< an arc of `radius` turned about z, hollow side out: the race of balls
};

// Described in src/mechanics/kinds/joint_NAME.cpp, force_NAME.cpp, measure_NAME.cpp, control_NAME.cpp, shape_NAME.cpp.
namespace kinds {
extern const JointDescription spherical_joint, revolute_joint, prismatic_joint, cylindrical_joint, universal_joint,
    planar_joint, fixed_joint, screw_joint, point_on_line_joint, point_on_plane_joint, distance_joint,
    constant_orientation_joint, rolling_sphere_joint, rolling_disc_joint, knife_edge_joint, track_joint;
extern const ForceDescription force_at_point, torque_force, spring_damper_force, torsion_spring_force,
    axial_spring_force, bushing_force, planar_bushing_force, joint_spring_force, joint_limit_force, bump_stop_force,
    anti_roll_bar_force, tyre_force, standing_tyre_force, library_force;
extern const MeasureDescription expression_measure, distance_measure, point_measure, relative_measure;
extern const ControlDescription filter_control, pid_control, ode_control, sampled_control;
extern const ShapeDescription box_shape, sphere_shape, cylinder_shape, capsule_shape, cone_shape, extrusion_shape,
    mesh_shape, plane_shape, ellipsoid_shape, hull_shape, height_field_shape, groove_shape;
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
inline constexpr ForceKind ForceKind::library{kinds::library_force};

inline constexpr MeasureKind MeasureKind::expression{kinds::expression_measure};
inline constexpr MeasureKind MeasureKind::distance{kinds::distance_measure};
inline constexpr MeasureKind MeasureKind::point{kinds::point_measure};
inline constexpr MeasureKind MeasureKind::relative{kinds::relative_measure};

inline constexpr GeometryKind GeometryKind::box{kinds::box_shape};
inline constexpr GeometryKind GeometryKind::sphere{kinds::sphere_shape};
inline constexpr GeometryKind GeometryKind::cylinder{kinds::cylinder_shape};
inline constexpr GeometryKind GeometryKind::capsule{kinds::capsule_shape};
inline constexpr GeometryKind GeometryKind::cone{kinds::cone_shape};
inline constexpr GeometryKind GeometryKind::extrusion{kinds::extrusion_shape};
inline constexpr GeometryKind GeometryKind::mesh{kinds::mesh_shape};
inline constexpr GeometryKind GeometryKind::plane{kinds::plane_shape};
inline constexpr GeometryKind GeometryKind::ellipsoid{kinds::ellipsoid_shape};
inline constexpr GeometryKind GeometryKind::hull{kinds::hull_shape};
inline constexpr GeometryKind GeometryKind::height_field{kinds::height_field_shape};
inline constexpr GeometryKind GeometryKind::groove{kinds::groove_shape};

/// The kinds that a model file may name, in the order of the documentation. A list to be handed on: whoever has a kind
/// of their own adds it to a copy of the standard ones and gives that to the reader; models carry it from there.
struct Kinds {
  std::vector<JointKind> joints = {};
  std::vector<ForceKind> forces = {};
  std::vector<MeasureKind> measures = {};
  std::vector<ControlKind> controls = {};
  std::vector<GeometryKind> shapes = {};
};

inline constexpr JointKind standard_joints[] = {
    JointKind::spherical,      JointKind::revolute,       JointKind::prismatic,  JointKind::cylindrical,
    JointKind::universal,      JointKind::planar,         JointKind::fixed,      JointKind::screw,
    JointKind::point_on_line,  JointKind::point_on_plane, JointKind::distance,   JointKind::constant_orientation,
    JointKind::rolling_sphere, JointKind::rolling_disc,   JointKind::knife_edge, JointKind::track};
inline constexpr ForceKind standard_forces[] = {
    ForceKind::force,         ForceKind::torque,    ForceKind::spring_damper,  ForceKind::torsion_spring,
    ForceKind::axial_spring,  ForceKind::bushing,   ForceKind::planar_bushing, ForceKind::joint_spring,
    ForceKind::joint_limit,   ForceKind::bump_stop, ForceKind::anti_roll_bar,  ForceKind::tyre,
    ForceKind::standing_tyre, ForceKind::library};
inline constexpr MeasureKind standard_measures[] = {MeasureKind::expression, MeasureKind::distance, MeasureKind::point,
                                                    MeasureKind::relative};
inline constexpr ControlKind standard_controls[] = {kinds::filter_control, kinds::pid_control, kinds::ode_control,
                                                    kinds::sampled_control};
inline constexpr GeometryKind standard_shapes[] = {
    GeometryKind::box,       GeometryKind::sphere,    GeometryKind::cylinder,     GeometryKind::capsule,
    GeometryKind::cone,      GeometryKind::extrusion, GeometryKind::mesh,         GeometryKind::plane,
    GeometryKind::ellipsoid, GeometryKind::hull,      GeometryKind::height_field, GeometryKind::groove};

/// All of these.
const Kinds& standard_kinds();

}  // namespace trammel
