// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numbers>

#include "support/ivp_problems.h"
#include "trammel/integrators/bdf.h"
#include "trammel/integrators/events.h"
#include "trammel/integrators/radau.h"

// Zero crossings on the dense output, sought beside a method as anyone would who has equations of his own.

namespace trammel::test_events {
namespace {

using testing::Oscillator;
using testing::TemplateDae;

using Function = std::function<double(double t, const Eigen::VectorXd& y)>;
struct Watched {
  Crossing crossing = Crossing::both;
  Function g;
};

// A finder and the functions that it watches on a method's dense output.
class Watch {
 public:
  explicit Watch(std::vector<Watched> watched) : watched_(std::move(watched)) {
    std::vector<Crossing> wanted;
    for (const Watched& w : watched_) wanted.push_back(w.crossing);
    finder_.configure(std::move(wanted));
  }
  template <class Method>
  void start(const Method& method) {
    finder_.start(method.t(), [&](double t, Vec g) { evaluate(t, method.y(), g); });
  }
  template <class Method>
  const std::vector<EventHit>& find(const Method& method) {
    Eigen::VectorXd y = method.y(), yp = y;
    return finder_.find(method.t(), [&](double t, Vec g) {
      method.interpolate(t, y, yp);
      evaluate(t, y, g);
    });
  }

 private:
  void evaluate(double t, const Eigen::VectorXd& y, Vec g) const {
    for (std::size_t i = 0; i < watched_.size(); ++i) g[static_cast<Eigen::Index>(i)] = watched_[i].g(t, y);
  }
  std::vector<Watched> watched_;
  EventFinder finder_;
};

struct Log {
  std::vector<EventHit> hits;
  std::vector<double> step_ends;
};

template <class Method>
Method make_method(const DaeSystem& dae) {
  if constexpr (std::is_same_v<Method, Bdf>) {
    BdfOptions options;
    options.tolerances.rtol = options.tolerances.atol = 1e-9;
    return Bdf(dae, options);
  } else {
    RadauOptions options;
    options.tolerances.rtol = options.tolerances.atol = 1e-9;
    return Radau(dae, options);
  }
}

// x = cos t, v = −sin t.
template <class Method>
Log integrate(std::vector<Watched> watched, double t_end) {
  const TemplateDae<Oscillator> dae({1.0, 0.0}, {Kind::position, Kind::velocity});
  Method method = make_method<Method>(dae);
  State state;
  EXPECT_TRUE(method.start(0.0, Eigen::Vector2d(1.0, 0.0), Eigen::Vector2d(0.0, -1.0), state).ok());
  Watch watch(std::move(watched));
  watch.start(method);
  Log log;
  EXPECT_TRUE(method
                  .integrate(t_end, state,
                             [&](const auto& step) {
                               const std::vector<EventHit>& hits = watch.find(method);
                               log.hits.insert(log.hits.end(), hits.begin(), hits.end());
                               log.step_ends.push_back(step.t);
                             })
                  .status.ok());
  return log;
}

constexpr double pi = std::numbers::pi;
constexpr double solution_error = 1e-6;  // of x at the tolerance above over a few seconds

template <class Method>
class Events : public ::testing::Test {};
using Methods = ::testing::Types<Bdf, Radau>;
TYPED_TEST_SUITE(Events, Methods);

TYPED_TEST(Events, are_found_in_the_wanted_direction_at_the_right_time) {
  for (const Crossing crossing : {Crossing::rising, Crossing::falling, Crossing::both}) {
    const Log log = integrate<TypeParam>({{crossing, [](double, const auto& y) { return y[0]; }}}, 10.0);
    std::vector<double> expected;
    if (crossing != Crossing::rising) expected = {0.5 * pi, 2.5 * pi};
    if (crossing != Crossing::falling) expected.push_back(1.5 * pi);
    std::sort(expected.begin(), expected.end());
    ASSERT_EQ(log.hits.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(log.hits[i].t, expected[i], solution_error);
    EXPECT_EQ(log.hits[0].rising, crossing == Crossing::rising);
    EXPECT_EQ(log.step_ends.back(), 10.0);
  }
}

TYPED_TEST(Events, two_in_one_step_are_both_found_in_order) {
  // two functions, 1e-4 apart: steps are much longer
  const Log log = integrate<TypeParam>({{Crossing::both, [](double t, const auto&) { return t - 1.0001; }},
                                        {Crossing::both, [](double t, const auto&) { return t - 1.0; }}},
                                       2.0);
  ASSERT_EQ(log.hits.size(), 2u);
  EXPECT_EQ(log.hits[0].id, 1);
  EXPECT_NEAR(log.hits[0].t, 1.0, 1e-12);
  EXPECT_NEAR(log.hits[1].t, 1.0001, 1e-12);
}

TYPED_TEST(Events, two_crossings_of_one_function_within_a_step_are_found) {
  // a grazing dip of depth 1e-8, 2e-4 wide
  const auto dip = [](double t, const auto&) { return (t - 1.3) * (t - 1.3) - 1e-8; };
  const Log log = integrate<TypeParam>({{Crossing::both, dip}}, 2.0);
  ASSERT_EQ(log.hits.size(), 2u);
  EXPECT_FALSE(log.hits[0].rising);
  EXPECT_TRUE(log.hits[1].rising);
  EXPECT_NEAR(log.hits[0].t, 1.3 - 1e-4, 1e-9);
  EXPECT_NEAR(log.hits[1].t, 1.3 + 1e-4, 1e-9);
}

TYPED_TEST(Events, a_near_miss_is_none) {
  const auto miss = [](double t, const auto&) { return (t - 1.3) * (t - 1.3) + 1e-8; };
  EXPECT_TRUE(integrate<TypeParam>({{Crossing::both, miss}}, 2.0).hits.empty());
}

TYPED_TEST(Events, at_the_end_of_a_step_is_reported_once) {
  const Log undisturbed = integrate<TypeParam>({}, 2.0);
  const double at = undisturbed.step_ends[undisturbed.step_ends.size() / 2];
  const Log log = integrate<TypeParam>({{Crossing::both, [at](double t, const auto&) { return t - at; }}}, 2.0);
  ASSERT_EQ(log.hits.size(), 1u);
  EXPECT_EQ(log.hits[0].t, at);
  EXPECT_TRUE(log.hits[0].rising);
}

TYPED_TEST(Events, a_function_that_starts_at_zero_is_not_reported) {
  EXPECT_TRUE(integrate<TypeParam>({{Crossing::both, [](double t, const auto&) { return t; }}}, 1.0).hits.empty());
}

// A ball dropped from 1 m: y″ = −g, bouncing with e = 0.5.
struct Fall {
  template <class S>
  void operator()(const S&, const S* y, const S* yp, S* F) const {
    F[0] = yp[0] - y[1];
    F[1] = yp[1] + 9.81;
  }
};

TYPED_TEST(Events, may_change_the_unknowns_and_start_anew) {
  const TemplateDae<Fall> dae({}, {Kind::position, Kind::velocity});
  TypeParam method = make_method<TypeParam>(dae);
  State state;
  ASSERT_TRUE(method.start(0.0, Eigen::Vector2d(1.0, 0.0), Eigen::Vector2d(0.0, -9.81), state).ok());
  Watch watch({{Crossing::falling, [](double, const auto& y) { return y[0]; }}});
  watch.start(method);
  std::vector<double> bounces;
  while (method.t() < 1.1) {
    ASSERT_TRUE(method.advance(1.1, state).status.ok());
    const std::vector<EventHit>& hits = watch.find(method);
    if (hits.empty()) continue;
    bounces.push_back(hits[0].t);
    Eigen::VectorXd y(2), yp(2);
    method.interpolate(hits[0].t, y, yp);
    y[1] *= -0.5;
    yp[0] = y[1];
    ASSERT_TRUE(method.start(hits[0].t, y, yp, state).ok());
    watch.start(method);
  }
  const double g = 9.81, t1 = std::sqrt(2.0 / g), v1 = 0.5 * g * t1, t2 = t1 + 2.0 * v1 / g;
  ASSERT_EQ(bounces.size(), 2u);
  EXPECT_NEAR(bounces[0], t1, 1e-8);
  EXPECT_NEAR(bounces[1], t2, 1e-8);
  const double s = 1.1 - t2, v2 = 0.5 * v1;
  EXPECT_NEAR(method.y()[0], v2 * s - 0.5 * g * s * s, 1e-7);
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

// A formula may lose its value (a root of what became negative) and find it again: that is no crossing. One before it
// is.
TEST(EventFinder, a_function_that_ceases_to_have_a_value_crosses_nothing_by_that) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const auto find = [](const std::function<double(double)>& g) {
    EventFinder finder;
    finder.configure({Crossing::both});
    const EventFinder::Values values = [&](double t, Vec out) { out[0] = g(t); };
    finder.start(0.0, values);
    std::vector<double> found;
    for (int step = 1; step <= 7; ++step)
      for (const EventHit& hit : finder.find(step / 7.0, values)) found.push_back(hit.t);
    return found;
  };
  EXPECT_TRUE(find([](double t) { return std::sqrt(0.234 - t) - 7.0; }).empty());
  EXPECT_TRUE(find([](double t) { return 7.0 - std::sqrt(0.234 - t); }).empty());
  EXPECT_TRUE(find([&](double t) { return t < 0.3 ? none : t; }).empty());
  EXPECT_TRUE(find([&](double t) { return t > 0.3 && t < 0.8 ? none : 1.0 + t; }).empty());
  for (const double border : {0.301, 0.3334, 0.39}) {
    const std::vector<double> found = find([&](double t) { return std::sqrt(border - t) - 0.1; });
    ASSERT_EQ(found.size(), 1u) << border;
    EXPECT_NEAR(found[0], border - 0.01, 1e-12);
  }
}

TEST(BdfBreakpoints, of_inputs_are_met_exactly_and_cost_no_rejected_step) {
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
                              if (step.t > 1.0 && step.t < 1.01) failures_after += step.rejected_error;
                            })
                  .status.ok());
  EXPECT_TRUE(met);
  EXPECT_EQ(failures_after, 0);
  const double at_1 = std::exp(-1.0);
  EXPECT_NEAR(bdf.y()[0], 10.0 + (at_1 - 10.0) * std::exp(-1.0), 1e-4);
}

}  // namespace
}  // namespace trammel::test_events
