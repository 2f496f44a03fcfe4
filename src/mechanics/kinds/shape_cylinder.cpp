// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "trammel/mechanics/kinds/shape_parts.h"

namespace trammel {

namespace {

class CylinderCore final : public ContactSurfaceOf<CylinderCore> {
 public:
  CylinderCore(double radius, double half_length) : r_(radius), h_(half_length) {}
  std::string_view word() const override { return "cylinder"; }

  template <class S>
  NearestPoint<S> nearest_of(const Vec3<S>& y) const {
    using std::sqrt;
    const S squared = y.x() * y.x() + y.y() * y.y();
    const bool beside = value_of(squared) > r_ * r_;
    const S z = y.z() - clamp_between(y.z(), -h_, h_);
    const bool beyond = value_of(z) != 0.0;
    if (!beside && !beyond) {  // inside: out by the nearer way
      const S rho = value_of(squared) > 0.0 ? S(sqrt(squared)) : S(0.0);
      const double sign = value_of(y.z()) < 0.0 ? -1.0 : 1.0;
      const S side = rho - r_, end = sign * y.z() - h_;
      if (side > end && value_of(rho) > 0.0) {
        const S inverse = 1.0 / rho;
        return {side, {y.x() * inverse, y.y() * inverse, S(0.0)}};
      }
      return {end, {S(0.0), S(0.0), S(sign)}};
    }
    Vec3<S> offset{S(0.0), S(0.0), z};
    if (beside) {
      const S out = 1.0 - r_ / sqrt(squared);
      offset.x() = y.x() * out, offset.y() = y.y() * out;
    }
    return from_core(offset);
  }
  Eigen::Vector3d support(const Eigen::Vector3d& d) const override {
    const double across = std::hypot(d.x(), d.y()), out = across > 0.0 ? r_ / across : 0.0;
    return {out * d.x(), out * d.y(), d.z() < 0.0 ? -h_ : h_};
  }
  int n_lowest() const override { return 2; }
  template <class S>
  Vec3<S> lowest_of(const Vec3<S>& m, int end) const {
    return lowest_of_rim(m, r_, end == 0 ? -h_ : h_);
  }
  double size() const override { return std::min(r_, h_); }
  double reach() const override { return std::hypot(r_, h_); }
  double curvature_radius() const override { return r_; }

 private:
  double r_, h_;
};

/// About z, `length` long, with a bore of `inner_radius`; its edges rounded where it is touched.
struct CylinderShape {
  static constexpr std::string_view name = "cylinder", meaning = "";
  static std::vector<Key> keys() {
    return {shape_radius_key(),
            shape_length_key(),
            {.name = "inner_radius",
             .unit = "m",
             .fallback = "0",
             .meaning = "of a bore, less than `radius`",
             .range = Range::from(0.0)},
            shape_axis_key(),
            rounding_key()};
  }
  static void read(KindFields& fields, Shape& shape) {
    shape.radius = fields.number("radius", 1.0);
    shape.length = fields.number("length", 1.0);
    shape.orientation = fields.axes("axis");
    shape.inner_radius = fields.number("inner_radius", 0.0);
    if (!(shape.inner_radius < shape.radius)) {
      fields.report_at("inner_radius", fmt::format("'inner_radius' is {} but must be less than 'radius' = {}",
                                                   shape.inner_radius, shape.radius));
      shape.inner_radius = 0.0;
    }
    read_rounding(fields, shape);
  }
  static constexpr auto check = check_any_size;
  static std::optional<Solid> solid(const Shape& s) {
    const double r = s.radius, L = s.length;
    const double volume = std::numbers::pi * (r * r - s.inner_radius * s.inner_radius) * L;
    const double squares = r * r + s.inner_radius * s.inner_radius;
    return solid_about_z(volume, volume * squares / 2.0, volume * (3.0 * squares + L * L) / 12.0);
  }
  static constexpr std::string_view touched = "cylinder";
  static std::string check_surface(const Shape& shape) {
    if (std::string wrong = check_radius_of_surface(shape); !wrong.empty()) return wrong;
    return check_rounding(shape, std::min(shape.radius, 0.5 * shape.length), "its radius or half of its length");
  }
  static std::optional<ContactShape> surface(const Shape& shape) {
    const double R = shape.radius, h = 0.5 * shape.length;
    ContactShape c = solid_surface(CylinderCore(R - shape.rounding, h - shape.rounding), shape.rounding);
    c.soft_radius = std::max(shape.rounding, foundation_rounding * std::min(R, h));
    c.soft_surface = std::make_shared<const CylinderCore>(R - c.soft_radius, h - c.soft_radius);
    const double flat = h - shape.rounding, inset = c.soft_radius - shape.rounding;
    std::vector<SurfacePoint> points;
    for (const double z : {-h, h}) add_disc(R - shape.rounding, z, inset, points);
    const ClosedRule rule(nodes_of_line, part_within(flat, inset));  // lines on its side
    for (int i = 0; i < rule.size(); ++i)
      points.push_back({{0.0, 0.0, flat * rule.node[i]}, flat * rule.weight[i], R, R});
    c.points = make_points(std::move(points));
    return c;
  }
  static constexpr std::string_view drawn_as = "cylinder";
  static constexpr auto draw = draw_as_it_is;
};

}  // namespace

constinit const ShapeDescription kinds::cylinder_shape = describe_shape<CylinderShape>();

}  // namespace trammel
