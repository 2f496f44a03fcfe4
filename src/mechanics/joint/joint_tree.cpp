// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/joint/joint_tree.h"

#include <algorithm>
#include <cmath>

#include "trammel/math/rotations.h"

namespace trammel {

namespace {

using V3 = Vec3<double>;

// A Rz(angle)
Mat3<double> turned(const Mat3<double>& A, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  Mat3<double> R;
  R.col(0) = A.col(0) * c + A.col(1) * s;
  R.col(1) = A.col(1) * c - A.col(0) * s;
  R.col(2) = A.col(2);
  return R;
}

}  // namespace

int freedoms(Mobility mobility) {
  static constexpr int n[] = {0, 1, 1, 1, 2, 2, 3, 3, 3, 6, 6, 5};
  return n[static_cast<int>(mobility)];
}

int chart_coordinate(Mobility mobility) {
  return mobility == Mobility::spherical ? 0 : mobility == Mobility::free ? 3 : -1;
}

// ---- building ------------------------------------------------------------------------------------------------------

// Preorder; among the children of a link the one with the largest subtree comes first, so that long chains are
// contiguous.
void JointTree::order_links(std::vector<Link> links) {
  const int n = static_cast<int>(links.size());
  std::vector<std::vector<int>> children(n);
  std::vector<int> roots, count(n, 1), order, number(n, -1);
  for (int i = 0; i < n; ++i) (links[i].parent < 0 ? roots : children[links[i].parent]).push_back(i);
  std::vector<int> stack = roots;
  while (!stack.empty()) {
    const int i = stack.back();
    stack.pop_back();
    order.push_back(i);
    stack.insert(stack.end(), children[i].begin(), children[i].end());
  }
  for (int k = n - 1; k >= 0; --k)
    if (links[order[k]].parent >= 0) count[links[order[k]].parent] += count[order[k]];
  const auto smaller = [&](int a, int b) { return count[a] != count[b] ? count[a] < count[b] : a > b; };
  for (auto& list : children) std::sort(list.begin(), list.end(), smaller);
  std::reverse(roots.begin(), roots.end());
  stack = roots;
  order.clear();
  while (!stack.empty()) {
    const int i = stack.back();
    stack.pop_back();
    number[i] = static_cast<int>(order.size());
    order.push_back(i);
    stack.insert(stack.end(), children[i].begin(), children[i].end());
  }
  links_.clear();
  for (int i : order) {
    Link link = links[i];
    link.parent = link.parent < 0 ? -1 : number[link.parent];
    link.end = number[i] + count[i];
    links_.push_back(link);
  }
}

void JointTree::finish(std::vector<Link> links, const Eigen::Vector3d& gravity) {
  gravity_ = gravity;
  order_links(std::move(links));
  nv_ = 0;
  chart_offsets_.clear();
  for (Link& link : links_) {
    link.nv = link.input >= 0 ? 0 : freedoms(link.mobility);
    link.offset = nv_;
    if (const int at = chart_coordinate(link.mobility); at >= 0) {
      link.chart = static_cast<int>(chart_offsets_.size());
      chart_offsets_.push_back(nv_ + at);
    }
    nv_ += link.nv;
  }
  prepare_fast();
}

// ---- kinematics ----------------------------------------------------------------------------------------------------

void JointTree::update_motion(ConstVec q_all, ConstVec v_all, std::span<const Chart> charts, const Inputs& in,
                              Memory& memory) const {
  for (int i = 0; i < size(); ++i) {
    const Link& link = links_[i];
    if (link.track) {
      update_track_motion(i, q_all.data(), v_all.data(), in, memory);
      continue;
    }
    Motion& m = memory.motion[i];
    Mat3<double> B;  // base in the world
    V3 base, w, v;   // its origin; twist of the parent, at the base
    if (link.parent >= 0) {
      const Motion& parent = memory.motion[link.parent];
      const V3 arm = parent.R * link.p_PB;
      B.noalias() = parent.R * link.R_PB;
      base = parent.p + arm;
      w = parent.w;
      v = parent.v + cross(parent.w, arm);
    } else {
      B = link.R_PB;
      base = link.p_PB;
      w.setZero(), v.setZero();
    }
    const double* q = q_all.data() + link.offset;
    const double* rate = v_all.data() + link.offset;
    Freedom* s = memory.freedom.data() + link.offset;
    Freedom driven;
    if (link.input >= 0) q = &in.u[link.input], rate = &in.ud[link.input], s = &driven;

    // A freedom is carried by what stands before it; then the link moves on by it.
    const auto set = [&](Freedom& f, const V3& sigma, const V3& nu) {
      f.sigma = sigma, f.nu = nu, f.w_before = w, f.v_before = v;
    };
    const auto turn = [&](Freedom& f, const V3& sigma, double speed) {
      set(f, sigma, V3::Zero());
      w += sigma * speed;
    };
    const auto slide = [&](Freedom& f, const V3& nu, double speed) {
      set(f, V3::Zero(), nu);
      v += nu * speed;
    };
    const auto shift = [&](const V3& t) {  // the link's origin moves away from the base
      m.p = base + t;
      v += cross(w, t);
    };
    const auto turn_in_chart = [&](Freedom* f, const double* theta, const double* omega) {
      m.R = B * charts[link.chart].R_ref * exp_so3(V3(theta[0], theta[1], theta[2]));
      const V3 w_before = w;
      for (int k = 0; k < 3; ++k) {
        set(f[k], m.R.col(k), V3::Zero());
        f[k].w_before = w_before;
        w += m.R.col(k) * omega[k];
      }
    };
    const V3 z = B.col(2);
    switch (link.mobility) {
      case Mobility::fixed:
        m.R = B, m.p = base;
        break;
      case Mobility::revolute:
        m.R = turned(B, q[0]), m.p = base;
        turn(s[0], z, rate[0]);
        break;
      case Mobility::prismatic:
        m.R = B;
        shift(z * (link.zero + q[0]));
        slide(s[0], z, rate[0]);
        break;
      case Mobility::screw:
        m.R = turned(B, q[0]);
        shift(z * (link.zero + link.lead * q[0]));
        set(s[0], z, z * link.lead);
        w += z * rate[0];
        v += z * (link.lead * rate[0]);
        break;
      case Mobility::cylindrical:
        m.R = turned(B, q[0]);
        shift(z * (link.zero + q[1]));
        turn(s[0], z, rate[0]);
        slide(s[1], z, rate[1]);
        break;
      case Mobility::universal: {
        const Mat3<double> A = turned(B, q[0]);
        Mat3<double> C;  // (x, y, z) → (y, z, x)
        C.col(0) = A.col(1), C.col(1) = A.col(2), C.col(2) = A.col(0);
        m.R = turned(C, q[1]), m.p = base;
        turn(s[0], z, rate[0]);
        turn(s[1], C.col(2), rate[1]);
        break;
      }
      case Mobility::planar:
        m.R = turned(B, q[2]);
        shift(B.col(0) * q[0] + B.col(1) * q[1]);
        slide(s[0], B.col(0), rate[0]);
        slide(s[1], B.col(1), rate[1]);
        turn(s[2], z, rate[2]);
        break;
      case Mobility::spherical:
        m.p = base;
        turn_in_chart(s, q, rate);
        break;
      case Mobility::translation:
        m.R = B;
        shift(B * V3(q[0], q[1], q[2]));
        for (int k = 0; k < 3; ++k) slide(s[k], B.col(k), rate[k]);
        break;
      case Mobility::free:
        shift(B * V3(q[0], q[1], q[2]));
        for (int k = 0; k < 3; ++k) slide(s[k], B.col(k), rate[k]);
        turn_in_chart(s + 3, q + 3, rate + 3);
        break;
      case Mobility::track:
      case Mobility::guided:
        break;  // done
    }
    m.w = w, m.v = v;
    if (link.input >= 0) memory.driven[i] = driven;
  }
}

// With d from the parent's origin to the link's, and the sums over the joint's freedoms (ν is fixed in the parent):
//
//   α = α_P + Σ σ a + Σ ω₋ × σ v
//   a = a_P + α_P × d + ω_P × (ω_P × d) + 2 ω_P × Σ ν v + Σ ν a
void JointTree::update_accelerations(ConstVec v_all, ConstVec a_all, const Inputs& in, Memory& memory) const {
  for (int i = 0; i < size(); ++i) {
    const Link& link = links_[i];
    if (link.track) {
      update_track_accelerations(i, v_all.data(), a_all.data(), in, memory);
      continue;
    }
    Motion& m = memory.motion[i];
    V3 w_parent = V3::Zero();
    if (link.parent >= 0) {
      const Motion& parent = memory.motion[link.parent];
      const V3 d = m.p - parent.p;
      w_parent = parent.w;
      m.alpha = parent.alpha;
      m.a = parent.a + cross(parent.alpha, d) + cross(w_parent, cross(w_parent, d));
    } else {
      m.alpha.setZero(), m.a.setZero();
    }
    const auto add_freedom = [&](Freedom& s, double v, double a) {
      s.alpha_before = m.alpha, s.a_before = m.a;
      m.alpha += s.sigma * a + cross(s.w_before, s.sigma) * v;
      m.a += s.nu * a + cross(w_parent, s.nu) * (2.0 * v);
    };
    if (link.input >= 0) add_freedom(memory.driven[i], in.ud[link.input], in.udd[link.input]);
    const int end = link.offset + link.nv;
    for (int k = link.offset; k < end; ++k) add_freedom(memory.freedom[k], v_all[k], a_all[k]);
    if (link.chart < 0) continue;
    for (int k = end - 2; k < end; ++k)  // the three freedoms of a chart are carried together
      memory.freedom[k].alpha_before = memory.freedom[end - 3].alpha_before;
  }
}

Frame<double> JointTree::calc_frame(int i, const Memory& memory) const {
  const Motion& m = memory.motion[i];
  const V3 arm = m.R * links_[i].p_LF;
  Frame<double> f;
  f.R.noalias() = m.R * links_[i].R_LF;
  f.p = m.p + arm;
  f.v = m.v + cross(m.w, arm);
  f.w = rotate_back(f.R, m.w);
  return f;
}

std::pair<V3, V3> JointTree::calc_frame_acceleration(int i, const Memory& memory) const {
  const Motion& m = memory.motion[i];
  const V3 arm = m.R * links_[i].p_LF;
  return {m.a + cross(m.alpha, arm) + cross(m.w, cross(m.w, arm)),
          links_[i].R_LF.transpose() * (m.R.transpose() * m.alpha)};
}

// ---- residual formalism --------------------------------------------------------------------------------------------

namespace {

// From the outermost links to the ground: r_k = s_k·(n, f), and what a link feels its parent feels as well.
template <class Links>
void accumulate(const Links& links, JointTree::Memory& memory, Vec r) {
  for (int i = static_cast<int>(links.size()) - 1; i >= 0; --i) {
    const V3 &n = memory.moment[i], &f = memory.force[i];
    for (int k = links[i].offset; k < links[i].offset + links[i].nv; ++k)
      r[k] = dot(memory.freedom[k].sigma, n) + dot(memory.freedom[k].nu, f);
    if (const int parent = links[i].parent; parent >= 0) {
      memory.force[parent] += f;
      memory.moment[parent] += n + cross(V3(memory.motion[i].p - memory.motion[parent].p), f);
    }
  }
}

}  // namespace

void JointTree::calc_newton_euler(std::span<const Wrench<double>> wrenches, Vec r, Memory& memory) const {
  for (int i = 0; i < size(); ++i) {
    const Link& link = links_[i];
    const Motion& m = memory.motion[i];
    const V3 arm = m.R * link.p_LF;
    const Mat3<double> R = m.R * link.R_LF;
    const V3 omega = rotate_back(R, m.w);
    V3 f = link.mass * (m.a + cross(m.alpha, arm) + cross(m.w, cross(m.w, arm)) - gravity_);
    V3 n = link.inertia * rotate_back(R, m.alpha) + cross(omega, V3(link.inertia * omega));
    if (!wrenches.empty()) f -= wrenches[i].force, n -= wrenches[i].moment;
    memory.force[i] = f;
    memory.moment[i] = rotate(R, n) + cross(arm, f);
  }
  accumulate(links_, memory, r);
}

void JointTree::project(std::span<const Wrench<double>> wrenches, Vec r, Memory& memory) const {
  for (int i = 0; i < size(); ++i) {
    const Motion& m = memory.motion[i];
    const V3 arm = m.R * links_[i].p_LF;
    memory.force[i] = -wrenches[i].force;
    memory.moment[i] = -(m.R * (links_[i].R_LF * wrenches[i].moment)) - cross(arm, wrenches[i].force);
  }
  accumulate(links_, memory, r);
}

// ---- composite bodies ----------------------------------------------------------------------------------------------

void JointTree::calc_composites(Memory& memory) const {
  // m (dᵀd I − d dᵀ)
  const auto second_moment = [](double m, const V3& d) {
    return Mat3<double>(m * (d.squaredNorm() * Mat3<double>::Identity() - d * d.transpose()));
  };
  for (int i = 0; i < size(); ++i) {
    const Link& link = links_[i];
    const Motion& motion = memory.motion[i];
    const V3 arm = motion.R * link.p_LF;
    const Mat3<double> R = motion.R * link.R_LF;
    memory.composite[i] = {link.mass, link.mass * arm,
                           R * link.inertia * R.transpose() + second_moment(link.mass, arm)};
  }
  for (int i = size() - 1; i >= 0; --i) {
    const int parent = links_[i].parent;
    if (parent < 0) continue;
    const Composite& c = memory.composite[i];
    Composite& sum = memory.composite[parent];
    const V3 d = memory.motion[i].p - memory.motion[parent].p;
    sum.m += c.m;
    sum.mc += c.mc + c.m * d;
    // ∫ (x + d)-moment: I + 2 (d·mc) 1 − d mcᵀ − mc dᵀ + m (d² 1 − d dᵀ)
    sum.I += c.I + second_moment(c.m, d) + 2.0 * d.dot(c.mc) * Mat3<double>::Identity() - d * c.mc.transpose() -
             c.mc * d.transpose();
  }
}

JointTree::Memory JointTree::make_memory() const {
  Memory memory;
  memory.motion.resize(links_.size());
  memory.freedom.resize(nv_);
  memory.driven.resize(links_.size());
  memory.travel.resize(links_.size());
  memory.force.resize(links_.size());
  memory.moment.resize(links_.size());
  memory.composite.resize(links_.size());
  memory.pass.resize(links_.size());
  memory.general.resize(n_general_);
  memory.stored.resize(n_stores_);
  return memory;
}

}  // namespace trammel
