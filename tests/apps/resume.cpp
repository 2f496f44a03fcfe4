// SPDX-License-Identifier: Apache-2.0
#include <random>
#include <thread>

#include "program.h"
#include "support/killed_runs.h"
#include "trammel/io/recorded_run.h"

// Runs that were stopped or killed go on in the same file, which ends with the numbers of one that nobody disturbed.

namespace trammel::test_resume {
namespace {

using program::call;
using program::Child;
using program::Folder;
using program::model_path;
using program::Outcome;
using same_results::all_rows;
using same_results::expect_same_results;

std::vector<std::string> running_to(const std::string& name, const std::string& end = "4") {
  return {"run",
          model_path("pendulum.toml"),
          "--set",
          "analysis.end=" + end,
          "output.interval=0.01",
          "output.checkpoint_steps=50",
          "output.flush_every_frame=true",
          "--progress-interval",
          "0",
          "--out",
          name};
}

TEST(Resume, after_kill_at_random_instants_ends_with_the_results_of_an_undisturbed_run) {
  const Folder folder;
  ASSERT_EQ(call(folder, running_to("whole.h5")).code, 0);
  std::mt19937 random(4);
  std::uniform_int_distribution<int> delay(0, 60000);  // [µs]
  for (int i = 0; i < 6; ++i) {
    SCOPED_TRACE(i);
    const std::string name = "run" + std::to_string(i) + ".h5";
    int n_kills = 0;
    for (bool first = true; n_kills < 3; first = false) {
      Child child(folder, first ? running_to(name)
                                : std::vector<std::string>{"run", "--resume", name, "--progress-interval", "0"});
      if (first) {
        ASSERT_TRUE(child.wait_for_text(" frames written")) << child.err();
      }
      std::thread killer([&child, after = std::chrono::microseconds(delay(random))] {
        std::this_thread::sleep_for(after);
        child.send(SIGKILL);
      });
      while (child.read_more()) {
      }
      killer.join();
      const int code = child.end();
      ASSERT_TRUE(code == -SIGKILL || code == 0) << code << child.err();
      if (code == 0) break;
      ++n_kills;
    }
    const Outcome resumed = call(folder, {"run", "--resume", name});
    ASSERT_TRUE(resumed.code == 0 || resumed.err.find("has ended") != resumed.err.npos) << resumed.err;
    expect_same_results(folder / name, folder / "whole.h5");
  }
}

// A sample of tests/slow/resume_killed.cpp.
TEST(Resume, after_a_kill_goes_on_with_every_integrator) {
  killed_runs::Tally tally;
  for (const resumed_runs::Case& each : resumed_runs::make_cases("events", false))
    killed_runs::expect_same_after_kills("events", each, 1, 5, tally);
  EXPECT_GT(tally.cases, 10);
}

TEST(Resume, after_a_stop_by_signal_goes_on_with_the_same_bits) {
  const Folder folder;
  ASSERT_EQ(call(folder, running_to("whole.h5")).code, 0);
  for (const int signal : {SIGINT, SIGTERM}) {
    Child child(folder, running_to("run.h5"));
    ASSERT_TRUE(child.wait_for_text(" frames written"));
    child.send(SIGUSR1);  // writes, and does not end it
    child.send(signal);
    const int code = child.end();
    ASSERT_TRUE(code == 128 + signal || code == 0) << code << child.err();
    if (code == 0) continue;
    const Outcome resumed = call(folder, {"run", "--resume", "run.h5"});
    ASSERT_EQ(resumed.code, 0) << resumed.err;
    const std::string said = resumed.out + resumed.err;
    EXPECT_TRUE(said.find("Resumed at t = ") != said.npos || said.find("it begins anew") != said.npos) << said;
    expect_same_results(folder / "run.h5", folder / "whole.h5");
  }
}

// What is recorded until the first end stays; frames go on at the same distances.
TEST(Resume, goes_on_to_a_later_end) {
  const Folder folder;
  ASSERT_EQ(call(folder, running_to("run.h5", "1")).code, 0);
  const std::vector<double> before = ResultsReader(folder / "run.h5").times();
  const Outcome again = call(folder, {"run", "--resume", "run.h5"});
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(again.err.find("its run has ended: reached the end, t = 1 s; --end gives it a later end"), again.err.npos)
      << again.err;
  EXPECT_EQ(call(folder, {"run", "--resume", "run.h5", "--end", "0.5"}).code, 2);
  ASSERT_EQ(call(folder, {"run", "--resume", "run.h5", "--end", "1.5"}).code, 0);
  const std::vector<double> times = ResultsReader(folder / "run.h5").times();
  ASSERT_EQ(times.size(), before.size() + 50);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), times.begin()));
  EXPECT_NEAR(times.back(), 1.5, 1e-12);
  ASSERT_EQ(call(folder, {"run", "--resume", "run.h5", "--end", "2"}).code, 0);
  EXPECT_EQ(ResultsReader(folder / "run.h5").attribute("resumed"), "1 1.5");
}

const std::string included = R"([[include]]
file = "parts/arm.toml"
[analysis]
end = 3
[output]
checkpoint_steps = 40
)";
const std::string arm = R"([[body]]
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
)";

// Nothing but the file is there: neither the model nor the parts that it includes.
TEST(Resume, needs_the_results_alone) {
  const Folder folder, other;
  folder.write("model.toml", included);
  std::filesystem::create_directories(folder / "parts");
  folder.write("parts/arm.toml", arm);
  const Outcome run = call(folder, {"run", "model.toml"});
  ASSERT_EQ(run.code, 0) << run.err;
  std::filesystem::copy_file(folder / "model.h5", other / "moved.h5");
  const Outcome resumed = call(other, {"run", "--resume", "moved.h5", "--end", "4"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  ASSERT_EQ(call(folder, {"run", "--resume", "model.h5", "--end", "4"}).code, 0);
  const std::vector<double> x = all_rows(ResultsReader(other / "moved.h5")),
                            y = all_rows(ResultsReader(folder / "model.h5"));
  EXPECT_TRUE(x == y);
  const std::vector<RecordedFile> files = ResultsReader(other / "moved.h5").read_files();
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].name, "parts/arm.toml");
  EXPECT_EQ(files[0].bytes, arm);
}

TEST(Resume, names_what_keeps_it_from_going_on) {
  const Folder folder;
  folder.write("model.toml", included);
  std::filesystem::create_directories(folder / "parts");
  folder.write("parts/arm.toml", arm);
  const auto expect_refusal = [&](const std::vector<std::string>& words, const std::string& said, int code) {
    const Outcome outcome = call(folder, words);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_NE(outcome.err.find(said), outcome.err.npos) << said << "\n" << outcome.err;
  };
  ASSERT_EQ(call(folder, {"run", "model.toml"}).code, 0);
  expect_refusal({"run", "--resume", "nothing.h5"}, "nothing.h5", 4);
  expect_refusal({"run", "--resume", "model.toml"}, "it is not an HDF5 file", 4);
  expect_refusal({"run"}, "model", 2);
  // Another model, or another part.
  ASSERT_EQ(call(folder, {"run", "model.toml", "--resume", "model.h5", "--end", "3.5"}).code, 0);
  folder.write("parts/arm.toml", arm + "# heavier\n");
  expect_refusal({"run", "model.toml", "--resume", "model.h5", "--end", "4"},
                 "parts/arm.toml: is not what 'model.h5' is of", 2);
  folder.write("model.toml", included + "# longer\n");
  expect_refusal({"run", "model.toml", "--resume", "model.h5", "--end", "4"},
                 "model.toml: is not what 'model.h5' is of: line", 2);
  folder.write("model.toml", "# first\n" + included);
  const std::string first = included.substr(0, std::min<std::size_t>(included.find('\n'), 80));
  expect_refusal({"run", "model.toml", "--resume", "model.h5", "--end", "4"}, "is of: line 1 was '" + first, 2);
  folder.write("model.toml", included);
  // Without checkpoints.
  ASSERT_EQ(call(folder, {"run", "model.toml", "--set", "output.checkpoint_steps=0", "--out", "none.h5"}).code, 0);
  expect_refusal({"run", "--resume", "none.h5", "--end", "4"}, "no checkpoints were asked for", 4);
  // Another version; damage.
  const std::string output = program::python(folder, "folder = r'" + folder.path().string() + "/'\n" + R"(
import h5py, shutil
shutil.copy(folder + 'model.h5', folder + 'version.h5')
with h5py.File(folder + 'version.h5', 'r+') as f:
    f.attrs['trammel_version'] = '0.0.1'
shutil.copy(folder + 'model.h5', folder + 'damaged.h5')
with h5py.File(folder + 'damaged.h5', 'r+') as f:
    for name in 'ab':
        if f['/checkpoint/' + name].shape[0] > 200:
            f['/checkpoint/' + name][150] ^= 1
print('fine')
)");
  ASSERT_EQ(output, "fine\n");
  expect_refusal({"run", "--resume", "version.h5", "--end", "4"}, "was written by version", 2);
  expect_refusal({"run", "--resume", "damaged.h5", "--end", "4"}, "its checkpoint is damaged", 4);
}

// Bits that flip and ends that are cut off: it goes on with the right numbers, or says what is wrong and leaves the
// file. Returns how often it was refused.
int damage_and_resume(const Folder& folder, const std::string& whole, const std::vector<std::string>& more,
                      const std::vector<double>& expected, unsigned seed, int n) {
  std::mt19937 random(seed);
  int refused = 0;
  for (int i = 0; i < n; ++i) {
    std::string bytes = whole;
    if (i % 4 == 0)
      bytes.resize(random() % whole.size());
    else
      for (int k = 0; k < 8; ++k) bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
    SCOPED_TRACE(i);
    folder.write("bad.h5", bytes);
    std::vector<std::string> words{"run", "--resume", "bad.h5"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = call(folder, words);
    if (outcome.code != 0) {
      ++refused;
      EXPECT_TRUE(outcome.code == 2 || outcome.code == 4) << outcome.code << outcome.err;
      EXPECT_NE(outcome.err.find("bad.h5"), outcome.err.npos) << outcome.err;
      EXPECT_TRUE(program::read_text(folder / "bad.h5") == bytes) << "it was changed";
      continue;
    }
    EXPECT_TRUE(all_rows(ResultsReader(folder / "bad.h5")) == expected) << "other numbers, and nothing was said";
  }
  return refused;
}

TEST(Resume, of_a_damaged_file_is_right_or_refused) {
  const Folder folder;
  ASSERT_EQ(call(folder, running_to("run.h5", "0.3")).code, 0);
  ASSERT_EQ(call(folder, running_to("whole.h5", "0.3")).code, 0);
  ASSERT_EQ(call(folder, {"run", "--resume", "whole.h5", "--end", "0.4"}).code, 0);
  EXPECT_GT(damage_and_resume(folder, program::read_text(folder / "run.h5"), {"--end", "0.4"},
                              all_rows(ResultsReader(folder / "whole.h5")), 9, 32),
            8);
}

// Rows have checksums from the instant at which they are written.
TEST(Resume, of_a_damaged_file_that_a_killed_run_left_is_right_or_refused) {
  const Folder folder;
  ASSERT_EQ(call(folder, running_to("whole.h5")).code, 0);
  Child child(folder, running_to("run.h5"));
  ASSERT_TRUE(child.wait_for_text(" frames written"));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  child.send(SIGKILL);
  while (child.read_more()) {
  }
  if (child.end() != -SIGKILL) GTEST_SKIP() << "it had ended";
  EXPECT_GT(damage_and_resume(folder, program::read_text(folder / "run.h5"), {},
                              all_rows(ResultsReader(folder / "whole.h5")), 5, 32),
            8);
}

// One number of one row.
TEST(Resume, names_the_table_that_is_damaged) {
  const Folder folder;
  Child child(folder, running_to("killed.h5", "1000"));
  ASSERT_TRUE(child.wait_for_text(" frames written"));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  child.send(SIGKILL);
  while (child.read_more()) {
  }
  ASSERT_EQ(child.end(), -SIGKILL);
  ASSERT_EQ(call(folder, running_to("ended.h5")).code, 0);
  for (const char* name : {"killed.h5", "ended.h5"}) {
    EXPECT_TRUE(verify_results(folder / name).empty()) << name;
    const ResultsReader reader(folder / name);
    // The times stand there as they are: the only place with these two beside each other.
    const double pair[2] = {reader.times()[3], reader.times()[4]};
    std::string bytes = program::read_text(folder / name);
    const std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(pair), sizeof(pair)));
    ASSERT_NE(at, bytes.npos);
    bytes[at + 1] ^= 4;
    folder.write("bad.h5", bytes);
    const std::vector<DamagedPart> damaged = verify_results(folder / "bad.h5");
    ASSERT_EQ(damaged.size(), 1u) << name;
    EXPECT_EQ(damaged[0].part, "/time");
    EXPECT_NE(damaged[0].trouble.find("not those that were written (rows 0 to "), std::string::npos);
    const Outcome resumed = call(folder, {"run", "--resume", "bad.h5", "--end", "1001"});
    EXPECT_EQ(resumed.code, 4);
    EXPECT_SAYS(resumed.err, "/time is damaged");
  }
}

// Whose products of dense blocks round differently does not go on, and the file stays what it is.
TEST(Resume, with_another_dense_kernel_is_refused_before_the_file_is_touched) {
  const Folder folder;
  const std::string chain = (places::source_dir() / "examples/14_pendulum_chain/pendulum_chain.toml").string();
  ::setenv("TRAMMEL_DENSE_KERNEL", "portable", 1);
  ASSERT_EQ(call(folder, {"run", chain, "--set", "parameters.N=100", "analysis.end=1", "output.checkpoint_steps=10",
                          "--out", "run.h5"})
                .code,
            0);
  const std::string before = program::read_text(folder / "run.h5");
  ::setenv("TRAMMEL_DENSE_KERNEL", "auto", 1);
  const Outcome other = call(folder, {"run", "--resume", "run.h5", "--end", "1.2"});
  ::setenv("TRAMMEL_DENSE_KERNEL", "portable", 1);
  if (other.code == 0) GTEST_SKIP() << "this processor has the portable products alone";
  EXPECT_EQ(other.code, 2);
  EXPECT_SAYS(other.err, "the run used the portable products of large dense blocks");
  EXPECT_TRUE(program::read_text(folder / "run.h5") == before);
  EXPECT_EQ(call(folder, {"run", "--resume", "run.h5", "--end", "1.2"}).code, 0);
}

// The library, for programs that do without the command line.
TEST(Resume, by_the_library_gives_the_same_results) {
  const Folder folder;
  ASSERT_EQ(call(folder, running_to("a.h5", "1")).code, 0);
  std::filesystem::copy_file(folder / "a.h5", folder / "b.h5");
  ASSERT_EQ(call(folder, {"run", "--resume", "a.h5", "--end", "2"}).code, 0);
  EXPECT_TRUE(resume_run(folder / "b.h5", 2.0).completed);
  expect_same_results(folder / "b.h5", folder / "a.h5");
  EXPECT_THROW(resume_run(folder / "b.h5"), InputError);       // it has ended
  EXPECT_THROW(resume_run(folder / "b.h5", 1.0), InputError);  // no later end
  EXPECT_THROW(resume_run(folder / "none.h5"), IoError);
}

}  // namespace
}  // namespace trammel::test_resume
