// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>
#include <regex>
#include <thread>

#include "program.h"
#include "trammel/io/results_reader.h"

// kill −9 of a real run at 100 random instants: every frame that a progress line had reported as written is there, with
// the numbers of a run that nobody disturbed, for our reader and for h5py.

namespace trammel::test_kill {
namespace {

using program::call;
using program::Child;
using program::Folder;
using program::model_path;
using program::Outcome;

// A long run is killed while it writes; a short one also while it closes its file, or after.
std::vector<std::string> writing_to(const std::string& name, bool is_short) {
  return {"run",
          model_path("pendulum.toml"),
          "--set",
          is_short ? "analysis.end=0.04" : "analysis.end=2",
          "output.interval=0.001",
          "output.flush_every_frame=true",
          "--progress-interval",
          "0",
          "--out",
          name};
}

// The number in the last whole line "… N frames written, …"; 0 before the first.
std::int64_t frames_reported(const std::string& lines) {
  const std::size_t end = lines.rfind('\n');
  if (end == std::string::npos) return 0;
  const std::string words = " frames written";
  const std::size_t at = lines.rfind(words, end);
  if (at == std::string::npos) return 0;
  return std::stoll(lines.substr(lines.rfind(' ', at - 1) + 1, at));
}

TEST(Kill, of_a_run_at_100_random_instants_loses_no_reported_frame) {
  const Folder folder;
  ASSERT_EQ(call(folder, writing_to("long.h5", false)).code, 0);
  ASSERT_EQ(call(folder, writing_to("short.h5", true)).code, 0);
  const ResultsReader long_run(folder / "long.h5"), short_run(folder / "short.h5");

  std::mt19937 random(19960611);
  std::uniform_int_distribution<int> early_delay(0, 20000), delay(0, 60000), late_delay(0, 400000);  // [µs]
  std::string files;
  int n_kills = 0, writing = 0, n_closed = 0;
  for (int i = 0; n_kills < 100; ++i) {
    ASSERT_LT(i, 300) << "too many runs end before they are killed";
    const std::string name = "run" + std::to_string(i) + ".h5";
    const bool is_short = i % 4 == 2;
    const bool early = i % 8 == 5;  // these hit the start of the program and the making of the file
    std::int64_t reported = 0;
    {
      Child child(folder, writing_to(name, is_short));
      if (!early) {
        ASSERT_TRUE(child.wait_for_text(" frames written"));
      }
      const std::chrono::microseconds after(early        ? early_delay(random)
                                            : i % 8 == 6 ? late_delay(random)
                                                         : delay(random));
      std::thread killer([&child, after] {
        std::this_thread::sleep_for(after);
        child.send(SIGKILL);
      });
      while (child.read_more()) {
      }
      killer.join();
      const int code = child.end();
      ASSERT_TRUE(code == -SIGKILL || code == 0) << child.err();  // 0: it ended by itself; its file must be whole
      if (code == -SIGKILL) ++n_kills;
      reported = frames_reported(child.err());
    }
    const Outcome info = call(folder, {"info", name});
    if (reported == 0) {
      EXPECT_TRUE(info.code == 0 || info.code == 4) << "kill " << i << ": " << info.code << info.err;
      continue;
    }
    ASSERT_EQ(info.code, 0) << "kill " << i << ": " << info.err;
    const ResultsReader reader(folder / name);
    const ResultsReader& undisturbed = is_short ? short_run : long_run;
    const Eigen::MatrixXd expected = undisturbed.read("rod.position").values;
    EXPECT_TRUE(std::regex_search(info.out, std::regex("frames +: " + std::to_string(reader.n_frames()) + "\n")));
    ASSERT_GE(reader.n_frames(), reported) << "kill " << i;
    ASSERT_LE(reader.n_frames(), undisturbed.n_frames());
    const Eigen::MatrixXd position = reader.read("rod.position").values;
    for (Eigen::Index row = 0; row < position.rows(); ++row) {
      ASSERT_EQ(reader.times()[row], undisturbed.times()[row]) << "kill " << i;
      ASSERT_EQ(position.row(row), expected.row(row)) << "kill " << i << ", frame " << row;
    }
    (reader.state() == ResultsState::closed ? n_closed : writing) += 1;
    files += "    ('" + name + "', '" + (is_short ? "short" : "long") + "', " + std::to_string(reported) + "),\n";
  }
  EXPECT_GT(writing, 50) << "the kills must hit the writing";
  EXPECT_GT(n_closed, 0) << "some must come late";
  RecordProperty("while_writing", writing);
  RecordProperty("closed", n_closed);

  const std::string output =
      program::python(folder, "folder = r'" + folder.path().string() + "/'\nfiles = [\n" + files +
                                  R"(]
import h5py
for name, undisturbed, reported in files:
    whole = h5py.File(folder + undisturbed + '.h5', 'r')
    expected = whole['/frames/position'][:]
    f = h5py.File(folder + name, 'r', swmr=True)
    n = len(f['/time'])
    assert n >= reported, (name, n, reported)
    assert (f['/time'][:] == whole['/time'][:n]).all(), name
    assert (f['/frames/position'][:n] == expected[:n]).all(), name
    assert (f['/bodies/rod/position'][:n] == expected[:n, 0, :]).all(), name
    f.close()
print('fine')
)");
  EXPECT_EQ(output, "fine\n");
}

}  // namespace
}  // namespace trammel::test_kill
