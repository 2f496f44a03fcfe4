#include "run_model.h"

// One machine, one motion: every rigid example moved by every integrator, without exceptions. Rotations, nonholonomic
// rows, massless coordinates, internal states, redundant rows and reaction-dependent forces are among them.

namespace trammel {
namespace {

struct Machine {
  const char* file;
  double end;  ///< [s] short enough that errors of the start have not grown, long enough to turn things
  Settings settings{};
};

const Machine machines[] = {{"01_pendulum/pendulum.toml", 1.0},
                            {"02_double_pendulum/double_pendulum.toml", 0.5},
                            {"03_slider_crank/slider_crank.toml", 0.5},
                            {"04_four_bar/four_bar.toml", 0.25},
                            {"05_heavy_top/heavy_top.toml", 0.1},
                            {"06_squeezing_mechanism/squeezing_mechanism.toml", 0.01},
                            {"07_stiff_slider_crank/stiff_slider_crank.toml", 0.1},
                            {"08_rolling_disc/rolling_disc.toml", 0.5},
                            {"models/bricard.toml", 0.5},
                            {"models/chain.toml", 0.2, {"parameters.N=10"}},
                            {"models/governor.toml", 0.3},
                            {"models/n_four_bar.toml", 0.3},
                            {"models/sleigh.toml", 0.5},
                            {"models/spatial_four_bar.toml", 0.3},
                            {"models/turntable.toml", 0.3},
                            {"models/wheel.toml", 0.5}};

struct Method {
  const char* integrator;
  const char* formulation;
  int stages;
  bool first_order;  ///< extrapolated twice: (8 x_{h/4} − 6 x_{h/2} + x_h)/3
  bool controlled;   ///< by a tolerance; else a fixed step
};

const Method methods[] = {{"generalized_alpha", "", 3, false, false},
                          {"hht", "", 3, false, false},
                          {"newmark", "", 3, true, false},
                          {"midpoint", "", 3, false, false},
                          {"midpoint", "", 3, false, true},
                          {"bdf", "stabilized_index2", 3, false, true},
                          {"radau", "stabilized_index2", 1, true, false},
                          {"radau", "index3", 1, true, false},
                          {"radau", "index3", 2, false, true},
                          {"radau", "index3", 3, false, true},
                          {"radau", "stabilized_index2", 2, false, true},
                          {"radau", "stabilized_index1", 3, false, true}};

constexpr int n_steps = 2000;       // of a fixed step: errors ∝ (end/2000)²
constexpr double tolerance = 1e-8;  // per step; some hundred of them may add up
constexpr double limit = 1e-4;

Study study_of(const Machine& machine, const Method& method, double steps) {
  Study study = read_study(example(machine.file), machine.settings);
  study.analysis.end = machine.end;
  study.output.interval = machine.end;
  study.output.every_step = false;
  const RedundancyPolicy redundant = study.solver.redundant;
  study.solver = {};  // the examples' own settings are for their own length
  study.solver.redundant = redundant;
  study.solver.integrator = method.integrator;
  study.solver.formulation = method.formulation;
  study.solver.stages = method.stages;
  if (!method.controlled) study.solver.h = machine.end / steps;
  study.solver.rtol = study.solver.atol = tolerance;
  return study;
}

// Positions and velocities of all bodies at the end, velocities relative to their size.
Eigen::VectorXd end_of(const Study& study) {
  const Recorded recorded = run(study);
  std::vector<double> numbers;
  for (const BodySpec& body : study.model.bodies) {
    const Eigen::VectorXd q = recorded.last(body.name + ".position"), v = recorded.last(body.name + ".velocity");
    numbers.insert(numbers.end(), q.begin(), q.end());
    for (const double x : v) numbers.push_back(x / (1.0 + v.norm()));
  }
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

class IntegratorsAgree : public testing::TestWithParam<Machine> {};

TEST_P(IntegratorsAgree, on_positions_and_velocities) {
  const Machine& machine = GetParam();
  const Method reference_method{"radau", "stabilized_index2", 3, false, true};
  Study precise = study_of(machine, reference_method, 0);
  precise.solver.rtol = precise.solver.atol = 1e-11;
  const Eigen::VectorXd reference = end_of(precise);
  for (const Method& method : methods) {
    Eigen::VectorXd end = end_of(study_of(machine, method, n_steps));
    if (method.first_order) {
      const Eigen::VectorXd half = end_of(study_of(machine, method, 2 * n_steps));
      end = (8.0 * end_of(study_of(machine, method, 4 * n_steps)) - 6.0 * half + end) / 3.0;
    }
    EXPECT_LT((end - reference).lpNorm<Eigen::Infinity>(), limit)
        << method.integrator << " " << method.formulation << " " << method.stages << (method.controlled ? " tol" : "");
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, IntegratorsAgree, testing::ValuesIn(machines), [](const auto& machine) {
  std::string name = machine.param.file;
  name = name.substr(name.rfind('/') + 1);
  return name.substr(0, name.find('.'));
});

}  // namespace
}  // namespace trammel
