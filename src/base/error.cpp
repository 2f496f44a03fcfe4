// SPDX-License-Identifier: Apache-2.0
#include "trammel/base/error.h"

#include <utility>

namespace trammel {

namespace {

std::string list_all(const std::vector<Issue>& issues) {
  std::string text;
  for (const Issue& issue : issues) {
    if (!text.empty()) text += '\n';
    if (!issue.where.empty()) text += issue.where + ": ";
    text += issue.message;
  }
  return text;
}

}  // namespace

InputError::InputError(std::vector<Issue> issues) : Error(list_all(issues)), issues_(std::move(issues)) {}

InputError::InputError(std::string message) : InputError(std::vector<Issue>{{"", std::move(message)}}) {}

}  // namespace trammel
