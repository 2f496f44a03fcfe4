// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "trammel/mechanics/absolute/assembler.h"
#include "trammel/mechanics/kinds/force_descriptor.h"
#include "trammel/mechanics/kinds/measure_descriptor.h"
#include "trammel/mechanics/kinds/measure_signals.h"

namespace trammel::detail {

using Type = FormulaSignal::Type;

Expression Assembler::parse(const Formula& formula, const FormulaScope& scope, std::vector<Signal>& signals) const {
  const auto names = [&](const std::vector<std::string>& path) -> ResolvedName {
    const ResolvedPath resolved = signals_.resolve(scope, path);
    if (const double* constant = std::get_if<double>(&resolved)) return *constant;
    if (const std::string* message = std::get_if<std::string>(&resolved)) return *message;
    const Signal& signal = std::get<Signal>(resolved);
    const auto it = std::find(signals.begin(), signals.end(), signal);
    const int index = static_cast<int>(it - signals.begin());
    if (it == signals.end()) signals.push_back(signal);
    return index;
  };
  const auto tables = [&](const std::string& name) -> ResolvedTable {
    const auto it = tables_.find(name);
    if (it == tables_.end()) return "there is no table '" + name + "'";
    return it->second;
  };
  return Expression::parse(formula.text, names, tables);
}

int Assembler::add_time_function(const Formula& formula) {
  std::vector<Signal> signals{Signal{}};  // the time has index 0
  const Expression expression = parse(formula, {-1, -1, true}, signals);
  std::vector<int> inputs;
  for (std::size_t i = 1; i < signals.size(); ++i) inputs.push_back(signals[i].entity);
  return out_.system->add_input(TimeFunction::expression(expression, out_.signals, std::move(inputs)));
}

int Assembler::compile(const Formula& formula, const FormulaScope& scope) {
  std::vector<Signal> signals;
  Expression expression = parse(formula, scope, signals);
  std::vector<FormulaSignal> bound;
  for (std::size_t i = 0; i < signals.size(); ++i) {
    bound.push_back(bind(signals[i]));
    if (signals[i].kind != SignalKind::time) continue;
    out_.system->add_breakpoints(expression.breakpoints(static_cast<int>(i)));
    out_.system->add_time_parts(expression, static_cast<int>(i));
  }
  std::vector<int> switches;
  for (Expression& at_kink : expression.switches()) switches.push_back(out_.formulas->add(std::move(at_kink), bound));
  for (const FormulaSignal& signal : bound)
    if (signal.type == Type::program)
      for (const int inner : program_switches_[signal.index]) switches.push_back(inner);
  const int program = out_.formulas->add(std::move(expression), std::move(bound));
  program_switches_.resize(program + 1);
  program_switches_[program] = std::move(switches);
  return program;
}

// What acts has its kinks looked for; what is only measured has not.
int Assembler::compile_acting(const Formula& formula, const FormulaScope& scope) {
  const int program = compile(formula, scope);
  for (const int at_kink : program_switches_[program])
    if (watched_switches_.insert(at_kink).second) group<FormulaSwitches>().add(at_kink);
  return program;
}

int Assembler::compile_measure(int measure) {
  int& program = measure_program_[measure];
  if (program < 0) program = compile(model_.measures[measure].expression, {});
  return program;
}

int Assembler::compile_output(int control) {
  int& program = output_program_[control];
  FormulaScope scope;
  scope.control = control;
  if (program < 0) program = compile(model_.controls[control].output, scope);
  return program;
}

FormulaSignal Assembler::coordinate_signal(const CoordinateTerm& term, bool rate) const {
  FormulaSignal s;
  s.type = rate ? Type::coordinate_rate : Type::coordinate;
  s.x = term.x;
  s.frame[0] = term.frame[0], s.frame[1] = term.frame[1];
  s.branch = term.branch;
  return s;
}

FormulaSignal Assembler::bind_joint(const Signal& signal) const {
  const JointSpec& spec = model_.joints[signal.entity];
  const Assembly::Joint& joint = out_.joints[signal.entity];
  switch (signal.kind) {
    case SignalKind::joint_angle:
    case SignalKind::joint_angle_rate:
      return coordinate_signal(coordinate_of(spec.name, JointCoordinate::angle),
                               signal.kind == SignalKind::joint_angle_rate);
    case SignalKind::joint_displacement:
    case SignalKind::joint_displacement_rate:
      return coordinate_signal(coordinate_of(spec.name, JointCoordinate::displacement),
                               signal.kind == SignalKind::joint_displacement_rate);
    default:
      break;
  }
  FormulaSignal s;
  if (signal.kind == SignalKind::track_coordinate) {
    s.type = Type::track_coordinate;
    s.component = signal.component;
    s.frame[0] = joint.frame_b;
    s.track = joint.track.get();
    return s;
  }
  s.type = signal.kind == SignalKind::joint_force        ? Type::reaction_force
           : signal.kind == SignalKind::joint_moment     ? Type::reaction_moment
           : signal.kind == SignalKind::joint_force_norm ? Type::reaction_force_norm
                                                         : Type::reaction_moment_norm;
  s.component = signal.component;
  s.frame[0] = joint.frame_a, s.frame[1] = joint.frame_b;
  s.s[1] = joint.s_b;
  s.parts = joint.parts;
  return s;
}

FormulaSignal Assembler::record(const RecordedSignal& value) {
  FormulaSignal s;
  s.type = Type::recorded;
  s.index = static_cast<int>(out_.recorded.size());
  out_.recorded.push_back(value);
  return s;
}

FormulaSignal Assembler::bind(const Signal& signal) {
  FormulaSignal s;
  s.component = signal.component;
  const auto between = [&](Type type, int a, const PointSpec& point_a, int b, const PointSpec& point_b) {
    s.type = type;
    s.frame[0] = a, s.frame[1] = b;
    s.s[0] = local_point(a, world(point_a)), s.s[1] = local_point(b, world(point_b));
  };
  switch (signal.kind) {
    case SignalKind::time:
      s.type = Type::time;
      break;
    case SignalKind::input:
      s.type = Type::input;
      s.index = out_.signal_input[signal.entity];
      break;
    case SignalKind::body_position:
    case SignalKind::body_velocity:
    case SignalKind::body_angular_velocity:
      s.type = signal.kind == SignalKind::body_position   ? Type::position
               : signal.kind == SignalKind::body_velocity ? Type::velocity
                                                          : Type::angular_velocity;
      s.frame[0] = out_.body_frame[signal.entity];
      s.s[0] = -places_[s.frame[0]].com;  // the body's origin
      break;
    case SignalKind::joint_angle:
    case SignalKind::joint_angle_rate:
    case SignalKind::joint_displacement:
    case SignalKind::joint_displacement_rate:
    case SignalKind::joint_force:
    case SignalKind::joint_moment:
    case SignalKind::joint_force_norm:
    case SignalKind::joint_moment_norm:
    case SignalKind::track_coordinate:
      return bind_joint(signal);
    case SignalKind::wheel_value:
      s.type = Type::wheel_value;
      s.wheels = &group<WheelRailGroup>();
      s.index = signal.entity;
      s.frame[0] = group<WheelRailGroup>().element(signal.entity).frame;
      break;
    case SignalKind::body_world_spin:
      s.type = Type::world_spin;
      s.frame[0] = out_.body_frame[signal.entity];
      break;
    case SignalKind::body_angle:
      s.type = Type::angles;
      s.frame[1] = out_.body_frame[signal.entity];
      s.index = signal.component;
      break;
    case SignalKind::coupler_effort:
      s.type = Type::effort;
      s.index = out_.coupler_row[signal.entity];
      break;
    case SignalKind::body_acceleration:
      return record({RecordedSignal::Kind::acceleration, signal.entity, signal.component});
    case SignalKind::force_value:
      return record({RecordedSignal::Kind::force, signal.entity, signal.component});
    case SignalKind::tyre_value:
      return record({RecordedSignal::Kind::tyre, signal.entity, signal.component});
    case SignalKind::contact_value:
      return record({RecordedSignal::Kind::contact, signal.entity, signal.component});
    case SignalKind::machine_energy:
      return record({RecordedSignal::Kind::energy, 0, signal.component});
    case SignalKind::machine_momentum:
      return record({RecordedSignal::Kind::momentum, 0, signal.component});
    case SignalKind::motion_effort:
      s.type = Type::effort;
      s.index = out_.motion_row[signal.entity];
      break;
    case SignalKind::coordinate_value:
    case SignalKind::coordinate_rate:
      return coordinate_signal(coordinate_of(model_.coordinates[signal.entity].name, JointCoordinate::automatic),
                               signal.kind == SignalKind::coordinate_rate);
    case SignalKind::control_output:
      if (!model_.controls[signal.entity].output.given()) {
        s.type = Type::state;
        s.index = out_.control_states[signal.entity][0];
      } else {
        s.type = Type::program;
        s.index = compile_output(signal.entity);
      }
      break;
    case SignalKind::state:
      s.type = Type::state;
      s.index = out_.control_states[signal.entity][signal.component];
      break;
    case SignalKind::measure:
    case SignalKind::measure_rate:
    case SignalKind::point_position:
    case SignalKind::point_velocity: {
      const MeasureSpec& measure = model_.measures[signal.entity];
      MeasureSignals signals(*this, signal.entity);
      s = measure.kind->value(signals, measure,
                              signal.kind == SignalKind::measure_rate || signal.kind == SignalKind::point_velocity);
      s.component = signal.component;
      break;
    }
    case SignalKind::spring_length:
    case SignalKind::spring_length_rate: {
      const ForceSpec& f = model_.forces[signal.entity];
      const bool rate = signal.kind == SignalKind::spring_length_rate;
      if (f.kind->strain != Strain::length) return coordinate_signal(force_coordinate_[signal.entity], rate);
      between(rate ? Type::distance_rate : Type::distance, frame_of(f.body_a), f.point_a, frame_of(f.body_b),
              f.point_b);
      break;
    }
  }
  return s;
}

void Assembler::compile_measures() {
  measure_program_.assign(model_.measures.size(), -1);
  output_program_.assign(model_.controls.size(), -1);
  for (std::size_t i = 0; i < model_.measures.size(); ++i) {
    const bool point = model_.measures[i].kind->is_point;
    out_.measures.push_back(bind({point ? SignalKind::point_position : SignalKind::measure, static_cast<int>(i), 0}));
  }
  for (std::size_t i = 0; i < model_.controls.size(); ++i)
    out_.control_output.push_back(bind({SignalKind::control_output, static_cast<int>(i), 0}));
}

// ---- controls ------------------------------------------------------------------------------------------------------

void Assembler::add_control_states() {
  for (const ControlSpec& control : model_.controls) {
    std::vector<int> states;
    for (std::size_t k = 0; k < control.states.size(); ++k)
      states.push_back(out_.system->add_state("control '" + control.name + "', state '" + control.states[k] + "'",
                                              k < control.algebraic.size() && control.algebraic[k]));
    out_.control_states.push_back(std::move(states));
  }
}

void Assembler::add_control_rates() {
  for (std::size_t i = 0; i < model_.controls.size(); ++i) {
    FormulaScope scope;
    scope.control = static_cast<int>(i);
    FormulaGroup::Element e;
    e.output = FormulaGroup::Output::rates;
    e.states = out_.control_states[i];
    const bool held = model_.controls[i].period > 0.0;
    for (const Formula& rate : model_.controls[i].rates)
      e.programs.push_back(held ? compile({"0", ""}, scope) : compile_acting(rate, scope));
    if (held) {
      Assembly::Sampled& sampled = out_.sampled.emplace_back();
      sampled.period = model_.controls[i].period;
      sampled.states = e.states;
      for (const Formula& update : model_.controls[i].rates) sampled.programs.push_back(compile(update, scope));
    }
    group<FormulaGroup>().add(std::move(e));
  }
}

}  // namespace trammel::detail
