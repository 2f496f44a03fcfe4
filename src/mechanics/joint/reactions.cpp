// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "joint_workspace.h"
#include "trammel/math/rotations.h"

// What the joints of the tree carry, and the forces in them that depend on it.
//
// A *bearing* is a tree joint with forces along its own coordinates x that read its multipliers (friction). In axes of
// its body b, at b's origin, the wrench W that it transmits to b is spanned by those of its rows and of its
// coordinates:
//
//   (1) W = A λ + C τ,   A: wrenches of the rows,  C = ∂x/∂(twist of b)
//
// W follows from accelerations and all other forces by the inward sweep. The force in the bearing itself acts on both
// of its bodies, along C: it changes τ and nothing else, here and in every other bearing. So λ is known before it:
//
//   (2) residual:      λ(q, v, v̇, z, λ of rows) by one sweep without these forces, then the forces
//   (3) accelerations: λ ← λ(v̇(λ)) until it stays. A bearing that nearly locks may need Newton's iteration
//   (4) derivatives:   [A C] d(λ, τ) = dW − d[A C] (λ, τ)
//
// (4) is what ∂f/∂λ multiplies in the rows of its coordinates: by q and v in K and D, by v̇ beside M.

namespace trammel {

using detail::Bearing, detail::BearingMemory, detail::JointWorkspace, detail::Wrenches;

namespace {

using V3 = Vec3<double>;

// x in Σ x[k] A[:, k] = b, least squares, by modified Gram–Schmidt of (A, b) with the longest remaining column first,
// which is as stable as reflections [Björck 1967]. What depends on the columns before gets nothing.
void resolve_wrench(Wrenches A, int n, Vec6<double> b, double* x) {
  constexpr double dependent = 1e-14;
  int order[7] = {0, 1, 2, 3, 4, 5, 6}, rank = 0;
  double R[7][7], c[7], longest = 0.0;
  for (; rank < std::min(n, 6); ++rank) {
    int best = rank;
    double length = 0.0;
    for (int j = rank; j < n; ++j) {
      const double norm = A.col(order[j]).norm();
      if (norm > length) best = j, length = norm;
    }
    longest = std::max(longest, length);
    if (!(length > dependent * longest)) break;
    std::swap(order[rank], order[best]);
    for (int i = 0; i < rank; ++i) std::swap(R[i][rank], R[i][best]);
    R[rank][rank] = length;
    const Vec6<double> q = A.col(order[rank]) / length;
    for (int j = rank + 1; j < n; ++j) {
      R[rank][j] = q.dot(A.col(order[j]));
      A.col(order[j]) -= R[rank][j] * q;
    }
    c[rank] = q.dot(b);
    b -= c[rank] * q;
  }
  std::fill(x, x + n, 0.0);
  for (int i = rank - 1; i >= 0; --i) {
    double sum = c[i];
    for (int j = i + 1; j < rank; ++j) sum -= R[i][j] * x[order[j]];
    x[order[i]] = sum / R[i][i];
  }
}

// The wrench of a joint's rows on b by its multipliers, force in the world and moment in b's axes.
template <class S, class Frames>
Wrench<S> calc_reaction(const FormulaSignal::Part& part, const Frames& frame, const S* lam) {
  Frame<S> local[6];
  for (int i = 0; i < part.group->frames_per_element(); ++i) local[i] = frame(part.group->frame(part.element, i));
  return part.group->reaction(part.element, local, lam, part.local_frame);
}

// Wrenches on b of a joint's rows, each alone; rows[k] is the row of column k. Returns their number.
int find_row_wrenches(const Assembly::Joint& joint, std::span<const Frame<double>> frames, int* rows,
                      Wrenches& columns) {
  int n = 0;
  columns.setZero();
  for (const FormulaSignal::Part& part : joint.parts)
    for (int r = 0; r < part.group->rows_per_element(); ++r) {
      double unit[6] = {0, 0, 0, 0, 0, 0};
      unit[r] = 1.0;
      const Wrench<double> w = calc_reaction<double>(
          part, [&](int f) { return frames[f]; }, unit);
      const int row = part.group->first_row(part.element) + r;
      int at = 0;
      while (at < n && rows[at] != row) ++at;
      if (at == n) rows[n++] = row;
      columns.col(at).head<3>() += w.force;
      columns.col(at).tail<3>() += w.moment;
    }
  return n;
}

// The force in b's axes as well.
template <class S>
Vec6<S> in_axes(const Frame<S>& b, const Wrench<S>& w) {
  const Vec3<S> force = rotate_back(b.R, w.force);
  Vec6<S> x;
  for (int i = 0; i < 3; ++i) x[i] = force[i], x[3 + i] = w.moment[i];
  return x;
}

}  // namespace

// The multipliers of a tree joint are the coefficients of the wrench that it transmits in the wrenches of its rows:
// their number is that of the wrench's components which the joint does not leave free.
void JointSystem::find_tree_reactions(const Assembly& full, Vec lam, JointWorkspace& ws) const {
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const JointMap& map = joints_[j];
    if (map.link < 0) continue;
    const Assembly::Joint& joint = full.joints[j];
    const Frame<double>& b = ws.frames[joint.frame_b];
    const double sign = map.reversed ? -1.0 : 1.0;
    const V3 force = sign * ws.tree.force[map.link];
    const V3 moment = sign * ws.tree.moment[map.link] + cross(V3(ws.tree.motion[map.link].p - b.p), force);
    Vec6<double> wrench;
    wrench << force, rotate_back(b.R, moment);

    int rows[7];
    Wrenches columns;
    int n = find_row_wrenches(joint, ws.frames, rows, columns);
    if (map.motion >= 0) {
      const V3 axis = ws.frames[joint.frame_a].R * joint.axes_a.col(2), axis_b = rotate_back(b.R, axis);
      rows[n] = full.motion_row[map.motion];
      if (joint.angle)
        columns.col(n++) << V3::Zero(), -axis_b;
      else
        columns.col(n++) << -axis, -cross(joint.s_b, axis_b);
    }
    if (n == 0) continue;  // six freedoms
    double solution[7];
    resolve_wrench(columns, n, wrench, solution);
    for (int k = 0; k < n; ++k) lam[rows[k]] = solution[k];
  }
}

// ---- bearings ------------------------------------------------------------------------------------------------------

void JointSystem::build_bearings(const Topology& topology) {
  tree_row_.assign(machine_.system->n_rows(), -1);
  int n_rows = 0;
  for (const int j : topology.bearings) {
    const Assembly::Joint& joint = machine_.joints[j];
    Bearing bearing;
    bearing.joint = j, bearing.link = joints_[j].link, bearing.first = n_rows;
    bearing.sign = joints_[j].reversed ? -1.0 : 1.0;
    bearing.link_a = link_of_frame_[joint.frame_a], bearing.link_b = link_of_frame_[joint.frame_b];
    const Mobility mobility = tree_.link(bearing.link).mobility;
    if (mobility != Mobility::prismatic) bearing.x.push_back(*joint.angle);
    if (mobility != Mobility::revolute) bearing.x.push_back(*joint.displacement);
    Wrenches columns;
    int rows[7];
    std::vector<Frame<double>> drawn(machine_.system->n_frames());
    for (Frame<double>& f : drawn) f.R.setIdentity(), f.p.setZero(), f.v.setZero(), f.w.setZero();
    bearing.n = find_row_wrenches(joint, drawn, rows, columns);
    for (int r = 0; r < bearing.n; ++r) bearing.row[r] = rows[r], tree_row_[rows[r]] = n_rows++;
    bearings_.push_back(std::move(bearing));
  }
}

// (1), from what the inward sweep left in `force` and `moment` of its link. Returns the wrench on b.
Wrench<double> JointSystem::find_bearing_wrench(const Bearing& bearing, const V3& force, const V3& moment,
                                                const JointWorkspace& ws) const {
  const Frame<double>& b = ws.frames[machine_.joints[bearing.joint].frame_b];
  Wrench<double> w;
  w.force = bearing.sign * force;
  w.moment = bearing.sign * moment + cross(V3(ws.tree.motion[bearing.link].p - b.p), w.force);
  w.moment = rotate_back(b.R, w.moment);
  return w;
}

int JointSystem::find_bearing_columns(const Bearing& bearing, const JointWorkspace& ws, Wrenches& columns) const {
  const Assembly::Joint& joint = machine_.joints[bearing.joint];
  const Frame<double> f[2] = {ws.frames[joint.frame_a], ws.frames[joint.frame_b]};
  int rows[7], n = find_row_wrenches(joint, ws.frames, rows, columns);
  for (int k = 0; k < n; ++k)
    columns.col(k) = in_axes<double>(f[1], {V3(columns.col(k).head<3>()), V3(columns.col(k).tail<3>())});
  for (const RelativeCoordinate& x : bearing.x) {
    FrameRow<double> g[2];
    x.gradient(f, g);
    columns.col(n++) = in_axes<double>(f[1], {g[1].force, g[1].moment});
  }
  return n;
}

// (2): after an inward sweep.
void JointSystem::find_bearing_reactions(JointWorkspace& ws) const {
  for (const Bearing& bearing : bearings_) {
    Wrenches columns;
    const int n = find_bearing_columns(bearing, ws, columns);
    const Wrench<double> w =
        find_bearing_wrench(bearing, ws.tree.force[bearing.link], ws.tree.moment[bearing.link], ws);
    double x[7];
    resolve_wrench(columns, n, in_axes(ws.frames[machine_.joints[bearing.joint].frame_b], w), x);
    for (int r = 0; r < bearing.n; ++r) ws.lam[bearing.row[r]] = x[r];
  }
}

// (3): after the rows. The largest change of a multiplier falls by the part of the forces that a bearing makes of its
// own reactions.
Status JointSystem::accelerate_with_bearings(const MotionPoint& p, const State& state, Vec a, JointWorkspace& ws,
                                             std::span<const double> tau) const {
  constexpr int max_sweeps = 40;
  constexpr double settled = 1e-14, rounding = 1e-11, too_slow = 0.3;
  KinematicState k = known_kinematics(p, ws);
  double last = 0.0;
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    add_forces(state, k, ws);
    const Status status = tree_.accelerate(p.q, p.v, state.charts, p.in, ws.link_frames, ws.by_link, a, ws.tree, tau);
    if (!status.ok()) return status;
    tree_.update_accelerations(p.v, a, p.in, ws.tree);
    tree_.calc_newton_euler(ws.by_link, ws.sweep, ws.tree);
    ws.last_lam = ws.lam;
    find_bearing_reactions(ws);
    double change = 0.0, size = 0.0;
    for (const Bearing& bearing : bearings_)
      for (int r = 0; r < bearing.n; ++r) {
        const double lam = ws.lam[bearing.row[r]];
        change = std::max(change, std::abs(lam - ws.last_lam[bearing.row[r]]));
        size = std::max(size, std::abs(lam));
      }
    if (change <= settled * size || (sweep > 1 && change <= rounding * size && change > too_slow * last)) return status;
    if (!std::isfinite(change) || (sweep > 1 && change > too_slow * last)) break;
    last = change;
  }
  return accelerate_by_newton(p, state, a, ws, tau);
}

// r(v̇) = 0 by its derivative. Bearings that nearly lock.
Status JointSystem::accelerate_by_newton(const MotionPoint& p, const State& state, Vec a, JointWorkspace& ws,
                                         std::span<const double> tau) const {
  constexpr int max_iterations = 30;
  constexpr double settled = 1e-12;
  Eigen::VectorXd rates = Eigen::VectorXd::Zero(nv()), r(nv()), internal(nz()), phi(nc());
  for (int i = 0; i < max_iterations; ++i) {
    const MotionPoint at{p.t, p.in, p.q, p.v, rates, p.z, p.zp, p.lam};
    Status status = residual(at, state, r, internal, phi, ws);
    if (status.ok()) status = linearize(at, state, PlaneSet::M, ws.by_rates, ws);
    if (!status.ok()) return status;
    for (std::size_t c = 0; c < tau.size(); ++c) r[static_cast<Eigen::Index>(c)] -= tau[c];
    ws.matrix.setZero(nv(), nv());
    const Pattern& pattern = ws.by_rates.motion;
    for (int c = 0; c < nv(); ++c)
      for (int slot = pattern.start[c]; slot < pattern.start[c + 1]; ++slot)
        ws.matrix(pattern.index[slot], c) = ws.by_rates.M[slot];
    ws.factors.compute(ws.matrix);
    r = ws.factors.solve(r);
    rates -= r;
    if (!rates.allFinite()) break;
    if (r.lpNorm<Eigen::Infinity>() > settled * (1.0 + rates.lpNorm<Eigen::Infinity>())) continue;
    a = rates;
    return status;
  }
  return Status::recoverable(Cause::too_many_iterations);
}

// (4) made ready: the inverse of [A C], what they change by with the frames, and ∂f/∂λ in rows of the coordinates.
void JointSystem::prepare_bearings(JointWorkspace& ws) const {
  using D6 = Dual<6>;
  ws.bearings.resize(bearings_.size());
  for (std::size_t i = 0; i < bearings_.size(); ++i) {
    const Bearing& bearing = bearings_[i];
    const Assembly::Joint& joint = machine_.joints[bearing.joint];
    BearingMemory& m = ws.bearings[i];
    Wrenches columns;
    const int n = find_bearing_columns(bearing, ws, columns);
    for (int c = 0; c < 6; ++c) {
      double x[7];
      resolve_wrench(columns, n, Vec6<double>::Unit(c), x);
      for (int r = 0; r < 7; ++r) m.inverse(r, c) = r < n ? x[r] : 0.0;
    }
    const Wrench<double> w =
        find_bearing_wrench(bearing, V3(ws.sub_force[bearing.link] + ws.sub_lam_force[bearing.link]),
                            V3(ws.sub_moment[bearing.link] + ws.sub_lam_moment[bearing.link]), ws);
    m.wrench = in_axes(ws.frames[joint.frame_b], w);
    const Eigen::Matrix<double, 7, 1> x = m.inverse * m.wrench;
    for (int side = 0; side < 2; ++side) {
      const int seeded = side == 0 ? joint.frame_a : joint.frame_b;
      const auto frame = [&](int f) { return f == seeded ? seed_position(ws.frames[f]) : lift<D6>(ws.frames[f]); };
      Wrench<D6> sum = zero_wrench<D6>();
      for (const FormulaSignal::Part& part : joint.parts) {
        D6 lam[6];
        for (int r = 0; r < part.group->rows_per_element(); ++r) {
          const int row = part.group->first_row(part.element) + r;
          lam[r] = D6(x[tree_row_[row] - bearing.first]);
        }
        const Wrench<D6> from = calc_reaction<D6>(part, frame, lam);
        sum.force += from.force, sum.moment += from.moment;
      }
      const Frame<D6> f[2] = {frame(joint.frame_a), frame(joint.frame_b)};
      for (std::size_t k = 0; k < bearing.x.size(); ++k) {
        FrameRow<D6> g[2];
        bearing.x[k].gradient(f, g);
        const D6 tau(x[bearing.n + static_cast<int>(k)]);
        sum.force += g[1].force * tau, sum.moment += g[1].moment * tau;
      }
      const Vec6<D6> total = in_axes(f[1], sum);
      for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 6; ++c) m.by_pose[side](r, c) = total[r].d[c];
    }
    m.feeds.setZero();
  }
}

// dλ by (4) for a change of what the link's joint transmits, at a fixed point of space, and of the poses of a and b.
Vec6<double> JointSystem::calc_bearing_change(std::size_t i, const V3& d_force, const V3& d_moment,
                                              const Vec6<double>& pose_a, const Vec6<double>& pose_b,
                                              const JointWorkspace& ws) const {
  const Bearing& bearing = bearings_[i];
  const BearingMemory& m = ws.bearings[i];
  const Frame<double>& b = ws.frames[machine_.joints[bearing.joint].frame_b];
  const Wrench<double> moved = find_bearing_wrench(bearing, d_force, d_moment, ws);
  Vec6<double> change = in_axes(b, moved);
  // b's origin and axes move: W in its axes loses δp × F and β × of itself.
  const V3 F = m.wrench.head<3>(), N = m.wrench.tail<3>();
  const V3 dp = rotate_back(b.R, V3(pose_b.head<3>())), beta = pose_b.tail<3>();
  change.head<3>() -= cross(beta, F);
  change.tail<3>() -= cross(dp, F) + cross(beta, N);
  change -= m.by_pose[0] * pose_a + m.by_pose[1] * pose_b;
  const Eigen::Matrix<double, 7, 1> x = m.inverse * change;
  Vec6<double> lam = Vec6<double>::Zero();
  for (int r = 0; r < bearing.n; ++r) lam[r] = x[r];
  return lam;
}

}  // namespace trammel
