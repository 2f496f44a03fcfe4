// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/ivp_problems.h"
#include "trammel/integrators/bdf.h"

// The history as a data structure, and the orders of the method with fixed steps.

namespace trammel::test_bdf_orders {
namespace {

using testing::Form;
using testing::MechanismDae;
using testing::TemplateDae;

// y_n, y_{n−1}, … of a polynomial of degree 4 at uneven times, newest first.
struct Samples {
  std::vector<double> times{2.0, 1.7, 1.6, 1.1, 0.7};
  static double value(double t) { return 1.0 + t - 0.5 * t * t + 0.25 * t * t * t - 0.1 * t * t * t * t; }
  static double rate(double t) { return 1.0 - t + 0.75 * t * t - 0.4 * t * t * t; }
  Eigen::MatrixXd points() const {
    Eigen::MatrixXd points(1, 5);
    for (int i = 0; i < 5; ++i) points(0, i) = value(times[i]);
    return points;
  }
};

TEST(BdfHistory, interpolates_and_extrapolates_a_polynomial_of_its_order_exactly) {
  const Samples samples;
  BdfHistory history;
  history.resize(1);
  history.start(samples.times, samples.points());
  Eigen::VectorXd y(1), yp(1);
  for (const double t : {2.0, 1.83, 1.4, 0.7}) {
    history.interpolate(t, y, yp);
    EXPECT_NEAR(y[0], Samples::value(t), 1e-13);
    EXPECT_NEAR(yp[0], Samples::rate(t), 1e-12);
  }
  history.begin(0.35, 4);
  history.predict(y, yp);
  EXPECT_NEAR(y[0], Samples::value(2.35), 1e-12);
  EXPECT_NEAR(yp[0], Samples::rate(2.35), 1e-12);
}

TEST(BdfHistory, undo_restores_what_begin_changed) {
  const Samples samples;
  BdfHistory history;
  history.resize(1);
  history.start(samples.times, samples.points());
  Eigen::VectorXd y(1), yp(1);
  for (const double h : {0.5, 0.05}) {
    history.begin(h, 4);
    history.predict(y, yp);
    history.undo();
  }
  Eigen::MatrixXd points(1, 5);
  const std::vector<int> all{0};
  history.calc_points(all, points);
  EXPECT_LT((points - samples.points()).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(BdfHistory, points_and_differences_are_the_same_thing) {
  const Samples samples;
  BdfHistory history;
  history.resize(1);
  history.start(samples.times, samples.points());
  const Eigen::VectorXd e = Eigen::VectorXd::Constant(1, 0.01);
  Eigen::VectorXd y(1), yp(1), y_after(1), yp_after(1);
  history.begin(0.3, 4);
  history.predict(y, yp);
  history.accept(e, 2.3);
  EXPECT_EQ(history.n_points(), 6);  // one more than the order needs: the order-raising test uses it
  Eigen::MatrixXd points(1, 6);
  const std::vector<int> all{0};
  history.calc_points(all, points);
  EXPECT_NEAR(points(0, 0), y[0] + 0.01, 1e-14);
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(points(0, i + 1), Samples::value(samples.times[i]), 1e-12);
  history.interpolate(2.1, y, yp);
  history.set_points(all, points);
  history.interpolate(2.1, y_after, yp_after);
  EXPECT_NEAR(y[0], y_after[0], 1e-14);
}

// ---- orders
// ----------------------------------------------------------------------------------------------------------

// Fixed steps of order k from exact points.
template <class System, class Exact>
double error_at(const System& dae, const Exact& exact, int k, double h, double t_end, int n_compared,
                BdfUnknown unknown) {
  BdfOptions options;
  options.fixed_h = h;
  options.max_order = k;
  options.unknown = unknown;
  options.tolerances.rtol = options.tolerances.atol = 1e-12;
  options.corrector = Corrector::modified;
  options.newton_constant = 0.01;
  options.max_iterations = 8;
  Bdf bdf(dae, options, LinearSolverKind::dense);
  std::vector<double> times;
  Eigen::MatrixXd points(dae.layout().n(), k + 1);
  for (int i = 0; i <= k; ++i) {
    times.push_back((k - i) * h);
    points.col(i) = exact(times.back());
  }
  State state;
  EXPECT_TRUE(bdf.start(times, points, state).ok());
  // The largest error over the second half: at a single instant it may happen to vanish.
  double error = 0.0, next = 0.5 * t_end;
  const BdfStep last = bdf.integrate(t_end, state, [&](const BdfStep& step) {
    if (step.t < next - 0.5 * h) return;
    next += 0.05 * t_end;
    const Eigen::VectorXd reference = exact(step.t);
    for (int i = 0; i < n_compared; ++i) error = std::max(error, std::abs(bdf.y()[i] - reference[i]));
  });
  EXPECT_TRUE(last.status.ok()) << describe(last.status.cause);
  EXPECT_EQ(last.order, k);
  return error;
}

// BDF of order k has global error O(h^k), and not O(h^{k+1}).
class BdfOrder : public ::testing::TestWithParam<std::tuple<int, BdfUnknown>> {};

TEST_P(BdfOrder, is_k_on_a_smooth_oscillation) {
  const auto [k, unknown] = GetParam();
  const TemplateDae dae(testing::Oscillator{1.0, 0.0}, {Kind::position, Kind::velocity});
  const auto exact = [](double t) -> Eigen::VectorXd { return Eigen::Vector2d(std::cos(t), -std::sin(t)); };
  const double h = k <= 2 ? 2.0 / 800 : k <= 4 ? 2.0 / 200 : 2.0 / 80;
  const double coarse = error_at(dae, exact, k, h, 2.0, 2, unknown),
               fine = error_at(dae, exact, k, h / 2, 2.0, 2, unknown);
  EXPECT_NEAR(std::log2(coarse / fine), k, 0.15) << coarse << " " << fine;
}

// The reference of the pendulum, by the same equations reduced to the angle and Taylor-free: 4000 steps of RK4.
Eigen::VectorXd pendulum_state(double t) {
  Eigen::Vector2d s(0.0, 1.0);  // angle from the x axis, its rate; ẍ = −g along y: φ″ = −cos φ
  const int n = 4000;
  const double h = t / n;
  const auto rates = [](const Eigen::Vector2d& x) { return Eigen::Vector2d(x[1], -std::cos(x[0])); };
  for (int i = 0; i < n; ++i) {
    const Eigen::Vector2d k1 = rates(s), k2 = rates(s + 0.5 * h * k1), k3 = rates(s + 0.5 * h * k2),
                          k4 = rates(s + h * k3);
    s += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  const double c = std::cos(s[0]), sn = std::sin(s[0]);
  Eigen::VectorXd y(6);
  y << c, sn, -sn * s[1], c * s[1], s[1] * s[1] - sn, 0.0;
  return y;
}

TEST_P(BdfOrder, is_k_on_the_stabilized_index2_pendulum) {
  const auto [k, unknown] = GetParam();
  const MechanismDae<testing::PlainPendulum> dae(Form::stabilized_index2);
  const double h = k <= 2 ? 1.0 / 400 : k <= 4 ? 1.0 / 100 : 1.0 / 50;
  const double coarse = error_at(dae, pendulum_state, k, h, 1.0, 4, unknown),
               fine = error_at(dae, pendulum_state, k, h / 2, 1.0, 4, unknown);
  EXPECT_NEAR(std::log2(coarse / fine), k, k >= 5 ? 0.5 : 0.2) << coarse << " " << fine;
}

INSTANTIATE_TEST_SUITE_P(Orders, BdfOrder,
                         ::testing::Combine(::testing::Range(1, 7), ::testing::Values(BdfUnknown::y, BdfUnknown::yp)));

// Solving for y′ instead of y changes the matrix by a factor, not the iterates [hastiff (1.14)].
TEST(Bdf, takes_the_same_steps_for_either_unknown) {
  const MechanismDae<testing::Andrews> dae(Form::stabilized_index2);
  std::vector<BdfCounters> counters;
  std::vector<Eigen::VectorXd> ends;
  for (const BdfUnknown unknown : {BdfUnknown::y, BdfUnknown::yp}) {
    BdfOptions options;
    options.unknown = unknown;
    options.corrector = Corrector::modified;
    options.tolerances.set(Kind::position, 1e-6, 1e-6);
    options.tolerances.set(Kind::velocity, 1e-6, 1e-3);
    Bdf bdf(dae, options);
    State state;
    ASSERT_TRUE(bdf.start(0.0, dae.y0, dae.yp0, state).ok());
    ASSERT_TRUE(bdf.integrate(0.005, state).status.ok());
    counters.push_back(bdf.counters());
    ends.push_back(bdf.y());
  }
  EXPECT_EQ(counters[0].steps, counters[1].steps);
  EXPECT_EQ(counters[0].residuals, counters[1].residuals);
  EXPECT_LT((ends[0] - ends[1]).head(7).lpNorm<Eigen::Infinity>(), 1e-10);
}

}  // namespace
}  // namespace trammel::test_bdf_orders
