// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "trammel/simulation/record.h"

namespace trammel {

class ResultsReader;

/// How a results file is written; the defaults suit every run.
struct ResultsFileOptions {
  double flush_seconds = 0.5;      ///< rows are on disk after at most this much wall time [s], ≥ 0
  bool flush_every_frame = false;  ///< each frame is on disk when frame() returns (costs up to a millisecond)
  /// Groups get one virtual dataset per item, in schema order, while their sum stays within this number. A view costs
  /// about 65 µs and 0.6 kB when the file is made; beyond the limit the wide dataset and our reader remain.
  int max_views = 10000;
  /// Older results of the name are replaced at the end, and not when the first frame is written.
  bool replace_at_end = false;

  std::vector<Issue> issues() const;
};

/// A place from which the run can go on: Simulation::resume().
struct ResultsCheckpoint {
  double t = 0.0;                          ///< [s]
  std::int64_t n_frames = 0, n_steps = 0;  ///< rows before it
  std::vector<std::byte> memory;
};

/// Writes a run to an HDF5 file that a person can open and that survives kill −9.
///
///   /time[row]  /frames/<quantity>[row, item, component]  /solver/time[step]  /solver/<quantity>[step]
///   /names/<quantity>[item]  /bodies/<name>/<quantity>[row, component] (virtual)  /model  /summary[line, 2]
///
/// Everything is created before the first row, then the file is in single-writer-multiple-reader mode until it is
/// closed: a killed run leaves a file whose flushed rows can all be read (our reader, h5py with swmr=True). Also the
/// views and the summary exist from the start: views with an unlimited mapping that follow their source, the summary
/// as an empty table. Adding them at the end, as plain HDF5, would open a window in which a kill destroys the file.
///
/// Rows are gathered in memory and written in blocks. A block is written quantity by quantity, each flushed, /time
/// last: a row that /time shows is complete. Only rows written that way are reported by frames_written().
/// "Written" means handed to the operating system: it survives the death of the process, not the loss of power.
///
/// Blocks are packed (shuffle, deflate) unless they had to be written before they were full, since a packed chunk that
/// grows would need another place in the file each time. Of a run that was slow these are many: end() then makes a
/// packed copy, which takes the name when it is complete.
///
/// Large frames are packed and written by a thread of their own where the caller shares its work among threads
/// (ThreadScope): then a failure is thrown by a later call, end() at the latest.
///
/// The last checkpoint is there as soon as the rows before it are: at every flush, and at the end.
///
/// It is made beside an existing results file and replaces it when its first frame is written (or at its end, if it
/// has none and there is nothing to replace); never one that a running simulation writes, nor a file that is something
/// else. Every failure is an IoError with the path and the reason; the disk may be
/// full at any write.
class ResultsFile : public RecordSink {
 public:
  explicit ResultsFile(std::filesystem::path path, ResultsFileOptions options = {});
  ~ResultsFile() override;  ///< without end(): writes what was gathered and closes; errors are lost

  void begin(const RecordSchema& schema) override;
  void frame(double t, std::span<const double> values) override;
  void step(double t, std::span<const double> values) override;
  void checkpoint(double t, std::span<const std::byte> memory) override;
  void end(const SummaryEntries& summary) override;

  /// One of the run that rows were copied from.
  void keep_checkpoint(ResultsCheckpoint checkpoint);
  /// Instead of begin(): goes on with results of this name behind one of their checkpoints, in a copy that takes the
  /// name when it holds the rows before it. The schema is theirs; its attributes may have changed.
  void go_on(const RecordSchema& schema, const ResultsReader& before, const ResultsCheckpoint& checkpoint);

  /// Writes and flushes every row received so far.
  void flush();

  const std::filesystem::path& path() const { return path_; }
  std::int64_t frames_received() const;  ///< calls of frame()
  std::int64_t frames_written() const;   ///< of these, safe on disk
  std::int64_t steps_written() const;

 private:
  struct Writer;
  Writer& writer() const;  // throws where there is none
  std::filesystem::path path_;
  ResultsFileOptions options_;
  std::unique_ptr<Writer> writer_;
};

}  // namespace trammel
