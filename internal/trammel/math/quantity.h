// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "trammel/base/units.h"

namespace trammel {

/// A number or a vector, with what is known of its unit.
///
/// A *bare* quantity is made of numbers without units: its reader decides what it counts. One with a unit is in SI. Its
/// dimension is known if it follows: a bare factor may stand for anything in SI (7850 for a density), so that a product
/// with one has a unit and no known dimension. Nothing is ever refused that might be right.
struct Quantity {
  Eigen::Vector3d value = Eigen::Vector3d::Zero();  ///< of a number: its x
  bool is_vector = false;
  bool has_unit = false;
  std::optional<Dimension> dimension = {};  ///< only with a unit
  bool is_written = false;                  ///< one number with its unit, as written: angles are compared as well
  bool has_pi = false;                      ///< bare, and of pi: an angle, if any, in radians

  double number() const { return value[0]; }
  static Quantity bare(double x) { return {.value = {x, 0.0, 0.0}}; }
  static Quantity bare(const Eigen::Vector3d& x) { return {.value = x, .is_vector = true}; }
  /// A length as the program knows it, in SI.
  static Quantity point(const Eigen::Vector3d& x);
  Quantity component(int i) const;
};

/// The value of a name ("L", "hp", "hp.x" as a path), or why it means nothing.
using QuantityResolver = std::function<std::variant<Quantity, std::string>(const std::vector<std::string>& path)>;

/// A formula of constants: numbers, units, vectors `[x, y, z]` with + and −, products with numbers, norm, dot, cross.
/// Throws ExpressionError, also where quantities of different dimensions are added. `mixed`: a bare number and one with
/// a unit may be added; else it is refused (nobody can tell the unit of the bare one).
Quantity evaluate_constant(std::string_view text, const QuantityResolver& names, bool mixed = true);

/// The dimension of a formula of what the machine does, as far as it follows from its units: what `names` does not know
/// may be anything. Throws ExpressionError where quantities of different dimensions are added.
Quantity judge_units(std::string_view text, const QuantityResolver& names);

}  // namespace trammel
