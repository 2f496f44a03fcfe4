// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "trammel/simulation/record.h"

/// A small invented run whose every number is known from its row, used by the tests of results.
namespace trammel::sample {

inline RecordSchema schema(int n_bodies = 3) {
  RecordSchema schema;
  RecordGroup position{"/frames/position", {}, {"x", "y", "z"}, "m", "origin of the body", "/bodies/{name}/position"};
  for (int i = 0; i < n_bodies; ++i) position.names.push_back("body" + std::to_string(i));
  if (n_bodies >= 3) position.names[1] = "arm/left";
  RecordGroup orientation = position;
  orientation.path = "/frames/orientation";
  orientation.components = {"w", "x", "y", "z"};
  orientation.unit = "";
  orientation.view = "/bodies/{name}/orientation";
  RecordGroup velocity = position;
  velocity.path = "/frames/velocity";
  velocity.unit = "m/s";
  velocity.view = "/bodies/{name}/velocity";
  schema.frames = {position, orientation, velocity};
  schema.frames.push_back({"/frames/energy", {"kinetic", "total"}, {}, "J", "energy ledger", "/energy/{name}"});
  schema.frames.push_back(
      {"/frames/measure", {"gap", "Öffnung"}, {}, "", "measures", "/measures/{name}", {"m", "rad"}});
  schema.frames.push_back({"/frames/reaction", {}, {"x", "y", "z"}, "N", "no joints here", "/joints/{name}/force"});
  schema.solver = {RecordGroup::scalar("/solver/h", "s", "step size"),
                   RecordGroup::scalar("/solver/iterations", "", "Newton iterations")};
  schema.attributes = {{"title", "A sample"}, {"model", std::string(100000, 'm')}, {"settings", "h = 1e-3"}};
  return schema;
}

inline double time(int row) { return 0.125 * row; }

/// Number i of row `row`: exact in binary and different everywhere.
inline double value(int row, int i) { return row + i / 1048576.0; }

inline std::vector<double> values(int row, int width) {
  std::vector<double> numbers(static_cast<std::size_t>(width));
  for (int i = 0; i < width; ++i) numbers[static_cast<std::size_t>(i)] = value(row, i);
  return numbers;
}

inline void write_rows(RecordSink& sink, const RecordSchema& schema, int n_frames, int n_steps) {
  for (int row = 0; row < n_frames; ++row) sink.frame(time(row), values(row, schema.frame_width()));
  for (int row = 0; row < n_steps; ++row) sink.step(time(row), values(row, schema.step_width()));
}

/// A folder of its own for each test, removed at its end.
class Folder {
 public:
  Folder() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::temp_directory_path() /
            ("trammel_" + std::to_string(getpid()) + "_" + test->test_suite_name() + "_" + test->name());
    std::filesystem::remove_all(path_);  // of a test that was killed and had the same number
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Runs a Python script (Debian's python3, which has h5py); its output when it succeeded, else "FAILED: …".
inline std::string python(const Folder& folder, const std::string& script) {
  const std::filesystem::path file = folder / "script.py", output = folder / "output.txt";
  std::ofstream(file) << script;
  const std::string command = "/usr/bin/python3 " + file.string() + " >" + output.string() + " 2>&1";
  const int status = std::system(command.c_str());
  return (status == 0 ? "" : "FAILED: ") + read_text(output);
}

template <class Raise>
std::string message_of(const Raise& raise) {
  try {
    raise();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace trammel::sample
