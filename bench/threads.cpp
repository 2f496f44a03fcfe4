// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <functional>

#include "trammel/base/processor_time.h"
#include "trammel/base/threads.h"
#include "trammel/dae/motion_operator.h"
#include "trammel/formulations/scaling.h"
#include "trammel/io/model_reader.h"
#include "trammel/simulation/simulation.h"

// What threads save of the parts of a step of large machines.
//
//   ./dev bench threads [N]
//
// Each part is repeated in turns with one thread and with N (default: one for each core); the table has the best of the
// turns: time by the clock, and the processor time of the calling thread, which tells on a busy machine as well what
// the others took over as long as the parts are equal.

namespace trammel {
namespace {

struct Machine {
  std::string name, text;
  std::vector<std::string> settings;
};

std::string beam(int n) {
  return fmt::format(R"(
gravity = [0, 0, -9.81]
[[beam]]
name = "arm"
points = [[0, 0, 0], [10, 0, 0]]
elements = {}
section = {{ kind = "tube", radius = 0.02, inner_radius = 0.017 }}
material = {{ young = 70e9, density = 2700 }}
damping = 1e-4
[[joint]]
name = "clamp"
kind = "fixed"
bodies = ["ground", "arm_0"]
point = [0, 0, 0]
[analysis]
end = 1
[solver]
integrator = "generalized_alpha"
h = 1e-4
)",
                     n);
}

std::vector<Machine> machines() {
  const std::string models = TRAMMEL_SOURCE_DIR "/examples/models";
  const std::vector<std::string> settings{"solver.coordinates=absolute", "solver.integrator=generalized_alpha"};
  const auto with = [&](const std::string& size) {
    std::vector<std::string> all = settings;
    all.push_back(size);
    return all;
  };
  return {{"chain of 11 000", models + "/chain.toml", with("parameters.N=11000")},
          {"net 100 × 100", models + "/net.toml", with("parameters.M=100")},
          {"beam of 4000", beam(4000), {}}};
}

struct Time {
  double clock = 1e9, processor = 1e9;
};

// The best of several calls.
void measure(const std::function<void()>& part, Time& best) {
  using Clock = std::chrono::steady_clock;
  for (int k = 0; k < 3; ++k) {
    const double processor = processor_seconds();
    const Clock::time_point begin = Clock::now();
    part();
    best.clock = std::min(best.clock, std::chrono::duration<double>(Clock::now() - begin).count());
    best.processor = std::min(best.processor, processor_seconds() - processor);
  }
}

void compare(const Machine& machine, int n_threads) {
  Simulation simulation(machine.settings.empty() ? read_study_text(machine.text, "machine.toml")
                                                 : read_study(machine.text, machine.settings));
  for (int k = 0; k < 2; ++k) static_cast<void>(simulation.integrator().advance(1.0, simulation.state()));
  simulation.integrator().commit(simulation.state());
  const MotionVariables x = simulation.integrator().newest();
  const SecondOrderDae& dae = simulation.dae();
  const std::unique_ptr<Workspace> workspace = dae.make_workspace();
  InputBuffer inputs;
  dae.calc_inputs(x.t, inputs);
  const MotionPoint point = x.point(inputs.view());
  const int nv = dae.nv(), nz = dae.nz(), nc = dae.nc();
  Eigen::VectorXd r = Eigen::VectorXd::Zero(nv + nz + nc);

  const double h = *simulation.settings().solver.h;
  const MotionCoefficients coefficients{3.2 / (h * h), 1.8 / h, 1.0 / h, 1.8 / h};
  const PhysicalScaling scaling({});
  MotionOperator matrix(dae, LinearSolverKind::sparse_ldlt, scaling);
  MotionPlanes planes;
  const std::pair<const char*, std::function<void()>> parts[] = {
      {"residual",
       [&] {
         static_cast<void>(
             dae.residual(point, simulation.state(), r.head(nv), r.segment(nv, nz), r.tail(nc), *workspace));
       }},
      {"assembly",
       [&] { static_cast<void>(dae.linearize(point, simulation.state(), PlaneSet::all, planes, *workspace)); }},
      {"matrix and factors",
       [&] {
         static_cast<void>(
             matrix.setup(point, simulation.state(), coefficients, h, MotionOperator::Refresh::combine, *workspace));
       }},
      {"solution", [&] {
         r.setOnes();
         static_cast<void>(matrix.solve(r));
       }}};
  for (const auto& part : parts) part.second();  // patterns and orders are not measured
  for (const auto& [name, part] : parts) {
    Time alone, together;
    for (int turn = 0; turn < 7; ++turn) {
      measure(part, alone);
      const ThreadScope scope(n_threads);
      part();  // starts the threads
      measure(part, together);
    }
    fmt::print("| {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} |\n", machine.name, name, 1e3 * alone.clock,
               1e3 * together.clock, alone.clock / together.clock, alone.processor / together.processor);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace trammel

int main(int argc, char** argv) {
  const int n_threads = argc > 1 ? std::atoi(argv[1]) : trammel::count_allowed_cores();
  fmt::print(
      "| machine | part | 1 thread [ms] | {} threads [ms] | ratio | ratio, processor time of the caller "
      "|\n|---|---|---|---|---|---|\n",
      n_threads);
  for (const trammel::Machine& machine : trammel::machines()) trammel::compare(machine, n_threads);
}
