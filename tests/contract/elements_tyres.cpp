// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "elements_frames.h"
#include "trammel/mechanics/elements/state_force_group.h"
#include "trammel/mechanics/elements/tyre.h"

// Tyres from frame data alone: signs and sizes on paper, slopes, peaks, symmetries and limits, and derivatives.

namespace trammel::testing::test_elements_tyres {
namespace {

constexpr double stiffness = 2.8e5, damping = 500.0;

// The car's tyre: coefficients of Chrono's Sedan_Pac02Tire, pure slip.
TyreSpec sedan() {
  TyreSpec tyre;
  tyre.free_radius = 0.344, tyre.rolling_radius = 0.33937, tyre.nominal_load = 3928.5;
  tyre.longitudinal_relaxation = 0.172, tyre.lateral_relaxation = 0.344;
  MagicFormula& p = tyre.formula;
  p.PKY1 = -21.92, p.PKY2 = 2.0012, p.PDY1 = 1.0489, p.PCY1 = 1.3507;
  p.PKX1 = 22.3, p.PDX1 = 1.1739, p.PCX1 = 1.6411;
  p.QDZ1 = 0.0321 / 0.344, p.QCZ1 = 1.2136, p.QBZ1 = 10.9;
  return tyre;
}

/// Frames: 0 the road (ground), 1 the carrier, 2 the wheel, which stands at the height that gives the load.
struct Wheel {
  Random random{1};
  FrameInstant at{random, 2, 0};
  Tyre::Params params;
  explicit Wheel(double load, const TyreSpec& tyre = sedan(), double speed = 20.0) {
    params.place.free_radius = tyre.free_radius, params.place.stiffness = stiffness, params.place.damping = damping;
    params.data = tyre;
    at.z = {0.0, 0.0};
    for (int f : {1, 2}) {
      at.frames[f].R.setIdentity();
      at.frames[f].p = {0, 0, tyre.free_radius - load / stiffness};
      at.frames[f].v = {speed, 0, 0};
      at.frames[f].w.setZero();
    }
    set_slip(0.0, 0.0);
  }
  double speed() const { return at.frames[1].v.x(); }
  Wheel& set_slip(double kappa, double tan_alpha) {
    for (int f : {1, 2}) at.frames[f].v.y() = std::abs(speed()) * tan_alpha;
    at.frames[2].w.y() = (speed() + kappa * std::abs(speed())) / params.data.rolling_radius;
    return *this;
  }
  StateForceGroup<Tyre> group() const {
    StateForceGroup<Tyre> made;
    made.add({params, {0, 1, 2}, 0});
    return made;
  }
  std::vector<double> rates() const {
    std::vector<Wrench<double>> w(3, zero_wrench<double>());
    std::vector<double> g(2);
    group().add_forces(at.state(), w, g);
    return g;
  }
  /// States that do not change any more: both rates are linear in their own state.
  Wheel& settle() {
    for (int k = 0; k < 2; ++k) {
      at.z[k] = 0.0;
      const double g_0 = rates()[k];
      at.z[k] = 1.0;
      at.z[k] = g_0 / (g_0 - rates()[k]);
    }
    return *this;
  }
  std::vector<Wrench<double>> forces() const { return wrenches(group(), at); }
  Eigen::Vector3d force() const { return forces()[1].force; }
  Eigen::Vector3d steady(double kappa, double tan_alpha) { return set_slip(kappa, tan_alpha).settle().force(); }
};

TEST(Tyre, carries_its_load_and_nothing_else_when_it_rolls_freely) {
  const std::vector<Wrench<double>> w = Wheel(4000).forces();
  EXPECT_NEAR((w[1].force - Eigen::Vector3d(0, 0, 4000)).norm(), 0.0, 1e-6);
  EXPECT_NEAR(w[1].moment.norm(), 0.0, 1e-6);
  EXPECT_NEAR(w[2].moment.norm(), 0.0, 1e-6);
  EXPECT_NEAR((w[0].force + w[1].force).norm(), 0.0, 1e-9);
}

// 70 kN/rad at 4 kN; it slides to the left and is pushed to the right, with a moment that turns the wheel back.
TEST(Tyre, has_the_cornering_stiffness_of_its_data) {
  Wheel wheel(4000);
  const double alpha = 1e-4;
  const std::vector<Wrench<double>> w = wheel.set_slip(0.0, std::tan(alpha)).settle().forces();
  const double K_y = 21.92 * 3928.5 * std::sin(2.0 * std::atan(4000.0 / (2.0012 * 3928.5)));
  EXPECT_NEAR(K_y, 7.0e4, 1.5e3);
  EXPECT_NEAR(w[1].force.y(), -K_y * alpha, 1e-5 * K_y * alpha);
  EXPECT_NEAR(w[1].moment.z(), 0.0321 * 4000.0 / 3928.5 * K_y * alpha, 1e-4 * 0.03 * K_y * alpha);
}

// K_x = 22.3 F_z; a wheel that spins faster than it rolls drives, and loses R_e F_x.
TEST(Tyre, drives_by_slip) {
  Wheel wheel(4000);
  const double kappa = 1e-4;
  const std::vector<Wrench<double>> w = wheel.set_slip(kappa, 0.0).settle().forces();
  EXPECT_NEAR(w[1].force.x(), 22.3 * 4000 * kappa, 1e-4 * 22.3 * 4000 * kappa);
  EXPECT_NEAR(w[2].moment.y(), -wheel.params.data.rolling_radius * w[1].force.x(), 1e-9);
  // Carrier: F_x at the contact point, ℓ below, and the opposite of the wheel's torque.
  const double radius = 0.344 - 4000 / stiffness;
  EXPECT_NEAR(w[1].moment.y(), (wheel.params.data.rolling_radius - radius) * w[1].force.x(), 1e-6);
}

TEST(Tyre, never_pulls_and_is_damped) {
  Wheel wheel(4000);
  wheel.at.frames[1].v.z() = -0.1;
  EXPECT_NEAR(wheel.force().z(), 4000 + 0.1 * damping, 1e-6);
  wheel.at.frames[1].p.z() = 0.35;
  EXPECT_EQ(wheel.force().norm(), 0.0);
}

// sin(C atan(B s)) is largest where B s = tan(π/2C), and there it is 1: D.
TEST(Tyre, has_its_peak_where_the_formula_says) {
  Wheel wheel(4000);
  const double D_x = 1.1739 * 4000, slip = std::tan(M_PI / (2 * 1.6411)) / (22.3 / (1.6411 * 1.1739));
  EXPECT_NEAR(wheel.steady(slip, 0.0).x(), D_x, 1e-5 * D_x);
  EXPECT_LT(wheel.steady(0.9 * slip, 0.0).x(), D_x);
  EXPECT_LT(wheel.steady(1.1 * slip, 0.0).x(), D_x);
}

// Left and right, ahead and back are the same tyre, also when it rolls backwards: forces are odd in their slip.
TEST(Tyre, is_symmetric) {
  for (const double speed : {20.0, -20.0, 0.5, -0.5}) {
    Wheel wheel(4000, sedan(), speed);
    for (const double slip : {0.01, 0.1, 0.6}) {
      const Eigen::Vector3d side = wheel.steady(0.0, slip), back = wheel.steady(0.0, -slip);
      EXPECT_NEAR(side.y(), -back.y(), 1e-9 * std::abs(side.y()));
      EXPECT_LT(side.y(), 0.0);
      const Eigen::Vector3d drive = wheel.steady(slip, 0.0), brake = wheel.steady(-slip, 0.0);
      EXPECT_NEAR(drive.x(), -brake.x(), 1e-9 * std::abs(drive.x()));
      EXPECT_GT(drive.x(), 0.0);
    }
  }
}

// The trail is behind the wheel, in whichever direction it rolls: rolling back its moment turns it away.
TEST(Tyre, turns_back_ahead_and_away_when_it_rolls_backwards) {
  for (const double speed : {20.0, -20.0}) {
    Wheel wheel(4000, sedan(), speed);
    const double moment = wheel.set_slip(0.0, 0.02).settle().forces()[1].moment.z();
    EXPECT_GT(speed * moment, 0.0);
  }
}

// (F_x/D_x)² + (F_y/D_y)² ≤ 1 for any slip, and reached by large ones.
TEST(Tyre, keeps_within_friction_in_combined_slip) {
  Wheel wheel(4000);
  const double D_x = 1.1739 * 4000, D_y = 1.0489 * 4000;
  double most = 0.0;
  for (double kappa = -1.0; kappa <= 1.0; kappa += 0.05)
    for (double tan_alpha = -1.0; tan_alpha <= 1.0; tan_alpha += 0.05) {
      const Eigen::Vector3d F = wheel.steady(kappa, tan_alpha);
      most = std::max(most, std::hypot(F.x() / D_x, F.y() / D_y));
    }
  EXPECT_LE(most, 1.0 + 1e-6);
  EXPECT_GT(most, 0.98);
}

// At rest it is a spring of the carcass: K/σ, that does not leak, and the same to all sides.
TEST(Tyre, holds_like_a_spring_at_rest) {
  Wheel wheel(4000, sedan(), 0.0);
  wheel.at.z = {0.3, -0.2};
  wheel.at.frames[2].w.setZero();
  for (const double rate : wheel.rates()) EXPECT_EQ(rate, 0.0);
  EXPECT_NEAR(wheel.force().x(), 0.3 * 1.1739 * 4000, 1e-9);
  EXPECT_NEAR(wheel.force().y(), -0.2 * 1.0489 * 4000, 1e-9);
  // Ḟ = −k v
  const double v = 1e-7, k_x = 22.3 * 4000 / 0.172;
  for (int f : {1, 2}) wheel.at.frames[f].v.x() = v;
  EXPECT_NEAR(wheel.rates()[0] * 1.1739 * 4000, -k_x * v, 1e-3 * k_x * v);
}

// A locked wheel slides with what friction has at κ = −1, a wheel pushed sideways at rest with that of large slip.
TEST(Tyre, slides_when_it_is_locked) {
  Wheel wheel(4000, sedan(), 10.0);
  const double braked = wheel.steady(-1.0, 0.0).x();
  const double D_x = 1.1739 * 4000;
  EXPECT_NEAR(braked, -D_x * std::sin(1.6411 * std::atan(22.3 / (1.6411 * 1.1739))), 1e-5 * D_x);
  Wheel pushed(4000, sedan(), 0.0);
  for (int f : {1, 2}) pushed.at.frames[f].v.y() = 3.0;
  pushed.at.frames[2].w.setZero();
  const double D_y = 1.0489 * 4000;
  EXPECT_NEAR(pushed.settle().force().y(), -D_y * std::sin(1.3507 * M_PI / 2), 1e-2 * D_y);
}

// Small slip at speed: over the relaxation length, whatever the speed.
TEST(Tyre, follows_slip_over_its_relaxation_length) {
  for (const double speed : {2.0, 30.0}) {
    Wheel wheel(4000, sedan(), speed);
    wheel.set_slip(0.0, 1e-5);
    const double at_zero = wheel.rates()[1];
    const double end = wheel.settle().at.z[1];
    EXPECT_NEAR(at_zero / end, speed / 0.344, 1e-4 * speed / 0.344);
  }
}

// sin γ > 0: the axle points up to the left, the tyre leans to the right and pushes to the right.
TEST(Tyre, pushes_to_where_it_leans) {
  TyreSpec tyre = sedan();
  tyre.formula.PKY6 = -1.0;
  Wheel wheel(4000, tyre);
  const double gamma = 0.02;
  for (int f : {1, 2}) wheel.at.frames[f].R = exp_so3(Vec3<double>(gamma, 0, 0));
  wheel.settle();
  EXPECT_NEAR(wheel.force().y(), -1.0 * 4000 * std::sin(gamma), 0.02 * 80);
  tyre.mirrored = true;
  Wheel other(4000, tyre);
  for (int f : {1, 2}) other.at.frames[f].R = exp_so3(Vec3<double>(gamma, 0, 0));
  other.settle();
  EXPECT_NEAR(other.force().y(), wheel.force().y(), 1e-9 * 80);  // leaning has no side of its own
}

// A road that rises: loads are normal to it, and "ahead" is along it.
TEST(Tyre, stands_on_a_slope) {
  RoadShape road;
  road.slope = 0.2;
  Wheel wheel(4000, sedan(), 0.0);
  wheel.params.place.surface = std::make_shared<RoadSurface>(road);
  const double height = (0.344 - 4000 / stiffness) * std::sqrt(1.04);
  for (int f : {1, 2}) wheel.at.frames[f].p = {7.0, 3.0, 0.2 * 7.0 + height}, wheel.at.frames[f].w.setZero();
  const Eigen::Vector3d n = Eigen::Vector3d(-0.2, 0, 1).normalized();
  EXPECT_NEAR((wheel.force() - 4000 * n).norm(), 0.0, 1e-6);
  wheel.at.z = {0.5, 0.0};
  const Eigen::Vector3d along = Eigen::Vector3d(1, 0, 0.2).normalized();
  EXPECT_NEAR((wheel.force() - 4000 * n - 0.5 * 1.1739 * 4000 * along).norm(), 0.0, 1e-6);
}

// ---- any frames
// ------------------------------------------------------------------------------------------------------

TyreSpec odd_tyre(Random& random) {
  TyreSpec tyre = sedan();
  tyre.free_radius = 10.0, tyre.rolling_radius = 0.4, tyre.nominal_load = 30.0;
  tyre.longitudinal_relaxation = 0.7, tyre.lateral_relaxation = 0.9, tyre.combined = true;
  MagicFormula& p = tyre.formula;
#define TRAMMEL_PARAMETER(name, value) p.name += 0.02 * random.number();
  TRAMMEL_MAGIC_FORMULA(TRAMMEL_PARAMETER)
#undef TRAMMEL_PARAMETER
  p.PHY3 = 0.0, p.RBX1 = 3.0, p.RBX2 = 2.0, p.RBY1 = 4.0, p.RBY2 = 1.0, p.QSX3 = 0.1, p.QSY1 = 0.02;
  return tyre;
}

struct Sample {
  Random random;
  FrameInstant at;
  StateForceGroup<Tyre> group;
  explicit Sample(unsigned seed) : random(seed), at(random, 3, 0, 0.4) {
    RoadShape road;
    road.kind = RoadKind::sweep;
    road.start = -20.0, road.length = 40.0, road.amplitude = 0.1, road.first_wavelength = 9.0,
    road.last_wavelength = 5.0;
    road.slope = 0.1, road.bank = -0.05;
    Tyre::Params params;
    params.place.s_road = random.vector(), params.place.center = random.vector();
    params.place.axes = random.rotation(0.2);
    params.place.stiffness = 4.0, params.place.damping = 0.1;
    params.data = odd_tyre(random);
    params.data.mirrored = seed % 2 == 0;
    params.place.free_radius = params.data.free_radius;
    if (seed % 3 != 0) params.place.surface = std::make_shared<RoadSurface>(road);
    group.add({params, {1, 2, 3}, 0});
    at.z = {random.number(), random.number()};
    at.frames[3].R = at.frames[2].R;  // the wheel's axle is its carrier's
  }
};

// Forces and moments of all frames balance, wherever they are: tyres take nothing from nowhere.
TEST(Tyre, pushes_its_road_back) {
  for (unsigned seed = 1; seed < 8; ++seed) {
    const Sample s(seed);
    const Sum sum = total(wrenches(s.group, s.at), s.at);
    EXPECT_GT(sum.size, 1.0);
    EXPECT_LE(sum.force.norm(), 1e-13 * (1.0 + sum.size));
    EXPECT_LE(sum.moment.norm(), 1e-12 * (1.0 + sum.size));
  }
}

TEST(Tyre, planes_are_differences) {
  constexpr double eps = 1e-6, tol = 2e-6;
  for (unsigned seed = 1; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    const Sample s(seed);
    const GroupPlanes planes(s.group, s.at);
    const auto look = [&](const FrameInstant& at) {  // wrenches of the three frames and both rates
      std::vector<Wrench<double>> w(4, zero_wrench<double>());
      std::vector<double> g(2);
      s.group.add_forces(at.state(), w, g);
      Eigen::VectorXd all(20);
      for (int f = 1; f < 4; ++f) all.segment<6>(6 * (f - 1)) = numbers_of(w[f]).transpose();
      all[18] = g[0], all[19] = g[1];
      return all;
    };
    const double size = 1.0 + look(s.at).cwiseAbs().maxCoeff();
    const auto compare = [&](const Eigen::VectorXd& ahead, const Eigen::VectorXd& behind, auto block, auto rate) {
      const Eigen::VectorXd d = (behind - ahead) / (2 * eps);
      for (int f = 1; f < 4; ++f)
        EXPECT_LE((block(f) - d.segment<6>(6 * (f - 1))).cwiseAbs().maxCoeff(), tol * (size + d.norm()));
      for (int z = 0; z < 2; ++z) EXPECT_NEAR(rate(z), d[18 + z], tol * (size + d.norm()));
    };
    const auto& c = planes.connectivity;
    for (int j = 1; j < 4; ++j)
      for (int k = 0; k < 6; ++k) {
        compare(
            look(s.at.moved(j, k, eps)), look(s.at.moved(j, k, -eps)),
            [&](int f) { return Eigen::VectorXd(planes.block(planes.planes.K, f, j).col(k)); },
            [&](int z) {
              return planes.planes.g_q[c.state_rates.at({z, j})][k];
            });
        compare(
            look(s.at.with_twist(j, k, eps)), look(s.at.with_twist(j, k, -eps)),
            [&](int f) { return Eigen::VectorXd(planes.block(planes.planes.D, f, j).col(k)); },
            [&](int z) {
              return planes.planes.g_v[c.state_rates.at({z, j})][k];
            });
      }
    for (int k = 0; k < 2; ++k) {
      FrameInstant ahead = s.at, behind = s.at;
      ahead.z[k] += eps, behind.z[k] -= eps;
      compare(
          look(ahead), look(behind),
          [&](int f) {
            return Eigen::VectorXd(planes.planes.f_z[c.state_forces.at({f, k})].transpose());
          },
          [&](int z) {
            return planes.planes.g_z[c.state_states.at({z, k})];
          });
    }
  }
}

}  // namespace
}  // namespace trammel::testing::test_elements_tyres
