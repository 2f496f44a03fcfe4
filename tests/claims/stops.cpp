// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numbers>

#include "run_model.h"

// Stops are met where they are: their forces have a kink there, and steps end at it.

namespace trammel::test_stops {
namespace {

const std::vector<std::string> methods{"generalized_alpha", "hht", "newmark", "midpoint", "bdf", "radau",
                                       "runge_kutta"};
const std::vector<std::string> coordinates{"absolute", "joint"};

// A slider of 1 kg that flies at `speed` to an elastic stop 0.5 m away.
std::string slider(const std::string& stop) {
  return R"(
gravity = [0, 0, 0]
[parameters]
k = 1e8
speed = 1
[[body]]
name = "slider"
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [0, 0, 0]
velocity = ["speed", 0, 0]
[[joint]]
name = "guide"
kind = "prismatic"
bodies = ["ground", "slider"]
point = [0, 0, 0]
axis = "x"
[[force]]
name = "wall"
)" + stop +
         R"(
[analysis]
end = "0.9/speed"
)";
}

const std::string limit = "kind = \"joint_limit\"\njoint = \"guide\"\nupper = 0.5\nstiffness = \"k\"\n";
const std::string bump =
    "kind = \"bump_stop\"\nbodies = [\"ground\", \"slider\"]\npoint_a = [0, 0, 0]\npoint_b = [0, 0, 0]\n"
    "axis = \"x\"\nupper = 0.5\nstiffness = \"k\"\n";

// Steps of newmark, of first order, are as many as its tolerance asks for digits.
std::string finest_of(const std::string& method) {
  return method == "newmark" ? "solver.rtol=1e-7" : "solver.rtol=1e-8";
}

// An elastic stop returns the speed, whatever its stiffness: it is left after half a period, π √(m/k), as fast as it
// was met. The tolerance is 1e-5 of the depth v √(m/k), so that the same is asked of all: no more is lost than a part
// of the speed that the methods lose in the smooth half period itself. The slider is 0.2 m away from the stop at the
// end.
TEST(Stops, elastic_stops_return_the_speed) {
  for (const std::string& stop : {limit, bump})
    for (const double k : {1e3, 1e6, 1e10})
      for (const double speed : {0.1, 20.0})
        for (const std::string& set : coordinates)
          for (const std::string& method : methods) {
            if (k == 1e3 && speed != 0.1) continue;  // the way into it would be as long as that to it
            if (stop == bump && (set == "joint" || speed != 0.1)) continue;
            SCOPED_TRACE(
                fmt::format("{} k {:.0e} speed {} {} {}", stop == bump ? "bump" : "limit", k, speed, set, method));
            const double root = std::sqrt(k), end = 0.7 / speed + std::numbers::pi / root;
            const Recorded run =
                run_text(slider(stop),
                         {"solver.integrator=" + method, "solver.coordinates=" + set, trammel::set("parameters.k", k),
                          trammel::set("parameters.speed", speed), trammel::set("analysis.end", end), finest_of(method),
                          trammel::set("solver.atol", 1e-5 * speed / root)});
            const double tol = method == "newmark" ? 2e-3 : 1e-4;  // newmark damps by itself, in proportion to the step
            EXPECT_NEAR(run.last("slider.velocity")[0] / speed, -1.0, tol);
            EXPECT_NEAR(run.last("slider.position")[0], 0.3, 0.3 * tol);
          }
}

// The same law as a formula, in three ways to write it.
TEST(Stops, kinks_of_laws_in_positions_are_met) {
  for (const std::string law : {"-k*max(0, displacement - 0.5)", "if(displacement > 0.5, -k*(displacement - 0.5), 0)",
                                "-k*(abs(displacement - 0.5) + displacement - 0.5)/2"})
    for (const std::string& method : methods) {
      SCOPED_TRACE(law + " " + method);
      const Recorded run = run_text(slider("kind = \"joint_spring\"\njoint = \"guide\"\nlaw = \"" + law + "\"\n"),
                                    {"solver.integrator=" + method, finest_of(method), "solver.atol=1e-9"});
      EXPECT_NEAR(run.last("slider.velocity")[0], -1.0, method == "newmark" ? 1e-3 : 1e-4);
    }
}

// Over all frames, those within the stop included, the errors of positions and velocities fall with the tolerance, a
// decade for each decade from 1e-5 on, also below 1e-8, where rounding of the constraints is near; those of BDF by what
// its orders leave, on half a period of a spring without a kink as well.
TEST(Stops, errors_of_all_frames_follow_the_tolerance) {
  struct Method {
    const char* integrator;
    double slope, finest;
  };
  for (const Method& method : {Method{"generalized_alpha", 0.95, 1e-9},
                               {"hht", 0.95, 1e-9},
                               {"newmark", 0.9, 1e-7},
                               {"midpoint", 0.95, 1e-9},
                               {"bdf", 0.3, 1e-8},
                               {"radau", 0.8, 1e-8},
                               {"runge_kutta", 0.8, 1e-8}})
    for (const auto& [k, speed] : {std::pair{1e3, 0.1}, {1e6, 1.0}}) {
      SCOPED_TRACE(fmt::format("{} k {:.0e} speed {}", method.integrator, k, speed));
      std::vector<double> errors;
      for (const double tol : {1e-5, method.finest}) {
        const double root = std::sqrt(k), t1 = 0.5 / speed, t2 = t1 + std::numbers::pi / root;
        const Recorded run =
            run_text(slider(limit), {std::string("solver.integrator=") + method.integrator,
                                     trammel::set("parameters.k", k), trammel::set("parameters.speed", speed),
                                     trammel::set("solver.rtol", tol), trammel::set("solver.atol", tol)});
        double largest = 0.0;
        for (std::size_t i = 0; i < run.times().size(); ++i) {
          const double t = run.times()[i], phase = root * (t - t1);
          const double x = t < t1 ? speed * t : t < t2 ? 0.5 + speed / root * std::sin(phase) : 0.5 - speed * (t - t2);
          const double v = t < t1 ? speed : t < t2 ? speed * std::cos(phase) : -speed;
          const Eigen::Index row = static_cast<Eigen::Index>(i);
          largest = std::max({largest, std::abs(run.values("guide.displacement")(row, 0) - x),
                              std::abs(run.values("guide.displacement_rate")(row, 0) - v) / speed});
        }
        errors.push_back(largest);
      }
      EXPECT_GT(std::log10(errors[0] / errors[1]), method.slope * std::log10(1e-5 / method.finest))
          << errors[0] << " " << errors[1];
      EXPECT_LT(errors[0], 2e-2);
    }
}

// The whole blow is 1 μm deep, as little as a hundredth of the tolerance: a test of positions alone would see none of
// it. Nor is the stop crept up to by steps that it turns back.
TEST(Stops, blows_below_the_tolerance_of_positions_return_the_speed) {
  for (const std::string method : {"generalized_alpha", "hht", "newmark", "midpoint", "radau", "runge_kutta"})
    for (const double tol : {1e-4, 1e-5, 1e-6, 1e-7}) {
      SCOPED_TRACE(fmt::format("{} {}", method, tol));
      const Recorded run =
          run_text(slider(limit), {"solver.integrator=" + method, "parameters.k=1e10", "parameters.speed=0.1",
                                   trammel::set("solver.rtol", tol), trammel::set("solver.atol", tol)});
      EXPECT_NEAR(run.last("slider.velocity")[0] / 0.1, -1.0, method == "newmark" ? 0.05 : std::max(1e-3, 50.0 * tol));
    }
}

// At default tolerances a blow may be as deep as atol, or a tenth of it: the speed is returned, or the run says that it
// is not.
TEST(Stops, blows_near_the_absolute_tolerance_are_right_or_told) {
  std::vector<std::string> all = methods;
  all.push_back("energy_decaying");
  for (const auto& [k, speed] : {std::pair{1e10, 0.1}, {1e10, 1e-2}, {1e10, 1e-3}, {1e8, 0.1}})
    for (const std::string& method : all) {
      SCOPED_TRACE(fmt::format("{} k {:.0e} speed {}", method, k, speed));
      const Recorded run = run_text(slider(limit), {"solver.integrator=" + method, trammel::set("parameters.k", k),
                                                    trammel::set("parameters.speed", speed)});
      const double lost = std::abs(run.last("slider.velocity")[0] / speed + 1.0);
      EXPECT_TRUE(lost < 5e-3 || !run.summary.alarms.empty()) << lost;
    }
}

// A rod that a motor presses against one stop and then the other, with damping: a long rest on the stops, many
// touch-downs before. The static depth is (20 sin 9° + m g l/2 cos φ)/k at the end.
TEST(Stops, a_motor_may_press_against_stops_for_long) {
  const std::string text = R"toml(
[[body]]
name = "rod"
shape = { kind = "rod", length = 1, axis = "x" }
mass = 2
position = [0.5, 0, 0]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "rod"]
point = [0, 0, 0]
axis = "y"
[[force]]
name = "wall"
kind = "joint_limit"
joint = "hinge"
upper = 0.3
lower = -0.2
stiffness = 1e6
damping = 300
[[force]]
name = "motor"
kind = "torque"
body = "rod"
torque = [0, "20*sin(3*t)", 0]
[analysis]
end = 3
)toml";
  const double weight = 2.0 * 9.81 * 0.5 * std::cos(0.3), torque = 20.0 * std::sin(9.0);
  for (const std::string& set : coordinates)
    for (const std::string& method : methods) {
      SCOPED_TRACE(set + " " + method);
      const Recorded run = run_text(text, {"solver.integrator=" + method, "solver.coordinates=" + set});
      // The midpoint rule leaves what its steps do not resolve swinging by the tolerance.
      EXPECT_NEAR(run.last_value("hinge.angle"), 0.3 + (weight + torque) / 1e6, method == "midpoint" ? 5e-7 : 1e-7);
      EXPECT_GT(run.values("hinge.angle").minCoeff(), -0.21);
      EXPECT_LT(run.summary.steps, method == "newmark" ? 20000 : 10000);  // some 120 kinks; newmark is of first order
    }
}

// A pendulum falls or is thrown against a damped stop. Where it is left its push falls to zero at a rate that is known
// of accelerations alone: steps must end there and not nearby, or each blow errs by a part of its own (some 30
// tolerances of the speed, which the next swing makes 100 of the angle).
TEST(Stops, blows_against_damped_stops_err_by_the_tolerance) {
  const auto pendulum = [](double k, double zeta, double speed) {
    constexpr double inertia = 2.0 / 3.0;
    return fmt::format(R"toml(
[[body]]
name = "rod"
shape = {{ kind = "rod", length = 1, axis = "x" }}
mass = 2
position = [0.5, 0, 0]
velocity = [0, 0, {}]
angular_velocity = [0, {}, 0]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "rod"]
point = [0, 0, 0]
axis = "y"
[[force]]
name = "wall"
kind = "joint_limit"
joint = "hinge"
upper = "deg(120)"
stiffness = {}
damping = {}
[analysis]
end = 2.5
[output]
interval = 0.0127
)toml",
                       -0.5 * speed, speed, k, 2.0 * zeta * std::sqrt(k * inertia));
  };
  for (const double k : {1e3, 1e5, 1e7})
    for (const double zeta : {0.05, 0.3})
      for (const double speed : {0.0, 5.0}) {
        const std::string text = pendulum(k, zeta, speed);
        const Eigen::MatrixXd exact =
            run_text(text, {"solver.integrator=radau", "solver.rtol=1e-10", "solver.atol=1e-12"}).values("hinge.angle");
        for (const double rtol : {1e-3, 1e-5, 1e-7})
          for (const std::string& set : coordinates)
            for (const char* method : {"auto", "runge_kutta", "radau"}) {
              SCOPED_TRACE(
                  fmt::format("k {:.0e} zeta {} speed {} rtol {:.0e} {} {}", k, zeta, speed, rtol, set, method));
              const Recorded run =
                  run_text(text, {fmt::format("solver.integrator={}", method), "solver.coordinates=" + set,
                                  fmt::format("solver.rtol={}", rtol), fmt::format("solver.atol={}", 1e-2 * rtol)});
              ASSERT_EQ(run.values("hinge.angle").rows(), exact.rows());
              EXPECT_LT((run.values("hinge.angle") - exact).cwiseAbs().maxCoeff(), 20.0 * rtol);  // 11 at k = 1e7
            }
      }
}

// At rest on a stop from the start nothing moves: x stays at its static depth.
TEST(Stops, what_rests_on_a_stop_at_the_start_stays) {
  for (const std::string& method : methods) {
    SCOPED_TRACE(method);
    std::string text = slider(limit);
    text = replace_once(text, "gravity = [0, 0, 0]", "gravity = [10, 0, 0]");
    text = replace_once(text, "upper = 0.5", "upper = \"-10/k\"");
    const Recorded run = run_text(text, {"solver.integrator=" + method, "parameters.speed=0", "analysis.end=1"});
    const Eigen::MatrixXd x = run.values("slider.position");
    EXPECT_LT((x.col(0).array() - x(0, 0)).abs().maxCoeff(), 1e-9);
  }
}

}  // namespace
}  // namespace trammel::test_stops
