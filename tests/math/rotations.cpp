// SPDX-License-Identifier: Apache-2.0
#include "trammel/math/rotations.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>
#include <vector>

#include "trammel/base/error.h"
#include "trammel/math/dual.h"
#include "trammel/math/orientation.h"
#include "trammel/math/taylor.h"

namespace trammel::test_rotations {
namespace {

using D = Dual<dual_width>;
constexpr double pi = std::numbers::pi;
constexpr double eps = 2.3e-16;

Vec3<double> random_direction(std::mt19937& generator) {
  std::normal_distribution<double> normal;
  return Vec3<double>(normal(generator), normal(generator), normal(generator)).normalized();
}

/// Angles on both sides of the switch-over between series and closed forms, at 0, at π and over several turns.
const std::vector<double> angles{0.0,   1e-300,     1e-160,     1e-20,   1e-12, 1e-8, 1e-4, 0.01,
                                 0.049, 0.3,        0.999999,   1.00001, 1.5,   2.0,  3.0,  pi,
                                 3.5,   2 * pi - 1, 2 * pi + 1, 10.0,    23.,   50.0};

template <class S>
Vec3<S> seeded(const Vec3<double>& theta) {
  Vec3<S> result;
  for (int i = 0; i < 3; ++i) result(i) = S::variable(theta(i), i);
  return result;
}

TEST(Hat, is_the_cross_product_and_vee_undoes_it) {
  const Vec3<double> a(1, -2, 3), b(0.5, 4, -1);
  EXPECT_EQ(hat(a) * b, a.cross(b));
  EXPECT_EQ(vee(hat(a)), a);
  EXPECT_LT((hat_squared(a) - hat(a) * hat(a)).norm(), 1e-14);
}

TEST(ExpSo3, is_a_rotation_about_theta_by_its_length) {
  std::mt19937 generator(1);
  for (const double x : angles) {
    const Vec3<double> u = random_direction(generator);
    const Mat3<double> R = exp_so3(Vec3<double>(u * x));
    EXPECT_LT(rotation_defect(R), 20 * eps) << x;
    EXPECT_LT((R * u - u).norm(), 10 * eps) << x;
    EXPECT_LT((R - rotation_from_axis_angle(u, x)).norm(), (10 + 4 * x) * eps) << x;
  }
}

TEST(LogSo3, undoes_exp_to_full_relative_accuracy_from_1e_300_to_pi) {
  std::mt19937 generator(2);
  for (const double x :
       {1e-300, 1e-200, 1e-100, 1e-30, 1e-9, 1e-5, 1e-3, 0.1, 0.29, 0.57, 0.59, 0.61, 1.0, 2.0, 3.0, 3.14})
    for (int sample = 0; sample < 20; ++sample) {
      const Vec3<double> theta = random_direction(generator) * x;
      EXPECT_LT((log_so3(exp_so3(theta)) - theta).stableNorm(), 20 * eps * x) << x;
    }
}

TEST(LogSo3, is_accurate_up_to_pi) {
  std::mt19937 generator(3);
  for (const double gap : {1e-3, 1e-6, 1e-9, 1e-12})
    for (int sample = 0; sample < 20; ++sample) {
      const Vec3<double> theta = random_direction(generator) * (pi - gap);
      EXPECT_LT((log_so3(exp_so3(theta)) - theta).norm(), 20 * eps) << gap;
    }
  // At π itself both signs are right.
  const Vec3<double> theta = random_direction(generator) * pi;
  const Vec3<double> back = log_so3(exp_so3(theta));
  EXPECT_LT(std::min((back - theta).norm(), (back + theta).norm()), 20 * eps);
  EXPECT_EQ(log_so3(Mat3<double>(Vec3<double>(-1, 1, -1).asDiagonal())), Vec3<double>(0, pi, 0));
}

/// d/dt exp(θ̂(t)) = R ω̂_body with ω_body = J_r θ̇: the columns of J_r are the body rates of the dual directions.
TEST(RightJacobian, gives_the_body_rate_of_exp) {
  std::mt19937 generator(4);
  for (const double x : angles) {
    const Vec3<double> theta = random_direction(generator) * x;
    const Mat3<D> R = exp_so3(seeded<D>(theta));
    const Mat3<double> R0 = exp_so3(theta), J = right_jacobian(theta);
    for (int j = 0; j < 3; ++j) {
      Mat3<double> dR;
      for (int i = 0; i < 9; ++i) dR(i) = R(i).d[j];
      const Mat3<double> body = R0.transpose() * dR;
      EXPECT_LT((vee(body) - J.col(j)).norm(), (20 + x * x) * eps) << x;
      EXPECT_LT((body + body.transpose()).norm(), (20 + x * x) * eps) << x;
    }
  }
}

TEST(RightJacobian, agrees_with_central_differences) {
  std::mt19937 generator(5);
  constexpr double h = 1e-5;  // error h² x³/6 + ε/h
  for (const double x : {0.0, 1e-8, 0.3, 0.9999, 1.0001, 2.0, pi, 5.0, 10.0}) {
    const Vec3<double> theta = random_direction(generator) * x, rate = random_direction(generator);
    const Mat3<double> dR =
        (exp_so3(Vec3<double>(theta + h * rate)) - exp_so3(Vec3<double>(theta - h * rate))) / (2 * h);
    EXPECT_LT((vee(Mat3<double>(exp_so3(theta).transpose() * dR)) - right_jacobian(theta) * rate).norm(), 1e-9) << x;
  }
}

TEST(InverseRightJacobian, is_the_inverse_away_from_its_poles) {
  std::mt19937 generator(6);
  for (const double x : angles) {
    const Vec3<double> theta = random_direction(generator) * x;
    const Mat3<double> product = inverse_right_jacobian(theta) * right_jacobian(theta);
    EXPECT_LT((product - Mat3<double>::Identity()).norm(), 50 * (1 + x) * eps) << x;
  }
}

TEST(InverseRightJacobian, has_its_first_pole_at_two_pi_and_none_at_pi) {
  const Vec3<double> u = Vec3<double>(1, 2, -2) / 3;
  EXPECT_LT(inverse_right_jacobian(Vec3<double>(u * pi)).norm(), 3.0);
  EXPECT_GT(inverse_right_jacobian(Vec3<double>(u * (2 * pi - 1e-6))).norm(), 1e6);
}

TEST(InverseRightJacobianDerivative, agrees_with_duals_for_every_angle) {
  std::mt19937 generator(7);
  for (const double x : angles) {
    const Vec3<double> theta = random_direction(generator) * x, w = 3.0 * random_direction(generator);
    const Vec3<D> w_dual = w.cast<D>();
    const Vec3<D> Tw = inverse_right_jacobian(seeded<D>(theta)) * w_dual;
    const Mat3<double> derivative = inverse_right_jacobian_derivative(theta, w);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(derivative(i, j), Tw(i).d[j], 2e-14 * (1 + x * x)) << x;
  }
}

TEST(InverseRightJacobianDerivative, agrees_with_central_differences) {
  const Vec3<double> w(1, -2, 0.5);
  constexpr double h = 1e-5;
  for (const double x : {0.0, 0.2, 0.99, 1.01, 3.0, 5.0}) {
    const Vec3<double> theta = Vec3<double>(2, -1, 2) / 3 * x;
    const Mat3<double> derivative = inverse_right_jacobian_derivative(theta, w);
    for (int j = 0; j < 3; ++j) {
      const Vec3<double> e = h * Vec3<double>::Unit(j);
      const Vec3<double> difference =
          (inverse_right_jacobian(Vec3<double>(theta + e)) - inverse_right_jacobian(Vec3<double>(theta - e))) * w /
          (2 * h);
      EXPECT_LT((derivative.col(j) - difference).norm(), 1e-8) << x;
    }
  }
}

/// The second derivative of exp(θ(t)) through Taylor2<Dual> at θ = 0 is finite and right: R¨ = θ̂² + … = ω̂² + ω̇̂.
TEST(ExpSo3, has_exact_second_derivatives_at_zero) {
  const Vec3<double> rate(1, -2, 3), second(0.5, 0.25, -1);
  using S = Taylor2<D>;
  Vec3<S> theta;
  for (int i = 0; i < 3; ++i) theta(i) = S(D::variable(0.0, i), D(rate(i)), D(second(i)));
  const Mat3<S> R = exp_so3(theta);
  const Mat3<double> expected = hat(rate) * hat(rate) + hat(second);
  for (int i = 0; i < 9; ++i) {
    EXPECT_NEAR(R(i).dd.v, expected(i), 1e-14);
    EXPECT_NEAR(R(i).d.v, hat(rate)(i), 1e-15);
    EXPECT_TRUE(is_finite(R(i)));
  }
}

TEST(LogSo3, has_the_derivative_T_by_duals) {
  // log(R exp(ε ŵ)) = log R + T(log R) w ε + O(ε²)
  for (const double x : {0.0, 1e-10, 0.1, 0.55, 0.65, 2.0, 3.1}) {
    const Vec3<double> theta = Vec3<double>(1, 2, -2) / 3 * x;
    const Mat3<D> R = exp_so3(theta).cast<D>() * exp_so3(seeded<D>(Vec3<double>::Zero()));
    const Vec3<D> phi = log_so3(R);
    const Mat3<double> T = inverse_right_jacobian(theta);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(phi(i).d[j], T(i, j), 1e-13) << x;
  }
}

TEST(LogNear, follows_a_spin_through_many_turns) {
  const Vec3<double> u = Vec3<double>(2, -1, 2) / 3;
  Vec3<double> guess = Vec3<double>::Zero();
  for (int i = 1; i <= 100; ++i) {
    const Vec3<double> theta = u * (0.5 * i);
    guess = log_near(exp_so3(theta), guess);
    ASSERT_LT((guess - theta).norm(), 1e-13 * (1 + 0.5 * i)) << i;
  }
}

TEST(LogNear, lands_on_the_branch_of_the_guess_exactly_at_multiples_of_pi) {
  const Vec3<double> u = Vec3<double>(2, -1, 2) / 3;
  for (int half_turns = -8; half_turns <= 8; ++half_turns) {
    const Vec3<double> theta = u * (pi * half_turns), guess = u * (pi * half_turns + 0.3);
    const Vec3<double> found = log_near(exp_so3(theta), guess);
    EXPECT_LT((found - theta).norm(), 1e-12) << half_turns;
  }
}

TEST(LogNear, always_is_a_logarithm) {
  std::mt19937 generator(8);
  for (int sample = 0; sample < 200; ++sample) {
    const Mat3<double> R = exp_so3(Vec3<double>(random_direction(generator) * 3.0));
    const Vec3<double> guess = random_direction(generator) * 20.0;
    const Vec3<double> theta = log_near(R, guess);
    EXPECT_LT((exp_so3(theta) - R).norm(), 1e-14 * 20);
  }
}

TEST(QuaternionFromMatrix, is_exact_for_every_largest_component) {
  std::mt19937 generator(9);
  std::normal_distribution<double> normal;
  for (int sample = 0; sample < 200; ++sample) {
    Vec4<double> q(normal(generator), normal(generator), normal(generator), normal(generator));
    q.normalize();
    if (q(0) < 0) q = -q;
    EXPECT_LT((quaternion_from_matrix(rotation_from_quaternion(q)) - q).norm(), 10 * eps);
  }
}

TEST(NearestRotation, removes_scale_and_shear_and_keeps_rotations) {
  std::mt19937 generator(10);
  const Mat3<double> R = exp_so3(Vec3<double>(random_direction(generator) * 2.0));
  EXPECT_LT((nearest_rotation(R) - R).norm(), 10 * eps);
  // R P with P symmetric positive definite has the polar factor R.
  Mat3<double> P;
  P << 3, 1, 0.5, 1, 2, -0.4, 0.5, -0.4, 1e-3 + 0.5;
  EXPECT_LT((nearest_rotation(R * P) - R).norm(), 1e-13);
  EXPECT_LT(rotation_defect(nearest_rotation(1e3 * R)), 10 * eps);
  EXPECT_THROW(nearest_rotation(-R), InputError);
  EXPECT_THROW(nearest_rotation(Mat3<double>::Zero()), InputError);
}

TEST(RotationDefect, measures_stretch_and_refuses_reflections) {
  Mat3<double> R = Mat3<double>::Identity();
  R(0, 0) = 1.01;
  EXPECT_NEAR(rotation_defect(R), 1.01 * 1.01 - 1, 1e-15);
  EXPECT_GE(rotation_defect(Mat3<double>(Vec3<double>(1, 1, -1).asDiagonal())), 2.0);
}

TEST(EulerAngles, compose_turns_about_body_or_fixed_axes) {
  const Vec3<double> a(0.3, -0.7, 1.9);
  const auto X = [](double angle) { return rotation_from_axis_angle(Vec3<double>::UnitX(), angle); };
  const auto Y = [](double angle) { return rotation_from_axis_angle(Vec3<double>::UnitY(), angle); };
  const auto Z = [](double angle) { return rotation_from_axis_angle(Vec3<double>::UnitZ(), angle); };
  EXPECT_LT((rotation_from_euler("zxz", a) - Z(a(0)) * X(a(1)) * Z(a(2))).norm(), 10 * eps);
  EXPECT_LT((rotation_from_euler("xyz", a) - X(a(0)) * Y(a(1)) * Z(a(2))).norm(), 10 * eps);
  EXPECT_LT((rotation_from_euler("XYZ", a) - Z(a(2)) * Y(a(1)) * X(a(0))).norm(), 10 * eps);
}

TEST(EulerAngles, are_recovered_for_all_24_sequences_also_where_two_axes_align) {
  for (const std::string axes : {"xyz", "XYZ"})
    for (const char first : axes)
      for (const char second : axes)
        for (const char third : axes) {
          if (first == second || second == third) continue;
          const std::string sequence{first, second, third};
          const bool proper = first == third;
          const Vec3<double> a(0.4, proper ? 1.1 : -0.8, -2.0);
          EXPECT_LT((euler_from_rotation(sequence, rotation_from_euler(sequence, a)) - a).norm(), 1e-14) << sequence;
          for (const double middle : {0.0, pi, pi / 2, -pi / 2}) {
            const Mat3<double> R = rotation_from_euler(sequence, Vec3<double>(0.4, middle, -2.0));
            const Vec3<double> found = euler_from_rotation(sequence, R);
            EXPECT_LT((rotation_from_euler(sequence, found) - R).norm(), 1e-12) << sequence << ' ' << middle;
          }
        }
}

TEST(EulerAngles, refuse_sequences_that_are_none) {
  for (const char* sequence : {"", "xy", "xxz", "xYz", "abc", "zxzx"})
    EXPECT_THROW(rotation_from_euler(sequence, Vec3<double>::Zero()), InputError) << sequence;
}

TEST(OrientationInput, refuses_what_has_no_direction) {
  EXPECT_THROW(rotation_from_axis_angle(Vec3<double>::Zero(), 1.0), InputError);
  EXPECT_THROW(rotation_from_quaternion(Vec4<double>::Zero()), InputError);
  EXPECT_THROW(rotation_from_axis_angle(Vec3<double>(NAN, 0, 1), 1.0), InputError);
  EXPECT_LT(
      (rotation_from_axis_angle(Vec3<double>(0, 0, 1e-200), pi / 2) * Vec3<double>::UnitX() - Vec3<double>::UnitY())
          .norm(),
      2 * eps);
}

TEST(RotationBetween, is_the_shortest_turn_for_all_pairs) {
  std::mt19937 generator(11);
  for (int sample = 0; sample < 100; ++sample) {
    const Vec3<double> a = random_direction(generator), b = random_direction(generator);
    const Mat3<double> R = rotation_between(2.0 * a, 3.0 * b);
    EXPECT_LT(rotation_defect(R), 20 * eps);
    EXPECT_LT((R * a - b).norm(), 20 * eps);
    EXPECT_NEAR(log_so3(R).norm(), std::atan2(a.cross(b).norm(), a.dot(b)), 1e-13);
  }
  for (const double gap : {0.0, 1e-15, 1e-12, 1e-8}) {
    const Vec3<double> a = Vec3<double>::UnitZ(), b = Vec3<double>(gap, 0, -1).normalized();
    EXPECT_LT((frame_from_z_axis(b) * a - b).norm(), 20 * eps) << gap;
    EXPECT_LT(rotation_defect(frame_from_z_axis(b)), 20 * eps) << gap;
  }
}

}  // namespace
}  // namespace trammel::test_rotations
