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

// A damped surface that is left ceases to push while it is still pressed in, and what it has stored there is lost: not
// by a force, so that no step ends where it is. With ω = √(k/m) and c = 2ζωm the push k x + c ẋ falls to zero where
// tan(ω√(1−ζ²) t) = 2ζ√(1−ζ²)/(2ζ²−1), with exp(−ζωt) of the speed. Stops ramp their damping up over 1e-4 m: of them
// the balance alone is asked for.
TEST(Ledger, knows_what_is_left_in_surfaces_that_part_before_they_have_relaxed) {
  const auto ball = [](double k, double c) {
    return fmt::format(R"(
gravity = [0, 0, 0]
[[body]]
name = "ball"
shape = {{ kind = "sphere", radius = 0.1 }}
mass = 2
position = [0, 0, 0.15]
velocity = [0, 0, -1.5]
[[geometry]]
name = "floor"
kind = "plane"
[[contact]]
name = "blow"
between = ["ball", "floor"]
law = "linear"
stiffness = {}
damping = {}
[analysis]
end = 0.4
[output]
interval = 0.001
)",
                       k, c);
  };
  const auto slider = [](double k, double c) {
    return fmt::format(R"(
gravity = [0, 0, 0]
[[body]]
name = "slider"
mass = 2
inertia = [1, 1, 1]
velocity = [1.5, 0, 0]
[[joint]]
name = "guide"
kind = "prismatic"
bodies = ["ground", "slider"]
point = [0, 0, 0]
axis = "x"
[[force]]
name = "wall"
kind = "joint_limit"
joint = "guide"
upper = 0.05
stiffness = {}
damping = {}
[analysis]
end = 0.4
[output]
interval = 0.001
)",
                       k, c);
  };
  const double start = 0.5 * 2.0 * 1.5 * 1.5;
  for (const double k : {2e3, 3e5})
    for (const double zeta : {0.08, 0.45})
      for (const char* method : {"auto", "generalized_alpha", "midpoint", "bdf", "radau", "runge_kutta"})
        for (const char* coordinates : {"absolute", "joint"}) {
          SCOPED_TRACE(fmt::format("k {} zeta {} {} {}", k, zeta, method, coordinates));
          const double omega = std::sqrt(k / 2.0), c = 2.0 * zeta * omega * 2.0;
          const SetList settings{fmt::format("solver.integrator={}", method),
                                 fmt::format("solver.coordinates={}", coordinates), "solver.rtol=1e-7",
                                 set("solver.atol", 1e-6 * 1.5 / omega)};
          const double root = std::sqrt(1.0 - zeta * zeta);
          const double left = std::exp(-zeta / root * std::atan2(2.0 * zeta * root, 2.0 * zeta * zeta - 1.0));
          const Recorded blow = run_text(ball(k, c), settings), stop = run_text(slider(k, c), settings);
          EXPECT_NEAR(blow.last("ball.velocity")[2], 1.5 * left, 2e-4 * 1.5);
          EXPECT_NEAR(blow.summary.work, -start * (1.0 - left * left), 3e-4 * start);
          for (const Recorded* run : {&blow, &stop}) {
            EXPECT_TRUE(run->summary.alarms.empty()) << run->summary.to_text();
            EXPECT_LT(run->values("energy.drift").cwiseAbs().maxCoeff(), 3e-4 * start);
          }
        }
}

}  // namespace
}  // namespace trammel::test_ledger
