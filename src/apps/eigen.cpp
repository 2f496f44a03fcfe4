// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "commands.h"
#include "messages.h"
#include "trammel/base/text.h"
#include "trammel/io/model_reader.h"
#include "trammel/io/output_kinds.h"
#include "trammel/io/report.h"
#include "trammel/io/text_file.h"
#include "trammel/simulation/option.h"
#include "trammel/simulation/simulation.h"

namespace trammel::apps {

namespace {

constexpr int dense_limit = 300;  // coordinates whose modes are all computed
constexpr int usual_modes = 10;   // of larger machines

// An input is a parameter of the model: the rows of motion are differenced by it, in the coordinates of `at`, and where
// it stands (`at_rest`) at rest.
Eigen::MatrixXd calc_by_input(const EigenCommand& command, const CheckedStudy& study, Simulation& at, bool at_rest) {
  const Model& model = study.model();
  const int n_rows = at.dae().nv() + at.dae().nz();
  Eigen::MatrixXd by_input(n_rows, command.inputs.size());
  std::vector<Issue> found;
  for (std::size_t j = 0; j < command.inputs.size(); ++j) {
    const std::string& name = command.inputs[j];
    const auto parameter = model.parameters.find(name);
    if (parameter == model.parameters.end()) {
      std::vector<std::string> names;
      for (const auto& [known, value] : model.parameters) names.push_back(known);
      found.push_back({"--inputs", fmt::format("there is no parameter '{}'{}", name, did_you_mean(name, names))});
      continue;
    }
    const auto with = [&](double change) {
      std::vector<std::string> settings = command.settings;
      settings.push_back(fmt::format("parameters.{}={:.17g}", name, parameter->second + change));
      CheckedStudy changed = read_checked_study(command.model, settings);
      changed.settings().solver.coordinates = at.settings().solver.coordinates;
      if (at_rest) changed.settings().analysis.kind = AnalysisKind::statics;
      return Simulation(std::move(changed)).residual_at(at.initial(), at.state());
    };
    const double step = 1e-6;
    const Eigen::VectorXd change = (with(step) - with(-step)) / (2.0 * step);
    by_input.col(j) = change.head(n_rows);
    if (at.dae().nc() > 0 && change.tail(at.dae().nc()).lpNorm<Eigen::Infinity>() > 1e-9)
      found.push_back(
          {"--inputs", fmt::format("'{}' moves a constraint (a motion, a joint's place): only parameters of "
                                   "forces and controls can be inputs",
                                   name)});
    else if (change.isZero(0.0))
      found.push_back({"--inputs", fmt::format("nothing depends on parameter '{}'", name)});
  }
  if (!found.empty()) throw InputError(std::move(found));
  return by_input;
}

void write_matrix(const std::filesystem::path& file, const Eigen::MatrixXd& matrix,
                  const std::vector<std::string>& rows, const std::vector<std::string>& columns) {
  TextFile out(file, text_kind("a matrix of Trammel", {"row,", "row\n"}));
  out.write("row");
  for (const std::string& column : columns) out.write(",\"" + column + '"');
  out.write("\n");
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    out.write('"' + rows[i] + '"');
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) out.write(fmt::format(",{:.17g}", matrix(i, j)));
    out.write("\n");
  }
  out.close();
}

void write_linearization(const std::filesystem::path& folder, const Simulation::Linearized& l,
                         const std::vector<std::string>& inputs) {
  make_folder(folder);
  write_matrix(folder / "A.csv", l.motion.A, l.motion.states, l.motion.states);
  write_matrix(folder / "B.csv", l.motion.B, l.motion.states, inputs);
  write_matrix(folder / "C.csv", l.C, l.outputs, l.motion.states);
  write_matrix(folder / "D.csv", l.D, l.outputs, inputs);
}

constexpr const char* eigenvalue_heading = "mode,frequency_hz,damping,real,imaginary\n";

OutputKind eigenvalue_kind() { return text_kind("a table of eigenvalues of Trammel", {eigenvalue_heading}); }

/// What was found, for a person or a script.
struct Found {
  std::string title;
  bool from_start = false, lowest = false;
  int nv = 0;
  double acceleration = 0.0;
  EigenModes modes = {};
  std::vector<std::string> notes = {};
};

/// Of a pair of eigenvalues one; the number of the mode in all, and whether it is shown (zero eigenvalues are not).
template <class Use>
void for_each_mode(const EigenCommand& command, const EigenModes& modes, const Use& use) {
  int mode = 0, shown = 0;
  for (int i = 0; i < modes.values.size(); ++i) {
    if (modes.values[i].imag() < 0.0) continue;  // the other half of a pair
    ++mode;
    const bool show = i >= modes.zeros && (command.modes <= 0 || shown < command.modes);
    if (show) ++shown;
    use(i, mode, show);
  }
}

bool grows(const EigenModes& modes, int i) {
  const std::complex<double> value = modes.values[i];
  return value.imag() >= 0.0 && value.real() > 1e-9 * std::abs(value) && i >= modes.zeros;
}

int count_unstable(const EigenModes& modes) {
  int n = 0;
  for (int i = 0; i < modes.values.size(); ++i) n += grows(modes, i) ? 1 : 0;
  return n;
}

void print_modes(const EigenCommand& command, const Found& found) {
  for (const std::string& note : found.notes) fmt::print("    note: {}\n", note);
  const EigenModes& modes = found.modes;
  fmt::print("{} about {}\n", found.title.empty() ? "Small motions" : found.title,
             found.from_start ? "the start" : "its equilibrium");
  if (found.acceleration > 1e-6)
    fmt::print("    note: accelerations up to {:.3g} there: not a steady motion, eigenvalues are momentary\n",
               found.acceleration);
  if (found.lowest)
    fmt::print("    {} coordinates: the lowest modes; {}{} zero eigenvalues (rigid-body motions, neutral positions)\n",
               found.nv, modes.zeros, modes.zeros > 0 ? " or more" : "");
  else
    fmt::print("    {} states, {} zero eigenvalues (rigid-body motions, neutral positions)\n", modes.values.size(),
               modes.zeros);
  fmt::print("{:>5} {:>14} {:>12} {:>16} {:>16}\n", "mode", "frequency [Hz]", "damping", "real [1/s]",
             "imaginary [1/s]");
  for_each_mode(command, modes, [&](int i, int mode, bool show) {
    if (show)
      fmt::print("{:>5} {:>14.6g} {:>12.4g} {:>16.6g} {:>16.6g}\n", mode, modes.frequency(i), modes.damping(i),
                 modes.values[i].real(), modes.values[i].imag());
  });
  if (const int unstable = count_unstable(modes); unstable > 0)
    fmt::print("    {} of them grow: the position or motion is unstable\n", unstable);
}

std::string describe_modes(const EigenCommand& command, const Found& found) {
  JsonWriter json;
  json.begin_object().key("title").text(found.title);
  json.key("about").text(found.from_start ? "start" : "equilibrium").key("acceleration").number(found.acceleration);
  json.key("zeros").number(found.modes.zeros).key("unstable").number(count_unstable(found.modes));
  json.key("notes").texts(found.notes).key("modes").begin_array();
  for_each_mode(command, found.modes, [&](int i, int mode, bool show) {
    if (!show) return;
    json.begin_object().key("mode").number(mode).key("frequency").number(found.modes.frequency(i));
    json.key("damping").number(found.modes.damping(i)).key("real").number(found.modes.values[i].real());
    json.key("imaginary").number(found.modes.values[i].imag()).end_object();
  });
  return json.end_array().end_object().str();
}

void write_modes(const EigenCommand& command, const EigenModes& modes) {
  TextFile csv(command.out, eigenvalue_kind());
  csv.write(eigenvalue_heading);
  for_each_mode(command, modes, [&](int i, int mode, bool) {
    csv.write(fmt::format("{},{:.12g},{:.12g},{:.12g},{:.12g}\n", mode, modes.frequency(i), modes.damping(i),
                          modes.values[i].real(), modes.values[i].imag()));
  });
  csv.close();
}

// Displacements are linear in δq as velocities are in v: those that frames have with v = δq, less those without.
std::vector<float> calc_body_shape(Simulation& simulation, const Eigen::VectorXcd& shape) {
  const std::vector<int>& body_frame = simulation.assembly().body_frame;
  MotionVariables x = simulation.initial();
  const auto frames_with = [&](const Eigen::VectorXd& v) {
    x.v = v;
    return simulation.calc_frames(x, simulation.state());
  };
  const auto still = frames_with(Eigen::VectorXd::Zero(x.v.size()));
  const auto real = frames_with(shape.real()), imaginary = frames_with(shape.imag());
  std::vector<float> numbers;
  for (const int b : body_frame)
    for (const auto* moving : {&real, &imaginary}) {
      const auto frame = static_cast<std::size_t>(b);
      const Eigen::Vector3d v = (*moving)[frame].v - still[frame].v, w = (*moving)[frame].w - still[frame].w;
      for (const Eigen::Vector3d& part : {v, w})
        for (int i = 0; i < 3; ++i) numbers.push_back(static_cast<float>(part[i]));
    }
  return numbers;
}

std::filesystem::path page_of(const EigenCommand& command) { return command.model.stem().string() + "_modes.html"; }

void write_mode_page(const EigenCommand& command, const Study& study, const Found& found, Simulation& simulation) {
  ModeReport report;
  report.title = found.title.empty() ? command.model.stem().string() : found.title;
  report.model_file = command.model.filename().string();
  const RecordSchema schema = simulation.make_schema();
  const auto attribute = [&](const char* key) {
    const auto it = schema.attributes.find(key);
    return it == schema.attributes.end() ? std::string() : it->second;
  };
  report.model = attribute("model"), report.settings = attribute("settings"), report.scene = attribute("scene");
  report.about = found.from_start ? "the start" : "its equilibrium";
  report.notes = found.notes;
  const auto frames = simulation.calc_frames(simulation.initial(), simulation.state());
  for (std::size_t b = 0; b < study.model.bodies.size(); ++b) {
    report.bodies.push_back(study.model.bodies[b].name);
    const auto& frame = frames[static_cast<std::size_t>(simulation.assembly().body_frame[b])];
    const Eigen::Quaterniond q(Eigen::Matrix3d(frame.R));
    for (int i = 0; i < 3; ++i) report.position.push_back(static_cast<float>(frame.p[i]));
    for (const double part : {q.w(), q.x(), q.y(), q.z()}) report.orientation.push_back(static_cast<float>(part));
  }
  for_each_mode(command, found.modes, [&](int i, int number, bool show) {
    if (!show) return;
    report.modes.push_back({number, found.modes.frequency(i), found.modes.damping(i), found.modes.values[i].real(),
                            found.modes.values[i].imag(), calc_body_shape(simulation, found.modes.shapes.col(i))});
  });
  write_mode_report(report, page_of(command));
}

}  // namespace

int eigen(const EigenCommand& command) {
  require_file(command.model);
  if (command.report) {
    require_report_page();
    OutputFile::check(page_of(command), page_kind());
  }
  if (!command.out.empty()) OutputFile::check(command.out, eigenvalue_kind());
  CheckedStudy study = read_checked_study(command.model, command.settings);
  SolverOptions& solver = study.settings().solver;
  const AnalysisOptions& analysis = study.settings().analysis;
  // Modes are told by the names of coordinates: those of bodies, unless joints' are asked for.
  if (leaves_method_open(study.settings()) && !solver.coordinates) solver.coordinates = CoordinateSet::absolute;
  auto drawn = std::make_unique<Simulation>(study);
  Found found{.title = study.model().title, .from_start = command.from_start};
  if (!found.from_start) {
    Simulation& simulation = *drawn;
    EquilibriumOptions options;
    options.load_steps = analysis.load_steps.value_or(0);
    options.arc_length = analysis.arc_length.value_or(false);
    options.steady = simulation.find_coordinates(analysis.steady.value_or(std::vector<std::string>{}));
    const bool moves = !simulation.initial().v.isZero(0.0);
    const EquilibriumReport report = simulation.find_equilibrium(options);
    if (!report.status.ok() && report.unheld >= 0 && moves) {
      // What a drive keeps in motion has no equilibrium at rest; how it was drawn is what is left.
      found.notes.push_back(simulation.explain_equilibrium(report));
      found.from_start = true;
      drawn = std::make_unique<Simulation>(study);
    } else if (!report.status.ok()) {
      throw SimulationError(simulation.explain_equilibrium(report));
    }
  }
  Simulation& simulation = *drawn;
  found.nv = simulation.dae().nv();
  found.lowest = command.linearization.empty() && found.nv > dense_limit;
  if (found.lowest) {
    found.modes = simulation.calc_lowest_modes(command.modes > 0 ? command.modes : usual_modes, found.acceleration);
  } else {
    const bool at_rest = !found.from_start && analysis.steady.value_or(std::vector<std::string>{}).empty();
    const Simulation::Linearized linearized = simulation.linearize(calc_by_input(command, study, simulation, at_rest));
    found.modes = calc_modes(linearized.motion);
    found.acceleration = linearized.largest_acceleration;
    if (!command.linearization.empty()) write_linearization(command.linearization, linearized, command.inputs);
  }
  if (!command.out.empty()) write_modes(command, found.modes);
  if (command.report) write_mode_page(command, study.study(), found, simulation);
  if (command.json != nullptr)
    command.json->result = describe_modes(command, found);
  else
    print_modes(command, found);
  if (command.report && command.json == nullptr) fmt::print("Report: {}\n", page_of(command).string());
  return success;
}

}  // namespace trammel::apps
