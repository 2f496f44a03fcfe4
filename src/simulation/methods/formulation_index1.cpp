// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/methods/method_parts.h"

namespace trammel {

namespace {

/// Φ̈ + 2αΦ̇ + β²Φ = 0.
struct Index1Form {
  static constexpr std::string_view name = "index1", meaning = "";
  static constexpr std::array<std::string_view, 2> keys{"baumgarte_alpha", "baumgarte_beta"};
  static constexpr ConstraintForm form = ConstraintForm::index1;
  static constexpr FormulationTraits traits{.explicit_formalism = true};
  static constexpr auto iterations = no_iterations;
  static constexpr auto refusal = refuse_none;
  static constexpr auto make = make_plain_form;
};

}  // namespace

constinit const FormulationDescription methods::index1 = describe_formulation<Index1Form>();

}  // namespace trammel
