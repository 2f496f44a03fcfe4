// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/methods/method_parts.h"

namespace trammel {

namespace {

/// Φ = 0 and Φ̇ = 0 with multipliers for both.
struct StabilizedIndex2Form {
  static constexpr std::string_view name = "stabilized_index2", meaning = "";
  static constexpr std::array<std::string_view, 1> keys{"iteration"};
  static constexpr ConstraintForm form = ConstraintForm::stabilized_index2;
  static constexpr FormulationTraits traits{.explicit_formalism = true};
  static constexpr std::array iterations{SplitIteration::ggl, SplitIteration::ggl_star};
  static constexpr auto refusal = refuse_none;
  static constexpr auto make = make_splittable_form;
};

}  // namespace

constinit const FormulationDescription methods::stabilized_index2 = describe_formulation<StabilizedIndex2Form>();

}  // namespace trammel
