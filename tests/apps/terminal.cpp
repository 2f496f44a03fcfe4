// SPDX-License-Identifier: Apache-2.0
#include <regex>

#include "program.h"

// What the program shows on a terminal: colours for what should be seen first, and none where nobody sees them.

namespace trammel::test_terminal {
namespace {

using program::call;
using program::Child;
using program::contains;
using program::Folder;
using program::model_path;
using program::Outcome;
using program::wait_for;

const std::string good = "\033[32m", warning = "\033[1;33m", error = "\033[1;31m", plain = "\033[0m";

struct Shown {
  int code = 0;
  std::string text;
};

/// The program on a terminal of its own, with these variables beside the usual ones; "NAME" alone: without it.
Shown show(const Folder& folder, const std::vector<std::string>& arguments, std::vector<std::string> variables) {
  const int screen = posix_openpt(O_RDWR | O_NOCTTY);
  if (screen < 0 || grantpt(screen) != 0 || unlockpt(screen) != 0) throw std::runtime_error("no terminal");
  const std::string name = ptsname(screen);
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    const int side = open(name.c_str(), O_RDWR);
    for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      if (dup2(side, number) < 0) _exit(99);
    unsetenv("NO_COLOR");
    setenv("TERM", "xterm-256color", 1);
    for (std::string& variable : variables)
      if (variable.find('=') == variable.npos)
        unsetenv(variable.c_str());
      else
        putenv(variable.data());
    Child::exec(folder, arguments);
  }
  Shown shown;
  char buffer[4096];
  for (ssize_t n; (n = read(screen, buffer, sizeof buffer)) > 0;)  // fails when the other side is closed
    shown.text.append(buffer, static_cast<std::size_t>(n));
  close(screen);
  shown.code = wait_for(child);
  return shown;
}

const std::string pendulum = model_path("pendulum.toml");
const std::string end = "reached the end, t = 0.5 s";

TEST(Terminal, shows_the_end_of_a_run_in_green) {
  const Folder folder;
  const Shown run = show(folder, {"run", pendulum}, {});
  EXPECT_EQ(run.code, 0);
  EXPECT_SAYS(run.text, ": " + good + end + plain);
}

TEST(Terminal, shows_a_bar_while_a_run_goes_on) {
  const Folder folder;
  const Shown run = show(folder, {"run", pendulum, "--set", "analysis.end=100"}, {});
  EXPECT_EQ(run.code, 0);
  EXPECT_TRUE(std::regex_search(run.text, std::regex(R"(\r\[[#.]+\] +[0-9]+ %  t = )"))) << run.text;
  EXPECT_SAYS(run.text, " left\x1b[K");
  // The bar is gone before the summary comes.
  EXPECT_SAYS(run.text, "\r\x1b[KSummary");
  EXPECT_FALSE(contains(run.text, "frames written"));
}

TEST(Terminal, shows_errors_and_alarms_in_their_colours) {
  const Folder folder;
  const Shown refused = show(folder, {"run", pendulum, "--set", "body.rod.mass=-1"}, {});
  EXPECT_EQ(refused.code, 2);
  EXPECT_SAYS(refused.text, error + "error:" + plain + " body 'rod'");
  const Shown missing = show(folder, {"info", "none.h5"}, {});
  EXPECT_EQ(missing.code, 4);
  EXPECT_SAYS(missing.text, error + "trammel: error:" + plain + " there is no file 'none.h5'");
  const Shown failed = show(folder, {"run", model_path("breaks_at_0.2.toml")}, {});
  EXPECT_EQ(failed.code, 3);
  EXPECT_SAYS(failed.text, ": " + error + "failed at t = 0.2 s");
  // Steps at which the method falls behind by more than it may.
  const Shown doubtful = show(folder, {"run", pendulum, "--set", "solver.h=0.05", "analysis.end=10"}, {});
  EXPECT_SAYS(doubtful.text, warning + "ALARM" + plain);
}

TEST(Terminal, shows_no_colours_to_those_who_do_not_want_them) {
  const Folder folder;
  for (const char* variable : {"NO_COLOR=1", "NO_COLOR=no", "TERM=dumb", "TERM"}) {
    const Shown run = show(folder, {"run", pendulum, "-q", "--set", "body.rod.mass=-1"}, {variable});
    EXPECT_EQ(run.code, 2);
    EXPECT_SAYS(run.text, "error:");
    EXPECT_EQ(run.text.find('\033'), std::string::npos) << variable << ":\n" << run.text;
  }
  // Set to nothing it says nothing (no-color.org).
  EXPECT_SAYS(show(folder, {"run", pendulum, "--set", "body.rod.mass=-1"}, {"NO_COLOR="}).text, error);
}

TEST(Terminal, is_no_file_and_no_pipe) {
  const Folder folder;
  setenv("TERM", "xterm-256color", 1);
  const Outcome run = call(folder, {"run", pendulum});
  EXPECT_SAYS(run.out, end);
  EXPECT_FALSE(contains(run.out + run.err, "\033"));
  const Outcome refused = call(folder, {"run", pendulum, "--set", "body.rod.mass=-1"});
  EXPECT_FALSE(contains(refused.out + refused.err, "\033")) << refused.err;
}

}  // namespace
}  // namespace trammel::test_terminal
