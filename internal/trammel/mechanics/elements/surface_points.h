// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

namespace trammel {

/// A point of the quadrature of a surface, in the axes of the shape.
struct SurfacePoint {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< [m]
  double weight = 0.0;                                 ///< its area [m²]; of a line: its length [m]
  /// > 0: a line on a round surface of this radius, across which the pressure is integrated.
  double line_radius = 0.0;
  /// > 0: it runs on the circle of this radius about z through `position`, to where that is deepest.
  double ring = 0.0;
};

/// The fixed points at which a surface presses as an elastic foundation, in a tree of balls, so that those that are far
/// away are passed over by the hundred: signed distances grow by no more than the way between two points.
class SurfacePoints {
 public:
  explicit SurfacePoints(std::vector<SurfacePoint> points, double radius = 0.0);

  double radius() const { return radius_; }  ///< of the ball about each of them
  const std::vector<SurfacePoint>& points() const { return points_; }

  /// Calls visit(index) for all points whose distance may be below the limit() of the moment, nearer balls first.
  template <class Distance, class Limit, class Visit>
  void visit(const Distance& distance, const Limit& limit, const Visit& visit_point) const {
    if (!nodes_.empty()) visit_node(0, distance(nodes_[0].center), distance, limit, visit_point);
  }

 private:
  struct Node {
    Eigen::Vector3d center;
    double radius = 0.0;
    int begin = 0, end = 0;  // points
    int right = -1;          // the left child follows its parent; −1: a leaf
  };
  int build(int begin, int end);

  template <class Distance, class Limit, class Visit>
  void visit_node(int at, double d, const Distance& distance, const Limit& limit, const Visit& visit_point) const {
    const Node& node = nodes_[at];
    if (d - node.radius > limit()) return;
    if (node.right < 0) {
      for (int i = node.begin; i < node.end; ++i) visit_point(i);
      return;
    }
    const double left = distance(nodes_[at + 1].center), right = distance(nodes_[node.right].center);
    const bool first = left - nodes_[at + 1].radius <= right - nodes_[node.right].radius;
    visit_node(first ? at + 1 : node.right, first ? left : right, distance, limit, visit_point);
    visit_node(first ? node.right : at + 1, first ? right : left, distance, limit, visit_point);
  }

  std::vector<SurfacePoint> points_;
  std::vector<Node> nodes_;
  double radius_ = 0.0;
};

/// n = 5, 7, 9 or 11 nodes on [−1, 1], at both ends and between them (Lobatto's), pressed together by `inner` ≤ 1, with
/// weights that integrate 1, x², …, xⁿ⁻¹ over [−1, 1] all the same.
struct ClosedRule {
  std::vector<double> node, weight;
  ClosedRule(int n, double inner);
  int size() const { return static_cast<int>(node.size()); }
};
constexpr int nodes_of_line = 5;   ///< along lines on round surfaces
constexpr int nodes_of_face = 11;  ///< along each edge of a face
/// Of `half` a length, less an `inset` from its end. Weights grow, and change their signs, where that is less than
/// 0.95: what a model rounds is no part of faces.
double part_within(double half, double inset);
/// A flat rectangle about `center` with the half edges `u` and `v` (vectors); its outer points stand `inset` within it.
void add_rectangle(const Eigen::Vector3d& center, const Eigen::Vector3d& u, const Eigen::Vector3d& v, double inset,
                   std::vector<SurfacePoint>& points);
/// A flat disc about z at this height.
void add_disc(double radius, double height, double inset, std::vector<SurfacePoint>& points);
/// Triangles, parted until no edge is longer than `spacing`; three points each that integrate squares.
void add_triangle(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c, double spacing,
                  std::vector<SurfacePoint>& points);

/// Edges that are sharper than this part of the size count as rounded by it where a foundation touches them.
constexpr double foundation_rounding = 0.01;

}  // namespace trammel
