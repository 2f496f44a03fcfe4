// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/make_beam.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "trammel/math/rotations.h"
#include "trammel/mechanics/elements/beam.h"

namespace trammel {

namespace {

using V3 = Eigen::Vector3d;
using M3 = Eigen::Matrix3d;

BeamSection make_section(double A, double I2, double I3, double J, double shear_factor, const BeamMaterial& m) {
  const double G = m.young / (2.0 * (1.0 + m.poisson));
  Eigen::Matrix<double, 6, 1> K;
  K << m.young * A, shear_factor * G * A, shear_factor * G * A, G * J, m.young * I2, m.young * I3;
  return diagonal_section(K, m.density * A, m.density * V3(I2 + I3, I2, I3));
}

}  // namespace

BeamSection diagonal_section(const Eigen::Matrix<double, 6, 1>& stiffness, double mass, const V3& inertia) {
  BeamSection section;
  section.stiffness = stiffness.asDiagonal();
  section.mass = mass;
  section.inertia = inertia.asDiagonal();
  return section;
}

BeamSection rectangle_section(double width, double height, const BeamMaterial& material) {
  const double w = std::min(width, height), h = std::max(width, height);
  double sum = 0.0;
  for (int n = 1; n < 200; n += 2) sum += std::tanh(n * std::numbers::pi * h / (2.0 * w)) / std::pow(n, 5);
  const double J = h * w * w * w / 3.0 * (1.0 - 192.0 * w / (std::pow(std::numbers::pi, 5) * h) * sum);
  const double A = width * height;
  BeamSection section = make_section(A, A * height * height / 12.0, A * width * width / 12.0, J, 5.0 / 6.0, material);
  section.width = width, section.height = height;
  return section;
}

BeamSection tube_section(double radius, double inner_radius, const BeamMaterial& material) {
  const double A = std::numbers::pi * (radius * radius - inner_radius * inner_radius);
  const double I = std::numbers::pi * (std::pow(radius, 4) - std::pow(inner_radius, 4)) / 4.0;
  const double nu = material.poisson, m2 = std::pow(inner_radius / radius, 2), q = (1.0 + m2) * (1.0 + m2);
  const double k = 6.0 * (1.0 + nu) * q / ((7.0 + 6.0 * nu) * q + (20.0 + 12.0 * nu) * m2);
  BeamSection section = make_section(A, I, I, 2.0 * I, k, material);
  section.radius = radius, section.inner_radius = inner_radius;
  return section;
}

BeamSection circle_section(double radius, const BeamMaterial& material) { return tube_section(radius, 0.0, material); }

namespace {

/// The line of a beam, piece by piece: where a fraction u of a piece is, and its direction there.
class Line {
 public:
  explicit Line(const BeamSpec& spec) : spec_(spec) {}

  int pieces() const { return spec_.curve ? 1 : static_cast<int>(spec_.points.size()) - 1; }
  V3 position(int piece, double u) const {
    if (spec_.curve) return spec_.curve(u);
    const V3 &a = spec_.points[static_cast<std::size_t>(piece)], &b = spec_.points[static_cast<std::size_t>(piece) + 1];
    return u == 1.0 ? b : V3(a + u * (b - a));
  }
  V3 tangent(int piece, double u) const {
    if (!spec_.curve) return (position(piece, 1.0) - position(piece, 0.0)).normalized();
    constexpr double h = 1e-3;  // differences of order 4: error h⁴, rounding 1e-16/h
    const V3 near = spec_.curve(u + h) - spec_.curve(u - h), far = spec_.curve(u + 2.0 * h) - spec_.curve(u - 2.0 * h);
    return (8.0 * near - far).normalized();
  }
  /// Where the elements of a piece end.
  std::vector<double> stations(int piece) const {
    if (!spec_.stations.empty()) return spec_.stations;
    const int n = spec_.elements[spec_.elements.size() == 1 ? 0 : static_cast<std::size_t>(piece)];
    std::vector<double> ends;
    for (int e = 0; e <= n; ++e) ends.push_back(static_cast<double>(e) / n);
    return ends;
  }

 private:
  const BeamSpec& spec_;
};

V3 default_up(const V3& e1) { return std::abs(e1.z()) > 0.999 ? V3::UnitX() : V3::UnitZ(); }

/// Axes of a section: e₁ along the line, e₃ as near to `up` as it can be, both turned about e₁ by the twist.
M3 section_axes(const V3& e1, const V3& up, double twist) {
  const V3 e3 = (up - e1 * e1.dot(up)).normalized();
  M3 axes;
  axes << e1, e3.cross(e1), e3;
  return axes * exp_so3(V3(twist, 0.0, 0.0));
}

/// The sections of all elements, and the length that each node of an element carries.
struct Cut {
  std::vector<Beam::Place> places;
  std::vector<double> share;
  std::vector<double> turn;  ///< of each element: how far its sections turn from the first, at most [rad]
};

/// The logarithm is followed between the nodes, so that more than half a turn does not look like less.
template <class Axes>
double largest_turn(const Axes& axes_at, double from, double to) {
  constexpr int samples = 32;
  const M3 first = axes_at(from);
  V3 theta = V3::Zero();
  double largest = 0.0;
  for (int i = 1; i <= samples; ++i) {
    theta = log_near<double>(M3(first.transpose() * axes_at(from + (to - from) * i / samples)), theta);
    largest = std::max(largest, theta.norm());
  }
  return largest;
}

Cut cut_into_elements(const BeamSpec& spec) {
  const Line line(spec);
  const int nodes = spec.order + 1;
  std::vector<double> piece_length;
  double total = 0.0;
  for (int piece = 0; piece < line.pieces(); ++piece) {
    piece_length.push_back(spec.curve ? 1.0 : (line.position(piece, 1.0) - line.position(piece, 0.0)).norm());
    total += piece_length.back();
  }
  Cut cut;
  double before = 0.0;
  const V3 up = spec.up.isZero() ? default_up(line.tangent(0, 0.0)) : spec.up;
  for (int piece = 0; piece < line.pieces(); ++piece) {
    const std::vector<double> ends = line.stations(piece);
    const V3 own_up = spec.up.isZero() && !spec.curve ? default_up(line.tangent(piece, 0.0)) : up;
    const auto axes_at = [&](double u) {
      const double along = (before + u * piece_length[static_cast<std::size_t>(piece)]) / total;
      return section_axes(line.tangent(piece, u), own_up, spec.twist * along);
    };
    for (std::size_t e = 0; e + 1 < ends.size(); ++e) {
      const std::size_t first = cut.places.size();
      for (int a = 0; a < nodes; ++a) {
        const double xi = lobatto_points(nodes)[static_cast<std::size_t>(a)];
        const double u = a == 0            ? ends[e]
                         : a == spec.order ? ends[e + 1]
                                           : 0.5 * ((1.0 - xi) * ends[e] + (1.0 + xi) * ends[e + 1]);
        cut.places.push_back({line.position(piece, u), axes_at(u)});
      }
      cut.turn.push_back(largest_turn(axes_at, ends[e], ends[e + 1]));
      for (int a = 0; a < nodes; ++a) {
        const double xi = lobatto_points(nodes)[static_cast<std::size_t>(a)];
        V3 slope = V3::Zero();
        for (int c = 0; c < nodes; ++c)
          slope += shape_slope(nodes, c, xi) * cut.places[first + static_cast<std::size_t>(c)].position;
        cut.share.push_back(lobatto_weights(nodes)[static_cast<std::size_t>(a)] * slope.norm());
      }
    }
    before += piece_length[static_cast<std::size_t>(piece)];
  }
  return cut;
}

// ---- what can be wrong ---------------------------------------------------------------------------------------------

class BeamChecks {
 public:
  BeamChecks(const BeamSpec& spec, const Model& model) : spec_(spec), model_(model) {}

  std::vector<Issue> run() {
    check_section();
    const bool drawable = check_numbers() && check_line();
    check_ends();
    if (drawable && found_.empty()) check_elements();
    return std::move(found_);
  }

 private:
  void report(const std::string& field, const std::string& message) {
    const std::string entity = fmt::format("beam '{}'", spec_.name);
    const std::string& place = spec_.source.at(field);
    found_.push_back({place.empty() ? entity : place, entity + ": " + message});
  }

  void check_section() {
    const BeamSection& s = spec_.section;
    const double scale = s.stiffness.cwiseAbs().maxCoeff();
    if (!s.stiffness.allFinite() || !(scale > 0.0))
      return report("section", "its section has no stiffness: every measure, and the material's 'young', must be > 0");
    if ((s.stiffness - s.stiffness.transpose()).cwiseAbs().maxCoeff() > 1e-9 * scale)
      report("section", "the stiffness of its section is not symmetric");
    // Scaled to ones on the diagonal: newtons and newton square metres side by side.
    const Eigen::Matrix<double, 6, 1> diagonal = s.stiffness.diagonal();
    const bool positive = (diagonal.array() > 0.0).all();
    const Eigen::Matrix<double, 6, 1> root = diagonal.cwiseAbs().cwiseSqrt().cwiseMax(1e-300).cwiseInverse();
    const Eigen::Matrix<double, 6, 6> scaled = root.asDiagonal() * s.stiffness * root.asDiagonal();
    if (!positive || Eigen::LLT<Eigen::Matrix<double, 6, 6>>(scaled).info() != Eigen::Success)
      report(
          "section",
          fmt::format("the stiffness of its section is not positive definite: (EA, GA2, GA3, GJ, EI2, EI3) = ({:.4g}, "
                      "{:.4g}, {:.4g}, {:.4g}, {:.4g}, {:.4g}) must all be > 0",
                      diagonal[0], diagonal[1], diagonal[2], diagonal[3], diagonal[4], diagonal[5]));
    if (!(s.mass > 0.0) || !std::isfinite(s.mass))
      report("section", fmt::format("its mass per length is {} kg/m but must be > 0; give the material a 'density', or "
                                    "the section a 'mass'",
                                    s.mass));
    if (!s.inertia.allFinite() || Eigen::LLT<M3>(s.inertia).info() != Eigen::Success)
      report("section", fmt::format("the moments of inertia of its section ({:.4g}, {:.4g}, {:.4g} kg m) must be > 0",
                                    s.inertia(0, 0), s.inertia(1, 1), s.inertia(2, 2)));
  }

  bool check_numbers() {
    const std::size_t before = found_.size();
    if (spec_.order < 1 || spec_.order > 3)
      report("order", fmt::format("'order' is {} but must be 1, 2 or 3 (elements with 2, 3 or 4 nodes)", spec_.order));
    for (const int n : spec_.elements)
      if (n < 1) report("elements", fmt::format("'elements' is {} but must be at least 1", n));
    if (!(spec_.damping >= 0.0) || !std::isfinite(spec_.damping))
      report("damping", fmt::format("'damping' is {} s but must be ≥ 0", spec_.damping));
    if (!spec_.pre_stress.allFinite()) report("pre_stress", "'pre_stress' is not finite");
    return found_.size() == before;
  }

  bool check_line() {
    const std::size_t before = found_.size();
    const std::vector<V3>& points = spec_.points;
    if (spec_.curve) {
      if (!points.empty()) report("points", "'points' and 'curve' exclude each other; give one of them");
    } else if (points.size() < 2) {
      report("points", fmt::format("its line has {} point{}; a beam needs at least two, or a 'curve'", points.size(),
                                   points.size() == 1 ? "" : "s"));
    }
    if (found_.size() > before) return false;
    const std::size_t pieces = static_cast<std::size_t>(Line(spec_).pieces());
    if (spec_.elements.size() != 1 && spec_.elements.size() != pieces)
      report("elements",
             fmt::format("'elements' has {} numbers for {} straight pieces; give one number, or one for each",
                         spec_.elements.size(), pieces));
    check_stations(pieces);
    for (std::size_t i = 0; i < points.size(); ++i)
      if (!points[i].allFinite()) report("points", fmt::format("point {} is not finite", i + 1));
    if (found_.size() == before && !spec_.curve) check_points();
    return found_.size() == before;
  }

  void check_stations(std::size_t pieces) {
    const std::vector<double>& s = spec_.stations;
    if (s.empty()) return;
    if (pieces != 1) return report("stations", "'stations' need a line of one piece: two points, or a curve");
    bool good = s.size() >= 2 && s.front() == 0.0 && s.back() == 1.0;
    for (std::size_t i = 1; i < s.size(); ++i) good = good && s[i] > s[i - 1];
    if (!good) report("stations", "'stations' must increase from 0 to 1: [0, …, 1], fractions of the line");
  }

  // Straight pieces: no two points coincide, no piece crosses or touches another, none folds back on its neighbour.
  void check_points() {
    constexpr double touching = 1e-9;  // of the whole length
    const std::vector<V3>& p = spec_.points;
    double length = 0.0;
    for (std::size_t i = 1; i < p.size(); ++i) length += (p[i] - p[i - 1]).norm();
    for (std::size_t i = 0; i < p.size(); ++i)
      for (std::size_t j = i + 1; j < p.size(); ++j)
        if ((p[i] - p[j]).norm() <= touching * length)
          return report("points", fmt::format("points {} and {} coincide at ({:.6g}, {:.6g}, {:.6g})", i + 1, j + 1,
                                              p[i].x(), p[i].y(), p[i].z()));
    for (std::size_t i = 0; i + 1 < p.size(); ++i)
      for (std::size_t j = i + 1; j + 1 < p.size(); ++j) {
        const bool neighbours = j == i + 1;
        const V3 u = p[i + 1] - p[i], v = p[j + 1] - p[j];
        const bool folded = neighbours && u.cross(v).norm() <= 1e-9 * u.norm() * v.norm() && u.dot(v) < 0.0;
        if (folded || (!neighbours && distance(p[i], p[i + 1], p[j], p[j + 1]) <= touching * length))
          return report("points", fmt::format("the piece from point {} to {} crosses the piece from point {} to {}",
                                              i + 1, i + 2, j + 1, j + 2));
      }
  }

  // Between two segments: nearest points by clamping, once from either side.
  static double distance(const V3& a, const V3& b, const V3& c, const V3& d) {
    const V3 u = b - a, v = d - c, w = a - c;
    const double A = u.dot(u), B = u.dot(v), C = v.dot(v), D = u.dot(w), E = v.dot(w), det = A * C - B * B;
    const auto clamp = [](double x) { return std::min(1.0, std::max(0.0, x)); };
    double s = det > 1e-14 * A * C ? clamp((B * E - C * D) / det) : 0.0;
    const double t = clamp((B * s + E) / C);
    s = clamp((B * t - D) / A);
    return (w + s * u - t * v).norm();
  }

  void check_end(const std::string& field, const std::string& body) {
    if (body.empty() || body == ground_name) return;
    for (const BodySpec& other : model_.bodies) {
      if (other.name != body) continue;
      if (other.kind != BodyKind::rigid)
        report(field, fmt::format("'{}' is '{}', which is {}; an end of a beam is part of a rigid body", field, body,
                                  other.kind == BodyKind::planar ? "a planar body" : "a particle"));
      return;
    }
    report(field, fmt::format("'{}' is '{}', but there is no body of that name; nodes of beams count as bodies, if the "
                              "beam stands before this one",
                              field, body));
  }

  void check_ends() {
    check_end("start_body", spec_.start_body);
    check_end("end_body", spec_.end_body);
    if (!spec_.start_body.empty() && spec_.start_body == spec_.end_body && spec_.start_body != ground_name)
      report("end_body",
             fmt::format("both ends are part of '{}'; join one of them by a joint instead", spec_.end_body));
  }

  void check_elements() {
    const Cut cut = cut_into_elements(spec_);
    const std::size_t nodes = static_cast<std::size_t>(spec_.order) + 1, n = cut.places.size() / nodes;
    if (!spec_.node_names.empty() && spec_.node_names.size() != n * (nodes - 1) + 1)
      report("node_names",
             fmt::format("'node_names' has {} names for {} nodes", spec_.node_names.size(), n * (nodes - 1) + 1));
    for (std::size_t i = 0; i < cut.places.size(); ++i) {
      if (!cut.places[i].position.allFinite()) return report("curve", "its 'curve' is not finite");
      if (!(cut.places[i].axes.determinant() > 0.5))  // up left nothing across the beam
        return report("up",
                      fmt::format("'up' is parallel to the beam at ({:.6g}, {:.6g}, {:.6g}); sections need another "
                                  "direction there",
                                  cut.places[i].position.x(), cut.places[i].position.y(), cut.places[i].position.z()));
      if (!(cut.share[i] > 0.0)) return report("curve", "its 'curve' stands still: points of it coincide");
    }
    for (std::size_t e = 0; e < n; ++e) {
      const double turn = cut.turn[e];
      if (turn < 0.99 * std::numbers::pi) continue;
      return report("elements",
                    fmt::format("element {} turns by {:.3g} rad between its ends as drawn, and must stay below π; use "
                                "more elements",
                                e + 1, turn));
    }
  }

  const BeamSpec& spec_;
  const Model& model_;
  std::vector<Issue> found_;
};

// ---- bodies, forces and drawings -----------------------------------------------------------------------------------

/// Adds mass m with moments J about its centre c (both in the body's axes, c from its origin) to a body.
void add_mass(BodySpec& body, double m, const V3& c, const M3& J) {
  const double total = body.mass + m;
  const V3 center = (body.mass * body.center_of_mass + m * c) / total;
  const auto moved = [&](double mass, const V3& from) {
    const V3 d = from - center;
    return M3(mass * (d.squaredNorm() * M3::Identity() - d * d.transpose()));
  };
  body.inertia = body.inertia + moved(body.mass, body.center_of_mass) + J + moved(m, c);
  body.inertia = (0.5 * (body.inertia + body.inertia.transpose())).eval();
  body.mass = total;
  body.center_of_mass = center;
}

BodySpec* find(Model& model, const std::string& name) {
  for (BodySpec& body : model.bodies)
    if (body.name == name) return &body;
  return nullptr;
}

/// Σ_j row_j · (component j), without what is zero.
std::string combine(const Eigen::RowVector3d& row, const Formula* components) {
  std::string text;
  for (int j = 0; j < 3; ++j) {
    if (std::abs(row[j]) < 1e-15 * row.norm() || !components[j].given() || components[j].text == "0") continue;
    text += fmt::format("{}({}) * ({})", text.empty() ? "" : " + ", row[j], components[j].text);
  }
  return text.empty() ? "0" : text;
}

void add_load(Model& model, const BeamSpec& spec, const Beam& beam, const std::vector<double>& node_share, int number) {
  const BeamLoad& load = spec.loads[static_cast<std::size_t>(number)];
  for (const bool moment : {false, true}) {
    const Formula* components = moment ? load.moment : load.force;
    bool any = false;
    for (int i = 0; i < 3; ++i) any = any || (components[i].given() && components[i].text != "0");
    if (!any) continue;
    for (std::size_t i = 0; i < beam.nodes.size(); ++i) {
      if (beam.nodes[i] == ground_name) continue;
      const BodySpec& body = *find(model, beam.nodes[i]);
      const int last = beam.n_elements() - 1, at = static_cast<int>(i);
      const int e = std::min(last, at / beam.order);
      const Beam::Place& place = beam.place(e, at - e * beam.order);
      ForceSpec force;
      force.name = fmt::format("{}_{}{}_{}", spec.name, moment ? "moment" : "load",
                               spec.loads.size() > 1 ? std::to_string(number + 1) : "", i);
      force.source = spec.source;
      force.kind = moment ? ForceKind::torque : ForceKind::force;
      force.body_b = body.name;
      force.point_b = force.point_a = {"", place.position};
      force.in_body_axes = load.follower;
      const M3 turn = load.follower ? M3(body.orientation.transpose() * place.axes) : M3(M3::Identity());
      for (int k = 0; k < 3; ++k)
        force.components[k] = {combine(node_share[i] * turn.row(k), components), components[k].where};
      model.forces.push_back(std::move(force));
    }
  }
}

/// What a node carries is touched by pieces as long as they are thick: points of pressure are a quarter of that apart.
constexpr int most_pieces = 16;

/// A prism for the share of the length of each node of each element, or capsules that can be touched.
void draw(Model& model, const Beam& beam, const std::vector<double>& share, double contact_radius) {
  const BeamSection& s = beam.section;
  const bool touched = contact_radius > 0.0;
  if (!(s.width > 0.0) && !(s.radius > 0.0) && !touched) return;
  const int nodes = beam.order + 1;
  for (int e = 0; e < beam.n_elements(); ++e) {
    double end = -1.0;
    for (int a = 0; a < nodes; ++a) {
      const double weight = lobatto_weights(nodes)[static_cast<std::size_t>(a)];
      const double length = share[static_cast<std::size_t>(e * nodes + a)], middle = end + 0.5 * weight;
      end += weight;
      const BodySpec* body = find(model, beam.node(e, a));
      const Beam::Place& place = beam.place(e, a);
      const double shift = (middle - lobatto_points(nodes)[static_cast<std::size_t>(a)]) * length / weight;
      const V3 center = place.position + place.axes.col(0) * shift;
      GeometrySpec drawing;
      drawing.source = beam.source;
      drawing.body = beam.node(e, a);
      Shape& shape = drawing.shape;
      const M3 R = body == nullptr ? M3(M3::Identity()) : body->orientation;
      shape.position = body == nullptr ? center : V3(R.transpose() * (center - body->position));
      shape.orientation = R.transpose() * place.axes;
      if (s.radius > 0.0 || touched) {
        shape.kind = touched ? GeometryKind::capsule : GeometryKind::cylinder;  // their axis is z
        shape.radius = touched ? contact_radius : s.radius, shape.length = length;
        if (!touched) shape.inner_radius = s.inner_radius;
        M3 turned;
        turned << shape.orientation.col(1), shape.orientation.col(2), shape.orientation.col(0);
        shape.orientation = turned;
      } else {
        shape.size = V3(length, s.width, s.height);
      }
      if (!touched) {
        model.geometry.push_back(std::move(drawing));
        continue;
      }
      drawing.group = beam.name;
      const int n = std::clamp(static_cast<int>(std::ceil(length / (2.0 * contact_radius))), 1, most_pieces);
      shape.length = length / n;
      const V3 middle_of_all = shape.position, along = shape.orientation.col(2);
      for (int k = 0; k < n; ++k) {
        shape.position = middle_of_all + (k - 0.5 * (n - 1)) * shape.length * along;
        model.geometry.push_back(drawing);
      }
    }
  }
}

}  // namespace

std::vector<Issue> issues(const BeamSpec& spec, const Model& model) { return BeamChecks(spec, model).run(); }

void add_beam(Model& model, const BeamSpec& spec) {
  if (std::vector<Issue> found = issues(spec, model); !found.empty()) throw InputError(std::move(found));
  Cut cut = cut_into_elements(spec);
  Beam beam;
  beam.name = spec.name, beam.source = spec.source;
  beam.order = spec.order, beam.section = spec.section;
  beam.damping = spec.damping, beam.pre_stress = spec.pre_stress;
  beam.places = std::move(cut.places);
  const int n_nodes = beam.n_elements() * beam.order + 1;
  for (int i = 0; i < n_nodes; ++i)
    beam.nodes.push_back(i == 0 && !spec.start_body.empty()           ? spec.start_body
                         : i == n_nodes - 1 && !spec.end_body.empty() ? spec.end_body
                         : spec.node_names.empty()                    ? fmt::format("{}_{}", spec.name, i)
                                                                      : spec.node_names[static_cast<std::size_t>(i)]);

  // Bodies first, then what each element puts on them.
  for (int e = 0; e < beam.n_elements(); ++e)
    for (int a = e == 0 ? 0 : 1; a <= beam.order; ++a) {
      const int i = e * beam.order + a;
      const bool taken = (i == 0 && !spec.start_body.empty()) || (i == n_nodes - 1 && !spec.end_body.empty());
      if (taken) continue;
      const Beam::Place& place = beam.place(e, a);
      BodySpec body;
      body.name = beam.node(e, a);
      body.source = spec.source;
      body.position = place.position;
      body.orientation = place.axes;
      body.velocity = spec.velocity + spec.angular_velocity.cross(place.position - spec.about);
      body.angular_velocity = place.axes.transpose() * spec.angular_velocity;
      model.bodies.push_back(std::move(body));
    }
  std::vector<double> node_share(beam.nodes.size(), 0.0);
  std::vector<std::size_t> own(beam.nodes.size(), model.bodies.size());
  std::size_t next = model.bodies.size();  // own bodies are the last ones, in order
  for (std::size_t i = beam.nodes.size(); i-- > 0;) {
    const bool taken = (i == 0 && !spec.start_body.empty()) || (i + 1 == beam.nodes.size() && !spec.end_body.empty());
    if (!taken) own[i] = --next;
  }
  for (int e = 0; e < beam.n_elements(); ++e)
    for (int a = 0; a <= beam.order; ++a) {
      const std::size_t i = static_cast<std::size_t>(e * beam.order + a);
      const double length = cut.share[static_cast<std::size_t>(e * (beam.order + 1) + a)];
      node_share[i] += length;
      BodySpec* body = own[i] < model.bodies.size() ? &model.bodies[own[i]] : find(model, beam.nodes[i]);
      if (body == nullptr) continue;  // the ground
      const Beam::Place& place = beam.place(e, a);
      const M3 Q = body->orientation.transpose() * place.axes;
      const V3 s = body->orientation.transpose() * (place.position - body->position);
      add_mass(*body, length * beam.section.mass, s + Q * beam.section.center_of_mass,
               length * Q * beam.section.inertia * Q.transpose());
    }
  for (std::size_t i = 0; i < spec.loads.size(); ++i) add_load(model, spec, beam, node_share, static_cast<int>(i));
  draw(model, beam, cut.share, spec.contact_radius);
  model.beams.push_back(std::move(beam));
}

}  // namespace trammel
