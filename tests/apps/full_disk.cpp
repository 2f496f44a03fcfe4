// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <csignal>

#include "program.h"
#include "trammel/io/results_reader.h"

// Writes that fail: a disk that is full after some bytes, an output that takes nothing, and signals that end a program.
// A full disk is imitated by a limit on the size of files: the write fails, as there, wherever it stands.

namespace trammel::test_full_disk {
namespace {

using program::call;
using program::Child;
using program::Folder;
using program::model_path;
using program::Outcome;
using program::read_text;

const std::string pendulum = model_path("pendulum.toml");

struct Ended {
  int code;
  std::string err;
};

// Files may not grow beyond `bytes` (0: as they like); the standard output goes to `output`, messages to `messages` or,
// if that is empty, to us.
Ended call_with(const Folder& folder, const std::vector<std::string>& words, rlim_t bytes, const std::string& output,
                const std::string& messages = "") {
  int ends[2];
  EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const pid_t child = fork();
  if (child == 0) {
    const int err = messages.empty() ? ends[1] : open(messages.c_str(), O_WRONLY);
    const int out = open(output.c_str(), O_WRONLY);
    if (dup2(err, STDERR_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0) _exit(98);
    const rlimit limit{bytes, bytes};
    if (bytes > 0 && setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(97);
    Child::exec(folder, words);
  }
  close(ends[1]);
  std::string err;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof buffer)) > 0;) err.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  return {program::wait_for(child), err};
}

bool has_working_files(const Folder& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    if (entry.path().filename().string().find("trammel-part") != std::string::npos) return true;
  return false;
}

TEST(FullDisk, of_64_sizes_ends_a_run_with_exit_code_4_and_keeps_old_results_or_new_frames) {
  const Folder folder;
  const std::vector<std::string> run{"run", pendulum, "--quiet", "--set", "output.interval=0.001"};
  ASSERT_EQ(call(folder, {"run", pendulum, "--quiet", "--out", "old.h5"}).code, 0);
  int failed = 0, replaced = 0;
  for (int i = 1; i <= 64; ++i) {
    std::filesystem::copy_file(folder / "old.h5", folder / "pendulum.h5",
                               std::filesystem::copy_options::overwrite_existing);
    const Ended ended = call_with(folder, run, static_cast<rlim_t>(i) * 16384, "/dev/null");
    ASSERT_TRUE(ended.code == 0 || ended.code == 4) << "size " << i << ": " << ended.code << ended.err;
    if (ended.code == 4) {
      ++failed;
      EXPECT_SAYS(ended.err, "'pendulum.h5': File too large");
    }
    const ResultsReader reader(folder / "pendulum.h5");
    ASSERT_GT(reader.n_frames(), 0) << "size " << i;
    EXPECT_FALSE(has_working_files(folder)) << "size " << i;
    if (reader.n_frames() != 51) ++replaced;
  }
  EXPECT_GT(failed, 30);
  EXPECT_GT(replaced, 10);
}

TEST(FullDisk, leaves_pages_pictures_and_tables_as_they_were) {
  const Folder folder;
  ASSERT_EQ(call(folder, {"run", pendulum, "--quiet"}).code, 0);
  const std::vector<std::pair<std::vector<std::string>, std::string>> commands{
      {{"report", "pendulum.h5"}, "pendulum.html"},
      {{"plot", "pendulum.h5", "height", "--out", "p.svg"}, "p.svg"},
      {{"plot", "pendulum.h5", "height", "--out", "p.png"}, "p.png"},
      {{"export", "pendulum.h5", "--csv", "tables"}, "tables/position.csv"},
      {{"eigen", pendulum, "--from-start", "--out", "modes.csv"}, "modes.csv"},
      {{"repair", "pendulum.h5"}, "pendulum_repaired.h5"}};
  for (const auto& [words, file] : commands) {
    ASSERT_EQ(call(folder, words).code, 0) << words[0];
    const std::string before = read_text(folder / file);
    const Ended ended = call_with(folder, words, 16, "/dev/null");
    EXPECT_EQ(ended.code, 4) << words[0] << ended.err;
    EXPECT_SAYS(ended.err, "File too large");
    EXPECT_EQ(read_text(folder / file), before) << words[0];
    EXPECT_FALSE(has_working_files(folder)) << words[0];
  }
}

TEST(FullDisk, behind_the_standard_output_is_exit_code_4_of_every_command) {
  const Folder folder;
  ASSERT_EQ(call(folder, {"run", pendulum, "--quiet"}).code, 0);
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"run", pendulum},
                                             {"check", pendulum},
                                             {"eigen", pendulum, "--from-start"},
                                             {"info", "pendulum.h5"},
                                             {"info", "pendulum.h5", "--channels"},
                                             {"info", "pendulum.h5", "--model"},
                                             {"report", "pendulum.h5"},
                                             {"plot", "pendulum.h5", "height", "--out", "p.svg"},
                                             {"export", "pendulum.h5", "--csv", "tables"},
                                             {"repair", "pendulum.h5"},
                                             {"sweep", pendulum, "--set", "solver.h=0.002"},
                                             {"schema"},
                                             {"schema", "--channels"},
                                             {"--help"},
                                             {"run", "--help"},
                                             {"--version"}}) {
    const Ended ended = call_with(folder, words, 0, "/dev/full");
    EXPECT_EQ(ended.code, 4) << words[0] << ended.err;
    EXPECT_SAYS(ended.err, "cannot write the output: No space left on device");
  }
}

// Messages may have nowhere to go, too.
TEST(FullDisk, behind_messages_does_not_change_how_a_command_ends) {
  const Folder folder;
  const std::string full = "/dev/full";
  EXPECT_EQ(call_with(folder, {"check", "missing.toml"}, 0, "/dev/null", full).code, 4);
  EXPECT_EQ(call_with(folder, {"check", folder.write("bad.toml", "gravity = 1\n")}, 0, "/dev/null", full).code, 2);
  EXPECT_EQ(call_with(folder, {"ruin", pendulum}, 0, "/dev/null", full).code, 2);
  EXPECT_EQ(call_with(folder, {"run", pendulum, "--progress-interval", "0"}, 0, "/dev/null", full).code, 0);
  EXPECT_EQ(call_with(folder, {"sweep", pendulum, "--set", "solver.h=0.002"}, 0, "/dev/null", full).code, 0);
}

TEST(FullDisk, does_not_hide_why_a_command_failed) {
  const Folder folder;
  EXPECT_EQ(call_with(folder, {"check", "missing.toml"}, 0, "/dev/full").code, 4);
  folder.write("bad.toml", "gravity = 1\n");
  EXPECT_EQ(call_with(folder, {"check", "bad.toml"}, 0, "/dev/full").code, 2);
}

TEST(ClosedPipe, ends_a_command_quietly_and_lets_a_run_finish) {
  const Folder folder;
  const auto into_nothing = [&](const std::vector<std::string>& words) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    const pid_t child = fork();
    if (child == 0) {
      const int err = open((folder / "stderr.txt").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
      if (dup2(err, STDERR_FILENO) < 0 || dup2(ends[1], STDOUT_FILENO) < 0) _exit(98);
      close(ends[0]);
      Child::exec(folder, words);
    }
    close(ends[0]);
    close(ends[1]);
    const int code = program::wait_for(child);
    return Ended{code, read_text(folder / "stderr.txt")};
  };
  EXPECT_EQ(into_nothing({"run", pendulum}).code, 0);
  EXPECT_EQ(ResultsReader(folder / "pendulum.h5").state(), ResultsState::closed);
  const Ended info = into_nothing({"info", "pendulum.h5"});
  EXPECT_EQ(info.code, 128 + SIGPIPE);
  EXPECT_EQ(info.err, "");
}

TEST(ClosedOutputs, do_not_lead_into_the_results) {
  const Folder folder;
  const pid_t child = fork();
  if (child == 0) {
    for (const int number : {0, 1, 2}) close(number);
    Child::exec(folder, {"run", pendulum, "--progress-interval", "0"});
  }
  EXPECT_EQ(program::wait_for(child), 0);
  const ResultsReader results(folder / "pendulum.h5");
  EXPECT_EQ(results.n_frames(), 51);
  EXPECT_TRUE(verify_results(folder / "pendulum.h5").empty());
  EXPECT_FALSE(program::contains(read_text(folder / "pendulum.h5"), "Summary\n"));
}

TEST(HangUp, ends_a_run_as_ctrl_c_does_and_nohup_prevents_it) {
  const Folder folder;
  {
    Child child(folder, {"run", pendulum, "--set", "analysis.end=1e6", "--progress-interval", "0"});
    ASSERT_TRUE(child.wait_for_text(" frames written"));
    child.send(SIGHUP);
    EXPECT_EQ(child.end(), 128 + SIGHUP);
  }
  const ResultsReader results(folder / "pendulum.h5");
  EXPECT_EQ(results.state(), ResultsState::closed);
  EXPECT_SAYS(text_of(results.summary().at("stop")), "on request");

  struct sigaction ignore {
  }, before{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGHUP, &ignore, &before);
  Child child(folder, {"run", pendulum, "--set", "analysis.end=1e6", "--progress-interval", "0"});
  sigaction(SIGHUP, &before, nullptr);
  ASSERT_TRUE(child.wait_for_text(" frames written"));
  child.send(SIGHUP);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(child.read_more());
  child.send(SIGTERM);
  EXPECT_EQ(child.end(), 128 + SIGTERM);
}

}  // namespace
}  // namespace trammel::test_full_disk
