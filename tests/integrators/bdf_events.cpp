#include <gtest/gtest.h>

#include <numbers>

#include "support/ivp_problems.h"
#include "trammel/integrators/bdf.h"

// Zero crossings on the dense output.

namespace trammel::test_bdf_events {
namespace {

using testing::Oscillator;
using testing::TemplateDae;

// x = cos t, v = −sin t, and event functions given by the test.
class Watched : public TemplateDae<Oscillator> {
 public:
  using Function = std::function<double(double t, const Eigen::Ref<const Eigen::VectorXd>& y)>;
  Watched() : TemplateDae({1.0, 0.0}, {Kind::position, Kind::velocity}) {}
  void watch(EventKind kind, Function g) {
    kinds_.push_back(kind);
    functions_.push_back(std::move(g));
  }
  int n_events() const override { return static_cast<int>(kinds_.size()); }
  EventKind event_kind(int id) const override { return kinds_[id]; }
  void event_values(const Point& p, const State&, Vec g, Workspace&) const override {
    for (std::size_t i = 0; i < functions_.size(); ++i) g[static_cast<Eigen::Index>(i)] = functions_[i](p.t, p.y);
  }

 private:
  std::vector<EventKind> kinds_;
  std::vector<Function> functions_;
};

struct Log {
  std::vector<EventHit> hits;
  std::vector<double> step_ends;
  double t = 0.0;
};

Log integrate(const Watched& dae, double t_end, BdfOptions options = {}) {
  options.tolerances.rtol = options.tolerances.atol = 1e-9;
  Bdf bdf(dae, options);
  State state;
  EXPECT_TRUE(bdf.start(0.0, Eigen::Vector2d(1.0, 0.0), Eigen::Vector2d(0.0, -1.0), state).ok());
  Log log;
  bdf.integrate(t_end, state, [&](const BdfStep& step) {
    EXPECT_TRUE(step.status.ok());
    log.hits.insert(log.hits.end(), step.events.begin(), step.events.end());
    log.step_ends.push_back(step.t);
  });
  log.t = bdf.t();
  return log;
}

constexpr double pi = std::numbers::pi;
constexpr double solution_error = 1e-6;  // of x at the tolerance above over a few seconds

TEST(BdfEvents, are_found_in_the_wanted_direction_at_the_right_time) {
  for (const Crossing crossing : {Crossing::rising, Crossing::falling, Crossing::both}) {
    Watched dae;
    dae.watch({crossing, EventAction::record}, [](double, const auto& y) { return y[0]; });
    const Log log = integrate(dae, 10.0);
    std::vector<double> expected;
    if (crossing != Crossing::rising) expected = {0.5 * pi, 2.5 * pi};
    if (crossing != Crossing::falling) expected.push_back(1.5 * pi);
    std::sort(expected.begin(), expected.end());
    ASSERT_EQ(log.hits.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(log.hits[i].t, expected[i], solution_error);
    EXPECT_EQ(log.hits[0].rising, crossing == Crossing::rising);
    EXPECT_EQ(log.t, 10.0);
  }
}

TEST(BdfEvents, two_in_one_step_are_both_found_in_order) {
  Watched dae;  // two functions, 1e-4 apart: steps are much longer
  dae.watch({}, [](double t, const auto&) { return t - 1.0001; });
  dae.watch({}, [](double t, const auto&) { return t - 1.0; });
  const Log log = integrate(dae, 2.0);
  ASSERT_EQ(log.hits.size(), 2u);
  EXPECT_EQ(log.hits[0].id, 1);
  EXPECT_NEAR(log.hits[0].t, 1.0, 1e-12);
  EXPECT_NEAR(log.hits[1].t, 1.0001, 1e-12);
}

TEST(BdfEvents, two_crossings_of_one_function_within_a_step_are_found) {
  Watched dae;  // a grazing dip of depth 1e-8, 2e-4 wide
  dae.watch({}, [](double t, const auto&) { return (t - 1.3) * (t - 1.3) - 1e-8; });
  const Log log = integrate(dae, 2.0);
  ASSERT_EQ(log.hits.size(), 2u);
  EXPECT_FALSE(log.hits[0].rising);
  EXPECT_TRUE(log.hits[1].rising);
  EXPECT_NEAR(log.hits[0].t, 1.3 - 1e-4, 1e-9);
  EXPECT_NEAR(log.hits[1].t, 1.3 + 1e-4, 1e-9);
}

TEST(BdfEvents, a_near_miss_is_none) {
  Watched dae;
  dae.watch({}, [](double t, const auto&) { return (t - 1.3) * (t - 1.3) + 1e-8; });
  EXPECT_TRUE(integrate(dae, 2.0).hits.empty());
}

TEST(BdfEvents, at_the_end_of_a_step_is_reported_once) {
  Watched silent;
  silent.watch({}, [](double, const auto&) { return 1.0; });
  const Log undisturbed = integrate(silent, 2.0);
  const double at = undisturbed.step_ends[undisturbed.step_ends.size() / 2];
  Watched dae;
  dae.watch({}, [at](double t, const auto&) { return t - at; });
  const Log log = integrate(dae, 2.0);
  ASSERT_EQ(log.hits.size(), 1u);
  EXPECT_EQ(log.hits[0].t, at);
  EXPECT_TRUE(log.hits[0].rising);
}

TEST(BdfEvents, a_function_that_starts_at_zero_is_not_reported) {
  Watched dae;
  dae.watch({}, [](double t, const auto&) { return t; });
  EXPECT_TRUE(integrate(dae, 1.0).hits.empty());
}

TEST(BdfEvents, can_stop_the_integration_at_their_instant) {
  Watched dae;
  dae.watch({Crossing::falling, EventAction::stop}, [](double, const auto& y) { return y[0]; });
  dae.watch({}, [](double t, const auto&) { return t - 1.5709; });  // a little later: must not be reported
  BdfOptions options;
  options.tolerances.rtol = options.tolerances.atol = 1e-9;
  Bdf bdf(dae, options);
  State state;
  ASSERT_TRUE(bdf.start(0.0, Eigen::Vector2d(1.0, 0.0), Eigen::Vector2d(0.0, -1.0), state).ok());
  const BdfStep last = bdf.integrate(10.0, state);
  EXPECT_TRUE(last.stopped_by_event);
  ASSERT_EQ(last.events.size(), 1u);
  EXPECT_NEAR(bdf.t(), 0.5 * pi, solution_error);
  EXPECT_NEAR(bdf.y()[0], 0.0, 1e-12);
  EXPECT_NEAR(bdf.y()[1], -1.0, solution_error);
  // And it can go on: to the next one, which is one turn later.
  EXPECT_TRUE(bdf.integrate(10.0, state).stopped_by_event);
  EXPECT_NEAR(bdf.t(), 2.5 * pi, 1e-5);
}

// A ball dropped from 1 m: y″ = −g, bouncing with e = 0.5. Bounces at t₁ = √(2/g), t₁ + v₁/g·…
struct Fall {
  template <class S>
  void operator()(const S&, const S* y, const S* yp, S* F) const {
    F[0] = yp[0] - y[1];
    F[1] = yp[1] + 9.81;
  }
};

class Ball : public TemplateDae<Fall> {
 public:
  Ball() : TemplateDae({}, {Kind::position, Kind::velocity}) {}
  int n_events() const override { return 1; }
  EventKind event_kind(int) const override { return {Crossing::falling, EventAction::restart}; }
  void event_values(const Point& p, const State&, Vec g, Workspace&) const override { g[0] = p.y[0]; }
  Status apply_event(int, double, State& state, Vec y, Vec yp, Workspace&) const override {
    y[1] *= -0.5;
    yp[0] = y[1];
    state.modes.push_back(1);
    return Status::success();
  }
};

TEST(BdfEvents, can_change_the_state_and_restart) {
  const Ball dae;
  BdfOptions options;
  options.tolerances.rtol = options.tolerances.atol = 1e-9;
  Bdf bdf(dae, options);
  State state;
  ASSERT_TRUE(bdf.start(0.0, Eigen::Vector2d(1.0, 0.0), Eigen::Vector2d(0.0, -9.81), state).ok());
  std::vector<double> bounces;
  int restarts = 0;
  const BdfStep last = bdf.integrate(1.1, state, [&](const BdfStep& step) {
    for (const EventHit& hit : step.events) bounces.push_back(hit.t);
    restarts += step.restarted;
  });
  ASSERT_TRUE(last.status.ok());
  const double g = 9.81, t1 = std::sqrt(2.0 / g), v1 = 0.5 * g * t1, t2 = t1 + 2.0 * v1 / g;
  ASSERT_EQ(bounces.size(), 2u);
  EXPECT_NEAR(bounces[0], t1, 1e-8);
  EXPECT_NEAR(bounces[1], t2, 1e-8);
  EXPECT_EQ(state.modes.size(), 2u);
  EXPECT_EQ(restarts, 3);  // the start and two bounces
  const double s = 1.1 - t2, v2 = 0.5 * v1;
  EXPECT_NEAR(bdf.y()[0], v2 * s - 0.5 * g * s * s, 1e-7);
}

// An input with a kink: no step passes it and integration restarts there.
struct Kinked {
  template <class S>
  void operator()(const S& t, const S* y, const S* yp, S* F) const {
    F[0] = yp[0] + y[0] - (value_of(t) < 1.0 ? 0.0 : 10.0);
  }
};
class WithBreakpoint : public TemplateDae<Kinked> {
 public:
  WithBreakpoint() : TemplateDae({}, {Kind::internal}) {}
  double next_breakpoint(double t) const override { return t < 1.0 ? 1.0 : std::numeric_limits<double>::infinity(); }
  Status make_consistent(double t, State&, Vec y, Vec yp, Workspace&) const override {
    yp[0] = -y[0] + (t < 1.0 ? 0.0 : 10.0);
    return Status::success();
  }
};

TEST(BdfEvents, breakpoints_of_inputs_are_met_exactly_and_cost_no_rejected_step) {
  const WithBreakpoint dae;
  BdfOptions options;
  options.tolerances.rtol = options.tolerances.atol = 1e-6;
  Bdf bdf(dae, options);
  State state;
  ASSERT_TRUE(bdf.start(0.0, Eigen::VectorXd::Ones(1), -Eigen::VectorXd::Ones(1), state).ok());
  bool met = false;
  long failures_after = 0;
  ASSERT_TRUE(bdf.integrate(2.0, state,
                            [&](const BdfStep& step) {
                              met = met || step.t == 1.0;
                              if (step.t > 1.0 && step.t < 1.01) failures_after += step.error_failures;
                            })
                  .status.ok());
  EXPECT_TRUE(met);
  EXPECT_EQ(failures_after, 0);
  const double at_1 = std::exp(-1.0);
  EXPECT_NEAR(bdf.y()[0], 10.0 + (at_1 - 10.0) * std::exp(-1.0), 1e-4);
}

}  // namespace
}  // namespace trammel::test_bdf_events
