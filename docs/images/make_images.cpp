// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include "trammel/io/figure.h"
#include "trammel/io/model_reader.h"
#include "trammel/simulation/simulation.h"

// Draws the pictures of the documentation from real runs: `./dev images`.

namespace {

using namespace trammel;

std::vector<double> column(const MemoryRecord& run, const std::string& channel) {
  const Series series = run.read(channel);
  return {series.values.data(), series.values.data() + series.values.rows()};
}

std::vector<double> length(const MemoryRecord& run, const std::string& channel) {
  const Series series = run.read(channel);
  std::vector<double> norms;
  for (Eigen::Index row = 0; row < series.values.rows(); ++row) norms.push_back(series.values.row(row).norm());
  return norms;
}

/// The linkage at instants of the last turn, and what its motion needs.
void draw_slider_crank(const std::filesystem::path& model, const std::filesystem::path& image) {
  const Study study = read_study(model);
  MemoryRecord run;
  Simulation simulation(study);
  const Summary summary = simulation.run(run);
  if (!summary.completed) throw SimulationError(summary.failure);

  Figure figure("Slider crank, started smoothly to two turns per second");
  Panel& linkage = figure.panel().title("positions during the last turn").x_label("x [m]").y_label("z [m]");
  linkage.equal_scale().x_range(-0.2, 0.7);
  const std::vector<double> x = column(run, "crank.position.x"), z = column(run, "crank.position.z");
  const std::vector<double> slider = column(run, "slider.position.x");
  const std::vector<double> rod_x = column(run, "rod.position.x"), rod_z = column(run, "rod.position.z");
  const double turn = 0.5, instants = 12.0;  // [s]
  const std::vector<double>& t = run.times();
  double next = t.back() - turn;
  std::vector<double> path_x, path_z;
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (t[i] < t.back() - turn - 1e-9) continue;
    path_x.push_back(rod_x[i]);
    path_z.push_back(rod_z[i]);
    if (t[i] < next - 1e-9) continue;
    next += turn / instants;
    // The crank's centre is halfway to its pin; the wrist pin is the slider's centre.
    linkage.line(std::vector{0.0, 2.0 * x[i]}, std::vector{0.0, 2.0 * z[i]}, {.color = "#0072b2", .width = 1.4});
    linkage.line(std::vector{2.0 * x[i], slider[i]}, std::vector{2.0 * z[i], 0.0}, {.color = "#999999", .width = 1.0});
    linkage.scatter(std::vector{slider[i]}, std::vector{0.0},
                    {.color = "#d55e00", .marker = Marker::square, .marker_size = 7.0});
  }
  linkage.line(path_x, path_z, {.label = "centre of the rod", .color = "#009e73", .width = 2.0});

  figure.panel().title("motion").x_label("time [s]").y_label("slider, x [m]").line(t, slider);
  figure.panel().title("drive").x_label("time [s]").y_label("torque [N m]").line(t, column(run, "drive.effort"));
  figure.panel()
      .title("reactions")
      .x_label("time [s]")
      .y_label("force [N]")
      .line(t, length(run, "bearing.reaction_force"), {.label = "bearing"})
      .line(t, length(run, "guide.reaction_force"), {.label = "guide"});
  figure.save(image);
  fmt::print("{}\n", image.string());
}

}  // namespace

int main() {
  const std::filesystem::path root = TRAMMEL_SOURCE_DIR;
  draw_slider_crank(root / "examples/03_slider_crank/slider_crank.toml", root / "docs/images/slider_crank.svg");
}
