// SPDX-License-Identifier: Apache-2.0
#include "trammel/integrators/chebyshev_stages.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "trammel/integrators/runge_kutta.h"

// Stages of Chebyshev's kind by themselves, and in turn with the pair of order 5.

namespace trammel::test_chebyshev_stages {
namespace {

using Rates = ChebyshevStages::Rates;

// y₁ of y′ = σ y from y = 1 with h = 1.
double amplification(double sigma, int stages) {
  ChebyshevStages method(1);
  const Rates rates = [&](double, ConstVec y, Vec yp) {
    yp = sigma * y;
    return Status::success();
  };
  const Eigen::VectorXd y = Eigen::VectorXd::Ones(1), f = sigma * y;
  Eigen::VectorXd y1(1);
  EXPECT_TRUE(method.advance(0.0, 1.0, stages, y, f, rates, y1).ok());
  return y1[0];
}

// (2): |P(z)| ≤ 1 on [−0.65 s², 0], and not much further: the last extremum of the damped polynomial is 1 − ε/3.
TEST(ChebyshevStages, bear_what_decays_up_to_the_square_of_their_number) {
  for (const int s : {2, 3, 5, 10, 30, 60}) {
    const double reach = 0.653 * (s * s - 1.0);
    for (int k = 1; k <= 400; ++k) EXPECT_LE(std::abs(amplification(-reach * k / 400.0, s)), 1.0) << s << " " << k;
    EXPECT_GT(std::abs(amplification(-1.3 * reach - 1.0, s)), 1.0) << s;
  }
}

// y″ = −y with a time-dependent speed: exact (sin φ, cos φ), φ = t + t²/2.
double error_of_turning(int n_steps, int stages) {
  const Rates rates = [](double t, ConstVec y, Vec yp) {
    yp << (1.0 + t) * y[1], -(1.0 + t) * y[0];
    return Status::success();
  };
  ChebyshevStages method(2);
  Eigen::VectorXd y(2), f(2), y1(2);
  y << 0.0, 1.0;
  const double h = 1.0 / n_steps;
  for (int i = 0; i < n_steps; ++i) {
    EXPECT_TRUE(rates(i * h, y, f).ok());
    EXPECT_TRUE(method.advance(i * h, h, stages, y, f, rates, y1).ok());
    y = y1;
  }
  return std::hypot(y[0] - std::sin(1.5), y[1] - std::cos(1.5));
}

// Order 2 and not 3, also with instants of stages that matter.
TEST(ChebyshevStages, have_order_two) {
  for (const int s : {2, 4, 9})
    EXPECT_NEAR(std::log2(error_of_turning(40, s) / error_of_turning(80, s)), 2.0, 0.1) << s;
}

// Diffusion in a rod with 40 nodes, heated so that its slowest mode swings as cos t, whatever the diffusion D(t) is.
// The rates of decay are D times 4/Δx² sin²(mode π/(2n + 2)).
class Rod final : public OdeSystem {
 public:
  explicit Rod(std::function<double(double)> diffusion)
      : diffusion_(std::move(diffusion)), layout_(std::vector<Kind>(n, Kind::internal), name, name) {}
  static constexpr int n = 40;
  static constexpr double unit = (n + 1.0) * (n + 1.0);  // 1/Δx²
  const Layout& layout() const override { return layout_; }
  std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<Workspace>(); }
  Status rates(double t, ConstVec y, const State&, Vec yp, Workspace&) const override {
    const double D = diffusion_(t), heat = D * rate(1) * std::cos(t) - std::sin(t);
    for (int i = 0; i < n; ++i)
      yp[i] = D * unit * ((i > 0 ? y[i - 1] : 0.0) - 2.0 * y[i] + (i + 1 < n ? y[i + 1] : 0.0)) + heat * mode_[i];
    return Status::success();
  }
  Status project(double, Vec, const State&, bool& moved, Workspace&) const override {
    moved = false;
    return Status::success();
  }
  // The slowest mode.
  static Eigen::VectorXd first_mode() {
    Eigen::VectorXd y(n);
    for (int i = 0; i < n; ++i) y[i] = std::sin(std::numbers::pi * (i + 1) / (n + 1));
    return y;
  }
  static double rate(int mode) {
    const double s = std::sin(0.5 * mode * std::numbers::pi / (n + 1));
    return 4.0 * unit * s * s;
  }

 private:
  static std::string name(int i) { return "y" + std::to_string(i); }
  std::function<double(double)> diffusion_;
  Layout layout_;
  Eigen::VectorXd mode_ = first_mode();
};

TEST(ChebyshevStages, find_how_fast_the_fastest_motion_decays) {
  const Rod rod([](double) { return 0.3; });
  const auto workspace = rod.make_workspace();
  const Rates rates = [&](double t, ConstVec y, Vec yp) { return rod.rates(t, y, {}, yp, *workspace); };
  ChebyshevStages method(Rod::n);
  Eigen::VectorXd y = Rod::first_mode(), f(Rod::n);
  y[7] += 0.1;
  ASSERT_TRUE(rates(0.0, y, f).ok());
  for (int k = 0; k < 3; ++k) ASSERT_TRUE(method.update_radius(0.0, y, f, Eigen::VectorXd::Zero(Rod::n), rates).ok());
  const double sigma = 0.3 * Rod::rate(Rod::n);
  EXPECT_GE(method.radius(), sigma);
  EXPECT_LE(method.radius(), 1.25 * sigma);
  EXPECT_GE(0.653 * (std::pow(method.stages(1e-2), 2) - 1.0), 1e-2 * sigma);
}

// Two unknowns decay independently. The direction of the one that was faster knows nothing of the other one; the error
// of a step that did not bear it does.
TEST(ChebyshevStages, find_what_became_faster_elsewhere_by_the_error_of_the_last_step) {
  Eigen::Vector2d sigma(1e4, 10.0);
  const Rates rates = [&](double, ConstVec y, Vec yp) {
    yp = -sigma.cwiseProduct(y);
    return Status::success();
  };
  ChebyshevStages method(2);
  const Eigen::VectorXd y = Eigen::VectorXd::Ones(2);
  Eigen::VectorXd f(2), error = Eigen::VectorXd::Zero(2);
  const auto look = [&] {
    ASSERT_TRUE(rates(0.0, y, f).ok());
    ASSERT_TRUE(method.update_radius(0.0, y, f, error, rates).ok());
  };
  for (int k = 0; k < 5; ++k) look();
  EXPECT_NEAR(method.radius(), 1.2e4, 0.05e4);
  sigma[1] = 1e6;
  error[1] = 1e-9;
  look();
  EXPECT_GE(method.radius(), 1e6);
  EXPECT_LE(method.radius(), 1.25e6);
}

struct Cooled {
  double error;
  long evaluations;
  int last_order;
};
// D = 1 for a second, then what `later` is.
Cooled cool(double later, bool stabilizes, double tol) {
  const Rod rod([=](double t) { return t < 1.0 ? 1.0 : later; });
  RungeKuttaOptions options;
  options.tolerances.rtol = options.tolerances.atol = tol;
  options.stabilizes = stabilizes;
  RungeKutta method(rod, options);
  State state;
  Eigen::VectorXd y = Rod::first_mode();
  EXPECT_TRUE(method.start(0.0, y, state).ok());
  int order = 0;
  for (const double end : {1.0, 4.0})
    while (method.t() < end) {
      const StepReport report = method.advance(end, state);
      EXPECT_TRUE(report.status.ok());
      order = report.order;
    }
  return {(method.y() - std::cos(4.0) * Rod::first_mode()).lpNorm<Eigen::Infinity>(), method.counters().evaluations,
          order};
}

// The pair of order 5 takes 6720/3.3 steps per second, whatever the tolerance.
TEST(ChebyshevStages, take_over_from_the_pair_where_stability_holds_it) {
  for (const double tol : {1e-3, 1e-5}) {
    const Cooled pair = cool(1.0, false, tol), both = cool(1.0, true, tol);
    EXPECT_LT(3 * both.evaluations, pair.evaluations) << tol;
    EXPECT_EQ(both.last_order, 2);
    EXPECT_LT(both.error, 50.0 * tol);
  }
}

// Where nothing is stiff any more, the pair's longer steps are cheaper.
TEST(ChebyshevStages, give_way_to_the_pair_where_they_do_not_pay) {
  const Cooled both = cool(1e-4, true, 1e-5);
  EXPECT_EQ(both.last_order, 5);
  EXPECT_LT(both.error, 1e-3);
}

TEST(ChebyshevStages, continue_with_the_same_bits_after_a_restart) {
  const Rod rod([](double) { return 1.0; });
  RungeKuttaOptions options;
  options.stabilizes = true;
  RungeKutta straight(rod, options), resumed(rod, options);
  State state;
  ASSERT_TRUE(straight.start(0.0, Rod::first_mode(), state).ok());
  int order = 5;
  while (order == 5) {
    const StepReport report = straight.advance(5.0, state);
    ASSERT_TRUE(report.status.ok());
    order = report.order;
  }
  resumed.restore(straight.save());
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(straight.advance(5.0, state).status.ok());
    ASSERT_TRUE(resumed.advance(5.0, state).status.ok());
  }
  EXPECT_EQ(straight.t(), resumed.t());
  EXPECT_EQ(straight.y(), resumed.y());
}

}  // namespace
}  // namespace trammel::test_chebyshev_stages
