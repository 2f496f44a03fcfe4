// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "trammel/math/expression.h"
#include "trammel/mechanics/elements/group.h"
#include "trammel/mechanics/elements/relative_coordinate.h"
#include "trammel/mechanics/elements/wheel_rail.h"

namespace trammel {

/// What a variable of a formula is, as a function of frames, states and multipliers.
struct FormulaSignal {
  enum class Type {
    time,
    position,          ///< component of p + R s
    velocity,          ///< component of v + R (ω × s)
    angular_velocity,  ///< component of ω, body axes
    coordinate,        ///< relative coordinate x
    coordinate_rate,
    distance,  ///< ‖p_B + R_B s_B − p_A − R_A s_A‖
    distance_rate,
    reaction_force,   ///< component of the force of a joint on its body b, world axes
    reaction_moment,  ///< the same for the moment about the joint's point
    reaction_force_norm,
    reaction_moment_norm,
    effort,  ///< −λ of one row: the force or torque that a motion exerts
    state,
    program,           ///< another formula of the set
    track_coordinate,  ///< place of a frame in a track: s, y, z, yaw, roll, pitch
    input,             ///< set from outside: a number of Inputs
    wheel_value,  ///< of a wheel: load (multiplier), normal force, creepages, spin, forces, rolling radius, lateral
    world_spin,   ///< component of ω, world axes
    angles,       ///< roll φ, pitch θ, yaw ψ of R = Rz(ψ) Ry(θ) Rx(φ): of b's frame in a's
    angle_rates,
    relative_position,  ///< of b's point against a's, components in the axes of a third frame
    relative_velocity,  ///< the same as an observer on a sees it move
    recorded,           ///< of KinematicState::recorded
  };
  /// One constraint element that belongs to a joint.
  struct Part {
    const ConstraintElements* group;
    int element;
    int local_frame;  ///< which of the element's frames is body b
  };

  Type type = Type::time;
  int component = 0;
  int frame[2] = {0, 0};
  Eigen::Vector3d s[2] = {Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
  RelativeCoordinate x;
  int branch = -1;
  int index = 0;  ///< state, row, program, input, wheel, recorded value; angles: which
  /// angles: axes of a and b in their frames; relative motion: axes[0] in the third frame, which is `third`.
  Eigen::Matrix3d axes[2] = {Eigen::Matrix3d::Identity(), Eigen::Matrix3d::Identity()};
  int third = 0;
  const Track* track = nullptr;
  const WheelRailGroup* wheels = nullptr;
  std::vector<Part> parts;
};

/// A value that exists where frames are recorded: it needs accelerations, or sums over elements that have no
/// derivatives of their own. No force may depend on it.
struct RecordedSignal {
  enum class Kind {
    acceleration,  ///< of a body's origin, world: 0 … 2
    force,         ///< of a force: its wrench 0 … 5, sizes of force and moment 6, 7, effort 8
    energy,        ///< of the machine: kinetic, potential, total
    momentum,      ///< of the machine: 0 … 2, and about the origin 3 … 5
    contact,       ///< normal force, friction, penetration, places that touch
    tyre,          ///< load, slip, slip angle, camber, forces ahead, to the left, moment about the normal
  };
  Kind kind = Kind::acceleration;
  int entity = 0, component = 0;
};

/// What a formula depends on.
struct FormulaDependence {
  std::vector<int> frames, states, rows;
  bool on_velocity = false;

  void add(const FormulaDependence& other);
};

/// Evaluates signals with one family of variables seeded: which derivative a Dual<6> carries.
struct FormulaSeed {
  enum class Family { none, position, velocity, state, row };
  Family family = Family::none;
  int frame = -1;            ///< position, velocity: derivatives by this frame's increment or twist
  std::span<const int> ids;  ///< state, row: derivative k is by ids[k], at most 6
};

/// All formulas of a model, compiled. Formulas may use each other (measures), without cycles.
class FormulaSet {
 public:
  static constexpr int max_signals = 48;

  int add(Expression expression, std::vector<FormulaSignal> signals);
  int size() const { return static_cast<int>(programs_.size()); }

  double evaluate(int program, const KinematicState& state) const;
  Dual<6> evaluate(int program, const KinematicState& state, const FormulaSeed& seed) const;
  /// The value of one signal, for output channels.
  double evaluate(const FormulaSignal& signal, const KinematicState& state) const;
  FormulaDependence calc_dependence(int program) const;
  /// Whether one of them is a function of time besides; what is set from outside stays what it is in a run.
  bool reads_time() const;

 private:
  struct Program {
    Expression expression;
    std::vector<FormulaSignal> signals;
  };
  template <class S, class Context>
  S run(int program, const Context& context) const;
  template <class S, class Context>
  S signal(const FormulaSignal& signal, const Context& context) const;

  std::vector<Program> programs_;
};

/// Forces and state rates given by formulas. Their frames are their own and those that the formulas' measures touch;
/// derivatives come by duals, one sweep per frame.
///
///   force       F = (f₁, f₂, f₃) in the world or in b's axes, at b's point s_b; the reaction acts on a at the same
///   point torque      the same for a moment line        force f along the line between two points; f > 0 pushes them
///   apart                             [N] coordinate  generalised force f on a relative coordinate: wrench = f
///   ∂x/∂twist                              [N], [N m] rates       ż_k = f_k (E = 1) or 0 = f_k
class FormulaGroup final : public ElementGroup {
 public:
  enum class Output { force, torque, line, coordinate, rates };
  struct Element {
    Output output = Output::force;
    int frame[2] = {0, 0};  ///< a, b
    Eigen::Vector3d s_a = Eigen::Vector3d::Zero(), s_b = Eigen::Vector3d::Zero();
    bool in_body_axes = false;
    RelativeCoordinate x;
    std::vector<int> programs;
    std::vector<int> states;  ///< rates: the state of each program
  };

  explicit FormulaGroup(const FormulaSet& formulas) : formulas_(formulas) {}
  void add(Element element);

  std::string_view kind() const override { return "formula"; }
  int size() const override { return static_cast<int>(elements_.size()); }
  const Element& element(int e) const { return elements_[static_cast<std::size_t>(e)].element; }
  const FormulaDependence& dependence(int e) const { return elements_[static_cast<std::size_t>(e)].dependence; }
  void connect(std::span<const int> modes, Connectivity& connectivity, std::vector<int>& slots) const override;
  void add_forces(const KinematicState&, std::span<Wrench<double>>, std::span<double>) const override;
  void add_planes(const KinematicState&, PlaneSet, std::span<const int> slots, FramePlanes&) const override;
  double power(const KinematicState&) const override;

 private:
  struct Compiled {
    Element element;
    FormulaDependence dependence;  // own frames included
  };
  template <class S, class Frames, class Values>
  void calc_wrench(const Element& e, const Frames& frame, const Values& value, Wrench<S>* w) const;
  void calc_wrench(const Element& e, const KinematicState& state, Wrench<double>* w) const;
  void calc_wrench(const Element& e, const KinematicState& state, const FormulaSeed& seed, Wrench<Dual<6>>* w) const;

  const FormulaSet& formulas_;
  std::vector<Compiled> elements_;
};

}  // namespace trammel
