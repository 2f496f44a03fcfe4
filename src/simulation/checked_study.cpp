// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/checked_study.h"

namespace trammel {

CheckedStudy::CheckedStudy(Study study) : study_(std::move(study)) {
  if (std::vector<Issue> found = issues(study_.model); !found.empty()) throw InputError(std::move(found));
}

}  // namespace trammel
