// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "joint_workspace.h"
#include "trammel/math/rotations.h"

// What the joints of the tree carry.

namespace trammel {

using detail::JointWorkspace;

namespace {

using V3 = Vec3<double>;

/// The wrenches of a joint's rows, in columns.
using Wrenches = Eigen::Matrix<double, 6, 7>;

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

    int rows[7], n = 0;
    Wrenches columns = Wrenches::Zero();
    for (const FormulaSignal::Part& part : joint.parts) {
      Frame<double> local[6];
      for (int i = 0; i < part.group->frames_per_element(); ++i)
        local[i] = ws.frames[part.group->frame(part.element, i)];
      for (int r = 0; r < part.group->rows_per_element(); ++r) {
        double unit[6] = {0, 0, 0, 0, 0, 0};
        unit[r] = 1.0;
        const Wrench<double> w = part.group->reaction(part.element, local, unit, part.local_frame);
        const int row = part.group->first_row(part.element) + r;
        int at = 0;
        while (at < n && rows[at] != row) ++at;
        if (at == n) rows[n++] = row;
        columns.col(at).head<3>() += w.force;
        columns.col(at).tail<3>() += w.moment;
      }
    }
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

}  // namespace trammel
