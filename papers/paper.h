// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trammel/io/figure.h"
#include "trammel/simulation/simulation.h"

/// Tables and figures of the papers that the program is built from. Everything comes from model files and settings that
/// a user can run; no integrator, iteration or matrix lives here.
namespace trammel::papers {

/// Where models come from and results go to.
struct Place {
  std::filesystem::path models;  ///< the folder examples/
  std::filesystem::path folder;  ///< of one paper
  bool quick = false;            ///< few step sizes and short runs, for tests
  bool lasting = false;          ///< runs of hours as well
};

void write_arnold2004(const Place& place);
void write_bauchau2009(const Place& place);
void write_bottasso2007(const Place& place);
void write_hastiff(const Place& place);
void write_yen1996(const Place& place);

using Settings = std::vector<std::string>;

/// One run with its last frame; every step is shown to `on_step`. Throws SimulationError when the run fails.
struct Run {
  Summary summary;
  MemoryRecord record;
  Eigen::VectorXd last(const std::string& channel) const;
};
/// What one step of the solver recorded, by the last word of a path: "condition", "correction".
using StepValues = std::function<std::span<const double>(const std::string& quantity)>;
Run run(const Study& study, const std::function<void(const StepValues&)>& on_step = {});
/// The same without frames, of a run that may fail: how it ended.
Summary run_to_failure(const Study& study, const std::function<void(const StepValues&)>& on_step = {});

/// A CSV file in the making; a missing number is an empty cell.
class CsvFile {
 public:
  CsvFile(std::filesystem::path path, std::vector<std::string> columns);
  void row(std::vector<std::string> cells);
  void save() const;

 private:
  std::filesystem::path path_;
  std::size_t width_;
  std::string text_;
};
std::string cell(double value);  ///< as many digits as it takes to read back the same double; NaN: empty

/// The exponent p of y ∝ h^p by least squares in the logarithms.
double slope(std::span<const double> h, std::span<const double> y);

void save_text(const std::filesystem::path& path, const std::string& text);

}  // namespace trammel::papers
