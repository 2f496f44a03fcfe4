// SPDX-License-Identifier: Apache-2.0
#include "trammel/integrators/radau_stage_matrix.h"

namespace trammel {

namespace {

Eigen::MatrixXd to_dense(const Pattern& pattern, const std::vector<double>& values) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(pattern.n_rows, pattern.n_cols);
  for (int c = 0; c < pattern.n_cols; ++c)
    for (int k = pattern.start[c]; k < pattern.start[c + 1]; ++k) A(pattern.index[k], c) = values[k];
  return A;
}

}  // namespace

Eigen::MatrixXd calc_stage_matrix(const RadauTableau& tableau, const MotionPlanes& planes,
                                  const ScalingFactors& factors, double h) {
  const Eigen::MatrixXd M = to_dense(planes.motion, planes.M), D = to_dense(planes.motion, planes.D);
  const Eigen::MatrixXd G = to_dense(planes.constraint, planes.G);
  const Eigen::MatrixXd K =
      to_dense(planes.motion, planes.K) + to_dense(planes.motion, planes.K_lam) + factors.penalty * G.transpose() * G;
  const int s = tableau.stages(), nv = planes.motion.n_cols, nc = planes.constraint.n_rows;
  const RadauTableau::Matrix once = tableau.A_inverse() / h, twice = once * once;
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(s * (nv + nc), s * (nv + nc));
  for (int i = 0; i < s; ++i) {
    for (int j = 0; j < s; ++j) J.block(i * nv, j * nv, nv, nv) = factors.motion * (twice(i, j) * M + once(i, j) * D);
    J.block(i * nv, i * nv, nv, nv) += factors.motion * K;
    J.block(i * nv, s * nv + i * nc, nv, nc) = factors.motion * factors.multiplier * G.transpose();
    J.block(s * nv + i * nc, i * nv, nc, nv) = factors.holonomic * G;
  }
  return J;
}

}  // namespace trammel
