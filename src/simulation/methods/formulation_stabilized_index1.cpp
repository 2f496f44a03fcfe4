// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/methods/method_parts.h"

namespace trammel {

namespace {

/// Φ = 0 and Φ̇ = 0, solved for ∫λ and ∫μ.
struct StabilizedIndex1Form {
  static constexpr std::string_view name = "stabilized_index1", meaning = "";
  static constexpr auto keys = no_keys;
  static constexpr ConstraintForm form = ConstraintForm::stabilized_index1;
  static constexpr FormulationTraits traits{.explicit_formalism = true};
  static constexpr auto iterations = no_iterations;
  static constexpr auto refusal = refuse_none;
  static constexpr auto make = make_plain_form;
};

}  // namespace

constinit const FormulationDescription methods::stabilized_index1 = describe_formulation<StabilizedIndex1Form>();

}  // namespace trammel
