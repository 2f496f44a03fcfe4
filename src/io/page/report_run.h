// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "trammel/base/json.h"
#include "trammel/io/report.h"
#include "trammel/io/results_reader.h"

namespace trammel::detail {

/// The numbers of a page: packed arrays, which the description of the runs names by their index.
class PageData {
 public:
  /// Writes { "data": index, "type": "f32", "count": n } as the value of the writer's current key.
  template <class Number>
  void put(JsonWriter& json, std::span<const Number> numbers);
  void put_packed(JsonWriter& json, std::string packed, const char* type, std::size_t count);

  const std::vector<std::string>& arrays() const { return arrays_; }

 private:
  std::vector<std::string> arrays_;
};

template <>
void PageData::put<float>(JsonWriter& json, std::span<const float> numbers);
template <>
void PageData::put<double>(JsonWriter& json, std::span<const double> numbers);

/// Rows 0, stride, 2 stride, … of n, and the last.
struct Thinning {
  std::int64_t n = 0, stride = 1;
  std::int64_t count() const { return n == 0 ? 0 : (n - 2 + stride) / stride + 1; }
  std::int64_t row(std::int64_t i) const { return std::min(i * stride, n - 1); }
};

/// Whether a page of this run alone carries every number of its frames, so that rows can be added to it one by one; and
/// every step of the integrator.
bool fits_whole(const ResultsReader& reader);
bool fits_whole_story(const ResultsReader& reader);

/// Describes one run in JSON and packs its numbers.
class RunWriter {
 public:
  RunWriter(const ResultsReader& reader, const ReportOptions& options, int n_runs, JsonWriter& json, PageData& data);
  ReportContents write();

 private:
  void write_description();
  void write_animation();
  void write_channels();
  void write_solver();
  void write_group(const RecordGroup& group);
  template <class Number>
  std::vector<Number> read_columns(bool solver, int group, const Thinning& rows, const std::vector<int>& columns);
  std::vector<std::pair<int, int>> complete_columns() const;
  void note_non_finite(const RecordGroup& group, int column, std::int64_t row);

  const ResultsReader& reader_;
  const ReportOptions& options_;
  int n_runs_;
  JsonWriter& json_;
  PageData& data_;
  ReportContents contents_;
  std::string bad_channel_;  // the first that is not finite, and when
  std::int64_t bad_row_ = -1;
};

}  // namespace trammel::detail
