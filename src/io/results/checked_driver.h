// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hdf5.h>

#include <memory>

namespace trammel::hdf5 {

class Handle;

/// How a file fares; shared between the file and whoever writes or reads it.
struct IoStatus : std::enable_shared_from_this<IoStatus> {
  int error = 0;           ///< errno of the first call that failed; 0: none did
  bool abandoned = false;  ///< nothing more reaches the disk
};

/// Properties to create or open a file with, that is written and read through a driver of ours.
///
/// HDF5 does not survive a write that fails: its cache keeps what it could not write, closing fails, and its exit
/// handlers try again with structures that are half released, which ends in a segmentation fault (1.10). So HDF5
/// never hears of it. Like its own driver (sec2) this one reads and writes at once, with pread and pwrite; from the
/// first failure on it keeps everything in memory instead, reads included, so that HDF5's view of the file stays
/// consistent, and notes the reason. Whoever writes must therefore look at `status` after each flush: only what was
/// flushed without an error is on the disk. The file stays as the last good write left it, readable as that of an
/// interrupted run. `status` must be owned by a shared_ptr.
///
/// Of a read that fails HDF5 hears, with the reason. But lists (of attributes, of links) that cannot be read end like
/// those of a damaged file: whoever opens a file to read it looks at `status`, too.
Handle checked_access(IoStatus& status);

}  // namespace trammel::hdf5
