#include <gtest/gtest.h>
#include <time.h>

#include <cmath>
#include <random>

#include "support/allocation_counter.h"
#include "support/chain.h"
#include "trammel/simulation/option.h"
#include "trammel/simulation/simulation.h"

// What joint coordinates cost.

namespace trammel::testing {
namespace {

Study hanging_chain(int n, const std::string& integrator) {
  Study study = chain(n, false);
  study.solver.h.reset();
  study.solver.coordinates = CoordinateSet::joint;
  study.solver.integrator = parse_word<Integrator>(integrator);
  return study;
}

TEST(JointBudget, a_step_allocates_nothing_after_the_second) {
  for (const char* integrator : {"runge_kutta", "bdf", "generalized_alpha"}) {
    Simulation simulation(hanging_chain(6, integrator));
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(simulation.integrator().advance(1.0, simulation.state()).status.ok());
    const AllocationScope scope;
    bool ok = true;
    for (int i = 0; i < 30; ++i) ok = ok && simulation.integrator().advance(1.0, simulation.state()).status.ok();
    const long count = scope.count();
    EXPECT_TRUE(ok);
    EXPECT_EQ(count, 0) << integrator;
  }
}

double cpu_time() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Seconds of one evaluation, the fastest of many short rounds: other work on the machine makes rounds longer, not
// shorter.
double time_evaluation(int n, bool branched) {
  std::vector<JointTree::Link> links(n);
  for (int i = 0; i < n; ++i) {
    JointTree::Link& link = links[i];
    link.mobility = Mobility::revolute;
    link.parent = branched ? (i + 1) / 2 - 1 : i - 1;
    link.p_PB = link.parent < 0 ? Eigen::Vector3d(0, 0, 0) : Eigen::Vector3d(1, 0, 0);
    link.p_LF << 0.5, 0, 0;
    link.mass = 1.0;
    link.inertia.diagonal() << 0.01, 1.0 / 12, 1.0 / 12;
  }
  JointTree tree;
  tree.finish(links, {0, -9.81, 0});
  JointTree::Memory memory = tree.make_memory();
  std::mt19937 engine(1);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  Eigen::VectorXd q(n), v(n), a(n);
  for (int i = 0; i < n; ++i) q[i] = any(engine), v[i] = any(engine);
  const int calls = std::max(1, 20000 / n);
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 60; ++round) {
    const double begin = cpu_time();
    for (int k = 0; k < calls; ++k)
      if (!tree.accelerate(q, v, {}, {}, {}, {}, a, memory).ok()) return NAN;
    best = std::min(best, (cpu_time() - begin) / calls);
  }
  return best;
}

TEST(JointBudget, an_explicit_evaluation_is_linear_in_the_number_of_links) {
  for (const bool branched : {false, true}) {
    // Other processes may disturb one measurement, not five of them alike.
    double exponent = 0.0;
    for (int i = 0; i < 5 && !(exponent >= 0.9 && exponent <= 1.06); ++i)
      exponent = std::log(time_evaluation(10000, branched) / time_evaluation(100, branched)) / std::log(100);
    EXPECT_LE(exponent, 1.06) << (branched ? "binary tree" : "chain");
    EXPECT_GE(exponent, 0.9);
  }
}

}  // namespace
}  // namespace trammel::testing
