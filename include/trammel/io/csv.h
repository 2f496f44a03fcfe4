// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace trammel {

class ResultsReader;

/// A table of numbers with named columns of equal length.
struct Table {
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;

  std::size_t n_rows() const { return columns.empty() ? 0 : columns[0].size(); }
  /// By name, with or without its unit ("time" finds "time [s]"); InputError with the nearest name when unknown.
  const std::vector<double>& column(std::string_view name) const;
};

/// Reads a table of numbers, for example a tabulated motion.
///
/// Fields are separated by commas, tabs or semicolons (the first line decides; with semicolons a decimal comma is
/// understood). The first line may hold names, quoted or not; without it the columns are called "column 1", … Empty
/// lines and lines starting with # are skipped. Everything else, infinities and NaN included, is an InputError that
/// lists every problem with file:line:column; a file that cannot be opened is an IoError.
Table read_table_csv(const std::filesystem::path& path);

/// Writes results for a spreadsheet: position.csv, … with one row per frame, and solver.csv with one per step.
///
///   time [s],rod.x [m],rod.y [m],rod.z [m]
///
/// Numbers have as many digits as it takes to read back the same double. `folder` is made if missing, files in it are
/// overwritten. Returns what was written.
std::vector<std::filesystem::path> export_csv(const ResultsReader& reader, const std::filesystem::path& folder);

}  // namespace trammel
