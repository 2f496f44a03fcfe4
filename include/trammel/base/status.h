// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace trammel {

/// What a numerical operation tells its caller: recoverable means "try a smaller step", fatal means "stop".
enum class Outcome : std::uint8_t { ok, recoverable, fatal };

/// Why it was not ok. Text is made only when somebody reads it: describe(cause).
enum class Cause : std::uint8_t {
  none,
  not_finite,            ///< a residual or a solution contains NaN or infinity; row says where
  singular_matrix,       ///< a pivot vanished; row is the unknown whose pivot it was
  vanished_pivot,        ///< the same in a factorization that does not exchange rows: the matrix may be regular
  slow_convergence,      ///< Newton's corrections do not fall fast enough
  too_many_iterations,   ///< Newton did not reach its tolerance in the allowed iterations
  error_test,            ///< the local error is larger than the tolerance
  step_too_small,        ///< the step would fall below its floor
  impossible_tolerance,  ///< the tolerance is below what the arithmetic can resolve; row is the unknown
  chart_limit,           ///< a rotation left the range of its chart
  outside_domain,        ///< a law was evaluated where it is not defined (for example a table outside its range)
  element_turned,        ///< the ends of a beam element have turned by π against each other; row is at the element
  user_stop,             ///< the caller asked to stop
};

inline constexpr int n_causes = static_cast<int>(Cause::user_stop) + 1;

/// "the matrix is singular", ...
std::string_view describe(Cause cause);

/// A numerical event as a value. `row` is an index into the equations (or unknowns, for singular_matrix); −1: none.
struct [[nodiscard]] Status {
  Outcome outcome = Outcome::ok;
  Cause cause = Cause::none;
  int row = -1;

  bool ok() const { return outcome == Outcome::ok; }
  static Status success() { return {}; }
  static Status recoverable(Cause cause, int row = -1) { return {Outcome::recoverable, cause, row}; }
  static Status fatal(Cause cause, int row = -1) { return {Outcome::fatal, cause, row}; }
};

}  // namespace trammel
