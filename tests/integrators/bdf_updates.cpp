// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/ivp_problems.h"
#include "trammel/integrators/bdf.h"

// Full and partitioned updates of the iteration matrix [arnold2004 section 3.2].

namespace trammel::test_bdf_updates {
namespace {

/// Masses in a row, each held by the next with a spring and a damper, the first pushed by a force of time: linear.
class SpringChain final : public DaeSystem {
 public:
  explicit SpringChain(int n)
      : n_(n), layout_(numbered_layout(std::vector<Kind>(static_cast<std::size_t>(2 * n), Kind::internal))) {}
  const Layout& layout() const override { return layout_; }
  Status residual(const Point& p, const State&, Vec F, Workspace&) const override {
    for (int i = 0; i < n_; ++i) {
      F[i] = p.yp[i] - p.y[n_ + i];
      F[n_ + i] = p.yp[n_ + i] - (i == 0 ? std::sin(3.0 * p.t) : 0.0);
      for (const int other : {i - 1, i + 1}) {
        const double q = other < 0 || other == n_ ? 0.0 : p.y[other];
        const double v = other < 0 || other == n_ ? 0.0 : p.y[n_ + other];
        F[n_ + i] += 100.0 * (p.y[i] - q) + 0.5 * (p.y[n_ + i] - v);
      }
    }
    return Status::success();
  }

 private:
  int n_;
  Layout layout_;
};

struct Outcome {
  BdfCounters counters;
  Eigen::VectorXd y;
};
template <class System>
Outcome run(const System& system, const Eigen::VectorXd& y0, const Eigen::VectorXd& yp0, double end,
            JacobianUpdate update) {
  BdfOptions options = BdfOptions::dassl();
  options.tolerances.rtol = options.tolerances.atol = 1e-6;
  options.jacobian_update = update;
  Bdf bdf(system, options);
  State state;
  EXPECT_TRUE(bdf.start(0.0, y0, yp0, state).ok());
  EXPECT_TRUE(bdf.integrate(end, state).status.ok());
  return {bdf.counters(), bdf.y()};
}

TEST(PartitionedUpdate, needs_one_linearization_of_a_linear_model_for_the_whole_run) {
  const SpringChain chain(6);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(12);
  const Outcome full = run(chain, zero, zero, 10.0, JacobianUpdate::full);
  const Outcome partitioned = run(chain, zero, zero, 10.0, JacobianUpdate::partitioned);
  EXPECT_EQ(partitioned.counters.linearizations, 1);
  EXPECT_GT(full.counters.linearizations, 5);
  EXPECT_GT(partitioned.counters.updates, 5);
  EXPECT_EQ(full.counters.updates, 0);
  EXPECT_EQ(partitioned.counters.factorizations, 1 + partitioned.counters.updates);
  EXPECT_LE((full.y - partitioned.y).lpNorm<Eigen::Infinity>(), 1e-4);
}

// Where the planes themselves change Newton notices, and new ones are made: fewer than with every change of α.
TEST(PartitionedUpdate, saves_linearizations_of_a_mechanism_at_equal_error) {
  const testing::MechanismDae<testing::CarAxis> dae(testing::Form::stabilized_index2);
  const Outcome full = run(dae, dae.y0, dae.yp0, 3.0, JacobianUpdate::full);
  const Outcome partitioned = run(dae, dae.y0, dae.yp0, 3.0, JacobianUpdate::partitioned);
  EXPECT_LT(2 * partitioned.counters.linearizations, full.counters.linearizations);
  EXPECT_LE((full.y - partitioned.y).head(4).lpNorm<Eigen::Infinity>(), 1e-3);
}

}  // namespace
}  // namespace trammel::test_bdf_updates
