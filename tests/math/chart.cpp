// SPDX-License-Identifier: Apache-2.0
#include "trammel/math/chart.h"

#include <gtest/gtest.h>

#include <vector>

#include "trammel/math/orientation.h"

namespace trammel::test_chart {
namespace {

constexpr double eps = 2.3e-16;

Chart tilted() { return {exp_so3(Vec3<double>(0.4, -1.2, 2.0))}; }

TEST(Chart, coordinates_undo_rotation) {
  const Vec3<double> theta(0.3, 0.2, -0.4);
  EXPECT_LT((coordinates(tilted(), rotation(tilted(), theta)) - theta).norm(), 10 * eps);
  const Vec3<double> far = theta * 20.0;  // several turns
  EXPECT_LT((coordinates(tilted(), rotation(tilted(), far), far + Vec3<double>(0.1, 0, 0)) - far).norm(), 1e-12);
}

TEST(Chart, recentred_chart_has_the_newest_rotation_at_its_origin) {
  const Vec3<double> theta(0.3, 0.7, -0.4);
  const Chart moved = recentre(tilted(), theta);
  EXPECT_LT((moved.R_ref - rotation(tilted(), theta)).norm(), 10 * eps);
  EXPECT_LT(rotation_defect(moved.R_ref), 4 * eps);
}

TEST(Chart, stays_orthogonal_through_twenty_thousand_moves) {
  Chart chart = tilted();
  const Vec3<double> theta(0.3, 0.35, -0.3);
  for (int i = 0; i < 20000; ++i) chart = recentre(chart, theta);
  EXPECT_LT(rotation_defect(chart.R_ref), 4 * eps);
}

/// The points of a smooth motion, mapped to the new chart, are the same rotations.
TEST(MapPoints, keeps_every_rotation_exactly) {
  std::vector<Vec3<double>> points;
  for (int i = 0; i < 7; ++i) {
    const double t = -0.15 * i;
    points.emplace_back(0.5 + 0.7 * t, 0.2 - t * t, 0.3 + std::sin(2 * t));
  }
  const std::vector<Vec3<double>> old = points;
  const Chart from = tilted(), to = recentre(from, points[0]);
  map_points(from, to, points);
  EXPECT_LT(points[0].norm(), 10 * eps);
  for (std::size_t i = 0; i < points.size(); ++i)
    EXPECT_LT((rotation(to, points[i]) - rotation(from, old[i])).norm(), 20 * eps) << i;
}

/// A flywheel with 2.9 rad per step: the oldest of seven points is 17 rad away, and the mapped points must stay
/// equidistant. The principal logarithm would fold every point beyond π (ROTATIONS section 5).
TEST(MapPoints, does_not_fold_history_longer_than_half_a_turn) {
  const Vec3<double> u = Vec3<double>(1, 2, -2) / 3;
  std::vector<Vec3<double>> points;
  for (int i = 0; i < 7; ++i) points.emplace_back(u * (2.9 - 2.9 * i));
  const Chart from = tilted(), to = recentre(from, points[0]);
  map_points(from, to, points);
  for (int i = 0; i < 7; ++i) EXPECT_LT((points[i] + u * (2.9 * i)).norm(), 1e-13) << i;
}

TEST(MapPoints, keeps_smoothness_of_a_tumbling_motion_over_several_turns) {
  // θ(t) on a curve that wanders off its axis, sampled to 15 rad back; 4th differences of mapped points stay small
  // when, and only when, all lie on one branch.
  const auto curve = [](double t) { return Vec3<double>(0.02 * t, 0.1 * std::sin(0.3 * t), 2.5 * t); };
  std::vector<Vec3<double>> points;
  for (int i = 0; i < 8; ++i) points.push_back(curve(0.8 - 0.8 * i));
  const Chart from = tilted(), to = recentre(from, points[0]);
  const std::vector<Vec3<double>> old = points;
  map_points(from, to, points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_LT((rotation(to, points[i]) - rotation(from, old[i])).norm(), 1e-13);
    EXPECT_NEAR(points[i].z(), -2.0 * static_cast<double>(i), 0.2);
  }
}

TEST(MapRate, agrees_with_differences_of_mapped_points) {
  const Chart from = tilted(), to = recentre(from, Vec3<double>(0.4, 0.2, 0.5));
  const Vec3<double> theta(0.3, 0.5, -0.2), rate(1, -2, 0.5);
  constexpr double h = 1e-5;
  const auto mapped = [&](const Vec3<double>& point) { return coordinates(to, rotation(from, point)); };
  const Vec3<double> difference = (mapped(theta + h * rate) - mapped(theta - h * rate)) / (2 * h);
  EXPECT_LT((map_rate(theta, mapped(theta), rate) - difference).norm(), 1e-9);
}

}  // namespace
}  // namespace trammel::test_chart
