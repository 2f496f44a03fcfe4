// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/one_freedom.h"
#include "trammel/io/model_reader.h"
#include "trammel/simulation/simulation.h"

/// A row of parallelograms passes positions in which all its rods are in line: constraints lose rank there, and each
/// parallelogram could go on crossed. On the branch on which it moves it has one freedom, the angle φ of its cranks:
///
///   φ″ = k sin φ,   k = g ((N + 1)/2 + N) / ((N + 1)/3 + N)      (cranks and couplers of 1 kg and 1 m, φ from upright)
namespace trammel::test_singular_positions {
namespace {

using namespace one_freedom;

constexpr double pi = 3.14159265358979323846;

struct Ended {
  Summary summary;
  double error;
};

std::string parallelograms(int n, double phi, double w, const std::string& solver, double end) {
  return write_model(make_parallelograms(n), {phi, w}, {}) +
         fmt::format("[analysis]\nend = {}\n[solver]\n{}\n", end, solver);
}

Ended run_parallelograms(int n, double phi, double w, const std::string& solver, double end) {
  Simulation simulation(read_study_text(parallelograms(n, phi, w, solver, end), "model.toml"));
  MemoryRecord record;
  Ended ended{simulation.run(record), 0.0};
  ended.error = compare(record, make_parallelograms(n), {phi, w}, {}).position;
  return ended;
}

bool says(const Summary& summary, const std::string& words) {
  for (const std::string& note : summary.notes)
    if (note.find(words) != std::string::npos) return true;
  return false;
}

// Errors are those of the methods: a fall from the top multiplies them by some 100 within 3 s.
TEST(SingularPositions, every_method_stays_on_its_branch) {
  struct Case {
    const char* solver;
    double limit;
  };
  for (const Case& c : {Case{"integrator = \"radau\"\nrtol = 1e-4\natol = 1e-4", 1e-2},
                        Case{"integrator = \"radau\"\nrtol = 1e-10\natol = 1e-10", 1e-9},
                        Case{"integrator = \"runge_kutta\"\nrtol = 1e-4\natol = 1e-4", 5e-2},
                        Case{"integrator = \"runge_kutta\"\nrtol = 1e-10\natol = 1e-10", 1e-9},
                        Case{"integrator = \"bdf\"\nrtol = 1e-4\natol = 1e-4", 2e-1},
                        Case{"integrator = \"bdf\"\nrtol = 1e-10\natol = 1e-10", 1e-6},
                        Case{"integrator = \"generalized_alpha\"\nrtol = 1e-7\natol = 1e-7", 2e-2},
                        Case{"integrator = \"midpoint\"\nrtol = 1e-7\natol = 1e-7", 1e-2},
                        Case{"integrator = \"energy_decaying\"\nrtol = 1e-6\natol = 1e-6", 2e-2}})
    for (const char* coordinates : {"absolute", "joint"}) {
      if (std::string(c.solver).find("energy") != std::string::npos && coordinates[0] == 'j') continue;
      SCOPED_TRACE(fmt::format("{} {}", c.solver, coordinates));
      const Ended ended =
          run_parallelograms(2, 0.0, 1.0, fmt::format("{}\ncoordinates = \"{}\"", c.solver, coordinates), 3.5);
      EXPECT_TRUE(ended.summary.completed) << ended.summary.failure;
      EXPECT_LT(ended.error, c.limit);
      EXPECT_TRUE(says(ended.summary, c.limit < 4e-2 ? "passed 4 singular positions" : "singular position"));
    }
}

// Left out, the row that is dependent in the drawn position alone would let the loop open by 2 m.
TEST(SingularPositions, a_machine_drawn_in_one_keeps_its_rows) {
  for (const char* policy : {"drop", "minimum_norm"})
    for (const char* solver : {"integrator = \"generalized_alpha\"\nrtol = 1e-7\natol = 1e-7", "integrator = \"bdf\"",
                               "integrator = \"generalized_alpha\"\nh = 1e-3"})
      for (const char* coordinates : {"absolute", "joint"}) {
        SCOPED_TRACE(fmt::format("{} {} {}", policy, solver, coordinates));
        const Ended ended = run_parallelograms(
            1, pi / 2, 3.0, fmt::format("{}\ncoordinates = \"{}\"\nredundant = \"{}\"", solver, coordinates, policy),
            1.0);
        EXPECT_TRUE(ended.summary.completed) << ended.summary.failure;
        EXPECT_LT(ended.error, 1e-2);
        EXPECT_LT(ended.summary.position_drift, 1e-6);
        EXPECT_EQ(ended.summary.degrees_of_freedom, 1);
        EXPECT_TRUE(says(ended.summary, "drawn in a singular position"));
      }
}

TEST(SingularPositions, at_rest_in_one_nothing_tells_which_motion_is_meant) {
  try {
    Simulation simulation(read_study_text(parallelograms(1, pi / 2, 0.0, "redundant = \"drop\"", 1.0), "model.toml"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("singular position"), std::string::npos) << error.what();
  }
}

// Swinging below the flat positions, nothing is passed and nothing is said.
TEST(SingularPositions, none_is_passed_by_a_machine_that_turns_before_it) {
  const Ended ended = run_parallelograms(2, pi - 1.2, 0.0, "integrator = \"bdf\"\nrtol = 1e-7\natol = 1e-7", 5.0);
  EXPECT_TRUE(ended.summary.completed) << ended.summary.failure;
  EXPECT_LT(ended.error, 1e-3);
  EXPECT_FALSE(says(ended.summary, "singular"));
}

// Machines of other kinds, on the branch on which they move, in closed form: all frames, velocities and, away from the
// position, reactions. In space a small singular value that does not change hides the one that falls.
TEST(SingularPositions, slider_cranks_and_crossed_loops_in_space_go_on_as_they_were) {
  Drawn tilted;
  tilted.spatial = true;
  tilted.Q = (Eigen::AngleAxisd(0.7, Eigen::Vector3d::UnitX()) * Eigen::AngleAxisd(-0.4, Eigen::Vector3d::UnitZ()))
                 .toRotationMatrix();
  struct Case {
    Machine machine;
    Motion start;
    double end;
    Drawn drawn;
    bool flat_at_zero;  // and at multiples of π; else halfway
  };
  const Case cases[] = {{make_slider_crank(0.4, 0.5, 2.0), {0.3, 6.0}, 1.0, {}, false},
                        {make_antiparallelogram(0.3, 1.0, 2.0), {0.8, 9.0}, 1.0, tilted, true}};
  // The error at the end, of methods at their tolerances; velocities are some 20 rad/s times as large.
  const std::pair<const char*, double> methods[] = {
      {"integrator = \"radau\"\nrtol = 1e-7\natol = 1e-7", 1e-7},
      {"integrator = \"radau\"\nrtol = 1e-10\natol = 1e-10", 1e-9},
      {"integrator = \"runge_kutta\"\nrtol = 1e-7\natol = 1e-7", 5e-6},
      {"integrator = \"runge_kutta\"\nrtol = 1e-10\natol = 1e-10", 1e-9},
      {"integrator = \"bdf\"\nrtol = 1e-7\natol = 1e-7", 1e-4},
      {"integrator = \"bdf\"\nrtol = 1e-10\natol = 1e-10", 1e-6},
      {"integrator = \"generalized_alpha\"\nrtol = 1e-6\natol = 1e-6", 5e-3}};
  for (const Case& c : cases)
    for (const auto& [solver, limit] : methods)
      for (const char* coordinates : {"absolute", "joint"}) {
        SCOPED_TRACE(fmt::format("{} {} {}", c.machine.parts[1].name, solver, coordinates));
        Simulation simulation(read_study_text(
            write_model(c.machine, c.start, c.drawn) +
                fmt::format("[analysis]\nend = {}\n[solver]\n{}\ncoordinates = \"{}\"\n", c.end, solver, coordinates),
            "model.toml"));
        MemoryRecord record;
        const Summary summary = simulation.run(record);
        EXPECT_TRUE(summary.completed) << summary.failure;
        const Errors e = compare(record, c.machine, c.start, c.drawn,
                                 [&](double s) { return std::abs(c.flat_at_zero ? std::sin(s) : std::cos(s)) > 0.2; });
        EXPECT_LT(e.position, limit);
        EXPECT_LT(e.velocity, 40.0 * limit);
        EXPECT_LT(e.rate, 200.0 * limit);  // of the coupler, which turns fastest at the position
        EXPECT_LT(e.reaction, 50.0 * limit * e.largest_reaction);
        EXPECT_TRUE(says(summary, "singular position"));
      }
}

// At 1e-10 what rounding leaves of Φ, times 1/σ, exceeds the tolerance of positions (7e-13 m) before a position is near
// enough to be passed. It is no error that shorter steps make smaller: they would be shortened until they vanish.
TEST(SingularPositions, rounding_before_one_shortens_no_step) {
  Machine machine = make_slider_crank(2.0, 3.0, 0.2);
  machine.gravity = {4.0, -3.0};
  const Motion start{-0.5, 3.0};
  Simulation simulation(read_study_text(write_model(machine, start, {}) +
                                            "[analysis]\nend = 4\n[solver]\nintegrator = \"generalized_alpha\"\n"
                                            "coordinates = \"joint\"\nrtol = 1e-10\natol = 1e-10\n",
                                        "model.toml"));
  MemoryRecord record;
  const Summary summary = simulation.run(record);
  EXPECT_TRUE(summary.completed) << summary.failure;
  EXPECT_LT(summary.rejected_error, 100);
  EXPECT_LT(compare(record, machine, start, {}).position, 1e-6);
}

}  // namespace
}  // namespace trammel::test_singular_positions
