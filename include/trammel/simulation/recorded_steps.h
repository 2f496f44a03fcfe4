// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "trammel/base/error.h"
#include "trammel/integrators/repeated_step.h"
#include "trammel/simulation/record.h"

namespace trammel {

/// What a step ended at.
enum class StepEnd {
  wish,     ///< where the method wished
  instant,  ///< at an instant that was known before: the end, a kink of an input, a sample
  change,   ///< at or before a change of a contact or of another force, which was found in the motion
};

/// What became of a step besides what its method reports: why it ended where it did, and how long it was before.
struct StepCourse {
  StepEnd end = StepEnd::wish;
  /// Attempts within which a force changed, so that the step was taken again [s]: the first one, and the first one
  /// behind a change right after the beginning; 0: none.
  double trial = 0.0, trial_behind = 0.0;
  bool by_other = false;  ///< by the other one of two methods
};

/// The steps of a run, as its results hold them, for another run that repeats them: sizes, orders, iterations, when
/// matrices were made, where forces changed.
class RecordedSteps {
 public:
  struct Step : RepeatedStep {  ///< `h` and `t` as they were
    StepCourse course;
    int phase = 0;
  };

  /// `source`: what the results are called in messages. `column` gives the numbers of a table, "/solver/h", a row for
  /// each step. Throws InputError with every table that is missing.
  RecordedSteps(std::string source, const RecordSchema& schema, std::span<const double> times,
                const std::function<std::vector<double>(const std::string& path)>& column);
  RecordedSteps(std::string source, const MemoryRecord& record);

  const std::string& source() const { return source_; }
  /// Of one phase; 0: of a run without phases.
  std::span<const Step> steps(int phase) const;
  /// The method that took them, for a run that leaves it open; empty words: not known.
  struct MethodWords {
    std::string integrator, coordinates;
  };
  MethodWords method() const;
  /// Why a run with this schema cannot repeat the steps: other bodies, joints or states, another analysis or solver.
  /// Numbers that nobody gives (`is_given("solver.rtol")`) may follow from the machine, and differ.
  std::vector<Issue> differences(const RecordSchema& schema,
                                 const std::function<bool(const std::string& key)>& is_given) const;

 private:
  std::string source_;
  std::vector<Step> steps_;
  std::string settings_;
  std::map<std::string, std::vector<std::string>> names_;  // of what is recorded, by table
};

}  // namespace trammel
