// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/ivp_problems.h"
#include "trammel/integrators/bdf.h"

// What happens when a step does not succeed: each rung of the ladder has a problem that needs exactly it, and each
// cause is named with its row or unknown.

namespace trammel::test_bdf_failures {
namespace {

using testing::TemplateDae;

Eigen::VectorXd vector(std::initializer_list<double> values) {
  Eigen::VectorXd x(static_cast<Eigen::Index>(values.size()));
  std::copy(values.begin(), values.end(), x.begin());
  return x;
}

struct Report {
  BdfStep last;
  Rung worst = Rung::none;
  BdfCounters counters;
  double t = 0.0;
  Corrector corrector = Corrector::classical;
};

Report integrate(const DaeSystem& dae, const Eigen::VectorXd& y, const Eigen::VectorXd& yp, double t_end,
                 BdfOptions options = {}) {
  Bdf bdf(dae, options);
  State state;
  EXPECT_TRUE(bdf.start(0.0, y, yp, state).ok());
  Report report;
  report.last =
      bdf.integrate(t_end, state, [&](const BdfStep& step) { report.worst = std::max(report.worst, step.rung); });
  report.counters = bdf.counters();
  report.t = bdf.t();
  report.corrector = bdf.corrector();
  return report;
}

// ---- the ladder
// ------------------------------------------------------------------------------------------------------

// y′ = −k(t) (y − 1) with a stiffness that jumps by 10⁴ while y stays at rest: the old matrix is far off, a new one
// right.
struct Stiffening {
  template <class S>
  void operator()(const S& t, const S* y, const S* yp, S* F) const {
    const double k = value_of(t) < 1.0 ? 1.0 : 1e4;
    F[0] = yp[0] + k * (y[0] - 1.0 - 1e-3 * t);
  }
};

TEST(BdfLadder, a_fresh_matrix_is_enough_when_the_stiffness_jumps) {
  const TemplateDae dae(Stiffening{}, {Kind::internal});
  BdfOptions options;
  options.tolerances.rtol = options.tolerances.atol = 1e-2;
  options.hmax = 0.1;
  const Report report = integrate(dae, vector({1.0}), vector({0.0}), 2.0, options);
  EXPECT_TRUE(report.last.status.ok());
  EXPECT_EQ(report.worst, Rung::fresh_matrix);
  EXPECT_EQ(report.counters.convergence_failures, 0);
}

// √y with y falling towards 0.01: a long step predicts y < 0, where the law is not defined.
class Draining : public TemplateDae<testing::Oscillator> {
 public:
  Draining() : TemplateDae({}, {Kind::internal, Kind::internal}) {}
  Status residual(const Point& p, const State&, Vec F, Workspace&) const override {
    if (p.y[0] < 0.0) return Status::recoverable(Cause::outside_domain, 0);
    F[0] = p.yp[0] + std::sqrt(p.y[0]) - 0.1;
    F[1] = p.yp[1] + p.y[1];
    return Status::success();
  }
  Status linearize(const Point& p, const State& state, Planes& planes, Workspace& workspace) const override {
    return DaeSystem::linearize(p, state, planes, workspace);
  }
};

TEST(BdfLadder, a_smaller_step_stays_within_the_domain_of_a_law) {
  const Draining dae;
  BdfOptions options;
  options.tolerances.rtol = options.tolerances.atol = 0.3;
  options.h0 = 3.0;
  const Report report = integrate(dae, vector({1.0, 0.0}), vector({-0.9, 0.0}), 5.0, options);
  EXPECT_TRUE(report.last.status.ok());
  EXPECT_EQ(report.worst, Rung::smaller_step);
  EXPECT_GT(report.counters.convergence_failures, 0);
}

// An algebraic unknown that must jump: from z = −1 Newton for atan(20 (z − 1)) = 0 diverges whatever the step; only new
// consistent values help.
class Snapping : public TemplateDae<testing::Oscillator> {
 public:
  Snapping() : TemplateDae({}, {Kind::internal, Kind::algebraic}) {}
  static double target(double t) { return t < 1.0 ? -1.0 : 1.0; }
  Status residual(const Point& p, const State&, Vec F, Workspace&) const override {
    F[0] = p.yp[0] - 1.0;
    F[1] = std::atan(20.0 * (p.y[1] - target(p.t)));
    return Status::success();
  }
  Status linearize(const Point& p, const State& state, Planes& planes, Workspace& workspace) const override {
    return DaeSystem::linearize(p, state, planes, workspace);
  }
  Status make_consistent(double, State&, Vec y, Vec, Workspace&) const override {
    y[1] = 1.0;
    return Status::success();
  }
};

TEST(BdfLadder, a_restart_from_consistent_values_gets_over_a_jump) {
  const Snapping dae;
  const Report report = integrate(dae, vector({0.0, -1.0}), vector({1.0, 0.0}), 2.0);
  EXPECT_TRUE(report.last.status.ok());
  EXPECT_EQ(report.worst, Rung::restart);
  BdfOptions without;
  without.restarts = without.relaxes_corrector = false;
  const Report stopped = integrate(dae, vector({0.0, -1.0}), vector({1.0, 0.0}), 2.0, without);
  EXPECT_FALSE(stopped.last.status.ok());
  EXPECT_NEAR(stopped.t, 1.0, 1e-3);
}

// A multiplier with a rough law, λ = 1 + 10⁻³ {10⁶ λ + 0.37} ({·}: fractional part): corrections never fall below the
// roughness, 10² tolerances.
class Rough : public TemplateDae<testing::Oscillator> {
 public:
  Rough() : TemplateDae({}, {Kind::internal, Kind::multiplier}) {}
  Status residual(const Point& p, const State&, Vec F, Workspace&) const override {
    const double scaled = 1e6 * p.y[1] + 0.37;
    F[0] = p.yp[0] - 1.0;
    F[1] = p.y[1] - 1.0 - (p.t > 1.0 ? 1e-3 * (scaled - std::floor(scaled)) : 0.0);
    return Status::success();
  }
  Status linearize(const Point&, const State&, Planes& planes, Workspace&) const override {
    planes.set_zero();
    planes.add(1, 0, 0, 1.0);
    planes.add(0, 1, 1, 1.0);
    return Status::success();
  }
};

TEST(BdfLadder, the_modified_corrector_forgives_a_rough_multiplier) {
  const Rough dae;
  BdfOptions options;
  options.tolerances.rtol = options.tolerances.atol = 1e-5;
  const Report report = integrate(dae, vector({0.0, 1.0}), vector({1.0, 0.0}), 2.0, options);
  EXPECT_TRUE(report.last.status.ok());
  EXPECT_EQ(report.worst, Rung::modified_corrector);
  EXPECT_EQ(report.corrector, Corrector::modified);
  options.corrector = Corrector::modified;
  EXPECT_LT(integrate(dae, vector({0.0, 1.0}), vector({1.0, 0.0}), 2.0, options).worst, Rung::restart);
}

// ---- diagnoses
// -------------------------------------------------------------------------------------------------------

class NotANumber : public TemplateDae<testing::Oscillator> {
 public:
  NotANumber() : TemplateDae({}, {Kind::position, Kind::velocity}) {}
  Status residual(const Point& p, const State& state, Vec F, Workspace& workspace) const override {
    const Status status = TemplateDae::residual(p, state, F, workspace);
    if (p.t > 0.5) F[1] = std::nan("");
    return status;
  }
};

TEST(BdfDiagnosis, a_residual_that_is_not_a_number_is_named_by_its_row) {
  const NotANumber dae;
  const Report report = integrate(dae, vector({1.0, 0.0}), vector({0.0, -1.0}), 1.0);
  EXPECT_EQ(report.last.status.cause, Cause::not_finite);
  EXPECT_EQ(report.last.status.row, 1);
  EXPECT_LE(report.t, 0.5);
  EXPECT_GT(report.t, 0.4);  // everything up to there is kept
}

TEST(BdfDiagnosis, a_tolerance_finer_than_the_arithmetic_is_refused_with_the_unknown) {
  const TemplateDae dae(testing::Oscillator{1.0, 0.0}, {Kind::position, Kind::velocity});
  BdfOptions options;
  options.tolerances.rtol = 0.0;
  options.tolerances.atol = 1e-15;
  const Report report = integrate(dae, vector({0.0, 100.0}), vector({100.0, 0.0}), 1.0, options);
  EXPECT_EQ(report.last.status.cause, Cause::impossible_tolerance);
  EXPECT_EQ(report.last.status.row, 1);
  EXPECT_EQ(report.t, 0.0);
}

struct Unconnected {
  template <class S>
  void operator()(const S&, const S* y, const S* yp, S* F) const {
    F[0] = yp[0] + y[0];
    F[1] = y[0] - y[0];  // the multiplier appears nowhere
  }
};

TEST(BdfDiagnosis, a_singular_matrix_is_named_by_its_unknown) {
  const TemplateDae dae(Unconnected{}, {Kind::internal, Kind::multiplier});
  const Report report = integrate(dae, vector({1.0, 0.0}), vector({-1.0, 0.0}), 1.0);
  EXPECT_EQ(report.last.status.cause, Cause::singular_matrix);
  EXPECT_EQ(report.last.status.row, 1);
}

TEST(BdfDiagnosis, a_fatal_status_of_the_system_stops_at_once) {
  class Stopping : public TemplateDae<testing::Oscillator> {
   public:
    Stopping() : TemplateDae({1.0, 0.0}, {Kind::position, Kind::velocity}) {}
    Status residual(const Point& p, const State& state, Vec F, Workspace& workspace) const override {
      if (p.t > 0.5) return Status::fatal(Cause::user_stop);
      return TemplateDae::residual(p, state, F, workspace);
    }
  };
  const Stopping dae;
  const Report report = integrate(dae, vector({1.0, 0.0}), vector({0.0, -1.0}), 1.0);
  EXPECT_EQ(report.last.status.cause, Cause::user_stop);
  EXPECT_EQ(report.last.rejected_newton, 0);
}

TEST(BdfDiagnosis, a_step_that_needs_less_than_the_smallest_one_stops_with_its_reason) {
  const TemplateDae dae(testing::StiffScalar{}, {Kind::internal});
  BdfOptions options;
  options.hmin = 1e-3;  // the transient needs 1e-6
  options.h0 = 1e-2;
  options.tolerances.rtol = options.tolerances.atol = 1e-8;
  const Report report = integrate(dae, vector({0.0}), vector({1000.0}), 1.0, options);
  EXPECT_EQ(report.last.status.cause, Cause::error_test);
  EXPECT_EQ(report.t, 0.0);
}

}  // namespace
}  // namespace trammel::test_bdf_failures
