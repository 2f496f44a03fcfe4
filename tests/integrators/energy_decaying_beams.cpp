#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numbers>

#include "energy_decaying_runs.h"

// Beams with interpolated directors and stresses as unknowns under the energy-decaying scheme.

namespace trammel {
namespace {

using testing::Follow, testing::read_machine;

// A stiff beam of four elements that flies and turns, a flexible one that swings from a pin.
const std::string free_beam = R"toml(
gravity = [0, 0, 0]
[[beam]]
name = "beam"
points = [[0, 0, 0], [1, 0, 0]]
elements = 4
order = 1
section = { kind = "given", stiffness = [1e6, 4e5, 4e5, 80, 100, 100], mass = 1, inertia = [2e-4, 1e-4, 1e-4] }
angular_velocity_world = [0, 0, 10]
about = [0.5, 0, 0]
[analysis]
end = 1
[solver]
integrator = "energy_decaying"
)toml";

const std::string flexible_pendulum = R"toml(
gravity = [0, 0, -9.81]
[[beam]]
name = "beam"
points = [[0, 0, 0], [1, 0, 0]]
elements = 4
section = { kind = "given", stiffness = [1e5, 4e4, 4e4, 8, 10, 10], mass = 1, inertia = [2e-4, 1e-4, 1e-4] }
[[joint]]
name = "pin"
kind = "revolute"
bodies = ["ground", "beam_0"]
point = [0, 0, 0]
axis = "y"
[analysis]
end = 1
[solver]
integrator = "energy_decaying"
)toml";

double loss_of_free_beam(double h) {
  Follow run(read_machine(free_beam, h, 0.6));
  const double E_0 = run.energy();
  run.to_the_end();
  run.expect_law();
  return 1.0 - run.energy() / E_0;
}

// The curvature of the path is in the rates of strains: a slender beam that turns by ωh = 0.1 rad per step loses what a
// rod does, 3.898e-4 per turn of 100 steps, O(h³), and nothing for its stiffness. Without curvature it would be 10 %.
TEST(EnergyDecayingBeams, a_turning_beam_loses_no_more_than_a_rigid_rod) {
  const double turns = 0.6 * 10.0 / (2.0 * std::numbers::pi);
  for (const double h : {0.01, 0.005}) {
    const double steps_per_turn = 2.0 * std::numbers::pi / (10.0 * h);
    const double rod = 3.898e-4 * std::pow(100.0 / steps_per_turn, 3) * turns;
    const double loss = loss_of_free_beam(h);
    RecordProperty(fmt::format("loss_{}", h), fmt::format("{:.4g}", loss));
    EXPECT_NEAR(loss / rod, 1.0, 0.1) << "h = " << h;
  }
}

// Axial waves have ωh = 4000 here: as stresses are unknowns, Newton's iteration does not see them.
TEST(EnergyDecayingBeams, newton_does_not_see_the_stiffness_at_large_steps) {
  for (const double h : {0.01, 0.1, 0.5, 1.0}) {
    Follow run(read_machine(free_beam, h, 50.0 * h));
    run.to_the_end();
    run.expect_law();
    const double iterations = static_cast<double>(run.iterations()) / run.steps();
    RecordProperty(fmt::format("iterations_{}", h), fmt::format("{:.2f}", iterations));
    EXPECT_LE(iterations, 7.0) << "h = " << h;
    EXPECT_EQ(run.rejected(), 0) << "h = " << h;
  }
}

TEST(EnergyDecayingBeams, a_flexible_pendulum_never_gains_energy) {
  for (const double h : {0.002, 0.02, 0.2}) {
    Follow run(read_machine(flexible_pendulum, h, 200.0 * h));
    run.to_the_end();
    run.expect_law();
  }
}

// Other integrators interpolate rotation vectors: the same beam, apart from the interpolation within elements.
TEST(EnergyDecayingBeams, a_flexible_pendulum_swings_as_with_radau) {
  Follow run(read_machine(flexible_pendulum, 5e-4, 0.3));
  run.to_the_end();
  Study precise = read_machine(flexible_pendulum, 1e-3, 0.3);
  precise.solver.integrator = "radau";
  precise.solver.h.reset();
  precise.solver.rtol = precise.solver.atol = 1e-8;
  Simulation radau(precise);
  while (radau.integrator().newest().t < 0.3) ASSERT_TRUE(radau.integrator().advance(0.3, radau.state()).status.ok());
  const auto frames = radau.calc_frames(radau.integrator().newest(), radau.state());
  const Eigen::Vector3d tip = frames.back().p, own = run.frame("beam_12").p;
  RecordProperty("difference", fmt::format("{:.3g}", (tip - own).norm()));
  EXPECT_LT((tip - own).norm(), 1e-3);
  EXPECT_GT((tip - Eigen::Vector3d(1.0, 0.0, 0.0)).norm(), 0.3);
}

// A rigid motion does not strain, and what is drawn is without stress however it is curved.
TEST(EnergyDecayingBeams, a_curved_beam_at_rest_stays_at_rest) {
  const std::string arch = R"toml(
gravity = [0, 0, 0]
[[beam]]
name = "arch"
curve = ["sin(2*s)", "0.2*s", "1 - cos(2*s)"]
elements = 3
section = { kind = "given", stiffness = [1e5, 4e4, 4e4, 8, 10, 10], mass = 1, inertia = [2e-4, 1e-4, 1e-4] }
start_body = "ground"
[analysis]
end = 1
[solver]
integrator = "energy_decaying"
)toml";
  Follow run(read_machine(arch, 0.05, 1.0));
  run.to_the_end();
  EXPECT_LT(run.newest().v.norm(), 1e-9);
}

}  // namespace
}  // namespace trammel
