// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trammel/base/keys.h"
#include "trammel/mechanics/elements/contact_shape.h"
#include "trammel/mechanics/model.h"
#include "trammel/mechanics/solid.h"

namespace trammel {

class KindFields;
namespace detail {
struct ModelChecks;
}

/// Everything that the program knows of a kind of shape. Made from a descriptor by `describe_shape`.
struct ShapeDescription {
  std::string_view name, meaning;
  std::vector<Key> (*keys)();
  void (*read)(KindFields& fields, Shape& shape);
  void (*check)(detail::ModelChecks& checks, const GeometrySpec& geometry);
  std::optional<Solid> (*solid)(const Shape& shape);
  std::string_view touched;
  std::string (*check_surface)(const Shape& shape);
  std::optional<ContactShape> (*surface)(const Shape& shape);
  std::string_view drawn_as;
  void (*draw)(Shape& shape);
};

/// A kind of shape in one struct of static members: what is missing does not compile.
///
///   name, meaning   the word in model files, and what it means in a few words
///   keys, read      its sizes; how they are read into the Shape
///   check           what must hold that anything may be drawn
///   solid           what it encloses, in its own axes; nullopt: nothing for certain
///   touched         what contacts can touch of it, in words; empty: nothing, it is only drawn
///   check_surface   what must hold that it may be touched, in words; empty: it may
///   surface         what contacts touch, in its own axes
///   drawn_as, draw  the word of the page for it, and what becomes of it where that is another kind
template <class D>
concept ShapeDescriptor = requires(KindFields& fields, Shape& shape, const Shape& given, detail::ModelChecks& checks,
                                   const GeometrySpec& geometry) {
  { D::name } -> std::convertible_to<std::string_view>;
  { D::meaning } -> std::convertible_to<std::string_view>;
  { D::keys() } -> std::same_as<std::vector<Key>>;
  { D::read(fields, shape) } -> std::same_as<void>;
  { D::check(checks, geometry) } -> std::same_as<void>;
  { D::solid(given) } -> std::same_as<std::optional<Solid>>;
  { D::touched } -> std::convertible_to<std::string_view>;
  { D::check_surface(given) } -> std::same_as<std::string>;
  { D::surface(given) } -> std::same_as<std::optional<ContactShape>>;
  { D::drawn_as } -> std::convertible_to<std::string_view>;
  { D::draw(shape) } -> std::same_as<void>;
};

template <ShapeDescriptor D>
consteval ShapeDescription describe_shape() {
  return {D::name,    D::meaning,       D::keys,    D::read,     D::check, D::solid,
          D::touched, D::check_surface, D::surface, D::drawn_as, D::draw};
}

}  // namespace trammel
