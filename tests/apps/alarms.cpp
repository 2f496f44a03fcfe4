// SPDX-License-Identifier: Apache-2.0
#include "program.h"
#include "trammel/io/results_reader.h"

// Alarms of a run: printed, in the results file, on the page, and exit code 3 where they are errors.

namespace trammel::test_alarms_of_runs {
namespace {

using program::call;
using program::Folder;
using program::Outcome;
using program::read_text;

const std::string pendulum = R"(
[[body]]
name = "bob"
kind = "particle"
mass = 1
position = [1, 0, 0]
[[joint]]
name = "rod"
kind = "distance"
bodies = ["ground", "bob"]
point = [0, 0, 0]
point_b = [1, 0, 0]
[analysis]
end = 10
)";

// Two cranks of 1 m on a coupler of 1 m, 0.3 rad from upright, which fall through the flat position at 0.6 s.
const std::string parallelogram = R"toml(
[parameters]
phi = 0.3
w = -2.5
[[body]]
name = "coupler"
kind = "planar"
normal = "y"
mass = 1
inertia = 0.1
position = ["0.5 + sin(phi)", 0, "cos(phi)"]
velocity = ["w*cos(phi)", 0, "-w*sin(phi)"]
[[body]]
name = "left"
kind = "planar"
normal = "y"
mass = 1
inertia = 0.1
position = ["0.5*sin(phi)", 0, "0.5*cos(phi)"]
velocity = ["0.5*w*cos(phi)", 0, "-0.5*w*sin(phi)"]
angular_velocity = "w"
[[body]]
name = "right"
kind = "planar"
normal = "y"
mass = 1
inertia = 0.1
position = ["1 + 0.5*sin(phi)", 0, "0.5*cos(phi)"]
velocity = ["0.5*w*cos(phi)", 0, "-0.5*w*sin(phi)"]
angular_velocity = "w"
[[joint]]
name = "foot_left"
kind = "revolute"
bodies = ["ground", "left"]
point = [0, 0, 0]
[[joint]]
name = "foot_right"
kind = "revolute"
bodies = ["ground", "right"]
point = [1, 0, 0]
[[joint]]
name = "top_left"
kind = "revolute"
bodies = ["left", "coupler"]
point = ["sin(phi)", 0, "cos(phi)"]
[[joint]]
name = "top_right"
kind = "revolute"
bodies = ["right", "coupler"]
point = ["1 + sin(phi)", 0, "cos(phi)"]
[analysis]
end = 1
)toml";

const std::string hammer = R"(
gravity = [0, 0, 0]
[[body]]
name = "hammer"
mass = 1
inertia = [1, 1, 1]
velocity = [1, 0, 0]
[[joint]]
name = "rail"
kind = "prismatic"
bodies = ["ground", "hammer"]
point = [0, 0, 0]
axis = "x"
[[force]]
name = "wall"
kind = "joint_limit"
joint = "rail"
lower = -1
upper = 0.5
stiffness = 1e7
[analysis]
end = 1
)";

struct Case {
  const char* name;     // of the alarm
  const char* element;  // it names
  std::string model;
  std::vector<std::string> settings;
  bool always_fails = false;
};

TEST(AlarmsOfRuns, are_named_with_time_and_element_wherever_they_are_shown_and_fail_if_asked_to) {
  const Case cases[] = {
      {"step too long", "'bob'", pendulum, {"solver.h=0.05"}},
      {"energy imbalance", "integrator 'runge_kutta'", pendulum, {"solver.integrator=runge_kutta", "solver.h=0.2"}},
      {"noise in reactions",
       "'rod'",
       pendulum,
       {"solver.integrator=midpoint", "solver.h=1e-3", "solver.newton_tol=1e-7"}},
      {"frame violation",
       "'rod'",
       pendulum,
       {"solver.integrator=bdf", "solver.formulation=index1", "solver.atol=1e-7", "analysis.end=200"}},
      {"rank lost in motion", "'top_right'", parallelogram, {"solver.h=5e-3"}},
      {"energy from nothing", "force 'wall'", hammer, {"solver.h=1e-3"}, true},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Folder folder;
    folder.write("model.toml", c.model);
    std::vector<std::string> arguments{"run", "model.toml", "--report", "-o", "run.h5"};
    for (const std::string& setting : c.settings) arguments.insert(arguments.end(), {"--set", setting});
    const Outcome told = call(folder, arguments);
    EXPECT_EQ(told.code, c.always_fails ? 3 : 0) << told.err;
    // The whole line, as the summary prints it.
    const std::size_t at = told.out.find(std::string("ALARM           : ") + c.name + " at t = ");
    ASSERT_NE(at, std::string::npos) << told.out;
    const std::size_t from = told.out.find(c.name, at), colon = told.out.find(": ", from);
    const std::string head = told.out.substr(from, colon - from);
    EXPECT_SAYS(head, c.element);
    bool in_file = false;
    const ResultsReader results(folder / "run.h5");
    for (const auto& [key, value] : results.summary())
      in_file = in_file || (key.starts_with("alarm_") && text_of(value).starts_with(head));
    EXPECT_TRUE(in_file) << head;
    EXPECT_SAYS(read_text(folder / "run.html"), head);
    arguments.insert(arguments.end(), {"--set", "output.alarms=\"error\""});
    const Outcome failed = call(folder, arguments);
    EXPECT_EQ(failed.code, 3);
    EXPECT_SAYS(failed.err, " at t = ");
    EXPECT_SAYS(failed.out, "failed by an alarm: ");
    EXPECT_TRUE(ResultsReader(folder / "run.h5").summary().contains("alarm_1"));
  }
}

TEST(AlarmsOfRuns, are_none_of_a_healthy_run_which_alarms_as_errors_do_not_change) {
  const Folder folder;
  folder.write("model.toml", pendulum);
  const Outcome run = call(folder, {"run", "model.toml", "-o", "run.h5", "--set", "output.alarms=\"error\""});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out.find("ALARM"), std::string::npos) << run.out;
  EXPECT_FALSE(ResultsReader(folder / "run.h5").summary().contains("alarm_1"));
}

}  // namespace
}  // namespace trammel::test_alarms_of_runs
