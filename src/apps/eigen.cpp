#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "commands.h"
#include "messages.h"
#include "trammel/base/text.h"
#include "trammel/io/model_reader.h"
#include "trammel/io/text_file.h"
#include "trammel/simulation/option.h"
#include "trammel/simulation/simulation.h"

namespace trammel::apps {

namespace {

constexpr int dense_limit = 300;  // coordinates whose modes are all computed
constexpr int usual_modes = 10;   // of larger machines

// An input is a parameter of the model: the rows of motion are differenced by it.
Eigen::MatrixXd calc_by_input(const EigenCommand& command, const Model& model, Simulation& at) {
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
      return Simulation(read_study(command.model, settings)).residual_at(at.initial(), at.state());
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

}  // namespace

int eigen(const EigenCommand& command) {
  require_file(command.model);
  if (!command.out.empty()) OutputFile::check(command.out, eigenvalue_kind());
  Study study = read_study(command.model, command.settings);
  // Modes are told by the names of coordinates: those of bodies, unless joints' are asked for.
  if (leaves_method_open(study) && !study.solver.coordinates) study.solver.coordinates = CoordinateSet::absolute;
  auto drawn = std::make_unique<Simulation>(study);
  bool from_start = command.from_start;
  if (!from_start) {
    Simulation& simulation = *drawn;
    EquilibriumOptions options;
    options.load_steps = study.analysis.load_steps.value_or(0);
    options.arc_length = study.analysis.arc_length.value_or(false);
    options.steady = simulation.find_coordinates(study.analysis.steady.value_or(std::vector<std::string>{}));
    const bool moves = !simulation.initial().v.isZero(0.0);
    const EquilibriumReport report = simulation.find_equilibrium(options);
    if (!report.status.ok() && report.unheld >= 0 && moves) {
      // What a drive keeps in motion has no equilibrium at rest; how it was drawn is what is left.
      fmt::print("    note: {}\n", simulation.explain_equilibrium(report));
      from_start = true;
      drawn = std::make_unique<Simulation>(study);
    } else if (!report.status.ok()) {
      std::fputs((simulation.explain_equilibrium(report) + "\n").c_str(), stderr);
      return failed_run;
    }
  }
  Simulation& simulation = *drawn;
  const bool lowest = command.linearization.empty() && simulation.dae().nv() > dense_limit;
  EigenModes modes;
  double acceleration = 0.0;
  if (lowest) {
    modes = simulation.calc_lowest_modes(command.modes > 0 ? command.modes : usual_modes, acceleration);
  } else {
    const Simulation::Linearized linearized = simulation.linearize(calc_by_input(command, study.model, simulation));
    modes = calc_modes(linearized.motion);
    acceleration = linearized.largest_acceleration;
    if (!command.linearization.empty()) write_linearization(command.linearization, linearized, command.inputs);
  }
  fmt::print("{} about {}\n", study.model.title.empty() ? "Small motions" : study.model.title,
             from_start ? "the start" : "its equilibrium");
  if (acceleration > 1e-6)
    fmt::print("    note: accelerations up to {:.3g} there: not a steady motion, eigenvalues are momentary\n",
               acceleration);
  if (lowest)
    fmt::print("    {} coordinates: the lowest modes; {}{} zero eigenvalues (rigid-body motions, neutral positions)\n",
               simulation.dae().nv(), modes.zeros, modes.zeros > 0 ? " or more" : "");
  else
    fmt::print("    {} states, {} zero eigenvalues (rigid-body motions, neutral positions)\n", modes.values.size(),
               modes.zeros);
  fmt::print("{:>5} {:>14} {:>12} {:>16} {:>16}\n", "mode", "frequency [Hz]", "damping", "real [1/s]",
             "imaginary [1/s]");
  std::optional<TextFile> csv;
  if (!command.out.empty()) {
    csv.emplace(command.out, eigenvalue_kind());
    csv->write(eigenvalue_heading);
  }
  int mode = 0, shown = 0, unstable = 0;
  for (int i = 0; i < modes.values.size(); ++i) {
    const std::complex<double> value = modes.values[i];
    if (value.imag() < 0.0) continue;  // the other half of a pair
    ++mode;
    if (value.real() > 1e-9 * std::abs(value) && i >= modes.zeros) ++unstable;
    if (csv)
      csv->write(fmt::format("{},{:.12g},{:.12g},{:.12g},{:.12g}\n", mode, modes.frequency(i), modes.damping(i),
                             value.real(), value.imag()));
    if (i < modes.zeros || (command.modes > 0 && shown >= command.modes)) continue;
    ++shown;
    fmt::print("{:>5} {:>14.6g} {:>12.4g} {:>16.6g} {:>16.6g}\n", mode, modes.frequency(i), modes.damping(i),
               value.real(), value.imag());
  }
  if (csv) csv->close();
  if (unstable > 0) fmt::print("    {} of them grow: the position or motion is unstable\n", unstable);
  return success;
}

}  // namespace trammel::apps
