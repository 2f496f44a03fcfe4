// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "hdf5_support.h"
#include "results_chunks.h"
#include "trammel/simulation/record.h"

namespace trammel {
class OutputFile;
class ResultsFile;
class ResultsReader;
struct ResultsCheckpoint;
}  // namespace trammel

/// The two halves of writing a results file: creating everything, then appending rows.
namespace trammel {

/// CRC-32 of the bytes of a text, or of the numbers of a table in the order of its rows, as they stand in memory.
class Checksum {
 public:
  void add(const void* bytes, std::size_t n);
  std::string to_text() const;  ///< "crc32 0a1b2c3d of 800 bytes"

 private:
  unsigned long value_ = 0;
  std::size_t n_ = 0;
};

/// By the path of the dataset.
using Checksums = std::map<std::string, std::string>;

/// Rows of a table that are written and packed together: the rows of one chunk of each of its quantities.
std::size_t rows_per_block(const std::vector<RecordGroup>& groups);
/// Items of a quantity in one chunk: as many as are affordable when one item is read.
std::size_t items_per_chunk(const RecordGroup& group, std::size_t rows);

/// Makes the file with every dataset, name list, view and attribute. `file` is then open for writing, not yet in SWMR
/// mode; it is an argument so that the caller can abandon it when this throws.
/// `working` is where the file is made, `path` what messages call it.
void create_results(const std::filesystem::path& working, const std::filesystem::path& path, const RecordSchema& schema,
                    int max_views, hdf5::IoStatus& status, Checksums& texts, hdf5::Handle& file);
/// Writes attributes and texts of the root anew.
void replace_texts(const std::filesystem::path& path, const RecordSchema& schema, const std::vector<std::string>& keys,
                   hdf5::IoStatus& status, Checksums& texts, hdf5::Handle& file);

/// Makes `working` a copy of the results and cuts it back to a checkpoint of theirs: tables end with the last whole
/// block before it, there is no summary. `file` is then open as from create_results(), with the attributes that the
/// schema has in place of those of before.
void continue_results(const OutputFile& working, const ResultsReader& before, const ResultsCheckpoint& checkpoint,
                      const RecordSchema& schema, hdf5::IoStatus& status, Checksums& texts, hdf5::Handle& file);

/// Lines of layout::checksums; none if the file has none. Throws IoError.
Checksums read_text_sums(hid_t file, double most, const std::filesystem::path& path);

/// For a file that is written to while others read it, or until somebody kills the writer: each new block of metadata
/// begins with a page.
void align_pages(hid_t access);

/// Rows of several datasets with a common time, gathered in memory and appended in blocks: the rows of one chunk.
///
/// A block that is complete when it is first written is packed (bytes shuffled, then deflated). One of which rows had
/// to be written before is stored as it is: its chunk keeps its size and its place in the file, so that what a reader
/// or a kill meets there are the rows of before, and no space is lost. Times are never packed: a bit that flips among
/// them must not make the rest unreadable.
class RowTable {
 public:
  void append(double t, std::span<const double> values);  ///< does not allocate
  bool full() const { return filled_ == capacity_; }

  /// Writes the waiting rows: each quantity, flushed, then the time. A row that the time shows is therefore complete.
  /// `last`: no rows will follow.
  /// Their checksums follow.
  void write(const std::filesystem::path& path, const hdf5::IoStatus& status, ChunkSums& sums, bool last = false);
  /// Goes on behind so many rows of other results, of which this file has all whole blocks.
  void go_on(const ResultsReader& before, bool solver, std::int64_t rows, const RecordedSums& recorded,
             const std::filesystem::path& path);
  double unpacked_bytes() const { return unpacked_bytes_; }  ///< of blocks that were stored as they are

  std::size_t n_chunks() const { return sums_.size(); }  ///< of a block
  std::int64_t n_whole_blocks(std::int64_t rows) const { return rows / static_cast<std::int64_t>(capacity_); }
  std::int64_t written() const { return written_; }  ///< rows flushed
  void close();

 private:
  friend RowTable open_table(hid_t file, const std::filesystem::path& path, const std::string& time_path,
                             const std::vector<RecordGroup>& groups, std::size_t first_sum);

  struct Column {
    hdf5::Handle dataset;
    std::vector<hsize_t> extent;  // rows first; the other axes are fixed
    std::size_t width = 1;        // numbers per row
    std::vector<hsize_t> chunk;   // the same of a chunk
    std::vector<double> block;    // capacity × width
    std::size_t n_chunks = 1;     // of a block
  };
  void write_column(Column& column, bool pack, ChunkSum* sums, const std::filesystem::path& path);
  void write_chunk(const Column& column, std::span<const double> numbers, std::array<hsize_t, 3> at, bool pack,
                   ChunkSum& sum, const std::filesystem::path& path);

  Column time_;
  std::vector<Column> columns_;
  std::size_t width_ = 0;     // numbers per row without the time
  std::size_t capacity_ = 1;  // rows of a block
  std::size_t filled_ = 0;    // of these are there
  std::size_t stored_ = 0;    // of these are in the file
  std::int64_t written_ = 0;
  double unpacked_bytes_ = 0.0;
  std::vector<ChunkSum> sums_;  // of the block's chunks, as far as they are in the file
  std::size_t first_sum_ = 0;   // of the chunks of a block, the first of this table
  std::vector<double> part_;    // the numbers of one chunk, where blocks have several
  std::vector<unsigned char> shuffled_, packed_;
};

RowTable open_table(hid_t file, const std::filesystem::path& path, const std::string& time_path,
                    const std::vector<RecordGroup>& groups, std::size_t first_sum);

/// Replaces a file whose run has ended by a packed copy. At every instant the name stands for all of the results; if
/// there is no room for the copy, or another run took the name, they stay as they are.
void pack_results(const std::filesystem::path& path);

/// Rows of a table.
struct RowRange {
  std::int64_t begin = 0, end = 0;
};

/// Rows of a run whose tables are those of the schema.
void copy_rows_between(const ResultsReader& reader, const RowRange& frames, const RowRange& steps,
                       const RecordSchema& schema, ResultsFile& copy);

/// Writes key and value lines to /summary, or a table like it, as its last ones from `first` on; returns the checksum
/// of their cells.
Checksum write_summary(hid_t dataset, const std::filesystem::path& path,
                       const std::map<std::string, std::string>& summary, std::size_t first = 0);

}  // namespace trammel
