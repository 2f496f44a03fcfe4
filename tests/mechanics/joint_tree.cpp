// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/joint/joint_tree.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <random>

#include "trammel/math/rotations.h"
#include "trammel/math/time_function.h"

// Two formalisms that share no line of code, the residual one in world axes and the explicit one in axes of the links,
// against each other and against the definition of their terms, on random branched trees with joints of every kind.

namespace trammel {
namespace {

class RandomTree {
 public:
  RandomTree(int n, unsigned seed, bool revolute_only = false) : engine_(seed) {
    std::vector<JointTree::Link> links(n);
    for (int i = 0; i < n; ++i) {
      JointTree::Link& link = links[i];
      link.parent = i == 0 ? -1 : static_cast<int>(engine_() % static_cast<unsigned>(i + 1)) - 1;
      if (engine_() % 3 != 0) link.parent = i - 1;  // long branches
      link.mobility = revolute_only ? Mobility::revolute : static_cast<Mobility>(engine_() % 10);
      link.R_PB = rotation(), link.R_LF = rotation();
      link.p_PB = vector(), link.p_LF = vector();
      link.mass = 1.5 + number();
      const Eigen::Matrix3d A = Eigen::Matrix3d::NullaryExpr([&] { return number(); });
      link.inertia = A * A.transpose() + 0.1 * Eigen::Matrix3d::Identity();
      link.lead = 0.2 * number(), link.zero = number();
      if (freedoms(link.mobility) == 1 && engine_() % 5 == 0) link.input = 1;
    }
    tree.finish(links, {0.3, -1.0, -9.81});
    inputs.resize(2);
    inputs.u[1] = 0.3, inputs.ud[1] = -0.7, inputs.udd[1] = 1.1;
    charts.resize(tree.chart_offsets().size());
    for (Chart& chart : charts) chart.R_ref = rotation();
    const auto random = [&] {
      return Eigen::VectorXd(Eigen::VectorXd::NullaryExpr(tree.nv(), [&] { return number(); }));
    };
    q = random(), v = random(), a = random();
    memory = tree.make_memory();
    wrenches.resize(n);
    for (Wrench<double>& w : wrenches) w = {5.0 * vector(), vector()};
  }

  Eigen::VectorXd residual(const Eigen::VectorXd& acceleration) {
    tree.update_motion(q, v, charts, inputs.view(), memory);
    tree.update_accelerations(v, acceleration, inputs.view(), memory);
    Eigen::VectorXd r(tree.nv());
    tree.calc_newton_euler(wrenches, r, memory);
    return r;
  }
  Eigen::VectorXd accelerate() {
    tree.update_motion(q, v, charts, inputs.view(), memory);
    std::vector<Frame<double>> frames;
    for (int i = 0; i < tree.size(); ++i) frames.push_back(tree.calc_frame(i, memory));
    Eigen::VectorXd result(tree.nv());
    EXPECT_TRUE(tree.accelerate(q, v, charts, inputs.view(), frames, wrenches, result, memory).ok());
    return result;
  }
  Eigen::MatrixXd mass_matrix() {
    tree.update_motion(q, v, charts, inputs.view(), memory);
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(tree.nv(), tree.nv());
    tree.calc_mass_matrix(memory, [&](int k, int j, double value) { M(k, j) = M(j, k) = value; });
    return M;
  }

  JointTree tree;
  JointTree::Memory memory;
  std::vector<Chart> charts;
  std::vector<Wrench<double>> wrenches;
  InputBuffer inputs;
  Eigen::VectorXd q, v, a;

  double number() { return std::uniform_real_distribution<double>(-1.0, 1.0)(engine_); }
  Eigen::Vector3d vector() { return {number(), number(), number()}; }
  Eigen::Matrix3d rotation() { return exp_so3(Vec3<double>(2.0 * vector())); }

 private:
  std::mt19937 engine_;
};

// |Φ(q, v, φ(q, v))| against the terms of which it is the difference, M a and Ψ.
double relative_residual(RandomTree& t) {
  if (t.tree.nv() == 0) return 0.0;  // fixed and driven joints only
  const Eigen::VectorXd psi = -t.residual(Eigen::VectorXd::Zero(t.tree.nv())), a = t.accelerate();
  const Eigen::VectorXd Ma = t.residual(a) + psi;
  return t.residual(a).norm() / (Ma.norm() + psi.norm());
}

TEST(JointTree, explicit_and_residual_formalism_agree_on_random_trees) {
  for (const auto& [n, limit] : {std::pair{1, 1e-12}, {2, 1e-12}, {5, 1e-12}, {20, 1e-12}, {100, 1e-12}, {1000, 1e-10}})
    for (unsigned seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE(::testing::Message() << n << " links, seed " << seed);
      RandomTree every_kind(n, seed), hinges(n, seed, true);
      EXPECT_LE(relative_residual(every_kind), limit);
      EXPECT_LE(relative_residual(hinges), limit);
    }
}

TEST(JointTree, composite_bodies_give_the_derivative_of_the_residual_by_accelerations) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    RandomTree t(15, seed);
    const Eigen::MatrixXd M = t.mass_matrix();
    const Eigen::VectorXd at_zero = t.residual(Eigen::VectorXd::Zero(t.tree.nv()));
    for (int k = 0; k < t.tree.nv(); ++k) {
      const Eigen::VectorXd column = t.residual(Eigen::VectorXd::Unit(t.tree.nv(), k)) - at_zero;
      EXPECT_LE((column - M.col(k)).norm(), 1e-11 * (column.norm() + at_zero.norm())) << "seed " << seed;
    }
    EXPECT_GT(M.selfadjointView<Eigen::Lower>().llt().matrixL().toDenseMatrix().diagonal().minCoeff(), 0.0);
  }
}

// Twists are rates of poses and accelerations rates of twists along q̇ = T v, v̇ = a, u(t): what every sign in the
// kinematics must obey.
TEST(JointTree, twists_and_accelerations_are_derivatives_along_the_motion) {
  constexpr double eps = 1e-6;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    RandomTree t(12, seed);
    const Eigen::VectorXd q = t.q, v = t.v;
    const InputBuffer in = t.inputs;
    Eigen::VectorXd rate = v;
    for (int at : t.tree.chart_offsets())
      rate.segment<3>(at) = inverse_right_jacobian(Vec3<double>(q.segment<3>(at))) * v.segment<3>(at);
    const auto move = [&](double dt) {
      t.q = q + dt * rate;
      t.v = v + dt * t.a;
      t.inputs.u[1] = in.u[1] + dt * in.ud[1], t.inputs.ud[1] = in.ud[1] + dt * in.udd[1];
      t.tree.update_motion(t.q, t.v, t.charts, t.inputs.view(), t.memory);
      std::vector<Frame<double>> frames;
      for (int i = 0; i < t.tree.size(); ++i) frames.push_back(t.tree.calc_frame(i, t.memory));
      return frames;
    };
    const auto plus = move(eps), minus = move(-eps), at = move(0.0);
    t.tree.update_accelerations(t.v, t.a, t.inputs.view(), t.memory);
    for (int i = 0; i < t.tree.size(); ++i) {
      const auto [v_dot, w_dot] = t.tree.calc_frame_acceleration(i, t.memory);
      const double scale = 1.0 + v_dot.norm() + at[i].v.norm();
      EXPECT_LE(((plus[i].p - minus[i].p) / (2 * eps) - at[i].v).norm(), 1e-8 * scale);
      EXPECT_LE((vee<double>(at[i].R.transpose() * (plus[i].R - minus[i].R) / (2 * eps)) - at[i].w).norm(),
                1e-8 * scale);
      EXPECT_LE(((plus[i].v - minus[i].v) / (2 * eps) - v_dot).norm(), 1e-7 * scale);
      EXPECT_LE(((plus[i].w - minus[i].w) / (2 * eps) - w_dot).norm(), 1e-7 * scale);
    }
  }
}

// The residual is the projection of the balances of all bodies: v·r is the power that they miss.
TEST(JointTree, residual_is_the_projected_balance_of_every_body) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    RandomTree t(12, seed);
    for (Wrench<double>& w : t.wrenches) w = zero_wrench<double>();
    const Eigen::VectorXd r = t.residual(t.a), v = t.v;
    for (int k = 0; k < t.tree.nv(); ++k) {
      // The twists that freedom k alone gives to the bodies
      InputBuffer at_rest = t.inputs;
      at_rest.ud[1] = at_rest.udd[1] = 0.0;
      std::vector<Frame<double>> moving, frames;
      t.tree.update_motion(t.q, Eigen::VectorXd::Unit(t.tree.nv(), k), t.charts, at_rest.view(), t.memory);
      for (int i = 0; i < t.tree.size(); ++i) moving.push_back(t.tree.calc_frame(i, t.memory));
      t.tree.update_motion(t.q, v, t.charts, t.inputs.view(), t.memory);
      t.tree.update_accelerations(v, t.a, t.inputs.view(), t.memory);
      double power = 0.0, size = 0.0;
      for (int i = 0; i < t.tree.size(); ++i) {
        const JointTree::Link& link = t.tree.link(i);
        const auto [v_dot, w_dot] = t.tree.calc_frame_acceleration(i, t.memory);
        const Vec3<double> w = t.tree.calc_frame(i, t.memory).w;
        const Vec3<double> force = link.mass * (v_dot - t.tree.gravity());
        const Vec3<double> moment = link.inertia * w_dot + w.cross(link.inertia * w);
        power += moving[i].v.dot(force) + moving[i].w.dot(moment);
        size += moving[i].v.norm() * force.norm() + moving[i].w.norm() * moment.norm();
      }
      EXPECT_NEAR(r[k], power, 1e-13 * (1.0 + size));
    }
  }
}

TEST(JointTree, a_freedom_without_inertia_is_named_by_its_coordinate) {
  std::vector<JointTree::Link> links(2);
  links[0].mobility = links[1].mobility = Mobility::revolute;
  links[0].mass = 1.0, links[0].inertia.setIdentity();
  links[1].parent = 0;
  JointTree tree;
  tree.finish(links, Eigen::Vector3d::Zero());
  JointTree::Memory memory = tree.make_memory();
  Eigen::VectorXd zero = Eigen::VectorXd::Zero(2), a(2);
  const Status status = tree.accelerate(zero, zero, {}, {}, {}, {}, a, memory);
  EXPECT_EQ(status.cause, Cause::singular_matrix);
  EXPECT_EQ(status.row, 1);
}

}  // namespace
}  // namespace trammel
