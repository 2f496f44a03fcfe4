// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/elements/surface_points.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace trammel {

SurfacePoints::SurfacePoints(std::vector<SurfacePoint> points, double radius)
    : points_(std::move(points)), radius_(radius) {
  if (!points_.empty()) build(0, static_cast<int>(points_.size()));
}

int SurfacePoints::build(int begin, int end) {
  constexpr int leaf = 8;
  Eigen::Vector3d low = points_[begin].position, high = low;
  for (int i = begin; i < end; ++i) low = low.cwiseMin(points_[i].position), high = high.cwiseMax(points_[i].position);
  Node node{0.5 * (low + high), 0.0, begin, end, -1};
  for (int i = begin; i < end; ++i) {
    const SurfacePoint& p = points_[i];
    const Eigen::Vector3d arm = p.position - node.center;
    node.radius =
        std::max(node.radius, p.ring > 0.0 ? std::hypot(std::hypot(arm.x(), arm.y()) + p.ring, arm.z()) : arm.norm());
  }
  const int at = static_cast<int>(nodes_.size());
  nodes_.push_back(node);
  if (end - begin > leaf) {
    int axis = 0;
    (high - low).maxCoeff(&axis);
    const int mid = (begin + end) / 2;
    std::nth_element(
        points_.begin() + begin, points_.begin() + mid, points_.begin() + end,
        [axis](const SurfacePoint& p, const SurfacePoint& q) { return p.position[axis] < q.position[axis]; });
    build(begin, mid);
    const int right = build(mid, end);
    nodes_[at].right = right;
  }
  return at;
}

namespace {

// Weights wᵢ at the abscissae sᵢ with Σ wᵢ sᵢᵏ = moment k.
Eigen::VectorXd weights_of(const Eigen::VectorXd& s, const Eigen::VectorXd& moments) {
  Eigen::MatrixXd V(s.size(), s.size());
  for (Eigen::Index k = 0; k < s.size(); ++k) V.row(k) = s.array().pow(static_cast<double>(k)).matrix().transpose();
  V.row(0).setOnes();
  return V.fullPivLu().solve(moments);
}

}  // namespace

// The positive nodes of Lobatto's rules, where the derivative of Legendre's polynomial of the degree n − 1 vanishes,
// and 1.
ClosedRule::ClosedRule(int n, double inner) : node(n), weight(n) {
  const int half = n / 2;
  Eigen::VectorXd x(half + 1), moments(half + 1);
  if (n == 5)
    x << 0.0, std::sqrt(3.0 / 7.0), 1.0;
  else if (n == 7)
    x << 0.0, std::sqrt((5.0 - 2.0 * std::sqrt(5.0 / 3.0)) / 11.0),
        std::sqrt((5.0 + 2.0 * std::sqrt(5.0 / 3.0)) / 11.0), 1.0;
  else if (n == 9)
    x << 0.0, 0.3631174638261782, 0.6771862795107377, 0.8997579954114602, 1.0;
  else
    x << 0.0, 0.2957581355869394, 0.5652353269962050, 0.7844834736631444, 0.9340014304080592, 1.0;
  x *= inner;
  for (int k = 0; k <= half; ++k) moments[k] = 2.0 / (2.0 * k + 1.0);
  const Eigen::VectorXd w = weights_of(x.cwiseAbs2(), moments);  // twice but x = 0
  for (int i = 0; i <= half; ++i) {
    node[half + i] = x[i], node[half - i] = -x[i];
    weight[half + i] = weight[half - i] = i == 0 ? w[0] : 0.5 * w[i];
  }
}

double part_within(double half, double inset) { return inset > 0.0 ? 1.0 - inset / half : 1.0; }

void add_rectangle(const Eigen::Vector3d& center, const Eigen::Vector3d& u, const Eigen::Vector3d& v, double inset,
                   std::vector<SurfacePoint>& points) {
  const double area = u.norm() * v.norm();
  const ClosedRule along(nodes_of_face, part_within(u.norm(), inset)),
      across(nodes_of_face, part_within(v.norm(), inset));
  for (int i = 0; i < along.size(); ++i)
    for (int j = 0; j < across.size(); ++j)
      points.push_back(
          {center + along.node[i] * u + across.node[j] * v, area * along.weight[i] * across.weight[j], 0.0, 0.0});
}

// Rings at Lobatto's points of s = ρ², ∫ρ²ᵏ dA = π R²ᵏ⁺²/(k + 1).
void add_disc(double radius, double height, double inset, std::vector<SurfacePoint>& points) {
  constexpr int n_around = 24;
  const double inner = part_within(radius, inset) * part_within(radius, inset), fifth = std::sqrt(0.2);
  const Eigen::Vector4d s = inner * Eigen::Vector4d(0.0, 0.5 - 0.5 * fifth, 0.5 + 0.5 * fifth, 1.0);
  const Eigen::VectorXd w = weights_of(s, Eigen::Vector4d(1.0, 1.0 / 2.0, 1.0 / 3.0, 1.0 / 4.0));
  const double area = std::numbers::pi * radius * radius;
  points.push_back({{0.0, 0.0, height}, area * w[0], 0.0, 0.0});
  for (int k = 1; k < 4; ++k)
    for (int i = 0; i < n_around; ++i) {
      const double phi = 2.0 * std::numbers::pi * (i + 0.5 * (k % 2)) / n_around, rho = radius * std::sqrt(s[k]);
      points.push_back({{rho * std::cos(phi), rho * std::sin(phi), height}, area * w[k] / n_around, 0.0, 0.0});
    }
}

void add_triangle(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c, double spacing,
                  std::vector<SurfacePoint>& points) {
  const double longest = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
  const int n = std::clamp(static_cast<int>(std::ceil(longest / spacing)), 1, 64);
  const double weight = (b - a).cross(c - a).norm() / 2.0 / (3.0 * n * n);
  const auto corner = [&](int i, int j) { return Eigen::Vector3d(a + (b - a) * i / n + (c - a) * j / n); };
  const auto add = [&](const Eigen::Vector3d& p, const Eigen::Vector3d& q, const Eigen::Vector3d& r) {
    for (const auto& [x, y, z] : {std::array{4.0, 1.0, 1.0}, std::array{1.0, 4.0, 1.0}, std::array{1.0, 1.0, 4.0}})
      points.push_back({(x * p + y * q + z * r) / 6.0, weight, 0.0, 0.0});
  };
  for (int i = 0; i < n; ++i)
    for (int j = 0; i + j < n; ++j) {
      add(corner(i, j), corner(i + 1, j), corner(i, j + 1));
      if (i + j + 1 < n) add(corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1));
    }
}

}  // namespace trammel
