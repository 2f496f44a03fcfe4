// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace trammel::apps {

/// What the cases of a sweep are made of.
struct CaseChoice {
  std::vector<std::string> settings;  ///< "key=a:b:n", "key=v1,v2", "key=value", "key=uniform(a,b)", …
  std::filesystem::path list;         ///< CSV file with keys in its first line and a case in every other; empty: none
  int samples = 0;                    ///< of settings that are drawn; 0: none is
  std::uint64_t seed = 1;
  bool latin = true;       ///< by Latin hypercube; else each independently
  double max_cases = 1e5;  ///< more are refused
};

/// Keys, and for each case a value of each, as texts.
struct CaseList {
  std::vector<std::string> keys;
  std::vector<std::vector<std::string>> values;
};

/// Every combination of the settings' values, of the lines of the list and of the samples; the last varies fastest.
///
///   key=a:b:n           n values from a to b           key=uniform(a,b)      drawn between a and b
///   key=v1,v2           these                          key=log_uniform(a,b)  its logarithm is
///   key=value           this                           key=normal(m,s)       of mean m and standard deviation s
///
/// A Latin hypercube of N samples has one value of each drawn setting in each of N parts of equal probability. The same
/// seed gives the same numbers everywhere. How many cases there are is asked before they are made.
CaseList make_case_list(const CaseChoice& choice);

}  // namespace trammel::apps
