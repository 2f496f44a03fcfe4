// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string_view>
#include <vector>

#include "trammel/base/keys.h"
#include "trammel/mechanics/elements/directors.h"
#include "trammel/mechanics/kinds/picture.h"
#include "trammel/mechanics/model.h"

namespace trammel {

class ForceElements;
class KindFields;
namespace detail {
struct ModelChecks;
}

/// What a force acts on: decides what must exist, what is recorded of it and where it is shown.
enum class ActsOn {
  bodies,       ///< `body_b`, and the reaction on `body_a`; recorded as a force and a moment
  coordinate,   ///< the coordinate of `joint`, or a scalar one; recorded as an effort
  coordinates,  ///< those of two joints; recorded as a force and a moment
};

/// What the force measures, by which its law is a formula and which other formulas may use as NAME.length, ….
enum class Strain {
  none,
  length,        ///< between its points
  angle,         ///< of body_b against body_a about `axis`, zero as drawn
  displacement,  ///< of point_b against point_a along `axis`, zero as drawn
  joint,         ///< the coordinate that it acts on
};

/// Everything that the program knows of a kind of force. Made from a descriptor by `describe_force`.
struct ForceDescription {
  std::string_view name, meaning;
  std::vector<Key> (*keys)();
  void (*read)(KindFields& fields, ForceSpec& force);
  ActsOn acts_on;
  Strain strain;
  bool between_points;
  void (*check)(detail::ModelChecks& checks, const ForceSpec& force);
  void (*assemble)(ForceElements& elements, const ForceSpec& force);
  Directors (*directors)(const ForceSpec& force);
  Picture (*picture)();
};

/// A kind of force in one struct of static members: what is missing does not compile.
///
///   name, meaning   the word in model files, and what it means in a few words
///   keys, read      the keys beside name and kind; how they are read into the ForceSpec
///   acts_on, strain what it acts on, and what its law is a formula of
///   between_points  the distance of its points tells how large the machine is
///   check           what must hold beyond that the bodies or joints exist and numbers are finite
///   assemble        its elements: kernels of the library or of its own, formulas, switches where it has kinks
///   directors       its form in the energy-decaying scheme, or why it has none
///   picture         what the report draws
template <class D>
concept ForceDescriptor = requires(KindFields& fields, ForceSpec& spec, const ForceSpec& force,
                                   detail::ModelChecks& checks, ForceElements& elements) {
  { D::name } -> std::convertible_to<std::string_view>;
  { D::meaning } -> std::convertible_to<std::string_view>;
  { D::keys() } -> std::same_as<std::vector<Key>>;
  { D::read(fields, spec) } -> std::same_as<void>;
  { D::acts_on } -> std::convertible_to<ActsOn>;
  { D::strain } -> std::convertible_to<Strain>;
  { D::between_points } -> std::convertible_to<bool>;
  { D::check(checks, force) } -> std::same_as<void>;
  { D::assemble(elements, force) } -> std::same_as<void>;
  { D::directors(force) } -> std::same_as<Directors>;
  { D::picture() } -> std::same_as<Picture>;
  // What acts on a coordinate is recorded with the unit of that coordinate.
  requires D::acts_on != ActsOn::coordinate || D::strain == Strain::joint;
};

template <ForceDescriptor D>
consteval ForceDescription describe_force() {
  return {D::name,           D::meaning, D::keys,     D::read,      D::acts_on, D::strain,
          D::between_points, D::check,   D::assemble, D::directors, D::picture};
}

/// "length", "angle", "displacement"; empty: it has no coordinate of its own.
std::string_view own_coordinate(ForceKind kind);

}  // namespace trammel
