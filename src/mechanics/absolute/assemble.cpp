#include "trammel/mechanics/absolute/assemble.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <numbers>

#include "assembler.h"
#include "trammel/mechanics/absolute/assemble_again.h"
#include "trammel/mechanics/signals.h"

namespace trammel {

namespace detail {

namespace {

// Two unit vectors that make a right-handed triad with the unit vector n; world axes are kept where possible.
std::pair<Eigen::Vector3d, Eigen::Vector3d> complete_triad(const Eigen::Vector3d& n) {
  int axis = 0;
  n.cwiseAbs().minCoeff(&axis);
  if (n.z() > 0.999999) axis = 0;  // z up: e₁ = x, e₂ = y
  const Eigen::Vector3d e1 = (Eigen::Vector3d::Unit(axis) - n * n[axis]).normalized();
  return {e1, n.cross(e1)};
}

}  // namespace

Assembler::Assembler(const Model& model, const Eliminated& eliminated)
    : model_(model), eliminated_(eliminated), signals_(model) {
  out_.formulas = std::make_unique<FormulaSet>();
  out_.system = std::make_unique<AbsoluteSystem>();
  for (const TableSpec& table : model.tables) {
    SplineOptions options;
    options.extrapolation = table.extrapolation == "error"      ? Extrapolation::error
                            : table.extrapolation == "constant" ? Extrapolation::constant
                                                                : Extrapolation::linear;
    tables_[table.name] = std::make_shared<CubicSpline>(table.x, table.y, options);
  }
}

Assembly Assembler::run() {
  out_.system->set_gravity(model_.gravity);
  add_bodies();
  add_coordinates();
  make_groups();
  add_beams();
  make_tracks();
  for (const JointSpec& joint : model_.joints) add_joint(joint);
  for (const CouplerSpec& coupler : model_.couplers) add_coupler(coupler);
  for (const MotionSpec& motion : model_.motions) add_motion(motion);
  for (const WheelRailSpec& wheel : model_.wheels) add_wheel(wheel);
  add_control_states();
  prepare_springs();
  compile_measures();
  for (const ForceSpec& force : model_.forces) add_force(force);
  for (const FlangeStopSpec& stop : model_.flange_stops) add_flange_stop(stop);
  add_control_rates();
  add_contacts();
  out_.system->finish();
  finish_initial_values();
  return std::move(out_);
}

// ---- bodies --------------------------------------------------------------------------------------------------------

void Assembler::add_bodies() {
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    const BodySpec& body = model_.bodies[i];
    FrameMap frame;
    frame.name = body.name;
    frame.mass = body.mass;
    frame.inertia = body.inertia;
    Placement place;
    place.R = body.kind == BodyKind::particle ? Eigen::Matrix3d::Identity().eval() : body.orientation;
    place.com = body.center_of_mass;
    place.p = body.position + place.R * place.com;
    switch (body.kind) {
      case BodyKind::rigid:
        frame.kind = FrameMap::Kind::rigid;
        break;
      case BodyKind::particle:
        frame.kind = FrameMap::Kind::particle;
        frame.inertia.setZero();
        break;
      case BodyKind::planar: {
        frame.kind = FrameMap::Kind::planar;
        place.planar = true;
        place.normal = body.plane_normal.normalized();
        const auto [e1, e2] = complete_triad(place.normal);
        frame.S.block<3, 1>(0, 0) = e1;
        frame.S.block<3, 1>(0, 1) = e2;
        frame.S.block<3, 1>(3, 2) = place.R.transpose() * place.normal;
        frame.p0 = place.normal * place.normal.dot(place.p);
        frame.R0 = place.R;
        break;
      }
    }
    const int f = out_.system->add_frame(frame);
    places_.push_back(place);
    out_.body_frame.push_back(f);
    out_.center_of_mass.push_back(body.center_of_mass);
    body_frame_[body.name] = f;
    const FrameMap& map = out_.system->frame_map(f);
    out_.firm_q.insert(out_.firm_q.end(), map.nv, body.firm_position);
    out_.firm_v.insert(out_.firm_v.end(), map.nv, body.firm_velocity);
  }
}

void Assembler::add_coordinates() {
  for (const CoordinateSpec& coordinate : model_.coordinates) {
    FrameMap frame;
    frame.kind = FrameMap::Kind::scalar;
    frame.name = coordinate.name;
    const int f = out_.system->add_frame(frame);
    places_.emplace_back();
    out_.coordinate_frame.push_back(f);
    coordinate_frame_[coordinate.name] = f;
    out_.firm_q.push_back(false);
    out_.firm_v.push_back(false);
  }
}

void Assembler::make_groups() {
  AbsoluteSystem& s = *out_.system;
  coincident2_ = &s.add_group(std::make_unique<ConstraintGroup<Coincident<2>>>());
  coincident3_ = &s.add_group(std::make_unique<ConstraintGroup<Coincident<3>>>());
  perpendicular_ = &s.add_group(std::make_unique<ConstraintGroup<Perpendicular>>());
  offset_ = &s.add_group(std::make_unique<ConstraintGroup<Offset>>());
  distance_ = &s.add_group(std::make_unique<ConstraintGroup<Distance>>());
  squared_distance_ = &s.add_group(std::make_unique<ConstraintGroup<SquaredDistance>>());
  line_angle_ = &s.add_group(std::make_unique<ConstraintGroup<LineAngle>>());
  coupler1_ = &s.add_group(std::make_unique<ConstraintGroup<Coupler<1>>>());
  coupler2_ = &s.add_group(std::make_unique<ConstraintGroup<Coupler<2>>>());
  coupler3_ = &s.add_group(std::make_unique<ConstraintGroup<Coupler<3>>>());
  speed1_ = &s.add_group(std::make_unique<ConstraintGroup<SpeedCoupler<1>>>());
  speed2_ = &s.add_group(std::make_unique<ConstraintGroup<SpeedCoupler<2>>>());
  speed3_ = &s.add_group(std::make_unique<ConstraintGroup<SpeedCoupler<3>>>());
  disc_ = &s.add_group(std::make_unique<ConstraintGroup<DiscOnPlane>>());
  rolling_ = &s.add_group(std::make_unique<ConstraintGroup<RollingContact>>());
  knife_ = &s.add_group(std::make_unique<ConstraintGroup<KnifeEdge>>());
  springs_ = &s.add_group(std::make_unique<ForceGroup<SpringDamper>>());
  joint_springs_ = &s.add_group(std::make_unique<ForceGroup<CoordinateForce>>());
  bushings_ = &s.add_group(std::make_unique<ForceGroup<Bushing>>());
  bump_stops_ = &s.add_group(std::make_unique<ForceGroup<BumpStop>>());
  anti_roll_bars_ = &s.add_group(std::make_unique<ForceGroup<AntiRollBar>>());
  tyres_ = &s.add_group(std::make_unique<ForceGroup<RollingTyre>>());
  standing_tyres_ = &s.add_group(std::make_unique<ForceGroup<StandingTyre>>());
  beams_ = &s.add_group(std::make_unique<BeamGroup>());
  out_.beams = beams_;
  formula_ = &s.add_group(std::make_unique<FormulaGroup>(*out_.formulas));
  on_track_ = &s.add_group(std::make_unique<ConstraintGroup<OnTrack>>());
  wheels_ = &s.add_group(std::make_unique<WheelRailGroup>());
  flange_stops_ = &s.add_group(std::make_unique<ForceGroup<FlangeStop>>());
  out_.wheels = wheels_;
  switches_ = &s.add_group(std::make_unique<StopSwitches>());
  formula_switches_ = &s.add_group(std::make_unique<FormulaSwitches>(*out_.formulas));
}

int Assembler::frame_of(const std::string& body) const {
  return body.empty() || body == ground_name ? 0 : body_frame_.at(body);
}

Eigen::Vector3d Assembler::world(const PointSpec& point) const {
  if (point.body.empty()) return point.at;
  const int f = frame_of(point.body);
  return places_[f].p + places_[f].R * (point.at - places_[f].com);
}

Eigen::Vector3d Assembler::world(const AxisSpec& axis) const {
  const Eigen::Vector3d n = axis.body.empty() ? axis.direction : places_[frame_of(axis.body)].R * axis.direction;
  return n.normalized();
}

Eigen::Vector3d Assembler::local_point(int frame, const Eigen::Vector3d& p_W) const {
  return places_[frame].R.transpose() * (p_W - places_[frame].p);
}

Eigen::Vector3d Assembler::local_axis(int frame, const Eigen::Vector3d& n_W) const {
  return places_[frame].R.transpose() * n_W;
}

// ---- joints --------------------------------------------------------------------------------------------------------

RelativeCoordinate Assembler::make_angle(const JointFrames& j) const {
  RelativeCoordinate x;
  x.type = RelativeCoordinate::Type::angle;
  const auto [e1, e2] = complete_triad(j.axis);
  x.a1 = local_axis(j.a, e1), x.a2 = local_axis(j.a, e2), x.a3 = local_axis(j.a, j.axis);
  // A direction of B that shows along e₁ when drawn: the angle is zero there.
  x.b = local_axis(j.b, (e1 - j.axis_b * j.axis_b.dot(e1)).normalized());
  return x;
}

RelativeCoordinate Assembler::make_displacement(const JointFrames& j) const {
  RelativeCoordinate x;
  x.type = RelativeCoordinate::Type::displacement;
  x.a3 = local_axis(j.a, j.axis);
  x.s_a = local_point(j.a, j.point), x.s_b = local_point(j.b, j.point_b);
  x.zero = j.axis.dot(j.point_b - j.point);
  return x;
}

template <class K>
void Assembler::add_element(ConstraintGroup<K>& group, const std::string& owner, const typename K::Params& params,
                            std::array<int, K::n_frames> frames, const std::string& unit, Assembly::Joint* joint,
                            int input, std::array<int, K::n_turns> branch) {
  if (without_rows_) return;
  typename ConstraintGroup<K>::Element e;
  e.params = params;
  e.frame = frames;
  e.branch = branch;
  e.input.fill(-1);
  e.input[0] = input;
  e.row = out_.system->add_rows(owner, K::n_rows, K::holonomic, unit);
  group.add(e);
  if (joint) joint->parts.push_back({&group, group.size() - 1, 1});
}

void Assembler::add_coincident(const std::string& owner, const JointFrames& j, Assembly::Joint& joint) {
  const Eigen::Vector3d s_a = local_point(j.a, j.point), s_b = local_point(j.b, j.point_b);
  if (j.planar) {
    Coincident<2>::Params params{s_a, s_b};
    const auto [e1, e2] = complete_triad(j.normal);
    params.e.row(0) = e1.transpose();
    params.e.row(1) = e2.transpose();
    add_element(*coincident2_, owner, params, {j.a, j.b}, "m", &joint);
  } else {
    add_element(*coincident3_, owner, {s_a, s_b}, {j.a, j.b}, "m", &joint);
  }
}

void Assembler::add_perpendicular(const std::string& owner, const JointFrames& j, const Eigen::Vector3d& a_W,
                                  const Eigen::Vector3d& b_W, Assembly::Joint& joint) {
  add_element(*perpendicular_, owner, {local_axis(j.a, a_W), local_axis(j.b, b_W), 0.0}, {j.a, j.b}, "rad", &joint);
}

void Assembler::add_offset(const std::string& owner, const JointFrames& j, const Eigen::Vector3d& n_W, double offset,
                           Assembly::Joint& joint) {
  add_element(*offset_, owner, {local_axis(j.a, n_W), local_point(j.a, j.point), local_point(j.b, j.point_b), offset},
              {j.a, j.b}, "m", &joint);
}

void Assembler::add_rod(const std::string& owner, const JointFrames& j, const JointSpec& spec, Assembly::Joint& joint) {
  const Eigen::Vector3d s_a = local_point(j.a, j.point), s_b = local_point(j.b, j.point_b), d = j.point_b - j.point;
  const double length = spec.length ? *spec.length : d.norm();
  if (spec.squared)
    add_element(*squared_distance_, owner, {s_a, s_b, length}, {j.a, j.b}, "m²", &joint);
  else
    add_element(*distance_, owner, {s_a, s_b, length}, {j.a, j.b}, "m", &joint);
  if (spec.coordinate.empty()) return;
  const Eigen::Vector3d r = (d - j.axis * j.axis.dot(d)).normalized();  // zero is as drawn
  add_element(*line_angle_, owner, {local_axis(j.a, r), local_axis(j.a, j.axis.cross(r)), s_a, s_b},
              {j.a, j.b, coordinate_frame_.at(spec.coordinate)}, "m", &joint);
}

// Axes whose relative position is the identity as drawn (universal: the second axis is x of a and z of b).
void Assembler::find_axes(const JointSpec& spec, const JointFrames& j, Assembly::Joint& joint) const {
  const auto put = [&](int frame, const Eigen::Vector3d& x, const Eigen::Vector3d& z, Eigen::Matrix3d& axes) {
    const Eigen::Vector3d across = (x - z * z.dot(x)).normalized();
    axes << local_axis(frame, across), local_axis(frame, z.cross(across)), local_axis(frame, z);
  };
  if (spec.kind == JointKind::universal) {
    put(j.a, j.axis_b, j.axis, joint.axes_a);
    put(j.b, j.axis.cross(j.axis_b), j.axis_b, joint.axes_b);
    return;
  }
  const bool normal_to_plane = j.planar && spec.kind == JointKind::spherical;
  const Eigen::Vector3d z_a = normal_to_plane ? j.normal : j.axis;
  const bool has_axis_b = spec.kind == JointKind::revolute || spec.kind == JointKind::cylindrical ||
                          spec.kind == JointKind::planar || spec.kind == JointKind::screw;
  const Eigen::Vector3d x = complete_triad(z_a).first;
  put(j.a, x, z_a, joint.axes_a);
  put(j.b, x, has_axis_b ? j.axis_b : z_a, joint.axes_b);
}

void Assembler::add_joint(const JointSpec& spec) {
  const std::string owner = fmt::format("joint '{}'", spec.name);
  JointFrames j;
  j.a = frame_of(spec.body_a), j.b = frame_of(spec.body_b);
  const bool rolling = spec.kind == JointKind::rolling_sphere || spec.kind == JointKind::rolling_disc;
  j.point = world(spec.point);
  const Eigen::Vector3d origin_b = places_[j.b].p - places_[j.b].R * places_[j.b].com;
  j.point_b = spec.point_b ? world(*spec.point_b) : rolling ? origin_b : j.point;
  j.axis = world(spec.axis);
  j.axis_b = spec.axis_b ? world(*spec.axis_b) : j.axis;
  const Placement &pa = places_[j.a], &pb = places_[j.b];
  j.planar = (pa.planar || j.a == 0) && (pb.planar || j.b == 0);
  j.normal = pb.planar ? pb.normal : pa.normal;
  const auto [e1, e2] = complete_triad(j.axis);

  Assembly::Joint joint;
  joint.frame_a = j.a, joint.frame_b = j.b;
  joint.s_a = local_point(j.a, j.point);
  joint.s_b = local_point(j.b, j.point_b);
  joint.planar = j.planar;
  find_axes(spec, j, joint);
  const std::size_t index = out_.joints.size();
  without_rows_ = index < eliminated_.joints.size() && eliminated_.joints[index];

  // Rows that keep the triads parallel: one in a plane, three in space.
  const auto keep_orientation = [&, &e1 = e1, &e2 = e2] {
    if (j.planar) {
      const auto [n1, n2] = complete_triad(j.normal);
      add_perpendicular(owner, j, n1, n2, joint);
    } else {
      add_perpendicular(owner, j, e1, e2, joint);
      add_perpendicular(owner, j, e1, j.axis, joint);
      add_perpendicular(owner, j, e2, j.axis, joint);
    }
  };
  const auto keep_axes_parallel = [&, &e1 = e1, &e2 = e2] {
    if (j.planar) return;
    add_perpendicular(owner, j, e1, j.axis_b, joint);
    add_perpendicular(owner, j, e2, j.axis_b, joint);
  };
  const auto stay_on_line = [&, &e1 = e1, &e2 = e2] {
    if (j.planar) {
      add_offset(owner, j, j.normal.cross(j.axis).normalized(), 0.0, joint);
    } else {
      add_offset(owner, j, e1, 0.0, joint);
      add_offset(owner, j, e2, 0.0, joint);
    }
  };

  switch (spec.kind) {
    case JointKind::spherical:
      add_coincident(owner, j, joint);
      break;
    case JointKind::revolute:
      add_coincident(owner, j, joint);
      keep_axes_parallel();
      joint.angle = make_angle(j);
      break;
    case JointKind::prismatic:
      stay_on_line();
      keep_orientation();
      joint.displacement = make_displacement(j);
      break;
    case JointKind::cylindrical:
    case JointKind::screw:
      stay_on_line();
      keep_axes_parallel();
      joint.angle = make_angle(j);
      joint.displacement = make_displacement(j);
      break;
    case JointKind::universal:
      add_coincident(owner, j, joint);
      add_perpendicular(owner, j, j.axis, j.axis_b, joint);
      break;
    case JointKind::planar:
      add_offset(owner, j, j.axis, 0.0, joint);
      keep_axes_parallel();
      joint.angle = make_angle(j);
      break;
    case JointKind::fixed:
      add_coincident(owner, j, joint);
      keep_orientation();
      break;
    case JointKind::point_on_line:
      stay_on_line();
      joint.displacement = make_displacement(j);
      break;
    case JointKind::point_on_plane:
      add_offset(owner, j, j.axis, 0.0, joint);
      break;
    case JointKind::distance:
      add_rod(owner, j, spec, joint);
      break;
    case JointKind::constant_orientation:
      keep_orientation();
      break;
    case JointKind::rolling_sphere:
    case JointKind::rolling_disc: {
      const bool disc = spec.kind == JointKind::rolling_disc;
      const Eigen::Vector3d n = local_axis(j.a, j.axis), s_b = local_point(j.b, j.point_b);
      const Eigen::Vector3d axle = local_axis(j.b, j.axis_b);
      if (disc)
        add_element(*disc_, owner, {n, local_point(j.a, j.point), s_b, axle, spec.radius}, {j.a, j.b}, "m", &joint);
      else
        add_offset(owner, j, j.axis, spec.radius, joint);
      add_element(*rolling_, owner, {n, local_axis(j.a, e1), local_axis(j.a, e2), s_b, axle, spec.radius, disc},
                  {j.a, j.b}, "m/s", &joint);
      break;
    }
    case JointKind::knife_edge:
      add_element(*knife_, owner, {joint.s_b, local_axis(j.b, j.axis_b)}, {j.a, j.b}, "m/s", &joint);
      break;
    case JointKind::track:
      add_track_joint(spec, owner, joint);
      break;
  }
  if (joint.angle) joint.angle_branch = out_.system->add_branch(*joint.angle, j.a, j.b);
  if (spec.kind == JointKind::screw) {
    // displacement − pitch/2π · angle = 0, as drawn
    Coupler<2>::Params params;
    params.x[0] = *joint.displacement, params.factor[0] = 1.0;
    params.x[1] = *joint.angle, params.factor[1] = -spec.pitch / (2.0 * std::numbers::pi);
    add_element(*coupler2_, owner, params, {j.a, j.b, j.a, j.b}, "m", nullptr, -1, {-1, joint.angle_branch});
    // Each of its two terms acts on b.
    if (!without_rows_) {
      joint.parts.push_back({coupler2_, coupler2_->size() - 1, 1});
      joint.parts.push_back({coupler2_, coupler2_->size() - 1, 3});
    }
  }
  without_rows_ = false;
  joint_index_[spec.name] = static_cast<int>(out_.joints.size());
  out_.joints.push_back(joint);
  if (!spec.coordinate.empty() && spec.kind != JointKind::distance) {
    CoordinateTerm own = coordinate_of(spec.name, JointCoordinate::automatic);
    CoordinateTerm explicit_one = coordinate_of(spec.coordinate, JointCoordinate::automatic);
    add_coupler_row(owner, {own, explicit_one}, {1.0, -1.0}, 0.0, -1, false);
  }
}

// ---- couplers and motions ------------------------------------------------------------------------------------------

Assembler::CoordinateTerm Assembler::coordinate_of(const std::string& name, JointCoordinate which) const {
  CoordinateTerm term;
  if (const auto it = coordinate_frame_.find(name); it != coordinate_frame_.end()) {
    term.frame[0] = it->second;
    term.frame[1] = 0;
    term.unit = "-";
    return term;
  }
  const Assembly::Joint& joint = out_.joints[joint_index_.at(name)];
  const bool angle = which == JointCoordinate::angle || (which == JointCoordinate::automatic && joint.angle);
  term.x = angle ? *joint.angle : *joint.displacement;
  term.branch = angle ? joint.angle_branch : -1;
  term.frame[0] = joint.frame_a, term.frame[1] = joint.frame_b;
  term.unit = angle ? "rad" : "m";
  return term;
}

template <class K, int N>
void Assembler::add_terms(ConstraintGroup<K>& group, const std::string& owner, const std::vector<CoordinateTerm>& terms,
                          const std::vector<double>& factors, double offset, int input) {
  typename K::Params params;
  std::array<int, 2 * N> frames;
  std::array<int, K::n_turns> branch;
  for (int k = 0; k < N; ++k) {
    params.x[k] = terms[k].x;
    params.factor[k] = factors[k];
    frames[2 * k] = terms[k].frame[0], frames[2 * k + 1] = terms[k].frame[1];
    if constexpr (K::n_turns > 0) branch[k] = terms[k].branch;
  }
  params.offset = offset;
  add_element(group, owner, params, frames, terms[0].unit + (K::holonomic ? "" : "/s"), nullptr, input, branch);
}

int Assembler::add_coupler_row(const std::string& owner, const std::vector<CoordinateTerm>& terms,
                               const std::vector<double>& factors, double offset, int input, bool velocity_level) {
  const int row = out_.system->n_rows();
  switch (terms.size() * 2 + (velocity_level ? 1 : 0)) {
    case 2:
      add_terms<Coupler<1>, 1>(*coupler1_, owner, terms, factors, offset, input);
      break;
    case 3:
      add_terms<SpeedCoupler<1>, 1>(*speed1_, owner, terms, factors, offset, input);
      break;
    case 4:
      add_terms<Coupler<2>, 2>(*coupler2_, owner, terms, factors, offset, input);
      break;
    case 5:
      add_terms<SpeedCoupler<2>, 2>(*speed2_, owner, terms, factors, offset, input);
      break;
    case 6:
      add_terms<Coupler<3>, 3>(*coupler3_, owner, terms, factors, offset, input);
      break;
    default:
      add_terms<SpeedCoupler<3>, 3>(*speed3_, owner, terms, factors, offset, input);
      break;
  }
  return row;
}

void Assembler::add_coupler(const CouplerSpec& spec) {
  std::vector<CoordinateTerm> terms;
  std::vector<double> factors;
  double drawn = 0.0;
  for (const CouplerTerm& term : spec.terms) {
    terms.push_back(coordinate_of(term.name, term.coordinate));
    factors.push_back(term.factor);
    for (const CoordinateSpec& coordinate : model_.coordinates)
      if (coordinate.name == term.name) drawn += term.factor * coordinate.value;
  }
  const int input = spec.value.given() ? add_time_function(spec.value) : -1;
  const double offset = spec.value.given() || spec.velocity_level ? 0.0 : drawn;
  out_.coupler_row.push_back(
      add_coupler_row(fmt::format("coupler '{}'", spec.name), terms, factors, offset, input, spec.velocity_level));
}

void Assembler::add_motion(const MotionSpec& spec) {
  const bool velocity = spec.velocity.given();
  const int input = add_time_function(velocity ? spec.velocity : spec.function);
  out_.motion_input.push_back(input);
  const std::size_t index = out_.motion_row.size();
  if (index < eliminated_.motions.size() && eliminated_.motions[index]) {
    out_.motion_row.push_back(-1);
    return;
  }
  out_.motion_row.push_back(add_coupler_row(fmt::format("motion '{}'", spec.name),
                                            {coordinate_of(spec.joint, spec.coordinate)}, {1.0}, 0.0, input, velocity));
}

// ---- initial values ------------------------------------------------------------------------------------------------

void Assembler::finish_initial_values() {
  const AbsoluteSystem& system = *out_.system;
  out_.drawn.resize(system.nv(), system.nz(), system.nc());
  out_.state = system.make_state();
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    const BodySpec& body = model_.bodies[i];
    const FrameMap& map = system.frame_map(out_.body_frame[i]);
    const Placement& place = places_[out_.body_frame[i]];
    const Eigen::Vector3d v = body.velocity + place.R * body.angular_velocity.cross(body.center_of_mass);
    auto q = out_.drawn.q.segment(map.offset, map.nv);
    auto qd = out_.drawn.v.segment(map.offset, map.nv);
    switch (map.kind) {
      case FrameMap::Kind::rigid:
        q << place.p, Eigen::Vector3d::Zero();
        qd << v, body.angular_velocity;
        out_.state.charts[map.chart].R_ref = place.R;
        break;
      case FrameMap::Kind::planar:
        q = map.S.topRows<3>().transpose() * place.p;
        qd = map.S.topRows<3>().transpose() * v + map.S.bottomRows<3>().transpose() * body.angular_velocity;
        break;
      case FrameMap::Kind::particle:
        q = place.p;
        qd = body.velocity;
        break;
      default:
        break;
    }
  }
  for (std::size_t i = 0; i < model_.coordinates.size(); ++i) {
    const int offset = system.frame_map(out_.coordinate_frame[i]).offset;
    out_.drawn.q[offset] = model_.coordinates[i].value;
    out_.drawn.v[offset] = model_.coordinates[i].rate;
  }
  for (std::size_t i = 0; i < model_.controls.size(); ++i)
    for (std::size_t k = 0; k < model_.controls[i].states.size(); ++k)
      out_.drawn.z[out_.control_states[i][k]] = model_.controls[i].initial[k];
}

}  // namespace detail

Assembly assemble(const Model& model, const Eliminated& eliminated) {
  if (std::vector<Issue> found = issues(model); !found.empty()) throw InputError(std::move(found));
  return assemble_again(model, eliminated);
}

Assembly assemble_again(const Model& model, const Eliminated& eliminated) {
  return detail::Assembler(model, eliminated).run();
}

}  // namespace trammel
