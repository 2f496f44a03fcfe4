// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <random>

#include "support/pulse_machine.h"

/// A pulse of any width, at any instant of a run, met by every method in both coordinate sets: 200 random instants,
/// widths from span/2000 to span/5.
namespace trammel::test_slow_pulses {
namespace {

using namespace pulses;

const char* const integrators[] = {"generalized_alpha", "hht", "newmark", "midpoint",
                                   "energy_decaying",   "bdf", "radau",   "runge_kutta"};
constexpr double tolerances[] = {1e-5, 1e-7};
constexpr int instants = 200;
constexpr double wide_pulse = 2.0;
constexpr double few_tolerances = 4.0;

// The same method meets a pulse of a fifth of the span by itself: its error is what the method makes of a pulse. A
// narrow pulse changes velocities by as much, in as many steps, and may cost ten times that error.
double allowance(const std::string& integrator) {
  // Frames within a step of the explicit pair are those of its dense output, of order 4: the wide pulse has no steps so
  // long beside it that they show.
  return integrator == "runge_kutta" ? 15.0 : 10.0;
}

class Pulses : public ::testing::TestWithParam<const char*> {};

TEST_P(Pulses, of_any_width_are_met_at_any_instant) {
  const std::string integrator = GetParam();
  for (const char* coordinates : {"absolute", "joint"}) {
    if (integrator == "energy_decaying" && std::string(coordinates) == "joint") continue;  // offered in absolute ones
    double before = 0.0;
    for (const double tol : tolerances) {
      Errors wide;
      for (const double t0 : {4.0, 5.0, 5.7}) {
        const Errors e = run_pulse({.t0 = t0, .w = wide_pulse}, integrator, coordinates, tol);
        wide.v = std::max(wide.v, e.v), wide.x = std::max(wide.x, e.x), wide.steps = std::max(wide.steps, e.steps);
      }
      std::mt19937 random(20170);
      std::uniform_real_distribution<double> place(0.0, 1.0), log_width(std::log(1.0 / 2000.0), std::log(1.0 / 5.0));
      Errors worst;
      for (int i = 0; i < instants; ++i) {
        Pulse pulse;
        pulse.w = pulse.span * std::exp(log_width(random));
        pulse.t0 = pulse.span * place(random);
        SCOPED_TRACE(fmt::format("{} {} tol {} t0 {} w {}", integrator, coordinates, tol, pulse.t0, pulse.w));
        const Errors e = run_pulse(pulse, integrator, coordinates, tol);
        // A step that ends in the foot of the pulse may err by its tolerance, of which Radau leaves a fourteenth on the
        // wide one.
        const double limit = std::max(allowance(integrator) * std::max(wide.v, wide.x), few_tolerances * tol);
        EXPECT_LE(e.v, limit);
        EXPECT_LE(e.x, limit);
        worst.v = std::max(worst.v, e.v), worst.x = std::max(worst.x, e.x),
        worst.steps = std::max(worst.steps, e.steps);
      }
      std::cout << fmt::format(
          "{:<18}{:<9} tol {:.0e}: wide v {:.1e} x {:.1e} ({} steps), worst v {:.1e} x {:.1e} ({})\n", integrator,
          coordinates, tol, wide.v, wide.x, wide.steps, worst.v, worst.x, worst.steps);
      if (before > 0.0) {
        // It falls with the tolerance.
        EXPECT_LT(std::max(worst.v, worst.x), 0.1 * before);
      }
      before = std::max(worst.v, worst.x);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, Pulses, ::testing::ValuesIn(integrators),
                         [](const auto& method) { return std::string(method.param); });

}  // namespace
}  // namespace trammel::test_slow_pulses
