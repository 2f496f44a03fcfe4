// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "trammel/formulations/scaling.h"
#include "trammel/integrators/motion_integrator.h"
#include "trammel/simulation/options.h"
#include "trammel/simulation/run_checks.h"

namespace trammel {

class Machine;
class SettingsChecks;
class Viewer;

/// What Newton's iteration stops by.
enum class NewtonLimit {
  fixed_step,  ///< `newton_tol` with a fixed step, else a part of the tolerance of the error
  own,         ///< `newton_tol` always
  error,       ///< a part of the tolerance of the error always: `newton_constant`
};

/// Where forces and velocities of a step are known, so that their power becomes work.
enum class PowerAt {
  ends,    ///< the trapezoidal rule
  middle,  ///< to which the method's forces and reactions belong
  within,  ///< of more than order 2: MotionIntegrator::power_rule
};

/// The equations that a method moves.
struct Equations {
  /// Of first order, F(t, y, y′) = 0 of any formulation; else M v̇ + Gᵀλ = f beside Φ = 0, or its own.
  bool first_order = false;
  /// Unless another is chosen; nullopt: its own, to which keys of formulations and scaling do not apply.
  std::optional<Formulation> formulation = {};
  std::string_view own = {};        ///< what the Summary calls its own
  std::string_view no_forms = {};   ///< why the keys do not apply
  std::string_view no_matrix = {};  ///< why keys of Newton's iteration do not: an explicit method
  bool has_stages = false;          ///< within a step, each with its own point
};

/// Of errors at the ends of fixed steps, in q, v and λ: what tests/contract/integrators.cpp measures.
struct Orders {
  int q = 0, v = 0, lam = 0;
};

/// What others ask about a method.
struct IntegratorTraits {
  NewtonLimit newton = NewtonLimit::fixed_step;
  int newton_iterations = 10;         ///< before a step is rejected, unless it is said
  bool has_inverse_bounds = false;    ///< calc_inverse_bounds
  bool tests_velocities = false;      ///< by the tolerance of positions, not by one over a time of the machine
  bool cuts_by_polynomial = false;    ///< goes back to a change within its step; else the step is taken again
  bool lags = false;                  ///< a relative of the trapezoidal rule: vibrations are late in second order
  bool damps = true;                  ///< takes energy out of what a fixed step does not resolve
  bool damps_in_first_order = false;  ///< velocities err by h Δv̇
  bool keeps_derivatives = false;     ///< with a new step as well, unless it is said
  bool keeps_charts = false;          ///< of rotations, as long as they serve
  PowerAt power = PowerAt::ends;
  /// A frame's own accelerations may differ from the method's by a part of their change in the step, and of their size.
  double acceleration_share = 0.25, noticed_acceleration = 1e-4;
};

/// What a method is asked for: settings, and bounds of its steps [s].
struct StepRange {
  const SolverOptions& solver;
  double hmin = 0.0, hmax = 0.0, span = 0.0;

  LinearSolverChoice solver_choice() const { return solver.linear_choice(); }
};

/// A method on a machine. It refers to its scaling, which outlives it.
struct MadeMethod {
  std::unique_ptr<MotionScaling> scaling = {};
  std::unique_ptr<MotionIntegrator> method = {};
  int max_corrections = 0;  ///< Newton's corrections that the record of a step has room for
};

/// Everything that the program knows of an integrator. Made from a descriptor by `describe_integrator`.
struct IntegratorDescription {
  std::string_view name, meaning;
  std::span<const std::string_view> keys;
  Equations equations;
  IntegratorTraits traits;
  void (*check)(SettingsChecks& checks);
  Orders (*orders)(const SolverOptions& options);
  RunChecks::StepError (*step_error)(const SolverOptions& options);
  MadeMethod (*make)(const Machine& machine, Viewer& viewer, const StepRange& steps);
};

/// An integrator in one struct of static members: what is missing does not compile.
///
///   name, meaning  the word in model files, and what it means in a few words
///   keys           of [solver] that mean something beside it and not beside every other
///   equations      what it moves
///   traits         what others ask about it
///   check          pairs of settings that its mathematics excludes, each with the reason
///   orders         with these settings
///   step_error     of a fixed step, for the alarm of steps that are too long
///   make           it, on a machine
template <class D>
concept IntegratorDescriptor = requires(SettingsChecks& checks, const SolverOptions& options, const Machine& machine,
                                        Viewer& viewer, const StepRange& steps) {
  { D::name } -> std::convertible_to<std::string_view>;
  { D::meaning } -> std::convertible_to<std::string_view>;
  { D::keys } -> std::convertible_to<std::span<const std::string_view>>;
  { D::equations } -> std::convertible_to<Equations>;
  { D::traits } -> std::convertible_to<IntegratorTraits>;
  { D::check(checks) } -> std::same_as<void>;
  { D::orders(options) } -> std::same_as<Orders>;
  { D::step_error(options) } -> std::same_as<RunChecks::StepError>;
  { D::make(machine, viewer, steps) } -> std::same_as<MadeMethod>;
};

template <IntegratorDescriptor D>
consteval IntegratorDescription describe_integrator() {
  return {D::name, D::meaning, D::keys, D::equations, D::traits, D::check, D::orders, D::step_error, D::make};
}

/// Of settings that take effect.
inline const IntegratorDescription& method_of(const SolverOptions& options) { return **options.integrator; }

}  // namespace trammel
