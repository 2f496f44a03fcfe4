// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <fstream>
#include <sstream>

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

// A file that leaves the method open: parameters are varied in the coordinates in which the machine is linearized. The
// table turns at the start; in the equilibrium it stands, and a torque F + c (1 + ω) depends on c as it does on F.
TEST(Eigen, inputs_are_varied_where_and_as_the_machine_stands) {
  const Folder folder;
  std::ofstream(folder / "driven.toml") << R"toml(
gravity = [0, 0, -9.81]
[parameters]
F = 0
c = 1
[[body]]
name = "table"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "bearing"
kind = "revolute"
bodies = ["ground", "table"]
point = [0, 0, 0]
axis = "z"
[[motion]]
name = "turning"
joint = "bearing"
function = "5*t"
[[body]]
name = "arm"
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [1, 0, -0.5]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["table", "arm"]
point = [1, 0, 0]
axis = "y"
[[force]]
name = "push"
kind = "torque"
body = "arm"
torque = [0, "F + c*(1 + bearing.angle_rate)", 0]
[analysis]
end = 1
)toml";
  for (const char* coordinates : {"auto", "absolute", "joint"}) {
    const Outcome run = call(folder, {"eigen", "driven.toml", "--linearization", "matrices", "--inputs", "F,c", "--set",
                                      std::string("solver.coordinates=") + coordinates});
    ASSERT_EQ(run.code, 0) << run.err;
    std::istringstream lines(read_text(folder / "matrices/B.csv"));
    double largest = 0.0;
    for (std::string line; std::getline(lines, line);) {
      const std::size_t last = line.rfind(','), first = line.rfind(',', last - 1);
      if (line.rfind("\"rate of", 0) != 0) continue;
      const double by_F = std::stod(line.substr(first + 1, last - first - 1)), by_c = std::stod(line.substr(last + 1));
      EXPECT_NEAR(by_c, by_F, 1e-6) << coordinates << ": " << line;
      largest = std::max(largest, std::abs(by_F));
    }
    EXPECT_GT(largest, 1.0) << coordinates;
  }
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
