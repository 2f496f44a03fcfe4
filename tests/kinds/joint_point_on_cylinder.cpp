// SPDX-License-Identifier: Apache-2.0
#include "own_kinds.h"
#include "trammel/mechanics/elements/constraint_group_impl.h"
#include "trammel/mechanics/kinds/joint_parts.h"

namespace trammel {

namespace {

/// B's point stays at the distance r > 0 from a line fixed in A:
///
///   (1) φ = ‖ρ‖ − r  [m],   ρ = d − n (n·d),   d = p_B + R_B s_B − p_A − R_A s_A,   n = R_A n_A
///   (2) δφ = u·(δd − …) with u = ρ/‖ρ‖: u ⟂ n, so that n turning by β_A moves φ by −(n·d) u·(β_A × n)
struct OnCylinder {
  static constexpr int n_frames = 2, n_rows = 1, n_turns = 0;
  static constexpr bool holonomic = true;
  static constexpr const char* name = "point on a cylinder";
  struct Params {
    Eigen::Vector3d n, s_a, s_b;
    double radius = 1.0;
  };

  template <class S>
  static void phi(const Params& c, const Frame<S>* f, const double*, S* out) {
    using std::sqrt;
    const Vec3<S> n = rotate(f[0].R, c.n), d = point_position(f[1], c.s_b) - point_position(f[0], c.s_a);
    const Vec3<S> rho = d - n * dot(n, d);
    out[0] = sqrt(dot(rho, rho)) - c.radius;
  }
  template <class S>
  static void rows(const Params& c, const Frame<S>* f, FrameRow<S>* g) {
    using std::sqrt;
    const Vec3<S> n = rotate(f[0].R, c.n), d = point_position(f[1], c.s_b) - point_position(f[0], c.s_a);
    const Vec3<S> rho = d - n * dot(n, d);
    const Vec3<S> u = rho * (1.0 / sqrt(dot(rho, rho)));
    // (2): −R_Aᵀ(s_A × u) − (n·d) n_A × u_A, in the axes of A
    const Vec3<S> u_a = rotate_back(f[0].R, u);
    g[0] = {-u, -cross(lift<S>(c.s_a), u_a) - cross(lift<S>(c.n), u_a) * dot(n, d)};
    g[1] = {u, cross(lift<S>(c.s_b), rotate_back(f[1].R, u))};
  }
};

/// A relation with a kernel of its own, closed by a row in every set of coordinates, without a form for directors.
struct PointOnCylinderJoint {
  static constexpr std::string_view name = "point_on_cylinder", meaning = "keeps its distance from an axis";
  static std::vector<Key> keys() {
    return {point_key("point", true, "", "a point of the axis" + point_form),
            point_key("point_b", true, "", "the point on the second body" + point_form),
            direction_key("axis", true, "of the cylinder, fixed in the first body" + direction_form), radius_key()};
  }
  static void read(KindFields& fields, JointSpec& joint) {
    read_place(fields, joint);
    joint.radius = fields.number("radius", 1.0);
  }
  static constexpr JointNeeds needs{.orientation_b = false};
  static constexpr InPlane in_plane{.axis = InPlane::Direction::normal};
  static void check(detail::ModelChecks& checks, const JointSpec& joint, bool) { check_radius(checks, joint); }
  static void compose(JointRows& rows, const JointSpec& joint) {
    rows.add<OnCylinder>(
        {rows.axis_in_a(rows.axis()), rows.on_a(rows.point()), rows.on_b(rows.point_b()), joint.radius},
        {rows.a(), rows.b()}, "m");
  }
  static constexpr JointCoordinates coordinates{};
  static constexpr JointAxes axes = JointAxes::axis;
  static constexpr auto motion = no_motion;
  static Directors directors(const JointSpec&) {
    return {Directors::Form::refused, "nobody has written its distance in slots"};
  }
  static constexpr auto signals = no_signals;
  static Picture picture() { return {.parts = {{.shape = Picture::Shape::sphere}}, .reaches_a = false}; }
};

}  // namespace

constinit const JointDescription own::point_on_cylinder = describe_joint<PointOnCylinderJoint>();

}  // namespace trammel
