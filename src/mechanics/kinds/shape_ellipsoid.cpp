// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Dense>
#include <cmath>

#include "trammel/mechanics/kinds/shape_parts.h"

namespace trammel {

namespace {

class EllipsoidCore final : public ContactSurfaceOf<EllipsoidCore> {
 public:
  explicit EllipsoidCore(const Eigen::Vector3d& half_axes) : a_(half_axes) {}
  std::string_view word() const override { return "ellipsoid"; }
  int roundness() const override { return 1; }

  // The nearest point c of the ellipsoid Σ (cᵢ/aᵢ)² = 1 has y − c along its normal: cᵢ = aᵢ² yᵢ/(aᵢ² + t), and t is the
  // largest root of
  //   F(t) = Σ (aᵢ yᵢ/(aᵢ² + t))² − 1,
  // convex and falling for t > −min aᵢ²: Newton from the left converges from one side. One step with duals from the
  // root then carries its derivative.
  template <class S>
  NearestPoint<S> nearest_of(const Vec3<S>& y) const {
    const Eigen::Vector3d& a = a_;
    using std::sqrt;
    const double smallest = a.minCoeff();
    double t = -smallest * smallest;
    for (int i = 0; i < 3; ++i) t = std::max(t, a[i] * std::abs(value_of(y[i])) - a[i] * a[i]);  // F ≥ 0 there
    const auto F = [&](double at, double& slope) {
      double sum = -1.0;
      slope = 0.0;
      for (int i = 0; i < 3; ++i) {
        const double d = a[i] * a[i] + at, u = a[i] * value_of(y[i]) / d;
        sum += u * u;
        slope -= 2.0 * u * u / d;
      }
      return sum;
    };
    double slope = 0.0;
    for (int k = 0; k < 60; ++k) {
      const double change = F(t, slope) / slope;
      if (!std::isfinite(change)) break;
      t -= change;
      if (std::abs(change) <= 1e-15 * (std::abs(t) + smallest * smallest)) break;
    }
    F(t, slope);
    S sum(-1.0);
    for (int i = 0; i < 3; ++i) {
      const S u = a[i] * y[i] / (a[i] * a[i] + t);
      sum += u * u;
    }
    const S root = t - sum / slope;
    Vec3<S> c, normal;
    for (int i = 0; i < 3; ++i) {
      c[i] = a[i] * a[i] * y[i] / (a[i] * a[i] + root);
      normal[i] = c[i] / (a[i] * a[i]);
    }
    const S inverse = 1.0 / length_of(normal);
    normal = normal * inverse;
    return {dot(normal, Vec3<S>(y - c)), normal};
  }

  Eigen::Vector3d support(const Eigen::Vector3d& d) const override {
    const Eigen::Vector3d stretched = a_.cwiseProduct(d);
    const double length = stretched.norm();
    return length > 0.0 ? Eigen::Vector3d(a_.cwiseProduct(stretched) / length) : Eigen::Vector3d::Zero();
  }
  int n_lowest() const override { return 1; }
  template <class S>
  Vec3<S> lowest_of(const Vec3<S>& m, int) const {
    using std::sqrt;
    S squared(0.0);
    for (int i = 0; i < 3; ++i) squared += (a_[i] * a_[i]) * m[i] * m[i];
    const S scale = -1.0 / sqrt(squared);
    Vec3<S> low;
    for (int i = 0; i < 3; ++i) low[i] = (a_[i] * a_[i]) * m[i] * scale;
    return low;
  }

  // x = a∘u, |u| = 1, where f(u) = d(x), which is convex, is least: g = a∘n = −λ u with λ > 0. Newton's iteration in
  // the tangent plane, (P H P + λ) δ = −(g + λ u) with H = a∘(∂n/∂x)∘a, shortened until f falls. One more step carries
  // the derivatives.
  template <class S>
  Vec3<S> deepest_of(const DistanceField<S>& field) const {
    Eigen::Vector3d u = -a_.cwiseProduct(field.value(Eigen::Vector3d::Zero()).n);
    u.normalize();
    Eigen::Vector3d r;
    Eigen::Matrix3d J;
    double f = unlimited;
    const auto look = [&](const Eigen::Vector3d& at) {
      Vec3<Dual<6>> x;
      for (int i = 0; i < 3; ++i) x[i] = Dual<6>::variable(a_[i] * at[i], i);
      const NearestPoint<Dual<6>> near = field.sloped(x);
      f = near.distance.v;
      Eigen::Vector3d g;
      Eigen::Matrix3d H;
      for (int i = 0; i < 3; ++i) {
        g[i] = a_[i] * near.n[i].v;
        for (int j = 0; j < 3; ++j) H(i, j) = a_[i] * near.n[i].d[j] * a_[j];
      }
      const Eigen::Matrix3d P = Eigen::Matrix3d::Identity() - at * at.transpose();
      const double lambda = std::max(-at.dot(g), 1e-3 * g.norm());
      r = P * g;
      J = P * H * P + lambda * Eigen::Matrix3d::Identity();
    };
    look(u);
    for (int k = 0; k < 60 && r.norm() > 1e-15 * a_.maxCoeff(); ++k) {
      const Eigen::Vector3d step = -J.ldlt().solve(r);
      const double before = f, slope = r.dot(step);
      double part = 1.0;
      Eigen::Vector3d next = (u + step).normalized();
      for (int i = 0; i < 40; ++i) {
        if (field.value(a_.cwiseProduct(next)).distance <= before + 1e-4 * part * slope + 1e-16 * a_.maxCoeff()) break;
        part *= 0.5;
        next = (u + part * step).normalized();
      }
      const bool still = (next - u).norm() < 1e-16;
      u = next;
      look(u);
      if (still) break;
    }
    Vec3<S> x;
    for (int i = 0; i < 3; ++i) x[i] = S(a_[i] * u[i]);
    const NearestPoint<S> near = field.moved(x);
    const Eigen::Matrix3d inverse = J.inverse();
    Vec3<S> g, tangential;
    for (int i = 0; i < 3; ++i) g[i] = a_[i] * near.n[i];
    const S along = u[0] * g[0] + u[1] * g[1] + u[2] * g[2];
    for (int i = 0; i < 3; ++i) tangential[i] = g[i] - along * u[i];
    for (int i = 0; i < 3; ++i)
      x[i] -= a_[i] * (inverse(i, 0) * tangential[0] + inverse(i, 1) * tangential[1] + inverse(i, 2) * tangential[2]);
    return x;
  }
  double size() const override { return a_.minCoeff(); }
  double reach() const override { return a_.maxCoeff(); }
  double curvature_radius() const override { return a_.mean(); }

 private:
  static constexpr double unlimited = std::numeric_limits<double>::infinity();
  Eigen::Vector3d a_;
};

/// Half axes `size`.
struct EllipsoidShape {
  static constexpr std::string_view name = "ellipsoid", meaning = "";
  static std::vector<Key> keys() {
    return {{.name = "half_axes",
             .type = KeyType::vector,
             .unit = "m",
             .required = true,
             .meaning = "along x, y and z, each > 0"}};
  }
  static void read(KindFields& fields, Shape& shape) { shape.size = fields.sizes("half_axes", "one"); }
  static constexpr auto check = check_any_size;
  static std::optional<Solid> solid(const Shape& shape) {
    return solid_of_sizes(shape.size, shape.size.prod() * (4.0 / 3.0 * std::numbers::pi), 5.0);
  }
  static constexpr std::string_view touched = "ellipsoid";
  static std::string check_surface(const Shape& shape) {
    return shape.size.minCoeff() > 0.0 ? "" : "its half axes must be > 0";
  }
  static std::optional<ContactShape> surface(const Shape& shape) {
    return solid_surface(EllipsoidCore(shape.size), 0.0);
  }
  // By its facets.
  static constexpr std::string_view drawn_as = "mesh";
  static void draw(Shape& shape) {
    constexpr int n_around = 32, n_down = 16;
    for (int i = 0; i <= n_down; ++i)
      for (int j = 0; j < n_around; ++j) {
        const double u = std::numbers::pi * i / n_down, v = 2.0 * std::numbers::pi * j / n_around;
        const Eigen::Vector3d unit{std::sin(u) * std::cos(v), std::sin(u) * std::sin(v), std::cos(u)};
        shape.vertices.push_back(shape.size.cwiseProduct(unit).cast<float>());
      }
    for (int i = 0; i < n_down; ++i)
      for (int j = 0; j < n_around; ++j) {
        const int a = i * n_around + j, b = i * n_around + (j + 1) % n_around;
        shape.triangles.push_back({a, a + n_around, b});
        shape.triangles.push_back({b, a + n_around, b + n_around});
      }
  }
};

}  // namespace

constinit const ShapeDescription kinds::ellipsoid_shape = describe_shape<EllipsoidShape>();

}  // namespace trammel
