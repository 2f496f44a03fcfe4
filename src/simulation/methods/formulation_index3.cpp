// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/methods/method_parts.h"

namespace trammel {

namespace {

/// Φ = 0: of second order as well, docs/formulations/first_order.md.
struct Index3Form {
  static constexpr std::string_view name = "index3", meaning = "";
  static constexpr auto keys = no_keys;
  static constexpr ConstraintForm form = ConstraintForm::index3;
  static constexpr FormulationTraits traits{.second_order = true, .explicit_formalism = true};
  static constexpr auto iterations = no_iterations;
  static constexpr auto refusal = refuse_none;
  static constexpr auto make = make_plain_form;
};

}  // namespace

constinit const FormulationDescription methods::index3 = describe_formulation<Index3Form>();

}  // namespace trammel
