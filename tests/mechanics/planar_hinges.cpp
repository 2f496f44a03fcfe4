// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "trammel/io/model_reader.h"
#include "trammel/mechanics/absolute/absolute_system.h"
#include "trammel/mechanics/absolute/assemble.h"

// Hinges between bodies of one plane are evaluated in its own numbers, everything else as frames in space: both must
// say the same, at points off the constraints.

namespace trammel::test_planar_hinges {
namespace {

constexpr double rounding = 1e-12;   // of numbers up to 10
constexpr double difference = 1e-6;  // h² of central differences with h = 1e-4, times third derivatives

// A closed loop and a tail in a tilted plane: turned bodies, hinges off the centres of mass, the ground as first and
// as second body. `spring`: with an element that needs frames.
Study make_loop(bool spring) {
  std::string text = R"(title = "loop"
[[body]]
name = "a"
kind = "planar"
normal = [1, 2, 2]
mass = 2
inertia = 0.3
position = [0.2, 0.1, -0.2]
[[body]]
name = "b"
kind = "planar"
normal = [1, 2, 2]
mass = 3
inertia = 0.5
axis_angle = { axis = [1, 2, 2], angle = 0.7 }
position = [2, -1, 0]
[[body]]
name = "c"
kind = "planar"
normal = [1, 2, 2]
mass = 1
inertia = 0.1
position = [0, 2, -2]
[[joint]]
name = "foot"
kind = "revolute"
bodies = ["ground", "a"]
point = [0, 0, 0]
[[joint]]
name = "elbow"
kind = "revolute"
bodies = ["a", "b"]
point = [2, 0, -1]
[[joint]]
name = "anchor"
kind = "revolute"
bodies = ["b", "ground"]
point = [2, -2, 1]
[[joint]]
name = "tail"
kind = "revolute"
bodies = ["b", "c"]
point = [2, 1, -2]
)";
  if (spring)
    text +=
        "[[force]]\nname = \"spring\"\nkind = \"spring_damper\"\nbodies = [\"a\", \"c\"]\n"
        "point_a = [0, 0, 0]\npoint_b = [0, 2, -2]\nstiffness = 0\ndamping = 0\n";
  text += "[analysis]\nend = 1\n[solver]\nh = 1e-3\n";
  return read_study_text(text, "loop.toml");
}

struct Case {
  explicit Case(bool spring) : assembly(assemble(make_loop(spring).model)), system(*assembly.system) {
    workspace = system.make_workspace();
    system.calc_inputs(0.0, inputs);
    at.resize(system.nv(), system.nz(), system.nc());
    mu.setZero(system.nc());
    std::mt19937 engine(11);
    std::uniform_real_distribution<double> any(-1.0, 1.0);
    for (Eigen::VectorXd* x : {&at.q, &at.v, &at.a, &at.lam, &mu})
      for (double& entry : *x) entry = any(engine);
  }
  struct Residual {
    Eigen::VectorXd motion, internal, phi, phi_dot, kinematic;
  };
  Residual stabilized(const MotionVariables& x, const Eigen::VectorXd& with_mu) {
    Residual r{x.q, x.z, x.lam, x.lam, Eigen::VectorXd::Zero(system.nv())};
    EXPECT_TRUE(system
                    .stabilized_residual(x.point(inputs.view()), with_mu, assembly.state, r.motion, r.internal, r.phi,
                                         r.phi_dot, r.kinematic, *workspace)
                    .ok());
    return r;
  }
  // Φ of frames.
  Eigen::VectorXd calc_phi(const MotionVariables& x) {
    std::vector<double> all(static_cast<std::size_t>(system.n_rows()));
    system.all_constraints(x.point(inputs.view()), assembly.state, all, *workspace);
    Eigen::VectorXd phi(system.nc());
    for (int row = 0; row < system.n_rows(); ++row)
      if (system.active_row(row) >= 0) phi[system.active_row(row)] = all[row];
    return phi;
  }
  // G of frames, column by column.
  Eigen::MatrixXd calc_G() {
    Eigen::MatrixXd G(system.nc(), system.nv());
    Eigen::VectorXd column(system.nc());
    for (int i = 0; i < system.nv(); ++i) {
      system.calc_G_times(at.point(inputs.view()), assembly.state, Eigen::VectorXd::Unit(system.nv(), i), column,
                          *workspace);
      G.col(i) = column;
    }
    return G;
  }

  Assembly assembly;
  AbsoluteSystem& system;
  std::unique_ptr<Workspace> workspace;
  InputBuffer inputs;
  MotionVariables at;
  Eigen::VectorXd mu;
};

Eigen::MatrixXd dense(const Pattern& pattern, const std::vector<double>& values) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(pattern.n_rows, pattern.n_cols);
  for (int j = 0; j < pattern.n_cols; ++j)
    for (int k = pattern.start[j]; k < pattern.start[j + 1]; ++k) A(pattern.index[k], j) += values[k];
  return A;
}

class PlanarHingeRows : public ::testing::TestWithParam<bool> {};

TEST_P(PlanarHingeRows, have_the_rows_of_frames_in_space) {
  Case c(GetParam());
  ASSERT_EQ(c.system.nc(), 8);
  const Case::Residual r = c.stabilized(c.at, c.mu);
  Eigen::VectorXd rates(c.system.nc());
  c.system.calc_rates(c.at.point(c.inputs.view()), c.assembly.state, rates, *c.workspace);
  EXPECT_LT((r.phi - c.calc_phi(c.at)).norm(), rounding);
  EXPECT_LT((r.phi_dot - rates).norm(), rounding);
  EXPECT_GT(r.phi.norm(), 0.1);
  EXPECT_LT((c.calc_G() * c.at.v - rates).norm(), rounding);

  MotionVariables without = c.at;
  without.lam.setZero();
  const Case::Residual free = c.stabilized(without, Eigen::VectorXd::Zero(c.system.nc()));
  EXPECT_LT((r.motion - free.motion - c.calc_G().transpose() * c.at.lam).norm(), rounding);
  EXPECT_LT((r.kinematic - c.calc_G().transpose() * c.mu).norm(), rounding);
  EXPECT_LT(free.kinematic.norm(), rounding);

  Eigen::VectorXd motion(c.system.nv()), internal(c.system.nz()), phi(c.system.nc());
  ASSERT_TRUE(
      c.system.residual(c.at.point(c.inputs.view()), c.assembly.state, motion, internal, phi, *c.workspace).ok());
  EXPECT_LT((motion - r.motion).norm() + (phi - r.phi).norm(), rounding);
}

TEST_P(PlanarHingeRows, have_the_derivatives_of_their_rows) {
  Case c(GetParam());
  MotionPlanes planes;
  ASSERT_TRUE(
      c.system.linearize(c.at.point(c.inputs.view()), c.assembly.state, PlaneSet::all, planes, *c.workspace).ok());
  EXPECT_LT((dense(planes.constraint, planes.G) - c.calc_G()).norm(), rounding);
  const Eigen::MatrixXd K = dense(planes.motion, planes.K) + dense(planes.motion, planes.K_lam);
  const Eigen::MatrixXd Gv_q = dense(planes.constraint, planes.Gv_q), M = dense(planes.motion, planes.M);
  const double h = 1e-4;
  for (int i = 0; i < c.system.nv(); ++i) {
    const auto slope = [&](Eigen::VectorXd MotionVariables::*part) {
      MotionVariables plus = c.at, minus = c.at;
      (plus.*part)[i] += h, (minus.*part)[i] -= h;
      const Case::Residual a = c.stabilized(plus, c.mu), b = c.stabilized(minus, c.mu);
      return std::pair<Eigen::VectorXd, Eigen::VectorXd>((a.motion - b.motion) / (2 * h),
                                                         (a.phi_dot - b.phi_dot) / (2 * h));
    };
    const auto [motion_q, rate_q] = slope(&MotionVariables::q);
    EXPECT_LT((motion_q - K.col(i)).norm(), difference);
    EXPECT_LT((rate_q - Gv_q.col(i)).norm(), difference);
    EXPECT_LT((slope(&MotionVariables::a).first - M.col(i)).norm(), difference);
  }
}

INSTANTIATE_TEST_SUITE_P(, PlanarHingeRows, ::testing::Bool(),
                         [](const auto& which) { return which.param ? "beside_a_spring" : "alone"; });

// Weight and inertia of a machine without other elements are those that frames have.
TEST(PlanarHinges, balance_bodies_as_frames_do) {
  Case alone(false), beside(true);
  const Case::Residual a = alone.stabilized(alone.at, alone.mu), b = beside.stabilized(beside.at, beside.mu);
  EXPECT_LT((a.motion - b.motion).norm(), rounding);
  EXPECT_GT(a.motion.norm(), 1.0);
}

// Rows that others imply are left out of λ and of Φ.
TEST(PlanarHinges, leave_out_dropped_rows) {
  Case c(false);
  const Eigen::MatrixXd all = c.calc_G();
  const std::vector<int> dropped{2, 5};
  c.system.drop_rows(dropped);
  c.workspace = c.system.make_workspace();
  ASSERT_EQ(c.system.nc(), 6);
  c.at.lam = c.at.lam.head(6).eval();
  c.mu = c.mu.head(6).eval();
  MotionVariables without = c.at;
  without.lam.setZero();
  const Case::Residual r = c.stabilized(c.at, c.mu), free = c.stabilized(without, c.mu);
  EXPECT_LT((r.phi - c.calc_phi(c.at)).norm(), rounding);
  EXPECT_LT((r.motion - free.motion - c.calc_G().transpose() * c.at.lam).norm(), rounding);
  MotionPlanes planes;
  ASSERT_TRUE(
      c.system.linearize(c.at.point(c.inputs.view()), c.assembly.state, PlaneSet::all, planes, *c.workspace).ok());
  EXPECT_LT((dense(planes.constraint, planes.G) - c.calc_G()).norm(), rounding);
  EXPECT_LT((dense(planes.constraint, planes.G).row(2) - all.row(3)).norm(), rounding);
}

}  // namespace
}  // namespace trammel::test_planar_hinges
