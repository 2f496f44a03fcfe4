// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/shape_parts.h"

namespace trammel {

namespace {

/// An arc of radius ρ turned about z, hollow side out: of the race of a ball bearing.
///
///   (1) q = (s − R, z), s = √(x² + y²): seen from the centre of the arc, in the plane through z
///   (2) distance = ρ − |q|, n = −q/|q|                    where q points to the arc
///   (3) distance = |q − c|, n = (q − c)/|q − c|           beyond its ends c
///
/// Both are C¹ together. Balls are on the hollow side; behind it the ring has no end.
class GrooveCore final : public ContactSurfaceOf<GrooveCore> {
 public:
  GrooveCore(double radius, double pitch_radius, double angle, double arc)
      : rho_(radius), pitch_(pitch_radius), angle_(angle), half_(0.5 * arc) {}
  std::string_view word() const override { return "groove"; }
  bool convex() const override { return false; }
  bool takes_points() const override { return false; }

  template <class S>
  NearestPoint<S> nearest_of(const Vec3<S>& y) const {
    using std::sqrt;
    const S s2 = y.x() * y.x() + y.y() * y.y();
    const bool on_axis = !(value_of(s2) > 0.0);
    const S s = on_axis ? S(0.0) : S(sqrt(s2)), out = s - pitch_;
    const double q[2] = {value_of(out), value_of(y.z())};
    // In the centre of the arc all of it is equally near: its middle is taken.
    const bool centred = std::hypot(q[0], q[1]) < 1e-12 * rho_;
    const double turn = centred ? 0.0 : std::remainder(std::atan2(q[1], q[0]) - angle_, 2.0 * std::numbers::pi);
    const auto lifted = [&](const S& distance, const S& n_out, const S& n_z) {
      if (on_axis) return NearestPoint<S>{distance, {n_out, S(0.0), n_z}};
      const S part = n_out / s;
      return NearestPoint<S>{distance, {y.x() * part, y.y() * part, n_z}};
    };
    if (centred) {
      const double c = std::cos(angle_), d = std::sin(angle_);
      return lifted(S(rho_ - (c * out + d * y.z())), S(-c), S(-d));
    }
    if (std::abs(turn) <= half_) {
      const S far = sqrt(out * out + y.z() * y.z()), inverse = 1.0 / far;
      return lifted(S(rho_ - far), S(-out * inverse), S(-y.z() * inverse));
    }
    const double end = angle_ + std::copysign(half_, turn);
    const S a = out - rho_ * std::cos(end), b = y.z() - rho_ * std::sin(end);
    const S far = sqrt(a * a + b * b), inverse = 1.0 / far;
    return lifted(far, S(a * inverse), S(b * inverse));
  }
  Eigen::Vector3d support(const Eigen::Vector3d& d) const override {
    const double across = std::hypot(d.x(), d.y()), out = across > 0.0 ? (pitch_ + rho_) / across : 0.0;
    return {out * d.x(), out * d.y(), d.z() < 0.0 ? -rho_ : rho_};
  }
  double size() const override { return rho_; }
  double reach() const override { return std::hypot(pitch_ + rho_, rho_); }
  double curvature_radius() const override { return rho_; }
  // Across it is hollow; along it, at the middle of the arc, the normal meets the axis at −(R + ρ cos)/cos.
  Eigen::Vector2d curvatures(double) const override {
    const double c = std::cos(angle_);
    return {-1.0 / rho_, -c / (pitch_ + rho_ * c)};
  }

 private:
  double rho_, pitch_, angle_, half_;
};

/// `radius`, `pitch_radius`, `angle`, `arc` about z.
struct GrooveShape {
  static constexpr std::string_view name = "groove", meaning = "the race of a ball bearing";
  static std::vector<Key> keys() {
    return {{.name = "radius",
             .unit = "m",
             .required = true,
             .meaning = "of the arc, larger than that of the balls",
             .range = Range::above(0.0)},
            {.name = "pitch_radius",
             .unit = "m",
             .required = true,
             .meaning = "of the circle on which the centre of the arc runs about the axis",
             .range = Range::above(0.0)},
            {.name = "angle",
             .unit = "rad",
             .fallback = "0",
             .meaning = "where the middle of the arc lies, seen from its centre: 0 outwards (of an outer ring), π "
                        "inwards (of an inner one), π/2 along the axis"},
            {.name = "arc",
             .unit = "rad",
             .fallback = "π",
             .meaning = "its opening, half of it on either side of the middle",
             .range = Range::above(0.0)},
            shape_axis_key()};
  }
  static void read(KindFields& fields, Shape& shape) {
    shape.radius = fields.number("radius", 1.0);
    shape.pitch_radius = fields.number("pitch_radius", 2.0);
    shape.angle = fields.number("angle", 0.0);
    shape.arc = fields.number("arc", std::numbers::pi);
    shape.orientation = fields.axes("axis");
  }
  static void check(detail::ModelChecks& checks, const GeometrySpec& geometry) {
    const Shape& s = geometry.shape;
    if (!(s.radius > 0.0 && s.pitch_radius > s.radius))
      checks.report("geometry", geometry, "pitch_radius", "'pitch_radius' must be larger than 'radius', and that > 0");
    if (!(s.arc > 0.0 && s.arc <= 2.0 * std::numbers::pi))
      checks.report("geometry", geometry, "arc", "'arc' must be > 0 and at most 2π");
  }
  static constexpr auto solid = no_solid;
  static constexpr std::string_view touched = "groove (by spheres)";
  static constexpr auto check_surface = check_radius_of_surface;
  static std::optional<ContactShape> surface(const Shape& s) {
    return solid_surface(GrooveCore(s.radius, s.pitch_radius, s.angle, s.arc), 0.0);
  }
  // The hollow face by its facets.
  static constexpr std::string_view drawn_as = "mesh";
  static void draw(Shape& shape) {
    constexpr int n_around = 64, n_across = 12;
    for (int i = 0; i <= n_across; ++i)
      for (int j = 0; j < n_around; ++j) {
        const double u = shape.angle + shape.arc * (static_cast<double>(i) / n_across - 0.5);
        const double v = 2.0 * std::numbers::pi * j / n_around, s = shape.pitch_radius + shape.radius * std::cos(u);
        shape.vertices.push_back(
            Eigen::Vector3d(s * std::cos(v), s * std::sin(v), shape.radius * std::sin(u)).cast<float>());
      }
    for (int i = 0; i < n_across; ++i)
      for (int j = 0; j < n_around; ++j) {
        const int a = i * n_around + j, b = i * n_around + (j + 1) % n_around;
        shape.triangles.push_back({a, a + n_around, b});
        shape.triangles.push_back({b, a + n_around, b + n_around});
      }
  }
};

}  // namespace

constinit const ShapeDescription kinds::groove_shape = describe_shape<GrooveShape>();

}  // namespace trammel
