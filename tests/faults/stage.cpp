// SPDX-License-Identifier: Apache-2.0
#include "stage.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "places.h"

namespace trammel::test_faults {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds longest_call(60);  // they take some hundredths; a loaded machine is forgiven

std::string read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_bytes(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// In the child, between fork and exec.
[[noreturn]] void become(const fs::path& folder, const std::vector<std::string>& words, const Fault& fault,
                         const fs::path& notes_file, int out, int err) {
  setpgid(0, 0);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  if (dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0 || chdir(folder.c_str()) != 0) _exit(99);
  setenv("LD_PRELOAD", (places::program().parent_path() / "libtrammel_faults.so").c_str(), 1);
  setenv("TRAMMEL_FAULT_KIND", kind_names[fault.kind], 1);
  setenv("TRAMMEL_FAULT_AT", std::to_string(fault.n).c_str(), 1);
  setenv("TRAMMEL_FAULT_LASTS", fault.lasts ? "1" : "0", 1);
  setenv("TRAMMEL_FAULT_NOTES", notes_file.c_str(), 1);
  std::vector<char*> arguments{const_cast<char*>("trammel")};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(places::program().c_str(), arguments.data());
  _exit(99);
}

// Reads to the end; false if that does not come in time.
bool read_all(int descriptor, std::string& text) {
  const Clock::time_point deadline = Clock::now() + longest_call;
  char buffer[4096];
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd ready{descriptor, POLLIN, 0};
    if (left <= 0 || poll(&ready, 1, static_cast<int>(left)) <= 0) return false;
    const ssize_t n = read(descriptor, buffer, sizeof buffer);
    if (n <= 0) return true;
    text.append(buffer, static_cast<std::size_t>(n));
  }
}

}  // namespace

Stage::Stage() {
  static int count = 0;
  const std::string name = "trammel_faults_" + std::to_string(getpid()) + "_" + std::to_string(++count);
  folder_ = fs::temp_directory_path() / name;
  notes_file_ = fs::temp_directory_path() / (name + ".notes");
  out_file_ = fs::temp_directory_path() / (name + ".out");
  fs::remove_all(folder_);  // of a test that was killed and had the same number
  fs::create_directories(folder_);
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // runs of a sweep that lose it become ours, and are waited for
}

Stage::~Stage() {
  std::error_code ignored;
  for (const fs::path& path : {folder_, notes_file_, out_file_}) fs::remove_all(path, ignored);
}

Ended Stage::call(const std::vector<std::string>& words, const Fault& fault) const {
  Ended ended;
  write_bytes(notes_file_, std::string(sizeof(notes), '\0'));
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const int out = open(out_file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  const pid_t child = fork();
  if (child == 0) become(folder_, words, fault, notes_file_, out, ends[1]);
  close(out);
  close(ends[1]);
  ended.hung = !read_all(ends[0], ended.err);
  close(ends[0]);
  if (ended.hung) kill(-child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  while (waitpid(-1, nullptr, 0) > 0) {
  }
  ended.out = read_bytes(out_file_);
  std::ifstream(notes_file_, std::ios::binary).read(reinterpret_cast<char*>(&ended.faults), sizeof(notes));
  return ended;
}

std::vector<std::string> Stage::names() const {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder_))
    if (!entry.is_directory()) found.push_back(fs::relative(entry.path(), folder_).string());
  std::sort(found.begin(), found.end());
  return found;
}

void Stage::keep() {
  kept_.clear();
  for (const std::string& name : names()) kept_[name] = read_bytes(folder_ / name);
}

void Stage::restore() {
  for (const std::string& name : new_names()) fs::remove(folder_ / name);
  for (const auto& [name, bytes] : kept_)
    if (!is_kept(name)) {
      fs::remove(folder_ / name);
      write_bytes(folder_ / name, bytes);
    }
}

bool Stage::is_kept(const std::string& name) const {
  const auto it = kept_.find(name);
  return it != kept_.end() && fs::exists(folder_ / name) && read_bytes(folder_ / name) == it->second;
}

std::vector<std::string> Stage::new_names() const {
  std::vector<std::string> found = names();
  std::erase_if(found, [&](const std::string& name) { return kept_.count(name) > 0; });
  return found;
}

}  // namespace trammel::test_faults
