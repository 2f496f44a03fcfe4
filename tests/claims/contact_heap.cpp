// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "run_model.h"

// Many bodies in contact: instants that fall together, where location gives way to the error test, and that
// accelerations of free bodies need no matrix.

namespace trammel::test_contact_heap {
namespace {

// n³ balls of 0.05 m in columns of which none stands exactly straight, above a floor.
std::string heap(int n, const std::string& more, bool locate = true) {
  return fmt::format(R"toml(
gravity = [0, 0, -9.81]
[[geometry]]
name = "floor"
kind = "plane"
group = "all"
[[repeat]]
count = {0}
index = "i"
[[repeat.repeat]]
count = {0}
index = "j"
[[repeat.repeat.repeat]]
count = {0}
index = "k"
[[repeat.repeat.repeat.body]]
name = "b_{{i}}_{{j}}_{{k}}"
position = ["0.104*i + 0.0005*sin(7*k + j)", "0.104*j + 0.0005*cos(5*k + i)", "0.052 + 0.104*k"]
[[repeat.repeat.repeat.geometry]]
body = "b_{{i}}_{{j}}_{{k}}"
kind = "sphere"
radius = 0.05
density = 1000
group = "all"
[[contact]]
name = "c"
among = ["all"]
locate = {2}
law = "hunt_crossley"
stiffness = 1e5
restitution = 0.5
impact_speed = 1
friction = {{ kind = "coulomb", mu = 0.3 }}
[analysis]
end = 0.1
{1}
)toml",
                     n, more, locate);
}

bool is_noted(const Recorded& run, const std::string& words) {
  return std::any_of(run.summary.notes.begin(), run.summary.notes.end(),
                     [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

double largest_difference(const Recorded& a, const Recorded& b, int n) {
  double largest = 0.0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        const std::string channel = fmt::format("b_{}_{}_{}.position", i, j, k);
        largest = std::max(largest, (a.values(channel) - b.values(channel)).cwiseAbs().maxCoeff());
      }
  return largest;
}

// The layer that falls 2 mm touches the floor everywhere at t = √(2·0.002/9.81), and each ball of it is counted.
TEST(ContactHeap, balls_that_touch_down_together_are_one_event_and_each_is_counted) {
  Simulation simulation(read_study_text(heap(4, ""), "model.toml", SetList{"analysis.end=0.0204"}));
  MemoryRecord record;
  const Summary summary = simulation.run(record);
  ASSERT_TRUE(summary.completed) << summary.failure;
  const double t = std::sqrt(2.0 * 0.002 / 9.81);
  const auto& changes = simulation.contact_changes();
  ASSERT_EQ(changes.size(), 16u);
  for (const KinkWatch::Change& change : changes) {
    EXPECT_TRUE(change.begins);
    EXPECT_NEAR(change.t, t, 1e-10);
  }
  EXPECT_LE(summary.rejected_contact, 8);
}

// Frames until 0.1 s, at the default tolerances and at tight ones: within a thousandth of the radius, whether instants
// are located, are not, or are until the heap is dense.
TEST(ContactHeap, a_dense_heap_follows_the_error_test_and_stays_right) {
  const std::string output = "[output]\ninterval = 0.01\n";
  const Recorded chosen = run_text(heap(4, output));
  EXPECT_TRUE(is_noted(chosen, "a heap:"));
  const Recorded never = run_text(heap(4, output + "[solver]\nrtol = 1e-8\n", false));
  EXPECT_FALSE(is_noted(never, "a heap:"));
  EXPECT_LT(largest_difference(chosen, never, 4), 1e-3 * 0.05);
  // Friction and restitution take energy out; what the method adds is less than 1e-4 of what there is.
  const Eigen::VectorXd total = chosen.values("energy.kinetic") + chosen.values("energy.potential");
  for (Eigen::Index i = 1; i < total.size(); ++i) EXPECT_LT(total[i] - total[i - 1], 1e-4 * total[0]);
  EXPECT_LT(total[total.size() - 1], 0.995 * total[0]);
}

// Where few bodies meet, every instant is located as before.
TEST(ContactHeap, few_bodies_are_no_heap) {
  const Recorded run = run_text(heap(2, ""));
  EXPECT_FALSE(is_noted(run, "a heap:"));
  EXPECT_TRUE(is_noted(run, "touch-downs"));
}

// Bodies without any row: accelerations follow body by body, and are those of the recursion and of the implicit method.
TEST(ContactHeap, free_bodies_are_moved_without_any_matrix) {
  const std::string model = R"toml(
gravity = [0, 0, -9.81]
[[body]]
name = "box"
mass = 2
inertia = [0.1, 0.25, 0.3]
position = [0, 0, 1]
velocity = [1, 0.5, 4]
angular_velocity = [0.1, 6, 0.2]
[[body]]
name = "disc"
kind = "planar"
normal = "z"
mass = 1
inertia = 0.2
position = [1, 0, 0]
angular_velocity = 2
[[body]]
name = "bead"
kind = "particle"
mass = 0.5
position = [0, 1, 0]
[[force]]
name = "rope"
kind = "spring_damper"
point_a = { body = "box", at = [0.1, 0.2, 0] }
point_b = { body = "bead", at = [0, 0, 0] }
free_length = 0.8
stiffness = 30
damping = 0.5
[[force]]
name = "band"
kind = "spring_damper"
point_a = { body = "disc", at = [0.1, 0, 0] }
point_b = { body = "bead", at = [0, 0, 0] }
free_length = 0.5
stiffness = 20
damping = 0.2
[analysis]
end = 1
[output]
interval = 0.1
[solver]
rtol = 1e-9
atol = 1e-10
)toml";
  const Recorded bodies = run_text(model, {"solver.integrator=runge_kutta", "solver.coordinates=absolute"});
  EXPECT_EQ(bodies.summary.linear_solver, "none");
  for (const SetList& other : {SetList{"solver.integrator=runge_kutta", "solver.coordinates=joint"},
                               SetList{"solver.integrator=radau", "solver.coordinates=absolute"}}) {
    const Recorded run = run_text(model, other);
    for (const std::string channel : {"box.position", "box.velocity", "box.angular_velocity", "disc.position",
                                      "disc.angular_velocity", "bead.position", "bead.velocity"})
      EXPECT_LT((bodies.values(channel) - run.values(channel)).cwiseAbs().maxCoeff(), 2e-7) << channel;
  }
}

}  // namespace
}  // namespace trammel::test_contact_heap
