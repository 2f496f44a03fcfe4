// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

#include "trammel/linalg/sparse_matrix.h"

namespace trammel {

/// One row of a sparse matrix that is a combination of earlier, independent rows:
///
///   (1)  g_row = Σ coefficient_i · g_row_i     up to `residual` · ‖g_row‖
struct DependentRow {
  struct Term {
    int row;
    double coefficient;
  };
  int row = -1;
  double residual = 0;      ///< ‖g_row − Σ …‖₂ / ‖g_row‖₂; 0 for a zero row
  std::vector<Term> terms;  ///< ascending rows, all of them independent; empty: the row is zero
};

struct RankReport {
  int rank = 0;
  std::vector<DependentRow> dependent;  ///< ascending rows; n_rows − rank of them
};

/// Finds the redundant rows of a constraint Jacobian G (n_rows × n_cols), for example of a mechanism whose joints say
/// the same thing twice. A row is dependent when, scaled to length 1, less than relative_tol of it is left outside the
/// span of the rows before it: metres and radians are treated alike, and of two rows that repeat each other the *later*
/// one is reported, whatever ordering the factorization needs. Deterministic. The rows that are not reported are
/// independent, so dropping the reported ones (`redundant = "drop"`) changes no motion.
///
/// Method: the rank-revealing sparse QR factorization of Gᵀ (SuiteSparseQR, fill-reducing order; 50 000 rows of a chain
/// in a fraction of a second) gives a basis of the null space, Gᵀ n = 0, one sparse vector per dependent row. Which row
/// each vector blames is still arbitrary; bringing the basis to reduced echelon form from the last row upwards makes
/// each vector end at a different row p, which is then a combination (1) of earlier rows, none of them dependent. The
/// result is that of processing the rows one by one in natural order, without the fill that order would cost, with one
/// difference: a last row whose share in a dependence is below 1e-4 is passed by, because the others would stay nearly
/// dependent; its small coefficient then appears in the terms of an earlier row. A second factorization checks that the
/// rows which stay are independent; if they are not, the rows that the first one left out are reported instead, not
/// necessarily the later ones.
///
/// Limit: QR without column pivoting can be misled when rows are *nearly* dependent on several levels besides being
/// dependent. Of 60 random matrices whose rows repeatedly combine rows up to 1000 times longer, one kept dependent rows
/// and dropped an independent one; with factors up to 10 none did. The statements (1) were true in every case.
///
/// relative_tol must exceed the error of G: at an assembled configuration this is the position tolerance over a typical
/// length. A mechanism *near* a singular configuration is not redundant; a tolerance above its distance would say so.
RankReport find_dependent_rows(const SparseMatrix<double>& G, double relative_tol = 1e-8);

/// The x of least ‖x‖₂ among those that minimise ‖A x − b‖₂, for a small dense A of any shape and rank (complete
/// orthogonal decomposition). Singular directions below relative_tol × the largest pivot are treated as absent.
Eigen::VectorXd minimum_norm_solve(const Eigen::Ref<const Eigen::MatrixXd>& A,
                                   const Eigen::Ref<const Eigen::VectorXd>& b, double relative_tol = 1e-12);

}  // namespace trammel
