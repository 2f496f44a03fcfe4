// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trammel/dae/weighted_norm.h"
#include "trammel/integrators/jacobian_update.h"
#include "trammel/nonlinear/convergence.h"

namespace trammel {

/// Which unknowns must pass the corrector test.
enum class Corrector : std::uint8_t {
  classical,  ///< all of the corrector set: multipliers too
  modified,   ///< those of the error test only; for contacts and other kicks in the multipliers
};

/// Where Newton's iteration begins.
enum class NewtonStart : std::uint8_t {
  prediction,  ///< the polynomial through the past points
  previous,    ///< the values of the last step, as [bottasso2007] does; for comparisons
};

/// What the corrector solves for. The iterates are the same, the matrix is J or J/α [hastiff (1.5), (1.15)].
enum class BdfUnknown : std::uint8_t { y, yp };

/// Settings of the BDF method. The default differs from DASSL in Newton's constant and the start of its rate; see
/// docs/integrators/bdf.md for what that buys.
struct BdfOptions {
  Tolerances tolerances;
  /// Of the machine [m]. Finite: rtol is a part of what relative_size and relative_speed leave of positions and
  /// velocities; else of the unknown itself, as DASSL.
  double extent = std::numeric_limits<double>::infinity();

  int max_order = 5;         ///< 1 … 6; A(α)-stable with α = 90, 90, 86, 73, 52, 18°
  std::optional<double> h0;  ///< first step [s]; absent: 10⁻³ of the time to the stop, and ‖h y′‖ ≤ ½
  double hmin = 0.0;         ///< [s]; never below 4ε max(|t|, |t_stop|)
  double hmax = std::numeric_limits<double>::infinity();

  std::optional<double> fixed_h;  ///< every step has this size and no error test; order rises to max_order and stays

  BdfUnknown unknown = BdfUnknown::y;
  Corrector corrector = Corrector::classical;
  double newton_constant = 0.03;  ///< converged when ϱ/(1 − ϱ) ‖δ‖ ≤ this part of the tolerance at order 5,
                                  ///< up to 0.28 at order 1; DASSL 0.33 at all
  double first_rate_factor = 20;  ///< stands for ϱ/(1 − ϱ) while a new matrix has not shown its rate; DASSL 100
  /// No step is done after one correction on the faith of a rate below 0.1: new matrices show smaller ones, which do
  /// not last. DASSL believes them.
  bool presumes_rate = true;
  /// Multipliers, which no error test sees, are settled to their tolerance over h^(index − 1), forces relative to the
  /// largest of them and at least to a thousandth of it, and never on a rate below 0.1 that the step has not shown
  /// itself. Not with a fixed step (every step shows its rate) nor with a tolerance of their own. DASSL: as all others.
  bool guards_multipliers = true;
  int max_iterations = 4;
  /// A matrix that has cost this many iterations beyond two per step is made anew: about what making it costs, so that
  /// keeping it is never dearer than twice the best. 0: only when Newton fails, as DASSL.
  int matrix_cost = 6;
  JacobianUpdate jacobian_update = JacobianUpdate::full;
  NewtonStop newton_stop = NewtonStop::tolerance;  ///< the others are for fixed_h: they see no divergence
  NewtonStart newton_start = NewtonStart::prediction;
  bool records_corrections = false;  ///< sizes of every correction in the record of a step
  /// Empty: the matrix is made anew when α has left [0.6, 1/0.6] × its value, or on failure. Else "TFFFTFFFTF": anew
  /// before iteration i where letter i is T, in every step.
  std::string jacobian_pattern;

  int max_convergence_failures = 10;  ///< per step, each quarters h
  int max_error_failures = 20;        ///< per step
  bool restarts = true;               ///< failure ladder: restart at order 1 from consistent values
  bool relaxes_corrector = true;      ///< failure ladder: classical → modified

  bool detects_stability_limit = true;  ///< see StabilityLimit
  /// After a rejected error test the step does not grow for k + 1 steps, so that a higher order can be judged. Without
  /// it a stiff undamped spring can lock DASSL into order 1 with every other attempt rejected.
  bool pauses_growth = true;

  /// Everything wrong at once.
  std::vector<Issue> issues(const Layout& layout) const;

  /// DASSL's constants and rules: maximal order 5, Newton constant 0.33, rate factor 100, no ladder, no detection.
  static BdfOptions dassl();
};

}  // namespace trammel
