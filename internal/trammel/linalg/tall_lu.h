// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "trammel/base/status.h"
#include "trammel/linalg/pattern.h"

namespace trammel {

/// Which m rows of a tall sparse A (n × m, n ≥ m, full rank) are independent, and solves with them:
///
///   (1)  A_Y: the chosen rows, A_X: the others;   A_Y = L U with the order of rows and columns in which they were
///   chosen (2)  x = A_Y⁻¹ r_Y,   r_X − A_X x
///
/// Rows are chosen by elimination with row exchanges for size, column by column. A small matrix (m ≤ 24) keeps its
/// order of columns, and every row competes. For a larger one, COLAMD's order and two phases keep memory linear where A
/// is the transposed constraint matrix of a tree: a row competes only while columns that contain it are left, because
/// the entries of the others fill in (the angle of a link moves all links after it). A column for which no competitor
/// reaches a tenth of its largest entry waits until the end; those columns, one or two per closed loop, choose among
/// all rows with full partial pivoting.
class TallLu {
 public:
  /// `columns`: the columns of A that are factored, in ascending order; `excluded[i]`: row i must not be chosen (empty:
  /// none).
  void analyze(const Pattern& A, std::vector<int> columns, std::vector<char> excluded = {});

  /// Chooses rows. singular_matrix: `row` is the column of A for which no pivot above vanished × its largest entry is
  /// left; after it the factors must not be used.
  Status factor(std::span<const double> values);
  /// The same rows with new values; allocates nothing.
  Status refactor(std::span<const double> values);
  bool ready() const { return ready_; }

  int m() const { return static_cast<int>(columns_.size()); }
  /// Rows and columns in the order of elimination: row k was chosen for column k.
  std::span<const int> pivot_rows() const { return pivot_row_; }
  std::span<const int> pivot_columns() const { return order_; }
  bool is_pivot(int row) const { return step_of_row_[row] >= 0; }
  /// Numbers stored in L and U.
  long nnz() const { return static_cast<long>(L_.size() + U_.size()) + m(); }
  /// The largest |l_ij| of rows in A_Y.
  double growth() const { return growth_; }

  /// x[column] = A_Y⁻¹ r_Y; entries of columns that are not factored stay.
  void solve(const Eigen::Ref<const Eigen::VectorXd>& r, Eigen::Ref<Eigen::VectorXd> x) const;
  /// r_X −= A_X x, r_Y = 0.
  void subtract(const Eigen::Ref<const Eigen::VectorXd>& x, Eigen::Ref<Eigen::VectorXd> r) const;
  /// ‖A_X A_Y⁻¹‖₂ from below, by a few steps of the power method: for reports, within some per cent.
  double estimate_ratio_norm();

  static constexpr double vanished = 1e-12;

 private:
  void find_order(const Pattern& A);
  void reach(int step, int column, std::span<const int> L_start, std::span<const int> L_row);
  Status choose();
  Status choose_delayed();
  void make_factors();
  double scatter(int column);

  int n_ = 0;
  std::vector<int> columns_, first_order_, order_;  // as given, as ordered, as eliminated
  std::vector<char> excluded_;
  std::vector<int> start_, index_;  // of A
  std::vector<double> values_;
  bool small_ = true, ready_ = false;
  double growth_ = 0.0;
  std::vector<int> last_use_;  // of each row: the last step of first_order_ whose column contains it
  std::vector<int> pivot_row_, step_of_row_;
  std::vector<double> diagonal_;
  std::vector<int> L_start_, L_row_, U_start_, U_step_;
  std::vector<double> L_, U_;
  std::vector<int> X_start_, X_row_, X_slot_;  // entries of A_X by step
  std::vector<double> X_;
  // Scratch of the choice: L of competing rows, U.
  std::vector<int> choice_L_start_, choice_L_row_, choice_U_start_, choice_U_step_, delayed_;
  std::vector<double> choice_L_, choice_U_;
  std::vector<double> choice_diagonal_;
  Eigen::MatrixXd late_;  // delayed columns after elimination of the others
  std::vector<int> chosen_, mark_, path_, next_, topological_, touched_;
  mutable Eigen::VectorXd work_, y_;
  Eigen::VectorXd power_, power_x_;
};

}  // namespace trammel
