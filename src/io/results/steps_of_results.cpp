// SPDX-License-Identifier: Apache-2.0
#include "trammel/io/steps_of_results.h"

#include "trammel/io/results_reader.h"

namespace trammel {

std::shared_ptr<const RecordedSteps> read_recorded_steps(const std::filesystem::path& results) {
  const ResultsReader reader(results);
  const auto column = [&](const std::string& path) {
    const TablePlace place = reader.schema().find_table(path);
    std::vector<double> numbers(static_cast<std::size_t>(reader.n_steps()) * static_cast<std::size_t>(place.width));
    reader.read_rows(true, place.group, 0, reader.n_steps(), numbers);
    return numbers;
  };
  return std::make_shared<RecordedSteps>(results.string(), reader.schema(), reader.step_times(), column);
}

}  // namespace trammel
