// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "commands.h"
#include "compare_axes.h"
#include "compared_run.h"
#include "messages.h"
#include "trammel/base/json.h"
#include "trammel/base/text.h"
#include "trammel/io/figure.h"
#include "trammel/io/model_reader.h"
#include "trammel/io/text_file.h"
#include "trammel/simulation/option.h"

namespace trammel::apps {

namespace {

constexpr double short_run = 0.02;       // [s]
constexpr double least_measure = 2e-3;   // [s] of what --give-up counts in
constexpr double usual_accuracy = 1e-4;  // of the extent of the motion, unless --error says otherwise
constexpr double doubtful = 3.0;         // errors within this many times that of the reference

/// Without --across: what the program would choose, and every method that it chooses from.
const std::vector<std::string> usual_axes{"integrator=generalized_alpha|radau|bdf|runge_kutta", "coordinates"};

/// Methods for the reference and for the run that it is checked by, in the order in which they are tried: different
/// formulas, different equations.
struct Tight {
  Integrator integrator;
  CoordinateSet coordinates;
  double rtol;
};
constexpr Tight references[] = {{Integrator::radau, CoordinateSet::absolute, 1e-10},
                                {Integrator::runge_kutta, CoordinateSet::joint, 1e-11},
                                {Integrator::bdf, CoordinateSet::absolute, 1e-9},
                                {Integrator::radau, CoordinateSet::absolute, 1e-8},
                                {Integrator::generalized_alpha, CoordinateSet::absolute, 1e-9}};

struct Choice {
  std::vector<std::string> values;  // of the axes; none: what the program chooses
  std::string name() const { return values.empty() ? "auto" : fmt::format("{}", fmt::join(values, " ")); }
};

std::vector<Choice> make_choices(const Axes& axes) {
  std::vector<Choice> choices(1);
  for (const auto& [name, values] : axes) {
    std::vector<Choice> next;
    for (const Choice& before : choices)
      for (const std::string& value : values) {
        next.push_back(before);
        next.back().values.push_back(value);
      }
    choices = std::move(next);
  }
  return choices;
}

std::string shortened(const std::string& text) {
  constexpr std::size_t most = 90;
  return text.size() <= most ? text : text.substr(0, most) + " …";
}

std::string shown(double x) { return std::isnan(x) ? "-" : fmt::format("{:.1e}", x); }

struct Row {
  std::string setting;
  double rtol = 0.0;
  Deviation error;
  long steps = 0, iterations = 0, linearizations = 0;
  double seconds = 0.0;
  std::string chosen;  // by the program
};

/// The runs of one setting, from loose to tight.
struct Curve {
  Choice choice;
  std::vector<Row> rows;

  /// Seconds for an error, by a line through logarithms; beyond the ends: what is cheapest within it, or nothing.
  std::optional<double> cost_of(double error) const {
    std::optional<double> cost;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double e = rows[i].error.position;
      if (e <= error && (!cost || rows[i].seconds < *cost)) cost = rows[i].seconds;
      if (i == 0) continue;
      const double before = rows[i - 1].error.position;
      if (!(before > error && e <= error && e > 0.0)) continue;
      const double part = std::log(error / before) / std::log(e / before);
      const double between = std::exp((1.0 - part) * std::log(std::max(rows[i - 1].seconds, 1e-9)) +
                                      part * std::log(std::max(rows[i].seconds, 1e-9)));
      if (between < *cost) cost = between;
    }
    return cost;
  }
};

OutputKind comparison_kind() {
  const std::string of_table = "setting,rtol,", of_object = "\x7b\"comparison\":";
  return text_kind("a comparison of Trammel", {of_table, of_object});
}

/// Runs the matrix, prints its table as it grows and keeps what the figure and the recommendation need.
class Comparison {
 public:
  explicit Comparison(const CompareCommand& command)
      : command_(command),
        axes_(chosen_axes(command.across.empty() ? usual_axes : command.across)),
        study_(read_checked_study(command.model, command.settings)),
        shows_progress_(!command.quiet && isatty(STDERR_FILENO) != 0),
        words_(command.json != nullptr ? stderr : stdout) {
    if (study_.settings().analysis.kind.value_or(AnalysisKind::dynamics) != AnalysisKind::dynamics)
      throw InputError("only dynamics can be compared: kinematics does not integrate");
    for (const double rtol : command.tolerances)
      if (!(rtol > references[0].rtol && rtol < 1.0))
        throw InputError(fmt::format("the tolerance {} must be between {} and 1", rtol, references[0].rtol));
  }

  void run() {
    make_reference();
    fmt::print(words_, "{:<30} {:>8} {:>10} {:>10} {:>10} {:>8} {:>10} {:>9} {:>9}\n", "setting", "rtol", "error [m]",
               "v [m/s]", "reaction", "steps", "iterations", "Jacobians", "time [s]");
    std::vector<Choice> choices = make_choices(axes_);
    if (command_.across.empty()) choices.insert(choices.begin(), Choice{});
    for (const Choice& choice : choices) try_choice(choice);
    for (const auto& [names, settings] : left_out_)
      fmt::print(words_, "\nleft out, as they belong to other methods: {} of {}\n", names, join_quoted(settings));
    if (!excluded_.empty()) fmt::print(words_, "\nnot possible:\n");
    for (const auto& [reason, settings] : excluded_)
      fmt::print(words_, "    {}: {}\n", join_quoted(settings), shortened(reason));
    recommend();
    if (!command_.table.empty()) write_table();
    if (!command_.out.empty()) draw();
  }

  std::string describe() const {
    JsonWriter json;
    json.begin_object().key("comparison").text(command_.model.filename().string()).key("wanted").number(target_);
    json.key("extent").number(extent_).key("reference").text(word_of(reference_by_->integrator));
    json.key("trust").begin_array().number(trust_.position).number(trust_.velocity).number(trust_.reaction).end_array();
    json.key("runs").begin_array();
    for (const Curve& curve : curves_)
      for (const Row& row : curve.rows) {
        json.begin_object().key("setting").text(row.setting).key("rtol").number(row.rtol);
        json.key("error").number(row.error.position).key("velocity_error").number(row.error.velocity);
        json.key("reaction_error").number(row.error.reaction).key("steps").number(static_cast<double>(row.steps));
        json.key("iterations").number(static_cast<double>(row.iterations));
        json.key("linearizations").number(static_cast<double>(row.linearizations)).key("time").number(row.seconds);
        json.key("chosen").text(row.chosen).end_object();
      }
    json.end_array().key("excluded").begin_array();
    for (const auto& [reason, settings] : excluded_)
      json.begin_object().key("reason").text(reason).key("settings").texts(settings).end_object();
    json.end_array().key("best");
    const auto [of, best] = find_best();
    if (best == nullptr) return json.raw("null").end_object().str();
    json.begin_object();
    if (of->choice.values.empty()) json.key("integrator").text("auto");
    for (std::size_t i = 0; i < of->choice.values.size(); ++i) json.key(axes_[i].first).text(of->choice.values[i]);
    json.key("rtol").number(best->rtol).key("error").number(best->error.position).key("time").number(best->seconds);
    return json.end_object().end_object().str();
  }

 private:
  /// The cheapest run within the wanted error; null: none.
  std::pair<const Curve*, const Row*> find_best() const {
    std::pair<const Curve*, const Row*> best{nullptr, nullptr};
    for (const Curve& curve : curves_)
      for (const Row& row : curve.rows)
        if (row.error.position <= target_ && (best.second == nullptr || row.seconds < best.second->seconds))
          best = {&curve, &row};
    return best;
  }

  /// The reference, and how far it can be trusted: the distance to a run by another method.
  void make_reference() {
    std::optional<Tight> checked_by;
    for (const Tight& tight : references) {
      if (reference_by_ && reference_by_->integrator == tight.integrator) continue;
      const std::string name =
          fmt::format("{} {} with rtol = {:.0e}", word_of(tight.integrator), word_of(tight.coordinates), tight.rtol);
      say(fmt::format("reference: {} ...", name));
      CheckedStudy study = study_;
      leave_open(study);
      SolverOptions& solver = study.settings().solver;
      solver.integrator = tight.integrator, solver.coordinates = tight.coordinates;
      ComparedRun run = run_to_compare(study, tight.rtol, 10.0 * command_.limit);
      say("");
      if (!run.complete) {
        reference_trouble_ += fmt::format("\n    {}: {}", name, run.trouble);
        continue;
      }
      if (!reference_by_) {
        reference_ = std::move(run), reference_by_ = tight;
      } else if (run.positions.rows() == reference_.positions.rows()) {
        trust_ = find_deviation(run, reference_), checked_by = tight;
        break;
      }
    }
    if (!reference_by_) throw SimulationError("no reference: every method failed" + reference_trouble_);
    extent_ = extent_of(reference_);
    target_ = command_.error > 0.0 ? command_.error : usual_accuracy * extent_;
    fmt::print(words_, "reference: {}, rtol = {:.0e}, {} steps; ", word_of(reference_by_->integrator),
               reference_by_->rtol, reference_.summary.steps);
    if (checked_by)
      fmt::print(words_, "{} differs by {} m, {} m/s, {} of the largest reaction\n", word_of(checked_by->integrator),
                 shown(trust_.position), shown(trust_.velocity), shown(trust_.reaction));
    else
      fmt::print(words_, "no other method reached the end, so that nothing vouches for it{}\n", reference_trouble_);
    fmt::print(words_, "errors: largest over all bodies, joints and {} instants; the motion extends over {:.3g} m\n\n",
               compared_frames, extent_);
  }

  ComparedRun attempt(const Choice& choice, double rtol) {
    try {
      CheckedStudy study = study_;
      std::vector<std::string> left_out;
      if (command_.across.empty()) left_out = leave_open(study);  // methods without what the file says for others
      for (std::size_t i = 0; i < choice.values.size(); ++i)
        set_axis(study.settings(), axes_[i].first, choice.values[i]);
      const double limit = limit_at(choice, rtol);
      ComparedRun run = run_to_compare(study, rtol, limit);
      run.left_out.insert(run.left_out.end(), left_out.begin(), left_out.end());
      // What takes a moment is measured thrice: the shortest time is that of the method, the rest is the machine's.
      for (int again = 0; again < 2 && run.complete && run.seconds < short_run; ++again)
        run.seconds = std::min(run.seconds, run_to_compare(study, rtol, limit).seconds);
      return run;
    } catch (const InputError& error) {
      ComparedRun refused;
      refused.trouble = error.issues().front().message;
      return refused;
    }
  }

  /// [s] What the program chooses comes first, and may be the measure.
  double limit_at(const Choice& choice, double rtol) const {
    if (!(command_.give_up > 0.0) || choice.values.empty() || curves_.empty()) return command_.limit;
    for (const Row& row : curves_.front().rows)
      if (row.rtol == rtol) return std::min(command_.limit, command_.give_up * std::max(row.seconds, least_measure));
    return command_.limit;
  }

  void try_choice(const Choice& choice) {
    Curve curve{choice, {}};
    for (const double rtol : command_.tolerances) {
      say(fmt::format("{} rtol = {:.0e} ...", choice.name(), rtol));
      const ComparedRun run = attempt(choice, rtol);
      say("");
      note_left_out(choice, run.left_out);
      if (!run.complete || run.positions.rows() != reference_.positions.rows()) {
        const std::string reason = run.trouble.empty() ? "stopped elsewhere than the reference" : run.trouble;
        if (run.summary.steps == 0) {
          excluded_[reason].push_back(choice.name());
          break;  // no tolerance will help
        }
        fmt::print(words_, "{:<30} {:>8.0e} {}\n", choice.name(), rtol, shortened(reason));
        continue;
      }
      const Summary& s = run.summary;
      curve.rows.push_back({choice.name(), rtol, find_deviation(run, reference_), s.steps, s.iterations,
                            s.linearizations, run.seconds, s.choice});
      print(curve.rows.back());
    }
    if (choice.values.empty() && !curve.rows.empty()) fmt::print(words_, "    ({})\n", curve.rows.front().chosen);
    if (!curve.rows.empty()) curves_.push_back(std::move(curve));
  }

  void print(const Row& row) const {
    fmt::print(words_, "{:<30} {:>8.0e} {:>10} {:>10} {:>10} {:>8} {:>10} {:>9} {:>9.3g}{}\n", row.setting, row.rtol,
               shown(row.error.position), shown(row.error.velocity), shown(row.error.reaction), row.steps,
               row.iterations, row.linearizations, row.seconds,
               row.error.position < doubtful * trust_.position ? "  (as good as the reference)" : "");
  }

  void note_left_out(const Choice& choice, const std::vector<std::string>& names) {
    if (names.empty()) return;
    const std::set<std::string> sorted(names.begin(), names.end());
    std::vector<std::string>& settings = left_out_[fmt::format("{}", fmt::join(sorted, ", "))];
    if (std::find(settings.begin(), settings.end(), choice.name()) == settings.end()) settings.push_back(choice.name());
  }

  void recommend() const {
    const auto [of, best] = find_best();
    const Curve* automatic = nullptr;
    std::optional<double> cheapest;
    for (const Curve& curve : curves_) {
      if (curve.choice.values.empty()) automatic = &curve;
      if (const std::optional<double> cost = curve.cost_of(target_); cost && (!cheapest || *cost < *cheapest))
        cheapest = cost;
    }
    if (best == nullptr) {
      fmt::print(words_, "\nNone reached {:.1e} m; try smaller tolerances with --tolerances.\n", target_);
      return;
    }
    fmt::print(words_, "\nCheapest within {:.1e} m: error {:.1e} m in {:.3g} s\n\n[solver]\n", target_,
               best->error.position, best->seconds);
    if (of->choice.values.empty()) fmt::print(words_, "integrator = \"auto\"\n");
    for (std::size_t i = 0; i < of->choice.values.size(); ++i)
      fmt::print(words_, "{} = \"{}\"\n", axes_[i].first, of->choice.values[i]);
    fmt::print(words_, "rtol = {:.0e}\natol = {:.0e}\n", best->rtol, 1e-2 * best->rtol);
    if (automatic == nullptr) return;
    if (const std::optional<double> cost = automatic->cost_of(target_); cost && *cheapest > 0.0)
      fmt::print(words_, "\nauto: {:.2f} times the cheapest at {:.1e} m\n", *cost / *cheapest, target_);
    else
      fmt::print(words_, "\nauto does not reach {:.1e} m at these tolerances\n", target_);
  }

  void write_table() const {
    TextFile file(command_.table, comparison_kind());
    if (command_.table.extension() == ".json")
      file.write(describe() + "\n");
    else
      file.write(to_csv());
    file.close();
    fmt::print(words_, "\n{}\n", command_.table.string());
  }

  std::string to_csv() const {
    std::string text =
        "setting,rtol,position error [m],velocity error [m/s],reaction error,steps,iterations,Jacobians,time [s]\n";
    for (const Curve& curve : curves_)
      for (const Row& row : curve.rows)
        text +=
            fmt::format("{},{},{},{},{},{},{},{},{}\n", csv_field(row.setting), row.rtol, row.error.position,
                        row.error.velocity, std::isnan(row.error.reaction) ? "" : fmt::format("{}", row.error.reaction),
                        row.steps, row.iterations, row.linearizations, row.seconds);
    return text;
  }

  void draw() const {
    Figure figure(study_.model().title.empty() ? command_.model.stem().string() : study_.model().title);
    Panel& panel = figure.columns(1).panel_size(760, 460).panel();
    panel.log_x().log_y().x_label("largest error of a position [m]").y_label("computing time [s]");
    constexpr std::size_t n_colors = 7;  // of the figure's cycle: then markers and dashes tell curves apart
    const Marker markers[] = {Marker::circle, Marker::square, Marker::triangle, Marker::diamond};
    const Dash dashes[] = {Dash::solid, Dash::dashed, Dash::dotted, Dash::dash_dot};
    for (std::size_t i = 0; i < curves_.size(); ++i) {
      CurveStyle style;
      style.label = curves_[i].choice.name();
      style.dash = dashes[i / n_colors % 4];
      style.marker = markers[i / n_colors % 4];
      std::vector<double> errors, seconds;
      for (const Row& row : curves_[i].rows) errors.push_back(row.error.position), seconds.push_back(row.seconds);
      panel.line(errors, seconds, style);
    }
    panel.vertical(target_, {"wanted", "#666666", Dash::dashed, 1.0});
    figure.save(command_.out);
    fmt::print(words_, "\n{}\n", command_.out.string());
  }

  /// A line on the terminal that the next one replaces.
  void say(const std::string& text) const {
    if (shows_progress_) complain("\r\x1b[K{}", text);
  }

  const CompareCommand& command_;
  Axes axes_;
  CheckedStudy study_;  // read and checked once
  bool shows_progress_;
  std::FILE* words_;  // for people
  ComparedRun reference_;
  std::optional<Tight> reference_by_;
  std::string reference_trouble_;
  Deviation trust_{0.0, 0.0, 0.0};
  double extent_ = 0.0, target_ = 0.0;  // [m]
  std::vector<Curve> curves_;
  std::map<std::string, std::vector<std::string>> excluded_;  // reason -> settings
  std::map<std::string, std::vector<std::string>> left_out_;  // keys of the file -> settings
};

}  // namespace

int compare(const CompareCommand& command) {
  require_file(command.model);
  if (!command.out.empty()) require_picture(command.out);
  if (!command.table.empty()) {
    const std::string ending = command.table.extension().string();
    if (ending != ".csv" && ending != ".json")
      throw InputError(fmt::format("--table: '{}' must end in .csv or .json", command.table.string()));
    OutputFile::check(command.table, comparison_kind());
  }
  Comparison comparison(command);
  comparison.run();
  if (command.json != nullptr) command.json->result = comparison.describe();
  return success;
}

}  // namespace trammel::apps
