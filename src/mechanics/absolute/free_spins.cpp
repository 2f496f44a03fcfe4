// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "trammel/mechanics/absolute/absolute_system.h"

// Bodies whose equations stay what they are when they are turned about an axis of their own: found by turning them.

namespace trammel {

namespace {

// What a matrix that is wrong by this part leaves of a residual is no more than what a step ages it by.
constexpr double alike = 1e-3;
constexpr double probe_angle = 1.0;  // [rad], part of no symmetry

/// A body with the inertia of a wheel (an axis) or of a ball (axis 0).
struct Candidate {
  int chart, offset;  // of its three rotations
  Vec3<double> axis;
  std::vector<int> rows;  // of motion, constraints (+ nv) and states (+ nv + nc) that know it
  Mat3<double> turn() const {
    const Vec3<double> n = axis.isZero() ? Vec3<double>(Vec3<double>(1.0, 2.0, 3.0).normalized()) : axis;
    return exp_so3(Vec3<double>(probe_angle * n));
  }
};

bool has_symmetric_inertia(const FrameMap& frame, Vec3<double>& axis) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(frame.inertia);
  const Eigen::Vector3d& J = principal.eigenvalues();  // ascending
  const bool lower = J[1] - J[0] <= alike * J[2], upper = J[2] - J[1] <= alike * J[2];
  if (lower && upper)
    axis.setZero();
  else
    axis = principal.eigenvectors().col(lower ? 2 : 0);
  return lower || upper;
}

/// Products of every plane with one vector, and the sums of what they are made of.
struct Products {
  std::vector<Eigen::VectorXd> values, sizes;
};

class Probe {
 public:
  explicit Probe(const AbsoluteSystem& system)
      : nv_(system.nv()), nc_(system.nc()), nz_(system.nz()), x_(nv_ + nc_ + nz_) {
    for (Eigen::Index i = 0; i < x_.size(); ++i) x_[i] = std::cos(1.7 * static_cast<double>(i) + 0.3);
  }

  /// S P Sᵀ x with S that turns the rotations of `turned`: P x of the machine before it was turned, if nothing changed.
  Products multiply(const MotionPlanes& m, std::span<const Candidate* const> turned) const {
    Eigen::VectorXd x = x_;
    for (const Candidate* c : turned)
      x.segment<3>(c->offset) = c->turn().transpose() * Vec3<double>(x.segment<3>(c->offset));
    Products y;
    const auto add = [&](const Pattern& pattern, const std::vector<double>& plane, int row, int column) {
      Eigen::VectorXd value = Eigen::VectorXd::Zero(x.size()), size = value;
      for (int j = 0; j < pattern.n_cols; ++j)
        for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k) {
          const double term = plane[k] * x[column + j];
          value[row + pattern.index[k]] += term;
          size[row + pattern.index[k]] += std::abs(term);
        }
      for (const Candidate* c : turned)
        value.segment<3>(c->offset) = c->turn() * Vec3<double>(value.segment<3>(c->offset));
      y.values.push_back(std::move(value));
      y.sizes.push_back(std::move(size));
    };
    const int lam = nv_, z = nv_ + nc_;
    for (const auto* plane : {&m.D, &m.K, &m.K_lam}) add(m.motion, *plane, 0, 0);
    for (const auto* plane : {&m.G, &m.Gv_q}) add(m.constraint, *plane, lam, 0);
    for (const auto* plane : {&m.g_q, &m.g_v}) add(m.state_rate, *plane, z, 0);
    add(m.reaction, m.f_lam, 0, lam);
    add(m.state_force, m.f_z, 0, z);
    return y;
  }

 private:
  int nv_, nc_, nz_;
  Eigen::VectorXd x_;
};

bool agree(const Products& a, const Products& b, std::span<const int> rows) {
  for (std::size_t plane = 0; plane < a.values.size(); ++plane) {
    double size = 0.0, difference = 0.0;
    for (const int r : rows) {
      size = std::max(size, a.sizes[plane][r]);
      difference = std::max(difference, std::abs(a.values[plane][r] - b.values[plane][r]));
      if (!std::isfinite(b.values[plane][r])) return false;
    }
    if (difference > alike * size) return false;
  }
  return true;
}

void list_rows(const MotionPlanes& m, int nv, int nc, Candidate& c) {
  const auto add = [&](const Pattern& pattern, int row) {
    for (int j = c.offset - 3; j < c.offset + 3; ++j)
      for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k) c.rows.push_back(row + pattern.index[k]);
  };
  add(m.motion, 0);
  add(m.constraint, nv);
  add(m.state_rate, nv + nc);
  std::sort(c.rows.begin(), c.rows.end());
  c.rows.erase(std::unique(c.rows.begin(), c.rows.end()), c.rows.end());
}

// As many as share no row: what changes with one of them changes with it alone.
std::vector<const Candidate*> take_class(std::vector<const Candidate*>& left, int n_rows) {
  std::vector<const Candidate*> taken, others;
  std::vector<char> is_used(static_cast<std::size_t>(n_rows), 0);
  for (const Candidate* c : left) {
    const bool meets = std::any_of(c->rows.begin(), c->rows.end(), [&](int r) { return is_used[r]; });
    (meets ? others : taken).push_back(c);
    if (!meets)
      for (const int r : c->rows) is_used[r] = 1;
  }
  left = std::move(others);
  return taken;
}

}  // namespace

void AbsoluteSystem::find_free_spins(const MotionPoint& p, const State& state) {
  free_spins_.clear();
  std::vector<Candidate> candidates;
  for (const FrameMap& frame : frames_) {
    Candidate c{frame.chart, frame.offset + 3, Vec3<double>::Zero(), {}};
    if (frame.kind == FrameMap::Kind::rigid && has_symmetric_inertia(frame, c.axis)) candidates.push_back(c);
  }
  if (candidates.empty()) return;
  const std::unique_ptr<Workspace> workspace = make_workspace();
  MotionPlanes planes;
  if (!linearize(p, state, PlaneSet::all, planes, *workspace).ok()) return;
  const Probe probe(*this);
  const Products drawn = probe.multiply(planes, {});
  std::vector<const Candidate*> left;
  for (Candidate& c : candidates) {
    list_rows(planes, nv_, nc_, c);
    left.push_back(&c);
  }
  while (!left.empty()) {
    const std::vector<const Candidate*> turned = take_class(left, nv_ + nc_ + nz());
    Eigen::VectorXd q = p.q, v = p.v, a = p.a;
    for (const Candidate* c : turned) {
      const Chart& chart = state.charts[static_cast<std::size_t>(c->chart)];
      const Vec3<double> theta = q.segment<3>(c->offset);
      q.segment<3>(c->offset) = coordinates(chart, rotation(chart, theta) * c->turn(), theta);
      for (Eigen::VectorXd* x : {&v, &a})  // the same in world axes
        x->segment<3>(c->offset) = c->turn().transpose() * Vec3<double>(x->segment<3>(c->offset));
    }
    const MotionPoint there{p.t, p.in, q, v, a, p.z, p.zp, p.lam};
    if (!linearize(there, state, PlaneSet::all, planes, *workspace).ok()) continue;
    const Products now = probe.multiply(planes, turned);
    for (const Candidate* c : turned)
      if (agree(drawn, now, c->rows)) free_spins_.push_back({c->chart, c->axis});
  }
}

}  // namespace trammel
