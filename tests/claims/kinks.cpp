// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "run_model.h"

/// Loads that jump at an instant which is written in the model: an error-controlled run ends a step there, sees the
/// load before the jump until then and the one after it from then on.
namespace trammel::test_kinks {
namespace {

std::string arm(const std::string& torque) {
  return R"toml(
gravity = [0, 0, 0]
[[body]]
name = "arm"
mass = 2
inertia = [0.1, 0.1, 0.1]
position = [0.5, 0, 0]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "arm"]
point = [0, 0, 0]
axis = "z"
[[force]]
name = "motor"
kind = "torque"
body = "arm"
torque = [0, 0, ")toml" +
         torque + "\"]\n[analysis]\nend = 1\n";
}

// J = 0.1 + 2·0.25 = 0.6: half a second of +1 N m, half a second of −1 N m. Each piece has a constant angular
// acceleration, which the method integrates without error; the load may be written with < or with <=. What remains is
// the error of the point that runs on a circle: rtol per step in position, so rtol/h in velocity, which is in no error
// test, and h ≈ ∛rtol.
double velocity_limit(double rtol) { return std::pow(rtol, 2.0 / 3.0); }

TEST(Kinks, a_load_that_jumps_is_integrated_as_two_smooth_pieces) {
  constexpr double rtol = 1e-7;
  for (const char* torque : {"if(t < 0.5, 1, -1)", "if(t <= 0.5, 1, -1)"}) {
    SCOPED_TRACE(torque);
    const Recorded recorded = run_text(arm(torque), {set("solver.rtol", rtol), set("solver.atol", rtol)});
    EXPECT_NEAR(recorded.last_value("hinge.angle_rate"), 0.0, velocity_limit(rtol));
    EXPECT_NEAR(recorded.last_value("hinge.angle"), 0.25 / 0.6, velocity_limit(rtol));
    EXPECT_NEAR(recorded.values("hinge.angle_rate").maxCoeff(), 0.5 / 0.6, velocity_limit(rtol));
    const std::vector<double>& steps = recorded.record.step_times();
    EXPECT_NE(std::find(steps.begin(), steps.end(), 0.5), steps.end());  // a step ends exactly there
  }
}

// A train of pulses: 0.1 s on, 0.1 s off. Angular momentum after five of them: 0.5 N m s.
TEST(Kinks, a_train_of_pulses_is_met_pulse_by_pulse) {
  const Recorded recorded = run_text(arm("if(mod(t, 0.2) < 0.1, 1, 0)"), {"solver.rtol=1e-7", "solver.atol=1e-7"});
  EXPECT_NEAR(recorded.last_value("hinge.angle_rate"), 0.5 / 0.6, velocity_limit(1e-7));
}

}  // namespace
}  // namespace trammel::test_kinks
