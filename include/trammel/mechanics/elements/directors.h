// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace trammel {

class ElementGroup;
class SlotSystem;

/// What becomes of a joint or a force in the energy-decaying scheme, which moves directors instead of rotations: every
/// kind says it, so that none is taken for something else by default.
struct Directors {
  enum class Form {
    rows,     ///< joints: its holonomic rows are quadratic in slots; rows on velocities do no work as they are
    elastic,  ///< forces: a law of strains whose energy is kept or dissipated exactly
    load,     ///< forces: pushes from outside, and its work is counted
    refused,  ///< has no form: a machine with it cannot be moved by the scheme
  };
  Form form = Form::refused;
  std::string_view reason = {};  ///< refused: why, behind "…, because"
  /// Of kernels that a kind brings with it: makes the slot elements of its group. Rows on velocities and loads need
  /// none.
  void (*make)(SlotSystem& slots, const ElementGroup& group) = nullptr;
};

}  // namespace trammel
