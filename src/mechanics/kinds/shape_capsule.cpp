// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/shape_parts.h"

namespace trammel {

namespace {

// Lines whose directions differ by less count as parallel.
constexpr double parallel_tol = 1e-12;

/// The segment z ∈ [−h, h].
class SegmentCore final : public ContactSurfaceOf<SegmentCore> {
 public:
  explicit SegmentCore(double half_length) : h_(half_length) {}
  std::string_view word() const override { return "capsule"; }
  int roundness() const override { return 2; }

  template <class S>
  NearestPoint<S> nearest_of(const Vec3<S>& y) const {
    return from_core(Vec3<S>{y.x(), y.y(), y.z() - clamp_between(y.z(), -h_, h_)});
  }
  Eigen::Vector3d support(const Eigen::Vector3d& d) const override { return {0.0, 0.0, d.z() < 0.0 ? -h_ : h_}; }
  int n_lowest() const override { return 2; }
  template <class S>
  Vec3<S> lowest_of(const Vec3<S>&, int end) const {
    return {S(0.0), S(0.0), S(end == 0 ? -h_ : h_)};
  }
  template <class S>
  Vec3<S> deepest_of(const DistanceField<S>& field) const {
    const auto* other = dynamic_cast<const SegmentCore*>(field.target);
    if (other == nullptr) return deepest_of_segment(field, -h_, h_);
    // Two segments: unlimited lines first; parallel ones meet in the middle of their overlap. s is along the other one.
    const Vec3<S> w{field.M(0, 2), field.M(1, 2), field.M(2, 2)};
    const S cosine = w.z(), du = field.q.z(), dw = dot(field.q, w), sine2 = 1.0 - cosine * cosine;
    S s = value_of(sine2) > parallel_tol ? S((du - cosine * dw) / sine2) : S(0.5 * du);
    s = clamp_between(s, -other->h_, other->h_);
    return {S(0.0), S(0.0), clamp_between(S(cosine * s - dw), -h_, h_)};
  }
  double size() const override { return 0.0; }
  double reach() const override { return h_; }
  double curvature_radius() const override { return 0.0; }

 private:
  double h_;
};

/// A cylinder of `length` with half spheres at its ends.
struct CapsuleShape {
  static constexpr std::string_view name = "capsule", meaning = "";
  static std::vector<Key> keys() {
    return {shape_radius_key(), shape_length_key("along the axis, without the round ends"), shape_axis_key()};
  }
  static void read(KindFields& fields, Shape& shape) {
    shape.radius = fields.number("radius", 1.0);
    shape.length = fields.number("length", 1.0);
    shape.orientation = fields.axes("axis");
  }
  static constexpr auto check = check_any_size;
  static std::optional<Solid> solid(const Shape& s) {
    const double r = s.radius, L = s.length;
    const double tube = std::numbers::pi * r * r * L, ends = 4.0 / 3.0 * std::numbers::pi * r * r * r;
    return solid_about_z(tube + ends, tube * r * r / 2.0 + 0.4 * ends * r * r,
                         tube * (3.0 * r * r + L * L) / 12.0 + ends * (0.4 * r * r + L * L / 4.0 + 3.0 / 8.0 * L * r));
  }
  static constexpr std::string_view touched = "capsule";
  static constexpr auto check_surface = check_radius_of_surface;
  static std::optional<ContactShape> surface(const Shape& shape) {
    const double h = 0.5 * shape.length;
    ContactShape c = solid_surface(SegmentCore(h), shape.radius);
    std::vector<SurfacePoint> points;
    const ClosedRule rule(nodes_of_line, 1.0);
    for (int i = 0; i < rule.size(); ++i)
      points.push_back({{0.0, 0.0, h * rule.node[i]}, h * rule.weight[i], shape.radius, 0.0});
    c.points = make_points(std::move(points), shape.radius);
    return c;
  }
  static constexpr std::string_view drawn_as = "capsule";
  static constexpr auto draw = draw_as_it_is;
};

}  // namespace

constinit const ShapeDescription kinds::capsule_shape = describe_shape<CapsuleShape>();

}  // namespace trammel
