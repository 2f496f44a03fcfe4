// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

#include "bauchau2009.h"
#include "trammel/dae/unpivoted_accuracy.h"
#include "trammel/io/model_reader.h"
#include "trammel/simulation/option.h"

// [bauchau2009 section 9]: the thin beam actuated by a tip crank.

namespace trammel::papers::bauchau2009 {

namespace {

const char* const model = "11_thin_beam/thin_beam.toml";
const char* const frames_only = "11_thin_beam/thin_beam_frames_only.toml";

Study make_study(const Place& place, Settings settings) { return read_study(place.models / model, settings); }

/// First inertial component of the rotation vector of a section that was drawn along the world's axes.
double first_rotation(const Eigen::Vector4d& q) {
  const double sine = q.tail<3>().norm();
  return sine == 0.0 ? 0.0 : 2.0 * std::atan2(sine, q[0]) * q[1] / sine;
}

std::string write_motion(const Place& place) {
  const Run motion = run(make_study(place, {place.quick ? "analysis.end=0.02" : "analysis.end=1.6"}));
  const Series u[] = {motion.record.read("u1"), motion.record.read("u2"), motion.record.read("u3")};
  const Eigen::MatrixXd q = motion.record.read("strip_12.orientation").values;
  CsvFile csv(place.folder / "thin_beam.csv", {"t", "u1", "u2", "u3", "rotation"});
  std::vector<double> t = u[0].time, columns[3];
  double passes_1 = NAN, passes_5 = NAN, peak = 0.0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    const Eigen::Index row = static_cast<Eigen::Index>(i);
    for (int k = 0; k < 3; ++k) columns[k].push_back(u[k].values(row, 0));
    csv.row({cell(t[i]), cell(columns[0][i]), cell(columns[1][i]), cell(columns[2][i]),
             cell(first_rotation(q.row(row).transpose()))});
    const double size = std::abs(columns[1][i]);
    if (std::isnan(passes_1) && size > 1e-3) passes_1 = t[i];
    if (std::isnan(passes_5) && size > 5e-3) passes_5 = t[i];
    peak = std::max(peak, size);
  }
  csv.save();
  Figure figure("Figure 3: displacements at mid-span");
  Panel& panel = figure.panel().x_label("time [s]").y_label("displacement [m]");
  const char* const names[] = {"u1", "u2", "u3"};
  for (int k = 0; k < 3; ++k) panel.line(t, columns[k], {.label = names[k]});
  figure.panel_size(720, 420).save(place.folder / "figure3.svg");
  return fmt::format(R"(### Figure 3: displacements at mid-span

`examples/11_thin_beam/thin_beam.toml`, elastic connector, generalized-α with ρ∞ = 0.6 and h = 0.2 ms: |u₂| passes 1 mm at {:.3f} s
and 5 mm at {:.3f} s (the paper: buckling at about 0.05 s); its peak is {:.3g} m. {} steps, {} iterations.

![Figure 3](figure3.svg)
)",
                     passes_1, passes_5, peak, motion.summary.steps, motion.summary.iterations);
}

/// One way to write the equations, and what the paper says of it.
struct Equations {
  const char *name, *paper;
  std::string scaling;
};

/// What became of a run with skyline_ldlt, and the matrix of its first step: κ_∞, and the relative error of one
/// solution without row exchanges and without refinement.
struct Attempt {
  bool completed = false;
  double t = 0.0, condition = 0.0, error = 0.0;
  long steps = 0;
  std::string cause, where;
};

// Newton waits for every unknown as it stands in the equations, to 1e-12: a test that sees what scaling does.
Attempt attempt(const Place& place, const char* file, const Equations& equations) {
  Study study = read_study(place.models / file, Settings{"solver.newton_test=all", "solver.newton_tol=1e-12",
                                                         fmt::format("solver.scaling={{{}}}", equations.scaling)});
  study.analysis.end = place.quick ? 0.004 : 0.2;
  Attempt found;
  {
    Study first = study;
    first.solver.linear_solver = LinearSolverKind::sparse_lu, first.solver.one_step.newton_test = NewtonTest::motion,
    first.solver.newton_tol = 1e-9;
    Simulation simulation(first);
    take_steps(simulation, 1);
    found.condition = calc_condition(calc_matrix(simulation), Norm::infinity);
    found.error = measure_unpivoted_accuracy(newton_operator(simulation)).relative_error;
  }
  study.solver.linear_solver = LinearSolverKind::skyline_ldlt;
  Simulation simulation(study);
  const Layout& layout = simulation.integrator().layout();
  StepReport report;
  do {
    report = simulation.integrator().advance(*study.analysis.end, simulation.state());
    if (!report.status.ok()) break;
    ++found.steps;
    found.t = simulation.integrator().newest().t;
  } while (found.t < *study.analysis.end - 1e-12);
  found.completed = report.status.ok();
  if (found.completed) return found;
  found.cause = describe(report.status.cause);
  if (report.status.cause == Cause::vanished_pivot)
    found.where = layout.describe_unknown(simulation.integrator().smallest_pivot().unknown);
  else if (report.worst_unknown >= 0)
    found.where = fmt::format("{}: correction {:.2g} and limit {:.2g}", layout.describe_unknown(report.worst_unknown),
                              std::abs(report.worst_correction), report.worst_limit);
  return found;
}

/// Which equations the factorization without row exchanges solves.
std::string write_solver(const Place& place) {
  const std::string references = "m_ave=0.675, d_ave=0, k_ave=4.5625e4";
  const Equations cases[] = {
      {"no augmented term", "fails at the first iteration", fmt::format("kind=\"physical\", {}, rho=0", references)},
      {"augmented with s = 1", "does not converge", "kind=\"none\", rho=1"},
      {"augmented and scaled", "runs", fmt::format("kind=\"physical\", {}, rho=1", references)},
  };
  const auto write = [&](const char* file, const std::string& name) {
    CsvFile csv(place.folder / name, {"case", "completed", "t", "steps", "cause", "where", "condition", "error"});
    std::string lines;
    for (const Equations& c : cases) {
      const Attempt found = attempt(place, file, c);
      csv.row({c.name, found.completed ? "1" : "0", cell(found.t), std::to_string(found.steps), found.cause,
               found.where, cell(found.condition), cell(found.error)});
      lines += fmt::format("| {} | {} | {} | {} | {:.1e} | {} |\n", c.name, c.paper,
                           found.completed ? fmt::format("runs ({} steps)", found.steps)
                                           : fmt::format("stops after {} steps: {}", found.steps, found.cause),
                           found.where, found.condition,
                           std::isnan(found.error) ? "zero pivot" : fmt::format("{:.1e}", found.error));
    }
    csv.save();
    return lines;
  };
  const Attempt only_s = attempt(place, model, {"", "", "kind=\"physical\", m_ave=1, d_ave=0, k_ave=0, rho=1"});
  const std::string head = R"(| equations | the paper | here | where | κ_∞ of the first matrix | error of one solution |
|---|---|---|---|---|---|
)";
  return fmt::format(R"(### Which equations a factorization without row exchanges solves

`skyline_ldlt`, t ≤ 0.2 s, h = 0.2 ms, `examples/11_thin_beam/thin_beam.toml`; Newton waits for every unknown to 1e-12
(`newton_test = "all"`). The error is that of a known solution of the first matrix, without refinement.

{0}{1}
* **No augmented term.** The rotations in the two revolute joints are unknowns without mass: (36) of the paper, a zero on the
  diagonal where they are eliminated. The matrix is not singular: with row exchanges its condition is that of the last row.
* **s = 1.** "No scaling was used, i.e., s = 1" is read as the equations as they stand, penalty 1. The factors exist, but
  the condition is far beyond 1/ε = 4.5e15, and multipliers are known only to what rounding leaves of forces beside
  stiffnesses of 5e9 N/m: Newton does not get below that in the first step. The motion itself does not suffer: with
  Newton's default test, which judges multipliers by what they move, this case runs as well. (Keeping h² on the rows
  and only setting s = 1 kg in (6) changes nothing, κ_∞ = {2:.1e}: the scaled case has s = 0.677 kg.)
* **Scaled.** Multipliers count as displacements h²λ/s, and the same test is passed in every step.

With frames as the only coordinates, `thin_beam_frames_only.toml`, nothing is without mass, each multiplier is eliminated
after its coordinates, and no term needs to be added:

{0}{3})",
                     head, write(model, "thin_beam_solver.csv"), only_s.condition,
                     write(frames_only, "thin_beam_solver_frames_only.csv"));
}

Settings settings_of_convergence(const std::string& integrator, double h, double end, double interval) {
  return {"solver=",  // what the file says belongs to its own integrator
          "solver.integrator=" + integrator,
          "solver.linear_solver=skyline_ldlt",
          "solver.scaling.rho=1",
          fmt::format("solver.h={}", h),
          fmt::format("analysis.end={}", end),
          fmt::format("output.interval={}", interval),
          integrator == "radau" ? "solver.formulation=index3" : "solver.newton_tol=1e-12"};
}

/// Error at mid-span up to `end` against Radau IIA with three stages at 5 µs, into convergence{suffix}.csv.
std::string write_convergence(const Place& place, double end, const std::string& suffix) {
  const double interval = place.quick ? 0.001 : 0.02;
  const auto motion = [&](const std::string& integrator, double h) {
    const Run result = run(make_study(place, settings_of_convergence(integrator, h, end, interval)));
    Eigen::MatrixXd u(result.record.read("u1").values.rows(), 3);
    u << result.record.read("u1").values, result.record.read("u2").values, result.record.read("u3").values;
    return u;
  };
  const Eigen::MatrixXd exact = motion("radau", place.quick ? 5e-5 : 5e-6);
  struct Scheme {
    const char* name;
    std::vector<double> steps;
    std::size_t fitted;  ///< the first so many, above what the start leaves
    double expected;
  };
  std::vector<Scheme> schemes{
      {"hht", {1e-3, 5e-4, 2.5e-4, 1.25e-4}, 4, 2.0},
      {"radau", {5e-3, 2.5e-3, 1e-3, 5e-4, 2.5e-4, 1e-4, 5e-5, 2.5e-5}, 2, 3.0},
      {"energy_decaying", {2e-3, 1e-3, 5e-4, 2.5e-4}, 4, 2.0},
  };
  CsvFile csv(place.folder / ("convergence" + suffix + ".csv"), {"scheme", "h", "error"});
  Figure figure(fmt::format("Figure 4: error at mid-span, t ≤ {} s", end));
  Panel& panel = figure.panel().x_label("h [s]").y_label("largest error [m]").log_x().log_y();
  std::string lines;
  std::vector<double> radau;
  for (Scheme& scheme : schemes) {
    if (place.quick) scheme.steps = {5e-4, 2.5e-4}, scheme.fitted = 2;
    std::vector<double> errors;
    for (const double h : scheme.steps) {
      errors.push_back((motion(scheme.name, h) - exact).rowwise().norm().maxCoeff());
      csv.row({scheme.name, cell(h), cell(errors.back())});
    }
    if (scheme.name == std::string_view("radau")) radau = errors;
    panel.line(scheme.steps, errors, {.label = scheme.name, .marker = Marker::circle});
    lines += fmt::format("| {} | {:.3g} … {:.3g} | {:.2f} | {} |\n", scheme.name, errors.front(), errors.back(),
                         slope(std::span(scheme.steps).first(scheme.fitted), std::span(errors).first(scheme.fitted)),
                         scheme.expected);
  }
  csv.save();
  const std::vector<double>& steps = schemes[1].steps;
  const std::string resolved =
      place.quick
          ? ""
          : fmt::format("from {:g} to {:g} s, where waves are resolved, it is {:.2f}, and below there is rounding.",
                        steps[5], steps[6], slope(std::span(steps).subspan(5, 2), std::span(radau).subspan(5, 2)));
  figure.panel_size(640, 440).save(place.folder / ("figure4" + suffix + ".svg"));
  return fmt::format(R"(### Figure 4: convergence up to {0} s

Largest error of the displacements at mid-span over t ≤ {0} s, buckling included, against Radau IIA with three stages and a step
of 5 µs. The crank starts with an acceleration, which excites axial waves of the link of about 1e-7 m: where steps do not
resolve them, errors of Radau below that fall slowly. Its slope is that of the two largest steps; {3}

| scheme | errors | slope | expected at least |
|---|---|---|---|
{1}
![Figure 4](figure4{2}.svg)
)",
                     end, lines, suffix, resolved);
}

/// Every scheme at every step from 5 ms to 10 µs, into range.csv: the large ones through the buckling, the small ones
/// for 200 steps.
std::string write_range(const Place& place) {
  CsvFile csv(place.folder / "range.csv", {"scheme", "h", "end", "completed", "steps", "rejected"});
  const std::vector<double> steps =
      place.quick ? std::vector{5e-3, 1e-5} : std::vector{5e-3, 2.5e-3, 1e-3, 5e-4, 2.5e-4, 1e-4, 5e-5, 2.5e-5, 1e-5};
  int completed = 0, all = 0;
  for (const char* scheme : {"hht", "energy_decaying", "radau"})
    for (const double h : steps) {
      const double end = place.quick ? 2.0 * h : h >= 1e-3 ? 0.2 : 200.0 * h;
      const Summary s = run_to_failure(make_study(place, settings_of_convergence(scheme, h, end, end)));
      csv.row({scheme, cell(h), cell(end), s.completed ? "true" : "false", std::to_string(s.steps),
               std::to_string(s.rejected_error + s.rejected_newton)});
      completed += s.completed, ++all;
    }
  csv.save();
  return fmt::format(R"(### Steps from 5 ms to 10 µs without row exchanges

HHT, the energy-decaying scheme and Radau with `skyline_ldlt` and ρ = 1: {} of {} runs reach their end (`range.csv`). Steps of 1 ms and more are followed for 0.2 s, through the
buckling, smaller ones for 200 steps; the range is our choice.
)",
                     completed, all);
}

}  // namespace

std::string write_thin_beam(const Place& place) {
  std::string text = "## Section 9: thin beam actuated by a tip crank\n\n" + write_motion(place) + "\n" +
                     write_solver(place) + "\n" + write_convergence(place, place.quick ? 0.004 : 0.2, "") + "\n" +
                     write_range(place);
  if (place.lasting)
    for (const double end : {0.6, 1.6}) text += "\n" + write_convergence(place, end, fmt::format("_{}s", end));
  return text;
}

}  // namespace trammel::papers::bauchau2009
