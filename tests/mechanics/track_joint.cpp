// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "places.h"
#include "trammel/formulations/index3.h"
#include "trammel/io/model_reader.h"
#include "trammel/mechanics/joint/joint_system.h"

// Bodies on tracks in joint coordinates, at random places within a ramp of curvature and off the rails.

namespace trammel {
namespace {

class OnATrack : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string file = places::source_dir().string() + "/examples/12_carriage/" + GetParam();
    model_ = read_study(file).model;
    full_ = assemble(model_);
    system_ = make_joint_system(model_, full_);
    index3_ = std::make_unique<Index3>(*system_);
    workspace_ = index3_->make_workspace();
  }

  // Deviations as large as in curves; the front wheelsets are within the first ramp.
  MotionVariables random_point(unsigned seed) const {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> any(-1.0, 1.0);
    MotionVariables x;
    x.resize(system_->nv(), 0, system_->nc());
    x.t = 1.7 + 0.02 * any(engine);
    for (double& q : x.q) q = 2e-3 * any(engine);
    for (double& v : x.v) v = 0.05 * any(engine);
    for (double& a : x.a) a = any(engine);
    for (double& lam : x.lam) lam = 5e4 + 5e3 * any(engine);
    return x;
  }
  // (motion, constraint, Φ̇, bias)
  Eigen::VectorXd evaluate(const MotionVariables& x) {
    const int nv = system_->nv(), nc = system_->nc();
    Eigen::VectorXd r(nv + 3 * nc), none(0);
    index3_->calc_inputs(x.t, inputs_);
    const MotionPoint p = x.point(inputs_.view());
    EXPECT_TRUE(index3_->residual(p, state_, r.head(nv), none, r.segment(nv, nc), *workspace_).ok());
    EXPECT_TRUE(
        index3_->velocity_level(p, state_, r.segment(nv + nc, nc), r.segment(nv + 2 * nc, nc), *workspace_).ok());
    return r;
  }
  Eigen::MatrixXd differences(const MotionVariables& x, Eigen::VectorXd MotionVariables::*member, double step) {
    Eigen::MatrixXd D(system_->nv() + 3 * system_->nc(), (x.*member).size());
    for (Eigen::Index k = 0; k < D.cols(); ++k) {
      MotionVariables plus = x, minus = x;
      (plus.*member)[k] += step;
      (minus.*member)[k] -= step;
      D.col(k) = (evaluate(plus) - evaluate(minus)) / (2.0 * step);
    }
    return D;
  }
  Frame<double> frame(const MotionVariables& x, int link) {
    index3_->calc_inputs(x.t, inputs_);
    JointTree::Memory memory = system_->tree().make_memory();
    system_->tree().update_motion(x.q, x.v, {}, inputs_.view(), memory);
    return system_->tree().calc_frame(link, memory);
  }

  Model model_;
  Assembly full_;
  std::unique_ptr<JointSystem> system_;
  std::unique_ptr<Index3> index3_;
  std::unique_ptr<Workspace> workspace_;
  State state_;
  InputBuffer inputs_;
};

Eigen::MatrixXd dense(const Pattern& pattern, const std::vector<double>& values) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(pattern.n_rows, pattern.n_cols);
  for (int c = 0; c < pattern.n_cols; ++c)
    for (int k = pattern.start[c]; k < pattern.start[c + 1]; ++k) A(pattern.index[k], c) = values[k];
  return A;
}

// Entries against the largest of their column: differences of stiff forces leave rounding of 1e-6 of it, those of
// gaps (sums of lengths of 1 m) 2e-9.
void expect_equal(const Eigen::MatrixXd& exact, const Eigen::MatrixXd& differences, double tol, const char* what) {
  for (Eigen::Index c = 0; c < exact.cols(); ++c) {
    const double scale = 1e-3 * exact.cwiseAbs().maxCoeff() + exact.col(c).cwiseAbs().maxCoeff();
    for (Eigen::Index r = 0; r < exact.rows(); ++r)
      ASSERT_NEAR(exact(r, c), differences(r, c), tol * scale) << what << "(" << r << ", " << c << ")";
  }
}

TEST_P(OnATrack, CarriageHasItsCoordinates) {
  EXPECT_EQ(system_->nv(), 41);
  EXPECT_EQ(system_->nc(), 8);
}

TEST_P(OnATrack, PlanesAreDerivatives) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    const MotionVariables x = random_point(seed);
    const int nv = system_->nv(), nc = system_->nc();
    MotionPlanes planes;
    index3_->calc_inputs(x.t, inputs_);
    ASSERT_TRUE(index3_->linearize(x.point(inputs_.view()), state_, PlaneSet::all, planes, *workspace_).ok());
    const Eigen::MatrixXd by_q = differences(x, &MotionVariables::q, 1e-7);
    const Eigen::MatrixXd by_v = differences(x, &MotionVariables::v, 1e-5);
    const Eigen::MatrixXd by_a = differences(x, &MotionVariables::a, 1e-2);
    const Eigen::MatrixXd by_lam = differences(x, &MotionVariables::lam, 1.0);
    const Eigen::MatrixXd K = dense(planes.motion, planes.K) + dense(planes.motion, planes.K_lam);
    expect_equal(K, by_q.topRows(nv), 2e-6, "K");
    expect_equal(dense(planes.motion, planes.D), by_v.topRows(nv), 1e-6, "D");
    expect_equal(dense(planes.motion, planes.M), by_a.topRows(nv), 1e-8, "M");
    expect_equal(dense(planes.constraint, planes.G), by_q.middleRows(nv, nc), 1e-5, "G by q");
    expect_equal(dense(planes.constraint, planes.G), by_v.middleRows(nv + nc, nc), 1e-8, "G by v");
    expect_equal(dense(planes.constraint, planes.Gv_q), by_q.middleRows(nv + nc, nc), 1e-4, "Gv_q");
    const Eigen::MatrixXd columns =
        dense(planes.constraint, planes.G).transpose() + dense(planes.reaction, planes.f_lam);
    expect_equal(columns, by_lam.topRows(nv), 1e-6, "lam");
  }
}

// d/dt of Φ̇ along a motion with constant accelerations is G v̇ + bias.
TEST_P(OnATrack, BiasIsTheRateOfTheVelocityLevel) {
  const MotionVariables x = random_point(4);
  const int nv = system_->nv(), nc = system_->nc();
  constexpr double h = 1e-6;
  const auto at = [&](double t) {
    MotionVariables y = x;
    y.t += t;
    y.q += t * x.v + 0.5 * t * t * x.a;
    y.v += t * x.a;
    return Eigen::VectorXd(evaluate(y).segment(nv + nc, nc));
  };
  MotionPlanes planes;
  index3_->calc_inputs(x.t, inputs_);
  ASSERT_TRUE(index3_->linearize(x.point(inputs_.view()), state_, PlaneSet::G, planes, *workspace_).ok());
  const Eigen::VectorXd rate = (at(h) - at(-h)) / (2.0 * h);
  const Eigen::VectorXd exact = dense(planes.constraint, planes.G) * x.a + evaluate(x).tail(nc);
  for (int r = 0; r < nc; ++r) EXPECT_NEAR(rate[r], exact[r], 1e-5 * (1.0 + exact.cwiseAbs().maxCoeff())) << r;
}

// Velocities are the rates of positions, accelerations those of velocities; and coordinates are found again.
TEST_P(OnATrack, MotionIsConsistent) {
  const MotionVariables x = random_point(5);
  constexpr double h = 1e-5;
  const auto moved = [&](double t) {
    MotionVariables y = x;
    y.t += t;
    y.q += t * x.v + 0.5 * t * t * x.a;
    y.v += t * x.a;
    return y;
  };
  JointTree::Memory memory = system_->tree().make_memory();
  index3_->calc_inputs(x.t, inputs_);
  system_->tree().update_motion(x.q, x.v, {}, inputs_.view(), memory);
  system_->tree().update_accelerations(x.v, x.a, inputs_.view(), memory);
  std::vector<Frame<double>> frames(static_cast<std::size_t>(full_.system->n_frames()));
  for (int i = 0; i < system_->tree().size(); ++i) {
    const Frame<double> now = system_->tree().calc_frame(i, memory);
    frames[static_cast<std::size_t>(system_->tree().link(i).tag)] = now;
    const Frame<double> ahead = frame(moved(h), i), behind = frame(moved(-h), i);
    const auto [v_dot, w_dot] = system_->tree().calc_frame_acceleration(i, memory);
    EXPECT_LT(((ahead.p - behind.p) / (2.0 * h) - now.v).norm(), 1e-7);
    EXPECT_LT(((ahead.v - behind.v) / (2.0 * h) - v_dot).norm(), 1e-6);
    EXPECT_LT(((ahead.w - behind.w) / (2.0 * h) - w_dot).norm(), 1e-5);
    const Mat3<double> spin = now.R.transpose() * (ahead.R - behind.R) / (2.0 * h);
    EXPECT_LT((Vec3<double>(spin(2, 1), spin(0, 2), spin(1, 0)) - now.w).norm(), 1e-4);
  }
  MotionVariables found;
  State state;
  system_->set_from_frames(frames, x.t, found, state);
  EXPECT_LT((found.q - x.q).lpNorm<Eigen::Infinity>(), 1e-11);
  EXPECT_LT((found.v - x.v).lpNorm<Eigen::Infinity>(), 1e-9);
}

// Explicit and residual formalism agree: Φ(q, v, φ(q, v)) = 0.
TEST_P(OnATrack, FormalismsAgree) {
  MotionVariables x = random_point(6);
  Eigen::VectorXd none(0);
  index3_->calc_inputs(x.t, inputs_);
  const std::unique_ptr<Workspace> workspace = system_->make_workspace();
  ASSERT_EQ(system_->explicit_refusal(), "");
  Eigen::VectorXd a(system_->nv());
  ASSERT_TRUE(system_->accelerate(x.point(inputs_.view()), state_, a, none, *workspace).ok());
  x.a.setZero();
  const double scale = evaluate(x).head(system_->nv()).norm();
  x.a = a;
  EXPECT_LT(evaluate(x).head(system_->nv()).norm(), 1e-12 * scale);
}

INSTANTIATE_TEST_SUITE_P(Carriage, OnATrack, ::testing::Values("carriage.toml", "carriage_cone.toml", "smooth.toml"),
                         [](const auto& carriage) {
                           std::string name = carriage.param;
                           return name.substr(0, name.find('.'));
                         });

}  // namespace
}  // namespace trammel
