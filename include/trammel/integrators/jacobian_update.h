// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace trammel {

/// What a new step size, or order, costs an implicit method [arnold2004 section 3.2].
enum class JacobianUpdate : std::uint8_t {
  full,  ///< new planes: BDF's when α has left its range, as DASSL
  /// J = F_y + α F_y′ with F_y at hand and, where the system has it in closed form, F_y′ of the present point
  /// (23)–(25); new planes when Newton fails or is slow with the right α.
  partitioned,
  /// The same, and F_y follows the inputs (26): see PlaneSource::follow_inputs.
  extended,
};

}  // namespace trammel
