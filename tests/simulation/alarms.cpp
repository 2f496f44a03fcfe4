#include <gtest/gtest.h>

#include "trammel/io/model_reader.h"
#include "trammel/simulation/simulation.h"

// Runs whose own checks say that their numbers are doubtful.

namespace trammel::test_alarms {
namespace {

constexpr const char* ball = R"(
[parameters]
k = 1e8
height = 1
[[body]]
name = "ball"
mass = 1
inertia = [0.004, 0.004, 0.004]
position = [0, 0, "0.1 + height"]
[[geometry]]
name = "surface"
body = "ball"
kind = "sphere"
radius = 0.1
[[geometry]]
name = "floor"
kind = "plane"
[[contact]]
name = "bounce"
between = ["surface", "floor"]
stiffness = "k"
[analysis]
end = 2
)";

constexpr const char* slider = R"(
gravity = [0, 0, 0]
[[body]]
name = "slider"
mass = 1
inertia = [0.1, 0.1, 0.1]
velocity = [1, 0, 0]
[[joint]]
name = "guide"
kind = "prismatic"
bodies = ["ground", "slider"]
axis = "x"
[[force]]
name = "wall"
kind = "joint_limit"
joint = "guide"
upper = 0.5003
stiffness = 1e8
[analysis]
end = 1
)";

Summary run(const std::string& text, const std::vector<std::string>& settings) {
  Simulation simulation(read_study_text(text, "model.toml", settings));
  MemoryRecord record;
  return simulation.run(record);
}

// A step of 1 ms goes 4 mm deep into a floor that stops the ball within 0.4 mm: the floor stores a hundred times the
// ball's energy. With error control the impact is resolved, and the ball has what it had.
TEST(Alarms, a_fixed_step_that_makes_energy_from_nothing_fails_by_name) {
  for (const std::string method : {"generalized_alpha", "hht", "midpoint", "runge_kutta"}) {
    SCOPED_TRACE(method);
    const Summary wrong = run(ball, {"solver.integrator=" + method, "solver.h=1e-3"});
    ASSERT_EQ(wrong.alarms.size(), 1u);
    EXPECT_EQ(wrong.alarms[0].name, "energy from nothing");
    EXPECT_NEAR(wrong.alarms[0].t, std::sqrt(2.0 / 9.81), 2e-3);
    EXPECT_NE(wrong.alarms[0].element.find("'bounce'"), std::string::npos) << wrong.alarms[0].element;
    EXPECT_GT(wrong.alarms[0].value, wrong.alarms[0].limit);
    EXPECT_FALSE(wrong.completed);
    EXPECT_NE(wrong.failure.find("energy from nothing"), std::string::npos);
    EXPECT_TRUE(wrong.to_attributes().contains("alarm_1"));
    const Summary right = run(ball, {"solver.integrator=" + method});
    EXPECT_TRUE(right.alarms.empty());
    EXPECT_TRUE(right.completed);
  }
}

TEST(Alarms, the_element_that_the_energy_came_from_is_named) {
  const Summary wrong = run(slider, {"solver.integrator=generalized_alpha", "solver.h=1e-3"});
  ASSERT_EQ(wrong.alarms.size(), 1u);
  EXPECT_EQ(wrong.alarms[0].element, "force 'wall'");
  EXPECT_NEAR(wrong.alarms[0].t, 0.5, 3e-3);
}

// What is within its tolerance has no alarm, so that `alarms = "error"` changes nothing; soft floors have none with a
// fixed step either.
TEST(Alarms, healthy_runs_have_none) {
  for (const std::vector<std::string>& settings :
       {std::vector<std::string>{"output.alarms=\"error\""},
        std::vector<std::string>{"output.alarms=\"error\"", "solver.h=1e-3", "parameters.k=1e4"},
        std::vector<std::string>{"output.alarms=\"error\"", "solver.integrator=bdf", "solver.rtol=1e-3"}}) {
    const Summary right = run(ball, settings);
    EXPECT_TRUE(right.completed) << right.failure;
    EXPECT_TRUE(right.alarms.empty());
  }
}

}  // namespace
}  // namespace trammel::test_alarms
