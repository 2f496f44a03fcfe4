// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string_view>
#include <vector>

#include "trammel/base/keys.h"
#include "trammel/mechanics/model.h"

namespace trammel {

class KindFields;

/// Everything that the program knows of a kind of control. Made from a descriptor by `describe_control`.
struct ControlDescription {
  std::string_view name, meaning;
  std::vector<Key> (*keys)();
  void (*read)(KindFields& fields, ControlSpec& control);
};

/// A kind of control in one struct of static members: its word, its keys beside name and kind, and the states, rates
/// and output that they mean. What is missing does not compile.
template <class D>
concept ControlDescriptor = requires(KindFields& fields, ControlSpec& control) {
  { D::name } -> std::convertible_to<std::string_view>;
  { D::meaning } -> std::convertible_to<std::string_view>;
  { D::keys() } -> std::same_as<std::vector<Key>>;
  { D::read(fields, control) } -> std::same_as<void>;
};

template <ControlDescriptor D>
consteval ControlDescription describe_control() {
  return {D::name, D::meaning, D::keys, D::read};
}

}  // namespace trammel
