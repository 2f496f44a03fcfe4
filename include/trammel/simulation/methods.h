// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "trammel/mechanics/kinds.h"

/// Integrators and formulations: references to descriptions, each of which says all that the program knows of one, in
/// one file (docs/recipes/add_an_integrator.md). Whoever needs to know something of a method asks its description; the
/// methods are listed here and nowhere else.

namespace trammel {

struct IntegratorDescription;
struct FormulationDescription;

/// Word, keys, equations, what others ask about it, checks, errors of a step, how it is made.
class Integrator : public KindReference<IntegratorDescription> {
 public:
  using KindReference::KindReference;

  static const Integrator generalized_alpha;
  static const Integrator hht;
  static const Integrator newmark;
  static const Integrator midpoint;
  static const Integrator energy_decaying;
  static const Integrator radau;
  static const Integrator bdf;
  static const Integrator runge_kutta;
};

/// Word, keys, rows of the constraints, iterations, which integrators take it, how it is made.
class Formulation : public KindReference<FormulationDescription> {
 public:
  using KindReference::KindReference;

  static const Formulation index3;
  static const Formulation stabilized_index2;
  static const Formulation stabilized_index1;
  static const Formulation index2;
  static const Formulation index1;
  static const Formulation coordinate_split;
};

// Described in src/simulation/methods/integrator_NAME.cpp and formulation_NAME.cpp.
namespace methods {
extern const IntegratorDescription generalized_alpha, hht, newmark, midpoint, energy_decaying, radau, bdf, runge_kutta;
extern const FormulationDescription index3, stabilized_index2, stabilized_index1, index2, index1, coordinate_split;
}  // namespace methods

inline constexpr Integrator Integrator::generalized_alpha{methods::generalized_alpha};
inline constexpr Integrator Integrator::hht{methods::hht};
inline constexpr Integrator Integrator::newmark{methods::newmark};
inline constexpr Integrator Integrator::midpoint{methods::midpoint};
inline constexpr Integrator Integrator::energy_decaying{methods::energy_decaying};
inline constexpr Integrator Integrator::radau{methods::radau};
inline constexpr Integrator Integrator::bdf{methods::bdf};
inline constexpr Integrator Integrator::runge_kutta{methods::runge_kutta};

inline constexpr Formulation Formulation::index3{methods::index3};
inline constexpr Formulation Formulation::stabilized_index2{methods::stabilized_index2};
inline constexpr Formulation Formulation::stabilized_index1{methods::stabilized_index1};
inline constexpr Formulation Formulation::index2{methods::index2};
inline constexpr Formulation Formulation::index1{methods::index1};
inline constexpr Formulation Formulation::coordinate_split{methods::coordinate_split};

/// In the order of the documentation.
inline constexpr Integrator standard_integrators[] = {
    Integrator::generalized_alpha, Integrator::hht,   Integrator::newmark, Integrator::midpoint,
    Integrator::energy_decaying,   Integrator::radau, Integrator::bdf,     Integrator::runge_kutta};
inline constexpr Formulation standard_formulations[] = {
    Formulation::index3, Formulation::stabilized_index2, Formulation::stabilized_index1, Formulation::index2,
    Formulation::index1, Formulation::coordinate_split};

/// In this order.
constexpr bool operator<(const Integrator& a, const Integrator& b) {
  return std::ranges::find(standard_integrators, a) < std::ranges::find(standard_integrators, b);
}
constexpr bool operator<(const Formulation& a, const Formulation& b) {
  return std::ranges::find(standard_formulations, a) < std::ranges::find(standard_formulations, b);
}

}  // namespace trammel
