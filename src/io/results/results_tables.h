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

/// The two halves of writing a results file: creating everything, then appending rows.
namespace trammel {

/// Makes the file with every dataset, name list, view and attribute. `file` is then open for writing, not yet in SWMR
/// mode; it is an argument so that the caller can abandon it when this throws.
/// `working` is where the file is made, `path` what messages call it.
/// CRC-32 of the bytes of a table or text, in the order of its rows, as they stand in memory.
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

void create_results(const std::filesystem::path& working, const std::filesystem::path& path, const RecordSchema& schema,
                    int max_views, hdf5::IoStatus& status, Checksums& texts, hdf5::Handle& file);

/// Rows of several datasets with a common time, gathered in memory and appended in blocks.
class RowTable {
 public:
  void append(double t, std::span<const double> values);  ///< does not allocate
  bool full() const { return waiting_ == capacity_; }

  /// Writes the waiting rows: each quantity, flushed, then the time. A row that the time shows is therefore complete.
  void write(const std::filesystem::path& path, const hdf5::IoStatus& status);

  void add_checksums(Checksums& to) const;           ///< of all rows written
  std::int64_t written() const { return written_; }  ///< rows flushed
  void close();

 private:
  friend RowTable open_table(hid_t file, const std::filesystem::path& path, const std::string& time_path,
                             const std::vector<RecordGroup>& groups);

  struct Column {
    hdf5::Handle dataset;
    std::vector<hsize_t> extent;  // rows first; the other axes are fixed
    std::size_t width = 1;        // numbers per row
    std::vector<double> waiting;  // capacity × width
    std::string at;               // its path
    Checksum checksum;
  };
  void write_column(Column& column, const std::filesystem::path& path);

  Column time_;
  std::vector<Column> columns_;
  std::size_t width_ = 0;     // numbers per row without the time
  std::size_t capacity_ = 1;  // rows that may wait
  std::size_t waiting_ = 0;
  std::int64_t written_ = 0;
};

RowTable open_table(hid_t file, const std::filesystem::path& path, const std::string& time_path,
                    const std::vector<RecordGroup>& groups);

/// Appends key and value lines to /summary, or a table like it; returns the checksum of its cells.
Checksum write_summary(hid_t dataset, const std::filesystem::path& path,
                       const std::map<std::string, std::string>& summary);

}  // namespace trammel
