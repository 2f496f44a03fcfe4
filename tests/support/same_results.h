// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "trammel/io/results_reader.h"
#include "trammel/simulation/summary.h"

/// Two results files, table by table and bit by bit.
namespace trammel::same_results {

inline std::vector<double> all_rows(const ResultsReader& reader) {
  std::vector<double> all = reader.times();
  all.insert(all.end(), reader.step_times().begin(), reader.step_times().end());
  for (const bool solver : {false, true}) {
    const auto& groups = solver ? reader.schema().solver : reader.schema().frames;
    const std::int64_t n = solver ? reader.n_steps() : reader.n_frames();
    for (std::size_t g = 0; g < groups.size(); ++g) {
      std::vector<double> rows(static_cast<std::size_t>(n * groups[g].width()));
      reader.read_rows(solver, static_cast<int>(g), 0, n, rows);
      all.insert(all.end(), rows.begin(), rows.end());
    }
  }
  return all;
}

/// `cut`: it was killed when all was written, the summary included; at most closing the file was left to do.
inline void expect_same_results(const std::filesystem::path& found, const std::filesystem::path& expected,
                                bool cut = false) {
  const ResultsReader a(found), b(expected);
  EXPECT_TRUE(cut || a.state() == ResultsState::closed);
  EXPECT_EQ(a.n_frames(), b.n_frames());
  EXPECT_EQ(a.n_steps(), b.n_steps());
  const std::vector<double> x = all_rows(a), y = all_rows(b);
  ASSERT_EQ(x.size(), y.size());
  EXPECT_EQ(std::memcmp(x.data(), y.data(), x.size() * sizeof(double)), 0);
  SummaryEntries of_a = a.summary(), of_b = b.summary();
  for (SummaryEntries* words : {&of_a, &of_b}) words->erase("wall_time"), words->erase("threads");
  EXPECT_EQ(texts_of(of_a), texts_of(of_b));
  EXPECT_TRUE(verify_results(found).empty());
}

}  // namespace trammel::same_results
