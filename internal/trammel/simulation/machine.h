// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trammel/formulations/index3.h"
#include "trammel/linalg/linear_solver.h"
#include "trammel/mechanics/joint/joint_system.h"
#include "trammel/simulation/checked_study.h"
#include "trammel/simulation/customize.h"
#include "trammel/simulation/initial_conditions.h"
#include "trammel/simulation/record_size.h"

namespace trammel {

/// A study made ready: settings resolved, machine assembled, rows that others imply left out, consistent where it
/// begins, in the coordinates in which it is moved.
///
/// Const from then on. What moves is a Motion, memory to compute in is a Viewer; both refer to one of these, which
/// therefore stays where it is.
class Machine {
 public:
  /// Throws InputError for everything that is wrong with the settings, or with both together.
  Machine(CheckedStudy study, Customize customize);
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  const Study& study() const { return study_; }  ///< with the settings that take effect
  const Model& model() const { return study_.model; }
  bool is_customized() const { return customize_ != nullptr; }
  LinearSolverChoice solver_choice() const { return study_.solver.linear_choice(); }
  /// Of a machine whose method was chosen: what it may go over to, and how many steps of the explicit pair stability
  /// asks for [1/s].
  const std::optional<SolverOptions>& other_method() const { return other_method_; }
  double stability_rate() const { return stability_rate_; }

  const Assembly& full() const { return full_; }  ///< every row, in absolute coordinates: for reports
  /// Absolute coordinates without the rows that were dropped.
  const AbsoluteSystem& kept() const { return reduced_ ? *reduced_->system : *full_.system; }
  const JointSystem* joint() const { return joint_.get(); }  ///< null in absolute coordinates
  /// What is integrated, in whatever coordinates.
  const MechanicalSystem& moved() const;
  const Index3& index3() const { return *index3_; }  ///< of it

  bool has_dropped_rows() const { return !dropped_.empty(); }
  /// Rows of full() that nothing holds but others, in whatever coordinates.
  const std::vector<int>& left_out() const { return left_out_; }
  int rank() const { return rank_; }
  /// Rows are dependent at the start that are not so beside it.
  bool starts_singular() const { return starts_singular_; }

  const MotionVariables& initial() const { return x_; }
  const State& initial_state() const { return state_; }
  const std::vector<std::string>& notes() const { return notes_; }
  /// Which method was chosen for the machine and why; empty: the study names it.
  const std::string& choice() const { return choice_; }

  const FrameRule& frame_rule() const { return frame_rule_; }

  /// Every coordinate of the bodies, joints or coordinates with these names: "axle" means all of body, joint or
  /// coordinate 'axle', "axle.pitch" its coordinate 'pitch'. Throws InputError for a name that nothing has.
  std::vector<int> find_coordinates(const std::vector<std::string>& names) const;

 private:
  struct Scratch;
  void extend(Assembly& assembly) const;  // by what the user adds
  void make_consistent(Scratch& scratch);
  void leave_out_dependent_rows(const Index3& every_row, Scratch& scratch);
  void note_corrections(const Index3& every_row, const InitialReport& report);
  void check_firm_values() const;
  void choose_method(const Settings& given, Scratch& scratch);
  void enter_joint_coordinates(Scratch& scratch);
  void find_joint_coordinates(const JointSystem& tree, MotionVariables& x, State& state, Scratch& scratch) const;
  void list_contacts(Scratch& scratch);
  Status find_first_accelerations(Scratch& scratch);

  Study study_;
  Customize customize_;
  Assembly full_;
  std::unique_ptr<Assembly> reduced_;  // without dropped rows, if there are any
  std::vector<int> dropped_, left_out_;
  bool starts_singular_ = false;
  std::unique_ptr<JointSystem> joint_;
  std::unique_ptr<Index3> index3_;
  MotionVariables x_;
  State state_;
  std::vector<std::string> notes_;
  std::string choice_;
  std::optional<SolverOptions> other_method_;
  double stability_rate_ = 0.0;
  FrameRule frame_rule_;
  int rank_ = 0;
};

}  // namespace trammel
