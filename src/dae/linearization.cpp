// SPDX-License-Identifier: Apache-2.0
#include "trammel/dae/linearization.h"

#include <algorithm>
#include <numbers>
#include <numeric>

#include "trammel/linalg/dense_decompositions.h"

namespace trammel {

namespace {

// Rows agree to rounding or not at all; machines near a singular position are full rank.
constexpr double rank_tol = 1e-9;
// Zero eigenvalues of a defective pair (a free rigid motion) are split by √ε of the matrix.
constexpr double zero_tol = 1e-7;

Eigen::MatrixXd dense(const Pattern& pattern, const std::vector<double>& values) {
  Eigen::MatrixXd full = Eigen::MatrixXd::Zero(pattern.n_rows, pattern.n_cols);
  for (int c = 0; c < pattern.n_cols; ++c)
    for (int k = pattern.start[c]; k < pattern.start[c + 1]; ++k) full(pattern.index[k], c) += values[k];
  return full;
}

// Solutions of G y = b: y = basis·(independent entries of y) + particular·b.
struct Split {
  std::vector<int> independent;
  Eigen::MatrixXd basis, particular;
};

Split split(const Eigen::MatrixXd& G) {
  const Eigen::Index n = G.cols(), m = G.rows();
  Split s;
  if (m == 0) {
    s.independent.resize(n);
    std::iota(s.independent.begin(), s.independent.end(), 0);
    s.basis = Eigen::MatrixXd::Identity(n, n);
    s.particular = Eigen::MatrixXd::Zero(n, 0);
    return s;
  }
  const ColumnPivotedQr qr = factor_by_columns(G, rank_tol);
  const Eigen::Index rank = qr.rank;
  const std::vector<int>& order = qr.order;
  // R₁₁ y_d + R₁₂ y_i = (Qᵀ b)₁
  const auto R11 = qr.R.leftCols(rank).triangularView<Eigen::Upper>();
  const Eigen::MatrixXd dependent = -R11.solve(Eigen::MatrixXd(qr.R.rightCols(n - rank)));
  const Eigen::MatrixXd of_b = R11.solve(Eigen::MatrixXd(qr.Qt.topRows(rank)));
  s.basis = Eigen::MatrixXd::Zero(n, n - rank);
  s.particular = Eigen::MatrixXd::Zero(n, m);
  std::vector<int> columns(n - rank);
  std::iota(columns.begin(), columns.end(), 0);
  std::sort(columns.begin(), columns.end(), [&](int a, int b) { return order[rank + a] < order[rank + b]; });
  for (Eigen::Index j = 0; j < n - rank; ++j) {
    const int free = order[rank + columns[j]];
    s.independent.push_back(free);
    s.basis(free, j) = 1.0;
    for (Eigen::Index i = 0; i < rank; ++i) s.basis(order[i], j) = dependent(i, columns[j]);
  }
  for (Eigen::Index i = 0; i < rank; ++i) s.particular.row(order[i]) = of_b.row(i);
  return s;
}

}  // namespace

Status linearize_motion(const SecondOrderDae& dae, const MotionVariables& x, const State& state,
                        std::span<const int> chart_offsets, const Eigen::MatrixXd& by_input, Workspace& workspace,
                        Linearization& result) {
  const int nv = dae.nv(), nz = dae.nz(), nc = dae.nc();
  InputBuffer inputs;
  dae.calc_inputs(x.t, inputs);
  MotionPlanes planes;
  Status status = dae.linearize(x.point(inputs.view()), state, PlaneSet::all, planes, workspace);
  if (!status.ok()) return status;
  const std::span<const double> E = dae.E();
  const std::span<const char> holonomic = dae.holonomic();

  const Eigen::MatrixXd M = dense(planes.motion, planes.M), D = dense(planes.motion, planes.D);
  const Eigen::MatrixXd K = dense(planes.motion, planes.K) + dense(planes.motion, planes.K_lam);
  const Eigen::MatrixXd G = dense(planes.constraint, planes.G), Gv_q = dense(planes.constraint, planes.Gv_q);
  const Eigen::MatrixXd f_lam = dense(planes.reaction, planes.f_lam), f_z = dense(planes.state_force, planes.f_z);
  const Eigen::MatrixXd g_q = dense(planes.state_rate, planes.g_q), g_v = dense(planes.state_rate, planes.g_v);
  const Eigen::MatrixXd g_z = dense(planes.state_state, planes.g_z), g_lam = dense(planes.state_lam, planes.g_lam);

  std::vector<int> on_positions, differential;
  for (int row = 0; row < nc; ++row)
    if (holonomic[row]) on_positions.push_back(row);
  for (int z = 0; z < nz; ++z)
    if (E[z] != 0.0) differential.push_back(z);
  const Split q = split(G(on_positions, Eigen::all)), v = split(G);
  const Eigen::Index ns = q.basis.cols(), nw = v.basis.cols(), nd = static_cast<Eigen::Index>(differential.size()),
                     n = ns + nw + nd;

  // Columns: the unit vectors of x.
  result = {};
  result.Q = Eigen::MatrixXd::Zero(nv, n);
  result.Q.leftCols(ns) = q.basis;
  result.V = -v.particular * (Gv_q * result.Q);
  result.V.middleCols(ns, nw) += v.basis;
  result.Z = Eigen::MatrixXd::Zero(nz, n);
  for (Eigen::Index i = 0; i < nd; ++i) result.Z(differential[i], ns + nw + i) = 1.0;
  Eigen::MatrixXd q_rate = result.V;
  for (const int at : chart_offsets) {
    const Eigen::Vector3d w = x.v.segment<3>(at);
    for (Eigen::Index j = 0; j < n; ++j)
      q_rate.col(j).segment<3>(at) -= w.cross(Eigen::Vector3d(result.Q.col(j).segment<3>(at)));
  }

  Eigen::MatrixXd kkt = Eigen::MatrixXd::Zero(nv + nz + nc, nv + nz + nc);
  kkt.topLeftCorner(nv, nv) = M;
  kkt.topRightCorner(nv, nc) = G.transpose() + f_lam;
  kkt.bottomLeftCorner(nc, nv) = G;
  kkt.block(nv, nv + nz, nz, nc) = g_lam;
  for (int z = 0; z < nz; ++z) {
    if (E[z] != 0.0) {
      kkt(nv + z, nv + z) = E[z];
      continue;
    }
    kkt.block(0, nv + z, nv, 1) = f_z.col(z);
    kkt.block(nv, nv + z, nz, 1) += g_z.col(z);
  }
  const Eigen::Index nu = by_input.cols();
  Eigen::MatrixXd rhs = Eigen::MatrixXd::Zero(nv + nz + nc, n + nu);
  rhs.topLeftCorner(nv, n) = -(D * result.V + K * result.Q + f_z * result.Z);
  rhs.block(nv, 0, nz, n) = -(g_q * result.Q + g_v * result.V + g_z * result.Z);
  rhs.bottomLeftCorner(nc, n) = -Gv_q * q_rate;
  if (nu > 0) rhs.topRightCorner(nv + nz, nu) = -by_input;
  const Eigen::MatrixXd rates = solve_square(kkt, rhs);
  if (!rates.allFinite()) return Status::recoverable(Cause::singular_matrix);

  Eigen::MatrixXd x_rate = Eigen::MatrixXd::Zero(n, n + nu);
  x_rate.topLeftCorner(ns, n) = q_rate(q.independent, Eigen::all);
  x_rate.middleRows(ns, nw) = rates(v.independent, Eigen::all);
  for (Eigen::Index i = 0; i < nd; ++i) x_rate.row(ns + nw + i) = rates.row(nv + differential[i]);
  result.A = x_rate.leftCols(n);
  result.B = x_rate.rightCols(nu);
  result.L = rates.bottomLeftCorner(nc, n);
  result.L_u = rates.bottomRightCorner(nc, nu);
  result.Z_u = Eigen::MatrixXd::Zero(nz, nu);
  for (int z = 0; z < nz; ++z) {
    if (E[z] != 0.0) continue;
    result.Z.row(z) = rates.row(nv + z).head(n);
    result.Z_u.row(z) = rates.row(nv + z).tail(nu);
  }
  result.n_positions = static_cast<int>(ns);
  result.n_velocities = static_cast<int>(nw);
  for (const int i : q.independent) result.states.push_back(dae.layout().describe_unknown(i));
  for (const int i : v.independent) result.states.push_back("rate of " + dae.layout().describe_unknown(i));
  for (const int i : differential) result.states.push_back(dae.layout().describe_unknown(nv + i));
  return Status::success();
}

void EigenModes::arrange(double zero) {
  const Eigen::Index n = values.size();
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  const double size = n > 0 ? values.cwiseAbs().maxCoeff() : 0.0;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    const double la = std::abs(values[a]), lb = std::abs(values[b]);
    if (std::abs(la - lb) > 1e-10 * size) return la < lb;
    return values[a].imag() > values[b].imag();
  });
  const Eigen::VectorXcd unsorted_values = values;
  const Eigen::MatrixXcd unsorted_shapes = shapes;
  zeros = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    values[i] = unsorted_values[order[i]];
    if (std::abs(values[i]) <= zero) ++zeros;
    shapes.col(i) = unsorted_shapes.col(order[i]);
    Eigen::Index at = 0;
    if (shapes.rows() > 0 && shapes.col(i).cwiseAbs().maxCoeff(&at) > 0.0) shapes.col(i) /= shapes(at, i);
  }
}

double EigenModes::frequency(int i) const { return std::abs(values[i]) / (2.0 * std::numbers::pi); }

double EigenModes::damping(int i) const {
  const double size = std::abs(values[i]);
  return size == 0.0 ? 0.0 : -values[i].real() / size;
}

EigenModes calc_modes(const Linearization& linearization) {
  EigenModes modes;
  const Eigen::Index n = linearization.A.rows();
  if (n == 0) return modes;
  const EigenPairs pairs = calc_eigenpairs(linearization.A);
  modes.values = pairs.values;
  modes.shapes = linearization.Q * pairs.vectors;
  for (Eigen::Index i = 0; i < n; ++i)  // what moves only by rounding does not move
    if (modes.shapes.col(i).norm() <= 1e-12 * pairs.vectors.col(i).norm()) modes.shapes.col(i).setZero();
  modes.arrange(zero_tol * (modes.values.cwiseAbs().maxCoeff() + 1.0));
  return modes;
}

}  // namespace trammel
