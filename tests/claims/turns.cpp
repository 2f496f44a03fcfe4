// SPDX-License-Identifier: Apache-2.0
#include <numbers>

#include "run_model.h"

/// Angles of joints count every turn, however many a step holds: in recorded frames, within steps as well, in couplers
/// and in forces, with every integrator and in both sets of coordinates.

namespace trammel {

namespace {

const std::vector<std::string> integrators{"generalized_alpha", "hht", "newmark", "midpoint", "bdf", "radau",
                                           "runge_kutta"};

/// Two rotors on parallel axles, x₁ = −3 x₂ by gears, on a carrier that turns about the same direction; torque on the
/// first.
std::string geared_rotors(const std::string& kind, const std::string& torque, double speed) {
  const std::string inertia = kind == "planar" ? "2" : "[2, 2, 2]",
                    small = kind == "planar" ? "1.8" : "[1.8, 1.8, 1.8]";
  const std::string spin = kind == "planar" ? fmt::format("{}", speed) : fmt::format("[0, 0, {}]", speed);
  const std::string spin_2 =
      kind == "planar" ? fmt::format("{}", -speed / 3.0) : fmt::format("[0, 0, {}]", -speed / 3.0);
  return fmt::format(R"toml(
gravity = [0, 0, 0]
[[body]]
name = "first"
kind = "{0}"
mass = 1
inertia = {1}
position = [0, 0, 0]
angular_velocity = {4}
[[body]]
name = "second"
kind = "{0}"
mass = 1
inertia = {2}
position = [1, 0, 0]
angular_velocity = {5}
[[joint]]
name = "axle_1"
kind = "revolute"
bodies = ["ground", "first"]
point = [0, 0, 0]
axis = "z"
[[joint]]
name = "axle_2"
kind = "revolute"
bodies = ["ground", "second"]
point = [1, 0, 0]
axis = "z"
[[coupler]]
name = "mesh"
kind = "gear"
joints = ["axle_1", "axle_2"]
ratio = -3
[[force]]
name = "motor"
kind = "torque"
body = "first"
torque = [0, 0, "{3}"]
[analysis]
end = 10
[output]
interval = 0.0625
)toml",
                     kind, inertia, small, torque, spin, spin_2);
}

double largest_error(const Recorded& run, const std::string& channel, const std::function<double(double)>& exact) {
  const Eigen::MatrixXd x = run.values(channel);
  double largest = 0.0;
  for (std::size_t i = 0; i < run.times().size(); ++i)
    largest = std::max(largest, std::abs(x(static_cast<Eigen::Index>(i), 0) - exact(run.times()[i])));
  return largest;
}

}  // namespace

// J = 2 + 1.8/9 = 2.2: x = ω₀ t + α t²/2, ten steps for 1e4 rad. The motion is a polynomial: what is wrong is turns,
// 2π.
TEST(Turns, of_rotors_under_constant_torque_are_counted) {
  constexpr double rounding =
      1e-5;  // rates of charts of hundreds of radians are known to 1e-9, and dense output uses them
  for (const std::string kind : {"rigid", "planar"})
    for (const std::string& integrator : integrators)
      for (const std::string coordinates : {"absolute", "joint"})
        for (const auto& [speed, acceleration] : {std::pair{0.0, 200.0}, {300.0, -60.0}, {-20.0, 7.0}}) {
          SCOPED_TRACE(fmt::format("{} {} {} {} {}", kind, integrator, coordinates, speed, acceleration));
          const Recorded run = run_text(geared_rotors(kind, fmt::format("{}", 2.2 * acceleration), speed),
                                        {"solver.integrator=" + integrator, "solver.coordinates=" + coordinates});
          const auto exact = [&](double t) { return speed * t + 0.5 * acceleration * t * t; };
          EXPECT_LT(largest_error(run, "axle_1.angle", exact), rounding);
          EXPECT_LT(largest_error(run, "axle_2.angle", [&](double t) { return -exact(t) / 3.0; }), rounding);
        }
}

// ẍ = 400 + 900 cos 3t: 2.1e4 rad in steps of tens and hundreds of turns, which are not of one length.
TEST(Turns, under_a_torque_that_changes_the_error_falls_with_the_tolerance) {
  const auto exact = [](double t) { return 200.0 * t * t + 100.0 * (1.0 - std::cos(3.0 * t)); };
  for (const std::string& integrator : integrators) {
    if (integrator == "newmark") continue;  // of first order
    for (const std::string coordinates : {"absolute", "joint"}) {
      SCOPED_TRACE(integrator + " " + coordinates);
      std::vector<double> errors;
      for (const double tol : {1e-4, 1e-7}) {
        const Recorded run = run_text(geared_rotors("rigid", "2.2*(400 + 900*cos(3*t))", 0.0),
                                      {"solver.integrator=" + integrator, "solver.coordinates=" + coordinates,
                                       set("solver.rtol", tol), set("solver.atol", tol)});
        errors.push_back(largest_error(run, "axle_1.angle", exact));
        EXPECT_NEAR(largest_error(run, "axle_2.angle", [&](double t) { return -exact(t) / 3.0; }), errors.back() / 3.0,
                    1e-2 * errors.back() + 1e-9);
      }
      // Relative to an angle that grows to 2e4 rad; second order: two thirds of a decade per decade, less the few first
      // steps at 1e-4, in joint coordinates, which need no counting, as well.
      EXPECT_LT(errors[0], 1e-2 * 2e4);
      EXPECT_GT(std::log10(errors[0] / errors[1]), 0.5 * 3.0) << errors[0] << " " << errors[1];
    }
  }
}

// The Cayley map of a step turns by θ too little by θ³/12, which the error test holds to rtol θ: of an angle of a
// thousand radians a part of rtol, at any speed, in steps whose number falls with √rtol.
TEST(Turns, of_the_energy_decaying_scheme_err_by_a_part_of_their_tolerance) {
  for (const auto& [speed, acceleration] : {std::pair{0.0, 20.0}, {60.0, 8.0}}) {
    const auto exact = [&](double t) { return speed * t + 0.5 * acceleration * t * t; };
    for (const double tol : {1e-2, 1e-3}) {
      std::string model = geared_rotors("rigid", fmt::format("{}", 2.0 * acceleration), speed);
      const std::size_t second = model.rfind("[[body]]"), axle = model.rfind("[[joint]]"),
                        mesh = model.find("[[coupler]]"), motor = model.find("[[force]]");
      model.erase(mesh, motor - mesh).erase(axle, mesh - axle);  // one rotor: gears have no form for this scheme
      model.erase(second, model.find("[[joint]]") - second);
      const Recorded run = run_text(model, {"solver.integrator=energy_decaying", "solver.coordinates=absolute",
                                            set("solver.rtol", tol), set("solver.atol", tol)});
      const double error = largest_error(run, "axle_1.angle", exact);
      EXPECT_LT(error, tol * exact(10.0));
      EXPECT_GT(error, 0.05 * tol * exact(10.0));  // and not in more steps than that takes
    }
  }
}

}  // namespace trammel
