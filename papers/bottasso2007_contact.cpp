// SPDX-License-Identifier: Apache-2.0
#include "bottasso2007_contact.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "trammel/io/model_reader.h"

// [bottasso2007] section 5: a cam with an impactor hits a flexible beam. Steps shrink from 10 ms to microseconds at the
// instant of contact; a scaling that does not follow the step (m_ave = 0) leaves the matrix as ill conditioned as the
// step makes it.

namespace trammel::papers {

namespace {

constexpr double newton_tol = 1e-13;   // of all scaled unknowns, generalized-α: some hundred rounding units
constexpr double k_ave = 1e3;          // [N/m]
constexpr double after_contact = 0.6;  // [s] the last impact is before

struct Row {
  double t, h, s, normal, friction, lift;
};

struct CaseRun {
  CamCase settings;
  Summary summary;
  std::vector<Row> rows;
  double h_min = 0.0, s_max = 0.0;
  /// Where the nodes were at some instants, from the recorded frames.
  struct Configuration {
    double t;
    std::vector<double> beam_x, beam_y, cam_x, cam_y;
  };
  std::vector<Configuration> configurations;
};

// Swing, first impact, thrown up, last impact, free.
constexpr double shown_instants[] = {0.0, 0.25, 0.4, 0.494, 0.53, 0.6, 0.9};

/// Keeps of every step what the figures show: its size, the recorded s of its matrix, and the frame at its end.
class Keeper final : public RecordSink {
 public:
  explicit Keeper(CaseRun& run) : run_(run) {}
  void begin(const RecordSchema& schema) override {
    normal_ = column(schema, "/frames/normal_force"), friction_ = column(schema, "/frames/friction_force");
    h_ = column(schema, "/solver/h"), s_ = column(schema, "/solver/scaling_s");
    const TablePlace measures = schema.find_table("/frames/measure");
    const std::vector<std::string>& names = schema.frames[static_cast<std::size_t>(measures.group)].names;
    lift_ = static_cast<std::size_t>(measures.column + (std::find(names.begin(), names.end(), "lift") - names.begin()));
    const TablePlace places = schema.find_table("/frames/position");
    first_place_ = static_cast<std::size_t>(places.column);
    bodies_ = schema.frames[static_cast<std::size_t>(places.group)].names;
  }
  void frame(double, std::span<const double> values) override { values_.assign(values.begin(), values.end()); }
  void step(double t, std::span<const double> values) override {
    const double h = values[h_];
    // s of [bottasso2007 (28)] is k_ave + m_ave/h², the program's m_ave + k_ave h².
    run_.rows.push_back({t, h, values[s_] / (h * h), values_[normal_], values_[friction_], values_[lift_]});
    const std::size_t next = run_.configurations.size();
    if (next < std::size(shown_instants) && t >= shown_instants[next]) keep_configuration(t);
  }
  void end(const SummaryEntries&) override {}

 private:
  // The beam from its clamp to its tip, the cam from its pivot to the impactor.
  void keep_configuration(double t) {
    CaseRun::Configuration c{t, {}, {}, {}, {}};
    const auto add = [&](const std::string& prefix, std::vector<double>& x, std::vector<double>& y) {
      for (std::size_t i = 0; i < bodies_.size(); ++i)
        if (bodies_[i].starts_with(prefix))
          x.push_back(values_[first_place_ + 3 * i]), y.push_back(values_[first_place_ + 3 * i + 1]);
    };
    for (const char* part : {"inner_", "target", "outer_", "tip"}) add(part, c.beam_x, c.beam_y);
    for (const char* part : {"cam_", "impactor"}) add(part, c.cam_x, c.cam_y);
    run_.configurations.push_back(std::move(c));
  }
  static std::size_t column(const RecordSchema& schema, const std::string& path) {
    return static_cast<std::size_t>(schema.find_table(path).column);
  }

  CaseRun& run_;
  std::size_t normal_ = 0, friction_ = 0, lift_ = 0, h_ = 0, s_ = 0, first_place_ = 0;
  std::vector<std::string> bodies_;
  std::vector<double> values_;
};

}  // namespace

Settings cam_settings(const CamCase& c) {
  Settings settings{"solver.integrator=" + c.integrator,
                    "solver.linear_solver=" + c.linear_solver,
                    fmt::format("solver.scaling.m_ave={}", c.m_ave),
                    fmt::format("solver.scaling.k_ave={}", k_ave),
                    "solver.hmax=",  // what belongs to steps stands in the phases
                    "solver.rtol=",
                    "solver.atol=",
                    "output.interval=",
                    "output.every_step=true"};
  if (c.integrator ==
      "bdf")  // two fields; multipliers follow every impact; Newton's tests of one-step methods do not belong to it
    for (const char* key : {"solver.formulation=index3", "solver.fields=two", "solver.corrector=modified",
                            "solver.newton_test=", "solver.newton_tol="})
      settings.push_back(key);
  else
    settings.push_back(fmt::format("solver.newton_tol={}", newton_tol));
  return settings;
}

Settings even_phase(const CamCase& c) {
  Settings settings{fmt::format("phase.even.until={}", cam_fixed_until), "phase.even.solver.h=0.01"};
  // Newton's tolerance of bdf is a part of that of the error, with a fixed step as well.
  if (c.integrator == "bdf")
    for (const char* key : {"phase.even.solver.rtol=0", "phase.even.solver.atol=1e-6"}) settings.push_back(key);
  return settings;
}

Settings controlled_phase() {
  return {"phase.controlled.solver.hmax=0.01", "phase.controlled.solver.rtol=0", "phase.controlled.solver.atol=1e-6"};
}

Settings operator+(Settings a, const Settings& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

namespace {

CaseRun run_case(const Place& place, const CamCase& c) {
  CaseRun result;
  result.settings = c;
  Keeper keeper(result);
  Settings settings = cam_settings(c) + even_phase(c) + controlled_phase();
  if (place.quick) settings.push_back(fmt::format("analysis.end={}", cam_first_touch + 2e-4));
  result.summary = Simulation(read_study(cam_model(place), settings)).run(keeper);
  result.h_min = std::numeric_limits<double>::infinity();
  for (const Row& row : result.rows) {
    result.h_min = std::min(result.h_min, row.h);
    result.s_max = std::max(result.s_max, row.s);
  }
  return result;
}

void write_tables(const Place& place, const std::vector<CaseRun>& runs) {
  CsvFile steps(place.folder / "contact.csv", {"m_ave", "t", "h", "s", "normal_force", "friction_force"});
  CsvFile summary(place.folder / "contact_summary.csv", {"m_ave", "integrator", "linear_solver", "completed", "t_fail",
                                                         "steps", "rejected", "h_min", "s_max"});
  for (const CaseRun& run : runs) {
    const CamCase& c = run.settings;
    if (c.integrator == "generalized_alpha" && c.linear_solver == "skyline_ldlt")
      for (const Row& r : run.rows)
        steps.row({cell(c.m_ave), cell(r.t), cell(r.h), cell(r.s), cell(r.normal), cell(r.friction)});
    const Summary& s = run.summary;
    summary.row({cell(c.m_ave), c.integrator, c.linear_solver, s.completed ? "true" : "false",
                 s.completed ? "" : cell(s.t), std::to_string(run.rows.size()),
                 std::to_string(s.rejected_error + s.rejected_newton), cell(run.h_min), cell(run.s_max)});
  }
  steps.save();
  summary.save();
}

void draw_history(const Place& place, int number, const std::string& title, const std::string& label,
                  const std::vector<const CaseRun*>& runs, double Row::*quantity) {
  Figure figure(fmt::format("Figure {}: {}", number, title));
  Panel& panel = figure.panel().x_label("time [s]").y_label(label).log_y();
  for (const CaseRun* run : runs) {
    std::vector<double> t, y;
    for (const Row& r : run->rows) t.push_back(r.t), y.push_back(r.*quantity);
    const bool fixed = run->settings.m_ave == 0.0;
    panel.line(t, y,
               {.label = fmt::format("m_ave = {}", run->settings.m_ave),
                .dash = fixed ? Dash::dashed : Dash::solid,
                .width = fixed ? 2.5 : 0.8});
  }
  figure.save(place.folder / fmt::format("figure{}.svg", number));
}

/// The configuration at some instants, the motion of the struck point and the forces on it.
void draw_figure_9(const Place& place, const CaseRun& run) {
  Figure figure("Figure 9: the beam is struck, and swings");
  figure.columns(1).panel_size(640, 240);
  Panel& machine = figure.panel().x_label("x [m]").y_label("y [m]");
  const char* colors[] = {"#000000", "#e69f00", "#56b4e9", "#d55e00", "#009e73", "#cc79a7", "#0072b2"};
  static_assert(std::size(colors) == std::size(shown_instants));
  for (std::size_t i = 0; i < run.configurations.size(); ++i) {  // beam and cam of an instant in one colour
    const CaseRun::Configuration& c = run.configurations[i];
    machine.line(c.beam_x, c.beam_y, {.label = fmt::format("t = {:.3f} s", c.t), .color = colors[i], .width = 0.8});
    machine.line(c.cam_x, c.cam_y, {.color = colors[i], .dash = Dash::dashed, .width = 0.8});
  }
  std::vector<double> t, lift, normal, friction;
  for (const Row& r : run.rows)
    t.push_back(r.t), lift.push_back(1e3 * r.lift), normal.push_back(1e-3 * r.normal),
        friction.push_back(1e-3 * r.friction);
  figure.panel().x_label("time [s]").y_label("lift of the middle [mm]").line(t, lift);
  figure.panel()
      .x_label("time [s]")
      .y_label("force [kN]")
      .line(t, normal, {.label = "normal", .width = 0.8})
      .line(t, friction, {.label = "friction", .width = 0.8});
  figure.save(place.folder / "figure9.svg");
}

std::string describe(const std::vector<CaseRun>& runs) {
  std::string text = R"(
## Contact (section 5)

The cam of `examples/13_cam/cam.toml`: one run in two phases, h = 10 ms to 0.4 s, then error-controlled with
atol = 1e-6, rtol = 0 (the paper: a local error of 1e-7); s = k_ave + m_ave/h², k_ave = 1e3, from the recorded `solver.scaling_s`. `contact.csv` has every accepted step of generalized-α with `skyline_ldlt`.

| m_ave | integrator | linear solver | completed | steps | rejected | smallest h | largest s | s after 0.6 s |
|---|---|---|---|---|---|---|---|---|
)";
  for (const CaseRun& run : runs) {
    double low = std::numeric_limits<double>::infinity(), high = 0.0;
    for (const Row& r : run.rows)  // the last step is what was left to the end
      if (r.t > after_contact && &r != &run.rows.back()) low = std::min(low, r.s), high = std::max(high, r.s);
    const Summary& s = run.summary;
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {:.2g} | {:.2g} | {} |\n", run.settings.m_ave,
                        run.settings.integrator, run.settings.linear_solver,
                        s.completed ? std::string("yes") : fmt::format("failed at {:.6f} s", s.t), run.rows.size(),
                        s.rejected_error + s.rejected_newton, run.h_min, run.s_max,
                        high > 0.0 ? fmt::format("{:.1e} … {:.1e}", low, high) : std::string("–"));
  }
  text += R"(
The paper: with m_ave = 1 convergence at every step and s of the order of 1e13 at the instant of contact, 1e8 … 1e11 afterwards; with
m_ave = 0 the iteration fails as soon as steps become small.

* Generalized-α waits for every scaled unknown, |δx̂| ≤ 1e-13 (1 + |x̂|). With m_ave = 1 corrections of λ̂ end at rounding whatever the
  step. With m_ave = 0 they do not, and the iteration fails at the first small steps; the last section below says why, and from which
  tolerance on.
* BDF's corrector is `modified` with contacts: multipliers are in no test, and their noise stops nobody. Its motion is the same.
* s is largest where contact begins or ends. Generalized-α steps to just before such an instant and reaches it by Taylor's series, so
  that it takes no slivers; BDF begins anew with short steps and doubles.
* After the last impact the undamped axial vibration of cam and beam keeps steps at microseconds: 3e-6 s at order 2; BDF reaches 1e-5 s at
  orders 4 and 5 until their stability limit sends it back to order 2.
)";
  for (int number = 9; number <= 11; ++number) text += fmt::format("\n![Figure {0}](figure{0}.svg)\n", number);
  return text;
}

}  // namespace

std::string write_contact(const Place& place) {
  std::vector<CaseRun> runs;
  for (const double m_ave : {1.0, 0.0})
    for (const char* integrator : {"generalized_alpha", "bdf"})
      for (const char* solver : {"skyline_ldlt", "sparse_lu"}) {
        if (place.quick && std::string(solver) == "sparse_lu") continue;
        runs.push_back(run_case(place, {m_ave, integrator, solver}));
      }
  write_tables(place, runs);
  const auto shown = [&](double m_ave) -> const CaseRun& {
    return *std::find_if(runs.begin(), runs.end(), [&](const CaseRun& r) {
      return r.settings.m_ave == m_ave && r.settings.integrator == "generalized_alpha";
    });
  };
  draw_figure_9(place, shown(1.0));
  draw_history(place, 10, "time step size", "h [s]", {&shown(0.0), &shown(1.0)}, &Row::h);
  draw_history(place, 11, "scaling factor", "s", {&shown(0.0), &shown(1.0)}, &Row::s);
  return describe(runs) + write_contact_conditioning(place);
}

}  // namespace trammel::papers
