// SPDX-License-Identifier: Apache-2.0
#include "file_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

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

bool is_held(const std::filesystem::path& path) { return find_holder(path) == Holder::somebody; }

}  // namespace trammel::file_lock
