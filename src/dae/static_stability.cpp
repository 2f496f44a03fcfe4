// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/static_stability.h"

#include <algorithm>
#include <cmath>

#include "trammel/dae/static_units.h"
#include "trammel/linalg/dense_decompositions.h"

namespace trammel {

namespace {

constexpr double dependent_row = 1e-9;    // of the largest pivot of G
constexpr double stable_rounding = 1e-9;  // of the largest eigenvalue: what rounding makes of a zero
constexpr double massless_share = 1e-9;   // of the largest entry of ZᵀMZ
constexpr double real_eigenvalue = 1e-6;  // |Im μ| beside |μ|

Eigen::MatrixXd to_dense(const Pattern& pattern, const std::vector<double>& values, int rows) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(rows, pattern.n_cols);
  if (values.empty()) return A;
  for (int c = 0; c < pattern.n_cols; ++c)
    for (int k = pattern.start[c]; k < pattern.start[c + 1]; ++k) A(pattern.index[k], c) += values[k];
  return A;
}

}  // namespace

FreeDirections calc_free_directions(const MotionPlanes& planes, int nv, int nc) {
  FreeDirections free;
  if (nc == 0) {
    free.Z = Eigen::MatrixXd::Identity(nv, nv);
    for (int i = 0; i < nv; ++i) free.coordinates.push_back(i);
    return free;
  }
  const ColumnPivotedQr qr = factor_by_columns(to_dense(planes.constraint, planes.G, nc), dependent_row);
  const Eigen::Index rank = qr.rank, n_free = nv - rank;
  free.Z = Eigen::MatrixXd::Zero(nv, n_free);
  if (n_free == 0) return free;
  const Eigen::MatrixXd head = qr.R.leftCols(rank), rest = qr.R.rightCols(n_free);
  const Eigen::MatrixXd dependent = rank > 0 ? solve_square(head, -rest) : Eigen::MatrixXd(0, n_free);
  for (Eigen::Index j = 0; j < n_free; ++j) {
    for (Eigen::Index i = 0; i < rank; ++i) free.Z(qr.order[i], j) = dependent(i, j);
    free.Z(qr.order[rank + j], j) = 1.0;
    free.coordinates.push_back(qr.order[rank + j]);
  }
  return free;
}

Status calc_static_stability(const SecondOrderDae& dae, const MotionVariables& x, const State& state, double length,
                             int max_size, Workspace& workspace, StaticStability& result) {
  result = {};
  const int nv = dae.nv();
  if (nv == 0 || nv > max_size) return Status::success();
  MotionVariables at = x;
  at.v.setZero(), at.a.setZero(), at.zp.setZero();
  InputBuffer inputs;
  dae.calc_inputs(at.t, inputs);
  MotionPlanes planes;
  if (const Status status = dae.linearize(at.point(inputs.view()), state, PlaneSet::all, planes, workspace);
      !status.ok())
    return status;
  const StaticUnits units(length, planes, dae.layout().kinds(), Eigen::VectorXd::Zero(nv));
  units.scale(planes);
  if (std::any_of(planes.f_z.begin(), planes.f_z.end(), [](double value) { return value != 0.0; }))
    return Status::success();
  const Eigen::MatrixXd Z = calc_free_directions(planes, nv, dae.nc()).Z;
  if (Z.cols() == 0) return Status::success();
  const Eigen::MatrixXd K = to_dense(planes.motion, planes.K, nv) + to_dense(planes.motion, planes.K_lam, nv);
  const Eigen::MatrixXd stiffness = Z.transpose() * K * Z;
  Eigen::MatrixXd mass = Z.transpose() * to_dense(planes.motion, planes.M, nv) * Z;
  mass.diagonal().array() += massless_share * std::max(mass.cwiseAbs().maxCoeff(), 1e-300);
  const EigenPairs pairs = calc_eigenpairs(solve_square(mass, stiffness));
  const double largest = pairs.values.cwiseAbs().maxCoeff();
  Eigen::Index least = -1;
  for (Eigen::Index i = 0; i < pairs.values.size(); ++i) {
    if (std::abs(pairs.values[i].imag()) > real_eigenvalue * std::abs(pairs.values[i])) continue;
    if (least < 0 || pairs.values[i].real() < pairs.values[least].real()) least = i;
  }
  if (least < 0 || !std::isfinite(largest)) return Status::success();
  result.tested = true;
  result.stiffness = pairs.values[least].real();
  result.unstable = result.stiffness < -stable_rounding * largest;
  result.direction = Z * pairs.vectors.col(least).real();
  Eigen::Index at_most = 0;
  const double size = result.direction.cwiseAbs().maxCoeff(&at_most);
  result.coordinate = static_cast<int>(at_most);
  if (size > 0.0) result.direction = units.unscaled(result.direction / result.direction[at_most]);
  return Status::success();
}

}  // namespace trammel
