#include <gtest/gtest.h>

#include "support/ivp_problems.h"
#include "trammel/integrators/bdf.h"
#include "trammel/math/chart.h"

// Save and restore, and charts under a moving history.

namespace trammel {
namespace {

using testing::Form;
using testing::MechanismDae;

BdfOptions andrews_options() {
  BdfOptions options;
  options.corrector = Corrector::modified;
  options.tolerances.set(Kind::position, 1e-6, 1e-6);
  options.tolerances.set(Kind::velocity, 1e-6, 1e-3);
  return options;
}

TEST(BdfMemory, continues_bit_by_bit_after_save_and_restore) {
  const MechanismDae<testing::Andrews> dae(Form::stabilized_index2);
  Bdf first(dae, andrews_options());
  State state;
  ASSERT_TRUE(first.start(0.0, dae.y0, dae.yp0, state).ok());
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(first.advance(0.03, state).status.ok());
  const std::vector<double> saved = first.save();
  State copy = State::from_numbers(state.to_numbers());

  Bdf second(dae, andrews_options());
  second.restore(saved);
  for (int i = 0; i < 50; ++i) {
    const BdfStep a = first.advance(0.03, state), b = second.advance(0.03, copy);
    ASSERT_TRUE(a.status.ok());
    EXPECT_EQ(a.h, b.h);
    EXPECT_EQ(a.order, b.order);
    EXPECT_EQ(a.iterations, b.iterations);
    ASSERT_EQ(first.y(), second.y()) << "step " << i;
  }
}

// ---- charts
// ----------------------------------------------------------------------------------------------------------

// A free rigid body, J = (1, 2, 3): J_r(θ) θ̇ = ω, J ω̇ + ω × Jω = 0 with θ in a chart that moves.
class FreeBody : public DaeSystem {
 public:
  explicit FreeBody(double threshold) : threshold_(threshold) {
    std::vector<Kind> kinds(6, Kind::velocity);
    std::fill(kinds.begin(), kinds.begin() + 3, Kind::rotation);
    layout_ = numbered_layout(kinds);
  }
  const Layout& layout() const override { return layout_; }
  Status residual(const Point& p, const State&, Vec F, Workspace&) const override {
    const Vec3<double> theta = p.y.head<3>(), w = p.y.tail<3>(), J(1.0, 2.0, 3.0);
    const Vec3<double> rate = p.yp.head<3>(), a = p.yp.tail<3>();
    F.head<3>() = right_jacobian(theta) * rate - w;
    const Vec3<double> momentum = J.cwiseProduct(w);
    F.tail<3>() = J.cwiseProduct(a) + w.cross(momentum);
    return Status::success();
  }
  std::span<const int> chart_unknowns() const override { return unknowns_; }
  bool wants_rebase(ConstVec y, const State&) const override { return y.head<3>().norm() > threshold_; }
  void rebase(Eigen::Ref<Eigen::MatrixXd> points, State& state, Workspace&) const override {
    ++moves;
    std::vector<Vec3<double>> thetas;
    for (Eigen::Index i = 0; i < points.cols(); ++i) thetas.emplace_back(points.col(i));
    const Chart to = recentre(state.charts[0], thetas[0]);
    map_points(state.charts[0], to, thetas);
    state.charts[0] = to;
    for (Eigen::Index i = 0; i < points.cols(); ++i) points.col(i) = thetas[static_cast<std::size_t>(i)];
  }
  static Mat3<double> right_jacobian(const Vec3<double>& theta) {
    const double x = theta.norm();
    const double s = std::sin(0.5 * x), a = x < 1e-4 ? 0.5 : 2.0 * s * s / (x * x);
    const double b = x < 1e-2 ? 1.0 / 6.0 - x * x / 120.0 : (x - std::sin(x)) / (x * x * x);
    Mat3<double> hat;
    hat << 0, -theta[2], theta[1], theta[2], 0, -theta[0], -theta[1], theta[0], 0;
    return Mat3<double>::Identity() - a * hat + b * hat * hat;
  }
  mutable int moves = 0;

 private:
  double threshold_;
  Layout layout_;
  std::vector<int> unknowns_{0, 1, 2};
};

struct Turned {
  Mat3<double> R;
  long steps = 0;
  double mean_order = 0.0;
  int moves = 0;
};

Turned turn(double threshold, double tol, double t_end) {
  const FreeBody dae(threshold);
  BdfOptions options;
  options.tolerances.set(Kind::rotation, 0.0, tol);
  options.tolerances.set(Kind::velocity, tol, tol);
  Bdf bdf(dae, options);
  State state;
  state.charts.resize(1);
  Eigen::VectorXd y(6), yp(6);
  y << 0, 0, 0, 1, 2, 3;
  yp << 1, 2, 3, -(3.0 - 2.0) * 6.0, -(1.0 - 3.0) * 3.0 / 2.0, -(2.0 - 1.0) * 2.0 / 3.0;
  EXPECT_TRUE(bdf.start(0.0, y, yp, state).ok());
  Turned turned;
  const BdfStep last = bdf.integrate(t_end, state, [&](const BdfStep& step) { turned.mean_order += step.order; });
  EXPECT_TRUE(last.status.ok()) << describe(last.status.cause);
  turned.steps = bdf.counters().steps;
  turned.mean_order /= static_cast<double>(turned.steps);
  turned.R = rotation(state.charts[0], bdf.y().head<3>());
  turned.moves = dae.moves;
  return turned;
}

// Exact mapping of the stored points keeps order, step size and accuracy whatever the threshold.
TEST(BdfCharts, moving_them_costs_neither_steps_nor_order) {
  const Turned exact = turn(0.5, 1e-11, 2.0);
  const Turned seldom = turn(1.5, 1e-7, 2.0), often = turn(0.5, 1e-7, 2.0), always = turn(0.0, 1e-7, 2.0);
  EXPECT_GT(often.moves, 10);
  EXPECT_EQ(always.moves, always.steps - 1);
  for (const Turned& t : {seldom, often, always}) {
    EXPECT_LT((t.R - exact.R).norm(), 1e-4);
    EXPECT_GT(t.mean_order, 4.0);
    EXPECT_NEAR(static_cast<double>(t.steps), static_cast<double>(often.steps), 0.3 * static_cast<double>(often.steps));
  }
}

// A spin of many turns: history on the continuous branch does not fold.
TEST(BdfCharts, steps_longer_than_half_a_turn_are_possible) {
  const FreeBody dae(0.5);
  BdfOptions options;
  options.tolerances.set(Kind::rotation, 0.0, 1e-3);
  options.tolerances.set(Kind::velocity, 1e-3, 1e-3);
  Bdf bdf(dae, options);
  State state;
  state.charts.resize(1);
  Eigen::VectorXd y(6), yp(6);
  y << 0, 0, 0, 0, 0, 150;
  yp << 0, 0, 150, 0, 0, 0;
  ASSERT_TRUE(bdf.start(0.0, y, yp, state).ok());
  ASSERT_TRUE(bdf.integrate(10.0, state).status.ok());
  EXPECT_LT(bdf.counters().steps, 100);
  const Mat3<double> R = rotation(state.charts[0], bdf.y().head<3>());
  EXPECT_NEAR(R(0, 0), std::cos(1500.0), 1e-6);
}

}  // namespace
}  // namespace trammel
