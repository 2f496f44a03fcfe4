// SPDX-License-Identifier: Apache-2.0
#include "own_kinds.h"
#include "trammel/mechanics/elements/force_group_impl.h"
#include "trammel/mechanics/kinds/force_parts.h"

namespace trammel {

namespace {

/// Two points that attract each other:
///
///   (1) force on B = −k d/(d·d + s²),   d = p_B + R_B s_B − p_A − R_A s_A     [N];  on A the opposite
///   (2) V = ½ k ln(d·d + s²)
struct Attraction {
  static constexpr int n_frames = 2, n_turns = 0;
  static constexpr bool depends_on_velocity = false;
  static constexpr const char* name = "attraction";
  struct Params {
    Eigen::Vector3d s_a, s_b;
    double strength = 0.0, softening = 0.0;
  };

  template <class S>
  static void force(const Params& c, const Frame<S>* f, const double*, Wrench<S>* w) {
    const Vec3<S> d = point_position(f[1], c.s_b) - point_position(f[0], c.s_a);
    const Vec3<S> F = d * (-c.strength / (dot(d, d) + c.softening * c.softening));
    w[1] = {F, cross(lift<S>(c.s_b), rotate_back(f[1].R, F))};
    w[0] = {-F, -cross(lift<S>(c.s_a), rotate_back(f[0].R, F))};
  }
  template <class S>
  static S potential(const Params& c, const Frame<S>* f, const double*) {
    using std::log;
    const Vec3<S> d = point_position(f[1], c.s_b) - point_position(f[0], c.s_a);
    return 0.5 * c.strength * log(dot(d, d) + c.softening * c.softening);
  }
};

struct MagnetForce {
  static constexpr std::string_view name = "magnet", meaning = "attracts a point";
  static std::vector<Key> keys() {
    return join_keys({two_bodies_keys(),
                      end_keys(),
                      {number_key("strength", "N m", "", "k of the attraction", Range::above(0.0)),
                       number_key("softening", "m", "0", "s, keeps it finite", Range::from(0.0))}});
  }
  static void read(KindFields& fields, ForceSpec& force) {
    read_spring_ends(fields, force);
    for (const char* key : {"strength", "softening"}) force.numbers[key] = fields.number(key, 0.0);
  }
  static constexpr ActsOn acts_on = ActsOn::bodies;
  static constexpr Strain strain = Strain::length;
  static constexpr bool between_points = true;
  static void check(detail::ModelChecks& checks, const ForceSpec& force) {
    check_ends(checks, force);
    check_positive(checks, force, "strength", force.numbers.at("strength"), false);
  }
  static void assemble(ForceElements& elements, const ForceSpec& force) {
    const int a = elements.a(), b = elements.b();
    elements.add<Attraction>({elements.point_on(a, force.point_a), elements.point_on(b, force.point_b),
                              force.numbers.at("strength"), force.numbers.at("softening")},
                             {a, b});
  }
  static constexpr auto directors = load_on_directors;
  static Picture picture() {
    return {.parts = {{.shape = Picture::Shape::cylinder,
                       .size = {0.3, 0.3, 1.0},
                       .place = Picture::Place::between,
                       .color = "#c03030"}}};
  }
};

}  // namespace

constinit const ForceDescription own::magnet = describe_force<MagnetForce>();

}  // namespace trammel
