// SPDX-License-Identifier: Apache-2.0
#include "trammel/math/step_bounds.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/math/time_function.h"
#include "trammel/math/time_part.h"

namespace trammel::test_step_bounds {
namespace {

StepBounds bounds_of(const std::string& formula, double end = 10.0) {
  StepBounds bounds;
  TimeFunction::parse(formula).find_surprises(0.0, end, bounds);
  bounds.finish();
  return bounds;
}

// The definition: within an interval at most h, before it up to its beginning but never less than h.
TEST(StepBounds, end_steps_where_an_interval_begins_and_leave_no_sliver) {
  StepBounds bounds;
  bounds.add({4.0, 6.0, 0.5});
  bounds.add({5.0, 5.5, 0.1});
  bounds.finish();
  EXPECT_EQ(bounds.longest_step(0.0), 4.0);
  EXPECT_EQ(bounds.longest_step(3.9), 0.5);
  EXPECT_EQ(bounds.longest_step(4.0), 0.5);
  EXPECT_NEAR(bounds.longest_step(4.8), 0.2, 1e-12);
  EXPECT_EQ(bounds.longest_step(5.2), 0.1);
  EXPECT_EQ(bounds.longest_step(5.6), 0.5);
  EXPECT_EQ(bounds.longest_step(6.0), std::numeric_limits<double>::infinity());
}

// A Gaussian pulse is entered with steps of its own width, whether a sample or only its formula shows it.
TEST(StepBounds, of_a_pulse_are_of_its_width) {
  for (const double w : {1.0, 0.1, 0.01, 1e-3, 1e-5, 1e-7}) {
    SCOPED_TRACE(w);
    const StepBounds bounds = bounds_of(fmt::format("exp(-((t - 4.321)/{})^2)", w));
    ASSERT_FALSE(bounds.empty());
    double least = 1e9;
    for (const StepBounds::Interval& x : bounds.intervals()) least = std::min(least, x.h);
    EXPECT_LT(least, 1.0 * w);
    EXPECT_GT(least, 0.02 * w);
    EXPECT_LT(bounds.intervals().front().from, 4.321 - w);
    EXPECT_GT(bounds.intervals().front().from, 4.321 - std::max(40.0 * w, 0.05));  // 0.05: of the samples' windows
  }
}

// What goes on as it began surprises nobody; nor does what is over.
TEST(StepBounds, do_not_exist_for_what_goes_on) {
  for (const char* formula : {"3", "1 + t - t^2", "sin(5*t)", "t*sin(50*t)*cos(3*t)", "exp(-t/0.1)", "sin(5*t)^3",
                              "sqrt(2 + sin(7*t))", "tanh(sin(9*t))", "1/(1 + t)"})
    EXPECT_TRUE(bounds_of(formula).empty()) << formula;
}

// Kinks that no static search finds are no pulses: steps need not be much shorter than the samples' own distance,
// 1/2000 of the span (a tenth of it where a kink lies so that a first closer look does not tell it from a pulse).
TEST(StepBounds, of_a_kink_are_not_tiny) {
  for (const char* formula : {"abs(sin(3*t) - 0.2)", "max(0.3, sin(3*t))", "sqrt(1e-16 + sin(t)^2)"}) {
    const StepBounds bounds = bounds_of(formula);
    for (const StepBounds::Interval& x : bounds.intervals()) EXPECT_GT(x.h, 10.0 / 4e5) << formula;
  }
}

TEST(StepBounds, are_found_in_factors_of_time_of_formulas_of_more) {
  const Expression formula =
      Expression::parse("x*exp(-((t - 2)/0.01)^2) + sin(t)*x + x",
                        [](const std::vector<std::string>& path) -> ResolvedName { return path[0] == "t" ? 1 : 0; });
  const std::vector<TimePart> parts = TimePart::find(formula, 1);
  ASSERT_EQ(parts.size(), 2u);
  int gradual = 0;
  for (const TimePart& part : parts) gradual += part.is_gradual();
  EXPECT_EQ(gradual, 1);
}

}  // namespace
}  // namespace trammel::test_step_bounds
