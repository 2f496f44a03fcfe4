// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include "support/chain.h"
#include "trammel/dae/motion_operator.h"
#include "trammel/formulations/scaling.h"
#include "trammel/simulation/simulation.h"

// The parts of a step of a falling chain of N links, and the whole step, with the cost per body.
//
//   ./dev bench --benchmark_filter=step

namespace trammel {
namespace {

constexpr double h = 1e-3;
// δv̇ = a δq, δv = v δq of generalized-alpha with ρ∞ = 0.8 at this step size, to two digits: only speed depends on it.
constexpr MotionCoefficients coefficients{3.2 / (h * h), 1.8 / h, 1.0 / h, 1.8 / h};

void report_per_body(benchmark::State& state, int n) {
  state.counters["per_body"] = benchmark::Counter(
      static_cast<double>(n), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// A chain after a few steps, so that it moves.
struct MovingChain {
  Simulation simulation;
  std::unique_ptr<Workspace> workspace;
  MotionVariables x;
  InputBuffer inputs;
  Eigen::VectorXd r;

  MovingChain(int n, bool planar) : simulation(testing::chain(n, planar)) {
    for (int i = 0; i < 5; ++i) static_cast<void>(simulation.integrator().advance(1.0, simulation.state()));
    simulation.integrator().commit(simulation.state());
    x = simulation.integrator().newest();
    workspace = dae().make_workspace();
    dae().calc_inputs(x.t, inputs);
    r.setZero(dae().layout().n());
  }
  const SecondOrderDae& dae() const { return simulation.dae(); }
  MotionPoint point() const { return x.point(inputs.view()); }
};

void residual(benchmark::State& state, bool planar) {
  const int n = static_cast<int>(state.range(0));
  MovingChain c(n, planar);
  const int nv = c.dae().nv(), nz = c.dae().nz(), nc = c.dae().nc();
  for (auto _ : state)
    benchmark::DoNotOptimize(c.dae().residual(c.point(), c.simulation.state(), c.r.head(nv), c.r.segment(nv, nz),
                                              c.r.tail(nc), *c.workspace));
  report_per_body(state, n);
}

void linearize(benchmark::State& state, bool planar) {
  const int n = static_cast<int>(state.range(0));
  MovingChain c(n, planar);
  MotionPlanes planes;  // patterns are made by the first call, which is not measured
  static_cast<void>(c.dae().linearize(c.point(), c.simulation.state(), PlaneSet::all, planes, *c.workspace));
  for (auto _ : state)
    benchmark::DoNotOptimize(c.dae().linearize(c.point(), c.simulation.state(), PlaneSet::all, planes, *c.workspace));
  report_per_body(state, n);
}

void factor(benchmark::State& state, bool planar) {
  const int n = static_cast<int>(state.range(0));
  MovingChain c(n, planar);
  const PhysicalScaling scaling({});
  MotionOperator matrix(c.dae(), LinearSolverKind::automatic, scaling);
  static_cast<void>(matrix.setup(c.point(), c.simulation.state(), coefficients, h, MotionOperator::Refresh::linearize,
                                 *c.workspace));  // the ordering and the first pivots are not measured
  for (auto _ : state)
    benchmark::DoNotOptimize(
        matrix.setup(c.point(), c.simulation.state(), coefficients, h, MotionOperator::Refresh::combine, *c.workspace));
  report_per_body(state, n);
}

void solve(benchmark::State& state, bool planar) {
  const int n = static_cast<int>(state.range(0));
  MovingChain c(n, planar);
  const PhysicalScaling scaling({});
  MotionOperator matrix(c.dae(), LinearSolverKind::automatic, scaling);
  static_cast<void>(
      matrix.setup(c.point(), c.simulation.state(), coefficients, h, MotionOperator::Refresh::linearize, *c.workspace));
  for (auto _ : state) {
    c.r.setOnes();
    benchmark::DoNotOptimize(matrix.solve(c.r));
  }
  report_per_body(state, n);
}

void step(benchmark::State& state, bool planar) {
  const int n = static_cast<int>(state.range(0));
  MovingChain c(n, planar);
  long iterations = 0, factorizations = 0;
  for (auto _ : state) {
    const StepReport report = c.simulation.integrator().advance(10.0, c.simulation.state());
    if (!report.status.ok()) {
      state.SkipWithError("the step failed");
      break;
    }
    iterations += report.iterations, factorizations += report.factorizations;
  }
  report_per_body(state, n);
  using benchmark::Counter;
  state.counters["iterations"] = Counter(static_cast<double>(iterations), Counter::kAvgIterations);
  state.counters["factorizations"] = Counter(static_cast<double>(factorizations), Counter::kAvgIterations);
}

constexpr int steps_taken = 100;  // the first tenth of a second: the fall is smooth and the same for every N

BENCHMARK_CAPTURE(residual, spatial, false)->RangeMultiplier(10)->Range(10, 10000)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(residual, planar, true)->RangeMultiplier(10)->Range(10, 10000)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(linearize, spatial, false)->RangeMultiplier(10)->Range(10, 10000)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(linearize, planar, true)->RangeMultiplier(10)->Range(10, 10000)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(factor, spatial, false)->RangeMultiplier(10)->Range(10, 10000)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(factor, planar, true)->RangeMultiplier(10)->Range(10, 10000)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(solve, spatial, false)->RangeMultiplier(10)->Range(10, 10000)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(solve, planar, true)->RangeMultiplier(10)->Range(10, 10000)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(step, spatial, false)
    ->RangeMultiplier(10)
    ->Range(10, 10000)
    ->Iterations(steps_taken)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(step, planar, true)
    ->RangeMultiplier(10)
    ->Range(10, 10000)
    ->Iterations(steps_taken)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace trammel

BENCHMARK_MAIN();
