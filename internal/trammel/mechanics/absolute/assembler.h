#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "trammel/math/spline.h"
#include "trammel/mechanics/absolute/assemble.h"
#include "trammel/mechanics/elements/constraint_group.h"
#include "trammel/mechanics/elements/constraints.h"
#include "trammel/mechanics/elements/force_group.h"
#include "trammel/mechanics/elements/forces.h"
#include "trammel/mechanics/elements/formula_switches.h"
#include "trammel/mechanics/elements/stop_switches.h"
#include "trammel/mechanics/elements/vehicle_forces.h"
#include "trammel/mechanics/elements/wheel_rail.h"
#include "trammel/mechanics/signals.h"

namespace trammel::detail {

/// Turns descriptions into frames, constraint elements, forces and formulas. The model has no issues.
class Assembler {
 public:
  Assembler(const Model& model, const Eliminated& eliminated);
  Assembly run();

 private:
  struct Placement {  // a frame as drawn
    Eigen::Vector3d p = Eigen::Vector3d::Zero();
    Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
    bool planar = false;
    Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();
    Eigen::Vector3d com = Eigen::Vector3d::Zero();  // centre of mass from the body's origin, body axes
  };
  struct JointFrames {  // a joint in the drawn world
    int a = 0, b = 0;
    Eigen::Vector3d point, point_b, axis, axis_b;
    bool planar = false;  // both bodies move in one plane
    Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();
  };
  struct CoordinateTerm {
    RelativeCoordinate x;
    int frame[2] = {0, 0};
    int branch = -1;
    std::string unit;
  };

  void add_bodies();
  void add_coordinates();
  void make_groups();
  void add_beams();
  void add_joint(const JointSpec& spec);
  void add_coupler(const CouplerSpec& spec);
  void add_motion(const MotionSpec& spec);
  void add_force(const ForceSpec& spec);
  void add_vehicle_force(const ForceSpec& spec, Assembly::Force& alone);
  void add_contacts();
  void add_control_states();
  void add_control_rates();
  void prepare_springs();
  void compile_measures();
  void finish_initial_values();

  // Railway lines and what runs on them (assemble_tracks.cpp).
  void make_tracks();
  void add_track_joint(const JointSpec& spec, const std::string& owner, Assembly::Joint& joint);
  void add_wheel(const WheelRailSpec& spec);
  void add_flange_stop(const FlangeStopSpec& spec);

  int frame_of(const std::string& body) const;
  Eigen::Vector3d world(const PointSpec& point) const;
  Eigen::Vector3d world(const AxisSpec& axis) const;
  Eigen::Vector3d local_point(int frame, const Eigen::Vector3d& p_W) const;
  Eigen::Vector3d local_axis(int frame, const Eigen::Vector3d& n_W) const;

  void find_axes(const JointSpec& spec, const JointFrames& j, Assembly::Joint& joint) const;
  RelativeCoordinate make_angle(const JointFrames& j) const;
  RelativeCoordinate make_displacement(const JointFrames& j) const;
  CoordinateTerm coordinate_of(const std::string& name, JointCoordinate which) const;

  template <class K>
  void add_element(ConstraintGroup<K>& group, const std::string& owner, const typename K::Params& params,
                   std::array<int, K::n_frames> frames, const std::string& unit, Assembly::Joint* joint, int input = -1,
                   std::array<int, K::n_turns> branch = {});
  void add_coincident(const std::string& owner, const JointFrames& j, Assembly::Joint& joint);
  void add_perpendicular(const std::string& owner, const JointFrames& j, const Eigen::Vector3d& a_W,
                         const Eigen::Vector3d& b_W, Assembly::Joint& joint);
  void add_offset(const std::string& owner, const JointFrames& j, const Eigen::Vector3d& n_W, double offset,
                  Assembly::Joint& joint);
  void add_rod(const std::string& owner, const JointFrames& j, const JointSpec& spec, Assembly::Joint& joint);
  template <class K, int N>
  void add_terms(ConstraintGroup<K>& group, const std::string& owner, const std::vector<CoordinateTerm>& terms,
                 const std::vector<double>& factors, double offset, int input);
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
  SignalTable signals_;

  ConstraintGroup<Coincident<2>>* coincident2_ = nullptr;
  ConstraintGroup<Coincident<3>>* coincident3_ = nullptr;
  ConstraintGroup<Perpendicular>* perpendicular_ = nullptr;
  ConstraintGroup<Offset>* offset_ = nullptr;
  ConstraintGroup<Distance>* distance_ = nullptr;
  ConstraintGroup<SquaredDistance>* squared_distance_ = nullptr;
  ConstraintGroup<LineAngle>* line_angle_ = nullptr;
  ConstraintGroup<Coupler<1>>* coupler1_ = nullptr;
  ConstraintGroup<Coupler<2>>* coupler2_ = nullptr;
  ConstraintGroup<Coupler<3>>* coupler3_ = nullptr;
  ConstraintGroup<SpeedCoupler<1>>* speed1_ = nullptr;
  ConstraintGroup<SpeedCoupler<2>>* speed2_ = nullptr;
  ConstraintGroup<SpeedCoupler<3>>* speed3_ = nullptr;
  ConstraintGroup<DiscOnPlane>* disc_ = nullptr;
  ConstraintGroup<RollingContact>* rolling_ = nullptr;
  ConstraintGroup<KnifeEdge>* knife_ = nullptr;
  ForceGroup<SpringDamper>* springs_ = nullptr;
  ForceGroup<CoordinateForce>* joint_springs_ = nullptr;
  ForceGroup<Bushing>* bushings_ = nullptr;
  ForceGroup<BumpStop>* bump_stops_ = nullptr;
  ForceGroup<AntiRollBar>* anti_roll_bars_ = nullptr;
  ForceGroup<RollingTyre>* tyres_ = nullptr;
  ForceGroup<StandingTyre>* standing_tyres_ = nullptr;
  BeamGroup* beams_ = nullptr;
  FormulaGroup* formula_ = nullptr;
  std::map<std::string, std::shared_ptr<const Track>> tracks_;
  ConstraintGroup<OnTrack>* on_track_ = nullptr;
  WheelRailGroup* wheels_ = nullptr;
  ForceGroup<FlangeStop>* flange_stops_ = nullptr;
  StopSwitches* switches_ = nullptr;
  FormulaSwitches* formula_switches_ = nullptr;
  std::set<int> watched_switches_;
  std::vector<std::vector<int>> program_switches_;  // of each program: programs whose zeros are its kinks
};

}  // namespace trammel::detail
