// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "commands.h"
#include "messages.h"
#include "trammel/io/csv.h"
#include "trammel/io/results_reader.h"
#include "trammel/io/vtk.h"
#include "trammel/simulation/channels.h"

namespace trammel::apps {

int export_results(const ExportCommand& command) {
  require_file(command.file);
  const ResultsReader reader(command.file);
  if (const std::string text = describe_left_out(reader.schema()); !text.empty())
    fmt::print("{}: left out {}\n", command.file.string(), text);
  if (!command.csv.empty()) {
    for (const std::filesystem::path& table : export_csv(reader, command.csv)) fmt::print("{}\n", table.string());
  }
  if (!command.vtk.empty()) fmt::print("{}\n", export_vtk(reader, command.vtk).string());
  return success;
}

int verify(const VerifyCommand& command) {
  require_file(command.file);
  const std::vector<DamagedPart> damaged = verify_results(command.file);
  const ResultsReader reader(command.file);
  for (const DamagedPart& part : damaged)
    fmt::print("{}: damaged: {}: {}\n", command.file.string(), part.part, part.trouble);
  fmt::print("{}: {} frames, {} steps; {}\n", command.file.string(), reader.n_frames(), reader.n_steps(),
             damaged.empty() ? "nothing is damaged"
                             : fmt::format("{} parts are damaged, the others can be read", damaged.size()));
  if (reader.state() != ResultsState::closed)
    fmt::print("    the run has not ended: there are no checksums of its numbers\n");
  return damaged.empty() ? success : io_trouble;
}

int repair(const RepairCommand& command) {
  require_file(command.file);
  std::filesystem::path out = command.out;
  if (out.empty()) {
    out = command.file;
    out.replace_filename(command.file.stem().string() + "_repaired.h5");
  }
  const RepairReport report = repair_results(command.file, out);
  const ResultsReader copy(out);
  if (const auto damaged = copy.summary().find("damaged"); damaged != copy.summary().end())
    complain("trammel: warning: these parts were damaged and are left out or doubtful in the copy:\n{}\n",
             text_of(damaged->second));
  fmt::print("{}: {} frames, {} steps\n", out.string(), report.n_frames, report.n_steps);
  return success;
}

}  // namespace trammel::apps
