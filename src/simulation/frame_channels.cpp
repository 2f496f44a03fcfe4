// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/frame_channels.h"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include "trammel/mechanics/elements/tyre_report.h"
#include "trammel/mechanics/kinds/measure_descriptor.h"
#include "trammel/simulation/frame_channel_parts.h"

namespace trammel {

namespace {

const std::vector<std::string> xyz{"x", "y", "z"};

// ---- which items a machine has --------------------------------------------------------------------------------------

template <class Spec>
std::vector<std::string> names_of(const std::vector<Spec>& list) {
  std::vector<std::string> names;
  for (const Spec& spec : list) names.push_back(spec.name);
  return names;
}

ChannelItems joints_with(const FrameSource& s, std::optional<RelativeCoordinate> Assembly::Joint::*x) {
  ChannelItems items;
  for (std::size_t i = 0; i < s.model.joints.size(); ++i)
    if (s.assembly.joints[i].*x) items.names.push_back(s.model.joints[i].name);
  return items;
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

ChannelItems forces_at_points(const FrameSource& s) {
  ChannelItems items;
  for (std::size_t i = 0; i < s.model.forces.size(); ++i)
    if (!s.assembly.forces[i].on_joint) items.names.push_back(s.model.forces[i].name);
  return items;
}

ChannelItems forces_on_coordinates(const FrameSource& s) {
  ChannelItems items;
  for (std::size_t i = 0; i < s.model.forces.size(); ++i) {
    if (!s.assembly.forces[i].on_joint) continue;
    items.names.push_back(s.model.forces[i].name);
    items.units.push_back(effort_unit(s.assembly.forces[i].x->type));
  }
  return items;
}

ChannelItems tyres(const FrameSource& s) {
  ChannelItems items;
  for (const ForceSpec& force : s.model.forces)
    if (force.kind == ForceKind::tyre) items.names.push_back(force.name);
  return items;
}

ChannelItems states_of_controls(const FrameSource& s) {
  ChannelItems items;
  for (const ControlSpec& control : s.model.controls)
    for (const std::string& state : control.states) items.names.push_back(control.name + "." + state);
  return items;
}

ChannelItems inputs_from_outside(const FrameSource& s) {
  ChannelItems items;
  for (const InputSpec& input : s.model.inputs) {
    items.names.push_back(input.name);
    items.units.push_back(input.unit);
  }
  return items;
}

ChannelItems point_measures(const FrameSource& s) {
  ChannelItems items;
  for (const MeasureSpec& measure : s.model.measures)
    if (measure.kind->is_point) items.names.push_back(measure.name);
  return items;
}

ChannelItems scalar_measures(const FrameSource& s) {
  ChannelItems items;
  for (const MeasureSpec& measure : s.model.measures) {
    if (measure.kind->is_point) continue;
    items.names.push_back(measure.name);
    items.units.push_back(measure.unit.empty() ? std::string(measure.kind->unit) : measure.unit);
  }
  return items;
}

// ---- channels that are alike ----------------------------------------------------------------------------------------

// Of every body: `write(instant, frame, i, out)` for the i-th.
template <class Write>
FrameChannel of_bodies(const std::string& quantity, std::vector<std::string> components, std::string unit,
                       std::string meaning, Write write) {
  return {.quantity = quantity,
          .view = "/bodies/{name}/" + quantity,
          .components = std::move(components),
          .unit = std::move(unit),
          .meaning = std::move(meaning),
          .items =
              [](const FrameSource& s) {
                return ChannelItems{names_of(s.model.bodies), {}};
              },
          .write =
              [write](const FrameInstant& at, ChannelValues& out) {
                for (std::size_t i = 0; i < at.model.bodies.size(); ++i)
                  write(at, at.k.frames[at.assembly.body_frame[i]], i, out);
              }};
}

// One half of (v̇, ω̇) of a body, from the accelerations of its coordinates: rows `first` … of S a.
Vec3<double> calc_twist_rate(const Assembly& assembly, const MotionPoint& point, std::size_t body, int first) {
  const FrameMap& map = assembly.system->frame_map(assembly.body_frame[body]);
  const auto a = point.a.segment(map.offset, map.nv);
  switch (map.kind) {
    case FrameMap::Kind::rigid:
      return a.segment<3>(first);
    case FrameMap::Kind::planar:
      return map.S.block<3, 3>(first, 0) * a;
    default:
      return first == 0 ? Vec3<double>(a) : Vec3<double>::Zero();
  }
}

FrameChannel reaction(const std::string& quantity, Vec3<double> Wrench<double>::*part, std::string unit,
                      std::string meaning) {
  return {.quantity = quantity,
          .view = "/joints/{name}/" + quantity,
          .components = xyz,
          .unit = std::move(unit),
          .meaning = std::move(meaning),
          .items =
              [](const FrameSource& s) {
                return s.reactions ? ChannelItems{names_of(s.model.joints), {}} : ChannelItems{};
              },
          .write =
              [part](const FrameInstant& at, ChannelValues& out) {
                for (const Wrench<double>& w : at.parts.reactions) out.put(w.*part);
              }};
}

// The angle or displacement of joints that have one, or its rate.
FrameChannel joint_coordinate(const std::string& quantity, std::optional<RelativeCoordinate> Assembly::Joint::*x,
                              bool rate, std::string unit, std::string meaning) {
  return {.quantity = quantity,
          .view = "/joints/{name}/" + quantity,
          .unit = std::move(unit),
          .meaning = std::move(meaning),
          .items = [x](const FrameSource& s) { return joints_with(s, x); },
          .write =
              [x, rate](const FrameInstant& at, ChannelValues& out) {
                for (const Assembly::Joint& joint : at.assembly.joints) {
                  if (!(joint.*x)) continue;
                  const Frame<double> f[2] = {at.k.frames[joint.frame_a], at.k.frames[joint.frame_b]};
                  if (!rate) {
                    const bool turns = (joint.*x)->type == RelativeCoordinate::Type::angle;
                    out.put((joint.*x)->value(f, turns ? at.k.turns[joint.angle_branch] : 0.0));
                    continue;
                  }
                  FrameRow<double> g[2];
                  (joint.*x)->gradient(f, g);
                  out.put(along(g[0], f[0]) + along(g[1], f[1]));
                }
              }};
}

FrameChannel applied(const std::string& quantity, Vec3<double> Wrench<double>::*part, std::string unit,
                     std::string meaning) {
  return {.quantity = quantity,
          .view = "/forces/{name}/" + quantity,
          .components = xyz,
          .unit = std::move(unit),
          .meaning = std::move(meaning),
          .items = forces_at_points,
          .write = [part](const FrameInstant& at, ChannelValues& out) {
            for (const Wrench<double>& w : at.parts.applied) out.put(w.*part);
          }};
}

// Of the point measures: `value(frame, s)` of the frame that holds the point s.
template <class Value>
FrameChannel of_points(const std::string& quantity, std::string unit, std::string meaning, Value value) {
  return {.quantity = quantity,
          .view = "/points/{name}/" + quantity,
          .components = xyz,
          .unit = std::move(unit),
          .meaning = std::move(meaning),
          .items = point_measures,
          .write = [value](const FrameInstant& at, ChannelValues& out) {
            for (std::size_t i = 0; i < at.model.measures.size(); ++i) {
              if (!at.model.measures[i].kind->is_point) continue;
              const FormulaSignal& point = at.assembly.measures[i];
              out.put(Vec3<double>(value(at.k.frames[point.frame[0]], point.s[0])));
            }
          }};
}

// ---- the list -------------------------------------------------------------------------------------------------------

void add_bodies(std::vector<FrameChannel>& list) {
  using F = Frame<double>;
  list.push_back(of_bodies("position", xyz, "m", "origin of the body, world axes",
                           [](const FrameInstant& at, const F& f, std::size_t i, ChannelValues& out) {
                             out.put(Vec3<double>(f.p - f.R * at.assembly.center_of_mass[i]));
                           }));
  list.push_back(of_bodies("orientation", {"w", "x", "y", "z"}, "", "unit quaternion of R_WB",
                           [](const FrameInstant&, const F& f, std::size_t, ChannelValues& out) {
                             const Eigen::Quaterniond quaternion(f.R);
                             out.put(quaternion.w());
                             out.put(Vec3<double>(quaternion.vec()));
                           }));
  list.push_back(of_bodies("velocity", xyz, "m/s", "velocity of the origin, world axes",
                           [](const FrameInstant& at, const F& f, std::size_t i, ChannelValues& out) {
                             out.put(point_velocity(f, Vec3<double>(-at.assembly.center_of_mass[i])));
                           }));
  list.push_back(of_bodies("angular_velocity", xyz, "rad/s", "angular velocity, body axes",
                           [](const FrameInstant&, const F& f, std::size_t, ChannelValues& out) { out.put(f.w); }));
  list.push_back(of_bodies("acceleration", xyz, "m/s^2", "acceleration of the centre of mass, world axes",
                           [](const FrameInstant& at, const F&, std::size_t i, ChannelValues& out) {
                             out.put(calc_twist_rate(at.assembly, at.point, i, 0));
                           }));
  list.push_back(of_bodies("angular_acceleration", xyz, "rad/s^2", "time derivative of the angular velocity, body axes",
                           [](const FrameInstant& at, const F&, std::size_t i, ChannelValues& out) {
                             out.put(calc_twist_rate(at.assembly, at.point, i, 3));
                           }));
}

void add_joints(std::vector<FrameChannel>& list) {
  list.push_back(reaction("reaction_force", &Wrench<double>::force, "N", "force on body b, world axes"));
  list.push_back(reaction("reaction_moment", &Wrench<double>::moment, "N m",
                          "moment on body b about the joint's point, world axes"));
  list.push_back(joint_coordinate("angle", &Assembly::Joint::angle, false, "rad",
                                  "about the axis, full turns counted; zero as drawn"));
  list.push_back(joint_coordinate("angle_rate", &Assembly::Joint::angle, true, "rad/s", ""));
  list.push_back(
      joint_coordinate("displacement", &Assembly::Joint::displacement, false, "m", "along the axis; zero as drawn"));
  list.push_back(joint_coordinate("displacement_rate", &Assembly::Joint::displacement, true, "m/s", ""));
}

void add_forces(std::vector<FrameChannel>& list) {
  list.push_back(applied("applied_force", &Wrench<double>::force, "N", "force on body b at its point, world axes"));
  list.push_back(
      applied("applied_moment", &Wrench<double>::moment, "N m", "moment on body b about that point, world axes"));
  list.push_back({.quantity = "applied_effort",
                  .view = "/forces/{name}/applied_effort",
                  .unit = "N or N m",
                  .meaning = "force or torque of a spring or stop on its joint's coordinate",
                  .items = forces_on_coordinates,
                  .write = [](const FrameInstant& at, ChannelValues& out) {
                    for (const double effort : at.parts.efforts) out.put(effort);
                  }});
  list.push_back({.quantity = "effort",
                  .view = "/motions/{name}/effort",
                  .unit = "N or N m",
                  .meaning = "force or torque that a motion exerts",
                  .items =
                      [](const FrameSource& s) {
                        return s.reactions ? ChannelItems{names_of(s.model.motions), {}} : ChannelItems{};
                      },
                  .write =
                      [](const FrameInstant& at, ChannelValues& out) {
                        for (const int row : at.assembly.motion_row) out.put(-at.k.lam[row]);
                      }});
  list.push_back({.quantity = "coupler_effort",
                  .view = "/couplers/{name}/effort",
                  .unit = "N or N m",
                  .meaning = "force or torque that a coupler or gear exerts on a coordinate with the factor 1",
                  .items =
                      [](const FrameSource& s) {
                        return s.reactions ? ChannelItems{names_of(s.model.couplers), {}} : ChannelItems{};
                      },
                  .write =
                      [](const FrameInstant& at, ChannelValues& out) {
                        for (const int row : at.assembly.coupler_row) out.put(-at.k.lam[row]);
                      }});
  list.push_back({.quantity = "tyre",
                  .view = "/tyres/{name}",
                  .components = {"load", "slip", "slip_angle", "camber", "drive", "side", "aligning", "friction_ahead",
                                 "friction_left"},
                  .unit = "N, rad, N m",
                  .meaning = "load, slips, camber, forces ahead and to the left, moment, and the parts of friction "
                             "that are taken",
                  .items = tyres,
                  .write = [](const FrameInstant& at, ChannelValues& out) {
                    for (std::size_t i = 0; i < at.model.forces.size(); ++i)
                      for (int c = 0; at.model.forces[i].kind == ForceKind::tyre && c < n_tyre_values; ++c)
                        out.put(calc_tyre_value(*at.assembly.forces[i].group, at.k, c));
                  }});
}

void add_coordinates_and_measures(std::vector<FrameChannel>& list) {
  list.push_back({.quantity = "coordinate",
                  .view = "/coordinates/{name}/coordinate",
                  .components = {"value", "rate"},
                  .meaning = "massless coordinates",
                  .items =
                      [](const FrameSource& s) {
                        return ChannelItems{names_of(s.model.coordinates), {}};
                      },
                  .write =
                      [](const FrameInstant& at, ChannelValues& out) {
                        for (const int f : at.assembly.coordinate_frame) {
                          out.put(at.k.frames[f].p.x());
                          out.put(at.k.frames[f].v.x());
                        }
                      }});
  list.push_back({.quantity = "state",
                  .view = "/states/{name}",
                  .meaning = "internal states of controls",
                  .items = states_of_controls,
                  .write = [](const FrameInstant& at, ChannelValues& out) {
                    for (const std::vector<int>& states : at.assembly.control_states)
                      for (const int z : states) out.put(at.k.z[z]);
                  }});
  list.push_back({.quantity = "input",
                  .view = "/inputs/{name}",
                  .meaning = "values that are set from outside",
                  .items = inputs_from_outside,
                  .write = [](const FrameInstant& at, ChannelValues& out) {
                    for (const int input : at.assembly.signal_input)
                      out.put(at.k.in.u[static_cast<std::size_t>(input)]);
                  }});
  list.push_back(of_points("point", "m", "point measures, world axes",
                           [](const Frame<double>& f, const Vec3<double>& s) { return point_position(f, s); }));
  list.push_back(of_points("point_velocity", "m/s", "",
                           [](const Frame<double>& f, const Vec3<double>& s) { return point_velocity(f, s); }));
  list.push_back({.quantity = "measure",
                  .view = "/measures/{name}",
                  .meaning = "measures",
                  .items = scalar_measures,
                  .write = [](const FrameInstant& at, ChannelValues& out) {
                    for (std::size_t i = 0; i < at.model.measures.size(); ++i)
                      if (!at.model.measures[i].kind->is_point)
                        out.put(at.assembly.formulas->evaluate(at.assembly.measures[i], at.k));
                  }});
}

void add_ledger(std::vector<FrameChannel>& list) {
  list.push_back({.quantity = "energy",
                  .view = "/energy/{name}",
                  .unit = "J",
                  .meaning = "drift = total − total at the start − work",
                  .items =
                      [](const FrameSource&) {
                        return ChannelItems{{"kinetic", "potential", "total", "work", "drift"}, {}};
                      },
                  .write =
                      [](const FrameInstant& at, ChannelValues& out) {
                        const MechanicalSystem::Energy& energy = at.parts.energy;
                        const double total = energy.kinetic + energy.potential;
                        for (const double x : {energy.kinetic, energy.potential, total, at.ledger.work,
                                               total - at.ledger.start - at.ledger.work})
                          out.put(x);
                      }});
  list.push_back({.quantity = "constraint_drift",
                  .view = "/constraint_drift/{name}",
                  .unit = "m, rad and per second",
                  .meaning = "largest violation at this instant",
                  .items =
                      [](const FrameSource&) {
                        return ChannelItems{{"position", "velocity"}, {}};
                      },
                  .write =
                      [](const FrameInstant& at, ChannelValues& out) {
                        out.put(at.ledger.position);
                        out.put(at.ledger.velocity);
                      }});
  list.push_back({.quantity = "load",
                  .view = "/statics/{name}",
                  .meaning = "the part of the load",
                  .items =
                      [](const FrameSource& s) {
                        return s.statics ? ChannelItems{{"load"}, {}} : ChannelItems{};
                      },
                  .write = [](const FrameInstant& at, ChannelValues& out) { out.put(at.ledger.load); }});
}

}  // namespace

// The centre of mass has v̇; the origin is −com from it.
Vec3<double> calc_origin_acceleration(const Assembly& assembly, const MotionPoint& point, const KinematicState& k,
                                      std::size_t body) {
  const Frame<double>& f = k.frames[assembly.body_frame[body]];
  const Vec3<double> arm = -assembly.center_of_mass[body], w_rate = calc_twist_rate(assembly, point, body, 3);
  return calc_twist_rate(assembly, point, body, 0) + f.R * (w_rate.cross(arm) + f.w.cross(f.w.cross(arm)));
}

const std::vector<FrameChannel>& frame_channels() {
  static const std::vector<FrameChannel> list = [] {
    std::vector<FrameChannel> all;
    for (const auto add : {add_bodies, add_joints, add_forces, add_coordinates_and_measures, detail::add_beam_channels,
                           detail::add_contact_channels, add_ledger})
      add(all);
    return all;
  }();
  return list;
}

}  // namespace trammel
