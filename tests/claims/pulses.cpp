// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>

#include "support/pulse_machine.h"
#include "trammel/mechanics/elements/batch_force.h"
#include "trammel/mechanics/elements/custom_force.h"
#include "trammel/mechanics/elements/custom_law.h"

/// Pulses that are short beside the run are met wherever they are: both ends of a long step would say that nothing
/// happened, so that what depends on time alone is examined before the run. The matrix of widths, instants and methods
/// is in tests/slow/pulses.cpp.
namespace trammel::test_pulses {
namespace {

using namespace pulses;

const char* const integrators[] = {"generalized_alpha", "hht", "newmark", "midpoint",
                                   "energy_decaying",   "bdf", "radau",   "runge_kutta"};

// Ten times what the same method makes of a pulse of a fifth of the span.
constexpr double allowed = 10.0, wide_pulse = 2.0;

TEST(Pulses, are_met_by_every_method_at_random_instants) {
  constexpr double tol = 1e-6;
  for (const char* integrator : integrators)
    for (const char* coordinates : {"absolute", "joint"}) {
      if (std::string(integrator) == "energy_decaying" && std::string(coordinates) == "joint") continue;
      const Errors wide = run_pulse({.t0 = 5.0, .w = wide_pulse}, integrator, coordinates, tol);
      std::mt19937 random(6);
      std::uniform_real_distribution<double> place(0.02, 0.98);
      for (const double width : {1.0 / 2000.0, 1.0 / 200.0}) {
        const Pulse pulse{.t0 = 10.0 * place(random), .w = 10.0 * width};
        SCOPED_TRACE(fmt::format("{} {} t0 = {}, w = {}", integrator, coordinates, pulse.t0, pulse.w));
        const Errors e = run_pulse(pulse, integrator, coordinates, tol);
        const double limit = allowed * std::max(wide.v, wide.x);
        EXPECT_LE(e.v, limit);
        EXPECT_LE(e.x, limit);
      }
    }
}

// Loads of the energy-decaying scheme are summed by Simpson's rule, and its error test sees velocities that change with
// them: a decade per decade, whatever the width, within twice the tolerance of a velocity of 1 m/s.
TEST(Pulses, of_the_energy_decaying_scheme_fall_with_the_tolerance) {
  std::mt19937 random(18);
  std::uniform_real_distribution<double> place(0.1, 0.9), log_width(std::log(1.0 / 2000.0), std::log(1.0 / 5.0));
  for (int i = 0; i < 3; ++i) {
    const Pulse pulse{.t0 = 10.0 * place(random), .w = 10.0 * std::exp(log_width(random))};
    for (const double tol : {1e-4, 1e-6, 1e-8}) {
      SCOPED_TRACE(fmt::format("t0 = {}, w = {}, tol = {}", pulse.t0, pulse.w, tol));
      const Errors e = run_pulse(pulse, "energy_decaying", "absolute", tol);
      EXPECT_LT(e.v, 2.0 * tol);
      EXPECT_LT(e.x, 0.1 * tol);
    }
  }
}

// However narrow the pulse is, the argument of exp is wide: its extremum says where to look.
TEST(Pulses, are_met_a_million_times_narrower_than_the_run) {
  for (const std::string integrator : {"generalized_alpha", "bdf", "radau", "runge_kutta"}) {
    SCOPED_TRACE(integrator);
    const Errors e = run_pulse({.t0 = 3.21, .w = 1e-5}, integrator, "joint", 1e-7);
    EXPECT_LT(e.x, 1e-4);
  }
}

// Factors of the time are examined also where states multiply them: here by 1 + x, which is 1 when the pulse comes.
TEST(Pulses, are_met_in_formulas_that_depend_on_states_as_well) {
  const Pulse pulse{.t0 = 7.3, .w = 0.01};
  const Recorded recorded = run_text(rail("(1 + block.x)*" + pulse.force(), pulse.span));
  EXPECT_NEAR(recorded.last_value("rail.displacement_rate"), 1.0, 0.01);  // x grows by w within the pulse
}

// A prescribed motion, a box of time that no static search of breakpoints finds, and a table with close points.
TEST(Pulses, are_met_of_any_shape) {
  const Recorded box = run_text(rail("if((t - 4)^2 < 1e-4, 50, 0)", 10), {"solver.rtol=1e-7", "solver.atol=1e-7"});
  EXPECT_NEAR(box.last_value("rail.displacement_rate"), 1.0, 1e-4);
  const std::string table = "\n[[table]]\nname = \"bump\"\nx = [0, 5.999, 6, 6.001, 10]\ny = [0, 0, 1000, 0, 0]\n";
  const Recorded tabled = run_text(rail("table(bump, t)", 10) + table, {"solver.rtol=1e-8", "solver.atol=1e-8"});
  const Recorded reference =
      run_text(rail("table(bump, t)", 10) + table, {"solver.rtol=1e-8", "solver.atol=1e-8", "solver.hmax=1e-4"});
  EXPECT_NEAR(tabled.last_value("rail.displacement_rate"), reference.last_value("rail.displacement_rate"),
              1e-4 * std::abs(reference.last_value("rail.displacement_rate")));
}

struct UsersPulse {
  Pulse pulse;
  template <class S>
  void operator()(double t, const Frame<S>*, Wrench<S>* w) const {
    for (int i = 0; i < 2; ++i) w[i].force.setZero(), w[i].moment.setZero();
    w[1].force.x() = S(pulse.calc_force(t));
  }
};

// A user's own force is a function of time with the machine as it stands at the start, in all three ways to write it;
// laws of Python are the last two.
TEST(Pulses, are_met_in_forces_of_users) {
  constexpr double tol = 1e-6;
  std::mt19937 random(17);
  std::uniform_real_distribution<double> place(0.02, 0.98);
  for (const char* integrator : integrators) {
    const Errors wide = run_pulse({.t0 = 5.0, .w = wide_pulse}, integrator, "absolute", tol);
    for (int kind = 0; kind < 3; ++kind) {
      const UsersPulse law{{.t0 = 10.0 * place(random), .w = 10.0 / 2000.0}};
      SCOPED_TRACE(fmt::format("{} {} t0 = {}", integrator, kind, law.pulse.t0));
      const Customize customize = [&](Assembly& assembly) {
        const std::vector<int> frames{0, assembly.body_frame[0]};
        if (kind == 0) {
          auto group = std::make_unique<CustomForceGroup>();
          group->add(std::make_unique<TemplatedForce<UsersPulse>>(frames, law));
          assembly.system->add_group(std::move(group));
        } else if (kind == 1) {
          auto group =
              std::make_unique<BatchForceGroup>(2, [law](double t, int n, const Frame<double>* f, Wrench<double>* w) {
                for (int e = 0; e < n; ++e) law(t, f + 2 * e, w + 2 * e);
              });
          group->add(frames);
          assembly.system->add_group(std::move(group));
        } else {
          auto group = std::make_unique<CustomLawGroup>(
              [law](double t, std::span<const double> x, std::span<const double>, std::span<double> Q) {
                for (std::size_t e = 0; e < x.size(); ++e) Q[e] = law.pulse.calc_force(t);
              });
          CustomLawGroup::Element element;
          element.line = true;
          element.frame[1] = frames[1];
          element.s_a = {-1.0, 0.0, 0.0};
          group->add(element);
          assembly.system->add_group(std::move(group));
        }
      };
      Simulation simulation(
          read_study_text(rail("0", law.pulse.span), "model.toml",
                          SetList{fmt::format("solver.integrator={}", integrator), "solver.coordinates=absolute",
                                  set("solver.rtol", tol), set("solver.atol", tol)}),
          customize);
      Recorded recorded;
      recorded.summary = simulation.run(recorded.record);
      EXPECT_TRUE(recorded.summary.completed) << recorded.summary.failure;
      const Errors e = measure(recorded, law.pulse);
      const double limit = allowed * std::max(wide.v, wide.x);
      EXPECT_LE(e.v, limit);
      EXPECT_LE(e.x, limit);
    }
  }
}

// A vibration is met by itself: not one step more than with the step control alone.
TEST(Pulses, do_not_bound_steps_of_vibrations_and_quiet_runs) {
  const long sine = run_text(rail("sin(3*t)", 10)).summary.steps;
  const long examined = run_text(rail("sin(3*t)*exp(0*t)", 10)).summary.steps;
  EXPECT_EQ(sine, examined);
  const long slow = run_text(rail("exp(-((t - 5)/20)^2)", 10)).summary.steps;
  EXPECT_LE(slow, 1.05 * static_cast<double>(run_text(rail("cos((t - 5)/14.1421)", 10)).summary.steps) + 2);
}

}  // namespace
}  // namespace trammel::test_pulses
