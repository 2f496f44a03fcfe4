// SPDX-License-Identifier: Apache-2.0
#include "run_model.h"

// Events of a model file are met at the right instant, with every integrator, recorded, and can end the run.

namespace trammel::test_events {
namespace {

// A stone thrown up from the ground at 10 m/s: it passes 3 m at t = (v ∓ √(v² − 2 g 3))/g.
const std::string stone = R"toml(
gravity = [0, 0, -10]
[[body]]
name = "stone"
kind = "particle"
mass = 2
position = [0, 0, 0]
velocity = [1, 0, 10]
[[measure]]
name = "height"
expression = "stone.z"
[[event]]
name = "window"
measure = "height"
level = 3
[[event]]
name = "impact"
measure = "height"
direction = "falling"
action = "stop"
[analysis]
end = 5
[output]
interval = 0.25
[solver]
)toml";

class ModelEvents : public ::testing::TestWithParam<const char*> {};

TEST_P(ModelEvents, are_located_recorded_and_end_the_run) {
  const Recorded flight = run_text(stone + GetParam());
  const double early = (10.0 - std::sqrt(40.0)) / 10.0, late = (10.0 + std::sqrt(40.0)) / 10.0;
  ASSERT_EQ(flight.summary.events.size(), 3u);
  EXPECT_NE(flight.summary.events[0].find("'window'"), std::string::npos) << flight.summary.events[0];
  EXPECT_NE(flight.summary.events[0].find("rising"), std::string::npos);
  EXPECT_NE(flight.summary.events[1].find("falling"), std::string::npos);
  EXPECT_NE(flight.summary.stop.find("event 'impact'"), std::string::npos) << flight.summary.stop;
  EXPECT_NEAR(flight.summary.t, 2.0, 1e-9);
  EXPECT_NEAR(flight.last_value("height"), 0.0, 1e-8);
  // Frames of events stand among those of the output, in order of time.
  const std::vector<double>& times = flight.times();
  for (std::size_t i = 1; i < times.size(); ++i) EXPECT_LE(times[i - 1], times[i]);
  for (const double expected : {early, late}) {
    const auto nearest = std::min_element(times.begin(), times.end(), [&](double a, double b) {
      return std::abs(a - expected) < std::abs(b - expected);
    });
    EXPECT_NEAR(*nearest, expected, 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Integrators, ModelEvents,
                         ::testing::Values("h = 0.01", "rtol = 1e-8",
                                           "integrator = \"bdf\"\nrtol = 1e-10\natol = 1e-12"));

TEST(ModelEvents, of_unknown_measures_and_points_are_refused_by_name) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      static_cast<void>(read_study_text(text, "model.toml", {}));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const std::string wrong = message(replace_once(stone, "measure = \"height\"\nlevel", "measure = \"hight\"\nlevel"));
  EXPECT_NE(wrong.find("hight"), std::string::npos) << wrong;
  EXPECT_NE(wrong.find("'height'"), std::string::npos) << wrong;
  const std::string bad = message(replace_once(stone, "action = \"stop\"", "action = \"explode\""));
  EXPECT_NE(bad.find("'stop'"), std::string::npos) << bad;
}

}  // namespace
}  // namespace trammel::test_events
