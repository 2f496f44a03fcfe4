#pragma once

#include <filesystem>

namespace trammel {

/// Marks a results file as being written, for as long as the process lives: the kernel drops the mark at any death,
/// kill −9 included. An open-file-description lock (fcntl), so two writers in one process exclude each other too and it
/// does not collide with flock, which HDF5 programs use.
class FileLock {
 public:
  /// Opens (creating if needed) and locks. Throws IoError: a directory, no permission, held by a running simulation,
  /// or an existing file that is not HDF5 and therefore not ours to overwrite.
  explicit FileLock(const std::filesystem::path& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  bool created() const { return created_; }  ///< the file did not exist before

  /// True while some process holds the lock on this file.
  static bool is_held(const std::filesystem::path& path);

 private:
  int descriptor_ = -1;
  bool created_ = false;
};

}  // namespace trammel
