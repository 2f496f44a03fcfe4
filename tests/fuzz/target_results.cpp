// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "answer.h"
#include "mutate.h"
#include "scratch.h"
#include "trammel/io/library_exit.h"
#include "trammel/io/results_file.h"
#include "trammel/io/results_reader.h"

// Results files: opened, listed, read and verified.

namespace trammel::fuzz {

namespace {

constexpr std::size_t most_channels = 40;

std::string read_all(const std::filesystem::path& path) {
  std::string said;
  for (const DamagedPart& part : verify_results(path)) said += part.part + ": " + part.trouble + "\n";
  const ResultsReader reader(path);
  said += describe(reader.state());
  for (const DamagedPart& part : reader.damaged()) said += part.part + ": " + part.trouble + "\n";
  std::vector<std::string> channels = reader.channels();
  if (channels.size() > most_channels) channels.resize(most_channels);
  for (const std::string& channel : channels) {
    try {
      static_cast<void>(reader.read(channel));
    } catch (const Error& error) {
      said += std::string(error.what()) + "\n";
    }
  }
  return said;
}

// Each input has a file of its own: HDF5 knows files again by their inode, and may keep one that it could not close.
std::string run_results(std::string_view bytes) {
  static long count = 0;
  const std::filesystem::path path = write_scratch("results_" + std::to_string(++count) + ".h5", bytes);
  const std::string answered = answer(bytes, [&] { return read_all(path); });
  unlink(path.c_str());
  return answered;
}

std::string write_run(bool closed, int n_rows) {
  RecordSchema schema;
  schema.frames = {{"/frames/position", {"rod", "bob"}, {"x", "y", "z"}, "m", "origin", "/bodies/{name}/position"},
                   {"/frames/energy", {"total"}, {}, "J", "energies", "/energy/{name}"},
                   {"/frames/measure", {"gap", "turn"}, {}, "", "measures", "/measures/{name}", {"m", "rad"}}};
  schema.solver = {RecordGroup::scalar("/solver/h", "s", "step size")};
  schema.attributes = {{"title", "A sample"}, {"model", "[[body]]\nname = \"rod\"\n"}, {"settings", "h = 1e-3"}};
  const std::filesystem::path path = scratch() / "seed.h5";
  {
    ResultsFile file(path);
    file.begin(schema);
    const std::vector<double> frame(static_cast<std::size_t>(schema.frame_width()), 0.25);
    const std::vector<double> step(static_cast<std::size_t>(schema.step_width()), 0.5);
    for (int row = 0; row < n_rows; ++row) {
      file.frame(0.5 * row, frame);
      file.step(0.5 * row, step);
    }
    if (closed) file.end({{"stop", "end time reached"}});
    if (!closed) {
      file.flush();
      return read_bytes(path);  // as a killed run leaves it
    }
  }
  return read_bytes(path);
}

std::vector<std::string> results_seeds() { return {write_run(true, 3), write_run(false, 3)}; }

}  // namespace

Target results_target() {
  skip_library_exit();  // before anything of HDF5 is called
  return {"results", "a results file, HDF5", std::size_t{1} << 20, 1000, run_results, results_seeds, mutate_bytes};
}

}  // namespace trammel::fuzz
