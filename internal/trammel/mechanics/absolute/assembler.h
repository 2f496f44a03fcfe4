// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <typeindex>
#include <unordered_map>
#include <vector>

#include "trammel/math/spline.h"
#include "trammel/mechanics/absolute/assemble.h"
#include "trammel/mechanics/elements/constraint_group.h"
#include "trammel/mechanics/elements/constraints.h"
#include "trammel/mechanics/elements/force_group.h"
#include "trammel/mechanics/elements/forces.h"
#include "trammel/mechanics/elements/formula_switches.h"
#include "trammel/mechanics/elements/state_force_group.h"
#include "trammel/mechanics/elements/stop_switches.h"
#include "trammel/mechanics/elements/tyre.h"
#include "trammel/mechanics/elements/vehicle_forces.h"
#include "trammel/mechanics/elements/wheel_rail.h"
#include "trammel/mechanics/kinds/drawn.h"
#include "trammel/mechanics/kinds/joint_descriptor.h"
#include "trammel/mechanics/signals.h"

namespace trammel {

class ForceElements;
class JointRows;
class MeasureSignals;

/// A relative coordinate of the machine: of a joint, a spring, or a scalar one.
struct CoordinateTerm {
  RelativeCoordinate x;
  int frame[2] = {0, 0};
  int branch = -1;  ///< that counts its turns
  std::string unit;
};

namespace detail {

/// Turns descriptions into frames, constraint elements, forces and formulas. The model has no issues.
class Assembler {
 public:
  Assembler(const Model& model, const Eliminated& eliminated, std::shared_ptr<InputSignals> signals);
  Assembly run();

 private:
  friend class trammel::ForceElements;
  friend class trammel::JointRows;
  friend class trammel::MeasureSignals;
  void add_inputs(std::shared_ptr<InputSignals> signals);
  void add_bodies();
  void add_coordinates();
  void make_groups();
  void add_beams();
  void add_joint(const JointSpec& spec);
  void add_coupler(const CouplerSpec& spec);
  void add_motion(const MotionSpec& spec);
  void add_force(const ForceSpec& spec);
  void add_contacts();
  void add_control_states();
  void add_control_rates();
  void prepare_springs();
  void compile_measures();
  void finish_initial_values();

  // Railway lines and what runs on them (assemble_tracks.cpp).
  void make_tracks();
  void add_wheel(const WheelRailSpec& spec);
  void add_flange_stop(const FlangeStopSpec& spec);

  int frame_of(const std::string& body) const;
  Eigen::Vector3d world(const PointSpec& point) const;
  Eigen::Vector3d world(const AxisSpec& axis) const;
  Eigen::Vector3d local_point(int frame, const Eigen::Vector3d& p_W) const;
  Eigen::Vector3d local_axis(int frame, const Eigen::Vector3d& n_W) const;

  void find_axes(JointAxes axes, const DrawnJoint& j, Assembly::Joint& joint) const;
  CoordinateTerm coordinate_of(const std::string& name, JointCoordinate which) const;

  /// The group of a kind of elements: one of the library, or one that comes with a kind of joint or force.
  /// `directors` says what becomes of the latter in the energy-decaying scheme.
  template <class G, class Say>
  G& group(const Say& directors);
  template <class G>
  G& group() {
    return *std::get<G*>(groups_);
  }
  template <class K>
  void add_element(ConstraintGroup<K>& group, const std::string& owner, const typename K::Params& params,
                   std::array<int, K::n_frames> frames, const std::string& unit, Assembly::Joint* joint, int input = -1,
                   std::array<int, K::n_turns> branch = {});
  template <class K, int N>
  void add_terms(ConstraintGroup<K>& group, const std::string& owner, const std::vector<CoordinateTerm>& terms,
                 const std::vector<double>& factors, double offset, int input);
  /// The row own − coordinate = 0.
  void carry(const std::string& owner, const CoordinateTerm& own, const std::string& coordinate);
  int add_coupler_row(const std::string& owner, const std::vector<CoordinateTerm>& terms,
                      const std::vector<double>& factors, double offset, int input, bool velocity_level);

  // Formulas (assemble_formulas.cpp).
  Expression parse(const Formula& formula, const FormulaScope& scope, std::vector<Signal>& signals) const;
  int add_time_function(const Formula& formula);
  int compile(const Formula& formula, const FormulaScope& scope);
  int compile_acting(const Formula& formula, const FormulaScope& scope);
  int compile_measure(int measure);
  int compile_output(int control);
  FormulaSignal bind(const Signal& signal);
  FormulaSignal record(const RecordedSignal& value);
  FormulaSignal bind_joint(const Signal& signal) const;
  FormulaSignal coordinate_signal(const CoordinateTerm& term, bool rate) const;

  const Model& model_;
  const Eliminated& eliminated_;
  bool without_rows_ = false;  // while the elements of an eliminated joint are passed over
  Assembly out_;
  std::vector<Placement> places_{Placement{}};  // by frame; 0 is the ground
  std::map<std::string, int> body_frame_, coordinate_frame_, joint_index_;
  std::map<std::string, std::shared_ptr<const CubicSpline>> tables_;
  std::vector<int> measure_program_, output_program_;  // −1: not compiled
  std::vector<CoordinateTerm> force_coordinate_;       // by force: torsion and joint springs, stops
  std::vector<CoordinateTerm> carried_;                // of the joint at hand, by [[coordinate]]s
  SignalTable signals_;

  std::map<std::string, std::shared_ptr<const Track>> tracks_;
  std::map<std::string, std::shared_ptr<const RoadSurface>> roads_;
  // The groups of the library in the order in which they are evaluated, and those that kinds brought with them.
  using Groups =
      std::tuple<ConstraintGroup<Coincident<2>>*, ConstraintGroup<Coincident<3>>*, ConstraintGroup<Perpendicular>*,
                 ConstraintGroup<Offset>*, ConstraintGroup<Distance>*, ConstraintGroup<SquaredDistance>*,
                 ConstraintGroup<LineAngle>*, ConstraintGroup<Coupler<1>>*, ConstraintGroup<Coupler<2>>*,
                 ConstraintGroup<Coupler<3>>*, ConstraintGroup<SpeedCoupler<1>>*, ConstraintGroup<SpeedCoupler<2>>*,
                 ConstraintGroup<SpeedCoupler<3>>*, ConstraintGroup<DiscOnPlane>*, ConstraintGroup<RollingContact>*,
                 ConstraintGroup<KnifeEdge>*, ForceGroup<SpringDamper>*, ForceGroup<CoordinateForce>*,
                 ForceGroup<Bushing>*, ForceGroup<BumpStop>*, ForceGroup<AntiRollBar>*, StateForceGroup<Tyre>*,
                 ForceGroup<StandingTyre>*, BeamGroup*, FormulaGroup*, ConstraintGroup<OnTrack>*, WheelRailGroup*,
                 ForceGroup<FlangeStop>*, StopSwitches*, FormulaSwitches*>;
  Groups groups_{};
  std::unordered_map<std::type_index, ElementGroup*> own_groups_;
  std::set<int> watched_switches_;
  std::vector<std::vector<int>> program_switches_;  // of each program: programs whose zeros are its kinks
};

template <class G, class Say>
G& Assembler::group(const Say& directors) {
  constexpr bool standard = []<class... Group>(std::tuple<Group*...>*) {
    return (std::is_same_v<G, Group> || ...);
  }(static_cast<Groups*>(nullptr));
  if constexpr (standard) {
    return *std::get<G*>(groups_);
  } else {
    ElementGroup*& own = own_groups_[typeid(G)];
    if (own == nullptr) {
      own = &out_.system->add_group(std::make_unique<G>());
      own->set_directors(directors());
    }
    return static_cast<G&>(*own);
  }
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

}  // namespace detail

}  // namespace trammel
