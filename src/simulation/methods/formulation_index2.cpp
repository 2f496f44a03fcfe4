// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/methods/method_parts.h"

namespace trammel {

namespace {

/// Φ̇ = 0.
struct Index2Form {
  static constexpr std::string_view name = "index2", meaning = "";
  static constexpr auto keys = no_keys;
  static constexpr ConstraintForm form = ConstraintForm::index2;
  static constexpr FormulationTraits traits{.explicit_formalism = true};
  static constexpr auto iterations = no_iterations;
  static constexpr auto refusal = refuse_none;
  static constexpr auto make = make_plain_form;
};

}  // namespace

constinit const FormulationDescription methods::index2 = describe_formulation<Index2Form>();

}  // namespace trammel
