// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trammel/math/time_function.h"
#include "trammel/math/time_part.h"
#include "trammel/mechanics/elements/group.h"
#include "trammel/mechanics/elements/relative_coordinate.h"
#include "trammel/mechanics/mechanical_system.h"

namespace trammel {

namespace detail {
struct AbsoluteWorkspace;
class PlanarHinges;
class SharedGroups;
}  // namespace detail

/// How a frame follows from its own few coordinates. twist = S v with a constant S for every kind, so mass matrices are
/// constant and M v̇ has no velocity terms but the gyroscopic one.
struct FrameMap {
  enum class Kind {
    ground,    ///< nv = 0
    rigid,     ///< nv = 6: q = (p, θ), R = R_ref exp θ̂ in a chart
    planar,    ///< nv = 3: q = (x, y, angle): p = p₀ + e₁ x + e₂ y, R = R₀ rot(axis, angle)
    particle,  ///< nv = 3: q = p
    scalar,    ///< nv = 1: p = (q, 0, 0), massless
  };
  Kind kind = Kind::ground;
  int offset = 0, nv = 0;
  int chart = -1;                                                       ///< rigid only
  Eigen::Matrix<double, 6, 3> S = Eigen::Matrix<double, 6, 3>::Zero();  ///< planar only
  Eigen::Vector3d p0 = Eigen::Vector3d::Zero();                         ///< planar: offset of the plane
  Eigen::Matrix3d R0 = Eigen::Matrix3d::Identity();                     ///< planar: orientation as drawn
  /// planar, from R0 and the axis: R = R_fixed + R_cos cos(angle) + R_sin sin(angle); the moment of inertia about it
  Eigen::Matrix3d R_fixed = Eigen::Matrix3d::Zero(), R_cos = R_fixed, R_sin = R_fixed;
  double axial_inertia = 0.0;
  auto axis() const { return S.block<3, 1>(3, 2); }  ///< planar
  double mass = 0.0;
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  ///< about the origin = centre of mass, body axes
  Eigen::Matrix3d inverse_inertia = inertia;          ///< rigid only; meaningless where the inertia is singular
  std::string name;
};

/// A machine in absolute coordinates: 6 per rigid body, joints as constraint rows, everything sparse.
///
/// Built by `assemble` (or directly, in tests and by users' code): frames, inputs, groups of elements, rows, states.
/// Immutable once `finish` was called.
class AbsoluteSystem final : public MechanicalSystem {
 public:
  AbsoluteSystem();
  ~AbsoluteSystem() override;

  // ---- building --------------------------------------------------------------------------------------------------
  int add_frame(FrameMap frame);         ///< returns its number; 0 is the ground
  int add_input(TimeFunction function);  ///< returns its number; 0 is the time itself
  void add_breakpoints(const BreakpointSet& instants) { breakpoints_.add(instants); }  ///< kinks of formulas of t
  void add_time_parts(const Expression& formula, int time);  ///< of a formula that uses t: examined before a run
  int add_state(std::string name, bool algebraic);
  int add_rows(const std::string& owner, int count, bool holonomic, const std::string& unit);  ///< first row
  int add_branch(const RelativeCoordinate& x, int frame_a, int frame_b);
  template <class Group>
  Group& add_group(std::unique_ptr<Group> group) {
    Group& reference = *group;
    groups_.push_back(std::move(group));
    return reference;
  }
  void set_gravity(const Eigen::Vector3d& gravity) { gravity_ = gravity; }
  /// Rows that are left out of the equations because others imply them.
  void drop_rows(std::span<const int> rows);
  void finish();
  /// Finds the bodies that spin freely, by turning them and looking whether derivatives change: at a point of the
  /// motion, which need not be exact. Of a machine that is finished; without it matrices turn with such bodies.
  void find_free_spins(const MotionPoint& p, const State& state);
  /// Finds whether a part of several bodies can be moved in some direction without any force, as derivatives at a point
  /// of the motion say: TurningVectors::floats.
  void find_floating_parts(const MotionPoint& p, const State& state);

  // ---- what it is made of ----------------------------------------------------------------------------------------
  int n_frames() const { return static_cast<int>(frames_.size()); }
  const FrameMap& frame_map(int f) const { return frames_[f]; }
  int n_rows() const { return static_cast<int>(row_owner_.size()); }  ///< dropped ones included
  int active_row(int row) const { return active_[row]; }              ///< −1: dropped
  const std::string& row_owner(int row) const { return row_owner_[row]; }
  std::string describe_row(int row) const;
  const std::vector<std::unique_ptr<ElementGroup>>& groups() const { return groups_; }
  const detail::PlanarHinges& planar_hinges() const { return *hinges_; }  ///< what is evaluated without frames
  const Eigen::Vector3d& gravity() const { return gravity_; }
  struct BranchMap {
    RelativeCoordinate x;
    int frame[2];
  };
  std::span<const BranchMap> branches() const { return branches_; }
  /// The angle of a joint to within half a turn [turns.h]; f are its frames at q, charts those of `state`.
  double expect_angle(const BranchMap& branch, const Branch& last, const Frame<double>* f, ConstVec q, double t,
                      const State& state) const;
  std::span<const char> all_holonomic() const { return row_holonomic_; }  ///< of every row, dropped ones included
  State make_state() const;                                               ///< charts at identity, branches at zero

  /// Frames, multipliers of all rows and predicted turns at a point, valid until the workspace is used again.
  KinematicState update_kinematics(const MotionPoint& p, const State& state, Workspace& workspace) const;
  /// Why accelerations do not follow body by body, without any matrix: rows, coordinates without inertia, algebraic
  /// states. Empty: they do.
  std::string explicit_refusal() const;
  /// v̇ and ż of a machine without rows: M is the inertia of each body by itself.
  Status accelerate(const MotionPoint& p, const State& state, Vec a, Vec zp, Workspace& workspace) const;
  /// Φ (or A v + a) of all rows, dropped ones included.
  void all_constraints(const MotionPoint& p, const State& state, std::span<double> phi, Workspace& workspace) const;

  // ---- MechanicalSystem ------------------------------------------------------------------------------------------
  int nv() const override { return nv_; }
  int nz() const override { return static_cast<int>(E_.size()); }
  int nc() const override { return nc_; }
  std::span<const double> E() const override { return E_; }
  std::span<const char> holonomic() const override { return active_holonomic_; }
  std::span<const Kind> kinds_q() const override { return kinds_q_; }
  std::string describe_coordinate(int i) const override;
  std::string describe_motion_row(int i) const override;
  std::string describe_state(int i) const override { return state_names_[i]; }
  std::string describe_constraint(int row) const override { return describe_row(all_row_[row]); }
  std::unique_ptr<Workspace> make_workspace() const override;
  void calc_inputs(double t, InputBuffer& inputs) const override;
  double next_breakpoint(double t) const override;
  /// Where inputs, formulas of t and users' laws (their frames as at p) do on [p.t, t_end] what they did not do before.
  StepBounds calc_step_bounds(const MotionPoint& p, double t_end, const State& state, Workspace& workspace) const;
  Status residual(const MotionPoint& p, const State& state, Vec motion, Vec internal, Vec phi,
                  Workspace& workspace) const override;
  Status stabilized_residual(const MotionPoint& p, ConstVec mu, const State& state, Vec motion, Vec internal, Vec phi,
                             Vec phi_dot, Vec kinematic, Workspace& workspace) const override;
  Status velocity_level(const MotionPoint& p, const State& state, Vec phi_dot, Vec bias,
                        Workspace& workspace) const override;
  /// Φ̇ alone.
  void calc_rates(const MotionPoint& p, const State& state, Vec phi_dot, Workspace& workspace) const;
  void calc_G_times(const MotionPoint& p, const State& state, ConstVec w, Vec product,
                    Workspace& workspace) const override;
  Status linearize(const MotionPoint& p, const State& state, PlaneSet set, MotionPlanes& planes,
                   Workspace& workspace) const override;
  bool has_constant_mass() const override { return true; }
  void to_chart(ConstVec q, MotionPlanes& planes, std::vector<double>& G_chart) const override;
  std::span<const int> chart_offsets() const override { return chart_offsets_; }
  TurningVectors turning() const override {
    return {chart_offsets_, world_coordinates_, world_rows_, free_spins_, floats_};
  }
  void calc_q_rate(ConstVec q, ConstVec v, Vec q_rate) const override;
  void accepted(const MotionPoint& p, double chart_threshold, Vec q, State& state, Workspace& workspace) const override;
  Energy calc_energy(const MotionPoint& p, const State& state, Workspace& workspace) const override;
  /// The same where frames are known; without rows: the power of forces alone.
  Energy calc_energy(KinematicState k, const State& state, bool with_rows) const;
  /// Whether a force is a function of multipliers.
  bool reads_multipliers() const;
  /// Σ m v, and Σ p × m v + R J ω about the origin, world axes.
  Wrench<double> calc_momentum(const KinematicState& k) const;

 private:
  int frame_of(int coordinate) const;
  void find_world_vectors();
  KinematicState begin_residual(const MotionPoint& p, const State& state, Workspace& workspace) const;
  void place_frame(int f, const MotionPoint& p, const State& state, Frame<double>& frame) const;
  void balance(const MotionPoint& p, const detail::AbsoluteWorkspace& workspace, Vec motion) const;
  void balance_frame(int f, const MotionPoint& p, const detail::AbsoluteWorkspace& workspace, Vec motion) const;
  void push_coordinates(const detail::AbsoluteWorkspace& workspace, Vec kinematic) const;
  void linearize_frames(const MotionPoint& p, const State& state, PlaneSet set, MotionPlanes& planes,
                        Workspace& workspace) const;
  Status check_finite(ConstVec motion, ConstVec internal, ConstVec phi) const;

  Eigen::Vector3d gravity_ = Eigen::Vector3d::Zero();
  std::vector<FrameMap> frames_;
  std::vector<TimeFunction> inputs_;
  BreakpointSet breakpoints_;  // of formulas that use t
  std::vector<TimePart> time_parts_;
  std::vector<std::unique_ptr<ElementGroup>> groups_;
  std::unique_ptr<const detail::PlanarHinges> hinges_;  // made by finish()
  std::unique_ptr<const detail::SharedGroups> shared_;
  double planar_turn(int frame, const Vec3<double>& n, ConstVec q) const;
  double planar_turns(const BranchMap& branch, const Frame<double>* f, ConstVec q) const;

  std::vector<BranchMap> branches_;
  std::vector<double> E_;
  std::vector<std::string> state_names_;
  std::vector<std::string> row_owner_, row_unit_;
  std::vector<int> row_number_;  // within its owner, from 1
  std::vector<char> row_holonomic_;
  std::vector<int> active_, all_row_;  // all rows -> active rows and back
  std::vector<char> active_holonomic_;
  std::vector<Kind> kinds_q_;
  std::vector<int> chart_offsets_;
  std::vector<WorldVector> world_coordinates_, world_rows_;
  std::vector<FreeSpin> free_spins_;
  bool floats_ = false;
  int nv_ = 0, nc_ = 0, n_modes_ = 0;
};

}  // namespace trammel
