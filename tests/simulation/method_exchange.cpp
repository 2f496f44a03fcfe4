// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/method_exchange.h"

#include <gtest/gtest.h>

/// When a run that chose its method goes on with the other one.
namespace trammel::test_method_exchange {
namespace {

StepReport explicit_step(double h, double stiffness) {
  StepReport report;
  report.h = h, report.order = 5, report.stiffness = stiffness;
  return report;
}

StepReport radau_step(double h) {
  StepReport report;
  report.h = h, report.order = 5, report.iterations = 2;
  return report;
}

/// Steps until the method changes; −1: not within `most`.
int steps_to_change(MethodExchange& exchange, const StepReport& step, double& t, int most) {
  for (int i = 1; i <= most; ++i)
    if (exchange.judge(step, t += step.h)) return i;
  return -1;
}

TEST(MethodExchange, leaves_accurate_steps_alone) {
  MethodExchange exchange({.explicit_first = true, .rtol = 1e-5, .rate = 1.0, .by_recursion = true});
  double t = 0.0;
  EXPECT_EQ(steps_to_change(exchange, explicit_step(0.1, 0.5), t, 10000), -1);
}

// At rtol = 1e-2 a motion that matters is resolved with h|σ| ≈ 1.8.
TEST(MethodExchange, takes_no_loose_tolerance_for_stiffness) {
  MethodExchange exchange({.explicit_first = true, .rtol = 1e-2, .rate = 1.0, .by_recursion = true});
  double t = 0.0;
  EXPECT_EQ(steps_to_change(exchange, explicit_step(0.1, 1.8), t, 10000), -1);
}

// There the pair bears h|σ| ≈ 1 of what oscillates: accuracy would ask for less.
TEST(MethodExchange, sees_stability_at_loose_tolerances) {
  MethodExchange exchange({.explicit_first = true, .rtol = 1e-2, .rate = 1.0, .by_recursion = true});
  double t = 0.0;
  EXPECT_EQ(steps_to_change(exchange, explicit_step(0.1, 1.0), t, 10000), 80);
}

// The first steps of a trial may be lucky; thirty are not.
TEST(MethodExchange, judges_a_short_trial_that_was_won_once_more) {
  MethodExchange exchange({.explicit_first = true, .rtol = 1e-5, .rate = 1.0, .by_recursion = true});
  double t = 0.0;
  EXPECT_EQ(steps_to_change(exchange, explicit_step(0.1, 1.0), t, 1000), 80);
  EXPECT_EQ(steps_to_change(exchange, radau_step(1.0), t, 8), -1);
  EXPECT_EQ(steps_to_change(exchange, radau_step(0.05), t, 1000), 22);
}

TEST(MethodExchange, keeps_radau_where_it_gets_further) {
  MethodExchange exchange({.explicit_first = true, .rtol = 1e-5, .rate = 1.0, .by_recursion = true});
  double t = 0.0;
  EXPECT_EQ(steps_to_change(exchange, explicit_step(0.1, 1.0), t, 1000), 80);
  EXPECT_EQ(steps_to_change(exchange, radau_step(1.0), t, 10000), -1);  // 13 evaluations for 1 s, beside 120
}

TEST(MethodExchange, goes_back_where_radau_does_not_and_waits_longer_each_time) {
  MethodExchange exchange({.explicit_first = true, .rtol = 1e-5, .rate = 1.0, .by_recursion = true});
  double t = 0.0;
  for (const auto& [wait, trial] : {std::pair{80, 8}, std::pair{160, 16}, std::pair{320, 32}}) {
    EXPECT_EQ(steps_to_change(exchange, explicit_step(0.1, 1.0), t, 10000), wait);
    EXPECT_EQ(steps_to_change(exchange, radau_step(0.1), t, 10000), trial);  // 13 evaluations for 0.1 s, beside 12
  }
}

// h = 1/|σ| for six evaluations and a step, 12, beside 13 of Radau.
TEST(MethodExchange, compares_a_first_radau_with_what_stability_would_leave) {
  double t = 0.0;
  MethodExchange slow({.explicit_first = false, .rtol = 1e-5, .rate = 10.0, .by_recursion = true});
  EXPECT_EQ(steps_to_change(slow, radau_step(0.1), t, 10000), 30);
  MethodExchange fast({.explicit_first = false, .rtol = 1e-5, .rate = 10.0, .by_recursion = true});
  EXPECT_EQ(steps_to_change(fast, radau_step(0.25), t, 10000), -1);
}

TEST(MethodExchange, keeps_a_first_radau_where_every_evaluation_solves_a_matrix) {
  double t = 0.0;
  MethodExchange exchange({.explicit_first = false, .rtol = 1e-5, .rate = 10.0, .by_recursion = false});
  EXPECT_EQ(steps_to_change(exchange, radau_step(1e-3), t, 10000), -1);
}

// Vibrations of the start are resolved in short steps, 140 of them, before they are damped.
TEST(MethodExchange, waits_for_what_swings_at_the_start_of_a_stiff_machine) {
  double t = 0.0;
  MethodExchange patient({.explicit_first = false, .rtol = 1e-5, .rate = 1e5, .span = 1.0, .by_recursion = true});
  EXPECT_EQ(steps_to_change(patient, radau_step(1e-6), t, 140), -1);
  EXPECT_EQ(steps_to_change(patient, radau_step(1e-3), t, 10000), -1);
  MethodExchange held({.explicit_first = false, .rtol = 1e-5, .rate = 1e5, .span = 1.0, .by_recursion = true});
  EXPECT_EQ(steps_to_change(held, radau_step(1e-6), t, 10000), 300);
}

// Steps of 0.05 s in the first half, 0.08 s in the second: 13 evaluations for what the explicit pair would do with 9.6.
// Once more as many would be ahead, if they grew as before.
TEST(MethodExchange, waits_as_long_as_the_steps_of_a_first_radau_grow) {
  const MethodExchange::Start start{.explicit_first = false, .rtol = 1e-5, .rate = 10.0, .by_recursion = true};
  double t = 0.0;
  MethodExchange grows(start);
  EXPECT_EQ(steps_to_change(grows, radau_step(0.05), t, 15), -1);
  EXPECT_EQ(steps_to_change(grows, radau_step(0.08), t, 15), -1);
  EXPECT_EQ(steps_to_change(grows, radau_step(0.12), t, 10000), -1);
  MethodExchange stays(start);
  EXPECT_EQ(steps_to_change(stays, radau_step(0.05), t, 15), -1);
  EXPECT_EQ(steps_to_change(stays, radau_step(0.08), t, 10000), 45);  // nothing has grown after as many steps again
}

}  // namespace
}  // namespace trammel::test_method_exchange
