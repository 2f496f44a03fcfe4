// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "trammel/mechanics/kinds/shape_parts.h"

namespace trammel {

namespace {

/// The base of radius r at z = low, the tip at z = high.
class ConeCore final : public ContactSurfaceOf<ConeCore> {
 public:
  ConeCore(double radius, double low, double high)
      : r_(radius), low_(low), high_(high), slant_(std::hypot(radius, high - low)) {}
  std::string_view word() const override { return "cone"; }

  // In the half plane (ρ, z): base, slant with the outward normal (H, r)/slant, their corner, the tip.
  template <class S>
  NearestPoint<S> nearest_of(const Vec3<S>& y) const {
    using std::sqrt;
    const S squared = y.x() * y.x() + y.y() * y.y();
    const bool on_axis = !(value_of(squared) > 0.0);
    const S rho = on_axis ? S(0.0) : S(sqrt(squared));
    const Vec3<S> out = on_axis ? Vec3<S>{S(1.0), S(0.0), S(0.0)} : Vec3<S>{y.x() / rho, y.y() / rho, S(0.0)};
    const double n_rho = (high_ - low_) / slant_, n_z = r_ / slant_;
    const S below = low_ - y.z(), u = rho - r_, v = y.z() - low_;
    const S beside = u * n_rho + v * n_z, along = v * n_rho - u * n_z;
    const NearestPoint<S> base{below, {S(0.0), S(0.0), S(-1.0)}};
    const NearestPoint<S> side{beside, {out.x() * n_rho, out.y() * n_rho, S(n_z)}};
    if (!(below > 0.0) && !(beside > 0.0)) return below > beside ? base : side;
    if (below > 0.0 && !(u > 0.0)) return base;
    if (along > slant_) return from_core(Vec3<S>{y.x(), y.y(), y.z() - high_});
    if (!(along < 0.0)) return side;
    return from_core(Vec3<S>{out.x() * u, out.y() * u, v});
  }
  Eigen::Vector3d support(const Eigen::Vector3d& d) const override {
    const double across = std::hypot(d.x(), d.y());
    if (d.z() * (high_ - low_) > r_ * across) return {0.0, 0.0, high_};
    const double out = across > 0.0 ? r_ / across : 0.0;
    return {out * d.x(), out * d.y(), low_};
  }
  int n_lowest() const override { return 2; }
  template <class S>
  Vec3<S> lowest_of(const Vec3<S>& m, int tip) const {
    if (tip == 1) return {S(0.0), S(0.0), S(high_)};
    return lowest_of_rim(m, r_, low_);
  }
  double size() const override { return std::min(r_, 0.5 * (high_ - low_)); }
  double reach() const override { return std::max(std::hypot(r_, low_), std::abs(high_)); }
  double curvature_radius() const override { return 0.0; }

 private:
  double r_, low_, high_, slant_;
};

/// Base of `radius` at z = −length/2, apex at z = +length/2.
struct ConeShape {
  static constexpr std::string_view name = "cone", meaning = "";
  static std::vector<Key> keys() {
    return {shape_radius_key(), shape_length_key(), shape_axis_key("its direction, towards the tip")};
  }
  static void read(KindFields& fields, Shape& shape) {
    shape.radius = fields.number("radius", 1.0);
    shape.length = fields.number("length", 1.0);
    shape.orientation = fields.axes("axis");
  }
  static constexpr auto check = check_any_size;
  static std::optional<Solid> solid(const Shape& s) {
    const double r = s.radius, L = s.length, volume = std::numbers::pi * r * r * L / 3.0;
    Solid solid = solid_about_z(volume, 0.3 * volume * r * r, volume * (0.15 * r * r + 3.0 / 80.0 * L * L));
    solid.center.z() = -L / 4.0;
    return solid;
  }
  static constexpr std::string_view touched = "cone";
  static constexpr auto check_surface = check_radius_of_surface;
  static std::optional<ContactShape> surface(const Shape& shape) {
    const double r = shape.radius, h = 0.5 * shape.length, slant = std::hypot(r, shape.length);
    ContactShape c = solid_surface(ConeCore(r, -h, h), 0.0);
    // What is a distance within it is a smaller cone about the centre of the ball that fits into it.
    const double inner = shape.length * r / (r + slant);
    c.soft_radius = foundation_rounding * inner;
    const double part = 1.0 - foundation_rounding, middle = inner - h;
    c.soft_surface =
        std::make_shared<const ConeCore>(part * r, middle - part * inner, middle + part * (shape.length - inner));
    std::vector<SurfacePoint> points;
    add_disc(r, -h, c.soft_radius, points);
    const ClosedRule rule(nodes_of_line, part_within(h, c.soft_radius));  // circles on its side
    for (int i = 0; i < rule.size(); ++i) {
      const double z = h * rule.node[i], rho = r * (h - z) / shape.length;
      points.push_back({{0.0, 0.0, z}, h * rule.weight[i] * slant / shape.length, rho * slant / shape.length, rho});
    }
    c.points = make_points(std::move(points));
    return c;
  }
  static constexpr std::string_view drawn_as = "cone";
  static constexpr auto draw = draw_as_it_is;
};

}  // namespace

constinit const ShapeDescription kinds::cone_shape = describe_shape<ConeShape>();

}  // namespace trammel
