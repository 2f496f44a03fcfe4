// SPDX-License-Identifier: Apache-2.0
#include "trammel/base/status.h"

namespace trammel {

std::string_view describe(Cause cause) {
  switch (cause) {
    case Cause::none:
      return "no trouble";
    case Cause::not_finite:
      return "a value is not finite";
    case Cause::singular_matrix:
      return "the iteration matrix is singular";
    case Cause::vanished_pivot:
      return "a pivot vanished, and the chosen linear solver does not exchange rows";
    case Cause::slow_convergence:
      return "Newton's corrections fall too slowly";
    case Cause::too_many_iterations:
      return "Newton did not converge in the allowed iterations";
    case Cause::error_test:
      return "the local error exceeds the tolerance";
    case Cause::step_too_small:
      return "the step fell below its floor";
    case Cause::impossible_tolerance:
      return "the tolerance is finer than the arithmetic";
    case Cause::chart_limit:
      return "a rotation left the range of its chart";
    case Cause::outside_domain:
      return "a law was evaluated outside its domain";
    case Cause::element_turned:
      return "the ends of a beam element turned by more than half a turn against each other; use more elements";
    case Cause::user_stop:
      return "a stop was requested";
  }
  return "unknown cause";
}

}  // namespace trammel
