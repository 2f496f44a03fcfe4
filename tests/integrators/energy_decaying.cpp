// SPDX-License-Identifier: Apache-2.0
#include "trammel/integrators/energy_decaying.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <random>

#include "energy_decaying_runs.h"
#include "trammel/formulations/index3.h"
#include "trammel/linalg/dense_decompositions.h"
#include "trammel/mechanics/elements/constraint_group.h"
#include "trammel/mechanics/elements/constraints.h"

// The energy-decaying scheme: its law, its damping, its orders, its matrix (docs/integrators/energy_decaying.md).

namespace trammel::test_energy_decaying {
namespace {

using testing::Follow, testing::read_machine, testing::replace_once;

// ---- damping -------------------------------------------------------------------------------------------------------

const char* oscillator = R"(
gravity = [0, 0, 0]
[parameters]
x = 0
v = 0
[[body]]
name = "mass"
mass = 1
inertia = [1, 1, 1]
velocity = ["v", 0, 0]
[[joint]]
name = "line"
kind = "prismatic"
bodies = ["ground", "mass"]
point = [0, 0, 0]
axis = "x"
[[force]]
name = "spring"
kind = "joint_spring"
joint = "line"
stiffness = 1
free_value = "-x"
[analysis]
end = 1
[solver]
integrator = "energy_decaying"
)";

// Position relative to the spring's rest and velocity after one step from (x, v).
Eigen::Vector2d step_of_oscillator(double h, double x, double v) {
  Follow run(read_machine(oscillator, h, h, {fmt::format("parameters.x={}", x), fmt::format("parameters.v={}", v)}));
  run.step();
  return {run.newest().q[0] + x, run.scheme().velocities()[0]};
}

// x'' = −ω² x: the spectral radius is that of Radau IIA with two stages, R(z) = (1 + z/3)/(1 − 2z/3 + z²/6) at z = iωh,
// and tends to 2/(ωh): what is not resolved dies at once.
TEST(EnergyDecaying, damps_an_oscillation_like_radau_with_two_stages) {
  const std::pair<double, double> expected[] = {{0.1, .9999986},  {1.0, .9877296},    {3.0, .6859943},
                                                {10.0, .2043978}, {100.0, 2.0005e-2}, {1e4, 2.0e-4}};
  for (const auto& [wh, radius] : expected) {
    Eigen::Matrix2d A;
    A << step_of_oscillator(wh, 1.0, 0.0), step_of_oscillator(wh, 0.0, 1.0);
    const double measured = calc_eigenpairs(A).values.cwiseAbs().maxCoeff();
    EXPECT_NEAR(measured, radius, 1e-6) << "ωh = " << wh;
    const std::complex<double> z(0.0, wh);
    EXPECT_NEAR(measured, std::abs((1.0 + z / 3.0) / (1.0 - 2.0 * z / 3.0 + z * z / 6.0)), 1e-12);
  }
}

// ---- free rotation -------------------------------------------------------------------------------------------------

const char* free_body = R"(
gravity = [0, 0, 0]
[[body]]
name = "brick"
mass = 1
inertia = [1, 2, 3]
angular_velocity = [0.1, 5, 0.2]
[analysis]
end = 1
[solver]
integrator = "energy_decaying"
)";

// Without moments dL = 0 and Ω_j = Ω_0: nothing is lost at any step, 1.5 or 5000 rad.
TEST(EnergyDecaying, keeps_energy_and_angular_momentum_of_a_free_body_at_any_step) {
  const Eigen::Vector3d J(1.0, 2.0, 3.0);
  for (const double h : {0.3, 1000.0}) {
    Follow run(read_machine(free_body, h, 1000.0 * h));
    const Frame<double> first = run.frame("brick");
    const Eigen::Vector3d L_0 = first.R * J.cwiseProduct(first.w);
    const double E_0 = 0.5 * first.w.dot(J.cwiseProduct(first.w));
    run.to_the_end();
    const Frame<double> last = run.frame("brick");
    EXPECT_NEAR(0.5 * last.w.dot(J.cwiseProduct(last.w)) / E_0, 1.0, 1e-12) << h;
    EXPECT_LT((last.R * J.cwiseProduct(last.w) - L_0).norm() / L_0.norm(), 1e-12) << h;
    EXPECT_EQ(run.steps(), 1000);
    run.expect_law();
  }
}

// ---- rods ----------------------------------------------------------------------------------------------------------

const char* rod = R"(
[parameters]
g = 0
v = 1
[[body]]
name = "bob"
kind = "particle"
mass = 1
position = [1, 0, 0]
velocity = [0, 0, "v"]
[[joint]]
name = "rod"
kind = "distance"
bodies = ["ground", "bob"]
point = [0, 0, 0]
point_b = [1, 0, 0]
[analysis]
end = 1
[solver]
integrator = "energy_decaying"
)";

double loss_per_turn(int steps) {
  Follow run(
      read_machine(std::string("gravity = [0, 0, 0]\n") + rod, 1.0 / steps, 1.0, {"parameters.v=6.283185307179586"}));
  const double E_0 = run.energy();
  run.to_the_end();
  run.expect_law();
  return 1.0 - run.energy() / E_0;
}

// Constraint rates at j and f contain the curvature of the path, so that the motion itself is hardly damped: the loss
// is O(h³), 0.04 % in a turn of 100 steps. (The scheme that keeps a position after the jump would lose 28 %.)
TEST(EnergyDecaying, loses_little_of_a_rotating_rod) {
  const double coarse = loss_per_turn(100), fine = loss_per_turn(200);
  EXPECT_NEAR(coarse, 3.898e-4, 0.01 * 3.898e-4);
  EXPECT_NEAR(coarse / fine, 8.0, 0.2);
}

// A velocity along the rod is removed in the first step and the reactions are smooth from the second on (the midpoint
// rule would carry it on for ever, with alternating signs).
TEST(EnergyDecaying, removes_a_velocity_across_the_constraint_in_one_step) {
  Follow run(read_machine(std::string("gravity = [0, 0, -1]\n") + rod, 0.01, 1.0, {"parameters.v=0.5"}));
  MotionVariables kicked = run.simulation().initial();
  kicked.v[0] += 0.1;
  EXPECT_TRUE(run.scheme().start(kicked, run.simulation().state()).ok());
  const double lam[] = {10.24, 0.23, 0.21, 0.20};
  for (const double expected : lam) {
    run.step();
    EXPECT_NEAR(run.energy(), 0.124999, 1e-6);
    EXPECT_NEAR(run.scheme().multipliers()[0], expected, 0.005);
  }
  run.expect_law();
}

// ---- the heavy top -------------------------------------------------------------------------------------------------

struct TopState {
  Eigen::Vector3d x, v;
};

TopState top_at_one_second(double h, double* loss = nullptr) {
  Follow run(testing::read_example("05_heavy_top/heavy_top.toml", h, 1.0));
  const double E_0 = run.energy();
  run.to_the_end();
  run.expect_law();
  if (loss) *loss = std::abs(run.energy() - E_0) / E_0;
  const Frame<double> f = run.frame("top");
  return {f.p, f.v};
}

TopState precise_top() {
  Study study = testing::read_example("05_heavy_top/heavy_top.toml", 0.0, 1.0);
  study.solver.integrator = Integrator::radau;
  study.solver.rtol = study.solver.atol = 1e-12;
  Simulation simulation(study);
  while (simulation.integrator().newest().t < 1.0)
    EXPECT_TRUE(simulation.integrator().advance(1.0, simulation.state()).status.ok());
  const auto frames = simulation.calc_frames(simulation.integrator().newest(), simulation.state());
  return {frames[1].p, frames[1].v};
}

TEST(EnergyDecaying, moves_the_heavy_top_with_second_order) {
  const TopState exact = precise_top();
  double loss = 0.0;
  const TopState at_1e3 = top_at_one_second(1e-3, &loss);
  EXPECT_LT((at_1e3.x - exact.x).norm(), 6e-5);
  EXPECT_LT((at_1e3.v - exact.v).norm(), 2e-3);
  EXPECT_LT(loss, 7e-6);
  const TopState coarse = top_at_one_second(5e-4), fine = top_at_one_second(2.5e-4);
  const double order_x = std::log2((coarse.x - exact.x).norm() / (fine.x - exact.x).norm());
  const double order_v = std::log2((coarse.v - exact.v).norm() / (fine.v - exact.v).norm());
  RecordProperty("orders", fmt::format("{:.3f} {:.3f}", order_x, order_v));
  EXPECT_GT(order_x, 1.9);
  EXPECT_LT(order_x, 2.3);
  EXPECT_GT(order_v, 1.9);
  EXPECT_LT(order_v, 2.3);
}

// The same top with its frame at the fixed point and the mass on an arm: a mass on a vector of slots.
TEST(EnergyDecaying, moves_a_mass_off_the_frame_like_one_in_its_origin) {
  constexpr double h = 1e-3;
  AbsoluteSystem system;
  FrameMap map;
  map.kind = FrameMap::Kind::rigid;
  map.inertia = Eigen::Vector3d(0.234375, 0.46875, 0.234375).asDiagonal();
  map.name = "top";
  const int top = system.add_frame(map);
  auto& points = system.add_group(std::make_unique<ConstraintGroup<Coincident<3>>>());
  ConstraintGroup<Coincident<3>>::Element pin;
  pin.params.s_a.setZero(), pin.params.s_b.setZero();
  pin.frame = {0, top};
  pin.input.fill(-1);
  pin.row = system.add_rows("pin", 3, true, "m");
  points.add(pin);
  system.set_gravity({0.0, 0.0, -9.81});
  system.finish();

  auto slots = std::make_unique<SlotSystem>(system);
  SlotMass mass;
  mass.shape.local(top);
  mass.shape.add_vector();
  mass.shape.add_point(0, 0, Eigen::Vector3d(0.0, 1.0, 0.0), 1.0);
  mass.mass = 15.0;
  slots->add_mass(mass);

  const Index3 dae(system);
  StepOptions options;
  options.h = h;
  EnergyDecaying scheme(std::move(slots), dae, options, LinearSolverKind::dense, {});
  MotionVariables at;
  at.resize(6, 0, 3);
  at.v << 0.0, 0.0, 0.0, 0.0, 150.0, -4.61538;
  State state = system.make_state();
  ASSERT_TRUE(scheme.start(at, state).ok());
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(scheme.advance(2.0, state).status.ok());
    ASSERT_LT(std::abs(scheme.ledger()->defect()), 1e-11 * 5435.0);
  }
  scheme.commit(state);
  EXPECT_LT((state.charts[0].R_ref.col(1) - top_at_one_second(h).x).norm(), 1e-10);
}

// ---- the matrix ----------------------------------------------------------------------------------------------------

double condition_of_top(double h) {
  Follow run(testing::read_example("05_heavy_top/heavy_top.toml", h, 1.0));
  run.step();
  return run.scheme().calc_condition();
}

// Multipliers times h and position rows over h: the blocks do not contain h but by O(h).
TEST(EnergyDecaying, has_a_matrix_whose_condition_does_not_depend_on_the_step) {
  EXPECT_NEAR(condition_of_top(1e-6), 161.2, 0.5);
  const double at_1e8 = condition_of_top(1e-8);
  for (const double h : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7})
    EXPECT_NEAR(condition_of_top(h) / at_1e8, 1.0, 0.01) << "h = " << h;
}

struct Machine {
  const char* name;
  std::string text;
};

class EnergyDecayingMatrix : public ::testing::TestWithParam<Machine> {};

// Off the solution, where every term of the derivative counts.
TEST_P(EnergyDecayingMatrix, is_the_derivative_of_the_residual) {
  const Study study = read_machine(GetParam().text, 0.1, 1.0);
  Simulation simulation(study);
  const SlotSystem system(*simulation.assembly().system);
  const std::unique_ptr<Workspace> ws = system.make_workspace();
  Eigen::VectorXd memory(system.n_memory());
  system.calc_memory(simulation.initial(), simulation.state(), memory, *ws);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> noise(-0.3, 0.3);
  for (const double curvature : {1.0, 0.0}) {
    ASSERT_TRUE(system.begin(simulation.initial(), memory, simulation.state(), *ws).ok());
    system.resize(0.1, curvature, simulation.initial().t + 0.1, *ws);
    Eigen::VectorXd y(system.n()), r(system.n()), r_plus(system.n()), r_minus(system.n());
    system.guess(y, *ws);
    for (double& x : y) x += noise(random);
    SparseMatrix<double> A(system.pattern(*ws));
    ASSERT_TRUE(system.linearize(y, A.values, *ws).ok());
    const Eigen::MatrixXd J = A.to_dense();
    Eigen::MatrixXd differences(system.n(), system.n());
    for (int i = 0; i < system.n(); ++i) {
      const double step = 1e-6;
      Eigen::VectorXd x = y;
      x[i] += step;
      ASSERT_TRUE(system.residual(x, r_plus, *ws).ok());
      x[i] -= 2.0 * step;
      ASSERT_TRUE(system.residual(x, r_minus, *ws).ok());
      differences.col(i) = (r_plus - r_minus) / (2.0 * step);
    }
    Eigen::Index row = 0, column = 0;
    const double scale = 1.0 + J.cwiseAbs().maxCoeff();
    const double worst = (J - differences).cwiseAbs().maxCoeff(&row, &column) / scale;
    EXPECT_LT(worst, 1e-8) << system.layout().describe_row(static_cast<int>(row)) << " by "
                           << system.layout().describe_unknown(static_cast<int>(column)) << ": " << J(row, column)
                           << " and " << differences(row, column);
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, EnergyDecayingMatrix, ::testing::ValuesIn([] {
                           std::vector<Machine> machines;
                           for (const auto& [name, text] : testing::machines()) machines.push_back({name, text});
                           return machines;
                         }()),
                         [](const auto& machine) { return std::string(machine.param.name); });

// ---- the law -------------------------------------------------------------------------------------------------------

// (4) never uses consistency of v_0: steps from 1 ms to 1 s with velocities that belong to no motion of the machine.
TEST(EnergyDecaying, never_gains_energy_in_ten_thousand_random_steps) {
  Study study = read_machine(testing::spring_mechanism, 1.0, 1e6);
  Follow run(study);
  std::mt19937 random(11);
  std::uniform_real_distribution<double> exponent(-3.0, 0.0), noise(-1.0, 1.0);
  const double E_0 = 10.0;
  double t = 0.0, increase = 0.0, defect = 0.0;
  MotionVariables x = run.simulation().initial();
  State& state = run.simulation().state();
  int rejected = 0;
  for (int i = 0; i < 10000; ++i) {
    for (double& v : x.v) v = noise(random);
    x.t = t;
    ASSERT_TRUE(run.scheme().start(x, state).ok());
    const StepReport report = run.scheme().advance(t + std::pow(10.0, exponent(random)), state);
    ASSERT_TRUE(report.status.ok());
    rejected += report.rejected_newton;
    const JumpLedger& ledger = *run.scheme().ledger();
    increase = std::max(increase, ledger.energy - ledger.energy_before - ledger.supplied);
    defect = std::max(defect, std::abs(ledger.defect()));
    run.scheme().commit(state);
    x = run.scheme().newest();
    x.q = run.committed_q();
    t = x.t;
  }
  RecordProperty("rejected", rejected);
  RecordProperty("increase", fmt::format("{:.3g}", increase));
  RecordProperty("continued", static_cast<int>(run.scheme().n_continued()));
  RecordProperty("first_order", static_cast<int>(run.scheme().n_first_order()));
  EXPECT_LE(increase, 1e-12 * E_0);
  EXPECT_LE(defect, 1e-11 * E_0);
}

// Two bodies tumbling on a bushing: large relative rotations, and no gravity that would hide a gain.
TEST(EnergyDecaying, never_gains_energy_in_a_bushing) {
  std::string text;
  for (const auto& [name, machine] : testing::machines())
    if (std::string(name) == "bushing") text = machine;
  text = replace_once(replace_once(text, "gravity = [0.3, 0.2, -9.81]", "gravity = [0, 0, 0]"),
                      "C = [1, 2, 3, 0.1, 0.2, 0.3]", "");
  text = replace_once(text, "angular_velocity = [0.3, 0.2, -0.4]", "angular_velocity = [3, 2, -4]");
  for (const double h : {0.01, 0.1, 0.3}) {
    Follow run(read_machine(text, h, 300.0 * h));
    const double E_0 = run.energy();
    run.to_the_end();
    run.expect_law();
    EXPECT_GT(run.energy(), 0.1 * E_0);
  }
}

// Rubber stops, whose force is quadratic, and bars between joints, from a start with all of the energy in motion and
// without damping: all that is lost are the jumps.
TEST(EnergyDecaying, never_gains_energy_in_stops_and_bars) {
  for (const auto& [name, machine] : testing::machines()) {
    if (name != std::string("bump_stops") && name != std::string("anti_roll_bar")) continue;
    std::string text = replace_once(machine, "gravity = [0.3, 0.2, -9.81]", "gravity = [0, 0, 0]");
    text = replace_once(text, "\ndamping = ", "\ndamping = 0 # ");
    text = replace_once(text, "angular_velocity = [0.3, 0.2, -0.4]", "angular_velocity = [3, 2, -4]");
    for (const double h : {0.001, 0.01, 0.1}) {
      Follow run(read_machine(text, h, 300.0 * h));
      const double E_0 = run.energy();
      run.to_the_end();
      run.expect_law();
      EXPECT_EQ(run.supplied(), 0.0) << name;
      EXPECT_LT(run.energy(), (1.0 - 1e-12) * E_0) << name << " did not act at h = " << h;
    }
  }
}

// State and memory, saved and restored, continue with the same bits.
TEST(EnergyDecaying, continues_a_saved_run_bit_by_bit) {
  const Study study = read_machine(testing::driven_mechanism, 0.01, 1.0);
  Follow first(study), second(study);
  for (int i = 0; i < 20; ++i) first.step();
  const std::vector<double> numbers = first.scheme().save();
  second.simulation().state() = State::from_numbers(first.simulation().state().to_numbers());
  second.scheme().restore(numbers);
  for (int i = 0; i < 20; ++i) first.step(), second.step();
  EXPECT_EQ(first.newest().t, second.newest().t);
  EXPECT_EQ((first.newest().q - second.newest().q).norm(), 0.0);
  EXPECT_EQ((first.newest().v - second.newest().v).norm(), 0.0);
  EXPECT_EQ((first.newest().lam - second.newest().lam).norm(), 0.0);
}

// A motor works: what it supplies closes the ledger, and the order stays two.
TEST(EnergyDecaying, counts_the_work_of_a_motor) {
  Eigen::Vector3d x[3], v[3];
  for (int k = 0; k < 3; ++k) {
    Follow run(read_machine(testing::driven_mechanism, 0.01 / (1 << k), 1.0));
    run.to_the_end();
    run.expect_law();
    x[k] = run.frame("slide").p, v[k] = run.frame("slide").v;
    EXPECT_GT(std::abs(run.supplied()), 1e-3);
  }
  for (const Eigen::Vector3d* y : {x, v}) {
    const double order = std::log2((y[0] - y[1]).norm() / (y[1] - y[2]).norm());
    EXPECT_GT(order, 1.9);
    EXPECT_LT(order, 2.4);
  }
}

}  // namespace
}  // namespace trammel::test_energy_decaying
