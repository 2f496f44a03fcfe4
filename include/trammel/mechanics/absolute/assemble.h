#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "trammel/mechanics/absolute/absolute_system.h"
#include "trammel/mechanics/elements/formula.h"
#include "trammel/mechanics/model.h"

namespace trammel {

/// A model realised in absolute coordinates, with the maps from the model's lists to what they became: reports and
/// recorders speak of bodies and joints, the system of frames and rows.
struct Assembly {
  struct Joint {
    int frame_a = 0, frame_b = 0;
    Eigen::Vector3d s_b = Eigen::Vector3d::Zero();  ///< the joint's point on b, from the frame's origin
    std::vector<FormulaSignal::Part> parts;         ///< its constraint elements, motions not included
    std::optional<RelativeCoordinate> angle, displacement;
    int angle_branch = -1;
  };

  std::unique_ptr<FormulaSet> formulas;
  std::unique_ptr<AbsoluteSystem> system;
  MotionVariables drawn;                        ///< q, v, z as the model states them (not yet consistent)
  State state;                                  ///< charts at the drawn orientations
  std::vector<int> body_frame;                  ///< of each body
  std::vector<Eigen::Vector3d> center_of_mass;  ///< of each body: origin = p − R com
  std::vector<int> coordinate_frame;            ///< of each [[coordinate]]
  std::vector<Joint> joints;
  std::vector<int> coupler_row, motion_row;      ///< −1: none
  std::vector<std::vector<int>> control_states;  ///< z of each control
  std::vector<FormulaSignal> control_output;     ///< the value of each control
  std::vector<FormulaSignal> measures;           ///< the value of each measure; of a point: its x
  std::vector<char> firm_q, firm_v;              ///< coordinates that the initial projection must not move
};

/// Throws InputError with everything that is wrong (issues(model)).
Assembly assemble(const Model& model);

}  // namespace trammel
