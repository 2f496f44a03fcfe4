// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <optional>
#include <thread>

#include "io/sample_run.h"
#include "trammel/base/threads.h"
#include "trammel/io/results_file.h"
#include "trammel/io/results_reader.h"

// Large frames are written by a thread of their own: the file holds what it holds without one, and what goes wrong
// there is told to the run.

namespace trammel::test_frames_beside_the_run {
namespace {

namespace fs = std::filesystem;
using sample::Folder;
using sample::message_of;

constexpr int n_bodies = 4000;  // a frame of 320 kB

long count_threads() { return std::distance(fs::directory_iterator("/proc/self/task"), {}); }

// Views of each body would take longer than the rows.
ResultsFileOptions without_views(double flush_seconds) { return {.flush_seconds = flush_seconds, .max_views = 0}; }

struct Written {
  long n_threads = 0;  // while it was written
  std::int64_t flushed = 0;
};

// Frames, steps and checkpoints in turns.
Written write(const fs::path& path, int n_threads, int n_frames) {
  RecordSchema schema = sample::schema(n_bodies);
  schema.checkpoints = true;
  const ThreadScope scope(n_threads);
  ResultsFile file(path, without_views(1e9));
  file.begin(schema);
  Written written{count_threads()};
  for (int row = 0; row < n_frames; ++row) {
    file.frame(sample::time(row), sample::values(row, schema.frame_width()));
    for (int k = 0; k < 3; ++k) file.step(sample::time(3 * row + k), sample::values(3 * row + k, schema.step_width()));
    file.checkpoint(sample::time(row), std::vector<std::byte>(1000, static_cast<std::byte>(row)));
    if (row != n_frames / 2) continue;
    file.flush();
    written.flushed = file.frames_written();
  }
  EXPECT_EQ(file.frames_received(), n_frames);
  file.end({{"stop", "end time reached"}});
  EXPECT_EQ(file.frames_written(), n_frames);
  EXPECT_EQ(file.steps_written(), 3 * n_frames);
  return written;
}

std::vector<double> numbers(const ResultsReader& reader, bool solver) {
  std::vector<double> all = solver ? reader.step_times() : reader.times();
  const std::vector<RecordGroup>& groups = solver ? reader.schema().solver : reader.schema().frames;
  const auto rows = static_cast<std::int64_t>(all.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::vector<double> of_group(static_cast<std::size_t>(rows * groups[g].width()));
    reader.read_rows(solver, static_cast<int>(g), 0, rows, of_group);
    all.insert(all.end(), of_group.begin(), of_group.end());
  }
  return all;
}

TEST(LargeFrames, are_those_of_one_thread) {
  constexpr int n = 50;  // some blocks of rows, the last one not full
  const Folder folder;
  std::thread([] {}).join();  // a sanitizer starts one of its own beside the first
  const Written alone = write(folder / "alone.h5", 1, n), beside = write(folder / "beside.h5", 2, n);
  EXPECT_EQ(beside.n_threads, alone.n_threads + 1) << "frames have a thread of their own";
  EXPECT_EQ(alone.flushed, n / 2 + 1);
  EXPECT_EQ(beside.flushed, n / 2 + 1);
  const ResultsReader a(folder / "alone.h5"), b(folder / "beside.h5");
  EXPECT_TRUE(verify_results(folder / "beside.h5").empty());
  EXPECT_EQ(text_of(b.summary().at("stop")), "end time reached");
  ASSERT_EQ(b.n_frames(), n);
  ASSERT_EQ(b.n_steps(), 3 * n);
  EXPECT_TRUE(numbers(a, false) == numbers(b, false));
  EXPECT_TRUE(numbers(a, true) == numbers(b, true));
  std::string trouble;
  const std::optional<ResultsCheckpoint> checkpoint = b.read_checkpoint(trouble);
  ASSERT_TRUE(checkpoint.has_value()) << trouble;
  EXPECT_EQ(checkpoint->n_frames, n);
  EXPECT_EQ(checkpoint->n_steps, 3 * n);
  EXPECT_EQ(checkpoint->memory.back(), static_cast<std::byte>(n - 1));
}

TEST(LargeFrames, are_kept_when_the_run_ends_without_a_summary) {
  const Folder folder;
  const RecordSchema schema = sample::schema(n_bodies);
  {
    const ThreadScope scope(2);
    ResultsFile file(folder / "run.h5", without_views(0.5));
    file.begin(schema);
    sample::write_rows(file, schema, 15, 4);
  }
  const ResultsReader reader(folder / "run.h5");
  EXPECT_EQ(reader.n_frames(), 15);
  EXPECT_EQ(reader.n_steps(), 4);
  EXPECT_TRUE(verify_results(folder / "run.h5").empty());
}

// A full disk is imitated by a limit on the file size, in a child process.
TEST(LargeFrames, tell_the_run_that_the_disk_is_full) {
  const Folder folder;
  const fs::path report = folder / "report.txt";
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{16 << 20, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    const RecordSchema schema = sample::schema(n_bodies);
    std::int64_t written = 0;
    const std::string message = message_of([&] {
      const ThreadScope scope(2);
      ResultsFile file(folder / "run.h5", without_views(0.5));
      file.begin(schema);
      for (int row = 0; row < 5000; ++row) {
        file.frame(sample::time(row), sample::values(row, schema.frame_width()));
        written = file.frames_written();
      }
    });
    std::ofstream(report) << written << '\n' << message << '\n';
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  std::ifstream lines(report);
  std::int64_t written = 0;
  std::string message;
  lines >> written >> std::ws;
  std::getline(lines, message);
  EXPECT_NE(message.find("run.h5': File too large"), std::string::npos) << message;
  EXPECT_GT(written, 10);
  const ResultsReader reader(folder / "run.h5");
  EXPECT_EQ(reader.state(), ResultsState::interrupted);
  EXPECT_GE(reader.n_frames(), written);
  const Series z = reader.read("body2.velocity.z");
  for (int row = 0; row < written; ++row) ASSERT_EQ(z.values(row, 0), sample::value(row, 7 * n_bodies + 8));
}

}  // namespace
}  // namespace trammel::test_frames_beside_the_run
