// SPDX-License-Identifier: Apache-2.0
#include "trammel/integrators/runge_kutta.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

namespace trammel::test_runge_kutta {
namespace {

/// y′ = f(t, y) from a function; a circle y₀² + y₁² = 1 may be its manifold.
class Equation final : public OdeSystem {
 public:
  using Rates = std::function<void(double, ConstVec, Vec)>;
  Equation(int n, Rates rates, bool on_circle = false)
      : rates_(std::move(rates)), on_circle_(on_circle), layout_(std::vector<Kind>(n, Kind::internal), name, name) {}
  const Layout& layout() const override { return layout_; }
  std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<Workspace>(); }
  Status rates(double t, ConstVec y, const State&, Vec yp, Workspace&) const override {
    rates_(t, y, yp);
    return yp.allFinite() ? Status::success() : Status::recoverable(Cause::not_finite, 0);
  }
  Status project(double, Vec y, const State&, bool& moved, Workspace&) const override {
    moved = on_circle_;
    if (on_circle_) y /= y.norm();
    return Status::success();
  }

 private:
  static std::string name(int i) { return "y" + std::to_string(i); }
  Rates rates_;
  bool on_circle_;
  Layout layout_;
};

// y″ = −y with a time-dependent speed: exact (sin φ, cos φ), φ = t + t²/2.
void turning(double t, ConstVec y, Vec yp) { yp << (1 + t) * y[1], -(1 + t) * y[0]; }
double phase(double t) { return t + 0.5 * t * t; }

struct Errors {
  double end, between;
};
Errors integrate_turning(int n_steps, int order) {
  const Equation equation(2, turning);
  RungeKuttaOptions options;
  options.order = order;
  options.fixed_h = 2.0 / n_steps;
  RungeKutta method(equation, options);
  State state;
  Eigen::Vector2d y(0.0, 1.0);
  EXPECT_TRUE(method.start(0.0, y, state).ok());
  Errors errors{0.0, 0.0};
  Eigen::VectorXd at(2);
  while (method.t() < 2.0 - 1e-12) {
    const double from = method.t();
    EXPECT_TRUE(method.advance(2.0, state).status.ok());
    for (double part : {0.2, 0.4, 0.7, 0.9}) {
      const double t = from + part * (method.t() - from);
      method.interpolate(t, at);
      errors.between = std::max(errors.between, std::hypot(at[0] - std::sin(phase(t)), at[1] - std::cos(phase(t))));
    }
  }
  errors.end = std::hypot(method.y()[0] - std::sin(phase(2.0)), method.y()[1] - std::cos(phase(2.0)));
  return errors;
}

// Order 5 and not 6 at the ends of steps. Between them the continuous extension of order 4 has a local error O(h⁵),
// which adds to the global one: order 5 as well there, with a larger constant.
TEST(RungeKutta, has_order_five_at_and_between_steps) {
  const Errors coarse = integrate_turning(40, 5), fine = integrate_turning(80, 5);
  EXPECT_NEAR(std::log2(coarse.end / fine.end), 5.0, 0.3);
  EXPECT_NEAR(std::log2(coarse.between / fine.between), 5.0, 0.4);
}

// Order 8 and not 9, nor 7: steps at which rounding is far below the error. Between them O(h⁸) of the continuous
// extension.
TEST(RungeKutta, has_order_eight_at_and_between_steps) {
  const Errors coarse = integrate_turning(8, 8), fine = integrate_turning(16, 8);
  EXPECT_NEAR(std::log2(coarse.end / fine.end), 8.0, 0.4);
  EXPECT_NEAR(std::log2(coarse.between / fine.between), 8.0, 0.6);
  EXPECT_THROW(integrate_turning(8, 6), InputError);
}

// What the second formula is for: at tight tolerances it costs fewer evaluations and errs less.
TEST(RungeKutta, takes_order_eight_where_it_is_cheaper) {
  const Equation equation(2, [](double, ConstVec y, Vec yp) { yp << y[1], 11.0 * std::sin(y[0]); });
  const auto fall = [&](double tol, std::optional<int> order) {
    RungeKuttaOptions options;
    options.tolerances.rtol = options.tolerances.atol = tol;
    options.order = order;
    RungeKutta method(equation, options);
    State state;
    EXPECT_TRUE(method.start(0.0, Eigen::Vector2d(0.0, 1.0), state).ok());
    int used = 0;
    while (method.t() < 5.0) {
      const StepReport report = method.advance(5.0, state);
      EXPECT_TRUE(report.status.ok());
      used = report.order;
    }
    return std::tuple{method.y()[1] * method.y()[1] / 2.0 + 11.0 * std::cos(method.y()[0]) - 11.5, used,
                      method.counters().evaluations};
  };
  EXPECT_EQ(std::get<1>(fall(1e-7, {})), 5);
  for (const double tol : {1e-8, 1e-10}) {
    const auto [error, used, evaluations] = fall(tol, {});
    const auto [error_5, used_5, evaluations_5] = fall(tol, 5);
    EXPECT_EQ(used, 8);
    EXPECT_EQ(used_5, 5);
    EXPECT_LT(10 * evaluations, (tol < 1e-9 ? 7 : 10) * evaluations_5);
    EXPECT_LT(std::abs(error), 0.5 * std::abs(error_5));
  }
}

TEST(RungeKutta, keeps_the_error_in_proportion_to_the_tolerance) {
  const Equation equation(2, turning);
  for (const double tol : {1e-4, 1e-6, 1e-8, 1e-10}) {
    RungeKuttaOptions options;
    options.tolerances.rtol = options.tolerances.atol = tol;
    RungeKutta method(equation, options);
    State state;
    ASSERT_TRUE(method.start(0.0, Eigen::Vector2d(0.0, 1.0), state).ok());
    while (method.t() < 10.0) ASSERT_TRUE(method.advance(10.0, state).status.ok());
    const double error = std::hypot(method.y()[0] - std::sin(phase(10.0)), method.y()[1] - std::cos(phase(10.0)));
    EXPECT_LE(error, 100.0 * tol);  // some hundred steps add up
    EXPECT_GE(error, 0.01 * tol);   // and no work is wasted
    EXPECT_EQ(method.counters().projections, 0);
    // Six evaluations per attempt, or twelve of order 8, and those of the start.
    EXPECT_LE(method.counters().evaluations,
              (tol < 1e-7 ? 12 : 6) * (method.counters().steps + method.counters().error_failures) + 3);
  }
}

// A jump of f at a step's end is seen from the step's own side: no step is rejected for it, and the motion is exact.
TEST(RungeKutta, sees_a_jump_at_the_end_of_a_step_from_its_own_side) {
  const Equation equation(1, [](double t, ConstVec, Vec yp) { yp[0] = t < 1.0 ? 2.0 : -3.0; });
  RungeKuttaOptions options;
  options.tolerances.rtol = options.tolerances.atol = 1e-10;
  RungeKutta method(equation, options);
  State state;
  ASSERT_TRUE(method.start(0.0, Eigen::VectorXd::Zero(1), state).ok());
  for (const double end : {1.0, 2.0})
    while (method.t() < end) ASSERT_TRUE(method.advance(end, state).status.ok());
  EXPECT_NEAR(method.y()[0], -1.0, 1e-14);
  EXPECT_EQ(method.counters().error_failures, 0);
}

TEST(RungeKutta, projects_accepted_points_and_interpolates_towards_them) {
  const Equation equation(2, turning, true);
  RungeKuttaOptions options;
  options.tolerances.rtol = options.tolerances.atol = 1e-3;
  RungeKutta method(equation, options);
  State state;
  ASSERT_TRUE(method.start(0.0, Eigen::Vector2d(0.0, 1.0), state).ok());
  Eigen::VectorXd end(2);
  while (method.t() < 5.0) {
    ASSERT_TRUE(method.advance(5.0, state).status.ok());
    EXPECT_NEAR(method.y().norm(), 1.0, 1e-15);
    method.interpolate(method.t(), end);
    EXPECT_LE((end - method.y()).norm(), 1e-14);
  }
  EXPECT_EQ(method.counters().projections, method.counters().steps);
}

TEST(RungeKutta, says_that_a_motion_is_stiff) {
  const Equation equation(1, [](double t, ConstVec y, Vec yp) { yp[0] = -1e4 * (y[0] - std::cos(t)); });
  RungeKutta method(equation, {});
  State state;
  ASSERT_TRUE(method.start(0.0, Eigen::VectorXd::Ones(1), state).ok());
  bool said = false;
  while (method.t() < 0.1) {
    const StepReport report = method.advance(0.1, state);
    ASSERT_TRUE(report.status.ok());
    said = said || report.remedy.find("stiff") != std::string_view::npos;
  }
  EXPECT_TRUE(said);
}

TEST(RungeKutta, retries_with_a_smaller_step_where_rates_do_not_exist_and_then_gives_up) {
  const Equation equation(1, [](double t, ConstVec, Vec yp) { yp[0] = -0.5 / std::sqrt(1.0 - t); });  // ends at t = 1
  RungeKuttaOptions options;
  options.hmin = 1e-10;
  RungeKutta method(equation, options);
  State state;
  ASSERT_TRUE(method.start(0.0, Eigen::VectorXd::Ones(1), state).ok());
  StepReport report;
  while (method.t() < 2.0 && report.status.ok()) report = method.advance(2.0, state);
  EXPECT_FALSE(report.status.ok());
  EXPECT_NEAR(method.t(), 1.0, 1e-6);
  EXPECT_GT(method.counters().evaluation_failures, 0);
}

TEST(RungeKutta, continues_with_the_same_bits_after_a_restart) {
  const Equation equation(2, turning);
  RungeKutta straight(equation, {}), resumed(equation, {});
  State state;
  ASSERT_TRUE(straight.start(0.0, Eigen::Vector2d(0.0, 1.0), state).ok());
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(straight.advance(5.0, state).status.ok());
  resumed.restore(straight.save());
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(straight.advance(5.0, state).status.ok());
    ASSERT_TRUE(resumed.advance(5.0, state).status.ok());
  }
  EXPECT_EQ(straight.t(), resumed.t());
  EXPECT_EQ(straight.y(), resumed.y());
}

}  // namespace
}  // namespace trammel::test_runge_kutta
