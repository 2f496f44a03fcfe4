// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "trammel/simulation/method_choice.h"

/// Which method a machine wants, from its facts alone (docs/choice.md).
namespace trammel::test_method_ranking {
namespace {

constexpr CoordinateSet absolute = CoordinateSet::absolute, joint = CoordinateSet::joint;

/// A tree of bodies in space with hinges, one row less for each freedom.
MachineFacts tree(int freedoms, double rate, bool damped) {
  return {.freedoms = freedoms,
          .unknowns = 6 * freedoms,
          .has_tree = true,
          .tree_freedoms = freedoms,
          .span = 1.0,
          .rtol = 1e-5,
          .rate = rate,
          .damped = damped};
}

Method first(const MachineFacts& facts) { return rank_methods(facts).methods.front(); }

TEST(MethodRanking, is_explicit_up_to_a_thousand_steps_of_stability) {
  EXPECT_EQ(first(tree(5, 999.0, false)), (Method{Integrator::runge_kutta, joint}));
  EXPECT_EQ(first(tree(5, 1001.0, false)), (Method{Integrator::radau, joint}));
  EXPECT_EQ(first(tree(5, 3.2 * 300.0, true)), (Method{Integrator::runge_kutta, joint}));
  EXPECT_EQ(first(tree(5, 3.4 * 300.0, true)), (Method{Integrator::radau, joint}));
}

// Matrices of joint coordinates are dearer by the unknown: they must be a third as many, with their rows.
TEST(MethodRanking, takes_joint_coordinates_with_radau_only_where_they_are_clearly_fewer) {
  MachineFacts springs = tree(9, 7e3, true);  // three planar bodies without joints
  springs.unknowns = 9;
  EXPECT_EQ(first(springs), (Method{Integrator::radau, absolute}));
  springs.rate = 10.0;
  EXPECT_EQ(first(springs), (Method{Integrator::runge_kutta, absolute}));  // one by one, without a matrix
  MachineFacts planar{.freedoms = 1, .unknowns = 21, .has_tree = true, .tree_freedoms = 7, .loop_rows = 6};
  planar.span = 1.0, planar.rtol = 1e-5, planar.rate = 10.0;
  EXPECT_EQ(first(planar), (Method{Integrator::radau, absolute}));  // 13 beside 41
  planar.turns = true;  // and in space, where a spinning wheel would hold Newton's iteration
  EXPECT_EQ(first(planar), (Method{Integrator::radau, joint}));
  MachineFacts spatial{.freedoms = 1, .unknowns = 18, .has_tree = true, .tree_freedoms = 3, .loop_rows = 2};
  spatial.span = 1.0, spatial.rtol = 1e-5, spatial.rate = 10.0;
  EXPECT_EQ(first(spatial), (Method{Integrator::radau, joint}));  // 5 beside 35
}

TEST(MethodRanking, is_explicit_for_what_rolls) {
  MachineFacts ball{.freedoms = 3, .unknowns = 6, .has_tree = true, .tree_freedoms = 6, .loop_rows = 3};
  ball.span = 1.0, ball.rtol = 1e-5, ball.rate = 10.0;
  EXPECT_EQ(first(ball), (Method{Integrator::radau, absolute}));
  ball.rolls = true;
  EXPECT_EQ(first(ball), (Method{Integrator::runge_kutta, absolute}));
  ball.rate = 1e4;
  EXPECT_EQ(first(ball), (Method{Integrator::radau, absolute}));
}

TEST(MethodRanking, gives_large_machines_to_bdf_unless_they_ring) {
  EXPECT_EQ(first(tree(108, 1e5, true)), (Method{Integrator::bdf, absolute}));
  MachineFacts beam = tree(108, 1e5, false);
  beam.unknowns = 114, beam.turns = true;
  EXPECT_EQ(first(beam), (Method{Integrator::radau, absolute}));
  beam.rate.reset();  // too large to be looked at
  EXPECT_EQ(first(beam), (Method{Integrator::bdf, absolute}));
}

}  // namespace
}  // namespace trammel::test_method_ranking
