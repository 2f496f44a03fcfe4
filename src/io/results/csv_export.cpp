// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "trammel/io/csv.h"
#include "trammel/io/results_reader.h"
#include "trammel/io/text_file.h"

namespace trammel {

namespace {

constexpr std::int64_t csv_block_bytes = 4 * 1024 * 1024;

std::string with_unit(const std::string& name, const std::string& unit) {
  return csv_field(unit.empty() ? name : name + " [" + unit + "]");
}

// Columns of one group: "rod.x [m]", or only the item where there is one number per item.
void append_heading(std::string& heading, const RecordGroup& group) {
  for (int item = 0; item < group.n_items(); ++item) {
    const std::string& name = group.names[static_cast<std::size_t>(item)];
    if (group.n_components() == 1)
      heading.append(1, ',').append(with_unit(name, group.unit_of(item)));
    else
      for (const std::string& component : group.components)
        heading.append(1, ',').append(with_unit(name + "." + component, group.unit_of(item)));
  }
}

void write_groups(const ResultsReader& reader, bool solver, std::span<const int> groups,
                  const std::filesystem::path& path) {
  const std::vector<RecordGroup>& all = solver ? reader.schema().solver : reader.schema().frames;
  const std::vector<double>& times = solver ? reader.step_times() : reader.times();
  TextFile file(path, text_kind("a table of Trammel", {"time [s]"}));
  std::string heading = "time [s]";
  std::int64_t width = 1;
  for (const int g : groups) {
    append_heading(heading, all[static_cast<std::size_t>(g)]);
    width += all[static_cast<std::size_t>(g)].width();
  }
  file.write(heading + "\n");

  const std::int64_t n = std::ssize(times), block = std::max<std::int64_t>(1, csv_block_bytes / (8 * width));
  std::vector<std::vector<double>> parts(groups.size());
  fmt::memory_buffer text;
  for (std::int64_t first = 0; first < n; first += block) {
    const std::int64_t count = std::min(block, n - first);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      parts[i].resize(static_cast<std::size_t>(count * all[static_cast<std::size_t>(groups[i])].width()));
      reader.read_rows(solver, groups[i], first, count, parts[i]);
    }
    text.clear();
    for (std::int64_t row = 0; row < count; ++row) {
      fmt::format_to(std::back_inserter(text), "{}", times[static_cast<std::size_t>(first + row)]);
      for (const std::vector<double>& part : parts) {
        const auto columns = part.size() / static_cast<std::size_t>(count);
        for (const double value : std::span(part).subspan(static_cast<std::size_t>(row) * columns, columns))
          fmt::format_to(std::back_inserter(text), ",{}", value);
      }
      text.push_back('\n');
    }
    file.write({text.data(), text.size()});
  }
  file.close();
}

}  // namespace

std::vector<std::filesystem::path> export_csv(const ResultsReader& reader, const std::filesystem::path& folder) {
  make_folder(folder);
  std::vector<std::filesystem::path> written;
  const std::vector<RecordGroup>& frames = reader.schema().frames;
  for (int g = 0; g < std::ssize(frames); ++g) {
    written.push_back(folder / (frames[static_cast<std::size_t>(g)].quantity() + ".csv"));
    write_groups(reader, false, std::span(&g, 1), written.back());
  }
  std::vector<int> all(reader.schema().solver.size());
  for (std::size_t g = 0; g < all.size(); ++g) all[g] = static_cast<int>(g);
  if (!all.empty()) {
    written.push_back(folder / "solver.csv");
    write_groups(reader, true, all, written.back());
  }
  return written;
}

}  // namespace trammel
