// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hdf5_support.h"
#include "trammel/io/results_reader.h"

namespace trammel {

/// The last checkpoints of a run, in two places of its results file that are written in turn: whenever the writer is
/// killed, one of them is whole. Each begins with a head (number, instant, rows before it, length, CRC-32 of the rest).
///
/// A checkpoint is of use only with the rows before it. It waits in memory until these are in the file, so that rows
/// need not be written for its sake, which would keep them from being packed.
class CheckpointPlaces {
 public:
  static void create(hid_t file, const std::filesystem::path& path);
  void open(hid_t file, const std::filesystem::path& path);
  void keep(ResultsCheckpoint checkpoint) { waiting_ = std::move(checkpoint); }
  /// So many rows are in the file.
  void write(std::int64_t n_frames, std::int64_t n_steps, const std::filesystem::path& path);
  void cut(const std::filesystem::path& path);  ///< leaves none
  void close();

 private:
  hdf5::Handle places_[2];
  std::optional<ResultsCheckpoint> waiting_;
  std::uint64_t n_written_ = 0;
  std::vector<std::byte> bytes_;
};

/// The newest one that is whole and whose rows are there; else `trouble` says why there is none.
std::optional<ResultsCheckpoint> read_checkpoint(hid_t file, std::int64_t n_frames, std::int64_t n_steps, double most,
                                                 std::string& trouble);

/// Places that hold something else than was written, or half of it.
std::vector<std::string> find_damaged_checkpoints(hid_t file, double most);

}  // namespace trammel
