// SPDX-License-Identifier: Apache-2.0
#include "run_model.h"
#include "trammel/simulation/option.h"

// `fields = "two"`: the velocities leave the linear systems and nothing else changes.

namespace trammel::test_two_field {
namespace {

Study bdf_study(const std::string& file, const std::string& form, const std::string& fields, double end) {
  Study study = read_study(example(file));
  study.analysis.end = end;
  study.output.interval = end;
  study.output.every_step = false;
  study.solver = {};
  study.solver.integrator = Integrator::bdf;
  study.solver.formulation = parse_word<Formulation>(form);
  study.solver.bdf.fields = parse_word<BdfFields>(fields);
  study.solver.rtol = study.solver.atol = 1e-6;
  return study;
}

// Newton's iterates are those of three fields up to rounding, at variable order and step, with charts, nonholonomic
// rows and drives: the same steps, the same motion. Rounding (1e-16) is multiplied by the condition of the step (1/h)
// and by the motion over some hundred steps.
constexpr double rounding_limit = 1e-8;

class TwoFields : public ::testing::TestWithParam<const char*> {};

TEST_P(TwoFields, take_the_steps_of_three_fields) {
  struct {
    const char* file;
    double end;
  } const machines[] = {{"03_slider_crank/slider_crank.toml", 0.3},
                        {"05_heavy_top/heavy_top.toml", 0.05},
                        {"06_squeezing_mechanism/squeezing_mechanism.toml", 0.005},
                        {"08_rolling_disc/rolling_disc.toml", 0.3}};
  for (const auto& machine : machines) {
    const Study study = bdf_study(machine.file, GetParam(), "three", machine.end);
    const Recorded three = run(study), two = run(bdf_study(machine.file, GetParam(), "two", machine.end));
    EXPECT_NEAR(static_cast<double>(two.summary.steps), static_cast<double>(three.summary.steps),
                1.0 + 0.02 * static_cast<double>(three.summary.steps))
        << machine.file;
    for (const BodySpec& body : study.model.bodies)
      EXPECT_LE((two.last(body.name + ".position") - three.last(body.name + ".position")).norm(), rounding_limit)
          << machine.file << " " << body.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, TwoFields,
                         ::testing::Values("index3", "stabilized_index2", "stabilized_index1", "index2"));

// The augmented term is a left multiplication, here as well: other pivots, the same iterates.
TEST(TwoFieldAugmentation, changes_the_matrix_and_not_the_motion) {
  for (const char* file : {"03_slider_crank/slider_crank.toml", "05_heavy_top/heavy_top.toml",
                           "08_rolling_disc/rolling_disc.toml", "models/pendulum_rod_spring.toml"}) {
    Study study = bdf_study(file, "index3", "two", 0.05);
    study.solver.record_condition = true;
    study.solver.scaling.rho = 0.0;
    const Recorded without = run(study);
    study.solver.scaling.rho.reset();
    const Recorded with = run(study);
    EXPECT_GT(std::abs(with.summary.condition / without.summary.condition - 1.0), 1e-3) << file;
    EXPECT_NEAR(static_cast<double>(with.summary.steps), static_cast<double>(without.summary.steps),
                1.0 + 0.02 * static_cast<double>(without.summary.steps))
        << file;
    for (const BodySpec& body : study.model.bodies)
      EXPECT_LE((with.last(body.name + ".position") - without.last(body.name + ".position")).norm(), rounding_limit)
          << file << " " << body.name;
  }
}

// A two-field code that differences positions is 1.6e-8 off at h = 1e-8 (measured). Here v has its own history. The
// exact angle from the horizontal is φ = −t²/2 + t⁶/240 − …; the first step of order 1 leaves an error of h t in it.
TEST(TwoFieldPositions, keep_their_digits_at_the_smallest_steps) {
  const double h = 1e-8, t = 2e-5;
  Study study = read_study(
      example("models/pendulum_rest.toml"),
      SetList{"solver.fields=two", "solver.scaling=left_right_velocity", set("solver.h", h), set("analysis.end", t)});
  study.solver.record_condition = study.solver.record_corrections = false;
  study.output.every_step = false;
  study.output.interval = t;
  const Eigen::VectorXd p = run(study).last("bob.position");
  EXPECT_NEAR(p[0], std::cos(0.5 * t * t), 4e-16);
  EXPECT_NEAR(p[2], -std::sin(0.5 * t * t), 2.0 * h * t);
}

std::string refusal(const SetList& settings) {
  try {
    static_cast<void>(read_study(example("models/pendulum_rest.toml"), settings));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(TwoFieldRefusals, say_why) {
  EXPECT_EQ(refusal({"solver.fields=two", "solver.scaling=left_right"}), "");
  EXPECT_NE(refusal({"solver.fields=four"}).find("'three' and 'two'"), std::string::npos)
      << refusal({"solver.fields=four"});
  const std::string text = "[[body]]\nname = \"a\"\nkind = \"particle\"\nmass = 1\nposition = [0, 0, 0]\n[solver]\n";
  const auto refused = [&](const std::string& line) {
    try {
      static_cast<void>(read_study_text(text + line, "model.toml"));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refused("integrator = \"generalized_alpha\"\nfields = \"two\"").find("eliminated the velocities"),
            std::string::npos);
  EXPECT_NE(refused("integrator = \"bdf\"\nnewton_stop = \"saturation\"").find("fixed step"), std::string::npos);
  EXPECT_NE(refused("integrator = \"bdf\"\njacobian_pattern = \"FT\"").find("the first a T"), std::string::npos);
}

}  // namespace
}  // namespace trammel::test_two_field
