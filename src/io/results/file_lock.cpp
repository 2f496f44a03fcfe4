// SPDX-License-Identifier: Apache-2.0
#include "file_lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <fstream>
#include <string>
#include <system_error>

namespace trammel::file_lock {

namespace {

// One byte far behind any file's end: nobody else's region.
struct flock region(short kind) {
  struct flock lock {};
  lock.l_type = kind;
  lock.l_whence = SEEK_SET;
  lock.l_start = off_t{1} << 60;
  lock.l_len = 1;
  return lock;
}

}  // namespace

bool acquire(int descriptor) {
  struct flock lock = region(F_WRLCK);
  return fcntl(descriptor, F_OFD_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES);
}

Holder find_holder(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return errno == ENOENT ? Holder::nobody : Holder::unknown;
  struct flock lock = region(F_WRLCK);
  const bool held = fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  close(descriptor);
  return held ? Holder::somebody : Holder::nobody;
}

pid_t find_process(const std::filesystem::path& path) {
  struct stat wanted {};
  if (stat(path.c_str(), &wanted) != 0) return 0;
  std::error_code error;
  for (const auto& process : std::filesystem::directory_iterator("/proc", error)) {
    pid_t number = 0;
    const std::string name = process.path().filename().string();
    if (std::from_chars(name.data(), name.data() + name.size(), number).ptr != name.data() + name.size()) continue;
    std::error_code not_ours;
    for (const auto& file : std::filesystem::directory_iterator(process.path() / "fd", not_ours)) {
      struct stat found {};
      if (stat(file.path().c_str(), &found) != 0 || found.st_ino != wanted.st_ino || found.st_dev != wanted.st_dev)
        continue;
      std::ifstream about(process.path() / "fdinfo" / file.path().filename());
      for (std::string line; std::getline(about, line);)
        if (line.starts_with("lock:") && line.find("OFDLCK") != line.npos && line.find("WRITE") != line.npos)
          return number;
    }
  }
  return 0;
}

bool is_held(const std::filesystem::path& path) { return find_holder(path) == Holder::somebody; }

}  // namespace trammel::file_lock
