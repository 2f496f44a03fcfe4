#include <algorithm>
#include <system_error>

#include "trammel/io/results_file.h"
#include "trammel/io/results_reader.h"

namespace trammel {

namespace {

// Rows are copied in blocks of about this size.
constexpr std::int64_t repair_block_bytes = 8 * 1024 * 1024;

template <class Append>
void copy_rows(const ResultsReader& reader, bool solver, const Append& append) {
  const std::vector<RecordGroup>& groups = solver ? reader.schema().solver : reader.schema().frames;
  const std::vector<double>& times = solver ? reader.step_times() : reader.times();
  std::int64_t width = 0;
  for (const RecordGroup& group : groups) width += group.width();
  const std::int64_t n = std::ssize(times);
  const std::int64_t block = std::max<std::int64_t>(1, repair_block_bytes / (8 * std::max<std::int64_t>(1, width)));
  std::vector<std::vector<double>> parts(groups.size());
  std::vector<double> row(static_cast<std::size_t>(width));
  for (std::int64_t first = 0; first < n; first += block) {
    const std::int64_t count = std::min(block, n - first);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      parts[g].resize(static_cast<std::size_t>(count * groups[g].width()));
      reader.read_rows(solver, static_cast<int>(g), first, count, parts[g]);
    }
    for (std::int64_t r = 0; r < count; ++r) {
      auto to = row.begin();
      for (std::size_t g = 0; g < groups.size(); ++g)
        to = std::copy_n(parts[g].begin() + r * groups[g].width(), groups[g].width(), to);
      append(times[static_cast<std::size_t>(first + r)], row);
    }
  }
}

}  // namespace

RepairReport repair_results(const std::filesystem::path& source, const std::filesystem::path& target) {
  std::error_code ignored;
  if (std::filesystem::equivalent(source, target, ignored))
    throw IoError("cannot repair '" + source.string() + "' onto itself; choose another name for the copy");
  const ResultsReader reader(source);
  if (reader.state() == ResultsState::running)
    throw IoError("cannot repair '" + source.string() + "': a running simulation is writing it");
  ResultsFile copy(target);
  copy.begin(reader.schema());
  copy_rows(reader, false, [&](double t, std::span<const double> values) { copy.frame(t, values); });
  copy_rows(reader, true, [&](double t, std::span<const double> values) { copy.step(t, values); });
  std::map<std::string, std::string> summary = reader.summary();
  if (summary.empty()) summary["stop"] = "interrupted: the run was ended from outside";
  copy.end(summary);
  return {reader.n_frames(), reader.n_steps()};
}

}  // namespace trammel
