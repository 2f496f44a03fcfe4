// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "hdf5_support.h"
#include "results_checkpoint.h"
#include "results_layout.h"
#include "results_tables.h"
#include "trammel/io/results_reader.h"

namespace trammel {

namespace {

constexpr std::int64_t verified_block_bytes = 8 * 1024 * 1024;

// Views are left alone: they hold no numbers, and their descriptions lie in a part of the file (HDF5's global heap)
// that has no checksum and, damaged, takes the library with it.
class Verification {
 public:
  explicit Verification(const std::filesystem::path& path) : path_(path), reader_(path), found_(reader_.damaged()) {
    const hdf5::Quiet quiet;
    hdf5::Opened opened = hdf5::open_for_reading(path);
    hdf5::check(*opened.status, path, "read");
    if (!opened.file.valid()) throw IoError("cannot read '" + path.string() + "': " + opened.reason);
    file_ = std::move(opened.file);
    std::error_code error;
    most_ = static_cast<double>(std::filesystem::file_size(path, error));
    if (error) throw IoError("cannot read '" + path.string() + "': " + error.message());
    try {
      expected_ = read_text_sums(file_, most_, path_);
    } catch (const IoError& trouble) {
      report(layout::checksums, trouble.what());
    }
    sums_ = read_chunk_sums(file_, most_);
    if (!sums_.trouble.empty()) report(layout::chunk_checksums, sums_.trouble);
    hdf5::check(*opened.status, path, "read");
  }

  std::vector<DamagedPart> run() {
    const hdf5::Quiet quiet;
    if (sums_.exist) {
      for (const auto& [at, place] : sums_.places) chunks(at, place);
      checkpoints();
    } else {
      tables(false);
      tables(true);
      time(layout::times[0], reader_.times());
      time(layout::times[1], reader_.step_times());
    }
    for (const auto& [at, expected] : expected_)
      if (std::find(seen_.begin(), seen_.end(), at) == seen_.end()) texts(at, expected);
    return std::move(found_);
  }

 private:
  void report(const std::string& part, const std::string& trouble) {
    const bool known =
        std::any_of(found_.begin(), found_.end(), [&](const DamagedPart& damaged) { return damaged.part == part; });
    if (!known) found_.push_back({part, trouble});
  }

  // A run that was killed may have rows that it had not yet summed up, and half a checkpoint beside a whole one.
  bool is_complete() const { return reader_.state() == ResultsState::closed; }

  void chunks(const std::string& at, RecordedSums::Place place) {
    if (!sums_.trouble.empty()) return;
    const hdf5::OwnDataset table = hdf5::open_own_dataset(file_, at);
    const std::int64_t rows = at.starts_with("/solver/") ? reader_.n_steps() : reader_.n_frames();
    const std::string trouble =
        !table.dataset.valid() ? table.trouble : find_damaged_chunk(table, sums_, place, rows, is_complete(), most_);
    if (!trouble.empty()) report(at, trouble);
  }

  void checkpoints() {
    if (!is_complete()) return;
    for (const std::string& at : find_damaged_checkpoints(file_, most_)) report(at, "it is not what was written");
  }

  void compare(const std::string& at, const Checksum& checksum) {
    seen_.push_back(at);
    const auto expected = expected_.find(at);
    if (expected != expected_.end() && expected->second != checksum.to_text())
      report(at, "its numbers are not those that were written (" + checksum.to_text() + ", recorded is " +
                     expected->second + ")");
  }

  void tables(bool solver) {
    const std::vector<RecordGroup>& groups = solver ? reader_.schema().solver : reader_.schema().frames;
    const std::int64_t n = solver ? reader_.n_steps() : reader_.n_frames();
    std::vector<double> rows;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const std::int64_t width = groups[g].width();
      const std::int64_t block =
          std::max<std::int64_t>(1, verified_block_bytes / (8 * std::max<std::int64_t>(1, width)));
      Checksum checksum;
      try {
        for (std::int64_t first = 0; first < n; first += block) {
          const std::int64_t count = std::min(block, n - first);
          rows.resize(static_cast<std::size_t>(count * width));
          reader_.read_rows(solver, static_cast<int>(g), first, count, rows);
          checksum.add(rows.data(), rows.size() * sizeof(double));
        }
      } catch (const IoError& error) {
        seen_.push_back(groups[g].path);
        report(groups[g].path, error.what());
        continue;
      }
      compare(groups[g].path, checksum);
    }
  }

  void time(const std::string& at, const std::vector<double>& times) {
    Checksum checksum;
    checksum.add(times.data(), times.size() * sizeof(double));
    compare(at, checksum);
  }

  void texts(const std::string& at, const std::string& expected) {
    try {
      const std::vector<char> cells = hdf5::read_cells(hdf5::open_own_dataset(file_, at), most_, path_);
      Checksum checksum;
      checksum.add(cells.data(), cells.size());
      if (checksum.to_text() != expected)
        report(at, "its text is not that which was written (" + checksum.to_text() + ", recorded is " + expected + ")");
    } catch (const IoError& error) {
      report(at, error.what());
    }
  }

  const std::filesystem::path& path_;
  const ResultsReader reader_;
  hdf5::Handle file_;
  double most_ = 0.0;
  Checksums expected_;
  RecordedSums sums_;
  std::vector<std::string> seen_;
  std::vector<DamagedPart> found_;
};

}  // namespace

Checksums read_text_sums(hid_t file, double most, const std::filesystem::path& path) {
  Checksums sums;
  if (!hdf5::is_in_file(file, layout::checksums)) return sums;
  const std::vector<std::string> cells = hdf5::read_texts(hdf5::open_own_dataset(file, layout::checksums), most, path);
  // Lines that a killed run announced and did not write are empty.
  for (std::size_t i = 0; i + 1 < cells.size(); i += 2)
    if (!cells[i].empty()) sums[cells[i]] = cells[i + 1];
  return sums;
}

std::vector<DamagedPart> verify_results(const std::filesystem::path& path) { return Verification(path).run(); }

}  // namespace trammel
