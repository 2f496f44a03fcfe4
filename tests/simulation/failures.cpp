// SPDX-License-Identifier: Apache-2.0
#include <regex>

#include "claims/run_model.h"
#include "trammel/simulation/diagnosis.h"
#include "trammel/simulation/rejected_steps.h"

namespace trammel::test_failures {
namespace {

std::string read_page() {
  std::ifstream file(places::source_dir() / "docs/replay.md");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Numbers that the program puts in are left out on the page: "solver.rtol (1e-05)".
std::string without_values(const std::string& text) {
  return std::regex_replace(text, std::regex(" \\([0-9.e+-]+\\)"), "");
}

TEST(Failures, the_page_says_of_every_cause_what_the_program_says) {
  const std::string page = read_page();
  for (int i = 1; i < n_causes; ++i) {
    const auto cause = static_cast<Cause>(i);
    if (cause == Cause::user_stop) continue;
    EXPECT_NE(page.find(describe(cause)), page.npos) << describe(cause);
    for (const bool fixed : {false, true}) {
      SolverOptions options;
      if (fixed) options.h = 1e-3;
      const std::string said = without_values(advice(cause, options));
      EXPECT_NE(page.find(said), page.npos) << said;
    }
  }
  for (const bool by_newton : {false, true})
    EXPECT_NE(page.find(advice_on_rejected(by_newton)), page.npos) << advice_on_rejected(by_newton);
}

// Two forces of the same size: one that goes slowly, one that jumps to and fro 100 times a second.
TEST(Failures, rejected_steps_name_the_force_that_changes) {
  const std::string model = R"toml(
[[body]]
name = "mass"
kind = "particle"
mass = 1
[[force]]
name = "slow"
kind = "force"
body = "mass"
force = ["10*sin(t)", 0, 0]
[[force]]
name = "chatter"
kind = "force"
body = "mass"
force = ["10*tanh(1e4*sin(314*t + 20*mass.x))", 0, 0]
[analysis]
end = 1
[solver]
integrator = "radau"
)toml";
  const Recorded recorded = run_text(model);
  const auto told = std::find_if(recorded.summary.notes.begin(), recorded.summary.notes.end(),
                                 [](const std::string& note) { return note.starts_with("rejected "); });
  ASSERT_NE(told, recorded.summary.notes.end()) << recorded.summary.to_text();
  EXPECT_NE(told->find("force 'chatter' changed most"), told->npos) << *told;
  EXPECT_EQ(told->find("'slow'"), told->npos) << *told;
  const Recorded quiet = run_text(model, {"force.chatter.force=[0, 0, 0]"});
  for (const std::string& note : quiet.summary.notes) EXPECT_FALSE(note.starts_with("rejected ")) << note;
}

// A light particle whose force jumps to and fro makes steps be rejected; what changes meanwhile is asked of others.
const std::string chattering = R"toml(
[[body]]
name = "bob"
kind = "particle"
mass = 1e-4
position = [0, 5, 0]
[[force]]
name = "chatter"
kind = "force"
body = "bob"
force = ["1e-3*tanh(1e4*sin(314*t + 20*bob.x))", 0, 0]
)toml";

std::string find_rejected(const std::string& model, const std::vector<std::string>& settings = {}) {
  const Recorded recorded = run_text(model, settings);
  for (const std::string& note : recorded.summary.notes)
    if (note.starts_with("rejected ")) return note;
  return recorded.summary.to_text();
}

// Reactions answer what acts: the hinge has the same change as the force, and the force is named.
TEST(Failures, rejected_steps_name_the_force_and_not_the_joint_that_answers_it) {
  const std::string told = find_rejected(R"toml(
[[body]]
name = "rod"
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [0.5, 0, 0]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "rod"]
point = [0, 0, 0]
axis = "y"
[[force]]
name = "chatter"
kind = "force"
body = "rod"
force = [0, 0, "10*tanh(1e4*sin(314*t + 20*rod.x))"]
[analysis]
end = 1
[solver]
integrator = "radau"
)toml");
  EXPECT_NE(told.find("force 'chatter' changed most"), told.npos) << told;
}

// A weight that is moved to and fro: nothing but the row that moves it changes.
TEST(Failures, rejected_steps_name_the_row_that_changes_without_a_force) {
  for (const char* coordinates : {"absolute", "joint"}) {
    const std::string told = find_rejected(chattering + R"toml(
[[body]]
name = "weight"
mass = 10
inertia = [1, 1, 1]
[[joint]]
name = "slide"
kind = "prismatic"
bodies = ["ground", "weight"]
axis = [1, 0, 0]
[[motion]]
name = "drive"
joint = "slide"
function = "0.1*sin(40*t)"
[analysis]
end = 1
[solver]
integrator = "radau"
)toml",
                                           {std::string("solver.coordinates=") + coordinates});
    EXPECT_NE(told.find("motion 'drive', row 1 [m] changed most"), told.npos) << told;
  }
}

// A wheelset that sways between its rails.
TEST(Failures, rejected_steps_name_the_wheel_on_its_rail) {
  const std::string told = find_rejected(R"toml(gravity = [0, 0, -9.81]
[[track]]
name = "line"
from = -5
to = 200
[[body]]
name = "wheelset"
mass = 1200
inertia = [800, 100, 800]
position = [0, 0, 0.46]
velocity = [2, 0.05, 0]
angular_velocity = [0, "2/0.46", 0]
[[joint]]
name = "on_line"
kind = "track"
bodies = ["ground", "wheelset"]
track = "line"
station = 0
height = 0.46
travel = "2*t"
guided = true
radius = 0.46
[[wheel]]
name = "left"
body = "wheelset"
track = "line"
side = "left"
speed = 2
load = 5886
[[wheel]]
name = "right"
body = "wheelset"
track = "line"
side = "right"
speed = 2
load = 5886
[analysis]
end = 0.5
[solver]
integrator = "radau"
)toml" + chattering);
  EXPECT_NE(told.find("; wheel '"), told.npos) << told;
}

TEST(Failures, rejected_steps_name_the_element_of_a_beam) {
  const std::string told = find_rejected(chattering + R"toml(
[[beam]]
name = "rod"
points = [[0, 0, 0], [1, 0, 0]]
elements = 2
section = { kind = "circle", radius = 0.01 }
material = { young = 2e7, poisson = 0.3, density = 1500 }
[[joint]]
name = "clamp"
kind = "fixed"
bodies = ["ground", "rod_0"]
point = [0, 0, 0]
[analysis]
end = 0.1
[solver]
integrator = "radau"
)toml");
  EXPECT_NE(told.find("beam 'rod', element 1 changed most"), told.npos) << told;
}

}  // namespace
}  // namespace trammel::test_failures
