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

// A coordinate without mass has the pivot h² k in the first steps of methods that begin with small ones: those matrices
// are factored with row exchanges, and the summary says so. With the augmented term there are none.
TEST(MatricesWithoutPivots, are_solved_in_first_order_forms_by_every_solver_and_counted) {
  long handed_over = 0;
  for (const char* method :
       {"integrator=\"bdf\", formulation=\"index3\"", "integrator=\"bdf\"",
        "integrator=\"bdf\", formulation=\"index3\", fields=\"two\"",
        "integrator=\"bdf\", formulation=\"coordinate_split\"", "integrator=\"radau\", formulation=\"index3\"",
        "integrator=\"radau\"", "integrator=\"radau\", formulation=\"index1\"",
        "integrator=\"radau\", jacobian=\"sparse_differences\", jacobian_sparsity=\"estimated\""}) {
    const auto run_by = [&](const std::string& solver, const std::string& more) {
      return run_example(
          "models/pendulum_rod_spring.toml",
          {fmt::format("solver={{{}, linear_solver=\"{}\", rtol=1e-7, atol=1e-9{}}}", method, solver, more),
           "analysis.end=0.5", "output.interval=0.05", "parameters.omega=1", "parameters.k=7"});
    };
    const Recorded judge = run_by("dense", "");
    for (const char* solver : {"sparse_ldlt", "skyline_ldlt", "gmres"}) {
      SCOPED_TRACE(fmt::format("{} with {}", method, solver));
      const Recorded other = run_by(solver, ""), augmented = run_by(solver, ", scaling={rho=1}");
      for (const Recorded* run : {&other, &augmented})
        for (const char* channel : {"phi.coordinate", "bob.position", "bob.velocity"})
          EXPECT_LT((run->values(channel) - judge.values(channel)).cwiseAbs().maxCoeff(), limit) << channel;
      EXPECT_EQ(other.summary.linear_solver, solver);
      const bool said = other.summary.to_text().find("factored with row exchanges") != std::string::npos;
      EXPECT_EQ(said, other.summary.handed_over > 0);
      handed_over += other.summary.handed_over;
      EXPECT_LE(augmented.summary.handed_over, other.summary.handed_over);
    }
    EXPECT_EQ(judge.summary.handed_over, 0);
  }
  EXPECT_GT(handed_over, 0);
}

// Blocks of Radau have the entries that are used, of an estimated pattern as well: velocities are taken out before, and
// the preconditioner of gmres has its pivots.
TEST(MatricesWithoutPivots, do_not_come_of_an_estimated_pattern) {
  for (const Machine& machine :
       {Machine{"03_slider_crank/slider_crank.toml", 0.05}, {"models/spatial_four_bar.toml", 0.05}})
    for (const char* form : {"index3", "stabilized_index2"}) {
      SCOPED_TRACE(fmt::format("{} on {}", machine.file, form));
      const auto run_by = [&](const char* solver) {
        return run_example(machine.file,
                           {fmt::format("solver={{integrator=\"radau\", formulation=\"{}\", linear_solver=\"{}\", "
                                        "jacobian=\"sparse_differences\", jacobian_sparsity=\"estimated\"}}",
                                        form, solver),
                            set("analysis.end", machine.end), set("output.interval", machine.end)});
      };
      const Recorded judge = run_by("dense"), run = run_by("gmres");
      EXPECT_EQ(run.summary.handed_over, 0);
      for (const BodySpec& body : read_study(example(machine.file)).model.bodies)
        EXPECT_LT((run.last(body.name + ".position") - judge.last(body.name + ".position")).norm(), limit);
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
