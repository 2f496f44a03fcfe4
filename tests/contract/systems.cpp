// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "systems_models.h"
#include "trammel/formulations/index3.h"
#include "trammel/io/model_reader.h"
#include "trammel/mechanics/absolute/assemble.h"
#include "trammel/mechanics/joint/joint_system.h"

// Every plane of a system against differences of its residual, at random points off the constraint manifold, with
// charts away from their centre (θ ≠ 0): what Newton's iteration is made of.

namespace trammel::testing::test_systems {
namespace {

constexpr double eps = 1e-6;

struct Point {
  MotionVariables x;
  State state;
};

struct Case {
  const char* name;
  const std::string* text;
  bool joint_coordinates;
};

class SystemContract : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const Model model = read_study_text(*GetParam().text, "model.toml").model;
    assembly_ = assemble(model);
    system_ = assembly_.system.get();
    drawn_ = {assembly_.drawn, assembly_.state};
    if (GetParam().joint_coordinates) {
      joint_ = make_joint_system(model, assembly_);
      system_ = joint_.get();
      drawn_.state = joint_->machine().state;
      drawn_.state.charts.assign(joint_->chart_offsets().size(), {});
      drawn_.x.resize(joint_->nv(), joint_->nz(), joint_->nc());
      drawn_.x.z = assembly_.drawn.z;
    }
    index3_ = std::make_unique<Index3>(*system_);
    workspace_ = index3_->make_workspace();
  }
  Point random_point(unsigned seed) const {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> any(-0.5, 0.5);
    Point p = drawn_;
    p.x.t = 0.3;
    for (Eigen::VectorXd* v : {&p.x.q, &p.x.v, &p.x.a, &p.x.z, &p.x.zp, &p.x.lam})
      for (double& number : *v) number += 2.0 * any(engine);
    for (Branch& branch : p.state.branches) branch = {0.2, 6.0 * any(engine), any(engine)};
    return p;
  }

  // All residuals (motion, state, constraint), then the rates Φ̇ and their bias.
  Eigen::VectorXd evaluate(const MotionVariables& x, const State& state) {
    const int nv = index3_->nv(), nz = index3_->nz(), nc = index3_->nc();
    Eigen::VectorXd r(nv + nz + 3 * nc);
    index3_->calc_inputs(x.t, inputs_);
    const MotionPoint p = x.point(inputs_.view());
    EXPECT_TRUE(index3_->residual(p, state, r.head(nv), r.segment(nv, nz), r.segment(nv + nz, nc), *workspace_).ok());
    EXPECT_TRUE(
        index3_->velocity_level(p, state, r.segment(nv + nz + nc, nc), r.segment(nv + nz + 2 * nc, nc), *workspace_)
            .ok());
    return r;
  }
  Eigen::MatrixXd differences(const Point& p, Eigen::VectorXd MotionVariables::*member) {
    const Eigen::Index n = (p.x.*member).size();
    Eigen::MatrixXd D(index3_->nv() + index3_->nz() + 3 * index3_->nc(), n);
    for (Eigen::Index k = 0; k < n; ++k) {
      MotionVariables plus = p.x, minus = p.x;
      (plus.*member)[k] += eps;
      (minus.*member)[k] -= eps;
      D.col(k) = (evaluate(plus, p.state) - evaluate(minus, p.state)) / (2 * eps);
    }
    return D;
  }
  MotionPlanes linearize(const Point& p, PlaneSet set = PlaneSet::all) {
    MotionPlanes planes;
    index3_->calc_inputs(p.x.t, inputs_);
    EXPECT_TRUE(index3_->linearize(p.x.point(inputs_.view()), p.state, set, planes, *workspace_).ok());
    return planes;
  }
  void for_all(const std::function<void(const Point&)>& check) {
    for (unsigned seed = 1; seed <= 3; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      check(random_point(seed));
    }
  }

  Assembly assembly_;
  std::unique_ptr<JointSystem> joint_;
  const MechanicalSystem* system_ = nullptr;
  Point drawn_;
  std::unique_ptr<Index3> index3_;
  std::unique_ptr<Workspace> workspace_;
  InputBuffer inputs_;
};

Eigen::MatrixXd dense(const Pattern& pattern, const std::vector<double>& values) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(pattern.n_rows, pattern.n_cols);
  for (int c = 0; c < pattern.n_cols; ++c)
    for (int k = pattern.start[c]; k < pattern.start[c + 1]; ++k) A(pattern.index[k], c) = values[k];
  return A;
}

// Names the worst entry: a wrong derivative is found by its row and column.
void expect_near(const Eigen::MatrixXd& found, const Eigen::MatrixXd& expected, const char* what,
                 const std::function<std::string(int)>& row, const std::function<std::string(int)>& column) {
  ASSERT_EQ(found.rows(), expected.rows()) << what;
  ASSERT_EQ(found.cols(), expected.cols()) << what;
  if (found.size() == 0) return;
  Eigen::Index r = 0, c = 0;
  const double worst = (found - expected).cwiseAbs().maxCoeff(&r, &c);
  // Rounding of a central difference: 10⁻¹⁶ · |residual| / ε, with residuals of some hundreds.
  EXPECT_LE(worst, 1e-6 * (1.0 + std::abs(expected(r, c))))
      << what << ": " << row(static_cast<int>(r)) << " by " << column(static_cast<int>(c)) << ": " << found(r, c)
      << " instead of " << expected(r, c);
}

TEST_P(SystemContract, every_plane_is_a_derivative_of_the_residual) {
  const int nv = index3_->nv(), nz = index3_->nz(), nc = index3_->nc();
  const Layout& layout = index3_->layout();
  const auto row = [&](int offset) { return [&layout, offset](int i) { return layout.describe_row(offset + i); }; };
  const auto column = [&](int offset) {
    return [&layout, offset](int i) { return layout.describe_unknown(offset + i); };
  };
  for_all([&](const Point& p) {
    MotionPlanes planes = linearize(p);
    const Eigen::MatrixXd G = dense(planes.constraint, planes.G);
    std::vector<double> G_chart;
    index3_->to_chart(p.x.q, planes, G_chart);
    const Eigen::MatrixXd by_q = differences(p, &MotionVariables::q), by_v = differences(p, &MotionVariables::v),
                          by_a = differences(p, &MotionVariables::a), by_z = differences(p, &MotionVariables::z),
                          by_zp = differences(p, &MotionVariables::zp), by_lam = differences(p, &MotionVariables::lam);
    const auto motion = [&](const std::vector<double>& values) { return dense(planes.motion, values); };

    expect_near(motion(planes.M), by_a.topRows(nv), "M", row(0), column(0));
    expect_near(motion(planes.D), by_v.topRows(nv), "D", row(0), column(0));
    expect_near(motion(planes.K) + motion(planes.K_lam), by_q.topRows(nv), "K + K_lam", row(0), column(0));
    expect_near(G.transpose() + dense(planes.reaction, planes.f_lam), by_lam.topRows(nv), "G' + f_lam", row(0),
                column(nv + nz));
    expect_near(dense(planes.state_force, planes.f_z), by_z.topRows(nv), "f_z", row(0), column(nv));
    expect_near(dense(planes.state_rate, planes.g_q), by_q.middleRows(nv, nz), "g_q", row(nv), column(0));
    expect_near(dense(planes.state_rate, planes.g_v), by_v.middleRows(nv, nz), "g_v", row(nv), column(0));
    expect_near(dense(planes.state_state, planes.g_z), by_z.middleRows(nv, nz), "g_z", row(nv), column(nv));
    expect_near(dense(planes.state_lam, planes.g_lam), by_lam.middleRows(nv, nz), "g_lam", row(nv), column(nv + nz));
    Eigen::MatrixXd E = Eigen::MatrixXd::Zero(nz, nz);
    for (int z = 0; z < nz; ++z) E(z, z) = index3_->E()[z];
    expect_near(E, by_zp.middleRows(nv, nz), "E", row(nv), column(nv));

    // Rates of all rows: G on velocities, Gv_q on positions. Rows themselves: G in chart coordinates, or A and (A v)_q.
    expect_near(G, by_v.middleRows(nv + nz + nc, nc), "G", row(nv + nz), column(0));
    const Eigen::MatrixXd Gv_q = dense(planes.constraint, planes.Gv_q);
    expect_near(Gv_q, by_q.middleRows(nv + nz + nc, nc), "Gv_q", row(nv + nz), column(0));
    Eigen::MatrixXd row_by_q = dense(planes.constraint, G_chart), row_by_v = G;
    for (int r = 0; r < nc; ++r)
      if (index3_->holonomic()[r])
        row_by_v.row(r).setZero();
      else
        row_by_q.row(r) = Gv_q.row(r);
    expect_near(row_by_q, by_q.middleRows(nv + nz, nc), "rows by q", row(nv + nz), column(0));
    expect_near(row_by_v, by_v.middleRows(nv + nz, nc), "rows by v", row(nv + nz), column(0));
  });
}

// q̇ = T(q) v and time together: dΦ/dt = Φ̇, and dΦ̇/dt at v̇ = 0 is the bias.
TEST_P(SystemContract, rates_are_derivatives_along_the_motion) {
  const int first = index3_->nv() + index3_->nz(), nc = index3_->nc();
  for_all([&](const Point& p) {
    Eigen::VectorXd q_rate(index3_->nv());
    index3_->calc_q_rate(p.x.q, p.x.v, q_rate);
    MotionVariables plus = p.x, minus = p.x;
    plus.t += eps, minus.t -= eps;
    plus.q += eps * q_rate, minus.q -= eps * q_rate;
    const Eigen::VectorXd at = evaluate(p.x, p.state);
    const Eigen::VectorXd d = (evaluate(plus, p.state) - evaluate(minus, p.state)) / (2 * eps);
    for (int r = 0; r < nc; ++r) {
      SCOPED_TRACE(index3_->layout().describe_row(first + r));
      const double rate = at[first + nc + r], bias = at[first + 2 * nc + r];
      if (index3_->holonomic()[r])
        EXPECT_NEAR(d[first + r], rate, 1e-7 * (1 + std::abs(rate)));
      else
        EXPECT_EQ(at[first + r], rate);
      EXPECT_NEAR(d[first + nc + r], bias, 1e-7 * (1 + std::abs(bias)));
    }
  });
}

// Ṫ + V̇ = power for every motion that satisfies M v̇ + Gᵀλ = f, also off the manifold: what the residual misses is
// the difference, v·r = Ṫ + V̇ − power.
TEST_P(SystemContract, ledger_of_energy_is_complete) {
  for_all([&](const Point& p) {
    MotionVariables x = p.x;
    x.a.setZero();
    const double missed = x.v.dot(evaluate(x, p.state).head(index3_->nv()));
    Eigen::VectorXd q_rate(index3_->nv());
    index3_->calc_q_rate(x.q, x.v, q_rate);
    const auto energy = [&](double t) {
      MotionVariables at = x;
      at.t += t;
      at.q += t * q_rate;
      index3_->calc_inputs(at.t, inputs_);
      return system_->calc_energy(at.point(inputs_.view()), p.state, *workspace_);
    };
    const double V_rate = (energy(eps).potential - energy(-eps).potential) / (2 * eps);
    const double T_rate = (energy(eps).kinetic - energy(-eps).kinetic) / (2 * eps);
    const double power = energy(0.0).power;
    EXPECT_NEAR(T_rate + V_rate - power, missed, 1e-7 * (1 + std::abs(missed) + std::abs(T_rate) + std::abs(V_rate)));
  });
}

// Machines in joint coordinates that have inertia in every freedom.
class ExplicitContract : public SystemContract {};

// Both formalisms with multipliers, forces of every kind and charts: Φ(q, v, φ(q, v, λ), λ) = 0.
TEST_P(ExplicitContract, solves_the_residual_formalism) {
  ASSERT_TRUE(joint_ && joint_->explicit_refusal().empty());
  for_all([&](const Point& p) {
    MotionVariables x = p.x;
    x.a.setZero();
    const Eigen::VectorXd psi = evaluate(x, p.state).head(index3_->nv());
    index3_->calc_inputs(x.t, inputs_);
    ASSERT_TRUE(joint_->accelerate(x.point(inputs_.view()), p.state, x.a, x.zp, *workspace_).ok());
    const Eigen::VectorXd r = evaluate(x, p.state).head(index3_->nv());
    EXPECT_LE(r.norm(), 1e-12 * (2.0 * psi.norm() + r.norm()));
    EXPECT_GT(x.a.norm(), 0.0);
  });
}

// Frames do not depend on the chart in which they are written: nothing changes when charts are re-centred.
TEST_P(SystemContract, residual_does_not_depend_on_the_chart) {
  for_all([&](const Point& p) {
    const Eigen::VectorXd before = evaluate(p.x, p.state);
    Point moved = p;
    index3_->calc_inputs(p.x.t, inputs_);
    index3_->accepted(p.x.point(inputs_.view()), moved.x.q, moved.state, *workspace_);
    moved.state.branches = p.state.branches;
    const Eigen::VectorXd after = evaluate(moved.x, moved.state);
    EXPECT_LE((before - after).lpNorm<Eigen::Infinity>(), 1e-12 * before.lpNorm<Eigen::Infinity>());
  });
}

// Guard (b): the residual is a function of the point alone; whatever was linearised, scaled or evaluated before leaves
// it bit-identical.
TEST_P(SystemContract, residual_is_bit_identical_after_any_other_work) {
  const Point p = random_point(1), other = random_point(2);
  const Eigen::VectorXd before = evaluate(p.x, p.state);
  linearize(other);
  evaluate(other.x, other.state);
  EXPECT_EQ(before, evaluate(p.x, p.state));
  workspace_ = index3_->make_workspace();
  EXPECT_EQ(before, evaluate(p.x, p.state));
}

TEST_P(SystemContract, planes_do_not_depend_on_what_else_is_asked) {
  const Point p = random_point(4);
  const MotionPlanes all = linearize(p);
  EXPECT_EQ(linearize(p, PlaneSet::M).M, all.M);
  EXPECT_EQ(linearize(p, PlaneSet::D).D, all.D);
  EXPECT_EQ(linearize(p, PlaneSet::K).K, all.K);
  EXPECT_EQ(linearize(p, PlaneSet::K_lam).K_lam, all.K_lam);
  EXPECT_EQ(linearize(p, PlaneSet::G).G, all.G);
  EXPECT_EQ(linearize(p, PlaneSet::Gv_q).Gv_q, all.Gv_q);
  EXPECT_EQ(linearize(p, PlaneSet::f_lam).f_lam, all.f_lam);
  const MotionPlanes internal = linearize(p, PlaneSet::internal);
  EXPECT_EQ(internal.f_z, all.f_z);
  EXPECT_EQ(internal.g_q, all.g_q);
  EXPECT_EQ(internal.g_v, all.g_v);
  EXPECT_EQ(internal.g_z, all.g_z);
  EXPECT_EQ(internal.g_lam, all.g_lam);
}

INSTANTIATE_TEST_SUITE_P(
    Models, SystemContract,
    ::testing::Values(Case{"every_joint", &every_joint, false}, Case{"every_force", &every_force, false},
                      Case{"every_joint_in_joint_coordinates", &every_joint, true},
                      Case{"every_force_in_joint_coordinates", &every_force, true},
                      Case{"tree_in_joint_coordinates", &every_tree_joint, true}, Case{"bearings", &bearings, false},
                      Case{"bearings_in_joint_coordinates", &bearings, true}, Case{"on_a_track", &on_a_track, false},
                      Case{"on_a_track_in_joint_coordinates", &on_a_track, true}),
    [](const auto& model) { return model.param.name; });
INSTANTIATE_TEST_SUITE_P(Trees, ExplicitContract,
                         ::testing::Values(Case{"tree_in_joint_coordinates", &every_tree_joint, true},
                                           Case{"bearings_in_joint_coordinates", &bearings, true},
                                           Case{"on_a_track_in_joint_coordinates", &on_a_track, true}),
                         [](const auto& model) { return model.param.name; });

}  // namespace
}  // namespace trammel::testing::test_systems
