// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "places.h"

/// Calls the real program, as a person or a script does.
namespace trammel::program {

namespace fs = std::filesystem;

/// A new folder, removed at its end.
class Folder {
 public:
  Folder() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    static int count = 0;
    path_ = fs::temp_directory_path() /
            ("trammel_" + std::to_string(getpid()) + "_" + test->name() + "_" + std::to_string(++count));
    fs::remove_all(path_);  // of a test that was killed and had the same number
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  fs::path operator/(const std::string& name) const { return path_ / name; }
  const fs::path& path() const { return path_; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return name;
  }

 private:
  fs::path path_;
};

inline std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::string model_path(const std::string& name) {
  return (places::source_dir() / "tests/apps/models" / name).string();
}

/// How a process ended: its exit code, or −(number of the signal that killed it).
inline int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// The program in a process of its own, in `folder`, its output in stdout.txt there. Whoever starts it reads stderr.
class Child {
 public:
  Child(const Folder& folder, const std::vector<std::string>& arguments) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    pid_ = fork();
    if (pid_ == 0) {
      const int out = open((folder / "stdout.txt").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
      if (out < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(ends[1], STDERR_FILENO) < 0) _exit(99);
      exec(folder, arguments);
    }
    close(ends[1]);
    stderr_ = ends[0];
  }
  ~Child() {
    stop_reading();
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      wait_for(pid_);
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[noreturn]] static void exec(const Folder& folder, const std::vector<std::string>& arguments) {
    std::vector<char*> words{const_cast<char*>("trammel")};
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    if (chdir(folder.path().c_str()) == 0) execv(places::program().c_str(), words.data());
    _exit(99);
  }

  /// Waits for more of stderr; false at its end.
  bool read_more() {
    char buffer[4096];
    const ssize_t n = ::read(stderr_, buffer, sizeof buffer);
    if (n > 0) err_.append(buffer, static_cast<std::size_t>(n));
    return n > 0;
  }
  bool wait_for_text(const std::string& words) {
    while (err_.find(words) == std::string::npos)
      if (!read_more()) return false;
    return true;
  }
  void stop_reading() {
    close(stderr_);
    stderr_ = -1;
  }
  void send(int signal) const { kill(pid_, signal); }
  int end() {  ///< reads to the end of stderr and returns wait_for()
    while (read_more()) {
    }
    const int code = wait_for(pid_);
    pid_ = -1;
    return code;
  }
  const std::string& err() const { return err_; }

 private:
  pid_t pid_ = -1;
  int stderr_ = -1;
  std::string err_;
};

struct Outcome {
  int code;
  std::string out, err;
};

inline Outcome call(const Folder& folder, const std::vector<std::string>& arguments) {
  Child child(folder, arguments);
  const int code = child.end();
  return {code, read_text(folder / "stdout.txt"), child.err()};
}

inline bool contains(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Runs a Python script (Debian's python3, which has h5py); its output when it succeeded, else "FAILED: …".
inline std::string python(const Folder& folder, const std::string& script) {
  folder.write("script.py", script);
  const fs::path output = folder / "python.txt";
  const std::string command = "/usr/bin/python3 " + (folder / "script.py").string() + " >" + output.string() + " 2>&1";
  const int status = std::system(command.c_str());
  return (status == 0 ? "" : "FAILED: ") + read_text(output);
}

#define EXPECT_SAYS(text, words) \
  EXPECT_TRUE(trammel::program::contains(text, words)) << "no '" << (words) << "' in:\n" << (text)

}  // namespace trammel::program
