// SPDX-License-Identifier: Apache-2.0
#include <Spectra/GenEigsSolver.h>

#include <algorithm>
#include <cmath>

#include "trammel/dae/linearization.h"
#include "trammel/dae/plane_matrix.h"
#include "trammel/linalg/linear_solver.h"

namespace trammel {

namespace {

constexpr double free_motion_pivot = 1e-10;  // of A beside rounding: something moves freely
constexpr double first_shift = 1.0;          // [1/s]
constexpr int n_shifts = 6;
constexpr int max_restarts = 500;
constexpr double tol = 1e-11;
// Zeros come in defective pairs: they are found to √tol of the shift.
constexpr double zero_part = 1e-3;
// ν of infinite eigenvalues is rounding beside the others.
constexpr double infinite_part = 1e-9;
constexpr int n_rigid = 12;  // values of a free machine that may be zero

/// (2) for one σ₀ after the other.
class Pencil {
 public:
  using Scalar = double;

  Pencil(const SecondOrderDae& dae, const MotionPlanes& planes, const MotionVariables& x,
         std::span<const int> chart_offsets)
      : dae_(dae), planes_(planes), x_(x), chart_offsets_(chart_offsets), matrix_(size()), b_(size()) {
    const int v = dae.nv(), z = 2 * dae.nv(), c = z + dae.nz();
    matrix_.include_diagonal();
    for (const int plane : {0, v}) {
      matrix_.include(planes.motion, v, plane);
      matrix_.include(planes.constraint, c, plane);
      matrix_.include(planes.state_rate, z, plane);
    }
    matrix_.include_transposed(planes.constraint, v, c);
    matrix_.include(planes.reaction, v, c);
    matrix_.include(planes.state_force, v, z);
    matrix_.include(planes.state_state, z, z);
    matrix_.include(planes.state_lam, z, c);
    PatternBuilder rates(dae.nv(), dae.nv());
    rates.add_diagonal();
    for (const int at : chart_offsets)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) rates.add(at + i, at + j);
    rates_ = rates.build();
    matrix_.include(rates_, 0, 0);
    matrix_.include(rates_, 0, v);
    matrix_.finish(planes.version);
    solver_ = make_linear_solver<double>(LinearSolverKind::sparse_lu, size());
    // A pattern that cannot be ordered is what factor() fails with.
    static_cast<void>(solver_->analyze(matrix_.pattern()));
  }

  int size() const { return 2 * dae_.nv() + dae_.nz() + dae_.nc(); }

  /// σ₀E − A, factored.
  Status shift(double sigma) {
    const int nv = dae_.nv(), v = nv, z = 2 * nv, c = z + dae_.nz();
    const auto scaled = [&](int, int) { return sigma; };
    matrix_.set_zero();
    for (int i = 0; i < nv; ++i) {
      matrix_.add(i, i, sigma);
      matrix_.add(i, v + i, -1.0);
    }
    for (const int at : chart_offsets_) {  // δβ̇ = δω − ω × δβ
      const Eigen::Vector3d w = x_.v.segment<3>(at);
      for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        matrix_.add(at + i, at + k, w[j]);
        matrix_.add(at + i, at + j, -w[k]);
      }
    }
    matrix_.add(planes_.motion, planes_.M, v, v, scaled);
    matrix_.add(planes_.motion, planes_.D, v, v);
    matrix_.add(planes_.motion, planes_.K, v, 0);
    matrix_.add(planes_.motion, planes_.K_lam, v, 0);
    matrix_.add_transposed(planes_.constraint, planes_.G, v, c);
    matrix_.add(planes_.reaction, planes_.f_lam, v, c);
    matrix_.add(planes_.state_force, planes_.f_z, v, z);
    for (int i = 0; i < dae_.nz(); ++i) matrix_.add(z + i, z + i, sigma * dae_.E()[i]);
    matrix_.add(planes_.state_rate, planes_.g_q, z, 0);
    matrix_.add(planes_.state_rate, planes_.g_v, z, v);
    matrix_.add(planes_.state_state, planes_.g_z, z, z);
    matrix_.add(planes_.state_lam, planes_.g_lam, z, c);
    const auto on_positions = [&](int row, int) { return dae_.holonomic()[row] ? 1.0 : 0.0; };
    const auto on_velocities = [&](int row, int) { return dae_.holonomic()[row] ? 0.0 : 1.0; };
    matrix_.add(planes_.constraint, planes_.G, c, 0, on_positions);
    matrix_.add(planes_.constraint, planes_.G, c, v, on_velocities);
    matrix_.add(planes_.constraint, planes_.Gv_q, c, 0, on_velocities);
    return solver_->factor(matrix_.values());
  }
  const Status& status() const { return status_; }
  double smallest_pivot() const { return solver_->smallest_pivot().relative; }

  // What Spectra asks for: y = (σ₀E − A)⁻¹E x.
  Eigen::Index rows() const { return size(); }
  Eigen::Index cols() const { return size(); }
  void perform_op(const double* in, double* out) const {
    const int nv = dae_.nv(), nz = dae_.nz();
    const Eigen::Map<const Eigen::VectorXd> x(in, size());
    b_.setZero();
    b_.head(nv) = x.head(nv);
    for (int j = 0; j < nv; ++j)
      for (int k = planes_.motion.start[j]; k < planes_.motion.start[j + 1]; ++k)
        b_[nv + planes_.motion.index[k]] += planes_.M[k] * x[nv + j];
    for (int i = 0; i < nz; ++i) b_[2 * nv + i] = dae_.E()[i] * x[2 * nv + i];
    if (const Status solved = solver_->solve(b_); !solved.ok()) status_ = solved, b_.setZero();
    Eigen::Map<Eigen::VectorXd>(out, size()) = b_;
  }

 private:
  const SecondOrderDae& dae_;
  const MotionPlanes& planes_;
  const MotionVariables& x_;
  std::span<const int> chart_offsets_;
  PlaneMatrix matrix_;
  Pattern rates_;
  std::unique_ptr<LinearSolver<double>> solver_;
  mutable Eigen::VectorXd b_;
  mutable Status status_;  // of the last application that failed
};

/// The values with the largest |ν|, with δq; false: Arnoldi's iteration did not converge.
bool iterate(Pencil& pencil, double sigma, int n_values, int nv, EigenModes& modes) {
  const int n = pencil.size(), n_vectors = std::min(n, std::max(2 * n_values + 2, 20));
  Spectra::GenEigsSolver<Pencil> solver(pencil, n_values, n_vectors);
  // Three applications leave nothing of the infinite eigenvalues, whose chains are three long.
  Eigen::VectorXd start(n), next(n);
  for (int i = 0; i < n; ++i) start[i] = 1.0 + std::sin(1.0 + 1.7 * i);
  for (int i = 0; i < 3; ++i) {
    pencil.perform_op(start.data(), next.data());
    start = next.normalized();
  }
  solver.init(start.data());
  const Eigen::Index found = solver.compute(Spectra::SortRule::LargestMagn, max_restarts, tol);
  const Eigen::VectorXcd nu = solver.eigenvalues();
  const Eigen::MatrixXcd vectors = solver.eigenvectors();
  const double largest = nu.size() > 0 ? nu.cwiseAbs().maxCoeff() : 0.0;
  std::vector<int> finite;
  for (int i = 0; i < nu.size(); ++i)
    if (std::abs(nu[i]) > infinite_part * largest) finite.push_back(i);
  modes.values.resize(static_cast<Eigen::Index>(finite.size()));
  modes.shapes.resize(nv, static_cast<Eigen::Index>(finite.size()));
  for (std::size_t i = 0; i < finite.size(); ++i) {
    modes.values[i] = sigma - 1.0 / nu[finite[i]];
    modes.shapes.col(i) = vectors.col(finite[i]).head(nv);
  }
  return found == n_values;
}

}  // namespace

Status calc_lowest_modes(const SecondOrderDae& dae, const MotionVariables& x, const State& state,
                         std::span<const int> chart_offsets, int n_modes, Workspace& workspace, EigenModes& modes) {
  InputBuffer inputs;
  dae.calc_inputs(x.t, inputs);
  MotionPlanes planes;
  Status status = dae.linearize(x.point(inputs.view()), state, PlaneSet::all, planes, workspace);
  if (!status.ok()) return status;
  Pencil pencil(dae, planes, x, chart_offsets);
  int n_finite = 2 * dae.nv();
  for (const char holonomic : dae.holonomic()) n_finite -= holonomic ? 2 : 1;
  for (const double e : dae.E()) n_finite += e != 0.0 ? 1 : 0;
  const int n_values = std::min({2 * n_modes + n_rigid, n_finite, pencil.size() - 2});
  modes = {};
  if (n_values <= 0) return Status::success();

  double sigma = 0.0;
  status = pencil.shift(sigma);
  if (!status.ok() || pencil.smallest_pivot() < free_motion_pivot) sigma = first_shift;
  for (int attempt = 0; attempt < n_shifts; ++attempt) {
    if (sigma > 0.0) status = pencil.shift(sigma);
    if (!status.ok()) return status;
    const bool converged = iterate(pencil, sigma, n_values, dae.nv(), modes);
    if (!pencil.status().ok()) return pencil.status();
    modes.arrange(zero_part * sigma);
    const bool moves = modes.zeros < modes.values.size();
    const double first = moves ? std::abs(modes.values[modes.zeros]) : 0.0;
    // Between a hundredth of the first frequency and the frequency itself a shift serves both zeros and the others.
    if (converged && (sigma == 0.0 || !moves || (0.01 * first <= sigma && sigma <= first))) return Status::success();
    if (!moves) break;
    sigma = 0.3 * first;
  }
  return Status::recoverable(Cause::too_many_iterations);
}

}  // namespace trammel
