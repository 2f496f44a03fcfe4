// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "trammel/io/model_reader.h"
#include "yen1996.h"

namespace trammel::papers::yen1996 {

namespace {

struct Curve {
  std::vector<double> t, h;
  Run run;
};

/// A run with every step recorded; `h`: the step that ends at t.
Curve follow(const Place& place, const char* model, const Settings& settings) {
  Curve curve;
  std::vector<double>& h = curve.h;
  curve.run =
      run(read_study(place.models / model, settings), [&](const StepValues& values) { h.push_back(values("h")[0]); });
  curve.t = curve.run.record.times();
  return curve;
}

std::vector<double> column(const Run& run, const std::string& channel, int component = 0) {
  const Eigen::VectorXd values = run.record.read(channel).values.col(component);
  return {values.begin(), values.end()};
}

const char* const drawn[] = {"GGL", "GGL*", "CS", "CM", "CM_frozen_step"};

void draw_energies(const Place& place) {
  Figure figure51("Total energy, linear oscillation, ε = 1e-6, TOL = 1e-3 (figure 5.1)");
  Panel& linear = figure51.panel().x_label("time [s]").y_label("energy [J]");
  for (const std::string method : drawn) {
    const Method m = make_method(method, Tests::table51, 1e-3, "independent_positions");
    const Curve curve = follow(place, mass, epsilon(1e-6) + tolerance(1e-3) + m.settings);
    linear.line(curve.t, column(curve.run, "energy_of_motion"), {.label = method, .marker = Marker::circle});
  }
  figure51.panel_size(720, 420).save(place.folder / "figure51.svg");

  Figure figure53("Energy above that of rest, stiff spring, ε = 1e-4, TOL = 1e-4 (figure 5.3)");
  Figure figure54("Stiff spring, ε = 1e-4, TOL = 1e-4 (figure 5.4)");
  Panel& energies = figure53.panel().x_label("time [s]").y_label("energy [J]").log_y();
  Panel& x = figure54.columns(3).panel().x_label("time [s]").y_label("x [m]");
  Panel& w = figure54.panel().x_label("time [s]").y_label("velocity along x [m/s]");
  Panel& lambda = figure54.panel().x_label("time [s]").y_label("λ [N/m]");
  const double rest = 0.5 * 1e8 * 0.01 - 1.0;
  for (const std::string method : drawn) {
    const Method m = make_method(method, Tests::table52, 1e-4, "independent_positions");
    const Curve curve = follow(place, spring, epsilon(1e-4) + tolerance(1e-4) + m.settings);
    std::vector<double> energy = column(curve.run, "energy.kinetic"), potential = column(curve.run, "energy.potential");
    for (std::size_t i = 0; i < energy.size(); ++i) energy[i] += potential[i] - rest;
    energies.line(curve.t, energy, {.label = method});
    x.line(curve.t, column(curve.run, "mass.position"), {.label = method});
    w.line(curve.t, column(curve.run, "mass.velocity"), {.label = method});
    // The rod's force on the mass is −λ (x, y) for the paper's row: λ = −f·q.
    const Eigen::MatrixXd f = curve.run.record.read("circle.reaction_force").values,
                          q = curve.run.record.read("mass.position").values;
    std::vector<double> multiplier;
    for (Eigen::Index i = 0; i < f.rows(); ++i) multiplier.push_back(-f.row(i).dot(q.row(i)));
    lambda.line(curve.t, multiplier, {.label = method});
  }
  figure53.panel_size(720, 420).save(place.folder / "figure53.svg");
  figure54.save(place.folder / "figure54.svg");
}

void draw_steps(const Place& place) {
  Figure figure("Step sizes, bushing, ε = 1e-5, TOL = 1e-4 (figure 5.6)");
  for (const bool forced : {true, false}) {
    Panel& panel = figure.panel()
                       .title(forced ? "second.x forced, error test on it" : "pivoted, error test on Xᵀq")
                       .x_label("time [s]")
                       .y_label("h [s]")
                       .log_y();
    for (const std::string method : drawn) {
      const Method m = make_method(method, Tests::table53, 1e-4, "independent_positions");
      Settings settings = epsilon(1e-5) + tolerance(1e-4) + m.settings;
      if (forced && method == "GGL") continue;
      if (forced) settings.push_back("solver.independent=[\"second.x\"]");
      const Curve curve = follow(place, bushing, settings);
      panel.line(std::span(curve.t).subspan(1), curve.h, {.label = method});
    }
  }
  figure.save(place.folder / "figure56.svg");
}

}  // namespace

void draw_figures(const Place& place) {
  draw_energies(place);
  draw_steps(place);
}

}  // namespace trammel::papers::yen1996
