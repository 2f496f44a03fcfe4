// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>

/// Marks a file as being written, for as long as the process lives: the kernel drops the mark at any death, kill −9
/// included. An open-file-description lock (fcntl), so two writers in one process exclude each other too and it does
/// not collide with flock, which HDF5 programs use.
namespace trammel::file_lock {

/// Locks an open file until it is closed; false when somebody else holds it. File systems without locks count as free.
bool acquire(int descriptor);

/// Who holds the lock on this file; unknown: it cannot be opened (errno says why).
enum class Holder { nobody, somebody, unknown };
Holder find_holder(const std::filesystem::path& path);

/// The process that holds the lock, as far as this user may see it; 0: nobody, or not known. Looks through /proc: an
/// open-file-description lock belongs to no process, so that the kernel does not tell.
pid_t find_process(const std::filesystem::path& path);

/// True while some process is known to hold it.
bool is_held(const std::filesystem::path& path);

}  // namespace trammel::file_lock
