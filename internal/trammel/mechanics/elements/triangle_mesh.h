// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "trammel/mechanics/elements/contact_surface.h"
#include "trammel/mechanics/elements/surface_points.h"

namespace trammel {

/// Triangles that enclose a solid, counter-clockwise seen from outside, in a tree of boxes.
///
/// The nearest point is on a face, an edge or a corner; which side of it a point is on is told by the mean normal there
/// (of an edge its two faces', of a corner all of its faces' weighted by their angles), which is right for every closed
/// mesh; of a convex one by a point within it. The distance is C¹ but where the nearest point is not one.
class TriangleMesh final : public ContactSurfaceOf<TriangleMesh> {
 public:
  using Triangle = std::array<int, 3>;
  /// `convex`: it is known to be. The triangles must have no issues.
  TriangleMesh(std::vector<Eigen::Vector3d> vertices, std::vector<Triangle> triangles, bool convex, std::string word);

  /// What is wrong with it as a surface of a solid, in words; empty: nothing.
  static std::string find_issues(const std::vector<Eigen::Vector3f>& vertices, const std::vector<Triangle>& triangles);

  const std::vector<Eigen::Vector3d>& vertices() const { return v_; }
  const std::vector<Triangle>& triangles() const { return t_; }

  /// At which it presses as a foundation: three on every triangle, which are parted until no edge is longer than a
  /// fifth of its longest width.
  const std::shared_ptr<const SurfacePoints>& points() const { return points_; }
  /// Of a convex one: what is a distance r within it; null: nothing is.
  std::shared_ptr<const TriangleMesh> make_inner(double r) const;
  std::string_view word() const override { return word_; }
  bool convex() const override { return convex_; }
  Eigen::Vector3d support(const Eigen::Vector3d& d) const override;
  double size() const override { return size_; }
  double reach() const override { return reach_; }
  double curvature_radius() const override { return 0.0; }
  int n_lowest() const override { return convex_ && v_.size() <= 8 ? static_cast<int>(v_.size()) : 0; }
  template <class S>
  Vec3<S> lowest_of(const Vec3<S>&, int corner) const {
    return lift<S>(v_[corner]);
  }

  template <class S>
  NearestPoint<S> nearest_of(const Vec3<S>& y) const {
    const Place at = find_nearest({value_of(y[0]), value_of(y[1]), value_of(y[2])});
    const Vec3<S> arm = y - lift<S>(at.point);
    const auto flat = [&](const Eigen::Vector3d& n) {
      return NearestPoint<S>{n[0] * arm[0] + n[1] * arm[1] + n[2] * arm[2], lift<S>(n)};
    };
    if (at.kind == 0) return flat(at.normal);
    Vec3<S> offset = arm;
    if (at.kind == 1) {
      const S along = at.edge[0] * arm[0] + at.edge[1] * arm[1] + at.edge[2] * arm[2];
      for (int i = 0; i < 3; ++i) offset[i] -= at.edge[i] * along;
    }
    if (!(value_of(dot(offset, offset)) > 1e-28 * reach_ * reach_)) return flat(at.normal);
    NearestPoint<S> out = from_core(offset);
    if (at.outside) return out;
    return {-out.distance, out.n * S(-1.0)};
  }

 private:
  struct Node {
    Eigen::Vector3d low, high;
    int begin = 0, end = 0, right = -1;  // of triangles in order; the left child follows its parent
  };
  struct Place {
    int kind = 0;  // 0 face, 1 edge, 2 corner
    Eigen::Vector3d point, normal, edge;
    bool outside = true;
  };
  Place find_nearest(const Eigen::Vector3d& y) const;
  int edge_of_sliver(int triangle) const;
  int build(int begin, int end, std::vector<Eigen::Vector3d>& centers);

  std::vector<Eigen::Vector3d> v_;
  std::vector<Triangle> t_;
  std::vector<Eigen::Vector3d> face_normal_, corner_normal_;
  std::vector<std::array<int, 3>> neighbour_;  // across the edge from corner k to k + 1; −1: none
  std::vector<int> order_;
  std::vector<Node> nodes_;
  std::shared_ptr<const SurfacePoints> points_;
  bool convex_ = false;
  std::string word_;
  double size_ = 0.0, reach_ = 0.0;
  Eigen::Vector3d middle_ = Eigen::Vector3d::Zero();  // within, if it is convex
};

/// The triangles of the hull of some points, counter-clockwise seen from outside; `used`: the points that are its
/// corners. Empty: the points are in one plane.
std::vector<TriangleMesh::Triangle> make_hull(const std::vector<Eigen::Vector3d>& points);

/// A mesh that was made of the same numbers before, if it is still known, else a new one: trees of large ones are dear.
std::shared_ptr<const TriangleMesh> find_mesh(const std::vector<Eigen::Vector3f>& vertices,
                                              const std::vector<TriangleMesh::Triangle>& triangles, bool convex,
                                              const std::string& word);

}  // namespace trammel
