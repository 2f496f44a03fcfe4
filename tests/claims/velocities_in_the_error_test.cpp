// SPDX-License-Identifier: Apache-2.0
#include "run_model.h"

/// Velocities are in the error test of the one-step methods, and their tolerance is such that positions, velocities and
/// reactions of a run err in proportion to it, over all recorded frames.
namespace trammel::test_velocities {
namespace {

struct Machine {
  const char* file;
  double end;
};

struct Method {
  const char* integrator;
  double slope;  // decades of error per decade of tolerance
  int digits;    // of the finest tolerance
};

// An error of h³ in every step is one of h² in the run, and tolerances are tightened so that this falls as they do,
// from 1e-5 on: ⅔ of a decade before it, 1 after it; ½ and 1 with Newmark and γ > ½, of first order.
const std::vector<Method> methods{
    {"generalized_alpha", 0.8, 7}, {"hht", 0.8, 7}, {"midpoint", 0.8, 7}, {"newmark", 0.85, 6}};

// A closed loop with a spring, a chaotic tree, spatial loops of turning bodies.
const std::vector<Machine> machines{{"04_four_bar/four_bar.toml", 0.4},
                                    {"02_double_pendulum/double_pendulum.toml", 1.0},
                                    {"models/spatial_four_bar.toml", 0.5}};

Recorded run_machine(const Machine& machine, const std::string& integrator, const std::string& coordinates,
                     const std::string& tol) {
  SetList list{"solver.h=", "solver.integrator=" + integrator, "solver.coordinates=" + coordinates,
               set("analysis.end", machine.end)};
  list.push_back("solver.rtol=" + tol), list.push_back("solver.atol=" + tol);
  return run_example(machine.file, list);
}

/// Largest difference of a quantity of all bodies or joints over all frames, relative to its peak.
double difference(const Recorded& a, const Recorded& b, const std::string& quantity) {
  double largest = 0.0, peak = 0.0;
  for (const RecordGroup& group : b.record.schema().frames) {
    if (group.quantity() != quantity) continue;
    for (const std::string& name : group.names) {
      const Eigen::MatrixXd x = a.values(name + "." + quantity), y = b.values(name + "." + quantity);
      largest = std::max(largest, (x - y).cwiseAbs().maxCoeff());
      peak = std::max(peak, y.cwiseAbs().maxCoeff());
    }
  }
  EXPECT_GT(peak, 0.0) << quantity;
  return largest / peak;
}

TEST(Velocities, positions_and_reactions_err_in_proportion_to_the_tolerance) {
  for (const Machine& machine : machines) {
    const Recorded exact = run_machine(machine, "radau", "absolute", "1e-10");
    for (const Method& method : methods)
      for (const char* coordinates : {"absolute", "joint"}) {
        SCOPED_TRACE(fmt::format("{} {} {}", machine.file, method.integrator, coordinates));
        const Recorded rough = run_machine(machine, method.integrator, coordinates, "1e-5");
        const Recorded fine = run_machine(machine, method.integrator, coordinates, fmt::format("1e-{}", method.digits));
        for (const std::string quantity : {"position", "velocity", "reaction_force"}) {
          const double before = difference(rough, exact, quantity), after = difference(fine, exact, quantity);
          EXPECT_GT(std::log10(before / after), method.slope * (method.digits - 5))
              << quantity << " " << before << " " << after;
        }
      }
  }
}

// Frames have reactions of their own, which follow from positions and velocities: methods of second order leave less
// than 1e-4 of the peak at 1e-8; the midpoint rule, which damps nothing, twice that where stiff dampers make forces of
// the errors of velocities (Newmark, of first order, leaves up to 2e-3).
TEST(Velocities, reactions_of_all_frames_agree_between_methods) {
  for (const Machine& machine : {Machine{"04_four_bar/four_bar.toml", 0.2}, Machine{"models/governor.toml", 0.2},
                                 Machine{"models/spatial_four_bar.toml", 0.25}}) {
    const Recorded exact = run_machine(machine, "radau", "absolute", "1e-10");
    for (const char* integrator : {"generalized_alpha", "hht", "midpoint"}) {
      SCOPED_TRACE(fmt::format("{} {}", machine.file, integrator));
      EXPECT_LT(difference(run_machine(machine, integrator, "absolute", "1e-8"), exact, "reaction_force"),
                std::string(integrator) == "midpoint" ? 2e-4 : 1e-4);
    }
  }
}

Recorded run_plain(const std::string& file, const std::string& integrator, const std::string& tol, double end) {
  return run_example(file, {"solver=", "solver.integrator=" + integrator, "solver.rtol=" + tol, "solver.atol=" + tol,
                            set("analysis.end", end), set("output.interval", end / 100), "output.every_step="});
}

// Accelerations of the energy-decaying scheme belong to the middles of its steps, some 1e-3 off where they are largest,
// which is no sign of stiff forces: frames have their own there, too.
TEST(Velocities, reactions_of_schemes_with_values_at_middles_are_those_of_the_frame) {
  const std::string file = "10_bushing/bushing.toml";
  const Recorded exact = run_plain(file, "radau", "1e-10", 0.1), run = run_plain(file, "energy_decaying", "1e-8", 0.1);
  EXPECT_LT(difference(run, exact, "reaction_force"), 1e-5);
}

// In a beam an error of 1e-13 m is another acceleration, and frames keep that of the method. But not its multipliers,
// if these are off by more than such forces: with BDF by hundreds of their peak.
TEST(Velocities, multipliers_that_no_stiff_force_explains_are_those_of_the_frame) {
  const std::string file = "13_cam/cam.toml";
  const Recorded exact = run_plain(file, "radau", "1e-10", 3.3e-4), run = run_plain(file, "bdf", "1e-8", 3.3e-4);
  EXPECT_LT(difference(run, exact, "reaction_force"), 0.2);
}

// A test of positions alone takes this many steps at default tolerances.
TEST(Velocities, do_not_bound_the_steps_of_smooth_motion) {
  const std::vector<std::pair<const char*, long>> steps{{"01_pendulum/pendulum.toml", 1607},
                                                        {"04_four_bar/four_bar.toml", 3068},
                                                        {"06_squeezing_mechanism/squeezing_mechanism.toml", 741},
                                                        {"models/spatial_four_bar.toml", 2183},
                                                        {"models/turntable.toml", 2874}};
  for (const auto& [file, limit] : steps)
    EXPECT_LE(run_example(file, {"solver.h="}).summary.steps, 1.05 * static_cast<double>(limit)) << file;
}

// A velocity across the constraints, v_{n+1} = −v_n, is no motion: what bounds the step is the same in both coordinate
// sets, but for positions of bodies that hang on several joints.
TEST(Velocities, across_the_constraints_do_not_bound_the_steps_of_the_midpoint_rule) {
  const Machine machine{"02_double_pendulum/double_pendulum.toml", 3.0};
  const long damped = run_machine(machine, "generalized_alpha", "absolute", "1e-5").summary.steps;
  const long undamped = run_machine(machine, "midpoint", "absolute", "1e-5").summary.steps;
  EXPECT_LT(undamped, 2 * damped);
}

}  // namespace
}  // namespace trammel::test_velocities
