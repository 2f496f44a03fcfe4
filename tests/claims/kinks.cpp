// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>

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

// A long free step, and a force that acts on a short way: the step that begins where it begins knows nothing of what
// was before, and frames before it are not those of its polynomial. A body slides, an arm turns with ω = 3 until there,
// and never faster: what acts turns it back, or lets it go on more slowly.
TEST(Kinks, frames_before_a_short_push_are_those_of_the_free_motion) {
  const std::string body = R"toml(
gravity = [0, 0, 0]
[[body]]
name = "b"
mass = 1
inertia = [1, 1, 1]
velocity = [VX, 0, 0]
angular_velocity = [0, 0, WZ]
[[joint]]
name = "j"
kind = "KIND"
bodies = ["ground", "b"]
point = [0, 0, 0]
axis = "AXIS"
[[force]]
name = "push"
kind = "LOAD"
body = "b"
LOAD = [FORMULA]
[analysis]
end = 10
[solver]
rtol = 1e-6
atol = 1e-7
)toml";
  std::mt19937 random(5);
  std::uniform_real_distribution<double> place(2.0, 28.0), log_width(std::log(1e-5), std::log(1e-2));
  for (const bool turns : {false, true})
    for (const char* integrator :
         {"generalized_alpha", "hht", "newmark", "midpoint", "energy_decaying", "radau", "bdf", "runge_kutta"})
      for (const char* coordinates : {"absolute", "joint"}) {
        if (std::string(integrator) == "energy_decaying" && std::string(coordinates) == "joint") continue;
        const double at = place(random), width = std::exp(log_width(random));
        const double force = 6.0 / width;  // takes 6 J of 4.5: it turns back, behind half of the way
        const std::string coordinate = turns ? "j.angle" : "j.displacement";
        const std::string formula =
            fmt::format("\"if(abs({} - {:.17g}) < {:.17g}, {:.17g}, 0)\"", coordinate, at, 0.5 * width, -force);
        std::string model = body;
        for (const auto& [from, to] : {std::pair<std::string, std::string>{"VX", turns ? "0" : "3"},
                                       {"WZ", turns ? "3" : "0"},
                                       {"KIND", turns ? "revolute" : "prismatic"},
                                       {"AXIS", turns ? "z" : "x"},
                                       {"FORMULA", turns ? "0, 0, " + formula : formula + ", 0, 0"}})
          model = replace_once(model, from, to);
        model = replace_once(model, "LOAD", turns ? "torque" : "force");
        model = replace_once(model, "LOAD", turns ? "torque" : "force");
        SCOPED_TRACE(fmt::format("{} {} {}", formula, integrator, coordinates));
        const Recorded run = run_text(model, {fmt::format("solver.integrator={}", integrator),
                                              fmt::format("solver.coordinates={}", coordinates)});
        const Eigen::VectorXd rate = run.values(coordinate + "_rate"), q = run.values(coordinate);
        const double until = (at - 0.5 * width) / 3.0 * (1.0 - 1e-6);
        for (Eigen::Index i = 0; i < rate.size(); ++i) {
          const double t = run.times()[static_cast<std::size_t>(i)];
          if (t < until) {
            EXPECT_NEAR(rate[i], 3.0, 1e-4) << t;
            EXPECT_NEAR(q[i], 3.0 * t, 1e-4) << t;
          }
          EXPECT_LT(std::abs(rate[i]), 3.01) << t;
        }
      }
}

}  // namespace
}  // namespace trammel::test_kinks
