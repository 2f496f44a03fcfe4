// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/shape_parts.h"

namespace trammel {

namespace {

class BoxCore final : public ContactSurfaceOf<BoxCore> {
 public:
  explicit BoxCore(const Eigen::Vector3d& half) : half_(half) {}
  std::string_view word() const override { return "box"; }

  template <class S>
  NearestPoint<S> nearest_of(const Vec3<S>& y) const {
    Vec3<S> offset;
    bool inside = true;
    for (int i = 0; i < 3; ++i) {
      offset[i] = y[i] - clamp_between(y[i], -half_[i], half_[i]);
      inside &= value_of(offset[i]) == 0.0;
    }
    if (!inside) return from_core(offset);
    int face = 0;
    for (int i = 1; i < 3; ++i)
      if (half_[i] - std::abs(value_of(y[i])) < half_[face] - std::abs(value_of(y[face]))) face = i;
    const double sign = value_of(y[face]) < 0.0 ? -1.0 : 1.0;
    NearestPoint<S> nearest{sign * y[face] - half_[face], Vec3<S>::Zero()};
    nearest.n[face] = S(sign);
    return nearest;
  }
  Eigen::Vector3d support(const Eigen::Vector3d& d) const override {
    return (d.array() < 0.0).select(-half_.array(), half_.array()).matrix();
  }
  int n_lowest() const override { return 8; }
  template <class S>
  Vec3<S> lowest_of(const Vec3<S>&, int corner) const {
    Vec3<S> low;
    for (int i = 0; i < 3; ++i) low[i] = S((corner >> i & 1) ? half_[i] : -half_[i]);
    return low;
  }
  double size() const override { return half_.minCoeff(); }
  double reach() const override { return half_.norm(); }
  double curvature_radius() const override { return 0.0; }

 private:
  Eigen::Vector3d half_;
};

/// Edges `size`, rounded by `rounding` where it is touched.
struct BoxShape {
  static constexpr std::string_view name = "box", meaning = "";
  static std::vector<Key> keys() {
    return {{.name = "size",
             .type = KeyType::vector,
             .unit = "m",
             .required = true,
             .meaning = "the edges along x, y and z, each > 0"},
            rounding_key()};
  }
  static void read(KindFields& fields, Shape& shape) {
    shape.size = fields.sizes("size", "edge");
    read_rounding(fields, shape);
  }
  static void check(detail::ModelChecks& checks, const GeometrySpec& geometry) {
    if (!(geometry.shape.size.minCoeff() > 0.0))
      checks.report("geometry", geometry, "size", "every edge of 'size' must be > 0");
  }
  static std::optional<Solid> solid(const Shape& shape) { return solid_of_sizes(shape.size, shape.size.prod(), 12.0); }
  static constexpr std::string_view touched = "box";
  static std::string check_surface(const Shape& shape) {
    return check_rounding(shape, 0.5 * shape.size.minCoeff(), "half of its smallest edge");
  }
  static std::optional<ContactShape> surface(const Shape& shape) {
    const auto core = [&](double r) { return BoxCore(0.5 * shape.size - Eigen::Vector3d::Constant(r)); };
    ContactShape c = solid_surface(core(shape.rounding), shape.rounding);
    c.soft_radius = std::max(shape.rounding, foundation_rounding * 0.5 * shape.size.minCoeff());
    c.soft_surface = std::make_shared<const BoxCore>(core(c.soft_radius));
    const Eigen::Vector3d flat = 0.5 * shape.size - Eigen::Vector3d::Constant(shape.rounding);
    std::vector<SurfacePoint> points;
    for (int axis = 0; axis < 3; ++axis)
      for (const double side : {-0.5, 0.5}) {
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        add_rectangle(side * shape.size[axis] * Eigen::Vector3d::Unit(axis), flat[u] * Eigen::Vector3d::Unit(u),
                      flat[v] * Eigen::Vector3d::Unit(v), c.soft_radius - shape.rounding, points);
      }
    c.points = make_points(std::move(points));
    return c;
  }
  static constexpr std::string_view drawn_as = "box";
  static constexpr auto draw = draw_as_it_is;
};

}  // namespace

constinit const ShapeDescription kinds::box_shape = describe_shape<BoxShape>();

}  // namespace trammel
