// SPDX-License-Identifier: Apache-2.0
#include "trammel/io/replay.h"
#include "program.h"
#include "trammel/io/recorded_run.h"

// Failures are repeated from results alone, and what gets past them is said.

namespace trammel::test_replay {
namespace {

using program::call;
using program::Folder;
using program::Outcome;

// A torque that switches on, far too strong for the step: Newton's iteration does not converge.
const std::string kicked = R"toml([[body]]
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
name = "kick"
kind = "torque"
body = "rod"
torque = [0, "if(t > 0.55, 3e5*sin(60*rod.x), 0)", 0]
[analysis]
end = 2
[solver]
h = 0.05
[output]
checkpoint_steps = 4
)toml";

TEST(Replay, of_a_moved_file_repeats_the_failing_step_and_says_which_cure_helped) {
  const Folder folder, empty;
  folder.write("kicked.toml", kicked);
  const Outcome run = call(folder, {"run", "kicked.toml"});
  ASSERT_EQ(run.code, 3) << run.out << run.err;
  EXPECT_SAYS(run.err + run.out, "worst row");
  std::filesystem::copy_file(folder / "kicked.h5", empty / "moved.h5");
  const std::string before = program::read_text(empty / "moved.h5");
  const Outcome replayed = call(empty, {"replay", "moved.h5"});
  EXPECT_EQ(replayed.code, 0) << replayed.out << replayed.err;
  EXPECT_SAYS(replayed.out, "Repeated bit by bit from t = ");
  EXPECT_SAYS(replayed.out, "  + solver.h=");
  EXPECT_SAYS(replayed.out, "gets past it");
  EXPECT_SAYS(replayed.out, "worst row");
  EXPECT_TRUE(program::read_text(empty / "moved.h5") == before) << "it was changed";
  const ReplayReport report = replay_failure(empty / "moved.h5");
  EXPECT_TRUE(report.repeated) << report.difference;
  EXPECT_GT(report.from, 0.0);  // from a checkpoint
}

TEST(Replay, of_a_capsule_is_that_of_the_whole_file_and_needs_a_part_of_it) {
  const Folder folder, empty;
  std::string text = kicked;
  text.replace(text.find("t > 0.55"), 8, "t > 9.55"), text.replace(text.find("end = 2"), 7, "end = 12");
  folder.write("long.toml", text);
  ASSERT_EQ(call(folder, {"run", "long.toml", "--set", "output.interval=0.002"}).code, 3);
  const Outcome whole = call(folder, {"replay", "long.h5", "--capsule", "small.h5"});
  EXPECT_EQ(whole.code, 0) << whole.out << whole.err;
  EXPECT_LT(std::filesystem::file_size(folder / "small.h5"), std::filesystem::file_size(folder / "long.h5") / 2);
  std::filesystem::copy_file(folder / "small.h5", empty / "small.h5");
  const Outcome sent = call(empty, {"replay", "small.h5"});
  EXPECT_EQ(sent.code, 0) << sent.out << sent.err;
  EXPECT_EQ(sent.out, whole.out);
}

TEST(Replay, refuses_what_did_not_fail_and_what_is_no_result) {
  const Folder folder;
  folder.write("model.toml", kicked);
  ASSERT_EQ(call(folder, {"run", "model.toml", "--set", "analysis.end=0.3"}).code, 0);
  const Outcome fine = call(folder, {"replay", "model.h5"});
  EXPECT_EQ(fine.code, 2);
  EXPECT_SAYS(fine.err, "did not fail");
  EXPECT_EQ(call(folder, {"replay", "model.toml"}).code, 4);
  EXPECT_EQ(call(folder, {"replay", "none.h5"}).code, 4);
}

}  // namespace
}  // namespace trammel::test_replay
