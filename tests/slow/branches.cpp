#include <iostream>

#include "claims/run_model.h"
#include "support/one_freedom.h"

/// Rows of 2, 10 and 40 parallelograms for 10 s through ten flat positions: every method, both coordinate sets, all
/// tolerances stay on the branch, with the errors that stand in docs/robustness.md.
namespace trammel::test_slow_branches {
namespace {

using namespace one_freedom;

struct Method {
  const char* integrator;
  double limits[3];  ///< of positions at 1e-4, 1e-7 and 1e-10 [m]
};

constexpr double tolerances[] = {1e-4, 1e-7, 1e-10};

class Branches : public ::testing::TestWithParam<std::tuple<Method, const char*, int, int>> {};

TEST_P(Branches, parallelograms_stay_parallelograms) {
  const auto& [method, coordinates, n, k] = GetParam();
  const double tol = tolerances[k];
  const Machine machine = make_parallelograms(n);
  const Motion start(0.0, 1.0);
  Simulation simulation(read_study_text(
      write_model(machine, start, {}) + "[analysis]\nend = 10\n", "model.toml",
      SetList{fmt::format("solver.integrator={}", method.integrator), fmt::format("solver.coordinates={}", coordinates),
              set("solver.rtol", tol), set("solver.atol", tol)}));
  MemoryRecord record;
  const Summary summary = simulation.run(record);
  const Errors e = compare(record, machine, start, {}, [](double phi) { return std::abs(std::cos(phi)) > 0.2; });
  std::cout << fmt::format(
      "| `{}`, {} | {} | {:.0e} | {:.1e} m | {:.1e} m/s | {:.1e} N of {:.0f} | {} steps | {:.2f} s{} |\n",
      method.integrator, coordinates, n, tol, e.position, e.velocity, e.reaction, e.largest_reaction, summary.steps,
      summary.wall_time, summary.completed ? "" : " | " + summary.failure);
  EXPECT_TRUE(summary.completed) << summary.failure;
  EXPECT_LT(e.position, method.limits[k]);
}

INSTANTIATE_TEST_SUITE_P(Rows, Branches,
                         ::testing::Combine(::testing::Values(Method{"radau", {5e-3, 2e-6, 1e-9}},
                                                              Method{"runge_kutta", {1e-1, 2e-5, 1e-9}},
                                                              Method{"bdf", {1.0, 2e-3, 1e-6}},
                                                              Method{"generalized_alpha", {1.0, 1e-1, 1e-2}}),
                                            ::testing::Values("absolute", "joint"), ::testing::Values(2, 10, 40),
                                            ::testing::Values(0, 1, 2)),
                         [](const auto& of) {
                           return fmt::format("{}_{}_{}_{}", std::get<0>(of.param).integrator, std::get<1>(of.param),
                                              std::get<2>(of.param), std::get<3>(of.param));
                         });

}  // namespace
}  // namespace trammel::test_slow_branches
