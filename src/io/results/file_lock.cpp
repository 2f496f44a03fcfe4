#include "file_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>

#include "trammel/base/error.h"

namespace trammel {

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

std::string last_error() { return std::system_category().message(errno); }

bool is_foreign(int descriptor) {
  std::array<char, 8> head{};
  const ssize_t n = pread(descriptor, head.data(), head.size(), 0);
  if (n == 0) return false;  // an empty file is nobody's
  return n != 8 || std::string_view(head.data(), 8) != std::string_view("\x89HDF\r\n\x1a\n", 8);
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& path) {
  const std::string quoted = "cannot write results to '" + path.string() + "': ";
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw IoError(quoted + "it is a directory");
  created_ = !std::filesystem::exists(path, ignored);
  descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw IoError(quoted + last_error());
  struct flock lock = region(F_WRLCK);
  std::string trouble;
  if (fcntl(descriptor_, F_OFD_SETLK, &lock) < 0 && (errno == EAGAIN || errno == EACCES))
    trouble = "a running simulation is writing this file; choose another name or end that run first";
  else if (is_foreign(descriptor_))
    trouble = "it exists and is not a results file, so it is not overwritten; choose another name or remove it first";
  if (trouble.empty()) return;
  close(descriptor_);
  throw IoError(quoted + trouble);
}

FileLock::~FileLock() { close(descriptor_); }

bool FileLock::is_held(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  struct flock lock = region(F_WRLCK);
  const bool held = fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  close(descriptor);
  return held;
}

}  // namespace trammel
