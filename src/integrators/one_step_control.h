#pragma once

/// Step-size control of one-step methods on the equations of motion: the local error is O(h³).
namespace trammel::detail::one_step {

constexpr double safety = 0.7, max_growth = 1.5, min_shrink = 0.2;
constexpr double newton_shrink = 0.25;
/// Newton's tolerance of an error-controlled run as a fraction of the local error's: its remainder must not be seen in
/// the error estimate, a difference of accelerations.
constexpr double newton_fraction = 1e-3;
constexpr int max_attempts = 60;

}  // namespace trammel::detail::one_step
