// SPDX-License-Identifier: Apache-2.0
#include "run_model.h"
#include "trammel/simulation/option.h"

// `formulation = "coordinate_split"` on any machine: the same motion as the other forms, multipliers recovered, splits
// watched, and what makes no sense refused by name.

namespace trammel::test_coordinate_split {
namespace {

Study bdf_study(const std::string& file, double end, const std::string& form, double tol) {
  Study study = read_study(example(file));
  study.analysis.end = study.analysis.start.value_or(default_start) + end;
  study.output.interval = end;
  study.output.every_step = false;
  const std::optional<RedundancyPolicy> redundant = study.solver.redundant;
  study.solver = {};
  study.solver.redundant = redundant;
  study.solver.integrator = Integrator::bdf;
  study.solver.formulation = parse_word<Formulation>(form);
  study.solver.rtol = study.solver.atol = tol;
  return study;
}

// ---- every machine
// ---------------------------------------------------------------------------------------------------

struct Machine {
  const char* file;
  double end;  ///< [s]
};

class EveryMachine : public ::testing::TestWithParam<Machine> {
 protected:
  static double error(const Recorded& a, const Recorded& b, const Model& model) {
    double largest = 0.0;
    for (const BodySpec& body : model.bodies)
      largest = std::max(largest, (a.last(body.name + ".position") - b.last(body.name + ".position")).norm());
    return largest;
  }
};

// Charts, rolling, knife edges, massless coordinates, controllers, motions. Order 2: the error is ∝ tol^(2/3), 0.046
// for two digits; DASSL's step doubles or stays, hence four times that. 1e-8 m: driven machines, whose positions follow
// from the constraints.
TEST_P(EveryMachine, moves_as_the_tolerance_says) {
  const Study exact = bdf_study(GetParam().file, GetParam().end, "stabilized_index2", 1e-10);
  const Recorded reference = run(exact);
  const auto error_at = [&](double tol) {
    return error(run(bdf_study(GetParam().file, GetParam().end, "coordinate_split", tol)), reference, exact.model);
  };
  const double coarse = error_at(1e-4), fine = error_at(1e-6);
  EXPECT_LE(coarse, 1e-2);
  EXPECT_LE(fine, std::max(0.2 * coarse, 1e-8)) << coarse;
}

// At order 5 Newton and its modified forms follow the same motion.
TEST_P(EveryMachine, moves_alike_with_every_consistent_iteration) {
  const Study exact = bdf_study(GetParam().file, GetParam().end, "stabilized_index2", 1e-10);
  const Recorded reference = run(exact);
  for (const char* mode : {"cs", "frozen_step", "matrix_only"}) {
    Study study = bdf_study(GetParam().file, GetParam().end, "coordinate_split", 1e-7);
    study.solver.bdf.max_order = 5;
    study.solver.split.iteration = std::string(mode) == "cs" ? SplitIteration::cs : SplitIteration::cm;
    if (study.solver.split.iteration == SplitIteration::cm) study.solver.split.cm_mode = parse_word<CmMode>(mode);
    EXPECT_LE(error(run(study), reference, exact.model), 1e-4) << mode;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Examples, EveryMachine,
    ::testing::Values(Machine{"01_pendulum/pendulum.toml", 0.5},
                      Machine{"02_double_pendulum/double_pendulum.toml", 0.3},
                      Machine{"03_slider_crank/slider_crank.toml", 0.3}, Machine{"04_four_bar/four_bar.toml", 0.2},
                      Machine{"05_heavy_top/heavy_top.toml", 0.05},
                      Machine{"06_squeezing_mechanism/squeezing_mechanism.toml", 0.01},
                      Machine{"08_rolling_disc/rolling_disc.toml", 0.3}, Machine{"models/bricard.toml", 0.3},
                      Machine{"models/governor.toml", 0.3}, Machine{"models/n_four_bar.toml", 0.3},
                      Machine{"models/pendulum_circle.toml", 1.0}, Machine{"models/pendulum_rod.toml", 0.5},
                      Machine{"models/pendulum_rod_spring.toml", 0.5}, Machine{"models/sleigh.toml", 0.5},
                      Machine{"models/spatial_four_bar.toml", 0.2}, Machine{"models/turntable.toml", 0.3},
                      Machine{"models/wheel.toml", 0.3}),
    [](const ::testing::TestParamInfo<Machine>& machine) {
      const std::string file = machine.param.file;
      const std::size_t from = file.rfind('/') + 1;
      return file.substr(from, file.rfind('.') - from);
    });

// Joint coordinates have constraints only where loops close.
TEST(CoordinateSplit, moves_machines_in_joint_coordinates) {
  const Machine closed[] = {{"04_four_bar/four_bar.toml", 0.2},
                            {"06_squeezing_mechanism/squeezing_mechanism.toml", 0.005},
                            {"models/spatial_four_bar.toml", 0.2}};
  for (const Machine& machine : closed) {
    const Study exact = bdf_study(machine.file, machine.end, "stabilized_index2", 1e-10);
    const Recorded reference = run(exact);
    for (const char* iteration : {"cs", "cm"}) {
      Study study = bdf_study(machine.file, machine.end, "coordinate_split", 1e-7);
      study.solver.bdf.max_order = 5;
      study.solver.coordinates = CoordinateSet::joint;
      study.solver.split.iteration = parse_word<SplitIteration>(iteration);
      const Recorded joint = run(study);
      for (const BodySpec& body : study.model.bodies)
        EXPECT_LE((joint.last(body.name + ".position") - reference.last(body.name + ".position")).norm(), 1e-4)
            << machine.file << " " << iteration;
    }
  }
}

// Newton's iteration may be solved without velocities: the same steps.
TEST(CoordinateSplit, takes_the_same_steps_with_two_fields) {
  Study study = bdf_study("04_four_bar/four_bar.toml", 0.2, "coordinate_split", 1e-5);
  const Recorded three = run(study);
  study.solver.bdf.fields = BdfFields::two;
  const Recorded two = run(study);
  EXPECT_EQ(two.summary.steps, three.summary.steps);
  EXPECT_LE((two.last("coupler.position") - three.last("coupler.position")).norm(), 1e-9);
}

// ---- linear constraints
// ----------------------------------------------------------------------------------------------

// Two beads on skew lines with a stiff spring between them: G is constant, and what CM leaves out is zero.
const std::string beads = R"(
gravity = [0, 0, -9.81]
[[body]]
name = "a"
kind = "particle"
mass = 1
position = [0.1, 0.2, 0]
[[body]]
name = "b"
kind = "particle"
mass = 2
position = [0, 0.5, 0.7]
[[joint]]
name = "line_a"
kind = "point_on_line"
bodies = ["ground", "a"]
point = [0.1, 0.2, 0]
axis = [1, 2, 0.5]
[[joint]]
name = "line_b"
kind = "point_on_line"
bodies = ["ground", "b"]
point = [0, 0.5, 0.7]
axis = [-1, 0.3, 2]
[[force]]
name = "spring"
kind = "spring_damper"
point_a = { body = "a", at = [0, 0, 0] }
point_b = { body = "b", at = [0, 0, 0] }
stiffness = 1e4
free_length = 0.5
[analysis]
end = 0.2
[solver]
integrator = "bdf"
formulation = "coordinate_split"
rtol = 1e-5
atol = 1e-5
)";

TEST(LinearConstraints, give_cs_and_every_cm_mode_the_same_iterates) {
  const Recorded newton = run_text(beads, {"solver.iteration=cs"});
  for (const char* mode : {"frozen_step", "matrix_only", "frozen_jacobian"}) {
    const Recorded modified = run_text(beads, {std::string("solver.cm_mode=") + mode});
    EXPECT_EQ(modified.summary.steps, newton.summary.steps) << mode;
    EXPECT_EQ(modified.summary.iterations, newton.summary.iterations) << mode;
    for (const char* bead : {"a.position", "b.position"})
      EXPECT_LE((modified.values(bead) - newton.values(bead)).cwiseAbs().maxCoeff(), 1e-12) << mode;
  }
}

// ---- multipliers
// -----------------------------------------------------------------------------------------------------

// The rod of a pendulum carries v² + g cos θ for unit mass and length: at steps and between them. λ is f − M v̇ with the
// v̇ of the formula: an error of 1e-7 in v over the short last step makes 1e-3.
TEST(Multipliers, are_recovered_in_every_step_and_between) {
  for (const char* output : {"output.every_step=true", "output.interval=0.017"})
    for (const char* iteration : {"cs", "cm"}) {
      Study study = read_study(example("models/pendulum_circle.toml"),
                               SetList{std::string("solver.iteration=") + iteration, "solver.rtol=1e-7",
                                       "solver.atol=1e-7", "analysis.end=2"});
      study.output.interval.reset();
      if (std::string(output) == "output.every_step=true")
        study.output.every_step = true;
      else
        study.output.interval = 0.017;
      const Recorded r = run(study);
      const Eigen::MatrixXd q = r.values("mass.position"), v = r.values("mass.velocity"),
                            f = r.values("circle.reaction_force");
      for (Eigen::Index i = 1; i < q.rows(); ++i)
        EXPECT_NEAR(-f.row(i).dot(q.row(i)), v.row(i).squaredNorm() - q(i, 1), i + 2 < q.rows() ? 1e-4 : 3e-3)
            << output << " " << iteration;
    }
}

// A block whose drag is proportional to the force of its rail: f depends on λ.
const std::string block = R"(
gravity = [0, 0, -9.81]
[[body]]
name = "block"
kind = "particle"
mass = 1
position = [0, 0, 0]
velocity = [2, 0, 0]
[[body]]
name = "bob"
kind = "particle"
mass = 1
position = [0.6, 0, -0.8]
[[joint]]
name = "rail"
kind = "point_on_line"
bodies = ["ground", "block"]
point = [0, 0, 0]
axis = "x"
[[joint]]
name = "rod"
kind = "distance"
bodies = ["block", "bob"]
point = [0, 0, 0]
point_b = [0.6, 0, -0.8]
[[force]]
name = "drag"
kind = "force"
body = "block"
force = ["-0.3*rail.fz*block.vx", 0, 0]
[[control]]
name = "wear"
kind = "ode"
states = ["depth"]
rates = ["0.01*rail.fz"]
[analysis]
end = 1
[solver]
integrator = "bdf"
rtol = 1e-8
atol = 1e-8
max_order = 5
)";

TEST(ForcesThatDependOnReactions, are_integrated_by_every_iteration) {
  const Recorded reference = run_text(block, {"solver.rtol=1e-10", "solver.atol=1e-10"});
  for (const char* iteration : {"cs", "cm"})
    for (const char* mode : {"frozen_step", "matrix_only"}) {
      SetList settings{"solver.formulation=coordinate_split", std::string("solver.iteration=") + iteration};
      if (std::string(iteration) == "cm") settings.push_back(std::string("solver.cm_mode=") + mode);
      const Recorded r = run_text(block, settings);
      EXPECT_LE((r.last("bob.position") - reference.last("bob.position")).norm(), 1e-5) << iteration << " " << mode;
      EXPECT_NEAR(r.last("rail.reaction_force")[2], reference.last("rail.reaction_force")[2], 1e-3);
      EXPECT_LE(r.summary.rejected_newton, 3) << iteration << " " << mode;
      EXPECT_LE(r.summary.iterations, 3 * r.summary.steps) << iteration << " " << mode;
    }
}

// ---- diagnosis
// -------------------------------------------------------------------------------------------------------

bool has_note(const Summary& summary, const std::string& words) {
  for (const std::string& note : summary.notes)
    if (note.find(words) != std::string::npos) return true;
  return false;
}

TEST(SplitDiagnosis, records_the_conditioning_and_warns_of_a_bad_split) {
  const Recorded good = run_example("10_bushing/bushing.toml");
  EXPECT_LE(good.summary.split_condition_max, 1.0);
  EXPECT_FALSE(has_note(good.summary, "amplifies"));
  const Recorded bad =
      run_example("10_bushing/bushing.toml",
                  {"solver.independent=[\"second.x\"]", "solver.error_set=independent_positions", "analysis.end=0.01"});
  // GY of the circle is 2 y₂, GX is 2 x₂: their ratio at the start is 67.
  EXPECT_GE(bad.summary.split_condition_max, 60.0);
  EXPECT_TRUE(has_note(run_example("10_bushing/bushing.toml",
                                   {"solver.independent=[\"second.x\"]", "solver.error_set=independent_positions"})
                           .summary,
                       "amplifies"));
}

// A pendulum that turns over takes x and y in turns.
TEST(SplitDiagnosis, warns_when_the_independent_set_changes_often) {
  const SetList fast{"body.mass.velocity=[6, 0, 0]"};
  const Recorded r = run_example("models/pendulum_circle.toml", fast);
  EXPECT_GT(r.summary.split_changes, 10);
  EXPECT_TRUE(has_note(r.summary, "independent coordinates changed"));
  EXPECT_FALSE(has_note(run_example("09_stiff_spring/stiff_spring.toml").summary, "independent coordinates changed"));
}

// ---- refusals
// --------------------------------------------------------------------------------------------------------

std::string refusal(const std::string& file, const SetList& settings) {
  try {
    const Simulation simulation(read_study(example(file), settings));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void expect_words(const std::string& message, const std::vector<std::string>& words) {
  for (const std::string& word : words) EXPECT_NE(message.find(word), std::string::npos) << word << " in: " << message;
}

TEST(SplitRefusals, say_which_pair_is_excluded_and_why) {
  const std::string spring = "09_stiff_spring/stiff_spring.toml";
  expect_words(refusal("01_pendulum/pendulum.toml", {"solver.integrator=radau", "solver.formulation=coordinate_split",
                                                     "solver.cm_mode=frozen_step"}),
               {"radau", "frozen_step", "stages", "matrix_only"});
  expect_words(refusal("01_pendulum/pendulum.toml",
                       {"solver.integrator=generalized_alpha", "solver.formulation=coordinate_split"}),
               {"second-order", "bdf"});
  expect_words(refusal(spring, {"solver.iteration=ggl"}), {"stabilized_index2", "coordinate_split"});
  expect_words(refusal(spring, {"solver.formulation=index3", "solver.error_set=positions", "solver.iteration=cm"}),
               {"'coordinate_split'", "'index3'"});
  expect_words(refusal(spring, {"solver.iteration=csm"}), {"'csm'", "did you mean", "'cs'"});
  expect_words(refusal(spring, {"solver.iteration=cs", "solver.cm_mode=matrix_only"}), {"'cm'", "'cs'"});
  expect_words(refusal(spring, {"solver.formulation=stabilized_index2"}), {"independent_positions", "needs a split"});
  expect_words(refusal(spring, {"solver.unknown=yp"}), {"yp", "multipliers"});
  expect_words(refusal(spring, {"solver.preset=hastiff"}), {"yp", "multipliers"});
  expect_words(refusal(spring, {"solver.newton_start=previous"}), {"frozen_step", "prediction"});
}

TEST(SplitRefusals, name_coordinates_that_do_not_exist_and_their_neighbours) {
  expect_words(refusal("10_bushing/bushing.toml", {"solver.independent=[\"secnd.x\"]"}),
               {"solver.independent", "'secnd.x'", "'second.x'"});
  expect_words(refusal("10_bushing/bushing.toml", {"solver.untested=[\"second.z\"]"}), {"solver.untested"});
}

TEST(SplitRefusals, give_the_condition_number_of_a_singular_forced_split) {
  // The first body is held: none of its coordinates can be independent.
  expect_words(refusal("10_bushing/bushing.toml", {"solver.independent=[\"first.x\"]"}),
               {"'first'", "condition number", "limit 1e+10"});
  // At the lowest point of the circle y does not move: GY = 2x = 0.
  expect_words(refusal("models/pendulum_circle.toml", {"solver.independent=[\"mass.y\", \"mass.angle\"]"}),
               {"'mass'", "condition number", "inf"});
  expect_words(refusal("10_bushing/bushing.toml", {"solver.independent=[\"second.x\", \"second.y\"]"}),
               {"names 2 coordinates", "1 degrees of freedom"});
}

TEST(SplitRefusals, name_the_joints_that_make_G_rank_deficient) {
  const std::string text = beads +
                           "[[joint]]\nname = \"again\"\nkind = \"point_on_line\"\nbodies = [\"ground\", "
                           "\"a\"]\npoint = [0.1, 0.2, 0]\naxis = [1, 2, 0.5]\n";
  std::string message;
  try {
    const Simulation simulation(read_study_text(text, "model.toml", {}));
  } catch (const InputError& error) {
    message = error.what();
  }
  expect_words(message, {"'again'", "'line_a'"});
}

}  // namespace
}  // namespace trammel::test_coordinate_split
