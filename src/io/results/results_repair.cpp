// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <system_error>

#include "results_layout.h"
#include "results_tables.h"
#include "trammel/io/results_file.h"
#include "trammel/io/results_reader.h"

namespace trammel {

namespace {

// Rows are copied in blocks of about this size.
constexpr std::int64_t repair_block_bytes = 8 * 1024 * 1024;

// Groups of a schema that can be read, and where they stand in the file's own.
struct Kept {
  RecordSchema schema;
  std::vector<int> frames, solver;
  std::vector<DamagedPart> left_out;
};

bool can_be_read(const ResultsReader& reader, bool solver, int group, std::vector<DamagedPart>& left_out) {
  const RecordGroup& what = (solver ? reader.schema().solver : reader.schema().frames)[static_cast<std::size_t>(group)];
  const std::int64_t width = what.width();
  const std::int64_t n = solver ? reader.n_steps() : reader.n_frames();
  const std::int64_t block = std::max<std::int64_t>(1, repair_block_bytes / (8 * std::max<std::int64_t>(1, width)));
  std::vector<double> rows;
  try {
    for (std::int64_t first = 0; first < n; first += block) {
      const std::int64_t count = std::min(block, n - first);
      rows.resize(static_cast<std::size_t>(count * width));
      reader.read_rows(solver, group, first, count, rows);
    }
  } catch (const IoError& error) {
    left_out.push_back({what.path, error.what()});
    return false;
  }
  return true;
}

Kept find_readable(const ResultsReader& reader) {
  Kept kept;
  kept.schema.attributes = reader.schema().attributes;
  try {
    kept.schema.files = reader.read_files();
  } catch (const IoError& error) {
    kept.left_out.push_back({layout::files, error.what()});
  }
  for (int g = 0; g < std::ssize(reader.schema().frames); ++g)
    if (can_be_read(reader, false, g, kept.left_out)) kept.frames.push_back(g);
  for (int g = 0; g < std::ssize(reader.schema().solver); ++g)
    if (can_be_read(reader, true, g, kept.left_out)) kept.solver.push_back(g);
  for (const int g : kept.frames) kept.schema.frames.push_back(reader.schema().frames[static_cast<std::size_t>(g)]);
  for (const int g : kept.solver) kept.schema.solver.push_back(reader.schema().solver[static_cast<std::size_t>(g)]);
  return kept;
}

// Rows from `begin` to `end`.
template <class Append>
void copy_rows(const ResultsReader& reader, const Kept& kept, bool solver, std::int64_t begin, std::int64_t end,
               const Append& append) {
  const std::vector<RecordGroup>& groups = solver ? kept.schema.solver : kept.schema.frames;
  const std::vector<int>& places = solver ? kept.solver : kept.frames;
  const std::vector<double>& times = solver ? reader.step_times() : reader.times();
  std::int64_t width = 0;
  for (const RecordGroup& group : groups) width += group.width();
  const std::int64_t block = std::max<std::int64_t>(1, repair_block_bytes / (8 * std::max<std::int64_t>(1, width)));
  std::vector<std::vector<double>> parts(groups.size());
  std::vector<double> row(static_cast<std::size_t>(width));
  for (std::int64_t first = begin; first < end; first += block) {
    const std::int64_t count = std::min(block, end - first);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      parts[g].resize(static_cast<std::size_t>(count * groups[g].width()));
      reader.read_rows(solver, places[g], first, count, parts[g]);
    }
    for (std::int64_t r = 0; r < count; ++r) {
      auto to = row.begin();
      for (std::size_t g = 0; g < groups.size(); ++g)
        to = std::copy_n(parts[g].begin() + r * groups[g].width(), groups[g].width(), to);
      append(times[static_cast<std::size_t>(first + r)], row);
    }
  }
}

void copy_rows(const ResultsReader& reader, const Kept& kept, const RowRange& frames, const RowRange& steps,
               ResultsFile& copy) {
  copy_rows(reader, kept, false, frames.begin, frames.end,
            [&](double t, std::span<const double> values) { copy.frame(t, values); });
  copy_rows(reader, kept, true, steps.begin, steps.end,
            [&](double t, std::span<const double> values) { copy.step(t, values); });
}

void copy_all(const ResultsReader& reader, Kept kept, ResultsFile& copy) {
  std::string ignored;
  std::optional<ResultsCheckpoint> checkpoint = reader.read_checkpoint(ignored);
  kept.schema.checkpoints = checkpoint.has_value() && kept.left_out.empty();
  copy.begin(kept.schema);
  copy_rows(reader, kept, {0, reader.n_frames()}, {0, reader.n_steps()}, copy);
  if (kept.schema.checkpoints) copy.keep_checkpoint(std::move(*checkpoint));
}

}  // namespace

void copy_rows_between(const ResultsReader& reader, const RowRange& frames, const RowRange& steps,
                       const RecordSchema& schema, ResultsFile& copy) {
  Kept kept;
  kept.schema = schema;
  for (int g = 0; g < std::ssize(schema.frames); ++g) kept.frames.push_back(g);
  for (int g = 0; g < std::ssize(schema.solver); ++g) kept.solver.push_back(g);
  copy_rows(reader, kept, frames, steps, copy);
}

void pack_results(const std::filesystem::path& path) {
  try {
    const ResultsReader reader(path);
    ResultsFileOptions options;
    options.replace_at_end = true;  // whole blocks alone
    ResultsFile copy(path, options);
    const Kept kept = find_readable(reader);
    if (!kept.left_out.empty() || !reader.damaged().empty()) return;
    copy_all(reader, kept, copy);
    copy.end({reader.summary().begin(), reader.summary().end()});
  } catch (const IoError&) {  // the results are there, if not packed
  }
}

RepairReport repair_results(const std::filesystem::path& source, const std::filesystem::path& target) {
  std::error_code ignored;
  if (std::filesystem::equivalent(source, target, ignored))
    throw IoError("cannot repair '" + source.string() + "' onto itself; choose another name for the copy");
  const ResultsReader reader(source);
  if (reader.state() == ResultsState::running)
    throw IoError("cannot repair '" + source.string() + "': a running simulation is writing it");
  ResultsFile copy(target);
  const Kept kept = find_readable(reader);
  copy_all(reader, kept, copy);
  SummaryEntries summary = reader.summary();
  if (summary.empty()) summary["stop"] = "interrupted: the run was ended from outside";
  // The copy has checksums of what it holds: it must say itself what was wrong before.
  std::vector<DamagedPart> found = verify_results(source);
  for (const DamagedPart& part : kept.left_out)
    if (std::none_of(found.begin(), found.end(), [&](const DamagedPart& known) { return known.part == part.part; }))
      found.push_back(part);
  std::string damages;
  if (const auto before = summary.find("damaged"); before != summary.end()) damages = text_of(before->second);
  for (const DamagedPart& damaged : found)
    damages += (damages.empty() ? "" : "\n") + damaged.part + ": " + damaged.trouble;
  if (!damages.empty()) summary["damaged"] = damages;
  copy.end(summary);
  return {reader.n_frames(), reader.n_steps()};
}

}  // namespace trammel
