// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Core>

#include "energy_decaying_runs.h"
#include "trammel/formulations/index3.h"

// Beams with interpolated directors and stresses as unknowns under the energy-decaying scheme.

namespace trammel::test_energy_decaying_beams {
namespace {

using testing::Follow, testing::read_machine;

// A stiff beam of four elements that flies and turns about one of its points, a flexible one that swings from a pin.
const std::string free_beam = R"toml(
gravity = [0, 0, 0]
[parameters]
about = 0
[[beam]]
name = "beam"
points = [[0, 0, 0], [1, 0, 0]]
elements = 4
order = 1
section = { kind = "given", stiffness = [1e6, 4e5, 4e5, 80, 100, 100], mass = 1, inertia = [2e-4, 1e-4, 1e-4] }
angular_velocity_world = [0, 0, 10]
about = ["about", 0, 0]
[analysis]
end = 1
[solver]
integrator = "energy_decaying"
)toml";
const char *about_its_end = "parameters.about=0", *about_its_centre = "parameters.about=0.5";

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

// Of the whole machine, about the origin, with the velocities of the scheme.
Eigen::Vector3d angular_momentum(Follow& run) {
  const AbsoluteSystem& system = *run.simulation().assembly().system;
  MotionVariables at = run.newest();
  at.v = run.scheme().velocities();
  const std::vector<Frame<double>> frames = run.simulation().calc_frames(at, run.simulation().state());
  Eigen::Vector3d H = Eigen::Vector3d::Zero();
  for (int f = 1; f < system.n_frames(); ++f) {
    const FrameMap& map = system.frame_map(f);
    H += map.mass * frames[f].p.cross(frames[f].v) + frames[f].R * (map.inertia * frames[f].w);
  }
  return H;
}

// The beam that turns about its end and bends a little: v_z = x²/2 on top, 7e-5 of the energy as vibration.
void bend(Follow& run) {
  const AbsoluteSystem& system = *run.simulation().assembly().system;
  const std::vector<Frame<double>> frames = run.simulation().calc_frames(run.newest(), run.simulation().state());
  MotionVariables at = run.simulation().initial();
  for (int f = 1; f < system.n_frames(); ++f)
    at.v[system.frame_map(f).offset + 2] += 0.5 * frames[f].p.x() * frames[f].p.x();
  ASSERT_TRUE(run.scheme().start(at, run.simulation().state()).ok());
}

double loss(Follow& run) {
  run.step();
  const double E_0 = run.scheme().ledger()->energy_before;
  run.to_the_end();
  run.expect_law();
  return 1.0 - run.energy() / E_0;
}

// The impulse at j acts across the path, along ζ_j, so that the mean of v_j and v_f has the speed of v_0 along it; as
// v_f is turned by θ = ωh, v_j is longer by θ²/2. A point that turns loses ½|v_j − v_0|², θ⁴/4 of its energy, in every
// step: O(h³) in a given time (a rod: 3.898e-4 in a turn of 100 steps). What the centre of mass moves and what nodes
// turn about themselves costs nothing. Beside it the start without stress costs the energy of the stretch by
// centrifugal forces N, Σ N²l/2EA, once.
TEST(EnergyDecayingBeams, a_turning_beam_loses_no_more_than_a_rigid_rod) {
  constexpr double omega = 10.0, T = 0.6, stretch = 4.883e-5;
  constexpr double E_turning = 0.5 * 0.09375 * omega * omega;  // of lumps 1/8, 1/4, 1/4, 1/4, 1/8 about the centre
  constexpr double E_nodes = 0.5 * 1e-4 * omega * omega, E_flying = 0.5 * 0.25 * omega * omega;
  for (const bool flies : {false, true})
    for (const double h : {0.01, 0.005, 0.0025}) {
      const double E_0 = E_turning + E_nodes + (flies ? E_flying : 0.0);
      const double rod = -std::expm1(-T / h * std::pow(omega * h, 4) / 4.0);
      Follow run(read_machine(free_beam, h, T, {flies ? about_its_end : about_its_centre}));
      const double measured = loss(run);
      RecordProperty(fmt::format("loss_{}_{}", flies ? "end" : "centre", h), fmt::format("{:.4g}", measured));
      EXPECT_NEAR(measured / ((rod * E_turning + stretch) / E_0), 1.0, 0.02) << "h = " << h;
    }
}

// A beam of EA 1e6, EI 100, mass 1 and length 1 that turns about its end with 10 rad/s and bends a little loses
// 4.7e-4, 1.2e-4, 2.9e-5 of its energy in 0.6 s: the rod's loss falls by eight when h is halved, the bending vibration
// (ωh = 2, 1, 0.5) dies at the two larger steps and lives at the smallest.
TEST(EnergyDecayingBeams, a_beam_that_turns_and_bends_loses_little) {
  const std::pair<double, double> expected[] = {{0.01, 4.7e-4}, {0.005, 1.2e-4}, {0.0025, 2.9e-5}};
  for (const auto& [h, known] : expected) {
    Follow run(read_machine(free_beam, h, 0.6, {about_its_end}));
    bend(run);
    const double measured = loss(run);
    RecordProperty(fmt::format("loss_{}", h), fmt::format("{:.4g}", measured));
    EXPECT_NEAR(measured / known, 1.0, 0.06) << "h = " << h;
    if (h == 0.01) {
      EXPECT_LT(measured, 6e-4);
    }
  }
}

// Angular momentum under internal forces is not exact, but of third order.
TEST(EnergyDecayingBeams, a_turning_beam_keeps_its_angular_momentum_to_third_order) {
  const std::pair<double, double> expected[] = {
      {0.01, 2.34e-4}, {0.005, 2.92e-5}, {0.0025, 3.65e-6}, {0.00125, 4.57e-7}};
  for (const auto& [h, known] : expected) {
    Follow run(read_machine(free_beam, h, 0.2, {about_its_end}));
    const Eigen::Vector3d H_0 = angular_momentum(run);
    run.to_the_end();
    EXPECT_NEAR((angular_momentum(run) - H_0).norm() / known, 1.0, 0.02) << "h = " << h;
  }
}

/// The fallback: curvature left out of every step.
class WithoutCurvature final : public JumpSystem {
 public:
  explicit WithoutCurvature(const AbsoluteSystem& system, std::span<const Frame<double>> drawn) : own_(system, drawn) {}
  int nv() const override { return own_.nv(); }
  int nz() const override { return own_.nz(); }
  int n_multipliers() const override { return own_.n_multipliers(); }
  int n_memory() const override { return own_.n_memory(); }
  const Layout& layout() const override { return own_.layout(); }
  std::unique_ptr<Workspace> make_workspace() const override { return own_.make_workspace(); }
  void calc_memory(const MotionVariables& from, const State& state, Vec memory, Workspace& ws) const override {
    own_.calc_memory(from, state, memory, ws);
  }
  Status begin(const MotionVariables& from, ConstVec memory, const State& state, Workspace& ws) const override {
    return own_.begin(from, memory, state, ws);
  }
  void resize(double h, double, double t_inputs, Workspace& ws) const override { own_.resize(h, 0.0, t_inputs, ws); }
  void guess(Vec y, const Workspace& ws) const override { own_.guess(y, ws); }
  const Pattern& pattern(const Workspace& ws) const override { return own_.pattern(ws); }
  Status residual(ConstVec y, Vec r, Workspace& ws) const override { return own_.residual(y, r, ws); }
  Status linearize(ConstVec y, std::span<double> values, Workspace& ws) const override {
    return own_.linearize(y, values, ws);
  }
  void finish(ConstVec y, MotionVariables& to, Vec memory, JumpLedger& ledger, Workspace& ws) const override {
    own_.finish(y, to, memory, ledger, ws);
  }

 private:
  SlotSystem own_;
};

// With ζ in the middle of the step v_j − v_0 swallows the centripetal acceleration: the law holds, the order is one.
TEST(EnergyDecayingBeams, without_curvature_a_turning_beam_loses_a_tenth) {
  const std::pair<double, double> expected[] = {{0.01, 0.10}, {0.005, 0.056}, {0.0025, 0.024}};
  for (const auto& [h, known] : expected) {
    Simulation simulation(read_machine(free_beam, h, 0.6, {about_its_end}));
    const AbsoluteSystem& system = *simulation.assembly().system;
    State state = simulation.state();
    const std::vector<Frame<double>> drawn = simulation.calc_frames(simulation.initial(), state);
    const Index3 dae(system);
    StepOptions options;
    options.h = h;
    EnergyDecaying scheme(std::make_unique<WithoutCurvature>(system, drawn), dae, options, LinearSolverKind::sparse_lu,
                          {});
    ASSERT_TRUE(scheme.start(simulation.initial(), state).ok());
    double E_0 = 0.0;
    while (scheme.newest().t < 0.6) {
      ASSERT_TRUE(scheme.advance(0.6, state).status.ok());
      const JumpLedger& ledger = *scheme.ledger();
      if (E_0 == 0.0) E_0 = ledger.energy_before;
      ASSERT_LE(ledger.energy, ledger.energy_before + 1e-12 * E_0);
      ASSERT_LE(std::abs(ledger.defect()), 1e-11 * E_0);
    }
    EXPECT_NEAR(1.0 - scheme.ledger()->energy / E_0, known, 0.03 * known) << "h = " << h;
  }
}

// Axial waves have ωh = 4000 here: as stresses are unknowns, Newton's iteration does not see them. At h = 1 the first
// step turns by 10 rad and takes a continuation in h, some 70 iterations; most others take 4.
TEST(EnergyDecayingBeams, newton_does_not_see_the_stiffness_at_large_steps) {
  for (const bool bends : {false, true})
    for (const double h : {0.01, 0.1, 0.5, 1.0}) {
      Follow run(read_machine(free_beam, h, 200.0 * h, {about_its_end}));
      if (bends) bend(run);
      run.to_the_end();
      run.expect_law();
      const double iterations = static_cast<double>(run.iterations()) / run.steps();
      RecordProperty(fmt::format("iterations_{}{}", h, bends ? "_bent" : ""), fmt::format("{:.2f}", iterations));
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
  precise.solver.integrator = Integrator::radau;
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
}  // namespace trammel::test_energy_decaying_beams
