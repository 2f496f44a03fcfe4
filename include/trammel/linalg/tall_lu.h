#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "trammel/base/status.h"
#include "trammel/linalg/pattern.h"

namespace trammel {

/// Which m rows of a tall sparse A (n × m, n ≥ m, full rank) are independent, and solves with them:
///
///   (1)  E A C = | L₁ | U       E: rows exchanged for size (the first m are the pivot rows), C: columns ordered
///                | L₂ |         L₁ unit lower triangular, U upper triangular
///
/// A_Y: the pivot rows of A, A_X: the others. L₂L₁⁻¹ = A_X A_Y⁻¹, so that one forward sweep over a vector r of n
/// entries leaves in its other rows
///
///   (2)  r_X − A_X A_Y⁻¹ r_Y
///
/// without U. Left-looking with partial pivoting (Gilbert, Peierls); small matrices keep their columns' order, larger
/// ones take that of COLAMD. refactor keeps pivots and pattern, and allocates nothing.
class TallLu {
 public:
  /// `columns`: the columns of A that are factored, in ascending order; `excluded[i]`: row i must not become a pivot
  /// (empty: none).
  void analyze(const Pattern& A, std::vector<int> columns, std::vector<char> excluded = {});

  /// Chooses pivots. singular_matrix: `row` is the column of A for which no pivot above vanished × its largest entry is
  /// left; after it the factors must not be used.
  Status factor(std::span<const double> values);
  /// The same pivots with new values.
  Status refactor(std::span<const double> values);
  bool ready() const { return ready_; }

  int m() const { return static_cast<int>(columns_.size()); }
  /// Pivot rows of A in the order of elimination.
  std::span<const int> pivot_rows() const { return pivot_row_; }
  bool is_pivot(int row) const { return step_of_row_[row] >= 0; }
  /// The largest |l_ij|: 1 after factor unless rows were excluded.
  double growth() const { return growth_; }

  /// (2) in place; the pivot rows of r become L₁⁻¹ r_Y.
  void sweep(Eigen::Ref<Eigen::VectorXd> r) const;
  /// x[column] = U⁻¹ times the pivot rows of a swept vector: A_Y⁻¹ r_Y. Entries of other columns stay.
  void solve_swept(const Eigen::Ref<const Eigen::VectorXd>& swept, Eigen::Ref<Eigen::VectorXd> x) const;
  /// Adds U x to the pivot rows: what sweeping A x would leave there.
  void add_swept_product(const Eigen::Ref<const Eigen::VectorXd>& x, Eigen::Ref<Eigen::VectorXd> swept) const;
  /// ‖A_X A_Y⁻¹‖₂ from below, by a few steps of the power method: for reports, within some per cent.
  double estimate_ratio_norm();

  static constexpr double vanished = 1e-12;

 private:
  void find_order(const Pattern& A);
  int reach(int step);

  int n_ = 0;
  std::vector<int> columns_, order_;  // order_[step]: column of A
  std::vector<char> excluded_;
  std::vector<int> start_, index_;  // of A
  bool ready_ = false;
  double growth_ = 0.0;
  std::vector<int> pivot_row_, step_of_row_;
  std::vector<double> diagonal_;
  std::vector<int> L_start_, L_row_, U_start_, U_step_;
  std::vector<double> L_, U_;
  // Scratch.
  mutable Eigen::VectorXd work_, y_;
  Eigen::VectorXd power_;
  std::vector<int> mark_, path_, next_, topological_, touched_;
};

}  // namespace trammel
