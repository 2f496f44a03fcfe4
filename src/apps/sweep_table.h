// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sweep_cases.h"
#include "trammel/io/output_file.h"
#include "trammel/io/report.h"
#include "trammel/io/results_reader.h"

namespace trammel::apps {

/// The files that results were made of, as they are now.
class PresentSources {
 public:
  explicit PresentSources(const std::filesystem::path& model) : folder_(model.parent_path()) {}

  /// Those of `recorded`, the text of describe_sources(), that are others now.
  std::vector<std::string> list_changed(const std::string& recorded);
  /// Nothing of `recorded` changed since.
  bool are(const std::string& recorded) { return !recorded.empty() && list_changed(recorded).empty(); }

 private:
  const std::string& digest(const std::string& name);

  std::filesystem::path folder_;
  std::map<std::string, std::string> digests_;
};

/// Looks at what lies under the names of cases of one model.
class CaseResults {
 public:
  /// `model` is the text of the model file.
  CaseResults(const std::filesystem::path& path, std::string model) : model_(std::move(model)), sources_(path) {}

  /// Results of this very case: the same settings of a model of which no file has changed since.
  bool are_of(const ResultsReader& reader, const Case& one);
  enum class State { none, open, done };  ///< open: begun by a run that did not come to its end, with a checkpoint
  State look_at(const Case& one);

 private:
  std::string model_;
  PresentSources sources_;
};

/// One line per case: its settings, how it ended, what it cost, and end, smallest and largest value of each measure.
/// Only results of the case itself have numbers: older ones may lie under its name when it was refused or recorded
/// nothing.
class CaseTable {
 public:
  static OutputKind kind();

  CaseTable(const std::vector<std::string>& keys, CaseResults& results);
  void add(const Case& one);
  int n_unreadable() const { return n_unreadable_; }  ///< though their runs did not fail
  void write(const std::filesystem::path& path) const;
  /// The same for a page. `page_of` gives the page of a case with results of its own; empty: it has none.
  SweepReport to_report(const std::vector<Case>& cases,
                        const std::function<std::filesystem::path(const Case&)>& page_of) const;

 private:
  struct Line {
    std::vector<std::string> cells;
    bool own = false;  // there are results of this case
  };

  void add_numbers(const Case& one, Line& line);

  CaseResults& results_;
  std::vector<std::string> head_;
  std::vector<Line> lines_;
  int n_measured_ = 0;  // columns of measures
  int n_unreadable_ = 0;
};

}  // namespace trammel::apps
