#include <fmt/format.h>

#include "commands.h"
#include "messages.h"
#include "trammel/io/csv.h"
#include "trammel/io/results_reader.h"
#include "trammel/io/vtk.h"

namespace trammel::apps {

int export_results(const ExportCommand& command) {
  require_file(command.file);
  const ResultsReader reader(command.file);
  if (!command.csv.empty()) {
    for (const std::filesystem::path& table : export_csv(reader, command.csv)) fmt::print("{}\n", table.string());
  }
  if (!command.vtk.empty()) fmt::print("{}\n", export_vtk(reader, command.vtk).string());
  return success;
}

int repair(const RepairCommand& command) {
  require_file(command.file);
  std::filesystem::path out = command.out;
  if (out.empty()) {
    out = command.file;
    out.replace_filename(command.file.stem().string() + "_repaired.h5");
  }
  const RepairReport report = repair_results(command.file, out);
  fmt::print("{}: {} frames, {} steps\n", out.string(), report.n_frames, report.n_steps);
  return success;
}

}  // namespace trammel::apps
