// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bottasso2007_contact.h"
#include "trammel/base/error.h"
#include "trammel/io/model_reader.h"

// Why a scaling that does not follow the step (m_ave = 0) makes Newton's iteration fail, and when: the condition number
// of the iteration matrix and the floor of the corrections against h, beside the tolerance.

namespace trammel::papers {

namespace {

// What remains of corrections: with the matrix of the step's beginning steps of 10 ms need some thirty iterations.
constexpr int iterations = 40, first_floor_iteration = 33;
constexpr int max_steps = 100;
constexpr double free_for = 4e-2, pressed_for = 4e-5;  // [s]
constexpr double pressed_after = 3e-5;                 // [s] of an impact of 1.03e-4 s

struct Tolerance {
  double value;
  const char* column;
};
constexpr Tolerance tolerances[] = {
    {1e-9, "converged_1e-9"}, {1e-11, "converged_1e-11"}, {1e-12, "converged_1e-12"}, {1e-13, "converged_1e-13"}};
constexpr std::size_t n_tolerances = std::size(tolerances);

struct Row {
  std::string state;
  double m_ave, h, s = 0.0, condition = 0.0;
  double position = 0.0, multiplier = 0.0;  // floors, scaled unknowns
  bool converged[n_tolerances] = {};
};

/// A moment of the cam's run from which steps of every size are tried: the end of its phases.
struct Moment {
  std::string name;
  Settings phases;
  double t, lasts;  // [s] from here on
  std::vector<double> h;

  int n_steps(double step) const { return std::min(max_steps, static_cast<int>(std::lround(lasts / step))); }
};

CamCase case_of(double m_ave) { return {m_ave, "generalized_alpha", "skyline_ldlt"}; }

std::vector<Moment> list_moments() {
  // The machine comes to each moment with m_ave = 1.
  const Settings before = even_phase(case_of(1.0)) + Settings{"phase.even.solver.scaling.m_ave=1"};
  const double pressed_at = cam_first_touch + pressed_after;
  const Settings touching =
      before + controlled_phase() +
      Settings{fmt::format("phase.controlled.until={}", pressed_at), "phase.controlled.solver.scaling.m_ave=1"};
  // A step longer than a part of the impact would end behind it.
  const std::vector<double> free{1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7}, pressed{1e-5, 1e-6, 1e-7, 1e-8};
  return {{"free", before, cam_fixed_until, free_for, free}, {"pressed", touching, pressed_at, pressed_for, pressed}};
}

/// n steps from a moment on, as the last phase of a run; on_step sees the steps of that phase. How it ended.
Summary take_steps(const Place& place, const Moment& moment, const Row& row, int n, const Settings& more,
                   const std::function<void(const StepValues&)>& on_step = {}) {
  Settings settings =
      cam_settings(case_of(row.m_ave)) + moment.phases +
      Settings{fmt::format("phase.tried.solver.h={}", row.h), fmt::format("analysis.end={}", moment.t + n * row.h)};
  for (const std::string& setting : more) settings.push_back("phase.tried.solver." + setting);
  const double number = moment.name == "free" ? 2.0 : 3.0;
  return run_to_failure(read_study(cam_model(place), settings), [&](const StepValues& step) {
    if (on_step && step("phase")[0] == number) on_step(step);
  });
}

Row measure(const Place& place, const Moment& moment, double m_ave, double h) {
  Row row;
  row.state = moment.name, row.m_ave = m_ave, row.h = h;
  const Summary one =
      take_steps(place, moment, row, 1, {"newton_tol=1e-9", "record_condition=true"},  // any step will do
                 [&](const StepValues& step) {
                   row.condition = step("condition")[0];
                   row.s = step("scaling_s")[0] / (h * h);  // of [bottasso2007 (28)]
                 });
  if (!one.completed) throw SimulationError(one.failure);
  take_steps(place, moment, row, moment.n_steps(h),
             {"newton_stop=none", fmt::format("max_iterations={}", iterations), "record_corrections=true"},
             [&](const StepValues& step) {
               constexpr std::size_t components = 4;
               for (std::size_t i = first_floor_iteration - 1; i < iterations; ++i) {
                 const std::span<const double> sizes = step("correction").subspan(components * i, components);
                 row.position = std::max(row.position, sizes[0]), row.multiplier = std::max(row.multiplier, sizes[2]);
               }
             });
  for (std::size_t i = 0; i < n_tolerances; ++i)
    row.converged[i] =
        take_steps(place, moment, row, moment.n_steps(h), {fmt::format("newton_tol={}", tolerances[i].value)})
            .completed;
  return row;
}

void write_table(const Place& place, const std::vector<Row>& rows) {
  std::vector<std::string> columns{"state", "m_ave", "h", "s", "condition", "floor_position", "floor_multiplier"};
  for (const Tolerance& tolerance : tolerances) columns.push_back(tolerance.column);
  CsvFile csv(place.folder / "contact_conditioning.csv", columns);
  for (const Row& r : rows) {
    std::vector<std::string> cells{r.state,           cell(r.m_ave),    cell(r.h),         cell(r.s),
                                   cell(r.condition), cell(r.position), cell(r.multiplier)};
    for (const bool converged : r.converged) cells.push_back(converged ? "true" : "false");
    csv.row(std::move(cells));
  }
  csv.save();
}

struct Curve {
  std::vector<double> h, condition, position, multiplier;
};

Curve curve(const std::vector<Row>& rows, const std::string& state, double m_ave) {
  Curve c;
  for (const Row& r : rows)
    if (r.state == state && r.m_ave == m_ave) {
      c.h.push_back(r.h), c.condition.push_back(r.condition);
      c.position.push_back(r.position), c.multiplier.push_back(r.multiplier);
    }
  return c;
}

void draw(const Place& place, const std::vector<Row>& rows) {
  Figure figure("The first impact of the cam: iteration matrix and noise against the step");
  figure.columns(2);
  Panel& matrix = figure.panel().x_label("h [s]").y_label("condition number").log_x().log_y();
  Panel& noise = figure.panel().x_label("h [s]").y_label("floor of the corrections of multipliers").log_x().log_y();
  for (const double m_ave : {1.0, 0.0})
    for (const char* state : {"free", "pressed"}) {
      const Curve c = curve(rows, state, m_ave);
      const Dash dash = m_ave == 1.0 ? Dash::solid : Dash::dashed;
      const Marker marker = state == std::string("free") ? Marker::circle : Marker::square;
      const std::string label = fmt::format("m_ave = {}, {}", m_ave, state);
      matrix.line(c.h, c.condition, {.label = label, .dash = dash, .marker = marker});
      noise.line(c.h, c.multiplier, {.label = label, .dash = dash, .marker = marker});
    }
  figure.save(place.folder / "contact_conditioning.svg");
}

std::string describe(const std::vector<Row>& rows) {
  std::string text = R"(
### Why, and when, constant scaling fails

`contact_conditioning.csv`: steps of fixed size from two moments of the run, in free motion at 0.4 s and pressed 30 µs after the first
touch-down, by generalized-α with `skyline_ldlt`: condition number of the iteration matrix, what remains of Newton's corrections
(iterations 33 to 40 without a stopping rule, the largest of up to 100 steps, scaled unknowns), and whether the same steps converge
with |δx̂| ≤ tol (1 + |x̂|) for all unknowns.

| state | m_ave | h | condition | floor of positions | floor of λ̂ | converges with tol = 1e-9 | 1e-11 | 1e-12 | 1e-13 |
|---|---|---|---|---|---|---|---|---|---|
)";
  for (const Row& r : rows) {
    text += fmt::format("| {} | {} | {:.0e} | {:.2g} | {:.1e} | {:.1e} |", r.state, r.m_ave, r.h, r.condition,
                        r.position, r.multiplier);
    for (const bool converged : r.converged) text += converged ? " yes |" : " no |";
    text += "\n";
  }
  const Curve scaled = curve(rows, "pressed", 1.0), constant = curve(rows, "pressed", 0.0);
  text += fmt::format(R"(
* Pressed, m_ave = 0: condition ∝ h^{:.2f}, floor of λ̂ ∝ h^{:.2f}; m_ave = 1: h^{:.2f} and h^{:.2f}. The condition number is that of (43), h⁻⁴.
  Noise is not ε times that, but what rounding leaves of the constraints, ε |q|, times m/h² as a force, in units of k_ave: h⁻².
* The iteration converges where the floor of λ̂ is below the tolerance and fails where it is above ten times that; in between the test decides,
  which takes a last correction for nine times the error that it leaves. So with 1e-9 to 1e-11 the run with m_ave = 0 survives
  steps of 1e-6 s, with 1e-12 it lives on steps in which rounding happens to cancel, with 1e-13 it fails at the first small step. A
  smaller step, the usual remedy, makes it worse.
* Floors of positions do not depend on h: who waits for the motion alone (`newton_test = "motion"`, BDF's `modified` corrector) does not
  notice.

![Condition and noise](contact_conditioning.svg)
)",
                      slope(constant.h, constant.condition), slope(constant.h, constant.multiplier),
                      slope(scaled.h, scaled.condition), slope(scaled.h, scaled.multiplier));
  return text;
}

}  // namespace

std::string write_contact_conditioning(const Place& place) {
  std::vector<Row> rows;
  for (const Moment& moment : list_moments())
    for (const double m_ave : {1.0, 0.0})
      for (const double h : moment.h) rows.push_back(measure(place, moment, m_ave, h));
  write_table(place, rows);
  draw(place, rows);
  return describe(rows);
}

}  // namespace trammel::papers
