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
  all.push_back({"antiparallelogram, spatial", make_antiparallelogram(0.3, 1.0, 2.0), {0.8, 9.0}, 3.0, tilted, away_from_line});
  all.push_back({"parallelogram, uneven", make_parallelograms(1, 0.3, 1.7), {0.2, 4.0}, 4.0, {}, away_from_upright});
  all.back().machine.parts[0].mass = 4.0, all.back().machine.parts[2].inertia = 2.0;
  all.push_back({"parallelogram, spatial", make_parallelograms(1, 0.8, 0.5), {0.2, 4.0}, 4.0, tilted, away_from_upright});
  all.back().machine.pins[1].kind = "cylindrical", all.back().machine.pins[3].kind = "spherical";
  return all;
}

TEST(Others, stay_on_their_branch) {
  const char* only = getenv("ONLY");
  for (const Other& o : make_others())
    for (const char* integrator : {"radau", "runge_kutta", "bdf", "generalized_alpha"})
      for (const char* coordinates : {"absolute", "joint"})
        for (const double tol : tolerances) {
          if (only && std::string(o.name) + " " + integrator != only) continue;
          Simulation simulation(read_study_text(
              write_model(o.machine, o.start, o.drawn) + fmt::format("[analysis]\nend = {}\n", o.end), "model.toml",
              SetList{fmt::format("solver.integrator={}", integrator), fmt::format("solver.coordinates={}", coordinates),
                      set("solver.rtol", tol), set("solver.atol", tol)}));
          MemoryRecord record;
          const Summary summary = simulation.run(record);
          const Errors e = compare(record, o.machine, o.start, o.drawn, o.is_regular);
          std::cout << fmt::format(
              "| {} | {} {} {:.0e} | {:.1e} m | {:.1e} m/s at {:.3f} | {:.1e} 1/s | {:.1e} N of {:.0f} at {:.3f} | {} steps | {:.2f} s | {} |\n",
              o.name, integrator, coordinates, tol, e.position, e.velocity, e.t_velocity, e.rate, e.reaction,
              e.largest_reaction, e.t_reaction, summary.steps, summary.wall_time, summary.completed ? "" : summary.failure);
          for (const std::string& note : summary.notes)
            if (note.find("singular") != std::string::npos) std::cout << "    " << note.substr(0, 100) << "\n";
        }
}

}  // namespace
}  // namespace trammel::test_slow_branches
