// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "trammel/dae/iteration_operator.h"
#include "trammel/integrators/radau_tableau.h"

namespace trammel {

/// The linear systems of Radau's simplified Newton iteration: one linearization for all stages, one real matrix
/// F_y + γ/h F_y′ and one complex F_y + μ/h F_y′, both scaled by the same rows and columns [RadauTableau (2)]. The
/// augmented term multiplies each block, and its right-hand side, from the left by an L of its own.
class RadauBlocks {
 public:
  /// The scaling (none if null) must outlive the blocks.
  RadauBlocks(const DaeSystem& system, const RadauTableau& tableau, LinearSolverChoice solver,
              const RowColumnScaling* scaling);

  Status setup(const Point& p, const State& state, double h, Refresh refresh, Workspace& workspace);
  /// Column i of R, the residual of stage i in rows of the matrix, becomes the correction of Z_i in its columns.
  Status solve(Eigen::Ref<Eigen::MatrixXd> R);
  /// x ← −(F_y + γ/h F_y′)⁻¹ x in rows and columns of the matrix.
  Status solve_real(Vec x);

  bool ready() const { return ready_; }
  void invalidate() {
    ready_ = keeps_pivots_ = false;
    if (condenses_) used_.forget();
    source_.forget();
  }
  double h() const { return h_; }
  Planes& planes() { return source_.planes(); }
  const Planes& planes() const { return source_.planes(); }
  void follow_inputs() { source_.follow_inputs(); }  ///< see PlaneSource
  long input_derivatives() const { return source_.input_derivatives(); }
  const LinearSolver<double>& real_solver() const { return *real_; }
  /// Matrices that did not suit the solver that was named, see LinearSolverCounters.
  long handed_over() const { return real_->counters().n_handed_over + complex_->counters().n_handed_over; }
  std::span<const double> column_factors() const { return column_; }

  /// Condition numbers of the scaled blocks: singular values for small systems, else estimates of κ₁.
  struct Conditions {
    double real = 0.0, complex = 0.0;  ///< 0: the method has no such block
  };
  Conditions conditions();

 private:
  void analyze();
  template <class S>
  struct Block {
    std::vector<S> values;        // as factored
    std::vector<S> plain, gains;  // of the augmented term: the block without it, and what multiplies right-hand sides
  };
  template <class S>
  void combine(S factor, Block<S>& block) const;

  const DaeSystem& system_;
  const RadauTableau& tableau_;
  const RowColumnScaling* scaling_;
  std::unique_ptr<LinearSolver<double>> real_;
  std::unique_ptr<LinearSolver<std::complex<double>>> complex_;
  PlaneSource source_;
  bool condenses_;    // velocities are taken out before, which a pattern with room for more may not allow:
  UsedEntries used_;  // then blocks have the used entries alone
  std::unique_ptr<AugmentedTerm> augmented_;  // null: none
  Pattern pattern_, plain_pattern_;           // of both blocks; without the augmented term
  Block<double> real_block_;
  Block<std::complex<double>> complex_block_;
  std::vector<double> row_, column_, weight_;
  Eigen::VectorXd w_;
  Eigen::VectorXcd w_complex_;
  double h_ = 0.0;
  bool ready_ = false, keeps_pivots_ = false;
};

}  // namespace trammel
