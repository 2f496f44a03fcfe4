// SPDX-License-Identifier: Apache-2.0
#include "trammel/io/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <exception>
#include <functional>
#include <system_error>
#include <utility>

#include "results/file_lock.h"
#include "trammel/base/error.h"
#include "trammel/io/source_file.h"

namespace trammel {

namespace {

namespace fs = std::filesystem;

constexpr int longest_chain_of_links = 40;  // as the operating system has it

[[noreturn]] void refuse_output(const fs::path& path, const OutputKind& kind, const std::string& reason) {
  throw IoError("cannot " + kind.doing + " '" + path.string() + "': " + reason);
}

std::string last_output_error() { return std::system_category().message(errno); }

// What is there. That it cannot be told is not "nothing": it might be something precious.
fs::file_status look_at(const fs::path& path, const fs::path& target, const OutputKind& kind) {
  std::error_code error;
  const fs::file_status status = fs::status(target, error);
  if (status.type() == fs::file_type::none) refuse_output(path, kind, error.message());
  return status;
}

bool is_device(const fs::file_status& status) {
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

// Where the links of a path lead to, also if nothing is there yet. Descriptors of this process (/dev/stdout leads to
// /proc/self/fd/1) stay what they are: they are written in place.
fs::path follow_links(const fs::path& path, const OutputKind& kind) {
  std::error_code error;
  fs::path target = path;
  const fs::file_status end = fs::status(path, error);
  if (is_device(end)) return path;
  for (int i = 0; i < longest_chain_of_links; ++i) {
    const fs::file_status here = fs::symlink_status(target, error);
    if (here.type() == fs::file_type::none) refuse_output(path, kind, error.message());
    if (!fs::is_symlink(here) || target.string().starts_with("/proc/")) break;
    const fs::path next = fs::read_symlink(target, error);
    if (error) refuse_output(path, kind, error.message());
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return target;
}

fs::path working_name(const fs::path& target) {
  std::string name = "." + target.filename().string() + ".trammel-part";
  if (name.size() > NAME_MAX)
    name = ".trammel-part-" + std::to_string(std::hash<std::string>{}(target.filename().string()));
  return target.parent_path() / name;
}

bool in_place(const fs::path& target, const fs::file_status& status) {
  return is_device(status) || target.string().starts_with("/proc/");
}

// Whether it is a device that is written in place.
bool check_target(const fs::path& path, const fs::path& target, const OutputKind& kind) {
  const fs::file_status status = look_at(path, target, kind);
  if (fs::is_directory(status)) refuse_output(path, kind, "it is a directory");
  if (in_place(target, status)) {
    if (!kind.to_devices) refuse_output(path, kind, "it is a device or a pipe, and " + kind.what + " needs a file");
    return true;
  }
  if (!fs::exists(status)) return false;
  const file_lock::Holder holder = file_lock::find_holder(target);
  if (holder == file_lock::Holder::somebody)
    refuse_output(path, kind, "a running simulation is writing this file; choose another name or end that run first");
  if (holder == file_lock::Holder::unknown || access(target.c_str(), W_OK) != 0)
    refuse_output(path, kind, last_output_error());
  std::error_code ignored;
  if (fs::file_size(target, ignored) == 0) return false;
  bool ours = false;
  if (const std::string trouble = kind.find_owner(target, ours); !trouble.empty())
    refuse_output(path, kind, "what is there cannot be read: " + trouble);
  if (!ours)
    refuse_output(
        path, kind,
        "it exists and is not " + kind.what + ", so it is not overwritten; choose another name or remove it first");
  return false;
}

// The descriptor is still what the name stands for: nobody removed or renamed it before we had the lock.
bool stands_for(const fs::path& name, int descriptor) {
  struct stat by_name {
  }, by_descriptor{};
  return lstat(name.c_str(), &by_name) == 0 && fstat(descriptor, &by_descriptor) == 0 &&
         by_name.st_dev == by_descriptor.st_dev && by_name.st_ino == by_descriptor.st_ino;
}

}  // namespace

OutputKind text_kind(std::string what, std::vector<std::string> beginnings, std::string mark) {
  OutputKind kind;
  kind.what = std::move(what);
  kind.find_owner = [beginnings = std::move(beginnings), mark = std::move(mark)](const fs::path& path, bool& ours) {
    std::string head;
    const std::string trouble = read_beginning(path, 4096, head);
    ours = head.find(mark) != std::string::npos &&
           std::any_of(beginnings.begin(), beginnings.end(), [&](const std::string& b) { return head.starts_with(b); });
    return trouble;
  };
  return kind;
}

void OutputFile::check(const fs::path& path, const OutputKind& kind) {
  check_target(path, follow_links(path, kind), kind);
}

OutputFile::OutputFile(fs::path path, OutputKind kind)
    : path_(std::move(path)),
      target_(follow_links(path_, kind)),
      working_(working_name(target_)),
      kind_(std::move(kind)) {
  if (check_target(path_, target_, kind_)) {
    working_ = target_;
    // Our own output is shared with what is printed, not opened a second time at its beginning.
    const bool printed = path_ == "/dev/stdout" || path_ == "/dev/fd/1" || path_ == "/proc/self/fd/1";
    if (printed) std::fflush(stdout);
    descriptor_ = printed ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) : open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) refuse_output(path_, kind_, last_output_error());
    has_name_ = true;
    return;
  }
  open_working();
  try {
    // Another program may have renamed its file while we waited for the working name.
    check_target(path_, target_, kind_);
  } catch (const std::exception&) {
    unlink(working_.c_str());
    close(descriptor_);
    throw;
  }
  struct stat old {};
  if (stat(target_.c_str(), &old) == 0 && fchmod(descriptor_, old.st_mode & 07777) != 0) errno = 0;  // a courtesy
}

// What a killed program left under the working name is removed, what a running one holds is not.
void OutputFile::open_working() {
  for (;;) {
    descriptor_ = open(working_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    const bool fresh = descriptor_ >= 0;
    if (!fresh && errno == EEXIST) descriptor_ = open(working_.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor_ < 0 && errno == ENOENT && !fresh) {
      std::error_code ignored;
      if (fs::is_directory(working_.parent_path().empty() ? "." : working_.parent_path(), ignored))
        continue;  // just gone
      errno = ENOENT;
    }
    if (descriptor_ < 0) refuse_output(path_, kind_, last_output_error());
    if (!file_lock::acquire(descriptor_)) {
      close(descriptor_);
      refuse_output(path_, kind_,
                    "a running simulation is writing this file; choose another name or end that run first");
    }
    if (fresh && stands_for(working_, descriptor_)) return;
    if (stands_for(working_, descriptor_) && unlink(working_.c_str()) != 0) {
      const std::string reason = last_output_error();
      close(descriptor_);
      refuse_output(path_, kind_, "a left-over '" + working_.string() + "' cannot be removed: " + reason);
    }
    close(descriptor_);
  }
}

bool OutputFile::replaces() const {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(target_, error);
  if (error) return error != std::errc::no_such_file_or_directory && !has_name_;
  return size > 0 && !has_name_;
}

void OutputFile::take_name() {
  if (has_name_) return;
  check_target(path_, target_, kind_);  // it may have been made since
  // After a loss of power, too, the old file or the new one: the new one's bytes reach the disk before its name.
  if (replaces() && fdatasync(descriptor_) != 0) refuse_output(path_, kind_, last_output_error());
  if (rename(working_.c_str(), target_.c_str()) != 0) refuse_output(path_, kind_, last_output_error());
  has_name_ = true;
}

OutputFile::~OutputFile() {
  if (!has_name_ && stands_for(working_, descriptor_)) unlink(working_.c_str());
  close(descriptor_);
}

}  // namespace trammel
