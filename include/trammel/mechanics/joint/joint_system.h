// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "trammel/mechanics/absolute/assemble.h"
#include "trammel/mechanics/joint/joint_tree.h"
#include "trammel/mechanics/joint/topology.h"
#include "trammel/mechanics/mechanical_system.h"

namespace trammel {

namespace detail {
struct JointWorkspace;

/// A tree joint with forces along its coordinates that depend on its reactions.
struct Bearing {
  int joint = -1, link = -1;
  double sign = 1.0;                  ///< −1: the link is that of body a
  int link_a = -1, link_b = -1;       ///< −1: the ground
  int n = 0, row[6] = {};             ///< its rows in the machine
  int first = 0;                      ///< number of the first among those of all bearings
  std::vector<RelativeCoordinate> x;  ///< its freedoms
};
}  // namespace detail

/// A machine in joint coordinates: one per freedom of the joints of a spanning tree, rows only where loops are closed.
///
/// Everything besides the tree is that of absolute coordinates: frames, elements, formulas, inputs, states. The machine
/// without the rows of the tree's joints is evaluated on frames that the tree moves, and its wrenches are projected
/// back by recursion. With J the derivative of the frames' twists by v:
///
///   residual        r = Jᵀ (M a + Gᵀλ − f of all bodies, a = J v̇ + J̇ v)                     O(N), recursive
///   accelerate      v̇ = (JᵀMJ)⁻¹ Jᵀ(…)                                                       O(N), articulated bodies
///   planes          JᵀKJ and the change of J itself, one outward and inward sweep per column  O(N · depth) and more
///   reactions       of tree joints: what the inward sweep hands through                       O(N)
///
/// Friction in a tree joint depends on its reaction, and that on v̇: r stays a function of (q, v, v̇, z, λ), one more
/// sweep finds the reaction, ∂r/∂v̇ is M and a part that is not symmetric, and v̇ is found by iteration (reactions.cpp).
///
/// Position increments are those of the freedoms: of angles and displacements themselves, of charts in axes of the
/// outer link. A tree fills the planes (a chain entirely), so implicit methods cost O(N²) memory and O(N³) per
/// factorization: some hundred joints are fine, for thousands use absolute coordinates, or the explicit pair.
class JointSystem final : public MechanicalSystem {
 public:
  /// `machine` is the assembly without the rows of the topology's tree joints.
  JointSystem(const Model& model, const Topology& topology, Assembly machine);

  const JointTree& tree() const { return tree_; }
  const Assembly& machine() const { return machine_; }
  int link_of(int frame) const { return link_of_frame_[frame]; }
  /// Tree joints with forces that depend on their reactions, and the number of a row among all of theirs; −1: of none.
  std::span<const detail::Bearing> bearings() const { return bearings_; }
  int tree_row(int row) const { return tree_row_[row]; }
  /// Finds the machine's rows among those of the full model.
  void map_rows(const Assembly& full);
  /// The row of the full model that is this row of the machine.
  int full_row(int row) const { return full_row_[row]; }
  /// Rows of the machine that are left out because others imply them.
  void drop_rows(std::span<const int> rows);

  /// q, v and charts that give the frames their positions and, in the metric of the freedoms, their twists; branches of
  /// angles are taken over. Frames must fulfil the tree's joints, as consistent absolute coordinates do.
  void set_from_frames(std::span<const Frame<double>> frames, double t, MotionVariables& x, State& state) const;

  /// Why the explicit formalism cannot be used for this machine, by name; empty: it can.
  std::string explicit_refusal() const;
  /// The explicit formalism: v̇ = M⁻¹(τ + f − Gᵀλ) and ż = g with the multipliers of the point; no τ: 0.
  Status accelerate(const MotionPoint& p, const State& state, Vec a, Vec zp, Workspace& workspace,
                    std::span<const double> tau = {}) const;
  /// The velocity of a frame's origin and its angular velocity, both in world axes, are J v (driven joints aside), and
  /// their rates J v̇ + J̇ v: J and J̇ are 6 × nv.
  void calc_jacobian(const MotionPoint& p, const State& state, int frame, Eigen::Ref<Eigen::MatrixXd> J,
                     Eigen::Ref<Eigen::MatrixXd> J_rate, Workspace& workspace) const;
  /// The same with Φ, Φ̇ and kinematic = Gᵀμ of holonomic rows, as stabilized_residual() has them.
  Status stabilized_acceleration(const MotionPoint& p, ConstVec mu, const State& state, Vec a, Vec zp, Vec phi,
                                 Vec phi_dot, Vec kinematic, Workspace& workspace) const;

  /// The same motion in absolute coordinates with the multipliers of every row, reactions of tree joints and efforts of
  /// driving motions included: what reports are made from. `full` is the model with all its rows.
  void to_absolute(const MotionPoint& p, const State& state, const Assembly& full, MotionVariables& x, State& absolute,
                   Workspace& workspace) const;

  /// The frames, which are numbered as in absolute coordinates; valid until the next use of the workspace.
  KinematicState update_kinematics(const MotionPoint& p, const State& state, Workspace& workspace) const;

  // ---- MechanicalSystem ------------------------------------------------------------------------------------------
  int nv() const override { return tree_.nv(); }
  int nz() const override { return machine_.system->nz(); }
  int nc() const override { return static_cast<int>(all_row_.size()); }
  std::span<const double> E() const override { return machine_.system->E(); }
  std::span<const char> holonomic() const override { return holonomic_; }
  std::span<const Kind> kinds_q() const override { return kinds_q_; }
  std::string describe_coordinate(int i) const override;
  std::string describe_motion_row(int i) const override;
  std::string describe_state(int i) const override { return machine_.system->describe_state(i); }
  std::string describe_constraint(int row) const override { return machine_.system->describe_row(all_row_[row]); }
  std::unique_ptr<Workspace> make_workspace() const override;
  void calc_inputs(double t, InputBuffer& inputs) const override { machine_.system->calc_inputs(t, inputs); }
  double next_breakpoint(double t) const override { return machine_.system->next_breakpoint(t); }
  Status residual(const MotionPoint& p, const State& state, Vec motion, Vec internal, Vec phi,
                  Workspace& workspace) const override;
  Status stabilized_residual(const MotionPoint& p, ConstVec mu, const State& state, Vec motion, Vec internal, Vec phi,
                             Vec phi_dot, Vec kinematic, Workspace& workspace) const override;
  Status velocity_level(const MotionPoint& p, const State& state, Vec phi_dot, Vec bias,
                        Workspace& workspace) const override;
  void calc_G_times(const MotionPoint& p, const State& state, ConstVec w, Vec product,
                    Workspace& workspace) const override;
  Status linearize(const MotionPoint& p, const State& state, PlaneSet set, MotionPlanes& planes,
                   Workspace& workspace) const override;
  void to_chart(ConstVec q, MotionPlanes& planes, std::vector<double>& G_chart) const override;
  std::span<const int> chart_offsets() const override { return tree_.chart_offsets(); }
  /// Coordinates turn with the links already; nothing is to be turned with a body.
  TurningVectors turning() const override { return {}; }
  void calc_q_rate(ConstVec q, ConstVec v, Vec q_rate) const override;
  void accepted(const MotionPoint& p, double chart_threshold, Vec q, State& state, Workspace& workspace) const override;
  Energy calc_energy(const MotionPoint& p, const State& state, Workspace& workspace) const override;

 private:
  struct JointMap {  // of the model's tree joints
    int link = -1;   // −1: closed by rows
    bool reversed = false;
    int motion = -1;
  };
  void build_tree(const Model& model, const Topology& topology);
  void describe_freedoms(const Model& model, const Topology& topology);
  void finish_rows(std::span<const int> dropped);
  KinematicState update_kinematics(const MotionPoint& p, const State& state, detail::JointWorkspace& ws) const;
  void update_frames(detail::JointWorkspace& ws) const;
  void to_links(std::span<const Wrench<double>> by_frame, detail::JointWorkspace& ws) const;
  void add_stabilized(const MotionPoint& p, ConstVec mu, const State& state, Vec phi, Vec phi_dot, Vec kinematic,
                      detail::JointWorkspace& ws) const;
  Status check_finite(ConstVec motion, ConstVec internal, ConstVec phi) const;
  void find_tree_reactions(const Assembly& full, Vec lam, detail::JointWorkspace& ws) const;

  void build_bearings(const Topology& topology);
  Wrench<double> find_bearing_wrench(const detail::Bearing& bearing, const Vec3<double>& force,
                                     const Vec3<double>& moment, const detail::JointWorkspace& ws) const;
  int find_bearing_columns(const detail::Bearing& bearing, const detail::JointWorkspace& ws,
                           Eigen::Matrix<double, 6, 7>& columns) const;
  void find_bearing_reactions(detail::JointWorkspace& ws) const;
  void prepare_bearings(detail::JointWorkspace& ws) const;
  Vec6<double> calc_bearing_change(std::size_t i, const Vec3<double>& d_force, const Vec3<double>& d_moment,
                                   const Vec6<double>& pose_a, const Vec6<double>& pose_b,
                                   const detail::JointWorkspace& ws) const;
  void add_forces(const State& state, KinematicState& k, detail::JointWorkspace& ws) const;
  void add_bearing_forces(const MotionPoint& p, const State& state, KinematicState& k,
                          detail::JointWorkspace& ws) const;
  void add_forces_by_reactions(const MotionPoint& p, const State& state, KinematicState& k,
                               detail::JointWorkspace& ws) const;
  void add_rows(const State& state, KinematicState& k, detail::JointWorkspace& ws) const;
  KinematicState known_kinematics(const MotionPoint& p, const detail::JointWorkspace& ws) const;
  Status accelerate_with_bearings(const MotionPoint& p, const State& state, Vec a, detail::JointWorkspace& ws,
                                  std::span<const double> tau) const;
  Status accelerate_by_newton(const MotionPoint& p, const State& state, Vec a, detail::JointWorkspace& ws,
                              std::span<const double> tau) const;
  class BearingPlanes;

  Assembly machine_;
  JointTree tree_;
  std::vector<int> link_of_frame_;
  std::vector<JointMap> joints_;
  std::vector<int> branch_coordinate_;  // coordinate of a tree joint that is the branch's angle; −1: none
  std::vector<int> branch_input_;       // the same of driven joints: the input
  std::vector<int> all_row_, active_;   // rows of this system -> rows of the machine, and back
  std::vector<int> full_row_;           // rows of the machine -> rows of the full model
  std::vector<detail::Bearing> bearings_;
  std::vector<int> tree_row_;  // rows of the machine -> rows of bearings
  std::vector<char> holonomic_;
  std::vector<Kind> kinds_q_;
  std::vector<std::string> coordinate_names_, motion_names_;
  bool has_elements_ = false;
  std::string massless_;  // a freedom without inertia, by name
};

/// A model realised in joint coordinates: `full` in absolute ones, made by assemble(model). `customize` is applied to
/// the machine as it was to `full`. Throws InputError for what the keys `loop` make impossible.
std::unique_ptr<JointSystem> make_joint_system(const Model& model, const Assembly& full,
                                               const std::function<void(Assembly&)>& customize = {});

}  // namespace trammel
