// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trammel/io/results_reader.h"
#include "trammel/simulation/simulation.h"

namespace trammel {

/// A run as its results file tells it: model, everything that it includes, settings. It can be run again, and go on
/// from its last checkpoint.
class RecordedRun {
 public:
  /// Throws IoError for a file that cannot be read, that a running simulation writes, or that holds no model.
  explicit RecordedRun(std::filesystem::path results);

  const ResultsReader& reader() const { return reader_; }
  /// The study as it was run, with further settings behind those it was run with. Files that the model includes are
  /// those of the results; shared libraries of force laws are looked for beside them.
  CheckedStudy read_study(std::span<const std::string> more = {}) const;
  /// None: the run was killed before its first one, and begins anew; or there can be none, of which require_same()
  /// tells.
  const std::optional<ResultsCheckpoint>& checkpoint() const { return checkpoint_; }

  /// Throws InputError with every file of this model that is not as it was run.
  void require_model(const std::filesystem::path& model) const;
  /// What `--end` adds to the settings: a later end, frames at the same distances. Throws InputError if it is not
  /// later.
  std::vector<std::string> settings_until(double end) const;
  /// Throws InputError with everything for which this machine cannot go on with the run: the version of the program,
  /// settings that take effect (but for a later end), a run that has ended; IoError if there can be no checkpoint.
  void require_same(const Simulation& simulation) const;

 private:
  ResultsReader reader_;
  std::vector<RecordedFile> files_;
  std::optional<ResultsCheckpoint> checkpoint_;
  std::string trouble_;  // with it
};

/// The results file of a run that goes on. It is made beside the old one and stands for its name as soon as the rows
/// before the checkpoint are in it: whatever happens, and whenever, the name stands for results that can be resumed.
class ResumedResults final : public RecordSink {
 public:
  ResumedResults(const RecordedRun& run, ResultsFileOptions options = {});

  /// Attributes are those of the recorded run; "resumed" says since when. Nothing is written before the first row
  /// comes: a run that cannot go on leaves the file as it was.
  void begin(const RecordSchema& schema) override;
  void frame(double t, std::span<const double> values) override { opened().frame(t, values); }
  void step(double t, std::span<const double> values) override { opened().step(t, values); }
  void checkpoint(double t, std::span<const std::byte> memory) override { opened().checkpoint(t, memory); }
  void end(const SummaryEntries& summary) override { opened().end(summary); }

  ResultsFile& file() { return file_; }

 private:
  ResultsFile& opened();

  const RecordedRun& run_;
  ResultsFile file_;
  std::optional<RecordSchema> waiting_;  // of begin(), until the first row
};

/// Goes on with the run of a results file, in that file, until its end or a later one. Throws as RecordedRun does.
Summary resume_run(const std::filesystem::path& results, std::optional<double> end = {},
                   const ProgressCallback& progress = {});

}  // namespace trammel
