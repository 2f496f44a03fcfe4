// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "trammel/mechanics/absolute/absolute_system.h"
#include "trammel/mechanics/elements/beam.h"
#include "trammel/mechanics/elements/formula.h"
#include "trammel/mechanics/elements/wheel_rail.h"
#include "trammel/mechanics/model.h"

namespace trammel {

class ContactGroup;

/// A model realised in absolute coordinates, with the maps from the model's lists to what they became: reports and
/// recorders speak of bodies and joints, the system of frames and rows.
struct Assembly {
  struct Joint {
    int frame_a = 0, frame_b = 0;
    Eigen::Vector3d s_a = Eigen::Vector3d::Zero();         ///< the joint's point on a, from the frame's origin
    Eigen::Vector3d s_b = Eigen::Vector3d::Zero();         ///< the same on b
    Eigen::Matrix3d axes_a = Eigen::Matrix3d::Identity();  ///< (x, y, axis) on a, in a's axes; b's coincide when drawn
    Eigen::Matrix3d axes_b = Eigen::Matrix3d::Identity();  ///< (x, y, axis_b) on b, in b's axes
    bool planar = false;                                   ///< between bodies that keep to one plane, or its ground
    std::vector<FormulaSignal::Part> parts;                ///< its constraint elements, motions not included
    std::optional<RelativeCoordinate> angle, displacement;
    int angle_branch = -1;
    std::shared_ptr<const Track> track;  ///< of joints of kind `track`
    int travel = -1;                     ///< its function of time
  };

  struct Force {
    std::unique_ptr<ElementGroup> group;            ///< with this element alone
    int frame_a = 0, frame_b = 0;                   ///< bodies; of what acts on a coordinate: that coordinate's frames
    int others[2] = {0, 0};                         ///< further frames that it acts on
    Eigen::Vector3d s_a = Eigen::Vector3d::Zero();  ///< where it acts on a, from the frame's origin
    Eigen::Vector3d s_b = Eigen::Vector3d::Zero();  ///< the same on b
    std::optional<RelativeCoordinate> x;            ///< of torsion springs and of what acts on a joint's coordinate
    int branch = -1;                                ///< of x
    bool on_joint = false;                          ///< acts on a joint's coordinate or a scalar one: has an effort
    std::vector<int> states;                        ///< its internal ones
  };

  /// A digital controller: at its samples each state becomes the value of its formula.
  struct Sampled {
    double period = 0.0;
    std::vector<int> states, programs;
  };

  std::unique_ptr<FormulaSet> formulas;
  std::vector<Sampled> sampled;
  std::vector<RecordedSignal> recorded;  ///< values that the recorder finds for formulas of measures
  std::unique_ptr<AbsoluteSystem> system;
  MotionVariables drawn;                        ///< q, v, z as the model states them (not yet consistent)
  State state;                                  ///< charts at the drawn orientations
  std::vector<int> body_frame;                  ///< of each body
  std::vector<Eigen::Vector3d> center_of_mass;  ///< of each body: origin = p − R com
  std::vector<int> coordinate_frame;            ///< of each [[coordinate]]
  std::vector<Joint> joints;
  std::vector<Force> forces;                     ///< each [[force]] on its own, for reports
  std::vector<int> coupler_row, motion_row;      ///< −1: none
  std::vector<int> motion_input;                 ///< the function of time of each motion
  std::shared_ptr<InputSignals> signals;         ///< of the model's inputs, by number
  std::vector<int> signal_input;                 ///< the function of time of each input
  std::vector<std::vector<int>> control_states;  ///< z of each control
  std::vector<FormulaSignal> control_output;     ///< the value of each control
  std::vector<FormulaSignal> measures;           ///< the value of each measure; of a point: its x
  const BeamGroup* beams = nullptr;              ///< elements of all beams, in the order of the model
  const ContactGroup* contacts = nullptr;        ///< null: the model has none; owned by the system
  int contact_modes = 0;                         ///< where its modes begin in State::modes
  const WheelRailGroup* wheels = nullptr;        ///< the wheels in the order of the model's list
  std::vector<char> firm_q, firm_v;              ///< coordinates that the initial projection must not move
};

/// What coordinates fulfil by themselves and needs no rows, by the model's lists; empty: nothing.
struct Eliminated {
  std::vector<char> joints, motions;
};

/// Throws InputError with everything that is wrong (issues(model)). Without the rows of what is eliminated the frames,
/// elements and formulas are those of joint coordinates: frames, inputs, states and branches keep their numbers.
Assembly assemble(const Model& model, const Eliminated& eliminated = {});

}  // namespace trammel
