// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/absolute/assemble.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "trammel/mechanics/absolute/assemble_again.h"
#include "trammel/mechanics/absolute/assembler.h"
#include "trammel/mechanics/kinds/joint_rows.h"
#include "trammel/mechanics/signals.h"

namespace trammel {

namespace detail {

Assembler::Assembler(const Model& model, const Eliminated& eliminated, std::shared_ptr<InputSignals> signals)
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
  add_inputs(std::move(signals));
}

void Assembler::add_inputs(std::shared_ptr<InputSignals> signals) {
  if (!signals) {
    signals = std::make_shared<InputSignals>();
    for (const InputSpec& input : model_.inputs) signals->add(input.value);
  }
  for (int i = 0; i < signals->size(); ++i)
    out_.signal_input.push_back(out_.system->add_input(TimeFunction::signal(signals, i)));
  out_.signals = std::move(signals);
}

Assembly Assembler::run() {
  out_.system->set_gravity(model_.gravity);
  add_bodies();
  add_coordinates();
  make_groups();
  add_beams();
  make_tracks();
  for (const RoadSpec& road : model_.roads) roads_[road.name] = std::make_shared<RoadSurface>(road);
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
    const Placement place = place_body(body);
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
  const auto make = [this]<class Group>(Group*& group) {
    if constexpr (std::is_constructible_v<Group, FormulaSet&>)
      group = &out_.system->add_group(std::make_unique<Group>(*out_.formulas));
    else
      group = &out_.system->add_group(std::make_unique<Group>());
  };
  std::apply([&](auto*&... group) { (make(group), ...); }, groups_);
  out_.beams = &group<BeamGroup>();
  out_.wheels = &group<WheelRailGroup>();
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

// Axes whose relative position is the identity as drawn (crossed: the second axis is x of a and z of b).
void Assembler::find_axes(JointAxes axes, const DrawnJoint& j, Assembly::Joint& joint) const {
  const auto put = [&](int frame, const Eigen::Vector3d& x, const Eigen::Vector3d& z, Eigen::Matrix3d& out) {
    const Eigen::Vector3d across = (x - z * z.dot(x)).normalized();
    out << local_axis(frame, across), local_axis(frame, z.cross(across)), local_axis(frame, z);
  };
  if (axes == JointAxes::crossed) {
    put(j.a, j.axis_b, j.axis, joint.axes_a);
    put(j.b, j.axis.cross(j.axis_b), j.axis_b, joint.axes_b);
    return;
  }
  const Eigen::Vector3d z_a = axes == JointAxes::normal && j.planar ? j.normal : j.axis;
  const Eigen::Vector3d x = complete_triad(z_a).first;
  put(j.a, x, z_a, joint.axes_a);
  put(j.b, x, axes == JointAxes::both ? j.axis_b : z_a, joint.axes_b);
}

void Assembler::add_joint(const JointSpec& spec) {
  const JointDescription& kind = *spec.kind;
  const std::string owner = fmt::format("joint '{}'", spec.name);
  const DrawnJoint j = draw_joint(spec, kind.needs.center_b, frame_of(spec.body_a), frame_of(spec.body_b), places_,
                                  [this](const auto& drawn) { return world(drawn); });
  Assembly::Joint joint;
  joint.frame_a = j.a, joint.frame_b = j.b;
  joint.s_a = local_point(j.a, j.point);
  joint.s_b = local_point(j.b, j.point_b);
  joint.planar = j.planar;
  find_axes(kind.axes, j, joint);
  const std::size_t index = out_.joints.size();
  without_rows_ = index < eliminated_.joints.size() && eliminated_.joints[index];
  carried_.clear();
  JointRows rows(j, places_, *this, spec, owner, joint);
  kind.compose(rows, spec);
  without_rows_ = false;
  joint_index_[spec.name] = static_cast<int>(out_.joints.size());
  out_.joints.push_back(std::move(joint));
  if (!spec.coordinate.empty() && !kind.coordinates.in_rows) {
    const CoordinateTerm own = carried_.empty() ? coordinate_of(spec.name, JointCoordinate::automatic) : carried_[0];
    carry(owner, own, spec.coordinate);
  }
  for (std::size_t i = 0; i < spec.coordinates.size(); ++i) carry(owner, carried_[i], spec.coordinates[i]);
}

void Assembler::carry(const std::string& owner, const CoordinateTerm& own, const std::string& coordinate) {
  add_coupler_row(owner, {own, coordinate_of(coordinate, JointCoordinate::automatic)}, {1.0, -1.0}, 0.0, -1, false);
}

// ---- couplers and motions ------------------------------------------------------------------------------------------

CoordinateTerm Assembler::coordinate_of(const std::string& name, JointCoordinate which) const {
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
      add_terms<Coupler<1>, 1>(group<ConstraintGroup<Coupler<1>>>(), owner, terms, factors, offset, input);
      break;
    case 3:
      add_terms<SpeedCoupler<1>, 1>(group<ConstraintGroup<SpeedCoupler<1>>>(), owner, terms, factors, offset, input);
      break;
    case 4:
      add_terms<Coupler<2>, 2>(group<ConstraintGroup<Coupler<2>>>(), owner, terms, factors, offset, input);
      break;
    case 5:
      add_terms<SpeedCoupler<2>, 2>(group<ConstraintGroup<SpeedCoupler<2>>>(), owner, terms, factors, offset, input);
      break;
    case 6:
      add_terms<Coupler<3>, 3>(group<ConstraintGroup<Coupler<3>>>(), owner, terms, factors, offset, input);
      break;
    default:
      add_terms<SpeedCoupler<3>, 3>(group<ConstraintGroup<SpeedCoupler<3>>>(), owner, terms, factors, offset, input);
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

Assembly assemble_again(const Model& model, const Eliminated& eliminated, std::shared_ptr<InputSignals> signals) {
  return detail::Assembler(model, eliminated, std::move(signals)).run();
}

}  // namespace trammel
