// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <fstream>

#include "paper.h"
#include "trammel/base/error.h"
#include "trammel/base/text.h"

namespace trammel::papers {

namespace {

/// Keeps frames, shows steps: a hundred thousand steps need no memory.
class StepViewer final : public RecordSink {
 public:
  StepViewer(MemoryRecord& frames, const std::function<void(const StepValues&)>& on_step)
      : frames_(frames), on_step_(on_step) {}
  void begin(const RecordSchema& schema) override {
    groups_ = schema.solver;
    frames_.begin(schema);
  }
  void frame(double t, std::span<const double> values) override { frames_.frame(t, values); }
  void step(double, std::span<const double> values) override {
    if (!on_step_) return;
    on_step_([&](const std::string& quantity) {
      std::size_t at = 0;
      for (const RecordGroup& group : groups_) {
        const std::size_t width = static_cast<std::size_t>(group.width());
        if (group.quantity() == quantity) return values.subspan(at, width);
        at += width;
      }
      throw Error(fmt::format("a step does not record '{}'", quantity));
    });
  }
  void end(const SummaryEntries& summary) override { frames_.end(summary); }

 private:
  MemoryRecord& frames_;
  const std::function<void(const StepValues&)>& on_step_;
  std::vector<RecordGroup> groups_;
};

}  // namespace

Eigen::VectorXd Run::last(const std::string& channel) const {
  const Eigen::MatrixXd all = record.read(channel).values;
  return all.row(all.rows() - 1).transpose();
}

Summary run_to_failure(const Study& study, const std::function<void(const StepValues&)>& on_step) {
  MemoryRecord record;
  StepViewer viewer(record, on_step);
  return Simulation(study).run(viewer);
}

Run run(const Study& study, const std::function<void(const StepValues&)>& on_step) {
  Run result;
  StepViewer viewer(result.record, on_step);
  Simulation simulation(study);
  result.summary = simulation.run(viewer);
  // Alarms judge the numbers at the end of a run; what is recorded of iterations that need not converge is whole.
  const bool reached = !result.summary.alarms.empty() && result.summary.t >= *simulation.settings().analysis.end;
  if (!result.summary.completed && !reached) throw SimulationError(result.summary.failure);
  return result;
}

CsvFile::CsvFile(std::filesystem::path path, std::vector<std::string> columns)
    : path_(std::move(path)), width_(columns.size()) {
  row(std::move(columns));
}

void CsvFile::row(std::vector<std::string> cells) {
  if (cells.size() != width_) throw Error(fmt::format("{}: {} cells, not {}", path_.string(), cells.size(), width_));
  for (std::string& text : cells)  // names may hold commas
    if (text.find(',') != std::string::npos) text = "\"" + text + "\"";
  text_ += fmt::format("{}\n", fmt::join(cells, ","));
}

void CsvFile::save() const { save_text(path_, text_); }

std::string cell(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

double slope(std::span<const double> h, std::span<const double> y) {
  const double n = static_cast<double>(h.size());
  double mean_x = 0.0, mean_y = 0.0, xy = 0.0, xx = 0.0;
  for (std::size_t i = 0; i < h.size(); ++i) mean_x += std::log(h[i]) / n, mean_y += std::log(y[i]) / n;
  for (std::size_t i = 0; i < h.size(); ++i) {
    const double x = std::log(h[i]) - mean_x;
    xy += x * (std::log(y[i]) - mean_y);
    xx += x * x;
  }
  return xy / xx;
}

void save_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw IoError(fmt::format("cannot write {}", path.string()));
}

}  // namespace trammel::papers
