// SPDX-License-Identifier: Apache-2.0
#include "run_model.h"

/// What the Cayley map of the energy-decaying scheme leaves of rotations, θ³/12 in a step, is in its error test.

namespace trammel {

namespace {

std::string rotor_on_spring(double speed, double stiffness) {
  return fmt::format(R"toml(
gravity = [0, 0, 0]
[[body]]
name = "rotor"
mass = 1
inertia = [1, 1, 1]
angular_velocity = [0, 0, {}]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "rotor"]
point = [0, 0, 0]
axis = "z"
[[force]]
name = "spring"
kind = "joint_spring"
joint = "hinge"
stiffness = {}
[analysis]
end = 2
[output]
interval = 0.04
[solver]
integrator = "energy_decaying"
)toml",
                     speed, stiffness);
}

bool has_alarm(const Recorded& run, const std::string& words) {
  for (const Alarm& alarm : run.summary.alarms)
    if (alarm.text.find(words) != std::string::npos) return true;
  return false;
}

}  // namespace

// x = ω₀/ν sin νt, ν² = k/J. The angle errs by some rtol of what it turned, 200 rad.
TEST(EnergyDecayingSpin, a_rotor_on_a_weak_spring_errs_by_its_tolerance) {
  for (const auto& [speed, stiffness] : {std::pair{100.0, 1.0}, {100.0, 0.01}, {5.0, 0.01}}) {
    const double nu = std::sqrt(stiffness);
    std::vector<double> errors;
    for (const double tol : {1e-3, 1e-5}) {
      SCOPED_TRACE(fmt::format("{} rad/s, {} N m/rad, {}", speed, stiffness, tol));
      const Recorded run =
          run_text(rotor_on_spring(speed, stiffness), {set("solver.rtol", tol), set("solver.atol", tol)});
      const Eigen::MatrixXd x = run.values("hinge.angle");
      double error = 0.0;
      for (std::size_t i = 0; i < run.times().size(); ++i)
        error =
            std::max(error, std::abs(x(static_cast<Eigen::Index>(i), 0) - speed / nu * std::sin(nu * run.times()[i])));
      EXPECT_LT(error, 2.0 * tol * 2.0 * speed);
      EXPECT_FALSE(has_alarm(run, "fell behind"));
      errors.push_back(error);
    }
    EXPECT_GT(std::log10(errors[0] / errors[1]), 0.8 * 2.0);
  }
}

// With a fixed step nothing watches, but the summary tells: 2 atan ½ instead of 1 rad at h = 0.01 s.
TEST(EnergyDecayingSpin, a_rotation_that_fell_behind_at_a_fixed_step_is_told) {
  EXPECT_TRUE(has_alarm(run_text(rotor_on_spring(100.0, 1.0), {"solver.h=0.01"}), "fell behind"));
  EXPECT_FALSE(has_alarm(run_text(rotor_on_spring(100.0, 1.0), {"solver.h=0.001"}), "fell behind"));
}

}  // namespace trammel
