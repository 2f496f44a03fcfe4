// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trammel/io/results_file.h"
#include "trammel/simulation/record.h"

namespace trammel {

/// How the run that wrote a results file stands.
enum class ResultsState {
  closed,       ///< ended and closed
  running,      ///< a simulation is writing it now
  interrupted,  ///< the writer died; what it reported as written is readable, `repair_results` makes a clean copy
};
std::string_view describe(ResultsState state);

/// Something in a results file that cannot be read as it was written.
struct DamagedPart {
  std::string part;     ///< "/frames/position", "attribute 'title'"
  std::string trouble;  ///< what is wrong with it
};

/// Reads a results file, whether closed, being written, or left behind by a killed run.
///
/// A file that is not HDF5, truncated, or not written by Trammel is refused with IoError in plain words. Channels are
/// found by the names people use (see ChannelIndex); an unknown one is an InputError with the nearest name. One item is
/// cut out of the wide dataset directly, so the file needs no views.
///
/// The file may come from anybody. It is read as data alone: nothing in it leads to another file (external links and
/// storage, views into other files) or loads code (filters of others), and no size that it announces is believed before
/// the file itself is long enough for it. What else somebody put into it is left alone. A part that is damaged is left
/// out and named by damaged(); the others stay readable.
class ResultsReader {
 public:
  explicit ResultsReader(std::filesystem::path path);
  ~ResultsReader();
  ResultsReader(ResultsReader&&) noexcept;
  ResultsReader& operator=(ResultsReader&&) noexcept;

  const std::filesystem::path& path() const;
  ResultsState state() const;                                  ///< when the file was opened
  const RecordSchema& schema() const;                          ///< groups, names, units and attributes as recorded
  const SummaryEntries& summary() const;                       ///< empty when the run did not end
  const std::string& attribute(const std::string& key) const;  ///< InputError with the nearest key when unknown

  const std::vector<DamagedPart>& damaged() const;  ///< parts that were left out because they cannot be read

  std::int64_t n_frames() const;  ///< complete rows
  std::int64_t n_steps() const;
  const std::vector<double>& times() const;       ///< of the frames [s]
  const std::vector<double>& step_times() const;  ///< ends of the integrator steps [s]

  /// The last one that is whole. None: `trouble` says why; empty: the run was not yet there.
  std::optional<ResultsCheckpoint> read_checkpoint(std::string& trouble) const;
  /// What the model was made of beside the model file. Throws IoError where one cannot be read.
  std::vector<RecordedFile> read_files() const;

  std::vector<std::string> channels() const;  ///< every channel: "rod.position.x", "energy.total", "solver.h"
  Series read(std::string_view channel) const;

  /// Rows first … first + count − 1 of one group of schema().frames (or .solver): count × width numbers.
  void read_rows(bool solver, int group, std::int64_t first, std::int64_t count, std::span<double> values) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// What `repair_results` saved.
struct RepairReport {
  std::int64_t n_frames = 0;
  std::int64_t n_steps = 0;
};

/// Copies a results file, closed or left behind by a killed run, to a clean one with views. The summary of a run that
/// never ended says so. Refuses (IoError) a file that a running simulation writes, and to write over its own source.
RepairReport repair_results(const std::filesystem::path& source, const std::filesystem::path& target);

/// Reads all of a results file, each number and text, and names what is damaged: parts whose checksum (CRC-32, of
/// each table and text of a run that ended) is wrong, that are missing, or cut off. Empty: nothing is. Throws IoError
/// when nothing can be read of it.
std::vector<DamagedPart> verify_results(const std::filesystem::path& path);

}  // namespace trammel
