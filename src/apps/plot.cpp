#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "commands.h"
#include "messages.h"
#include "trammel/io/figure.h"
#include "trammel/io/results_reader.h"

namespace trammel::apps {

namespace {

std::string axis_label(const std::string& quantity, const std::string& unit) {
  return unit.empty() ? quantity : fmt::format("{} [{}]", quantity, unit);
}

// Curves of one unit share a panel.
struct PlottedUnit {
  std::string unit;
  std::vector<std::pair<std::string, Series>> curves;  // label and numbers, one column each
};

std::vector<PlottedUnit> sort_by_unit(const std::deque<ResultsReader>& readers,
                                      const std::vector<std::string>& channels) {
  std::vector<PlottedUnit> panels;
  std::vector<Issue> issues;
  for (const std::string& channel : channels)
    for (const ResultsReader& reader : readers) {
      Series series;
      try {
        series = reader.read(channel);
      } catch (const InputError& error) {
        issues.insert(issues.end(), error.issues().begin(), error.issues().end());
        break;
      }
      auto panel =
          std::find_if(panels.begin(), panels.end(), [&](const PlottedUnit& p) { return p.unit == series.unit; });
      if (panel == panels.end()) panel = panels.insert(panels.end(), {series.unit, {}});
      const std::string run = readers.size() > 1 ? fmt::format(" ({})", reader.path().stem().string()) : "";
      for (Eigen::Index k = 0; k < series.values.cols(); ++k) {
        Series one{series.name, {}, series.unit, series.time, series.values.col(k)};
        const bool whole = series.values.cols() > 1;
        const std::string component = whole ? "." + series.components[static_cast<std::size_t>(k)] : "";
        panel->curves.emplace_back(channel + component + run, std::move(one));
      }
    }
  if (!issues.empty()) throw InputError(std::move(issues));
  return panels;
}

}  // namespace

int plot(const PlotCommand& command) {
  require_picture(command.out);
  if (command.channels.empty())
    throw InputError("no channel is named; `trammel info --channels` lists those of a file");
  std::deque<ResultsReader> readers;
  for (const std::filesystem::path& file : command.files) {
    require_file(file);
    readers.emplace_back(file);
    if (readers.back().n_frames() == 0)
      throw InputError(fmt::format("'{}' has no frames: there is nothing to plot", file.string()));
  }
  const std::vector<PlottedUnit> panels = sort_by_unit(readers, command.channels);
  Figure figure(command.title);
  figure.columns(1).panel_size(command.width, command.height);
  for (const PlottedUnit& plotted : panels) {
    Panel& panel = figure.panel();
    const bool single = plotted.curves.size() == 1;
    panel.x_label("time [s]").y_label(axis_label(single ? plotted.curves[0].first : "", plotted.unit));
    if (command.log) panel.log_y();
    for (const auto& [label, series] : plotted.curves) {
      const Eigen::VectorXd values = series.values.col(0);
      panel.line(series.time, {values.data(), static_cast<std::size_t>(values.size())}, {.label = single ? "" : label});
    }
  }
  figure.save(command.out);
  fmt::print("{}\n", command.out.string());
  return success;
}

}  // namespace trammel::apps
