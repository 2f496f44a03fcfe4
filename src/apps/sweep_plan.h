// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "sweep_axes.h"

namespace trammel::apps {

/// The cases of a sweep, written down to be run by many processes on many machines that share a folder.
struct SweepPlan {
  std::filesystem::path model;
  std::string sources;  ///< describe_sources() of the model and all that it includes
  CaseList cases;
};

/// plan.txt in the folder: a line for each fact and each case, fields separated by tabs. The same plan may be written
/// again; another one in its place is refused, since results of its cases may be there.
void write_plan(const SweepPlan& plan, const std::filesystem::path& folder);

/// Refuses, by name, folders without a plan, plans of other versions and damaged ones.
SweepPlan read_plan(const std::filesystem::path& folder);

std::filesystem::path plan_file(const std::filesystem::path& folder);

/// One process at a time works on a case: the kernel forgets the claim with the process.
class CaseClaim {
 public:
  /// A lock of one byte of the plan: `number` counts from 1.
  CaseClaim(const std::filesystem::path& folder, std::size_t number);
  ~CaseClaim();
  CaseClaim(CaseClaim&& other) noexcept;
  CaseClaim& operator=(CaseClaim&&) = delete;

  bool is_ours() const { return is_ours_; }

 private:
  int descriptor_;
  bool is_ours_ = false;
};

}  // namespace trammel::apps
