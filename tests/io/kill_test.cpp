// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <random>
#include <thread>

#include "sample_run.h"
#include "trammel/io/results_file.h"
#include "trammel/io/results_reader.h"

// kill −9 at any instant: what was reported as written can be read. The writer is a child process that tells its
// count of written frames through a pipe after each frame; the parent kills it after a random time, in the middle of
// creating, writing or closing the file.

namespace trammel::test_kill_test {
namespace {

using sample::Folder;

struct WriterRun {
  std::filesystem::path path;
  int n_bodies;
  int n_frames;     // the child ends the file after these and then waits
  bool each_frame;  // flush at each frame, or by blocks of rows
};

[[noreturn]] void write_run(const WriterRun& run, int report) {
  const RecordSchema schema = sample::schema(run.n_bodies);
  ResultsFileOptions options;
  options.flush_every_frame = run.each_frame;
  options.flush_seconds = 0.001;
  ResultsFile file(run.path, options);
  file.begin(schema);
  for (int row = 0; row < run.n_frames; ++row) {
    file.frame(sample::time(row), sample::values(row, schema.frame_width()));
    file.step(sample::time(row), sample::values(row, schema.step_width()));
    const std::int64_t written = file.frames_written();
    if (write(report, &written, sizeof written) != sizeof written) _exit(1);
  }
  file.end({{"stop", "end time reached"}});
  const std::int64_t ended = run.n_frames;
  if (write(report, &ended, sizeof ended) != sizeof ended) _exit(1);
  for (;;) pause();
}

// The last count of frames that the child reported before it was killed.
std::int64_t run_and_kill(const WriterRun& run, bool early, std::chrono::microseconds after) {
  int ends[2];
  if (pipe(ends) != 0) throw Error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    write_run(run, ends[1]);
  }
  close(ends[1]);
  std::int64_t reported = 0, count = 0;
  // Early kills hit the making of the file; the others wait for the first frame, so that a slow machine hits the
  // writing as well.
  if (!early && read(ends[0], &count, sizeof count) == sizeof count) reported = count;
  std::thread killer([&] {
    std::this_thread::sleep_for(after);
    kill(child, SIGKILL);
  });
  while (read(ends[0], &count, sizeof count) == sizeof count) reported = count;
  killer.join();
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "the writer ended by itself";
  return reported;
}

// Every frame of the file, not only the reported ones, must carry the numbers of its row.
void expect_frames(const ResultsReader& reader, const RecordSchema& schema, std::int64_t reported) {
  ASSERT_GE(reader.n_frames(), reported);
  const auto n = static_cast<int>(reader.n_frames());
  int offset = 0, stored = 0;
  for (const RecordGroup& group : schema.frames) {
    if (group.width() == 0) continue;
    std::vector<double> rows(static_cast<std::size_t>(n * group.width()));
    reader.read_rows(false, stored++, 0, n, rows);
    for (int row = 0; row < n; ++row)
      for (int i = 0; i < group.width(); ++i)
        ASSERT_EQ(rows[static_cast<std::size_t>(row * group.width() + i)], sample::value(row, offset + i))
            << group.path << " row " << row;
    offset += group.width();
  }
  for (int row = 0; row < n; ++row) ASSERT_EQ(reader.times()[static_cast<std::size_t>(row)], sample::time(row));
}

TEST(Kill, leaves_every_reported_frame_readable_in_100_kills) {
  const Folder folder;
  std::mt19937 random(20240611);
  std::uniform_int_distribution<int> delay(0, 40000), early_delay(0, 6000), frames(20, 6000);
  std::string files;
  int closed = 0, interrupted = 0, repaired = 0;
  for (int i = 0; i < 100; ++i) {
    const WriterRun run{folder / ("run" + std::to_string(i) + ".h5"), i % 4 == 3 ? 300 : 3, frames(random), i % 2 == 0};
    const bool early = i % 8 == 5;
    const std::chrono::microseconds after(early ? early_delay(random) : delay(random));
    const std::int64_t reported = run_and_kill(run, early, after);
    if (reported == 0) continue;  // killed while the file was being made
    const RecordSchema schema = sample::schema(run.n_bodies);
    const ResultsReader reader(run.path);
    ASSERT_NE(reader.state(), ResultsState::running);
    (reader.state() == ResultsState::closed ? closed : interrupted) += 1;
    expect_frames(reader, schema, reported);
    if (HasFatalFailure()) FAIL() << "kill " << i;
    files += "    (r'" + run.path.string() + "', " + std::to_string(reported) + "),\n";
    if (i % 10 == 0 && reader.state() == ResultsState::interrupted) {
      const std::filesystem::path clean = folder / ("clean" + std::to_string(i) + ".h5");
      const RepairReport report = repair_results(run.path, clean);
      EXPECT_EQ(report.n_frames, reader.n_frames());
      const ResultsReader copy(clean);
      EXPECT_EQ(copy.state(), ResultsState::closed);
      EXPECT_EQ(copy.n_steps(), reader.n_steps());
      EXPECT_NE(text_of(copy.summary().at("stop")).find("interrupted"), std::string::npos);
      expect_frames(copy, schema, reader.n_frames());
      files += "    (r'" + clean.string() + "', " + std::to_string(reported) + "),\n";
      ++repaired;
    }
  }
  EXPECT_GT(interrupted, 30) << "the kills must hit the writing";
  EXPECT_GT(closed, 0) << "some kills must come late";
  EXPECT_GT(repaired, 2);
  RecordProperty("interrupted", interrupted);
  RecordProperty("closed", closed);

  // The same files through h5py: the views too, also of interrupted files.
  const std::string output = sample::python(folder, R"(
import h5py, numpy
files = [
)" + files + R"(]
for path, reported in files:
    f = h5py.File(path, 'r', swmr=True)
    time = f['/time'][:]
    n = len(time)
    assert n >= reported, (path, n, reported)
    assert (time == 0.125 * numpy.arange(n)).all(), path
    position = f['/frames/position'][:n]
    width = position.shape[1] * position.shape[2]
    expected = numpy.arange(n)[:, None] + numpy.arange(width)[None, :] / 1048576
    assert (position.reshape(n, width) == expected).all(), path
    assert (f['/bodies/body2/position'][:n] == position[:, 2, :]).all(), path
    f.close()
print('fine')
)");
  EXPECT_EQ(output, "fine\n");
}

// Readers need not wait for the end: the writer sleeps in another process, its file open.
TEST(ResultsReader, reads_a_file_that_is_being_written) {
  const Folder folder;
  const RecordSchema schema = sample::schema();
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    ResultsFile file(folder / "run.h5");
    file.begin(schema);
    sample::write_rows(file, schema, 40, 40);
    file.flush();
    if (write(ends[1], "x", 1) != 1) _exit(1);
    for (;;) pause();
  }
  char ready = 0;
  ASSERT_EQ(read(ends[0], &ready, 1), 1);
  {
    const ResultsReader reader(folder / "run.h5");
    EXPECT_EQ(reader.state(), ResultsState::running);
    EXPECT_EQ(reader.n_frames(), 40);
    expect_frames(reader, schema, 40);
    EXPECT_NE(sample::message_of([&] { ResultsFile(folder / "run.h5").begin(schema); }).find("a running simulation"),
              std::string::npos);
  }
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  close(ends[0]);
  close(ends[1]);
  EXPECT_EQ(ResultsReader(folder / "run.h5").state(), ResultsState::interrupted);
}

TEST(Repair, refuses_a_running_file_and_its_own_source) {
  const Folder folder;
  const RecordSchema schema = sample::schema();
  ResultsFile file(folder / "run.h5");
  file.begin(schema);
  sample::write_rows(file, schema, 5, 5);
  file.flush();  // a file has its name from its first written frame on
  const auto repair = [&](const std::string& name) {
    return sample::message_of([&] { repair_results(folder / "run.h5", folder / name); });
  };
  EXPECT_NE(repair("copy.h5").find("a running simulation"), std::string::npos);
  file.end({{"stop", "end time reached"}});
  EXPECT_NE(repair("run.h5").find("onto itself"), std::string::npos);
  EXPECT_EQ(repair("copy.h5"), "nothing was thrown");
  EXPECT_EQ(text_of(ResultsReader(folder / "copy.h5").summary().at("stop")), "end time reached");
  EXPECT_EQ(ResultsReader(folder / "copy.h5").n_frames(), 5);
}

}  // namespace
}  // namespace trammel::test_kill_test
