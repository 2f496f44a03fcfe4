#include "trammel/simulation/recorder.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>

namespace trammel {

namespace {

const std::vector<std::string> xyz{"x", "y", "z"};

// The wrench of a joint on its body b: force, and moment about the joint's point, in world axes.
std::pair<Vec3<double>, Vec3<double>> calc_reaction(const Assembly::Joint& joint, const KinematicState& k) {
  Wrench<double> sum = zero_wrench<double>();
  for (const FormulaSignal::Part& part : joint.parts) {
    Frame<double> local[6];
    for (int i = 0; i < part.group->frames_per_element(); ++i) local[i] = k.frames[part.group->frame(part.element, i)];
    add(sum, part.group->reaction(part.element, local, k.lam.data() + part.group->first_row(part.element),
                                  part.local_frame));
  }
  const Frame<double>& b = k.frames[joint.frame_b];
  return {sum.force, b.R * sum.moment - (b.R * joint.s_b).cross(sum.force)};
}

// The wrench of an applied force on its body b: force, and moment about the point where it acts, in world axes.
Wrench<double> calc_force(const Assembly::Force& force, const KinematicState& k,
                          std::vector<Wrench<double>>& wrenches) {
  force.group->add_forces(k, wrenches, {});
  const Frame<double>& b = k.frames[force.frame_b];
  Wrench<double> w = wrenches[force.frame_b];
  w.moment = b.R * w.moment - (b.R * force.s_b).cross(w.force);
  for (const int frame : {force.frame_a, force.frame_b, force.others[0], force.others[1]})
    wrenches[frame] = zero_wrench<double>();
  return w;
}

// The effort Q of what acts on a coordinate: its wrenches are Q ∂x/∂twist, so that Q follows from the largest of them.
double calc_effort(const Assembly::Force& force, const KinematicState& k, std::vector<Wrench<double>>& wrenches) {
  force.group->add_forces(k, wrenches, {});
  const int frames[2] = {force.frame_a, force.frame_b};
  const Frame<double> f[2] = {k.frames[frames[0]], k.frames[frames[1]]};
  FrameRow<double> g[2];
  force.x->gradient(f, g);
  double effort = 0.0, largest = 0.0;
  for (int i = 0; i < 2; ++i) {
    const double size = g[i].force.squaredNorm() + g[i].moment.squaredNorm();
    if (size <= largest) continue;
    largest = size;
    const Wrench<double>& w = wrenches[frames[i]];
    effort = (w.force.dot(g[i].force) + w.moment.dot(g[i].moment)) / size;
  }
  wrenches[frames[0]] = wrenches[frames[1]] = zero_wrench<double>();
  return effort;
}

std::string effort_unit(RelativeCoordinate::Type type) {
  switch (type) {
    case RelativeCoordinate::Type::angle:
      return "N m";
    case RelativeCoordinate::Type::displacement:
      return "N";
    case RelativeCoordinate::Type::scalar:
      break;
  }
  return "N or N m";
}

}  // namespace

Recorder::Recorder(const Model& model, const Assembly& assembly, bool statics)
    : model_(model), assembly_(assembly), workspace_(assembly.system->make_workspace()), statics_(statics) {
  std::vector<std::string> bodies, joints, angles, displacements, motions, coordinates, states, measures, points,
      forces, springs, beam_elements, beam_points;
  std::vector<std::string> spring_units, measure_units;
  for (const BodySpec& body : model.bodies) bodies.push_back(body.name);
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    joints.push_back(model.joints[i].name);
    if (assembly.joints[i].angle) angles.push_back(model.joints[i].name);
    if (assembly.joints[i].displacement) displacements.push_back(model.joints[i].name);
  }
  for (std::size_t i = 0; i < model.forces.size(); ++i)
    if (assembly.forces[i].on_joint) {
      springs.push_back(model.forces[i].name);
      spring_units.push_back(effort_unit(assembly.forces[i].x->type));
    } else {
      forces.push_back(model.forces[i].name);
    }
  for (const Beam& beam : model.beams)
    for (int e = 1; e <= beam.n_elements(); ++e) {
      beam_elements.push_back(fmt::format("{} {}", beam.name, e));
      for (int g = 1; g <= beam.order; ++g) beam_points.push_back(fmt::format("{} {} {}", beam.name, e, g));
    }
  for (const MotionSpec& motion : model.motions) motions.push_back(motion.name);
  for (const CoordinateSpec& coordinate : model.coordinates) coordinates.push_back(coordinate.name);
  for (const ControlSpec& control : model.controls)
    for (const std::string& state : control.states) states.push_back(control.name + "." + state);
  for (const MeasureSpec& measure : model.measures) {
    if (measure.kind == MeasureKind::point) {
      points.push_back(measure.name);
    } else {
      measures.push_back(measure.name);
      measure_units.push_back(measure.kind == MeasureKind::distance && measure.unit.empty() ? "m" : measure.unit);
    }
  }
  const auto body = [&](const std::string& quantity, std::vector<std::string> components, const std::string& unit,
                        const std::string& text) {
    groups_.push_back({"/frames/" + quantity, bodies, std::move(components), unit, text, "/bodies/{name}/" + quantity});
  };
  body("position", xyz, "m", "origin of the body, world axes");
  body("orientation", {"w", "x", "y", "z"}, "", "unit quaternion of R_WB");
  body("velocity", xyz, "m/s", "velocity of the origin, world axes");
  body("angular_velocity", xyz, "rad/s", "angular velocity, body axes");
  body("acceleration", xyz, "m/s^2", "acceleration of the centre of mass, world axes");
  body("angular_acceleration", xyz, "rad/s^2", "time derivative of the angular velocity, body axes");
  const auto joint = [&](const std::string& quantity, const std::vector<std::string>& names,
                         std::vector<std::string> components, const std::string& unit, const std::string& text) {
    groups_.push_back({"/frames/" + quantity, names, std::move(components), unit, text, "/joints/{name}/" + quantity});
  };
  joint("reaction_force", joints, xyz, "N", "force on body b, world axes");
  joint("reaction_moment", joints, xyz, "N m", "moment on body b about the joint's point, world axes");
  joint("angle", angles, {}, "rad", "about the axis, full turns counted; zero as drawn");
  joint("angle_rate", angles, {}, "rad/s", "");
  joint("displacement", displacements, {}, "m", "along the axis; zero as drawn");
  joint("displacement_rate", displacements, {}, "m/s", "");
  const auto force = [&](const std::string& quantity, const std::string& unit, const std::string& text) {
    groups_.push_back({"/frames/" + quantity, forces, xyz, unit, text, "/forces/{name}/" + quantity});
  };
  force("applied_force", "N", "force on body b at its point, world axes");
  force("applied_moment", "N m", "moment on body b about that point, world axes");
  groups_.push_back({"/frames/applied_effort",
                     springs,
                     {},
                     "N or N m",
                     "force or torque of a spring or stop on its joint's coordinate",
                     "/forces/{name}/applied_effort",
                     spring_units});
  groups_.push_back(
      {"/frames/effort", motions, {}, "N or N m", "force or torque that a motion exerts", "/motions/{name}/effort"});
  groups_.push_back({"/frames/coordinate",
                     coordinates,
                     {"value", "rate"},
                     "",
                     "massless coordinates",
                     "/coordinates/{name}/coordinate"});
  groups_.push_back({"/frames/state", states, {}, "", "internal states of controls", "/states/{name}"});
  groups_.push_back({"/frames/point", points, xyz, "m", "point measures, world axes", "/points/{name}/point"});
  groups_.push_back({"/frames/point_velocity", points, xyz, "m/s", "", "/points/{name}/point_velocity"});
  groups_.push_back({"/frames/measure", measures, {}, "", "measures", "/measures/{name}", measure_units});
  groups_.push_back({"/frames/beam_strain",
                     beam_points,
                     {"stretch", "shear_2", "shear_3", "twist", "bending_2", "bending_3"},
                     "1 and 1/m",
                     "strains at the integration points of beams: beam, element, point; section axes",
                     "/beams/{name}/strain"});
  groups_.push_back({"/frames/beam_force",
                     beam_points,
                     {"n1", "n2", "n3", "m1", "m2", "m3"},
                     "N and N m",
                     "internal forces and moments there; section axes",
                     "/beams/{name}/force"});
  groups_.push_back(
      {"/frames/beam_energy", beam_elements, {}, "J", "strain energy of each element", "/beams/{name}/energy"});
  std::vector<std::string> contacts;
  for (const ContactSpec& contact : model.contacts) contacts.push_back(contact.name);
  const auto contact = [&](const std::string& quantity, std::vector<std::string> components, const std::string& unit,
                           const std::string& text) {
    groups_.push_back(
        {"/frames/" + quantity, contacts, std::move(components), unit, text, "/contacts/{name}/" + quantity});
  };
  contact("normal_force", {}, "N", "sum of the normal forces of all places");
  contact("friction_force", {}, "N", "sum of the sizes of the friction forces");
  contact("penetration", {}, "m", "of the place that presses most; 0: nothing touches");
  contact("touching", {}, "", "number of places that press");
  contact("contact_point", xyz, "m", "of the place that presses most, world axes");
  groups_.push_back({"/frames/energy",
                     {"kinetic", "potential", "total", "work", "drift"},
                     {},
                     "J",
                     "drift = total − total at the start − work",
                     "/energy/{name}"});
  groups_.push_back({"/frames/constraint_drift",
                     {"position", "velocity"},
                     {},
                     "m, rad and per second",
                     "largest violation at the last accepted step",
                     "/constraint_drift/{name}"});
  if (statics) groups_.push_back({"/frames/load", {"load"}, {}, "", "the part of the load", "/statics/{name}"});
  std::erase_if(groups_, [](const RecordGroup& group) { return group.names.empty(); });
  std::size_t width = 0;
  for (const RecordGroup& group : groups_) width += group.width();
  values_.resize(width);
  n_forces_ = static_cast<std::ptrdiff_t>(forces.size());
  wrenches_.assign(static_cast<std::size_t>(assembly.system->n_frames()), zero_wrench<double>());
  for (const EventSpec& event : model.events)
    for (std::size_t i = 0; i < model.measures.size(); ++i)
      if (model.measures[i].name == event.measure) event_measure_.push_back(i);
}

void Recorder::calc_events(const MotionPoint& p, const State& state, Vec g) {
  const KinematicState k = assembly_.system->update_kinematics(p, state, *workspace_);
  for (std::size_t i = 0; i < event_measure_.size(); ++i)
    g[static_cast<Eigen::Index>(i)] =
        assembly_.formulas->evaluate(assembly_.measures[event_measure_[i]], k) - model_.events[i].level;
}

// Quantities follow each other, each for all contacts: force, friction, depth, count, point.
double* Recorder::put_contacts(KinematicState k, const State& state, double* next) const {
  const ContactGroup* group = assembly_.contacts;
  if (group == nullptr) return next;
  const std::size_t n = group->laws().size();
  std::fill(next, next + 7 * n, 0.0);
  if (group->n_modes() > 0) {
    k.modes = std::span(state.modes).subspan(assembly_.contact_modes, group->n_modes());
    for (std::size_t law = 0; law < n; ++law) {
      double most = 0.0;
      for (int i = 0; i < group->n_listed(k.modes); ++i) {
        const ContactGroup::Place place = group->place(k.modes, i);
        if (place.law != static_cast<int>(law)) continue;
        const ContactGroup::Report report = group->calc_report(k, place);
        if (!(report.normal_force > 0.0)) continue;
        next[law] += report.normal_force;
        next[n + law] += report.friction.norm();
        next[3 * n + law] += 1.0;
        if (report.normal_force <= most) continue;
        most = report.normal_force;
        next[2 * n + law] = report.depth;
        std::copy(report.point.data(), report.point.data() + 3, next + 4 * n + 3 * law);
      }
    }
  }
  return next + 7 * n;
}

std::span<const double> Recorder::update_frame(const MotionPoint& p, const State& state, const Ledger& ledger) {
  const AbsoluteSystem& system = *assembly_.system;
  const KinematicState k = system.update_kinematics(p, state, *workspace_);
  double* next = values_.data();
  const auto put = [&](double x) { *next++ = x; };
  const auto put3 = [&](const Vec3<double>& x) {
    for (int i = 0; i < 3; ++i) *next++ = x[i];
  };
  const std::size_t n_bodies = model_.bodies.size();
  const auto frame = [&](std::size_t i) -> const Frame<double>& { return k.frames[assembly_.body_frame[i]]; };
  for (std::size_t i = 0; i < n_bodies; ++i) put3(frame(i).p - frame(i).R * assembly_.center_of_mass[i]);
  for (std::size_t i = 0; i < n_bodies; ++i) {
    const Eigen::Quaterniond quaternion(frame(i).R);
    put(quaternion.w());
    put3(quaternion.vec());
  }
  for (std::size_t i = 0; i < n_bodies; ++i) put3(point_velocity(frame(i), -assembly_.center_of_mass[i]));
  for (std::size_t i = 0; i < n_bodies; ++i) put3(frame(i).w);
  const auto twist_rate = [&](std::size_t i, int first) -> Vec3<double> {
    const FrameMap& map = system.frame_map(assembly_.body_frame[i]);
    const auto a = p.a.segment(map.offset, map.nv);
    switch (map.kind) {
      case FrameMap::Kind::rigid:
        return a.segment<3>(first);
      case FrameMap::Kind::planar:
        return map.S.block<3, 3>(first, 0) * a;
      default:
        return first == 0 ? Vec3<double>(a) : Vec3<double>::Zero();
    }
  };
  for (std::size_t i = 0; i < n_bodies; ++i) put3(twist_rate(i, 0));
  for (std::size_t i = 0; i < n_bodies; ++i) put3(twist_rate(i, 3));

  for (const Assembly::Joint& joint : assembly_.joints) put3(calc_reaction(joint, k).first);
  for (const Assembly::Joint& joint : assembly_.joints) put3(calc_reaction(joint, k).second);
  const auto put_coordinates = [&](bool angle, bool rate) {
    for (const Assembly::Joint& joint : assembly_.joints) {
      const auto& x = angle ? joint.angle : joint.displacement;
      if (!x) continue;
      const Frame<double> f[2] = {k.frames[joint.frame_a], k.frames[joint.frame_b]};
      FrameRow<double> g[2];
      x->gradient(f, g);
      put(rate ? along(g[0], f[0]) + along(g[1], f[1]) : x->value(f, angle ? k.turns[joint.angle_branch] : 0.0));
    }
  };
  put_coordinates(true, false), put_coordinates(true, true);
  put_coordinates(false, false), put_coordinates(false, true);
  double* moments = next + 3 * n_forces_;
  for (const Assembly::Force& force : assembly_.forces) {
    if (force.on_joint) continue;
    const Wrench<double> w = calc_force(force, k, wrenches_);
    put3(w.force);
    moments = std::copy(w.moment.data(), w.moment.data() + 3, moments);
  }
  next = moments;
  for (const Assembly::Force& force : assembly_.forces)
    if (force.on_joint) put(calc_effort(force, k, wrenches_));
  for (int row : assembly_.motion_row) put(-k.lam[row]);
  for (int f : assembly_.coordinate_frame) put(k.frames[f].p.x()), put(k.frames[f].v.x());
  for (const std::vector<int>& states : assembly_.control_states)
    for (const int z : states) put(k.z[z]);
  for (const auto kind : {FormulaSignal::Type::position, FormulaSignal::Type::velocity})
    for (std::size_t i = 0; i < model_.measures.size(); ++i) {
      if (model_.measures[i].kind != MeasureKind::point) continue;
      const FormulaSignal& point = assembly_.measures[i];
      const Frame<double>& f = k.frames[point.frame[0]];
      put3(kind == FormulaSignal::Type::position ? point_position(f, point.s[0]) : point_velocity(f, point.s[0]));
    }
  for (std::size_t i = 0; i < model_.measures.size(); ++i)
    if (model_.measures[i].kind != MeasureKind::point) put(assembly_.formulas->evaluate(assembly_.measures[i], k));
  const int n_elements = assembly_.beams->size();
  SectionState sections[BeamElement::max_points];
  for (const auto quantity : {&SectionState::strain, &SectionState::resultant})
    for (int e = 0; e < n_elements; ++e) {
      assembly_.beams->sections(e, k, sections);
      for (int g = 0; g < assembly_.beams->element(e).points(); ++g)
        next = std::copy_n((sections[g].*quantity).data(), 6, next);
    }
  for (int e = 0; e < n_elements; ++e) put(assembly_.beams->energy(e, k));
  next = put_contacts(k, state, next);
  const auto energy = system.calc_energy(p, state, *workspace_);
  const double total = energy.kinetic + energy.potential;
  for (double x : {energy.kinetic, energy.potential, total, ledger.work, ledger.drift()}) put(x);
  put(ledger.position), put(ledger.velocity);
  if (statics_) put(ledger.load);
  return values_;
}

}  // namespace trammel
