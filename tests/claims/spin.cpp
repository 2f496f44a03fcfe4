#include "run_model.h"

/// The energy-decaying scheme turns bodies by what their speed says, up to a quarter of a turn in a step; what it
/// leaves beyond that is in its error test.

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

bool has_note(const Recorded& run, const std::string& words) {
  for (const std::string& note : run.summary.notes)
    if (note.find(words) != std::string::npos) return true;
  return false;
}

}  // namespace

// x = ω₀/ν sin νt, ν² = k/J. The angle errs by some rtol of what it turned, 200 rad.
TEST(EnergyDecayingSpin, a_rotor_on_a_weak_spring_errs_by_its_tolerance) {
  for (const auto& [speed, stiffness] : {std::pair{100.0, 1.0}, {100.0, 0.01}, {5.0, 0.01}}) {
    const double nu = std::sqrt(stiffness);
    for (const double tol : {1e-3, 1e-5, 1e-7}) {
      SCOPED_TRACE(fmt::format("{} rad/s, {} N m/rad, {}", speed, stiffness, tol));
      const Recorded run =
          run_text(rotor_on_spring(speed, stiffness), {set("solver.rtol", tol), set("solver.atol", tol)});
      const Eigen::MatrixXd x = run.values("hinge.angle");
      double error = 0.0;
      for (std::size_t i = 0; i < run.times().size(); ++i)
        error =
            std::max(error, std::abs(x(static_cast<Eigen::Index>(i), 0) - speed / nu * std::sin(nu * run.times()[i])));
      EXPECT_LT(error, 2.0 * tol * 2.0 * speed);
      EXPECT_FALSE(has_note(run, "fell behind"));
    }
  }
}

// A body that turns by 1 rad in a step of 0.01 s is where it should be (2 atan ½ = 0.927 rad would be 15 rad behind);
// of 5 rad in a step of 0.05 s no map of less than half a turn can show them all: the summary tells.
TEST(EnergyDecayingSpin, a_fixed_step_shows_up_to_a_quarter_of_a_turn) {
  const Recorded run = run_text(rotor_on_spring(100.0, 1.0), {"solver.h=0.01"});
  EXPECT_NEAR(run.last_value("hinge.angle"), 100.0 * std::sin(2.0), 1e-3);
  EXPECT_FALSE(has_note(run, "fell behind"));
  EXPECT_TRUE(has_note(run_text(rotor_on_spring(100.0, 1.0), {"solver.h=0.05"}), "fell behind"));
}

/// A flywheel on an arm, both driven by a torque that changes, beside a weight on a spring that the arm carries along.
/// Energy never grows by itself, whatever the step: 1e-3 to 3 rad of the flywheel.
TEST(EnergyDecayingSpin, the_energy_law_holds_for_any_turn_of_a_step) {
  const std::string machine = R"toml(
gravity = [0, 0, -9.81]
[[body]]
name = "arm"
mass = 2
inertia = [0.1, 0.2, 0.25]
position = [0.5, 0, 0]
[[body]]
name = "wheel"
mass = 1
inertia = [0.02, 0.01, 0.01]
position = [1, 0, 0.2]
angular_velocity = [30, 0, 0]
[[body]]
name = "weight"
mass = 0.5
inertia = [0.01, 0.02, 0.03]
position = [1, 0, -0.6]
angular_velocity = [1, 7, 2]
[[joint]]
name = "pivot"
kind = "spherical"
bodies = ["ground", "arm"]
point = [0, 0, 0]
[[joint]]
name = "axle"
kind = "revolute"
bodies = ["arm", "wheel"]
point = [1, 0, 0.2]
axis = "x"
[[force]]
name = "spring"
kind = "spring_damper"
point_a = { body = "arm", at = [0.5, 0, 0] }
point_b = { body = "weight", at = [0.1, 0, 0.2] }
stiffness = 200
free_length = 0.3
[analysis]
end = 2
[output]
every_step = true
[solver]
integrator = "energy_decaying"
)toml";
  for (const double h : {0.005, 0.02, 0.05, 0.1}) {
    SCOPED_TRACE(h);
    const Recorded run = run_text(machine, {set("solver.h", h)});
    const Eigen::MatrixXd kinetic = run.values("energy.kinetic"), potential = run.values("energy.potential");
    const double first = kinetic(0, 0) + potential(0, 0);
    // Shown velocities are projected, which only loses kinetic energy; the scheme's own are in /solver/energy.
    const Eigen::MatrixXd energy = run.record.read("/solver/energy").values;
    double before = first;
    for (Eigen::Index i = 0; i < energy.rows(); ++i) {
      EXPECT_LE(energy(i, 0), before + 1e-9 * std::abs(first));
      before = energy(i, 0);
    }
    EXPECT_LT(before, first);
  }
}

}  // namespace trammel
