// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/turning_axes.h"

#include "trammel/math/chart.h"

namespace trammel {

namespace {

// The shortest rotation is not known between opposite directions; half a turn away no matrix serves anyway.
constexpr double least_cosine = -0.5;

Mat3<double> rotation_at(const TurningVectors& vectors, std::size_t chart, ConstVec q, const State& state) {
  return rotation(state.charts[chart], q.segment<3>(vectors.charts[chart]));
}

// Q of (2): a and b are unit vectors, a·b > −1.
Mat3<double> shortest_rotation(const Vec3<double>& a, const Vec3<double>& b) {
  const Mat3<double> n = hat(Vec3<double>(a.cross(b)));
  return Mat3<double>::Identity() + n + n * n / (1.0 + a.dot(b));
}

void turn(const Mat3<double>& R, TurningAxes::To to, int first, Vec x) {
  const Vec3<double> before = x.segment<3>(first);
  if (to == TurningAxes::To::matrix)
    x.segment<3>(first).noalias() = R * before;
  else
    x.segment<3>(first).noalias() = R.transpose() * before;
}

}  // namespace

void TurningAxes::reset(const TurningVectors& vectors) {
  R_matrix_.assign(vectors.charts.size(), Mat3<double>::Identity());
  world_ = R_matrix_;
  body_.assign(vectors.spins.size(), Mat3<double>::Identity());
}

void TurningAxes::take(const TurningVectors& vectors, ConstVec q, const State& state) {
  reset(vectors);
  for (std::size_t c = 0; c < R_matrix_.size(); ++c) R_matrix_[c] = rotation_at(vectors, c, q, state);
}

void TurningAxes::update(const TurningVectors& vectors, ConstVec q, const State& state) {
  for (std::size_t c = 0; c < R_matrix_.size(); ++c)
    world_[c].noalias() = R_matrix_[c] * rotation_at(vectors, c, q, state).transpose();
  for (std::size_t i = 0; i < body_.size(); ++i) {
    const auto& [chart, axis] = vectors.spins[i];
    const Mat3<double>& R_matrix = R_matrix_[static_cast<std::size_t>(chart)];
    Mat3<double>& world = world_[static_cast<std::size_t>(chart)];
    const Mat3<double> R = world.transpose() * R_matrix;
    const Vec3<double> before = R_matrix * axis, now = R * axis;
    body_[i].setIdentity();
    const double cosine = axis.isZero() ? 1.0 : before.dot(now);
    if (cosine < least_cosine) continue;     // carried by itself
    world = shortest_rotation(now, before);  // Qᵀ
    body_[i].noalias() = R_matrix.transpose() * (world * R);
  }
}

void TurningAxes::turn_coordinates(const TurningVectors& vectors, To to, Vec x) const {
  for (const auto& [first, chart] : vectors.coordinates) turn(world_[static_cast<std::size_t>(chart)], to, first, x);
  for (std::size_t i = 0; i < body_.size(); ++i)
    turn(body_[i], to, vectors.charts[static_cast<std::size_t>(vectors.spins[i].chart)], x);
}

void TurningAxes::turn_rows(const TurningVectors& vectors, To to, Vec x) const {
  for (const auto& [first, chart] : vectors.rows) turn(world_[static_cast<std::size_t>(chart)], to, first, x);
}

}  // namespace trammel
