// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "trammel/simulation/options.h"

namespace trammel {

/// A study whose model can be assembled: it was checked when this was made, by the reader or by the constructor, and is
/// not checked again on its way through a run. Therefore the model cannot be changed any more; the settings can.
class CheckedStudy {
 public:
  /// Throws InputError with everything that is wrong with the model. Implicit: whatever takes a CheckedStudy takes a
  /// Study, and looks at it.
  CheckedStudy(Study study);  // NOLINT(google-explicit-constructor)

  const Study& study() const { return study_; }
  const Model& model() const { return study_.model; }
  Settings& settings() { return study_; }
  const Settings& settings() const { return study_; }
  Study take() && { return std::move(study_); }

 private:
  friend struct StudyReader;  // has checked the model together with its text
  struct Known {};
  CheckedStudy(Study study, Known) : study_(std::move(study)) {}

  Study study_;
};

}  // namespace trammel
