// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include "program.h"

namespace trammel::program::test_eigen {
namespace {

const std::string pendulum = (places::source_dir() / "examples/01_pendulum/pendulum.toml").string();

std::string spring_model() {
  return "gravity = [0, 0, 0]\n[parameters]\nF = 0\n[[body]]\nname = \"ball\"\nkind = \"particle\"\nmass = 2\n"
         "position = [1, 0, 0]\n[[joint]]\nname = \"guide\"\nkind = \"point_on_line\"\nbodies = [\"ground\", "
         "\"ball\"]\n"
         "point = [1, 0, 0]\naxis = \"x\"\n[[force]]\nname = \"spring\"\nkind = \"spring_damper\"\n"
         "bodies = [\"ground\", \"ball\"]\npoint_a = [0, 0, 0]\npoint_b = [1, 0, 0]\nstiffness = 400\n[[force]]\n"
         "name = \"pull\"\nkind = \"force\"\nbody = \"ball\"\nforce = [\"F\", 0, 0]\n[[measure]]\nname = \"x\"\n"
         "expression = \"ball.x\"\n";
}

TEST(Eigen, prints_the_frequencies_of_a_pendulum) {
  const Folder folder;
  const Outcome run = call(folder, {"eigen", pendulum, "-o", "modes.csv"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_SAYS(run.out, "0.498488");
  EXPECT_SAYS(read_text(folder / "modes.csv"), "mode,frequency_hz,damping,real,imaginary\n1,0.49848");
}

TEST(Eigen, writes_the_matrices_between_a_parameter_and_the_measures) {
  const Folder folder;
  std::ofstream(folder / "spring.toml") << spring_model();
  const Outcome run = call(folder, {"eigen", "spring.toml", "--linearization", "matrices", "--inputs", "F"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_SAYS(read_text(folder / "matrices/A.csv"), "body 'ball', position x [m]");
  EXPECT_SAYS(read_text(folder / "matrices/A.csv"), "-200");
  EXPECT_SAYS(read_text(folder / "matrices/B.csv"), "row,\"F\"");
  EXPECT_SAYS(read_text(folder / "matrices/C.csv"), "\"x\",");
  EXPECT_SAYS(read_text(folder / "matrices/D.csv"), "\"x\",0");
}

TEST(Eigen, writes_a_page_of_the_modes_and_no_other_file_over) {
  const Folder folder;
  std::ofstream(folder / "spring.toml") << spring_model();
  const Outcome run = call(folder, {"eigen", "spring.toml", "--report"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_SAYS(run.out, "Report: spring_modes.html");
  EXPECT_SAYS(read_text(folder / "spring_modes.html"), "\"modes\":{\"about\":\"its equilibrium\"");
  std::ofstream(folder / "spring_modes.html") << "my own notes";
  const Outcome again = call(folder, {"eigen", "spring.toml", "--report"});
  EXPECT_EQ(again.code, 4);
  EXPECT_EQ(read_text(folder / "spring_modes.html"), "my own notes");
}

TEST(Eigen, refuses_inputs_that_are_none) {
  const Folder folder;
  std::ofstream(folder / "spring.toml") << spring_model();
  const Outcome run = call(folder, {"eigen", "spring.toml", "--linearization", "matrices", "--inputs", "G"});
  EXPECT_EQ(run.code, 2);
  EXPECT_SAYS(run.err, "there is no parameter 'G'");
}

TEST(Eigen, says_that_there_is_no_equilibrium) {
  const Folder folder;
  std::ofstream(folder / "stone.toml") << "[[body]]\nname = \"stone\"\nmass = 1\ninertia = [1, 1, 1]\n";
  const Outcome run = call(folder, {"eigen", "stone.toml"});
  EXPECT_EQ(run.code, 3);
  EXPECT_SAYS(run.err, "body 'stone'");
}

}  // namespace
}  // namespace trammel::program::test_eigen
