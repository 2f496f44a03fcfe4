// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "commands.h"
#include "messages.h"
#include "trammel/base/text.h"
#include "trammel/io/figure.h"
#include "trammel/io/results_reader.h"

namespace trammel::apps {

namespace {

std::string axis_label(const std::string& quantity, const std::string& unit) {
  return unit.empty() ? quantity : fmt::format("{} [{}]", quantity, unit);
}

constexpr std::size_t most_curves = 200;  // more than anybody can tell apart: a slip of a wildcard

struct Curve {
  std::string label;
  Series series;         // one column
  std::size_t file = 0;  // whose it is
};

// Curves of one unit share a panel.
struct PlottedUnit {
  std::string unit;
  std::vector<Curve> curves;
};

std::vector<PlottedUnit> sort_by_unit(const std::deque<ResultsReader>& readers,
                                      const std::vector<std::string>& channels) {
  std::vector<PlottedUnit> panels;
  std::vector<Issue> issues;
  for (const std::string& channel : channels)
    for (std::size_t file = 0; file < readers.size(); ++file) {
      const ResultsReader& reader = readers[file];
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
        const std::string label = channel + component + run;
        const bool again = std::any_of(panel->curves.begin(), panel->curves.end(),
                                       [&](const Curve& known) { return known.file == file && known.label == label; });
        if (!again) panel->curves.push_back({label, std::move(one), file});
      }
    }
  if (!issues.empty()) throw InputError(std::move(issues));
  return panels;
}

/// Every channel that is meant, each once, in the order of the words; those of all files.
std::vector<std::string> spell_out(const std::deque<ResultsReader>& readers, const std::vector<std::string>& words) {
  std::vector<std::string> channels;
  const auto add = [&](const std::string& channel) {
    if (std::find(channels.begin(), channels.end(), channel) == channels.end()) channels.push_back(channel);
  };
  for (const std::string& word : words) {
    if (!is_pattern(word)) {
      add(word);
      continue;
    }
    const std::size_t before = channels.size();
    for (const ResultsReader& reader : readers)
      for (const std::string& channel : reader.channels())
        if (matches_pattern(channel, word)) add(channel);
    if (channels.size() == before)
      throw InputError(fmt::format("no channel matches '{}'; `trammel info --channels` lists those of a file", word));
  }
  if (channels.size() > most_curves)
    throw InputError(
        fmt::format("{} channels are meant, more than the {} that a picture can show", channels.size(), most_curves));
  return channels;
}

/// The channel that takes the place of time, in each file.
std::vector<Series> read_abscissas(const std::deque<ResultsReader>& readers, const std::string& over) {
  std::vector<Series> read;
  for (const ResultsReader& reader : readers) {
    read.push_back(over.empty() ? Series{} : reader.read(over));
    if (!over.empty() && read.back().values.cols() != 1)
      throw InputError(fmt::format("--over '{}' has {} components; name one of them, such as {}.{}", over,
                                   read.back().values.cols(), over, read.back().components.front()));
  }
  return read;
}

void draw(Panel& panel, const Curve& curve, const Series& over, bool single) {
  const Eigen::VectorXd y = curve.series.values.col(0);
  std::vector<double> x = curve.series.time;
  if (over.values.size() > 0) {
    const Eigen::VectorXd values = over.values.col(0);
    if (over.time != curve.series.time)
      throw InputError(fmt::format("'{}' is not recorded at the times of '{}'", curve.label, over.name));
    x.assign(values.data(), values.data() + values.size());
  }
  panel.line(x, {y.data(), static_cast<std::size_t>(y.size())}, {.label = single ? "" : curve.label});
}

}  // namespace

int plot(const PlotCommand& command) {
  if (command.channels.empty())
    throw InputError("no channel is named; `trammel info --channels` lists those of a file");
  const std::filesystem::path out = command.out.empty() ? command.files.front().stem().concat(".svg") : command.out;
  require_picture(out);
  std::deque<ResultsReader> readers;
  for (const std::filesystem::path& file : command.files) {
    require_file(file);
    readers.emplace_back(file);
    if (readers.back().n_frames() == 0)
      throw InputError(fmt::format("'{}' has no frames: there is nothing to plot", file.string()));
  }
  const std::vector<PlottedUnit> panels = sort_by_unit(readers, spell_out(readers, command.channels));
  const std::vector<Series> over = read_abscissas(readers, command.over);
  Figure figure(command.title);
  figure.columns(1).panel_size(command.width, command.height);
  for (const PlottedUnit& plotted : panels) {
    Panel& panel = figure.panel();
    const bool single = plotted.curves.size() == 1;
    panel.x_label(command.over.empty() ? "time [s]" : axis_label(command.over, over.front().unit));
    panel.y_label(axis_label(single ? plotted.curves[0].label : "", plotted.unit));
    if (command.log) panel.log_y();
    for (const Curve& curve : plotted.curves) draw(panel, curve, over[curve.file], single);
  }
  figure.save(out);
  fmt::print("{}\n", out.string());
  return success;
}

}  // namespace trammel::apps
