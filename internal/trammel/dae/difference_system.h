// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trammel/dae/dae_system.h"

namespace trammel {

/// How a Jacobian is taken by differences [arnold2004 sections 2.2 and 3.1].
struct DifferenceOptions {
  bool grouped = false;    ///< one residual per group of columns (20) instead of one per column (16)
  bool estimated = false;  ///< grouped: the pattern is not asked of the system but estimated: Ω
};

struct DifferenceCounters {
  long jacobians = 0;        ///< taken by differences
  long evaluations = 0;      ///< residuals that they needed
  long pattern_updates = 0;  ///< estimated patterns that were enlarged
  int groups = 0;            ///< of the last grouped Jacobian
};

/// Any system with its Jacobian taken by differences of its residual, whatever derivatives it offers itself:
///
///   (1) F_y(:, r) ≈ (F(y + δ_r e_r, y′) − F(y, y′))/δ_r,   δ_r = max(|y_r|, ε^¼) √ε                          (16),
///   (17) (2) columns that share no row are moved together                                                         (20)
///
/// F_y′ is exact where the system knows it, else it is taken by differences as well; columns that follow from others
/// are not differenced. As the planes are kept apart, every update of the matrix works with them: what is stored is F_y
/// = J − α F_y′, and moving y alone gives it directly. Rows and columns are those of the matrix (body increments where
/// there are charts).
///
/// An *estimated* pattern Ω is that of one Jacobian with all columns by themselves, without what is too small for
/// Newton to notice. When Newton is slow although the Jacobian is recent (`Planes::suspect`), Ω may have missed
/// something (a force that was not active): all columns are differenced by themselves once more and what is new is
/// added. With the system's own pattern (2) gives the numbers of (1).
class DifferenceSystem final : public DaeSystem {
 public:
  /// The system must outlive this one.
  DifferenceSystem(const DaeSystem& system, const DifferenceOptions& options);

  const DifferenceCounters& counters(const Workspace& workspace) const;
  /// The columns of each group of the last Jacobian, those that were not differenced left out.
  std::vector<std::vector<int>> groups(const Workspace& workspace) const;

  const Layout& layout() const override { return system_.layout(); }
  std::unique_ptr<Workspace> make_workspace() const override;
  Pattern make_pattern(const State& state) const override;
  Status linearize(const Point& p, const State& state, Planes& planes, Workspace& workspace) const override;

  // ---- handed on ----
  bool has_exact_rates() const override { return system_.has_exact_rates(); }
  bool estimates_pattern() const override { return options_.grouped && options_.estimated; }
  bool has_constant_rates() const override { return system_.has_constant_rates(); }
  Status update_rates(const Point& p, const State& state, Planes& planes, Workspace& workspace) const override;
  std::vector<int> pivot_rows() const override { return system_.pivot_rows(); }
  std::vector<int> own_rows() const override { return system_.own_rows(); }
  void accepted(const Point& p, State& state, Workspace& workspace) const override;
  Status residual(const Point& p, const State& state, Vec F, Workspace& workspace) const override;
  void calc_inputs(double t, InputBuffer& inputs) const override { system_.calc_inputs(t, inputs); }
  double next_breakpoint(double t) const override { return system_.next_breakpoint(t); }
  void to_matrix_rows(const Point& p, const State& state, Vec F, Workspace& workspace) const override;
  void from_matrix_columns(const Point& p, const State& state, Vec delta, Workspace& workspace) const override;
  void select_stage(int stage, Workspace& workspace) const override;
  bool matrix_outdated(const Point& p, const State& state, const Workspace& workspace) const override;
  bool predicted(double t, const State& state, Vec y, ConstVec yp, Workspace& workspace) const override;
  bool corrected(Vec y, Workspace& workspace) const override;
  void tested(Purpose purpose, std::span<double> mask, const Workspace& workspace) const override;
  void calc_indices(std::span<int> index) const override { system_.calc_indices(index); }
  Range forces() const override { return system_.forces(); }
  double step_bound(const Point& p, int order, const State& state) const override {
    return system_.step_bound(p, order, state);
  }
  Status make_consistent(double t, State& state, Vec y, Vec yp, Workspace& workspace) const override;
  Status calc_gap(const Point& from, const Point& to, double t, const Inputs& in, const State& state, double& gap,
                  Workspace& workspace) const override;
  std::span<const int> chart_unknowns() const override { return system_.chart_unknowns(); }
  bool wants_rebase(ConstVec y, const State& state) const override { return system_.wants_rebase(y, state); }
  void rebase(Eigen::Ref<Eigen::MatrixXd> points, State& state, Workspace& workspace) const override;
  void rebase_rates(ConstVec y, ConstVec y_moved, Vec yp) const override { system_.rebase_rates(y, y_moved, yp); }

 private:
  struct Scratch;
  Status difference(const Point& p, const State& state, bool of_rates, Planes& planes, Scratch& scratch) const;
  void find_groups(const Pattern& pattern, Scratch& scratch) const;
  void leave_ungrouped(Scratch& scratch) const;
  void enlarge_estimate(Planes& planes, Scratch& scratch) const;

  const DaeSystem& system_;
  DifferenceOptions options_;
  std::vector<char> derived_;  // columns that are not differenced
};

}  // namespace trammel
