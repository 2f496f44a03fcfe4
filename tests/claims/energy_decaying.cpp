// SPDX-License-Identifier: Apache-2.0
#include "run_model.h"
#include "trammel/simulation/option.h"

// What the energy-decaying scheme promises to users (docs/integrators/energy_decaying.md), through model files.

namespace trammel::test_energy_decaying {
namespace {

/// The largest growth of energy beyond what was supplied in a step, from the recorded ledger.
double largest_growth(const Recorded& run, double energy_at_start) {
  const Eigen::MatrixXd energy = run.record.read("/solver/energy").values;
  const Eigen::MatrixXd supplied = run.record.read("/solver/supplied").values;
  double growth = 0.0, before = energy_at_start;
  for (Eigen::Index i = 0; i < energy.rows(); ++i) {
    growth = std::max(growth, energy(i, 0) - before - supplied(i, 0));
    before = energy(i, 0);
  }
  return growth;
}

Study study_with_step(const std::string& file, double h, double end) {
  Study study = read_study(example(file), {});
  study.solver = {};
  study.solver.integrator = Integrator::energy_decaying;
  study.solver.h = h;
  study.analysis.end = end;
  study.output = {};
  study.output.every_step = true;
  return study;
}

/// By how much the energy rises above that of the start, relative to it, while the midpoint rule moves the same
/// machine.
double growth_by_midpoint(Study study, double end) {
  study.solver.integrator = Integrator::midpoint;
  study.analysis.end = end;
  const Recorded run = trammel::run(study);
  const Eigen::MatrixXd energy = run.values("energy.kinetic") + run.values("energy.potential");
  return energy.maxCoeff() / run.summary.energy_start - 1.0;
}

// 1.5 to 15 000 rad per step. The midpoint rule gains 7 % in one step of 50 ms and does not find the next.
TEST(EnergyDecayingClaims, the_heavy_top_never_gains_energy_at_any_step) {
  for (const double h : {0.01, 0.05, 0.1, 1.0, 10.0, 100.0}) {
    const Study study = study_with_step("05_heavy_top/heavy_top.toml", h, 200.0 * h);
    const Recorded run = trammel::run(study);
    EXPECT_LE(largest_growth(run, run.summary.energy_start), 1e-12 * run.summary.energy_start) << "h = " << h;
  }
  Study midpoint = study_with_step("05_heavy_top/heavy_top.toml", 0.05, 0.05);
  midpoint.solver.max_iterations = 100;
  EXPECT_GT(growth_by_midpoint(midpoint, 0.05), 0.01);
}

const char* flexible_pendulum = R"(
gravity = [0, 0, -9.81]
[[beam]]
name = "beam"
points = [[0, 0, 0], [1, 0, 0]]
elements = 4
section = { kind = "given", stiffness = [1e5, 4e4, 4e4, 8, 10, 10], mass = 1, inertia = [2e-4, 1e-4, 1e-4] }
angular_velocity_world = [0, 4, 0]
[[joint]]
name = "pin"
kind = "revolute"
bodies = ["ground", "beam_0"]
point = [0, 0, 0]
axis = "y"
[analysis]
end = 4
[solver]
integrator = "energy_decaying"
h = 0.02
[output]
every_step = true
)";

// Cubic elements, with axial waves of ωh above 100. The midpoint rule gains 5 % in the first step and does not find the
// third.
TEST(EnergyDecayingClaims, a_flexible_pendulum_never_gains_energy_where_the_midpoint_rule_does) {
  for (const char* h : {"solver.h=0.002", "solver.h=0.02", "solver.h=0.2"}) {
    const Recorded run = run_text(flexible_pendulum, {h});
    const double start = run.summary.energy_start;
    EXPECT_GT(start, 2.6);
    EXPECT_LE(largest_growth(run, start), 1e-12 * start) << h;
  }
  const SetList patient = {"solver.max_iterations=100"};
  EXPECT_GT(growth_by_midpoint(read_study_text(flexible_pendulum, "model.toml", patient), 0.02), 0.01);
}

const char* stiff_pendulum = R"(
gravity = [0, 0, -9.81]
[[body]]
name = "bob"
kind = "particle"
mass = 1
position = [1, 0, 0]
velocity = [5, 0, 0]
[[force]]
name = "rod"
kind = "spring_damper"
bodies = ["ground", "bob"]
point_a = [0, 0, 0]
point_b = [1, 0, 0]
stiffness = 1e4
[analysis]
end = 10
[solver]
integrator = "energy_decaying"
h = 0.02
[output]
every_step = true
)";

// A pendulum on a stiff spring that vibrates, with a step that does not resolve it (ωh = 2): the midpoint rule gains
// energy, this one never does.
TEST(EnergyDecayingClaims, a_stiff_pendulum_never_gains_energy_where_the_midpoint_rule_does) {
  const Recorded run = run_text(stiff_pendulum);
  const double start = run.summary.energy_start;
  EXPECT_LE(largest_growth(run, start), 1e-12 * start);
  EXPECT_GT(growth_by_midpoint(read_study_text(stiff_pendulum, "model.toml", {}), 10.0), 0.01);
}

/// Displacements of the thin beam's mid-span every 20 ms up to 0.2 s: it buckles at 0.06 s.
Eigen::MatrixXd thin_beam(const std::string& integrator, double h) {
  Study study = study_with_step("11_thin_beam/thin_beam.toml", h, 0.2);
  study.solver.integrator = parse_word<Integrator>(integrator);
  if (integrator == "radau") study.solver.formulation = Formulation::index3;
  study.output = {};
  study.output.interval = 0.02;
  const Recorded run = trammel::run(study);
  Eigen::MatrixXd u(run.values("u1").rows(), 3);
  u << run.values("u1"), run.values("u2"), run.values("u3");
  return u;
}

// [bauchau2009 section 9]: order two through the buckling, against Radau, whose elements interpolate rotation vectors
// instead of directors: with cubic elements the two are one beam (measured: 1.0e-4, 2.0e-5, 4.1e-6, 8.6e-7 m at 2, 1,
// 0.5, 0.25 ms).
TEST(EnergyDecayingClaims, the_thin_beam_buckles_as_with_radau_and_converges_with_second_order) {
  const Eigen::MatrixXd exact = thin_beam("radau", 2.5e-4);
  EXPECT_GT(exact.col(1).cwiseAbs().maxCoeff(), 0.02);
  const double coarse = (thin_beam("energy_decaying", 2e-3) - exact).rowwise().norm().maxCoeff();
  const double fine = (thin_beam("energy_decaying", 1e-3) - exact).rowwise().norm().maxCoeff();
  EXPECT_LT(fine, 4e-5);
  EXPECT_GT(observed_order(coarse, fine), 2.0);
  EXPECT_LT(observed_order(coarse, fine), 3.0);
}

// What does not apply is refused before anything runs, with its place.
TEST(EnergyDecayingClaims, options_that_do_not_apply_are_refused_by_name) {
  const std::pair<const char*, const char*> wrong[] = {{"solver.formulation=index3", "formulation"},
                                                       {"solver.coordinates=joint", "directors"},
                                                       {"solver.scaling={kind=\"left\"}", "powers of h"},
                                                       {"solver.scaling={kind=\"physical\", k_ave=1}", "compliances"}};
  for (const auto& [setting, word] : wrong) {
    try {
      const Simulation simulation(read_study_text(stiff_pendulum, "model.toml", SetList{setting}));
      ADD_FAILURE() << setting << " was accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace trammel::test_energy_decaying
