// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "trammel/dae/jump_system.h"
#include "trammel/mechanics/absolute/absolute_system.h"
#include "trammel/mechanics/elements/forces.h"
#include "trammel/mechanics/model.h"
#include "trammel/mechanics/slots/slot_element.h"

namespace trammel {

/// A machine over one step of the energy-decaying scheme (docs/integrators/energy_decaying.md).
///
/// Made from a machine in absolute coordinates. Joints, couplers, motions, springs and beams become quadratic functions
/// of slots (SlotElement) and obey the law of energy exactly. Rows on velocities that are no rates of such functions
/// (rolling, knife edges) keep r_j = r_f = 0 and do no work either. Everything else that pushes (formulas, users'
/// forces, controllers) is an external load
///
///   (1) f_f = −(F_j + 2F_f)/6,   f_j = −(2F_j + F_f)/6,
///
/// F_j at the old position with v_j, F_f at the end, whose work is counted; internal states follow
///
///   (2) E (z_f − z_j) = h (g_j + 2g_f)/3,   E (z_f + z_j − 2z_0) = h (2g_j + g_f)/3.
///
/// Both are integrals of what is linear between j and f. What time alone bends between them,
///
///   (3) F_b = F(t + h/2) − ½ (F(t) + F(t + h)) with the machine as it stands at t,
///
/// adds −F_b/3 to both of (1) and 2h g_b/3 to both of (2): Simpson's rule. It does not depend on the unknowns.
///
/// Which of these a kind of joint or force becomes, the kind says (Directors). Contacts are forces by a discrete
/// gradient of what they store (SlotContact), those without a potential external loads.
class SlotSystem final : public JumpSystem {
 public:
  /// `drawn`: every frame as drawn, where beams are without strain; needed if there are any. Throws InputError when a
  /// constraint has no form in slots; names it.
  explicit SlotSystem(const AbsoluteSystem& system, std::span<const Frame<double>> drawn = {});
  ~SlotSystem() override;

  /// Beyond what the machine has: a mass off a frame's origin, a section of a beam. Before make_workspace.
  void add_mass(SlotMass mass);
  void add_element(SlotElement element);
  int add_stress(const std::string& owner);  ///< a multiplier that is no constraint; returns its number

  int nv() const override { return system_.nv(); }
  int nz() const override { return system_.nz(); }
  int n_multipliers() const override { return system_.nc() + static_cast<int>(stress_owner_.size()); }
  int n_memory() const override;
  const Layout& layout() const override { return layout_; }
  std::unique_ptr<Workspace> make_workspace() const override;
  void calc_memory(const MotionVariables& from, const State& state, Vec memory, Workspace& workspace) const override;
  Status begin(const MotionVariables& from, ConstVec memory, const State& state, Workspace& workspace) const override;
  void resize(double h, double curvature, double t_inputs, Workspace& workspace) const override;
  void guess(Vec y, const Workspace& workspace) const override;
  const Pattern& pattern(const Workspace& workspace) const override;
  Status residual(ConstVec y, Vec r, Workspace& workspace) const override;
  Status linearize(ConstVec y, std::span<double> values, Workspace& workspace) const override;
  bool misses(ConstVec y, Workspace& workspace) const override;
  bool calc_bow(Vec r, const Workspace& workspace) const override;
  void finish(ConstVec y, MotionVariables& to, Vec memory, JumpLedger& ledger, Workspace& workspace) const override;

  const AbsoluteSystem& system() const { return system_; }
  std::span<const SlotElement> elements() const { return elements_; }

 private:
  struct Scratch;
  struct Loads;
  /// A row on velocities given by a constraint element's own kernel, or one on positions that is no quadratic.
  struct FrameRowElement {
    const ConstraintElements* group;
    int element;
    int row;  ///< of the element
    int multiplier;
  };

  void make_layout();
  int new_stress(const std::string& owner);
  void add_own(std::size_t group, const Directors& directors);
  void add_constraints(const ElementGroup& group);
  void take_frame_rows(const ConstraintElements& rows);
  bool add_springs(const ElementGroup& group);
  void add_bushing(const Bushing::Params& params, const std::array<int, 2>& frame, const std::string& owner);
  bool add_beams(const ElementGroup& group);
  double line_length(const std::array<int, 3>& frames, int row) const;
  void list_contacts(Scratch& ws) const;
  void build_pattern(Scratch& ws) const;
  void connect_loads(Scratch& ws) const;
  std::span<const int> load_modes(std::size_t i, const Scratch& ws) const;
  /// Calls action(pair, rows, columns) for every block of the loads' derivatives.
  template <class Action>
  void for_each_load_block(Loads& loads, const Action& action) const;
  void update(ConstVec y, bool derivatives, Scratch& ws) const;
  double rate_of(const FrameRowElement& e, bool at_f, const Scratch& ws) const;
  void update_curved_rows(ConstVec y, Scratch& ws) const;
  void add_frame_rows(ConstVec y, Vec r, Scratch& ws) const;
  void linearize_frame_rows(ConstVec y, std::span<double> values, Scratch& ws) const;
  void add_contacts(Vec r, JumpLedger* ledger, Scratch& ws) const;
  void linearize_contacts(std::span<double> values, Scratch& ws) const;
  KinematicState load_point(ConstVec y, bool at_f, Scratch& ws) const;
  void update_load_points(ConstVec y, Scratch& ws) const;
  void update_bow(Scratch& ws) const;
  void add_bow(Vec r, const Scratch& ws) const;
  void add_loads(ConstVec y, Vec r, Scratch& ws) const;
  void linearize_loads(ConstVec y, std::span<double> values, Scratch& ws) const;

  // Places of unknowns and rows: (v_j, v_f, z_j, z_f, L_j, L_f).
  int v_j() const { return 0; }
  int v_f() const { return nv(); }
  int z_j() const { return 2 * nv(); }
  int z_f() const { return 2 * nv() + nz(); }
  int L_j() const { return 2 * (nv() + nz()); }
  int L_f() const { return 2 * (nv() + nz()) + n_multipliers(); }

  const AbsoluteSystem& system_;
  std::span<const Frame<double>> drawn_;  // while elements are made
  std::vector<SlotFrame> frames_;
  std::vector<SlotElement> elements_;
  std::vector<SlotMass> masses_;
  std::vector<FrameRowElement> frame_rows_;
  bool has_curved_rows_ = false;          // some of them on positions
  std::vector<std::size_t> load_groups_;  // numbers of the groups of the system
  std::vector<std::size_t> contact_groups_;
  std::vector<std::string> stress_owner_;
  double reference_mass_ = 1.0;
  Layout layout_;
};

/// Joints and forces whose kinds say that they have no form in slots, with their reasons.
std::vector<Issue> issues_of_directors(const Model& model);

}  // namespace trammel
