// SPDX-License-Identifier: Apache-2.0
#include "run_model.h"
#include "trammel/simulation/option.h"

// Linear solvers without row exchanges in whole runs: the first-order forms of BDF and the real and complex blocks of
// Radau. Newton's iterates are the same up to rounding, so steps and motion are those of `auto`.

namespace trammel::test_solvers_agree {
namespace {

struct Machine {
  const char* file;
  double end;
};

// Rotations, drives, nonholonomic rows, internal states.
const Machine machines[] = {
    {"01_pendulum/pendulum.toml", 0.3},         {"03_slider_crank/slider_crank.toml", 0.2},
    {"05_heavy_top/heavy_top.toml", 0.05},      {"06_squeezing_mechanism/squeezing_mechanism.toml", 0.005},
    {"08_rolling_disc/rolling_disc.toml", 0.2}, {"models/governor.toml", 0.1},
    {"models/spatial_four_bar.toml", 0.1},      {"models/wheel.toml", 0.2}};

// Rounding (1e-16) times the condition of a step and the growth of the motion, with room for a step more or less where
// a decision was close.
constexpr double limit = 1e-5;

Recorded run_with(const Machine& machine, const std::string& integrator, const std::string& form,
                  const std::string& solver) {
  Study study = read_study(example(machine.file));
  study.analysis.end = machine.end;
  study.output.interval = machine.end;
  study.output.every_step = false;
  const std::optional<RedundancyPolicy> redundant = study.solver.redundant;
  study.solver = {};
  study.solver.redundant = redundant;
  study.solver.integrator = parse_word<Integrator>(integrator);
  study.solver.formulation = parse_word<Formulation>(form);
  study.solver.linear_solver = parse_word<LinearSolverKind>(solver);
  study.solver.rtol = study.solver.atol = 1e-7;
  return run(study);
}

struct Form {
  const char *integrator, *form;
};

class UnpivotedSolvers : public ::testing::TestWithParam<Form> {};

TEST_P(UnpivotedSolvers, take_the_steps_of_solvers_with_row_exchanges) {
  const auto [integrator, form] = GetParam();
  for (const Machine& machine : machines) {
    const Recorded judge = run_with(machine, integrator, form, "auto");
    for (const char* solver : {"sparse_ldlt", "skyline_ldlt"}) {
      SCOPED_TRACE(fmt::format("{} with {}", machine.file, solver));
      const Recorded other = run_with(machine, integrator, form, solver);
      const double steps = static_cast<double>(judge.summary.steps);
      EXPECT_NEAR(static_cast<double>(other.summary.steps), steps, 2.0 + 0.1 * steps);
      for (const BodySpec& body : read_study(example(machine.file)).model.bodies)
        EXPECT_LT((other.last(body.name + ".position") - judge.last(body.name + ".position")).norm(), limit);
    }
  }
}

// q̇ = v of a coordinate without mass has no pivot in v: there is no augmented term in first-order forms to give it one.
TEST(UnpivotedRefusals, refuse_massless_coordinates_of_first_order_forms_by_name) {
  for (const char* solver : {"sparse_ldlt", "skyline_ldlt"}) {
    Simulation simulation(
        read_study(example("models/pendulum_rod_spring.toml"),
                   SetList{fmt::format("solver={{integrator=\"bdf\", linear_solver=\"{}\"}}", solver)}));
    MemoryRecord record;
    const Summary summary = simulation.run(record);
    EXPECT_FALSE(summary.completed);
    EXPECT_NE(summary.failure.find("coordinate 'phi'"), std::string::npos) << summary.failure;
    EXPECT_NE(summary.failure.find("sparse_lu"), std::string::npos) << summary.failure;
  }
}

// What is predicted and what was used stands in the summary and in records, and a run repeats its bits.
TEST(SolversOfRuns, are_described_in_the_summary) {
  for (const std::string solver : {"auto", "sparse_ldlt", "umfpack"}) {
    SCOPED_TRACE(solver);
    const SetList settings{"parameters.M=14", "analysis.end=2e-3", "solver.linear_solver=" + solver,
                           "solver.dense_kernel=portable"};
    const Recorded once = run_example("models/net.toml", settings), again = run_example("models/net.toml", settings);
    EXPECT_EQ(once.summary.linear_solver, solver == "auto" ? "sparse_ldlt" : solver);
    EXPECT_EQ(once.last("knot_7_7.position"), again.last("knot_7_7.position"));
    if (solver == "umfpack") continue;  // tells nothing before it factors
    EXPECT_GT(once.summary.predicted_operations, 1e5);
    EXPECT_EQ(once.summary.dense_kernel, "portable");
    EXPECT_NE(once.summary.to_text().find("operations predicted, portable products"), std::string::npos);
    EXPECT_TRUE(once.summary.to_attributes().contains("predicted_numbers"));
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, UnpivotedSolvers,
                         ::testing::Values(Form{"bdf", "index3"}, Form{"bdf", "stabilized_index2"},
                                           Form{"bdf", "stabilized_index1"}, Form{"bdf", "index2"},
                                           Form{"radau", "index3"}, Form{"radau", "stabilized_index2"},
                                           Form{"radau", "stabilized_index1"}),
                         [](const auto& row) { return fmt::format("{}_{}", row.param.integrator, row.param.form); });

}  // namespace
}  // namespace trammel::test_solvers_agree
