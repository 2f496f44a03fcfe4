// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <set>

#include "../contract/elements_frames.h"
#include "trammel/mechanics/contact_model.h"
#include "trammel/mechanics/elements/triangle_mesh.h"

// Contacts from frame data alone: distances, derivatives, momentum, the search, the laws, and what is refused.

namespace trammel::testing {
namespace {

using Surface = GeometryKind;

std::vector<Eigen::Vector2d> cam_points() {
  std::vector<Eigen::Vector2d> points;
  for (int i = 0; i < 24; ++i) {
    const double a = 2.0 * std::numbers::pi * i / 24, r = 0.5 + 0.12 * std::cos(a) + 0.03 * std::cos(2.0 * a);
    points.emplace_back(r * std::cos(a), r * std::sin(a));
  }
  return points;
}

ContactShape shape_of(Surface kind, Random& random) {
  Shape s;
  s.kind = kind;
  s.position = random.vector(0.1);
  s.orientation = random.rotation();
  s.size = {1.1, 0.8, 0.6};
  s.radius = 0.3, s.length = 1.2;
  if (kind == Surface::box) s.rounding = 0.05;
  if (kind == Surface::cylinder) s.radius = 0.43, s.length = 1.26, s.rounding = 0.03;
  if (kind == Surface::cone) s.radius = 0.5;
  if (kind == Surface::ellipsoid) s.size = {0.5, 0.35, 0.25};
  if (kind == Surface::groove) s.radius = 0.4, s.pitch_radius = 1.0, s.angle = 2.5, s.arc = 2.0;
  if (kind == Surface::extrusion) s.polygon = cam_points(), s.smooth = true;
  if (kind == Surface::hull || kind == Surface::mesh) {
    std::vector<Eigen::Vector3d> points;
    for (int i = 0; i < 30; ++i) points.push_back(Random(100u + i).vector(0.5));
    s.triangles = make_hull(points);
    for (const Eigen::Vector3d& p : points) s.vertices.push_back(p.cast<float>());
  }
  return *make_contact_shape(s, Eigen::Vector3d::Zero());
}

// The first one is what the second one is in.
const std::vector<std::pair<Surface, Surface>> pairs{
    {Surface::sphere, Surface::sphere},       {Surface::plane, Surface::sphere},
    {Surface::box, Surface::sphere},          {Surface::cylinder, Surface::sphere},
    {Surface::capsule, Surface::sphere},      {Surface::ellipsoid, Surface::sphere},
    {Surface::extrusion, Surface::sphere},    {Surface::plane, Surface::box},
    {Surface::plane, Surface::cylinder},      {Surface::plane, Surface::capsule},
    {Surface::plane, Surface::ellipsoid},     {Surface::capsule, Surface::capsule},
    {Surface::plane, Surface::extrusion},     {Surface::cone, Surface::sphere},
    {Surface::hull, Surface::sphere},         {Surface::mesh, Surface::sphere},
    {Surface::plane, Surface::cone},          {Surface::box, Surface::capsule},
    {Surface::cylinder, Surface::capsule},    {Surface::cone, Surface::capsule},
    {Surface::hull, Surface::capsule},        {Surface::ellipsoid, Surface::capsule},
    {Surface::box, Surface::ellipsoid},       {Surface::cylinder, Surface::ellipsoid},
    {Surface::cone, Surface::ellipsoid},      {Surface::hull, Surface::ellipsoid},
    {Surface::ellipsoid, Surface::ellipsoid}, {Surface::box, Surface::extrusion},
    {Surface::cylinder, Surface::extrusion},  {Surface::cone, Surface::extrusion},
    {Surface::ellipsoid, Surface::extrusion}, {Surface::capsule, Surface::extrusion},
    {Surface::hull, Surface::extrusion},      {Surface::groove, Surface::sphere}};

// Two shapes that overlap by 0.02 m, as a rule, in feature 0: b is moved along the normal until they do.
struct Meeting {
  ContactShape a, b;
  FrameInstant at;
  double depth = 0.02;

  Meeting(Surface ka, Surface kb, unsigned seed) : a(), b(), at(make(seed)) {
    Random random(seed);
    a = shape_of(ka, random), b = shape_of(kb, random);
    at.frames[1].p.setZero();
    at.frames[2].p = (random.direction() * 1.5).eval();
    if (ka == Surface::hull && b.radius == 0.0) depth = 0.003;  // within the rounding of its sharp edges
    if (ka == Surface::extrusion) at.frames[2].p = at.frames[1].R * a.Q * Eigen::Vector3d(1.0, 0.7, 0.1);
    if (ka == Surface::groove)
      at.frames[2].p =
          at.frames[1].R * (a.center + a.Q * Eigen::Vector3d(-0.6, 0.77, 0.05)) - at.frames[2].R * b.center;
    settle();
  }
  void settle() {
    for (int k = 0; k < 60; ++k) {
      const Touch<double> t = touch();
      at.frames[2].p += (t.depth - depth) * t.n;
    }
  }
  static FrameInstant make(unsigned seed) {
    Random random(seed + 100);
    return FrameInstant(random, 2, 0);
  }
  Touch<double> touch() const { return calc_touch(a, at.frames[1], b, at.frames[2], 0); }
};

// An eccentric disc below a flat face rises by e sin θ, whatever its radius [m].
TEST(ContactShapes, an_eccentric_disc_lifts_a_flat_follower_by_a_sine) {
  const double radius = 0.05, e = 0.02;
  std::vector<Eigen::Vector2d> points;
  for (int i = 0; i < 72; ++i) {
    const double a = 2.0 * std::numbers::pi * i / 72;
    points.emplace_back(e + radius * std::cos(a), radius * std::sin(a));
  }
  ContactShape face, cam;
  face.kind = ContactShape::Kind::plane;
  Shape disc;
  disc.kind = Surface::extrusion, disc.polygon = points, disc.smooth = true, disc.length = 0.02;
  cam = *make_contact_shape(disc, Eigen::Vector3d::Zero());
  Frame<double> follower;
  follower.R.setIdentity();
  follower.p.setZero(), follower.v.setZero(), follower.w.setZero();
  Frame<double> shaft = follower;
  follower.p.y() = 0.06;
  face.Q << 0, 1, 0, 0, 0, -1, -1, 0, 0;  // its normal, the third column, points down, to the cam
  for (double theta = 0.1; theta < 6.2; theta += 0.3) {
    shaft.R = Eigen::AngleAxisd(theta, Eigen::Vector3d::UnitZ()).toRotationMatrix();
    const Touch<double> t = calc_touch(face, follower, cam, shaft, 0);
    EXPECT_NEAR(t.depth, radius + e * std::sin(theta) - 0.06, 1e-8) << theta;
    EXPECT_NEAR(t.point.x(), e * std::cos(theta), 1e-5) << theta;  // below the centre of the disc
  }
}

// The depth is a distance: moving b along n changes it by exactly that, and its derivative by any motion of either
// frame is −n·(displacement of b against a at the point), because the gradient of a distance is its normal.
TEST(ContactShapes, depths_are_distances_with_the_normal_as_gradient) {
  for (const auto& [ka, kb] : pairs)
    for (unsigned seed : {1u, 2u, 3u}) {
      SCOPED_TRACE(::testing::Message() << ka.name() << " " << kb.name() << " " << seed);
      Meeting m(ka, kb, seed);
      if (ka == Surface::cone && kb == Surface::extrusion) {  // within, ridges begin at its sharp rim and tip
        m.depth = -0.02;
        m.settle();
      }
      const Touch<double> t = m.touch();
      ASSERT_NEAR(t.depth, m.depth, 1e-10);
      EXPECT_NEAR(t.n.norm(), 1.0, 1e-14);
      // The deepest point of a hull's edge on a cam is sought, and found to 1e-13 m of depth and 1.2e-10 of the normal.
      const bool sought = ka == Surface::hull && kb == Surface::extrusion;
      const double margin = sought ? 1e-7 : 1e-8, margin_of_normal = sought ? 1e-4 : 1e-6;
      for (int frame : {1, 2})
        for (int k = 0; k < 6; ++k) {
          const double eps = 1e-6;
          const auto depth = [&](double e) {
            const FrameInstant moved = m.at.moved(frame, k, e);
            return calc_touch(m.a, moved.frames[1], m.b, moved.frames[2], 0).depth;
          };
          const double slope = (depth(eps) - depth(-eps)) / (2.0 * eps);
          const Frame<double>& f = m.at.frames[frame];
          const Eigen::Vector3d shift =
              k < 3 ? Eigen::Vector3d::Unit(k) : (f.R * Eigen::Vector3d::Unit(k - 3)).cross(t.point - f.p).eval();
          EXPECT_NEAR(slope, (frame == 1 ? 1.0 : -1.0) * t.n.dot(shift), margin) << frame << " " << k;
          const Frame<Dual<6>> fa = frame == 1 ? seed_position(m.at.frames[1]) : lift<Dual<6>>(m.at.frames[1]);
          const Frame<Dual<6>> fb = frame == 2 ? seed_position(m.at.frames[2]) : lift<Dual<6>>(m.at.frames[2]);
          const Touch<Dual<6>> dual = calc_touch(m.a, fa, m.b, fb, 0);
          EXPECT_NEAR(dual.depth.d[k], slope, 1e-7);
          const FrameInstant plus = m.at.moved(frame, k, eps), minus = m.at.moved(frame, k, -eps);
          const Touch<double> tp = calc_touch(m.a, plus.frames[1], m.b, plus.frames[2], 0);
          const Touch<double> tm = calc_touch(m.a, minus.frames[1], m.b, minus.frames[2], 0);
          for (int c = 0; c < 3; ++c) EXPECT_NEAR(dual.n[c].d[k], (tp.n[c] - tm.n[c]) / (2.0 * eps), margin_of_normal);
        }
    }
}

// ---- the group -----------------------------------------------------------------------------------------------------

FrictionLaw friction_of(FrictionLaw::Kind kind) {
  FrictionLaw f;
  f.kind = kind;
  f.mu_k = 0.2, f.mu_s = 0.35, f.v_s = 1.3, f.gamma = 1.7, f.sigma0 = 40.0, f.sigma1 = 0.3, f.sigma2 = 0.1;
  return f;
}

ContactGroup group_of(const Meeting& m, const ContactLaw& law) {
  ContactGroup group({{m.a, 1, 0, "a"}, {m.b, 2, 1, "b"}}, {{law, true, "law"}}, {-1, 0, 0, -1}, 2, 8);
  group.set_first_state(0);
  return group;
}

struct Evaluated {
  std::vector<Wrench<double>> w;
  std::vector<double> rates;
};

Evaluated evaluate(const ContactGroup& group, const FrameInstant& at, const std::vector<int>& modes) {
  Evaluated e{std::vector<Wrench<double>>(at.frames.size(), zero_wrench<double>()),
              std::vector<double>(group.n_states(), 0.0)};
  KinematicState k = at.state();
  k.modes = modes;
  group.add_forces(k, e.w, e.rates);
  return e;
}

// K, D, f_z, g_q, g_v, g_z against central differences.
void expect_derivatives(const ContactGroup& group, const FrameInstant& at) {
  std::vector<int> modes(group.n_modes(), 0);
  KinematicState k = at.state();
  ASSERT_TRUE(group.update_modes(k, modes));
  k.modes = modes;
  FrameConnectivity connectivity;
  FramePlanes planes;
  std::vector<int> slots;
  group.connect(modes, connectivity, slots);
  const auto fill = [](auto& plane, std::size_t n) {
    plane.resize(n);
    for (auto& entry : plane) entry.setZero();
  };
  for (auto* plane : {&planes.D, &planes.K}) plane->resize(connectivity.pairs.size());
  fill(planes.f_z, connectivity.state_forces.size());
  for (auto* plane : {&planes.g_q, &planes.g_v}) fill(*plane, connectivity.state_rates.size());
  planes.g_z.assign(connectivity.state_states.size(), 0.0);
  group.add_planes(k, PlaneSet::all, slots, planes);
  const double size = numbers_of(evaluate(group, at, modes).w[2]).norm();
  ASSERT_GT(size, 0.5);
  const double eps = 1e-6, margin = 2e-6 * (1.0 + size / 0.02);
  for (int column : {1, 2})
    for (int c = 0; c < 6; ++c)
      for (const bool velocity : {false, true}) {
        const auto change = [&](double e) {
          return evaluate(group, velocity ? at.with_twist(column, c, e) : at.moved(column, c, e), modes);
        };
        const Evaluated plus = change(eps), minus = change(-eps);
        for (int row : {1, 2}) {
          const Row6 slope = (numbers_of(plus.w[row]) - numbers_of(minus.w[row])) / (2.0 * eps);
          const int slot = connectivity.pairs.at({row, column});
          const Block6& block = velocity ? planes.D[slot] : planes.K[slot];
          for (int r = 0; r < 6; ++r) EXPECT_NEAR(block(r, c), -slope[r], margin) << row << column << r << c;
        }
        for (int z = 0; z < group.n_states(); ++z) {
          const auto it = connectivity.state_rates.find({z, column});
          const double slope = (plus.rates[z] - minus.rates[z]) / (2.0 * eps);
          if (it == connectivity.state_rates.end())
            EXPECT_EQ(slope, 0.0);
          else
            EXPECT_NEAR((velocity ? planes.g_v : planes.g_q)[it->second][c], -slope, 1e-5);
        }
      }
  for (int z = 0; z < group.n_states(); ++z) {
    const auto change = [&](double e) {
      FrameInstant moved = at;
      moved.z[z] += e;
      return evaluate(group, moved, modes);
    };
    const Evaluated plus = change(eps), minus = change(-eps);
    for (int row : {1, 2})
      if (const auto it = connectivity.state_forces.find({row, z}); it != connectivity.state_forces.end()) {
        const Row6 slope = (numbers_of(plus.w[row]) - numbers_of(minus.w[row])) / (2.0 * eps);
        for (int r = 0; r < 6; ++r) EXPECT_NEAR(planes.f_z[it->second][r], -slope[r], margin);
      }
    for (int other = 0; other < group.n_states(); ++other) {
      const auto it = connectivity.state_states.find({other, z});
      const double slope = (plus.rates[other] - minus.rates[other]) / (2.0 * eps);
      if (it == connectivity.state_states.end())
        EXPECT_EQ(slope, 0.0);
      else
        EXPECT_NEAR(planes.g_z[it->second], -slope, 1e-5 * (1.0 + std::abs(slope)));
    }
  }
}

// Planes K, D, f_z, g_q, g_v, g_z against central differences, for each normal and friction law, off any special place.
TEST(ContactGroups, planes_are_the_derivatives_of_forces_and_rates) {
  for (const auto& [ka, kb] : pairs)
    for (const auto friction : {FrictionLaw::Kind::none, FrictionLaw::Kind::coulomb, FrictionLaw::Kind::lugre})
      for (const auto normal : {NormalLaw{NormalLaw::Kind::linear, 900.0, 1.0, 3.0, 0.0},
                                NormalLaw{NormalLaw::Kind::hunt_crossley, 5000.0, 1.5, 0.02, 0.0}}) {
        SCOPED_TRACE(::testing::Message() << ka.name() << " " << kb.name() << " " << static_cast<int>(friction) << " "
                                          << static_cast<int>(normal.kind));
        Meeting m(ka, kb, 5);
        const ContactGroup group = group_of(m, {normal, friction_of(friction)});
        m.at.z.assign(group.n_states(), 0.0);
        for (std::size_t i = 0; i < m.at.z.size(); ++i)
          m.at.z[i] = 0.003 * std::sin(1.0 + 2.0 * static_cast<double>(i));
        // Approach, so that the force is not clipped.
        m.at.frames[2].v = m.at.frames[1].v - 2.0 * m.touch().n + Eigen::Vector3d(0.3, -0.4, 0.2);
        expect_derivatives(group, m.at);
      }
}

// The same of surfaces that resist turning, run as belts do, or bounce by the speed that was noted when they met.
TEST(ContactGroups, planes_of_turning_belts_and_impacts_are_derivatives) {
  for (const auto& [ka, kb] : {std::pair{Surface::sphere, Surface::sphere},
                               {Surface::plane, Surface::sphere},
                               {Surface::box, Surface::capsule},
                               {Surface::plane, Surface::box}})
    for (const auto kind : {FrictionLaw::Kind::coulomb, FrictionLaw::Kind::lugre})
      for (const int which : {0, 1, 2, 3}) {
        SCOPED_TRACE(::testing::Message() << ka.name() << " " << kb.name() << " " << static_cast<int>(kind) << which);
        Meeting m(ka, kb, 6);
        NormalLaw normal{NormalLaw::Kind::hunt_crossley, 5000.0, 1.5, 0.02, 0.0};
        FrictionLaw friction = friction_of(kind);
        if (which == 0 || which == 3) friction.rolling_arm = 0.02, friction.torsion_radius = 0.05, friction.w_s = 0.7;
        if (which == 1 || which == 3) normal.bounce = 0.7, normal.speed = 5.0;
        ContactGroup::Geometry a{m.a, 1, 0, "a", {0.0, 0.0, 0.0}}, b{m.b, 2, 1, "b", {0.0, 0.0, 0.0}};
        if (which >= 2) a.belt = {0.4, -0.3, 0.8}, b.belt = {-0.5, 0.2, 0.1};
        ContactGroup group({a, b}, {{{normal, friction}, true, "law"}}, {-1, 0, 0, -1}, 2, 8);
        group.set_first_state(0);
        m.at.z.assign(group.n_states(), 0.002);
        m.at.frames[2].v = m.at.frames[1].v - 2.0 * m.touch().n + Eigen::Vector3d(0.3, -0.4, 0.2);
        expect_derivatives(group, m.at);
      }
}

// Force and reaction act at one point: neither momentum nor moment of momentum is made, and nobody pulls.
TEST(ContactGroups, momentum_is_kept_and_surfaces_never_pull) {
  for (const auto& [ka, kb] : pairs) {
    Meeting m(ka, kb, 7);
    const ContactGroup group =
        group_of(m, {{NormalLaw::Kind::linear, 900.0, 1.0, 50.0, 0.0}, friction_of(FrictionLaw::Kind::coulomb)});
    std::vector<int> modes(group.n_modes(), 0);
    group.update_modes(m.at.state(), modes);
    m.at.frames[2].v = m.at.frames[1].v - m.touch().n;
    m.at.frames[1].w.setZero(), m.at.frames[2].w.setZero();
    const Sum sum = total(evaluate(group, m.at, modes).w, m.at);
    EXPECT_GT(sum.size, 1.0);
    EXPECT_LE(sum.force.norm() + sum.moment.norm(), 1e-13 * sum.size);
    m.at.frames[2].v = m.at.frames[1].v + 100.0 * m.touch().n;  // parting faster than the spring can follow
    EXPECT_EQ(total(evaluate(group, m.at, modes).w, m.at).size, 0.0);
  }
}

// Balls about their body's origin go a way of their own. A centre 1e-200 m beside it is the same ball by the general
// one: wrenches, stored energy and power agree to rounding, apart and together, whatever turns, for balls and planes.
TEST(ContactGroups, balls_about_their_origin_are_balls_like_others) {
  for (const Surface other : {Surface::sphere, Surface::plane})
    for (const auto friction : {FrictionLaw::Kind::none, FrictionLaw::Kind::coulomb})
      for (const auto normal : {NormalLaw{NormalLaw::Kind::linear, 900.0, 1.0, 3.0, 0.0},
                                NormalLaw{NormalLaw::Kind::hunt_crossley, 5000.0, 1.7, 0.02, 0.0},
                                NormalLaw{NormalLaw::Kind::hunt_crossley, 0.0, 1.5, 0.02, 4e4}})
        for (unsigned seed = 1; seed < 8; ++seed) {
          Meeting m(other, Surface::sphere, seed);
          m.b.center.setZero();
          if (other == Surface::sphere) m.a.center.setZero();
          const double depth = seed % 3 == 0 ? -0.01 : 0.02;
          for (int k = 0; k < 60; ++k) m.at.frames[2].p += (m.touch().depth - depth) * m.touch().n;
          const ContactGroup balls = group_of(m, {normal, friction_of(friction)});
          m.b.center.x() = 1e-200;
          const ContactGroup general = group_of(m, {normal, friction_of(friction)});
          std::vector<int> modes(balls.n_modes(), 0);
          KinematicState k = m.at.state();
          ASSERT_TRUE(balls.update_modes(k, modes));
          k.modes = modes;
          const Evaluated a = evaluate(balls, m.at, modes), b = evaluate(general, m.at, modes);
          double size = 1.0;
          for (int f : {1, 2}) size = std::max(size, numbers_of(b.w[f]).norm());
          for (int f : {1, 2}) EXPECT_LE((numbers_of(a.w[f]) - numbers_of(b.w[f])).norm(), 1e-13 * size) << seed;
          EXPECT_NEAR(balls.potential(k), general.potential(k), 1e-13 * size);
          EXPECT_NEAR(balls.power(k), general.power(k), 1e-12 * size);
          EXPECT_EQ(general.potential(k) > 0.0, depth > 0.0);
        }
}

// The list holds every pair that is nearer than its margin, at every instant of a random flight, and no place is lost
// or taken over by another pair while its own is near.
TEST(ContactGroups, the_search_finds_what_all_pairs_find) {
  Random random(11);
  constexpr int n = 60;
  std::vector<ContactGroup::Geometry> geometry;
  FrameInstant at(random, n, 0);
  for (int i = 0; i < n; ++i) {
    Shape one;
    one.kind = i % 3 == 0 ? Surface::capsule : Surface::sphere;
    one.position = random.vector(0.1), one.orientation = random.rotation();
    one.radius = 0.15 + 0.1 * (i % 4), one.length = 0.6;
    const ContactShape s = *make_contact_shape(one, Eigen::Vector3d::Zero());
    geometry.push_back({s, i + 1, 0, "g"});
  }
  ContactShape floor;
  floor.kind = ContactShape::Kind::plane;
  geometry.push_back({floor, 0, 0, "floor"});
  ContactGroup group(geometry, {{{}, true, "law"}}, {0}, 1, 2000);
  std::vector<int> modes(group.n_modes(), 0), last;
  for (int step = 0; step < 200; ++step) {
    for (int i = 1; i <= n; ++i) {
      Frame<double>& f = at.frames[i];
      f.p += 0.02 * f.v;
      f.v -= 0.02 * 4.0 * f.p;
      f.R = f.R * exp_so3(Vec3<double>(0.02 * f.w));
    }
    last = modes;
    group.update_modes(at.state(), modes);
    std::set<std::tuple<int, int, int>> listed;
    for (int i = 0; i < group.n_listed(modes); ++i) {
      const ContactGroup::Place p = group.place(modes, i);
      listed.insert({std::min(p.a, p.b), std::max(p.a, p.b), p.feature});
      if (i > 0) {
        const ContactGroup::Place q = group.place(modes, i - 1);
        EXPECT_LT(std::make_tuple(std::min(q.a, q.b), std::max(q.a, q.b), q.feature),
                  std::make_tuple(std::min(p.a, p.b), std::max(p.a, p.b), p.feature));
      }
      for (int j = 0; j < group.n_listed(last); ++j) {  // the same pair keeps its place
        const ContactGroup::Place q = group.place(last, j);
        if (q.a == p.a && q.b == p.b && q.feature == p.feature) {
          EXPECT_EQ(q.slot, p.slot);
        }
      }
    }
    for (int i = 0; i <= n; ++i)
      for (int j = i + 1; j <= n; ++j) {
        int a = i, b = j;
        if (!in_order(geometry[a].shape, geometry[b].shape)) std::swap(a, b);
        const ContactShape &sa = geometry[a].shape, &sb = geometry[b].shape;
        for (int f = 0; f < n_features(sa, sb); ++f) {
          const double gap = -calc_touch(sa, at.frames[geometry[a].frame], sb, at.frames[geometry[b].frame], f).depth;
          if (gap < 0.2 * std::min(sa.size(), sb.size())) {
            EXPECT_TRUE(listed.count({i, j, f})) << step;
          }
        }
      }
    EXPECT_FALSE(group.overflowed(modes));
    EXPECT_LE(group.find_missed(at.state(), modes).depth, 0.0);
  }
}

// ---- foundations ---------------------------------------------------------------------------------------------------

// Two shapes whose deepest point is 0.01 m within the other: b, which has the points, is moved towards a.
struct Resting {
  ContactShape a, b;
  FrameInstant at;
  ContactGroup group;

  Resting(Surface ka, Surface kb, const FrictionLaw& friction, unsigned seed)
      : at(Meeting::make(seed)), group(make_group(ka, kb, friction, seed)) {
    const ContactGroup::Place place{-1, 0, 1, 0, 0};
    Random random(seed + 7);
    const Eigen::Vector3d way =
        ka == Surface::plane ? (at.frames[1].R * group.geometry()[0].shape.Q.col(2)).eval() : random.direction();
    at.frames[1].p.setZero();
    double near = 0.0, far = 4.0;
    for (int k = 0; k < 60; ++k) {
      const double mid = 0.5 * (near + far);
      at.frames[2].p = mid * way;
      (group.calc_passing(0.0, at.frames, place).gap > -0.01 ? far : near) = mid;
    }
    at.z.assign(group.n_states(), 0.0);
    for (std::size_t i = 0; i < at.z.size(); ++i) at.z[i] = 0.003 * std::sin(1.0 + 2.0 * static_cast<double>(i));
    at.frames[2].v = at.frames[1].v - 0.5 * way + Eigen::Vector3d(0.3, -0.4, 0.2);
  }
  static ContactGroup make_group(Surface ka, Surface kb, const FrictionLaw& friction, unsigned seed) {
    Random random(seed);
    const ContactShape a = shape_of(ka, random), b = shape_of(kb, random);
    const NormalLaw normal{NormalLaw::Kind::foundation, 1e6, 1.0, 0.05, 0.0, 2e-3};
    ContactGroup group({{a, 1, 0, "a"}, {b, 2, 1, "b"}}, {{{normal, friction}, true, "law"}}, {-1, 0, 0, -1}, 2, 8);
    group.set_first_state(0);
    return group;
  }
};

// b is not larger than a, so that it has the points.
const std::vector<std::pair<Surface, Surface>> foundations{
    {Surface::plane, Surface::box},        {Surface::plane, Surface::cylinder},
    {Surface::plane, Surface::cone},       {Surface::plane, Surface::capsule},
    {Surface::plane, Surface::hull},       {Surface::plane, Surface::mesh},
    {Surface::box, Surface::box},          {Surface::cylinder, Surface::box},
    {Surface::mesh, Surface::box},         {Surface::ellipsoid, Surface::box},
    {Surface::extrusion, Surface::box},    {Surface::cylinder, Surface::cylinder},
    {Surface::cylinder, Surface::capsule}, {Surface::extrusion, Surface::extrusion},
    {Surface::plane, Surface::extrusion},  {Surface::mesh, Surface::extrusion}};

TEST(Foundations, planes_are_the_derivatives_of_forces_and_rates) {
  for (const auto& [ka, kb] : foundations)
    for (const auto friction : {FrictionLaw::Kind::none, FrictionLaw::Kind::coulomb, FrictionLaw::Kind::lugre}) {
      SCOPED_TRACE(::testing::Message() << ka.name() << " " << kb.name() << " " << static_cast<int>(friction));
      const Resting r(ka, kb, friction_of(friction), 3);
      expect_derivatives(r.group, r.at);
    }
}

// What is stored grows by what the forces take from the motion, but for what damping and friction take; neither
// momentum nor moment of momentum is made.
TEST(Foundations, keep_momentum_and_the_books_of_energy) {
  for (const auto& [ka, kb] : foundations) {
    SCOPED_TRACE(::testing::Message() << ka.name() << " " << kb.name());
    const Resting r(ka, kb, friction_of(FrictionLaw::Kind::coulomb), 4);
    std::vector<int> modes(r.group.n_modes(), 0);
    ASSERT_TRUE(r.group.update_modes(r.at.state(), modes));
    const Evaluated e = evaluate(r.group, r.at, modes);
    const Sum sum = total(e.w, r.at);
    EXPECT_GT(sum.size, 1.0);
    EXPECT_LE(sum.force.norm() + sum.moment.norm(), 1e-12 * sum.size);
    const auto energy_after = [&](double t) {
      FrameInstant moved = r.at;
      for (int i : {1, 2}) {
        Frame<double>& f = moved.frames[i];
        f.p += t * f.v;
        f.R = f.R * exp_so3(Vec3<double>(t * f.w));
      }
      KinematicState k = moved.state();
      k.modes = modes;
      return r.group.potential(k);
    };
    const double dt = 1e-6, growth = (energy_after(dt) - energy_after(-dt)) / (2.0 * dt);
    double work = 0.0;
    for (int i : {1, 2}) {
      const Frame<double>& f = r.at.frames[i];
      work += e.w[i].force.dot(f.v) + e.w[i].moment.dot(f.w);
    }
    KinematicState k = r.at.state();
    k.modes = modes;
    EXPECT_NEAR(work + growth, r.group.power(k), 1e-6 * (std::abs(work) + std::abs(growth)));
  }
}

// A box of 1.1 × 0.8 × 0.6 m pressed flat by 1 mm: N = K A (a − ε/2) at its middle, whatever its points; the same box
// as a mesh, and the moment of K a x over the face when it is turned by 1 mrad: K I_y θ.
TEST(Foundations, a_box_presses_flat_as_its_area_and_so_does_its_mesh) {
  Shape box;
  box.kind = Surface::box;
  box.size = {1.1, 0.8, 0.6};
  Shape mesh;
  mesh.kind = Surface::mesh;
  std::vector<Eigen::Vector3d> corners;
  for (int i = 0; i < 8; ++i)
    corners.push_back(0.5 * box.size.cwiseProduct(Eigen::Vector3d(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
  mesh.triangles = make_hull(corners);
  for (const Eigen::Vector3d& c : corners) mesh.vertices.push_back(c.cast<float>());
  ContactShape floor;
  floor.kind = ContactShape::Kind::plane;
  const double K = 1e6, depth = 2e-3, theta = 1e-3, transition = 1e-5;
  for (const Shape& shape : {box, mesh}) {
    FrictionLaw none;
    ContactGroup group({{floor, 0, 0, "floor"}, {*make_contact_shape(shape, Eigen::Vector3d::Zero()), 1, 1, "box"}},
                       {{{{NormalLaw::Kind::foundation, K, 1.0, 0.0, 0.0, transition}, none}, true, "law"}},
                       {-1, 0, 0, -1}, 2, 4);
    Random random(1);
    FrameInstant at(random, 1, 0);
    at.frames[1].v.setZero(), at.frames[1].w.setZero();
    at.frames[1].R = Eigen::AngleAxisd(theta, Eigen::Vector3d::UnitY()).toRotationMatrix();
    at.frames[1].p = {0.0, 0.0, 0.3 * std::cos(theta) - depth};
    std::vector<int> modes(group.n_modes(), 0);
    ASSERT_TRUE(group.update_modes(at.state(), modes));
    const Evaluated e = evaluate(group, at, modes);
    const double area = 1.1 * 0.8, second = 0.8 * std::pow(1.1, 3) / 12.0;
    const double N = K * area * (depth - transition / 2.0);
    EXPECT_NEAR(e.w[1].force.z(), N, 1e-5 * N);  // corners of meshes are single numbers
    // N acts along the floor's normal, θ off the box's own axis, 0.3 m below its middle.
    EXPECT_NEAR(e.w[1].moment.y(), -K * second * theta + 0.3 * N * theta, 1e-4 * K * second * theta);
  }
}

// What is rounded presses with what is flat of it, N = K (a − 2r)(b − 2r) (d − ε/2) and K π (R − r)² (d − ε/2), from
// hardly rounded to rounded all over.
TEST(Foundations, rounded_boxes_and_cylinders_press_with_their_flat_parts) {
  ContactShape floor;
  floor.kind = ContactShape::Kind::plane;
  const double K = 1e6, depth = 2e-3, transition = 1e-5;
  for (const double part : {0.02, 0.1, 0.3, 0.6, 0.9, 1.0})
    for (const Surface kind : {Surface::box, Surface::cylinder}) {
      Shape shape;
      shape.kind = kind, shape.rounding = part * 0.3;
      shape.size = {1.1, 0.8, 0.6}, shape.radius = 0.35, shape.length = 0.6;
      ContactGroup group({{floor, 0, 0, "floor"}, {*make_contact_shape(shape, Eigen::Vector3d::Zero()), 1, 1, "it"}},
                         {{{{NormalLaw::Kind::foundation, K, 1.0, 0.0, 0.0, transition}, {}}, true, "law"}},
                         {-1, 0, 0, -1}, 2, 4);
      Random random(1);
      FrameInstant at(random, 1, 0);
      at.frames[1].v.setZero(), at.frames[1].w.setZero(), at.frames[1].R.setIdentity();
      at.frames[1].p = {0.0, 0.0, 0.3 - depth};
      std::vector<int> modes(group.n_modes(), 0);
      ASSERT_TRUE(group.update_modes(at.state(), modes));
      const double r = shape.rounding;
      const double area =
          kind == Surface::box ? (1.1 - 2.0 * r) * (0.8 - 2.0 * r) : std::numbers::pi * (0.35 - r) * (0.35 - r);
      const double N = K * area * (depth - transition / 2.0);
      EXPECT_NEAR(evaluate(group, at, modes).w[1].force.z(), N, 1e-9 * N) << kind.name() << " " << part;
    }
}

// Half-space theory itself: the pressure p₀ √(1 − x²/a² − y²/b²) presses the surface in by
// w(P) = 1/(π E) ∫∫ p(P + r e_φ) dr dφ, which falls from the middle by κ₁x²/2 + κ₂y²/2; its sum is 2/3 π a b p₀.
TEST(ContactLaws, the_stiffness_of_an_ellipse_is_that_of_the_half_space) {
  const double E = 1.3, p0 = 0.7, a = 1.0;
  for (const double b : {1.0, 0.6, 0.2, 0.05}) {
    const auto sink = [&](double x, double y) {
      // Along a ray the pressure is p₀ √(c + 2 h r − g r²): ∫ over r > 0 in closed form, over φ by equal steps.
      constexpr int n = 20000;
      double sum = 0.0;
      for (int i = 0; i < n; ++i) {
        const double phi = 2.0 * std::numbers::pi * i / n, u = std::cos(phi), v = std::sin(phi);
        const double g = u * u / (a * a) + v * v / (b * b), h = -(x * u / (a * a) + y * v / (b * b));
        const double c = 1.0 - x * x / (a * a) - y * y / (b * b), top = c + h * h / g;
        sum += p0 / std::sqrt(g) *
               (0.5 * top * (std::numbers::pi / 2.0 + std::asin(h / std::sqrt(g * top))) +
                0.5 * h / std::sqrt(g) * std::sqrt(c));
      }
      return sum * 2.0 / n / E;
    };
    const double middle = sink(0.0, 0.0), force = 2.0 / 3.0 * std::numbers::pi * a * b * p0;
    const double k1 = 2.0 * (middle - sink(0.5 * a, 0.0)) / (0.25 * a * a);
    const double k2 = 2.0 * (middle - sink(0.0, 0.5 * b)) / (0.25 * b * b);
    EXPECT_NEAR(hertz_stiffness(E, k1, k2) * std::pow(middle, 1.5), force, 1e-7 * force) << b;
    EXPECT_NEAR(hertz_stiffness(E, k2, k1) * std::pow(middle, 1.5), force, 1e-7 * force) << b;
  }
  EXPECT_NEAR(hertz_stiffness(E, 4.0, 4.0), 4.0 / 3.0 * E * 0.5, 1e-14);
  EXPECT_NEAR(hertz_stiffness(E, 4.0, 4.0 * (1.0 + 1e-7)), 4.0 / 3.0 * E * 0.5, 1e-6);
}

// e(x) solves the balance of compression and release; small x: e ≈ 1 − 2x/3.
TEST(ContactLaws, restitution_and_damping_factor_belong_to_each_other) {
  for (const double e : {0.05, 0.3, 0.5, 0.8, 0.99}) {
    const double mu = damping_factor_of(e, 2.5), x = 2.5 * mu;
    EXPECT_NEAR(x * (1.0 + e), std::log((1.0 + x) / (1.0 - e * x)), 1e-6);
    EXPECT_NEAR(restitution_of(x), e, 1e-10);
  }
  EXPECT_NEAR(restitution_of(1e-3), 1.0 - 2e-3 / 3.0, 1e-6);
  EXPECT_EQ(damping_factor_of(1.0, 1.0), 0.0);
}

// ---- what is refused -----------------------------------------------------------------------------------------------

Model two_balls() {
  Model model;
  for (const double x : {0.0, 1.0}) {
    BodySpec body;
    body.name = x == 0.0 ? "left" : "right";
    body.mass = 1.0;
    body.inertia.setIdentity();
    body.position.x() = x;
    model.bodies.push_back(body);
    GeometrySpec g;
    g.name = body.name + " ball";
    g.body = body.name;
    g.shape.kind = GeometryKind::sphere;
    g.shape.radius = 0.4;
    model.geometry.push_back(g);
  }
  ContactSpec contact;
  contact.name = "meet";
  contact.a = {"left ball"}, contact.b = {"right"};
  contact.law.normal.stiffness = 1e5;
  model.contacts.push_back(contact);
  return model;
}

void expect_refusal(const Model& model, const std::string& words) {
  const std::vector<Issue> found = issues(model);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].where, "contact 'meet'");
  EXPECT_NE(found[0].message.find(words), std::string::npos) << found[0].message;
}

// A cube of twelve triangles that is broken in one way after the other; whole it is accepted, and so is a large one.
TEST(ContactIssues, meshes_that_enclose_nothing_are_named) {
  Model whole = two_balls();
  Shape& cube = whole.geometry[0].shape;
  cube.kind = GeometryKind::mesh;
  for (int i = 0; i < 8; ++i)
    cube.vertices.push_back(Eigen::Vector3f(i & 1 ? 0.2f : -0.2f, i & 2 ? 0.2f : -0.2f, i & 4 ? 0.2f : -0.2f));
  cube.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  EXPECT_TRUE(issues(whole).empty());
  const auto broken = [&](auto change) {
    Model model = whole;
    change(model.geometry[0].shape);
    return model;
  };
  expect_refusal(broken([](Shape& s) { s.triangles.pop_back(); }), "it is open: 3 edges belong to one triangle alone");
  expect_refusal(broken([](Shape& s) { s.triangles.clear(); }), "it has no triangles");
  expect_refusal(broken([](Shape& s) {
                   for (auto& t : s.triangles) std::swap(t[0], t[1]);
                 }),
                 "it is inverted");
  expect_refusal(broken([](Shape& s) { std::swap(s.triangles[3][0], s.triangles[3][1]); }),
                 "turned against each other");
  expect_refusal(broken([](Shape& s) { s.triangles.push_back(s.triangles[0]); }), "belong to more than two triangles");
  expect_refusal(broken([](Shape& s) { s.vertices[7] = s.vertices[5]; }),
                 "triangles have no area, the first is number");
  expect_refusal(broken([](Shape& s) {
                   for (auto& v : s.vertices) v.z() *= 1e-9f;
                 }),
                 "it has no thickness");
}

TEST(ContactIssues, deep_overlap_zero_radius_negative_stiffness_and_self_contact_are_named) {
  EXPECT_TRUE(issues(two_balls()).empty());
  Model model = two_balls();
  model.bodies[1].position.x() = 0.7;
  expect_refusal(model, "'left ball' and 'right ball' overlap by 0.1 m");
  model = two_balls();
  model.geometry[0].shape.radius = 0.0;
  expect_refusal(model, "geometry 'left ball': its radius is 0 m but must be > 0");
  model = two_balls();
  model.contacts[0].law.normal.stiffness = -5.0;
  expect_refusal(model, "'stiffness' is -5 N/m but must be > 0");
  model = two_balls();
  model.contacts[0].b = {"left"};
  expect_refusal(model, "a body cannot touch itself");
  model = two_balls();
  model.contacts[0].b = {"rigth ball"};
  expect_refusal(model, "did you mean 'right ball'");
  model = two_balls();
  model.geometry[0].shape.kind = GeometryKind::extrusion;
  expect_refusal(model, "only drawn");
  model = two_balls();
  for (GeometrySpec& g : model.geometry) g.shape.kind = GeometryKind::box, g.shape.size.setConstant(0.3);
  expect_refusal(model, "no contact is offered between box and box by this law: where flat parts lie");
  model = two_balls();
  model.contacts[0].law.friction.kind = FrictionLaw::Kind::lugre;
  model.contacts[0].law.friction.mu_k = 0.3, model.contacts[0].law.friction.mu_s = 0.2;
  expect_refusal(model, "'mu_s' is 0.2 but must be at least 'mu_k' = 0.3");
}

}  // namespace
}  // namespace trammel::testing
