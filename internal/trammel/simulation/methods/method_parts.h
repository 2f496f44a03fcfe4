// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "trammel/dae/difference_system.h"
#include "trammel/formulations/first_order_scaling.h"
#include "trammel/integrators/one_step.h"
#include "trammel/simulation/machine.h"
#include "trammel/simulation/methods/formulation_descriptor.h"
#include "trammel/simulation/methods/integrator_descriptor.h"
#include "trammel/simulation/methods/settings_checks.h"

/// What descriptions of methods share.

namespace trammel {

// ---- keys -----------------------------------------------------------------------------------------------------------

template <std::size_t... N>
constexpr auto join_keys(const std::array<std::string_view, N>&... parts) {
  std::array<std::string_view, (N + ...)> all{};
  std::size_t at = 0;
  const auto put = [&](const auto& part) {
    for (const std::string_view key : part) all[at++] = key;
  };
  (put(parts), ...);
  return all;
}

inline constexpr std::array<std::string_view, 0> no_keys{};
/// Every kind of unknown has its weight in the error test.
inline constexpr std::array<std::string_view, 4> weighted_keys{"position_tol", "velocity_tol", "multiplier_tol",
                                                               "tolerance_rule"};
/// Newton's iteration may be stopped by other rules, and its corrections be recorded.
inline constexpr std::array<std::string_view, 2> stopping_keys{"newton_stop", "record_corrections"};
/// Derivatives may come from differences, and serve for more than one step.
inline constexpr std::array<std::string_view, 2> source_keys{"jacobian", "jacobian_sparsity"};
inline constexpr auto jacobian_keys = join_keys(source_keys, std::array<std::string_view, 1>{"jacobian_update"});
/// Of the stabilized index-2 form and its split in coordinates.
inline constexpr std::array<std::string_view, 6> split_keys{"iteration", "cm_mode",       "independent",
                                                            "error_set", "corrector_set", "untested"};
/// Of the one-step methods on the scaled equations.
inline constexpr auto one_step_keys =
    join_keys(stopping_keys, source_keys, std::array<std::string_view, 1>{"newton_test"});

bool has_key(std::span<const std::string_view> keys, std::string_view key);
/// The methods to which a key belongs, in words.
std::vector<std::string> integrators_with(std::string_view key);
std::vector<std::string> formulations_with(std::string_view key);
/// Those of first-order systems, by the alphabet.
std::vector<std::string> first_order_integrators();
/// "`a`, `b` and `c`"
std::string join_code(const std::vector<std::string>& words);

// ---- integrators ----------------------------------------------------------------------------------------------------

inline void check_no_pairs(SettingsChecks&) {}
/// What the coordinate split and GGL* exclude.
void check_split(SettingsChecks& checks);

inline constexpr Equations second_order_equations{.formulation = Formulation::index3};

/// The constant of the trapezoidal rule, 1/12, times `factor`.
constexpr RunChecks::StepError second_order_error(double factor) {
  constexpr double second = 1.0 / 12.0;
  return {.difference = 2, .constant = factor * second, .turning = factor * second};
}

/// Of the machine as drawn [m], beside which errors count; infinite: it has none.
double extent_of(const Machine& machine);
StepOptions step_options_of(const Machine& machine, const StepRange& steps);
std::unique_ptr<MotionScaling> make_scaling(const ScalingOptions& options);
FirstOrderScaling::Options first_order_scaling_of(const ScalingOptions& options);
/// How derivatives are taken by differences; nullopt: they are exact.
std::optional<DifferenceOptions> differences_of(const SolverOptions& options);
Tolerances tolerances_of(const SolverOptions& options);
/// The formulation that the settings name, on the machine as it is moved.
std::unique_ptr<FirstOrderForm> make_form(const Machine& machine, const SolverOptions& options);

// ---- formulations ---------------------------------------------------------------------------------------------------

inline constexpr std::span<const SplitIteration> no_iterations = {};

inline std::string refuse_none(const IntegratorDescription&) { return {}; }

std::unique_ptr<FirstOrderForm> make_plain_form(const MechanicalSystem& system, const FirstOrderForm::Options& form,
                                                const SolverOptions& options);
/// The same, or split in coordinates where the iteration does so.
std::unique_ptr<FirstOrderForm> make_splittable_form(const MechanicalSystem& system,
                                                     const FirstOrderForm::Options& form, const SolverOptions& options);

}  // namespace trammel
