// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "commands.h"

namespace trammel::apps {

/// One combination of a sweep's settings.
struct Case {
  static constexpr int not_run = -1, elsewhere = -2;  ///< elsewhere: another process is at work on it
  std::vector<std::string> settings;                  ///< "key=value", in the order of the axes
  std::filesystem::path results;
  int code = not_run;
  bool resumes = false;                         ///< its results have a checkpoint to go on from
  bool stopped() const { return code >= 128; }  ///< by a signal, or by itself because of one
};

/// What is asked and told about each case of a list that is run.
class CaseWatch {
 public:
  virtual ~CaseWatch() = default;
  virtual bool may_begin(Case& one) { return one.code != 0; }  ///< may set code and resumes
  virtual void ended(const Case& one) { static_cast<void>(one); }
};

struct CaseRun {
  std::filesystem::path model;
  std::size_t first = 0, last = 0;  ///< of the cases, from 0; `last` is behind them
  int jobs = 1;                     ///< at a time
  bool quiet = false;
};

/// Runs the cases that may begin. A signal that ends us ends the runs as well, with their results kept; no further ones
/// are started. Returns the signal that stopped it; 0: none.
int run_cases(const CaseRun& run, std::vector<Case>& cases, CaseWatch& watch);

}  // namespace trammel::apps
