#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "commands.h"
#include "messages.h"
#include "trammel/base/text.h"
#include "trammel/io/figure.h"
#include "trammel/io/model_reader.h"
#include "trammel/simulation/option.h"
#include "trammel/simulation/simulation.h"

namespace trammel::apps {

namespace {

constexpr int compared_frames = 200;
constexpr double short_run = 0.1;  // [s]
constexpr double reference_rtol = 1e-10;
constexpr double atol_over_rtol = 1e-2;  // as the defaults of the solver have it
constexpr double usual_accuracy = 1e-4;  // of the extent of the motion, unless --error says otherwise

/// What may be compared, and the values that are tried.
const std::vector<std::pair<std::string, std::vector<std::string>>> known_axes{
    {"integrator", {"generalized_alpha", "midpoint", "energy_decaying", "radau", "bdf", "runge_kutta"}},
    {"formulation", {"index3", "stabilized_index2", "stabilized_index1", "coordinate_split"}},
    {"coordinates", {"absolute", "joint"}},
    {"linear_solver", {"dense", "sparse_lu", "sparse_ldlt", "skyline_ldlt"}}};

struct Choice {
  std::vector<std::string> values;  // of the axes
  std::string name() const {
    std::string text;
    for (const std::string& value : values) text += (text.empty() ? "" : " ") + value;
    return text;
  }
};

/// What a run gives to compare.
struct Positions {
  Eigen::MatrixXd p;  // frame x (3 bodies)
  bool complete = false;
  std::string trouble;
  Summary summary;
  double seconds = 0.0;
};

/// The words that `solver.NAME` takes.
std::vector<std::string> allowed_words(const std::string& name) {
  std::vector<std::string> allowed;
  const std::vector<KeyTable> tables = option_key_tables();
  for (const Key& key : *find_keys(tables, "solver"))
    if (key.name == name)
      for (const Word& word : key.words) allowed.push_back(word.name);
  return allowed;
}

/// Throws for all values that their axis does not know.
void check_values(const std::vector<std::pair<std::string, std::vector<std::string>>>& axes) {
  std::vector<Issue> issues;
  for (const auto& [name, values] : axes) {
    const std::vector<std::string> allowed = allowed_words(name);
    if (values.empty())
      issues.push_back({"--across " + name, fmt::format("no value is given; '{}' alone takes the usual ones", name)});
    for (const std::string& value : values)
      if (std::find(allowed.begin(), allowed.end(), value) == allowed.end())
        issues.push_back({"--across " + name, "there is no " + not_allowed(value, allowed)});
  }
  if (!issues.empty()) throw InputError(std::move(issues));
}

std::vector<std::pair<std::string, std::vector<std::string>>> chosen_axes(const std::vector<std::string>& words) {
  std::vector<std::pair<std::string, std::vector<std::string>>> axes;
  std::vector<std::string> names;
  for (const auto& [name, values] : known_axes) names.push_back(name);
  for (const std::string& word : words) {
    const std::size_t equal = word.find('=');
    const std::string name = word.substr(0, equal);
    const auto known =
        std::find_if(known_axes.begin(), known_axes.end(), [&](const auto& a) { return a.first == name; });
    if (known == known_axes.end())
      throw InputError(fmt::format("'{}' cannot be compared{} There are {}", name,
                                   did_you_mean(name, names).empty() ? "." : did_you_mean(name, names),
                                   join_quoted(names)));
    axes.push_back(*known);
    if (equal == std::string::npos) continue;
    axes.back().second.clear();
    std::string value;
    for (const char c : word.substr(equal + 1) + "|") {
      if (c != '|') {
        value += c;
      } else if (!value.empty()) {
        axes.back().second.push_back(value);
        value.clear();
      }
    }
  }
  check_values(axes);
  return axes;
}

/// Runs with error control and the frames that all attempts share; gives up after `limit` seconds.
Positions simulate(Study study, double rtol, double limit) {
  study.solver.h.reset();
  study.solver.rtol = rtol;
  study.solver.atol = atol_over_rtol * rtol;
  study.output.every_step = false;
  study.output.interval = study.analysis.span() / compared_frames;
  // What the model says for another method or a fixed step means nothing here.
  drop_foreign(study);
  Positions result;
  if (const std::vector<Issue> found = issues(study); !found.empty()) {
    result.trouble = found.front().message;
    return result;
  }
  const auto begun = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count(); };
  try {
    Simulation simulation(study);
    MemoryRecord record(compared_frames + 2);
    result.summary = simulation.run(record, [&](const Progress&) { return elapsed() < limit; });
    result.seconds = result.summary.wall_time;
    result.complete = result.summary.completed;
    if (!result.complete) {
      const std::string& failure = result.summary.failure;
      result.trouble =
          failure.empty() ? fmt::format("took more than {} s", limit) : failure.substr(0, failure.find('\n'));
      return result;
    }
    const TablePlace positions = record.schema().find_table("/frames/position");
    result.p.resize(static_cast<Eigen::Index>(record.times().size()), positions.width);
    for (int i = 0; i < static_cast<int>(record.times().size()); ++i)
      result.p.row(i) =
          Eigen::Map<const Eigen::RowVectorXd>(record.frame_values(i).data() + positions.column, positions.width);
  } catch (const InputError& error) {
    result.trouble = error.issues().front().message;
  }
  return result;
}

double largest_distance(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  double most = 0.0;
  for (Eigen::Index i = 0; i < a.rows(); ++i)
    for (Eigen::Index k = 0; k < a.cols(); k += 3)
      most = std::max(most, (a.block<1, 3>(i, k) - b.block<1, 3>(i, k)).norm());
  return most;
}

/// The diagonal of the box of all positions.
double extent_of(const Eigen::MatrixXd& p) {
  Eigen::Vector3d low = Eigen::Vector3d::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (Eigen::Index i = 0; i < p.rows(); ++i)
    for (Eigen::Index k = 0; k < p.cols(); k += 3) {
      const Eigen::Vector3d at = p.block<1, 3>(i, k).transpose();
      low = low.cwiseMin(at), high = high.cwiseMax(at);
    }
  return (high - low).norm();
}

std::vector<Choice> make_choices(const std::vector<std::pair<std::string, std::vector<std::string>>>& axes) {
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

/// Runs the matrix, prints its table as it grows and keeps what the figure and the recommendation need.
class Comparison {
 public:
  explicit Comparison(const CompareCommand& command)
      : command_(command),
        axes_(chosen_axes(command.across)),
        study_(read_study(command.model, command.settings)),
        shows_progress_(!command.quiet && isatty(STDERR_FILENO) != 0),
        words_(command.json != nullptr ? stderr : stdout) {
    if (study_.analysis.kind.value_or(AnalysisKind::dynamics) != AnalysisKind::dynamics)
      throw InputError("only dynamics can be compared: kinematics does not integrate");
    for (const double rtol : command.tolerances)
      if (!(rtol > reference_rtol && rtol < 1.0))
        throw InputError(fmt::format("the tolerance {} must be between {} and 1", rtol, reference_rtol));
  }

  void run() {
    make_reference();
    fmt::print(words_, "{:<46} {:>8} {:>10} {:>8} {:>10} {:>10} {:>10}\n", "setting", "rtol", "error [m]", "steps",
               "iterations", "Jacobians", "time [s]");
    for (const Choice& choice : make_choices(axes_)) try_choice(choice);
    if (!excluded_.empty()) fmt::print(words_, "\nnot possible:\n");
    for (const auto& [reason, settings] : excluded_)
      fmt::print(words_, "    {}: {}\n", join_quoted(settings), shortened(reason));
    recommend();
    if (!command_.out.empty()) draw();
  }

  std::string describe() const {
    JsonWriter json;
    json.begin_object().key("wanted").number(target_).key("runs").begin_array();
    for (const Curve& curve : curves_)
      for (std::size_t i = 0; i < curve.errors.size(); ++i) {
        json.begin_object().key("setting").text(curve.name).key("rtol").number(curve.rtols[i]);
        json.key("error").number(curve.errors[i]).key("time").number(curve.seconds[i]).end_object();
      }
    json.end_array().key("excluded").begin_array();
    for (const auto& [reason, settings] : excluded_)
      json.begin_object().key("reason").text(reason).key("settings").texts(settings).end_object();
    json.end_array().key("best");
    if (!best_) return json.raw("null").end_object().str();
    json.begin_object();
    for (std::size_t i = 0; i < axes_.size(); ++i) json.key(axes_[i].first).text(best_->choice.values[i]);
    json.key("rtol").number(best_->rtol).key("error").number(best_->error).key("time").number(best_->seconds);
    return json.end_object().end_object().str();
  }

 private:
  /// The reference, and how far it can be trusted: the distance to a run with ten times its tolerance.
  void make_reference() {
    Study tight = study_;
    tight.solver.integrator = Integrator::radau;
    tight.solver.formulation.reset();
    tight.solver.coordinates = CoordinateSet::absolute;
    tight.solver.linear_solver = LinearSolverKind::automatic;
    tight.solver.radau.stages = 3;
    say("reference: radau with rtol = 1e-10 ...");
    reference_ = simulate(tight, reference_rtol, 10.0 * command_.limit);
    if (!reference_.complete) throw SimulationError("the reference run failed: " + reference_.trouble);
    const Positions coarser = simulate(tight, 10.0 * reference_rtol, 10.0 * command_.limit);
    say("");
    const bool comparable = coarser.complete && coarser.p.rows() == reference_.p.rows();
    const double extent = extent_of(reference_.p);
    target_ = command_.error > 0.0 ? command_.error : usual_accuracy * extent;
    fmt::print(words_, "reference: radau, rtol = {:.0e}, {} steps; trusted to {:.1e} m\n", reference_rtol,
               reference_.summary.steps,
               comparable ? largest_distance(coarser.p, reference_.p) : std::numeric_limits<double>::quiet_NaN());
    fmt::print(words_,
               "error: largest distance of a body from the reference at {} times; the motion extends over {:.3g} m\n\n",
               compared_frames, extent);
  }

  Positions attempt(const Choice& choice, double rtol) const {
    std::vector<std::string> settings = command_.settings;
    for (std::size_t i = 0; i < axes_.size(); ++i)
      settings.push_back(fmt::format("solver.{}=\"{}\"", axes_[i].first, choice.values[i]));
    try {
      const Study study = read_study(command_.model, settings);
      Positions run = simulate(study, rtol, command_.limit);
      // What takes a moment is measured thrice: the shortest time is that of the method, the rest is the machine's.
      for (int again = 0; again < 2 && run.complete && run.seconds < short_run; ++again)
        run.seconds = std::min(run.seconds, simulate(study, rtol, command_.limit).seconds);
      return run;
    } catch (const InputError& error) {
      Positions refused;
      refused.trouble = error.issues().front().message;
      return refused;
    }
  }

  void try_choice(const Choice& choice) {
    Curve curve{choice.name(), {}, {}};
    for (const double rtol : command_.tolerances) {
      say(fmt::format("{} rtol = {:.0e} ...", choice.name(), rtol));
      const Positions run = attempt(choice, rtol);
      say("");
      if (!run.complete || run.p.rows() != reference_.p.rows()) {
        const std::string reason = run.trouble.empty() ? "stopped elsewhere than the reference" : run.trouble;
        if (run.summary.steps == 0) {
          excluded_[reason].push_back(choice.name());
          break;  // no tolerance will help
        }
        fmt::print(words_, "{:<46} {:>8.0e} {}\n", choice.name(), rtol, shortened(reason));
        continue;
      }
      const double error = largest_distance(run.p, reference_.p);
      fmt::print(words_, "{:<46} {:>8.0e} {:>10.1e} {:>8} {:>10} {:>10} {:>10.3g}\n", choice.name(), rtol, error,
                 run.summary.steps, run.summary.iterations, run.summary.linearizations, run.seconds);
      curve.errors.push_back(error), curve.seconds.push_back(run.seconds), curve.rtols.push_back(rtol);
      if (error <= target_ && (!best_ || run.seconds < best_->seconds)) best_ = {choice, rtol, error, run.seconds};
    }
    if (!curve.errors.empty()) curves_.push_back(std::move(curve));
  }

  void recommend() const {
    if (!best_) {
      fmt::print(words_, "\nNone reached {:.1e} m; try smaller tolerances with --tolerances.\n", target_);
      return;
    }
    fmt::print(words_, "\nCheapest within {:.1e} m: error {:.1e} m in {:.3g} s\n\n[solver]\n", target_, best_->error,
               best_->seconds);
    for (std::size_t i = 0; i < axes_.size(); ++i)
      fmt::print(words_, "{} = \"{}\"\n", axes_[i].first, best_->choice.values[i]);
    fmt::print(words_, "rtol = {:.0e}\natol = {:.0e}\n", best_->rtol, atol_over_rtol * best_->rtol);
  }

  void draw() const {
    Figure figure(study_.model.title.empty() ? command_.model.stem().string() : study_.model.title);
    Panel& panel = figure.columns(1).panel_size(760, 460).panel();
    panel.log_x().log_y().x_label("largest error of a position [m]").y_label("computing time [s]");
    constexpr std::size_t n_colors = 7;  // of the figure's cycle: then markers and dashes tell curves apart
    const Marker markers[] = {Marker::circle, Marker::square, Marker::triangle, Marker::diamond};
    const Dash dashes[] = {Dash::solid, Dash::dashed, Dash::dotted, Dash::dash_dot};
    for (std::size_t i = 0; i < curves_.size(); ++i) {
      CurveStyle style;
      style.label = curves_[i].name;
      style.dash = dashes[i / n_colors % 4];
      style.marker = markers[i / n_colors % 4];
      panel.line(curves_[i].errors, curves_[i].seconds, style);
    }
    panel.vertical(target_, {"wanted", "#666666", Dash::dashed, 1.0});
    figure.save(command_.out);
    fmt::print(words_, "\n{}\n", command_.out.string());
  }

  /// A line on the terminal that the next one replaces.
  void say(const std::string& text) const {
    if (shows_progress_) complain("\r\x1b[K{}", text);
  }

  struct Curve {
    std::string name;
    std::vector<double> errors, seconds, rtols = {};
  };
  struct Best {
    Choice choice;
    double rtol, error, seconds;
  };
  const CompareCommand& command_;
  std::vector<std::pair<std::string, std::vector<std::string>>> axes_;
  Study study_;
  bool shows_progress_;
  std::FILE* words_;  // for people
  Positions reference_;
  double target_ = 0.0;  // [m]
  std::vector<Curve> curves_;
  std::map<std::string, std::vector<std::string>> excluded_;  // reason -> settings
  std::optional<Best> best_;
};

}  // namespace

int compare(const CompareCommand& command) {
  require_file(command.model);
  if (!command.out.empty()) require_picture(command.out);
  Comparison comparison(command);
  comparison.run();
  if (command.json != nullptr) command.json->result = comparison.describe();
  return success;
}

}  // namespace trammel::apps
