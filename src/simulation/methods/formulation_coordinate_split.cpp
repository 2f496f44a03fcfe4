// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/methods/method_parts.h"

namespace trammel {

namespace {

/// The stabilized index-2 equations without their multipliers, docs/formulations/coordinate_split.md.
struct CoordinateSplitted {
  static constexpr std::string_view name = "coordinate_split", meaning = "[when](formulations/coordinate_split.md)";
  static constexpr std::array<std::string_view, 1> keys{"iteration"};
  static constexpr ConstraintForm form = ConstraintForm::stabilized_index2;
  // A-stable: it is made for what oscillates.
  static constexpr FormulationTraits traits{.splits = true, .max_order = 2};
  static constexpr std::array iterations{SplitIteration::cm, SplitIteration::cs};
  static constexpr auto refusal = refuse_none;
  static constexpr auto make = make_splittable_form;
};

}  // namespace

constinit const FormulationDescription methods::coordinate_split = describe_formulation<CoordinateSplitted>();

}  // namespace trammel
