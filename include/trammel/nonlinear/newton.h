// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "trammel/base/status.h"

namespace trammel {

/// What a correction says of the iteration.
enum class NewtonVerdict : std::uint8_t {
  go_on,
  converged,
  diverging,   ///< or too slow to arrive
  not_finite,  ///< the correction is no number
  again,       ///< begun anew by the problem, from its first guess: counts from zero
};

/// What Newton's iteration asks of a problem r(x) = 0. It knows neither time nor unknowns: which matrix serves, and
/// when corrections are small enough, is the problem's business.
///
///   prepare(k)     the matrix J of iteration k: kept, or made anew
///   solve(k)       r at the iterate, and the correction J δ = −r
///   correct(k)     x += δ, and what δ says of the iteration
///   give_up(cause) the status of an iteration that ends without having converged
template <class P>
concept NewtonProblem = requires(std::remove_reference_t<P>& problem, int k, Cause cause) {
  { problem.prepare(k) } -> std::same_as<Status>;
  { problem.solve(k) } -> std::same_as<Status>;
  { problem.correct(k) } -> std::same_as<NewtonVerdict>;
  { problem.give_up(cause) } -> std::same_as<Status>;
};

/// The iteration of everything that iterates: steps of implicit methods, equilibria, accelerations, consistent values.
template <NewtonProblem P>
Status solve_by_newton(P&& problem, int max_iterations) {
  for (int k = 0; k < max_iterations; ++k) {
    if (const Status status = problem.prepare(k); !status.ok()) return status;
    if (const Status status = problem.solve(k); !status.ok()) return status;
    switch (problem.correct(k)) {
      case NewtonVerdict::go_on:
        break;
      case NewtonVerdict::converged:
        return Status::success();
      case NewtonVerdict::diverging:
        return problem.give_up(Cause::slow_convergence);
      case NewtonVerdict::not_finite:
        return problem.give_up(Cause::not_finite);
      case NewtonVerdict::again:
        k = -1;
        break;
    }
  }
  return problem.give_up(Cause::too_many_iterations);
}

}  // namespace trammel
