// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "trammel/formulations/first_order.h"
#include "trammel/simulation/methods/integrator_descriptor.h"

namespace trammel {

/// What others ask about a formulation.
struct FormulationTraits {
  bool second_order = false;        ///< methods of second-order equations take it
  bool splits = false;              ///< coordinates into independent and dependent ones
  bool explicit_formalism = false;  ///< rows can be solved for the rates
  int max_order = 5;                ///< of bdf, unless it is said
};

/// Everything that the program knows of a formulation. Made from a descriptor by `describe_formulation`.
struct FormulationDescription {
  std::string_view name, meaning;
  std::span<const std::string_view> keys;
  ConstraintForm form;
  FormulationTraits traits;
  std::span<const SplitIteration> iterations;
  std::string (*refusal)(const IntegratorDescription& integrator);
  std::unique_ptr<FirstOrderForm> (*make)(const MechanicalSystem& system, const FirstOrderForm::Options& form,
                                          const SolverOptions& options);
};

/// A formulation in one struct of static members: what is missing does not compile.
///
///   name, meaning  the word in model files, and what it means in a few words
///   keys           of [solver] that mean something beside it and not beside every other
///   form           which constraints stand beside the motion
///   traits         what others ask about it
///   iterations     ways in which Newton treats its multipliers, the usual one first; empty: one that has no name
///   refusal        why an integrator of first-order systems does not take it; empty: it does
///   make           the equations, on a machine
template <class D>
concept FormulationDescriptor = requires(const IntegratorDescription& integrator, const MechanicalSystem& system,
                                         const FirstOrderForm::Options& form, const SolverOptions& options) {
  { D::name } -> std::convertible_to<std::string_view>;
  { D::meaning } -> std::convertible_to<std::string_view>;
  { D::keys } -> std::convertible_to<std::span<const std::string_view>>;
  { D::form } -> std::convertible_to<ConstraintForm>;
  { D::traits } -> std::convertible_to<FormulationTraits>;
  { D::iterations } -> std::convertible_to<std::span<const SplitIteration>>;
  { D::refusal(integrator) } -> std::same_as<std::string>;
  { D::make(system, form, options) } -> std::same_as<std::unique_ptr<FirstOrderForm>>;
};

template <FormulationDescriptor D>
consteval FormulationDescription describe_formulation() {
  return {D::name, D::meaning, D::keys, D::form, D::traits, D::iterations, D::refusal, D::make};
}

/// Of settings that are chosen so far; null: none.
inline const FormulationDescription* formulation_of(const SolverOptions& options) {
  return options.formulation ? &**options.formulation : nullptr;
}
/// Coordinates into independent and dependent ones.
inline bool splits(const SolverOptions& options) {
  return options.formulation && (*options.formulation)->traits.splits;
}

/// From a split, for Newton's first guess.
inline bool predicts_multipliers(const SolverOptions& options) {
  return options.split.iteration == SplitIteration::ggl_star;
}

}  // namespace trammel
