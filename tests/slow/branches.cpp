// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "claims/run_model.h"
#include "support/one_freedom.h"

/// Machines that pass singular positions stay on their branch with every method, both coordinate sets, all tolerances:
/// rows of 2, 10 and 40 parallelograms for 10 s through ten flat positions, and machines of other kinds. The errors
/// stand in docs/robustness.md.
namespace trammel::test_slow_branches {
namespace {

using namespace one_freedom;

struct Method {
  const char* integrator;
  double rows[3], others[3];  ///< limits of positions at 1e-4, 1e-7 and 1e-10 [m], geometric means between them
};

// At 1e-10 rows leave 1e-7 … 2.5e-6 m with BDF, by where its steps happen to end, and generalized-α is at the rounding
// of rows of 40 m near a position, 1.1e-5 m.
constexpr Method methods[] = {{"radau", {2e-2, 3e-6, 1e-9}, {1e-3, 2e-7, 1e-9}},
                              {"runge_kutta", {1e-1, 5e-5, 1e-9}, {1e-2, 1e-5, 1e-9}},
                              {"bdf", {5e-1, 2e-3, 4e-6}, {5e-2, 2e-4, 5e-7}},
                              {"generalized_alpha", {1.5, 5e-3, 2e-5}, {3e-1, 1e-3, 1e-6}}};

constexpr double tolerances[] = {1e-4, 1e-7, 1e-10};

/// At a tolerance of 10⁻ⁿ.
double calc_limit(const double (&limits)[3], int n) {
  const int i = n < 7 ? 0 : 1;
  const double part = (n - 4 - 3 * i) / 3.0;
  return std::pow(limits[i], 1.0 - part) * std::pow(limits[i + 1], part);
}

struct Ended {
  Summary summary;
  Errors errors;
};

Ended run_machine(const Machine& machine, const Motion& start, double end, const Drawn& drawn, const Method& method,
                  const std::string& coordinates, double tol, const std::function<bool(double)>& is_regular) {
  Simulation simulation(read_study_text(
      write_model(machine, start, drawn) + fmt::format("[analysis]\nend = {}\n", end), "model.toml",
      SetList{fmt::format("solver.integrator={}", method.integrator), fmt::format("solver.coordinates={}", coordinates),
              set("solver.rtol", tol), set("solver.atol", tol)}));
  MemoryRecord record;
  Ended ended{simulation.run(record), {}};
  EXPECT_TRUE(ended.summary.completed) << ended.summary.failure;
  ended.errors = compare(record, machine, start, drawn, is_regular);
  const Errors& e = ended.errors;
  std::cout << fmt::format(
      "{} {}, {:.0e}: {:.1e} m, {:.1e} m/s, {:.1e} rad/s, {:.1e} of {:.0f} N, {} steps, {:.2f} s\n", method.integrator,
      coordinates, tol, e.position, e.velocity, e.rate, e.reaction, e.largest_reaction, ended.summary.steps,
      ended.summary.wall_time);
  return ended;
}

class Branches : public ::testing::TestWithParam<std::tuple<Method, const char*, int, int>> {};

TEST_P(Branches, parallelograms_stay_parallelograms) {
  const auto& [method, coordinates, n, decade] = GetParam();
  std::cout << n << " parallelograms, ";
  const Errors e = run_machine(make_parallelograms(n), {0.0, 1.0}, 10.0, {}, method, coordinates,
                               std::pow(10.0, -decade), [](double phi) { return std::abs(std::cos(phi)) > 0.2; })
                       .errors;
  // They turn with 7 rad/s. Frames near a position are projected, which amplifies what rounding leaves of rows.
  const double limit = calc_limit(method.rows, decade);
  EXPECT_LT(e.position, limit);
  EXPECT_LT(e.velocity, 10.0 * limit);
  EXPECT_LT(e.reaction, 20.0 * limit * e.largest_reaction);
}

INSTANTIATE_TEST_SUITE_P(Rows, Branches,
                         ::testing::Combine(::testing::ValuesIn(methods), ::testing::Values("absolute", "joint"),
                                            ::testing::Values(2, 10, 40), ::testing::Range(4, 11)),
                         [](const auto& of) {
                           return fmt::format("{}_{}_{}_decade_{}", std::get<0>(of.param).integrator,
                                              std::get<1>(of.param), std::get<2>(of.param), std::get<3>(of.param));
                         });

struct Other {
  const char* name;
  Machine machine;
  Motion start;
  double end;
  Drawn drawn;
  std::function<bool(double)> is_regular;
};

std::vector<Other> make_others() {
  const auto away_from_upright = [](double s) { return std::abs(std::cos(s)) > 0.2; };
  const auto away_from_line = [](double s) { return std::abs(std::sin(s)) > 0.2; };
  Drawn tilted;
  tilted.spatial = true;
  tilted.Q = (Eigen::AngleAxisd(0.7, Eigen::Vector3d::UnitX()) * Eigen::AngleAxisd(-0.4, Eigen::Vector3d::UnitZ()))
                 .toRotationMatrix();
  std::vector<Other> all;
  all.push_back({"slider crank", make_slider_crank(0.4, 0.5, 2.0), {0.3, 6.0}, 4.0, {}, away_from_upright});
  all.push_back({"slider crank, sideways", make_slider_crank(2.0, 3.0, 0.2), {-0.5, 3.0}, 4.0, {}, away_from_upright});
  all.back().machine.gravity = {4.0, -3.0};
  all.push_back({"antiparallelogram", make_antiparallelogram(0.5, 1.3, 0.7), {0.8, 5.0}, 4.0, {}, away_from_line});
  all.push_back(
      {"antiparallelogram, spatial", make_antiparallelogram(0.3, 1.0, 2.0), {0.8, 9.0}, 3.0, tilted, away_from_line});
  all.push_back({"parallelogram, uneven", make_parallelograms(1, 0.3, 1.7), {0.2, 4.0}, 4.0, {}, away_from_upright});
  all.back().machine.parts[0].mass = 4.0, all.back().machine.parts[2].inertia = 2.0;
  all.push_back(
      {"parallelogram, spatial", make_parallelograms(1, 0.8, 0.5), {0.2, 4.0}, 4.0, tilted, away_from_upright});
  all.back().machine.pins[1].kind = "cylindrical", all.back().machine.pins[3].kind = "spherical";
  return all;
}

class Others : public ::testing::TestWithParam<Method> {};

TEST_P(Others, stay_on_their_branch) {
  const Method& method = GetParam();
  for (const Other& o : make_others())
    for (const char* coordinates : {"absolute", "joint"})
      for (int k = 0; k < 3; ++k) {
        SCOPED_TRACE(fmt::format("{} {} {}", o.name, coordinates, tolerances[k]));
        std::cout << o.name << ", ";
        const Errors e =
            run_machine(o.machine, o.start, o.end, o.drawn, method, coordinates, tolerances[k], o.is_regular).errors;
        EXPECT_LT(e.position, method.others[k]);
        EXPECT_LT(e.velocity, 50.0 * method.others[k]);
        EXPECT_LT(e.rate, 100.0 * method.others[k]);
        EXPECT_LT(e.reaction, 100.0 * method.others[k] * e.largest_reaction);
      }
}

INSTANTIATE_TEST_SUITE_P(Methods, Others, ::testing::ValuesIn(methods),
                         [](const auto& of) { return std::string(of.param.integrator); });

}  // namespace
}  // namespace trammel::test_slow_branches
