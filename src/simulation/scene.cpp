// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/scene.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "trammel/base/json.h"
#include "trammel/mechanics/absolute/make_track.h"
#include "trammel/mechanics/elements/road_surface.h"
#include "trammel/mechanics/kinds/force_descriptor.h"
#include "trammel/mechanics/kinds/joint_descriptor.h"
#include "trammel/mechanics/kinds/measure_descriptor.h"
#include "trammel/mechanics/kinds/pictures.h"
#include "trammel/mechanics/kinds/shape_descriptor.h"

namespace trammel {

namespace {

const char* word(BodyKind kind) {
  switch (kind) {
    case BodyKind::rigid:
      return "rigid";
    case BodyKind::planar:
      return "planar";
    case BodyKind::particle:
      return "particle";
  }
  return "";
}

// What a road looks like: heights to 10 µm, without its slopes.
struct RoadGrid {
  explicit RoadGrid(const RoadSpec& spec) {
    constexpr double per_wave = 8.0, most = 20000.0, most_of_all = 60000.0;
    RoadShape shape = spec;
    shape.slope = shape.bank = 0.0;
    double length = spec.length, n = 0.0;
    switch (spec.kind) {
      case RoadKind::plane:
        break;
      case RoadKind::table:
        x = spec.x.front(), length = spec.x.back() - spec.x.front();
        n = per_wave * static_cast<double>(spec.x.size());
        break;
      case RoadKind::bump:
        x = spec.start, n = 8.0 * per_wave;
        break;
      case RoadKind::sweep:
        x = spec.start, n = per_wave * spec.length / std::min(spec.first_wavelength, spec.last_wavelength);
        break;
      case RoadKind::random:
        n = per_wave * spec.length / spec.last_wavelength;
        break;
    }
    if (spec.kind == RoadKind::table && !spec.y.empty()) y = spec.y;
    n = std::clamp(std::ceil(n), 1.0, std::min(most, most_of_all / static_cast<double>(y.size())));
    dx = length > 0.0 ? length / n : 1.0;
    const RoadSurface surface(shape);
    for (double i = 0.0; i <= n; ++i)
      for (const double across : y) z.push_back(std::round(1e5 * surface.at(x + i * dx, across).z) / 1e5);
  }

  double x = 0.0, dx = 1.0;
  std::vector<double> y{0.0}, z;
};

class SceneWriter {
 public:
  explicit SceneWriter(const Model& model) : model_(model) {
    for (std::size_t i = 0; i < model.bodies.size(); ++i) index_.try_emplace(model.bodies[i].name, static_cast<int>(i));
  }

  std::string write() {
    json_.begin_object();
    put("gravity", model_.gravity);
    list("bodies", model_.bodies, [&](const BodySpec& body) { put_body(body); });
    list("shapes", model_.geometry, [&](const GeometrySpec& geometry) { put_shape(geometry); });
    list("beams", model_.beams, [&](const Beam& beam) { put_beam(beam); });
    list("joints", model_.joints, [&](const JointSpec& joint) { put_joint(joint); });
    list("forces", model_.forces, [&](const ForceSpec& force) { put_force(force); });
    list("tracks", model_.tracks, [&](const TrackSpec& track) { put_track(track); });
    list("roads", model_.roads, [&](const RoadSpec& road) { put_road(road); });
    list("springs", model_.forces, [&](const ForceSpec& force) { put_spring(force); });
    list("points", model_.measures, [&](const MeasureSpec& measure) {
      if (!measure.kind->is_point) return;
      json_.begin_object().key("name").text(measure.name).key("body").number(index(measure.body_a));
      put("at", local(measure.point_a, measure.body_a));
      json_.end_object();
    });
    // The page brings the pictures of the standard kinds with it.
    const Kinds own = find_own_kinds(model_);
    if (!own.joints.empty() || !own.forces.empty()) put_pictures(json_.key("pictures"), own);
    return json_.end_object().str();
  }

 private:
  int index(const std::string& body) const {
    const auto it = index_.find(body);
    return it == index_.end() ? -1 : it->second;
  }
  const BodySpec* find(const std::string& body) const {
    const int i = index(body);
    return i < 0 ? nullptr : &model_.bodies[static_cast<std::size_t>(i)];
  }
  // The point in the axes of `body`, over the world of the drawn configuration if it is given elsewhere.
  Eigen::Vector3d local(const PointSpec& point, const std::string& body) const {
    const BodySpec *from = find(point.body), *to = find(body);
    if (from == to && to != nullptr) return point.at;
    const Eigen::Vector3d at = from == nullptr ? point.at : from->position + from->orientation * point.at;
    return to == nullptr ? at : to->orientation.transpose() * (at - to->position);
  }
  Eigen::Vector3d local(const AxisSpec& axis, const std::string& body) const {
    const BodySpec *from = find(axis.body), *to = find(body);
    const Eigen::Vector3d u = from == nullptr ? axis.direction : from->orientation * axis.direction;
    return (to == nullptr ? u : Eigen::Vector3d(to->orientation.transpose() * u)).stableNormalized();
  }

  void put(const char* key, const Eigen::Vector3d& x) { json_.key(key).numbers({x.data(), 3}); }

  template <class Specs, class Put>
  void list(const char* key, const Specs& specs, const Put& put_one) {
    json_.key(key).begin_array();
    for (const auto& spec : specs) put_one(spec);
    json_.end_array();
  }

  void put_body(const BodySpec& body) {
    const Eigen::Matrix3d& I = body.inertia;
    const double inertia[6] = {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)};
    json_.begin_object().key("name").text(body.name).key("kind").text(word(body.kind)).key("mass").number(body.mass);
    json_.key("inertia").numbers(inertia);
    put("center_of_mass", body.center_of_mass);
    if (body.kind == BodyKind::planar)
      put("normal", body.orientation.transpose() * body.plane_normal.stableNormalized());
    json_.end_object();
  }

  void put_shape(const GeometrySpec& geometry) {
    Shape shape = geometry.shape;
    const ShapeDescription& kind = *shape.kind;
    kind.draw(shape);
    const Eigen::Quaterniond quaternion(shape.orientation);
    const double q[4] = {quaternion.w(), quaternion.x(), quaternion.y(), quaternion.z()};
    json_.begin_object().key("body").number(index(geometry.body)).key("kind").text(kind.drawn_as);
    put("position", shape.position);
    json_.key("quaternion").numbers(q);
    if (!shape.color.empty()) json_.key("color").text(shape.color);
    if (shape.opacity) json_.key("opacity").number(*shape.opacity);
    if (kind.drawn_as == GeometryKind::box.name()) put("size", shape.size);
    if (is_part_of_beam(geometry)) json_.key("beam").boolean(true);
    const auto length = [&](const char* key, double value) {
      if (value > 0.0) json_.key(key).number(value);
    };
    length("radius", shape.radius), length("inner_radius", shape.inner_radius), length("length", shape.length);
    if (!shape.polygon.empty()) {
      json_.key("polygon").begin_array();
      for (const Eigen::Vector2d& corner : shape.polygon) json_.number(corner.x()).number(corner.y());
      json_.end_array();
    }
    if (!shape.vertices.empty()) put_mesh(shape);
    json_.end_object();
  }

  // The prisms of a beam's nodes: whoever draws the beam as a whole leaves them out.
  bool is_part_of_beam(const GeometrySpec& geometry) const {
    for (const Beam& beam : model_.beams)
      if (geometry.source.entity == beam.source.entity &&
          std::find(beam.nodes.begin(), beam.nodes.end(), geometry.body) != beam.nodes.end())
        return true;
    return false;
  }

  // Of every node of every element: its body, and where its section stands and how it lies in that body's axes.
  void put_beam(const Beam& beam) {
    json_.begin_object().key("name").text(beam.name).key("order").number(beam.order).key("nodes").begin_array();
    const int nodes = beam.order + 1;
    for (int e = 0; e < beam.n_elements(); ++e)
      for (int a = 0; a < nodes; ++a) json_.number(index(beam.node(e, a)));
    json_.end_array().key("at").begin_array();
    std::vector<double> quaternions;
    for (int e = 0; e < beam.n_elements(); ++e)
      for (int a = 0; a < nodes; ++a) {
        const Beam::Place& place = beam.place(e, a);
        const BodySpec* body = find(beam.node(e, a));
        const Eigen::Matrix3d R = body == nullptr ? Eigen::Matrix3d::Identity() : body->orientation;
        const Eigen::Vector3d s = local(PointSpec{"", place.position}, beam.node(e, a));
        for (const double x : {s.x(), s.y(), s.z()}) json_.number(x);
        const Eigen::Quaterniond q(Eigen::Matrix3d(R.transpose() * place.axes));
        quaternions.insert(quaternions.end(), {q.w(), q.x(), q.y(), q.z()});
      }
    json_.end_array().key("quaternions").numbers(quaternions);
    const BeamSection& section = beam.section;
    const auto length = [&](const char* key, double value) {
      if (value > 0.0) json_.key(key).number(value);
    };
    length("width", section.width), length("height", section.height), length("radius", section.radius);
    json_.end_object();
  }

  // Numbers of a mesh follow each other without brackets: x, y, z of every vertex, three corners of every triangle.
  void put_mesh(const Shape& shape) {
    json_.key("vertices").begin_array();
    for (const Eigen::Vector3f& vertex : shape.vertices)
      for (int i = 0; i < 3; ++i) json_.number(vertex[i]);
    json_.end_array().key("triangles").begin_array();
    for (const std::array<int, 3>& triangle : shape.triangles)
      for (const int corner : triangle) json_.number(corner);
    json_.end_array();
  }

  void put_joint(const JointSpec& joint) {
    const PointSpec center{joint.body_b, Eigen::Vector3d::Zero()};
    const PointSpec point_b = joint.point_b.value_or(joint.kind->needs.center_b ? center : joint.point);
    json_.begin_object().key("name").text(joint.name).key("kind").text(joint.kind.name());
    json_.key("a").number(index(joint.body_a)).key("b").number(index(joint.body_b));
    put("point_a", local(joint.point, joint.body_a));
    put("point_b", local(point_b, joint.body_b));
    put("axis_a", local(joint.axis, joint.body_a));
    put("axis_b", local(joint.axis_b.value_or(joint.axis), joint.body_b));
    if (joint.radius > 0.0) json_.key("radius").number(joint.radius);
    json_.end_object();
  }

  // Forces that sit somewhere; what acts on a joint's coordinate is seen at the joint.
  void put_force(const ForceSpec& force) {
    if (force.kind->acts_on != ActsOn::bodies) return;
    json_.begin_object().key("name").text(force.name).key("kind").text(force.kind.name());
    json_.key("a").number(index(force.body_a)).key("b").number(index(force.body_b));
    put("point_a", local(force.point_a, force.body_a));
    put("point_b", local(force.point_b, force.body_b));
    put("axis_a", local(force.axis, force.body_a));
    json_.end_object();
  }

  // The centre line every metre or so, and how far from it the wheels stand on their rails, whose tops are at z = 0.
  void put_track(const TrackSpec& spec) {
    constexpr double spacing = 1.0;         // [m], finer than any curve that the heading's range allows a train
    constexpr double most_points = 5000.0;  // a page draws all of them
    const Track track = make_track(spec);
    const double n = std::clamp(std::ceil((spec.to - spec.from) / spacing), 1.0, most_points);
    double half_width = WheelRailSpec{}.half_width;
    for (const WheelRailSpec& wheel : model_.wheels)
      if (wheel.track == spec.name) half_width = wheel.half_width;
    json_.begin_object().key("name").text(spec.name).key("half_width").number(half_width).key("points").begin_array();
    for (double i = 0.0; i <= n; ++i) {
      const Track::Point point = track.at(spec.from + i / n * (spec.to - spec.from));
      json_.number(point.x).number(point.y);
    }
    json_.end_array().end_object();
  }

  // Heights at equal distances, fine enough to show its shortest waves, at the height that its first tyre gives it.
  void put_road(const RoadSpec& spec) {
    const RoadGrid grid(spec);
    double height = 0.0;
    for (const ForceSpec& force : model_.forces)
      if (force.vehicle.road == spec.name) {
        const BodySpec* body = find(force.point_a.body);
        const Eigen::Vector3d& at = force.point_a.at;
        height = (body == nullptr ? at : Eigen::Vector3d(body->position + body->orientation * at)).z();
        break;
      }
    const BodySpec* body = find(spec.body);
    const Eigen::Quaterniond q(body == nullptr ? Eigen::Matrix3d::Identity()
                                               : Eigen::Matrix3d(body->orientation.transpose()));
    const double quaternion[4] = {q.w(), q.x(), q.y(), q.z()};
    json_.begin_object().key("name").text(spec.name).key("body").number(index(spec.body));
    put("at", local(PointSpec{"", {0.0, 0.0, height}}, spec.body));
    json_.key("quaternion").numbers(quaternion).key("slope").number(spec.slope).key("bank").number(spec.bank);
    json_.key("x").number(grid.x).key("dx").number(grid.dx).key("y").numbers(grid.y).key("z").numbers(grid.z);
    if (spec.kind == RoadKind::random) json_.key("period").number(spec.length);
    json_.end_object();
  }

  void put_spring(const ForceSpec& force) {
    if (force.kind->acts_on != ActsOn::coordinate) return;
    json_.begin_object().key("name").text(force.name).key("kind").text(force.kind.name());
    json_.key("joint").text(force.joint).end_object();
  }

  const Model& model_;
  JsonWriter json_;
  std::unordered_map<std::string, int> index_;
};

}  // namespace

std::string scene_json(const Model& model) { return SceneWriter(model).write(); }

}  // namespace trammel
