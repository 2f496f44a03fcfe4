// SPDX-License-Identifier: Apache-2.0
#include "trammel/math/orientation.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <array>
#include <cmath>
#include <limits>

#include "trammel/base/error.h"
#include "trammel/math/rotations.h"

namespace trammel {

namespace {

Vec3<double> normalised(const Vec3<double>& axis, const char* what) {
  const double length = axis.stableNorm();
  if (!(length > 0.0) || !std::isfinite(length))
    throw InputError(fmt::format("{} ({}, {}, {}) has no direction: it must be finite and not zero", what, axis.x(),
                                 axis.y(), axis.z()));
  return axis / length;
}

struct EulerSequence {
  std::array<int, 3> axis;
  bool intrinsic;
};

EulerSequence parse_sequence(std::string_view sequence) {
  const auto refuse = [&](const char* why) -> EulerSequence {
    throw InputError(fmt::format(
        "Euler sequence '{}' {}: three letters are needed, all of x, y, z (axes of the body) or all of X, Y, Z "
        "(axes fixed in space), for example 'zxz' or 'XYZ'",
        sequence, why));
  };
  if (sequence.size() != 3) return refuse("does not have three letters");
  EulerSequence result{{0, 0, 0}, sequence[0] >= 'x'};
  const char first = result.intrinsic ? 'x' : 'X';
  for (std::size_t i = 0; i < 3; ++i) {
    const int axis = sequence[i] - first;
    if (axis < 0 || axis > 2) return refuse("has a letter that names no axis or mixes upper and lower case");
    if (i > 0 && axis == result.axis[i - 1]) return refuse("turns twice about the same axis");
    result.axis[i] = axis;
  }
  return result;
}

Mat3<double> turn_about(int axis, double angle) {
  const int j = (axis + 1) % 3, k = (axis + 2) % 3;
  Mat3<double> R = Mat3<double>::Identity();
  R(j, j) = R(k, k) = std::cos(angle);
  R(k, j) = std::sin(angle);
  R(j, k) = -R(k, j);
  return R;
}

}  // namespace

double rotation_defect(const Mat3<double>& R) {
  const double defect = (R.transpose() * R - Mat3<double>::Identity()).norm();
  return R.determinant() > 0.0 ? defect : std::fmax(2.0, defect);
}

Mat3<double> nearest_rotation(const Mat3<double>& R) {
  const double scale = R.norm();
  if (!std::isfinite(scale) || !(R.determinant() > 0.0))
    throw InputError(fmt::format("a matrix with determinant {:.3g} is near no rotation", R.determinant()));
  // Newton's iteration for the polar factor, X ← ½(X + X⁻ᵀ): quadratic from any regular matrix. A matrix that is a
  // rotation up to rounding takes one step; a badly conditioned one halves its singular values first (log₂ κ steps).
  constexpr int enough = 100;
  constexpr double rounding = 4.0 * std::numeric_limits<double>::epsilon();
  Mat3<double> X = R;
  for (int k = 0; k < enough; ++k) {
    const Mat3<double> next = 0.5 * (X + X.inverse().transpose());
    const double change = (next - X).norm();
    X = next;
    // The next step would change by about change²: once that is below rounding we are done.
    if (change * change <= rounding) break;
  }
  return X;
}

Mat3<double> rotation_from_quaternion(const Vec4<double>& wxyz) {
  const double length = wxyz.stableNorm();
  if (!(length > 0.0) || !std::isfinite(length))
    throw InputError(fmt::format("quaternion ({}, {}, {}, {}) is no rotation: it must be finite and not zero", wxyz(0),
                                 wxyz(1), wxyz(2), wxyz(3)));
  const Vec4<double> q = wxyz / length;
  const Vec3<double> qv = q.tail<3>();
  return Mat3<double>::Identity() + 2.0 * q(0) * hat(qv) + 2.0 * hat_squared(qv);
}

Mat3<double> rotation_from_axis_angle(const Vec3<double>& axis, double angle) {
  const Vec3<double> u = normalised(axis, "rotation axis");
  const double half = std::sin(0.5 * angle);
  return Mat3<double>::Identity() + std::sin(angle) * hat(u) + 2.0 * half * half * hat_squared(u);
}

Mat3<double> rotation_from_euler(std::string_view sequence, const Vec3<double>& angles) {
  const auto [axis, intrinsic] = parse_sequence(sequence);
  const Mat3<double> first = turn_about(axis[0], angles(0)), second = turn_about(axis[1], angles(1)),
                     third = turn_about(axis[2], angles(2));
  return intrinsic ? Mat3<double>(first * second * third) : Mat3<double>(third * second * first);
}

Vec3<double> euler_from_rotation(std::string_view sequence, const Mat3<double>& R) {
  auto [axis, intrinsic] = parse_sequence(sequence);
  // Fixed axes in one order are moving axes in the opposite order: R = R₃ R₂ R₁.
  if (!intrinsic) std::swap(axis[0], axis[2]);
  const int i = axis[0], j = axis[1];
  const bool proper = axis[2] == i;  // like zxz
  const int k = 3 - i - j;           // the axis that is neither of the first two
  const double parity = (j == (i + 1) % 3) ? 1.0 : -1.0;
  // Below, R = R_i(α) R_j(β) R_l(γ) with l = i (proper) or l = k. β from two well-conditioned elements, then
  // γ from R after the first two turns are undone: exact also where α and γ turn about the same line.
  double alpha = 0.0, beta = 0.0;
  constexpr double degenerate = 1e-12;
  if (proper) {
    const double sine = std::hypot(R(j, i), R(k, i));
    beta = std::atan2(sine, R(i, i));
    if (sine > degenerate) alpha = std::atan2(R(j, i), -parity * R(k, i));
  } else {
    const double cosine = std::hypot(R(i, i), R(i, j));
    beta = std::atan2(parity * R(i, k), cosine);
    if (cosine > degenerate) alpha = std::atan2(-parity * R(j, k), R(k, k));
  }
  Mat3<double> rest = turn_about(j, -beta) * turn_about(i, -alpha) * R;
  const int l = axis[2], m = (l + 1) % 3, n = (l + 2) % 3;
  double gamma = std::atan2(rest(n, m), rest(m, m));
  const bool locked = proper ? std::hypot(R(j, i), R(k, i)) <= degenerate : std::hypot(R(i, i), R(i, j)) <= degenerate;
  if (locked) {
    // R = R_i(α) R_j(β) with γ = 0: undo the middle turn on the right instead.
    rest = R * turn_about(j, -beta);
    const int a = (i + 1) % 3, b = (i + 2) % 3;
    alpha = std::atan2(rest(b, a), rest(a, a));
    gamma = 0.0;
  }
  return intrinsic ? Vec3<double>(alpha, beta, gamma) : Vec3<double>(gamma, beta, alpha);
}

Mat3<double> rotation_between(const Vec3<double>& from, const Vec3<double>& to) {
  const Vec3<double> a = normalised(from, "direction"), b = normalised(to, "direction");
  // q_w = cos(φ/2) = ‖a + b‖/2 and q_v = sin(φ/2) n = a × (a + b)/‖a + b‖: no 1 + cos φ, which loses digits near φ = π.
  const Vec3<double> sum = a + b;
  const double length = sum.norm();
  if (length > 4.0 * std::numeric_limits<double>::epsilon()) {
    const Vec3<double> qv = a.cross(sum) / length;
    return rotation_from_quaternion(Vec4<double>(0.5 * length, qv.x(), qv.y(), qv.z()));
  }
  int smallest = 0;
  a.cwiseAbs().minCoeff(&smallest);
  const Vec3<double> n = a.cross(Vec3<double>::Unit(smallest)).normalized();
  return 2.0 * n * n.transpose() - Mat3<double>::Identity();
}

Mat3<double> frame_from_z_axis(const Vec3<double>& axis) { return rotation_between(Vec3<double>::UnitZ(), axis); }

}  // namespace trammel
