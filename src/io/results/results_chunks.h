// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "hdf5_support.h"
#include "trammel/simulation/record.h"

namespace trammel {

/// CRC-32 of the first `bytes` bytes of a chunk as they stand in the file.
struct ChunkSum {
  std::uint32_t bytes = 0, crc = 0;
};

/// Checksums of the chunks of a file, as they are read.
struct RecordedSums {
  struct Place {
    std::size_t first = 0, n = 0;
  };
  bool exist = false;   ///< results of earlier versions have none
  std::string trouble;  ///< why they cannot be read
  std::map<std::string, Place> places;
  std::size_t n_chunks = 0;    ///< of a block
  std::vector<ChunkSum> sums;  ///< block by block

  ChunkSum find(std::size_t block, std::size_t chunk) const;
};

/// Checksums of the chunks of all tables, in one table that is written while the run goes on: [block, chunk, 2].
///
/// A block of rows has one chunk or several of every quantity, and each has its place among the chunks of the block
/// (attribute `chunks`: "/frames/position 2", … in their order). They are of what is stored, packed or not, so that
/// comparing them takes no longer than reading. A chunk that grows keeps the bytes that it had: the sum of those is
/// right whenever the writer is killed, before or after it has written the next one. A sum does not cross a page of
/// memory, so that it is not torn either.
class ChunkSums {
 public:
  /// Chunks of each dataset in a block, by path, in the order of the schema; times behind their quantities.
  using Counts = std::vector<std::pair<std::string, std::size_t>>;
  static Counts count_chunks(const RecordSchema& schema);
  static void create(hid_t file, const RecordSchema& schema, const std::filesystem::path& path);

  void open(hid_t file, const std::filesystem::path& path);
  void write(std::int64_t block, std::size_t first, std::span<const ChunkSum> sums, const std::filesystem::path& path);
  /// Keeps, and returns, the sums of whole blocks: of so many of frames, and of steps.
  RecordedSums cut(std::int64_t frame_blocks, std::int64_t step_blocks, std::size_t n_of_frames,
                   const std::filesystem::path& path);
  void close() { table_.reset(); }

 private:
  void write_blocks(hsize_t first_block, hsize_t n_blocks, hsize_t first, hsize_t n, const ChunkSum* sums,
                    const std::filesystem::path& path);
  hdf5::Handle table_;
  hsize_t extent_[3] = {0, 0, 2};
};

/// Those of a file that may come from anybody.
RecordedSums read_chunk_sums(hid_t file, double most);

/// What is wrong with a table of which `rows` rows are shown; empty: nothing. `complete`: all of them have sums.
std::string find_damaged_chunk(const hdf5::OwnDataset& table, const RecordedSums& recorded, RecordedSums::Place place,
                               std::int64_t rows, bool complete, double most);

}  // namespace trammel
