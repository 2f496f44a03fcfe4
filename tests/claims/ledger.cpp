// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <iterator>

#include "run_model.h"

/// The work that is brought into a machine, and what its method does to the energy itself.
namespace trammel::test_ledger {
namespace {

// Driven crank, rod and slider: everything is known from the motion, so that its energy is all that was brought in. Its
// steps are as long as the error test of smooth motions allows; the work must not be worse than the motion for that.
TEST(Ledger, work_of_a_driven_machine_has_the_order_of_the_method) {
  std::ifstream file(example("03_slider_crank/slider_crank.toml"));
  std::string text(std::istreambuf_iterator<char>(file), {});
  const std::size_t at = text.find("\nh = ");
  ASSERT_NE(at, std::string::npos);
  text.erase(at, text.find('\n', at + 1) - at);
  struct Case {
    const char* method;
    double part;  // of the largest kinetic energy, 5.7 J
  };
  for (const Case& c : {Case{"radau", 5e-4}, Case{"runge_kutta", 1e-4}, Case{"bdf", 6e-5}, Case{"midpoint", 5e-4}})
    for (const char* coordinates : {"absolute", "joint"}) {
      SCOPED_TRACE(fmt::format("{} {}", c.method, coordinates));
      const Recorded run = run_text(
          text, {fmt::format("solver.integrator={}", c.method), fmt::format("solver.coordinates={}", coordinates)});
      EXPECT_TRUE(run.summary.completed);
      EXPECT_LT(run.summary.energy_drift, c.part * run.values("energy.kinetic").maxCoeff());
      EXPECT_LT(run.values("energy.drift").cwiseAbs().maxCoeff(), c.part * run.values("energy.kinetic").maxCoeff());
    }
}

// A damper takes out what a spring had: T + V at the start is the work at the end, with the sign of a loss.
TEST(Ledger, work_of_a_damper_is_what_the_machine_lost) {
  const std::string damped = R"(
gravity = [0, 0, 0]
[[body]]
name = "mass"
mass = 1
inertia = [1, 1, 1]
position = [1.5, 0, 0]
[[joint]]
name = "guide"
kind = "prismatic"
bodies = ["ground", "mass"]
point = [1.5, 0, 0]
axis = "x"
[[force]]
name = "strut"
kind = "spring_damper"
point_a = { body = "ground", at = [0, 0, 0] }
point_b = { body = "mass", at = [0, 0, 0] }
stiffness = 100
damping = 2
free_length = 1
[analysis]
end = 20
)";
  for (const char* method : {"generalized_alpha", "midpoint", "bdf", "radau", "runge_kutta"}) {
    SCOPED_TRACE(method);
    const Recorded run = run_text(damped, {fmt::format("solver.integrator={}", method)});
    EXPECT_NEAR(run.summary.work, -12.5, 2e-3 * 12.5);
    EXPECT_LT(std::abs(run.summary.method_energy), 2e-3 * 12.5);
  }
}

// Nobody drives a pendulum: what its energy changes by is the method's own, and is called that.
TEST(Ledger, what_a_method_dissipates_is_nobody_s_work) {
  for (const char* method : {"generalized_alpha", "newmark", "bdf", "midpoint", "radau", "runge_kutta"})
    for (const char* formulation : {"", "solver.formulation=index3"}) {
      if (*formulation != '\0' && std::string(method) != "bdf" && std::string(method) != "generalized_alpha") continue;
      SCOPED_TRACE(fmt::format("{} {}", method, formulation));
      SetList settings{fmt::format("solver.integrator={}", method), "solver.h=5e-3"};
      if (*formulation != '\0') settings.push_back(formulation);
      const Recorded run = run_example("01_pendulum/pendulum.toml", settings);
      EXPECT_EQ(run.summary.work, 0.0);
      EXPECT_NE(run.summary.method_energy, 0.0);
      EXPECT_NE(run.summary.to_text().find(run.summary.method_energy < 0.0 ? "dissipated" : "added"),
                std::string::npos);
    }
}

// A motion whose acceleration jumps: reactions jump, and so does the power. The step before the kink and the step
// behind it have different powers at the same instant. A cart of 2 kg gets a constant 3 m/s² for 1 s, and none after
// that.
TEST(Ledger, power_jumps_where_reactions_jump) {
  const std::string cart = R"toml(
gravity = [0, 0, 0]
[[body]]
name = "cart"
mass = 2
inertia = [1, 1, 1]
[[joint]]
name = "track"
kind = "prismatic"
bodies = ["ground", "cart"]
point = [0, 0, 0]
axis = "x"
[[motion]]
name = "drive"
joint = "track"
function = "if(t < 1, 1.5*t^2, 1.5 + 3*(t - 1))"
[analysis]
end = 2
)toml";
  for (const char* method : {"generalized_alpha", "hht", "midpoint", "bdf", "radau", "runge_kutta"})
    for (const char* coordinates : {"absolute", "joint"}) {
      SCOPED_TRACE(fmt::format("{} {}", method, coordinates));
      const Recorded run = run_text(
          cart, {fmt::format("solver.integrator={}", method), fmt::format("solver.coordinates={}", coordinates)});
      EXPECT_NEAR(run.summary.work, 9.0, 9e-3);
      EXPECT_LT(run.summary.energy_drift, 9e-3);
    }
}

// A sledge of 1 kg is led along x = 1 − cos t by a law of its velocity or its place, whose gain makes more than the
// whole force out of what the tolerance allows. At radau's stages and where steps of bdf end the force of the motion is
// known nevertheless, and so is its work;
// elsewhere what the tolerance makes of the power is no reason to doubt a run whose velocity is right.
TEST(Ledger, stiff_laws_raise_no_alarm_and_work_at_stages_is_that_of_the_motion) {
  const auto sledge = [](const std::string& law) {
    return fmt::format(R"toml(
gravity = [0, 0, 0]
[[body]]
name = "sledge"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "track"
kind = "prismatic"
bodies = ["ground", "sledge"]
point = [0, 0, 0]
axis = "x"
[[force]]
name = "lead"
kind = "force"
body = "sledge"
force = ["{}", 0, 0]
[analysis]
end = 10
[output]
interval = 0.05
)toml",
                       law);
  };
  const double gains[] = {1e3, 1e5, 1e7};
  for (const double gain : gains)
    for (const std::string& law :
         {fmt::format("-{}*(sledge.vx - sin(t))", gain),
          fmt::format("-{}*(sledge.x - 1 + cos(t)) - {}*(sledge.vx - sin(t))", gain, std::sqrt(gain))})
      for (const char* method : {"auto", "radau", "bdf"})
        for (const char* coordinates : {"absolute", "joint"}) {
          SCOPED_TRACE(fmt::format("{} {} {}", law, method, coordinates));
          const Recorded run = run_text(sledge(law), {fmt::format("solver.integrator={}", method),
                                                      fmt::format("solver.coordinates={}", coordinates)});
          EXPECT_TRUE(run.summary.completed);
          EXPECT_TRUE(run.summary.alarms.empty()) << run.summary.to_text();
          const Eigen::MatrixXd v = run.values("sledge.velocity");
          for (std::size_t i = 0; i < run.times().size(); ++i) {
            const double t = run.times()[i];
            if (t < 0.5) continue;
            EXPECT_NEAR(v(static_cast<Eigen::Index>(i), 0), std::sin(t), 2e-3) << t;
          }
          if (std::string(method) == "auto") continue;
          // Of 0.5 J. The work of bdf is known where its steps end, to the order of its formula.
          EXPECT_LT(run.values("energy.drift").cwiseAbs().maxCoeff(), std::string(method) == "bdf" ? 1e-3 : 0.5e-3);
        }
}

// A stop or a surface that is left before it has relaxed exerts no force any more. The energy that is left in it is
// dissipated while it is still overlapped, and its power ends with a kink where no force has one: work knows it in
// every frame, whatever the steps.
TEST(Ledger, knows_what_is_left_in_surfaces_that_part_before_they_have_relaxed) {
  const std::string body = R"(
gravity = [0, 0, -9.81]
[parameters]
k = 1e5
c = 100
[[body]]
name = "ball"
mass = 1
inertia = [0.01, 0.01, 0.01]
position = [0, 0, 0.5]
[analysis]
end = 0.8
)";
  const std::string falls = body + R"(
[[geometry]]
name = "skin"
body = "ball"
kind = "sphere"
radius = 0.1
[[geometry]]
name = "floor"
kind = "plane"
[[contact]]
name = "touch"
between = ["skin", "floor"]
law = "linear"
stiffness = "k"
damping = "c"
)";
  const std::string slides = body + R"(
[[joint]]
name = "rail"
kind = "prismatic"
bodies = ["ground", "ball"]
point = [0, 0, 0.5]
axis = "z"
[[force]]
name = "stop"
kind = "joint_limit"
joint = "rail"
lower = -0.4
stiffness = "k"
damping = "c"
)";
  for (const std::string& text : {falls, slides})
    for (const auto& [k, c] : {std::pair{1e5, 20.0}, {1e5, 200.0}, {3e6, 700.0}})
      for (const char* integrator : {"radau", "runge_kutta", "bdf", "generalized_alpha", "midpoint"}) {
        const double tol = 1e-7;
        const Recorded run =
            run_text(text, {set("parameters.k", k), set("parameters.c", c), set("solver.rtol", tol),
                            set("solver.atol", 0.01 * tol), fmt::format("solver.integrator={}", integrator)});
        EXPECT_TRUE(run.summary.alarms.empty()) << integrator << " k " << k << " c " << c;
        const double drift = run.values("energy.drift").cwiseAbs().maxCoeff();
        EXPECT_LT(drift, 1e-3 * 0.5 * 9.81) << integrator << " k " << k << " c " << c;
      }
}

}  // namespace
}  // namespace trammel::test_ledger
