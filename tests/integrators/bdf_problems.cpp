// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/ivp_problems.h"
#include "trammel/integrators/bdf.h"

// Achieved error against tolerance on published problems; references in quadruple precision.

namespace trammel::test_bdf_problems {
namespace {

using testing::Form;
using testing::MechanismDae;
using testing::TemplateDae;

struct Achieved {
  BdfCounters counters;
  double mean_order = 0.0;
  long lowered = 0;
  Eigen::VectorXd y;
};

// Positions and velocities are tested; `velocity_scale` is the ratio of their absolute tolerances.
template <class M>
Achieved run(Form form, double tol, double velocity_scale, BdfOptions options = {}) {
  const MechanismDae<M> dae(form);
  options.tolerances.rtol = tol;
  options.tolerances.set(Kind::position, tol, tol);
  options.tolerances.set(Kind::velocity, tol, tol * velocity_scale);
  options.corrector = Corrector::modified;
  Bdf bdf(dae, options, LinearSolverKind::dense);
  State state;
  EXPECT_TRUE(bdf.start(0.0, dae.y0, dae.yp0, state).ok());
  Achieved result;
  const BdfStep last = bdf.integrate(M::t_end, state, [&](const BdfStep& step) { result.mean_order += step.order; });
  EXPECT_TRUE(last.status.ok()) << describe(last.status.cause);
  EXPECT_EQ(bdf.t(), M::t_end);
  result.counters = bdf.counters();
  result.mean_order /= static_cast<double>(bdf.counters().steps);
  result.lowered = bdf.counters().orders_lowered;
  result.y = bdf.y();
  return result;
}

template <class M>
double position_error(const Achieved& r, int first = 0) {
  const Eigen::VectorXd reference = M::reference();
  const int n = std::min<int>(M::np - first, static_cast<int>(reference.size()));
  return (r.y.segment(first, n) - reference.head(n)).template lpNorm<Eigen::Infinity>();
}

// At one instant an error can happen to be small: it is held against the tolerance, not against the one before.
TEST(BdfProblems, andrews_gains_digits_with_the_tolerance) {
  for (const double tol : {1e-4, 1e-6, 1e-8, 1e-10}) {
    const Achieved r = run<testing::Andrews>(Form::stabilized_index2, tol, 1e3);
    const double error = position_error<testing::Andrews>(r) / 15.8;  // relative to the crank's angle
    EXPECT_LT(error, 100.0 * tol) << tol;
    EXPECT_EQ(r.lowered, 0) << "no stability limit here";
    if (tol < 1e-7) {
      EXPECT_GT(r.mean_order, 4.5);
    }
  }
}

TEST(BdfProblems, car_axis_gains_digits_with_the_tolerance) {
  double before = 1.0;
  for (const double tol : {1e-4, 1e-6, 1e-8, 1e-10}) {
    const Achieved r = run<testing::CarAxis>(Form::stabilized_index2, tol, 1.0);
    const double error = position_error<testing::CarAxis>(r);
    EXPECT_LT(error, 0.3 * before) << tol;
    before = error;
    EXPECT_EQ(r.lowered, 0);
  }
  EXPECT_LT(before, 1e-7);
}

TEST(BdfProblems, slider_crank_in_index2_form_gains_digits_with_the_tolerance) {
  double before = 1.0;
  for (const double tol : {1e-4, 1e-6, 1e-8, 1e-10}) {
    const Achieved r = run<testing::FlexibleSliderCrank>(Form::index2, tol, 1.0);
    const double error = position_error<testing::FlexibleSliderCrank>(r, 1);
    EXPECT_LT(error, 0.3 * before) << tol;
    before = error;
  }
  EXPECT_LT(before, 1e-8);
}

class PendulumForms : public ::testing::TestWithParam<Form> {};

// In index 3 only positions can be in the error test: velocities have a local error one order lower.
TEST_P(PendulumForms, gain_digits_with_the_tolerance) {
  const Form form = GetParam();
  double before = 1.0;
  for (const double tol : {1e-4, 1e-6, 1e-8, 1e-10}) {
    const Achieved r = run<testing::PlainPendulum>(form, tol, form == Form::index3 ? 1e12 : 1.0);
    const double error = position_error<testing::PlainPendulum>(r);
    EXPECT_LT(error, before) << tol;  // at one instant an error can happen to be small
    before = error;
  }
  EXPECT_LT(before, form == Form::index3 ? 1e-6 : 1e-8);
}
INSTANTIATE_TEST_SUITE_P(All, PendulumForms,
                         ::testing::Values(Form::index3, Form::index2, Form::index1, Form::stabilized_index2,
                                           Form::stabilized_index1));

// What a new matrix shows of its rate is not believed in later steps: corrections that were left out fail error tests.
TEST(BdfProblems, take_fewer_steps_when_no_matrix_is_believed_to_stay_new) {
  BdfOptions believing, presuming;
  believing.guards_multipliers = presuming.guards_multipliers = false;  // which asks for a second look as well
  believing.presumes_rate = false;
  long steps = 0, steps_believing = 0;
  for (const double tol : {1e-4, 1e-5, 1e-6, 1e-7}) {
    steps += run<testing::Andrews>(Form::stabilized_index2, tol, 1e3, presuming).counters.steps;
    steps_believing += run<testing::Andrews>(Form::stabilized_index2, tol, 1e3, believing).counters.steps;
  }
  EXPECT_LT(static_cast<double>(steps), 0.9 * static_cast<double>(steps_believing));
}

// Residuals of SUNDIALS IDA 6.4 on the same equations, tolerances and Jacobians: algebraic variables suppressed,
// multipliers out of Newton's norm, maximal order 5. Recorded with `./dev bench peers counts`. Ours looks twice where
// multipliers moved, for the sake of reactions: the slider crank at 1e-4 takes 1.33 times as many,
// the others up to 1.28 times.
struct IdaCount {
  double tol;
  long residuals;
};
template <class M>
void expect_within_ida(const char* name, Form form, double velocity_scale, std::initializer_list<IdaCount> ida) {
  for (const auto& [tol, residuals] : ida)
    EXPECT_LE(static_cast<double>(run<M>(form, tol, velocity_scale).counters.residuals),
              1.35 * static_cast<double>(residuals))
        << name << " at " << tol;
}

TEST(BdfProblems, need_at_most_1_35_times_the_residuals_of_ida) {
  expect_within_ida<testing::Andrews>("Andrews", Form::stabilized_index2, 1e3,
                                      {{1e-4, 349}, {1e-6, 925}, {1e-8, 2051}, {1e-10, 3874}});
  expect_within_ida<testing::CarAxis>("car axis", Form::stabilized_index2, 1.0,
                                      {{1e-4, 1311}, {1e-6, 2496}, {1e-8, 4781}, {1e-10, 8381}});
  expect_within_ida<testing::FlexibleSliderCrank>("slider crank", Form::index2, 1.0,
                                                  {{1e-4, 2111}, {1e-6, 8367}, {1e-8, 13263}, {1e-10, 27577}});
  expect_within_ida<testing::PlainPendulum>("pendulum", Form::stabilized_index2, 1.0,
                                            {{1e-4, 47}, {1e-6, 102}, {1e-8, 210}, {1e-10, 397}});
}

// The multiplier of the stabilized forms is that of the exact motion: λ = v² − g y for the unit pendulum.
TEST(BdfProblems, stabilized_forms_deliver_the_multiplier) {
  const Achieved r = run<testing::PlainPendulum>(Form::stabilized_index2, 1e-8, 1.0);
  EXPECT_NEAR(r.y[4], testing::PlainPendulum::reference()[4], 1e-5);
  EXPECT_NEAR(r.y[5], 0.0, 1e-6);  // μ
}

// ---- the stiff scalar equation
// ---------------------------------------------------------------------------------------

// h and order of the first 40 steps with DASSL's constants beside IDA's (`./dev bench peers first_steps`). IDA does not
// double after its very first step, DASSL does: from IDA's third step on the sequences are the same, one step apart.
// The fourth digit of a step that was chosen from an error estimate differs, most likely because IDA presumes Newton's
// rate to be 20 where DASSL presumes 100: its iterates end with another remainder.
TEST(BdfStart, first_steps_with_the_constants_of_dassl_are_those_of_ida) {
  const TemplateDae dae(testing::StiffScalar{}, {Kind::internal});
  BdfOptions options = BdfOptions::dassl();
  options.h0 = 1e-6;
  options.tolerances.rtol = options.tolerances.atol = 1e-5;
  Bdf bdf(dae, options);
  State state;
  const Eigen::VectorXd y = Eigen::VectorXd::Zero(1), yp = Eigen::VectorXd::Constant(1, 1000.0);
  ASSERT_TRUE(bdf.start(0.0, y, yp, state).ok());
  struct Record {
    double h;
    int order;
  };
  // IDA's steps 1, 3, 4, …, 41; our step 27 after one rejected attempt has h = 1.4002e-4.
  std::vector<Record> ida{{1e-6, 1}, {2e-6, 2}, {4e-6, 3}, {4e-6, 2}, {8e-6, 2}, {8e-6, 2}};
  ida.insert(ida.end(), 4, {16e-6, 2});
  ida.insert(ida.end(), 3, {32e-6, 3});
  ida.push_back({64e-6, 3});
  ida.insert(ida.end(), 5, {57.6e-6, 3});
  ida.insert(ida.end(), 7, {115.2e-6, 4});
  ida.insert(ida.end(), 12, {140.05e-6, 4});
  ida.insert(ida.end(), 2, {140.05e-6, 3});
  ASSERT_EQ(ida.size(), 40u);
  for (std::size_t i = 0; i < ida.size(); ++i) {
    const BdfStep step = bdf.advance(10.0, state);
    ASSERT_TRUE(step.status.ok());
    EXPECT_EQ(step.order, ida[i].order) << i;
    EXPECT_NEAR(step.h, ida[i].h, 5e-4 * ida[i].h) << i;
  }
}

TEST(BdfStart, automatic_first_step_keeps_the_first_change_within_half_the_tolerance) {
  const TemplateDae dae(testing::StiffScalar{}, {Kind::internal});
  BdfOptions options;
  options.tolerances.rtol = 0.0;
  options.tolerances.atol = 1e-5;
  Bdf bdf(dae, options);
  State state;
  ASSERT_TRUE(bdf.start(0.0, Eigen::VectorXd::Zero(1), Eigen::VectorXd::Constant(1, 1000.0), state).ok());
  EXPECT_NEAR(bdf.advance(10.0, state).h, 0.5 * 1e-5 / 1000.0, 1e-20);
}

TEST(Bdf, follows_a_stiff_equation_in_few_steps) {
  const TemplateDae dae(testing::StiffScalar{}, {Kind::internal});
  BdfOptions options;
  options.tolerances.rtol = options.tolerances.atol = 1e-5;
  Bdf bdf(dae, options);
  State state;
  ASSERT_TRUE(bdf.start(0.0, Eigen::VectorXd::Zero(1), Eigen::VectorXd::Constant(1, 1000.0), state).ok());
  ASSERT_TRUE(bdf.integrate(10.0, state).status.ok());
  EXPECT_NEAR(bdf.y()[0], testing::StiffScalar::exact(10.0), 1e-4);
  EXPECT_LT(bdf.counters().steps, 200);  // an explicit method needs h < 2e-3: 5000
}

// Dense output has the accuracy of the steps.
TEST(Bdf, interpolates_within_a_step_as_accurately_as_at_its_end) {
  const TemplateDae dae(testing::Oscillator{1.0, 0.0}, {Kind::position, Kind::velocity});
  BdfOptions options;
  options.tolerances.rtol = options.tolerances.atol = 1e-8;
  Bdf bdf(dae, options);
  State state;
  ASSERT_TRUE(bdf.start(0.0, Eigen::Vector2d(1.0, 0.0), Eigen::Vector2d(0.0, -1.0), state).ok());
  double worst_end = 0.0, worst_inside = 0.0;
  Eigen::VectorXd y(2), yp(2);
  while (bdf.t() < 10.0) {
    const BdfStep step = bdf.advance(10.0, state);
    ASSERT_TRUE(step.status.ok());
    worst_end = std::max(worst_end, std::abs(bdf.y()[0] - std::cos(bdf.t())));
    for (const double part : {0.25, 0.5, 0.75}) {
      const double t = step.t - part * step.h;
      bdf.interpolate(t, y, yp);
      worst_inside = std::max(worst_inside, std::abs(y[0] - std::cos(t)));
    }
  }
  EXPECT_LT(worst_end, 1e-5);
  EXPECT_LT(worst_inside, 2.0 * worst_end);
}

TEST(Bdf, obeys_the_largest_step_and_order) {
  const TemplateDae dae(testing::StiffScalar{}, {Kind::internal});
  BdfOptions options;
  options.hmax = 0.01;
  options.max_order = 3;
  Bdf bdf(dae, options);
  State state;
  ASSERT_TRUE(bdf.start(0.0, Eigen::VectorXd::Zero(1), Eigen::VectorXd::Constant(1, 1000.0), state).ok());
  double h = 0.0;
  int k = 0;
  bdf.integrate(5.0, state, [&](const BdfStep& step) {
    h = std::max(h, step.h);
    k = std::max(k, step.order);
  });
  EXPECT_NEAR(h, 0.01, 1e-15);
  EXPECT_EQ(k, 3);
}

// The matrix by difference quotients serves as well as the exact one.
class ByDifferences : public MechanismDae<testing::Andrews> {
 public:
  using MechanismDae::MechanismDae;
  Status linearize(const Point& p, const State& state, Planes& planes, Workspace& workspace) const override {
    return DaeSystem::linearize(p, state, planes, workspace);
  }
};

TEST(Bdf, needs_no_jacobian_from_the_user) {
  const ByDifferences dae(Form::stabilized_index2);
  BdfOptions options;
  options.corrector = Corrector::modified;
  options.tolerances.set(Kind::position, 1e-6, 1e-6);
  options.tolerances.set(Kind::velocity, 1e-6, 1e-3);
  Bdf bdf(dae, options);
  State state;
  ASSERT_TRUE(bdf.start(0.0, dae.y0, dae.yp0, state).ok());
  ASSERT_TRUE(bdf.integrate(0.03, state).status.ok());
  const Achieved exact = run<testing::Andrews>(Form::stabilized_index2, 1e-6, 1e3);
  EXPECT_NEAR(static_cast<double>(bdf.counters().steps), static_cast<double>(exact.counters.steps),
              0.2 * static_cast<double>(exact.counters.steps));
}

// A matrix in every step by pattern: the letters say before which iterations.
TEST(Bdf, evaluates_jacobians_by_pattern) {
  const TemplateDae dae(testing::Oscillator{1.0, 0.0}, {Kind::position, Kind::velocity});
  BdfOptions options;
  options.jacobian_pattern = "TFFF";
  Bdf bdf(dae, options);
  State state;
  ASSERT_TRUE(bdf.start(0.0, Eigen::Vector2d(1.0, 0.0), Eigen::Vector2d(0.0, -1.0), state).ok());
  long attempts = 0;
  bdf.integrate(2.0, state, [&](const BdfStep& step) { attempts += 1 + step.rejected_error + step.rejected_newton; });
  EXPECT_EQ(bdf.counters().linearizations, attempts);
}

// A system may ask for a new matrix by its own measure.
class AgesByTime : public TemplateDae<testing::Oscillator> {
 public:
  AgesByTime() : TemplateDae({1.0, 0.0}, {Kind::position, Kind::velocity}) {}
  Status linearize(const Point& p, const State& state, Planes& planes, Workspace& workspace) const override {
    linearized_at = p.t;
    return TemplateDae::linearize(p, state, planes, workspace);
  }
  bool matrix_outdated(const Point& p, const State&, const Workspace&) const override {
    return p.t - linearized_at > 0.5;
  }
  mutable double linearized_at = 0.0;
};

TEST(Bdf, renews_the_matrix_when_the_system_asks_for_it) {
  const AgesByTime dae;
  BdfOptions options;
  options.fixed_h = 0.05;
  options.max_order = 2;
  Bdf bdf(dae, options);
  State state;
  ASSERT_TRUE(bdf.start(0.0, Eigen::Vector2d(1.0, 0.0), Eigen::Vector2d(0.0, -1.0), state).ok());
  ASSERT_TRUE(bdf.integrate(10.0, state).status.ok());
  EXPECT_NEAR(static_cast<double>(bdf.counters().linearizations), 10.0 / 0.55, 3.0);  // every eleventh step
}

TEST(BdfOptions, that_make_no_sense_are_refused_together) {
  BdfOptions options;
  options.max_order = 7;
  options.hmin = 1.0;
  options.hmax = 0.5;
  options.newton_constant = 2.0;
  options.jacobian_pattern = "FX";
  const TemplateDae dae(testing::StiffScalar{}, {Kind::internal});
  EXPECT_EQ(options.issues(dae.layout()).size(), 5u);
  EXPECT_THROW(Bdf(dae, options), InputError);
}

}  // namespace
}  // namespace trammel::test_bdf_problems
