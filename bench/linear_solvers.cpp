// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <map>
#include <string>

#include "support/chain.h"
#include "support/motion_matrix.h"

// Refactorization and solution of the scaled iteration matrices of long machines, with every linear solver.
//
//   ./dev bench --benchmark_filter=linear_solvers/chain_1000

namespace trammel {
namespace {

constexpr double h = 1e-3;

struct Machine {
  const char* name;
  Study (*study)();
};
const Machine machines[] = {
    {"chain_100", [] { return testing::chain(100); }},
    {"chain_1000", [] { return testing::chain(1000); }},
    {"net_30x30", [] { return read_study(TRAMMEL_SOURCE_DIR "/examples/models/net.toml"); }},
};

/// Made once for all solvers.
const testing::MotionMatrix& matrix_of(const Machine& machine, double rho) {
  static std::map<std::pair<std::string, double>, testing::MotionMatrix> made;
  const auto [place, is_new] = made.try_emplace({machine.name, rho});
  if (is_new) place->second = testing::make_motion_matrix(machine.study(), rho, h, 1);
  return place->second;
}

void measure(benchmark::State& state, const Machine& machine, double rho, LinearSolverKind kind, bool factors) {
  const testing::MotionMatrix& A = matrix_of(machine, rho);
  const std::unique_ptr<LinearSolver<double>> solver = make_linear_solver(kind, A.pattern.n_cols);
  const std::vector<double> ones(static_cast<std::size_t>(A.pattern.n_cols), 1.0);
  std::vector<double> b = ones;
  if (!solver->analyze(A.pattern, A.hint).ok() || !solver->factor(A.values).ok()) {
    state.SkipWithError("refused");
    return;
  }
  for (auto _ : state) {
    if (factors) {
      benchmark::DoNotOptimize(solver->refactor(A.values));
    } else {
      b = ones;
      benchmark::DoNotOptimize(solver->solve(std::span<double>(b)));
    }
  }
  state.counters["numbers"] = static_cast<double>(solver->counters().nnz_factors);
  state.counters["unknowns"] = static_cast<double>(A.pattern.n_cols);
}

const bool registered = [] {
  for (const Machine& machine : machines)
    for (const double rho : {0.0, 1.0})
      for (const std::string& word : linear_solver_kind_names()) {
        const LinearSolverKind kind = parse_linear_solver_kind(word);
        const bool long_machine = std::string(machine.name) != "chain_100";
        if (kind == LinearSolverKind::dense && long_machine) continue;  // minutes and gigabytes
        for (const bool factors : {true, false})
          benchmark::RegisterBenchmark(
              fmt::format("linear_solvers/{}/rho_{}/{}/{}", machine.name, rho, word, factors ? "refactor" : "solve")
                  .c_str(),
              [=, &machine](benchmark::State& state) { measure(state, machine, rho, kind, factors); })
              ->Unit(benchmark::kMicrosecond);
      }
  return true;
}();

}  // namespace
}  // namespace trammel
