// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string_view>
#include <vector>

#include "trammel/base/keys.h"
#include "trammel/mechanics/elements/formula.h"
#include "trammel/mechanics/model.h"

namespace trammel {

class KindFields;
class MeasureSignals;
namespace detail {
struct ModelChecks;
}

/// Everything that the program knows of a kind of measure. Made from a descriptor by `describe_measure`.
struct MeasureDescription {
  std::string_view name, meaning;
  std::vector<Key> (*keys)();
  void (*read)(KindFields& fields, MeasureSpec& measure);
  void (*check)(detail::ModelChecks& checks, const MeasureSpec& measure);
  bool is_point, has_rate;
  std::string_view unit;
  FormulaSignal (*value)(MeasureSignals& signals, const MeasureSpec& measure, bool rate);
};

/// A kind of measure in one struct of static members: what is missing does not compile.
///
///   name, meaning  the word in model files, and what it means in a few words
///   keys, read     the keys beside name, kind and unit; how they are read into the MeasureSpec
///   check          what must hold; the formula `expression` is checked with all others if it is given
///   is_point       a point: x, y, z and their rates are recorded and drawn; else one value
///   has_rate       formulas may use NAME.rate
///   unit           of results, if the user says none
///   value          the value (of a point: its place), or its rate
template <class D>
concept MeasureDescriptor = requires(KindFields& fields, MeasureSpec& spec, const MeasureSpec& measure,
                                     detail::ModelChecks& checks, MeasureSignals& signals) {
  { D::name } -> std::convertible_to<std::string_view>;
  { D::meaning } -> std::convertible_to<std::string_view>;
  { D::keys() } -> std::same_as<std::vector<Key>>;
  { D::read(fields, spec) } -> std::same_as<void>;
  { D::check(checks, measure) } -> std::same_as<void>;
  { D::is_point } -> std::convertible_to<bool>;
  { D::has_rate } -> std::convertible_to<bool>;
  { D::unit } -> std::convertible_to<std::string_view>;
  { D::value(signals, measure, true) } -> std::same_as<FormulaSignal>;
};

template <MeasureDescriptor D>
consteval MeasureDescription describe_measure() {
  return {D::name, D::meaning, D::keys, D::read, D::check, D::is_point, D::has_rate, D::unit, D::value};
}

}  // namespace trammel
