// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>
#include <string>

#include "claims/run_model.h"

namespace trammel::pulses {

/// A block of 1 kg on a rail that a force hits at t₀ within about 2w, with the impulse 1 N s: v = 1 m/s ever after.
struct Pulse {
  double span = 10.0, t0 = 5.0, w = 0.01;

  std::string force() const {
    return fmt::format("{:.17g}*exp(-((t - {:.17g})/{:.17g})^2)", 1.0 / (w * std::sqrt(std::numbers::pi)), t0, w);
  }
  double calc_force(double t) const { return std::exp(-std::pow((t - t0) / w, 2)) / (w * std::sqrt(std::numbers::pi)); }
  double v(double t) const { return 0.5 * (std::erf((t - t0) / w) + std::erf(t0 / w)); }
  /// ∫ v dt, v = ½ (erf((t − t₀)/w) + erf(t₀/w)).
  double x(double t) const {
    const auto primitive = [](double y) { return y * std::erf(y) + std::exp(-y * y) / std::sqrt(std::numbers::pi); };
    return 0.5 * (w * (primitive((t - t0) / w) - primitive(-t0 / w)) + t * std::erf(t0 / w));
  }
};

inline std::string rail(const std::string& force, double span) {
  return fmt::format(R"toml(
gravity = [0, 0, 0]
[[body]]
name = "block"
mass = 1
inertia = [1, 1, 1]
position = [0, 0, 0]
[[joint]]
name = "rail"
kind = "prismatic"
bodies = ["ground", "block"]
point = [0, 0, 0]
axis = "x"
[[force]]
name = "hit"
kind = "force"
body = "block"
force = ["{}", 0, 0]
[analysis]
end = {:.17g}
)toml",
                     force, span);
}

struct Errors {
  double v = 0.0, x = 0.0;  ///< largest over all frames; x beside the whole way
  long steps = 0;
};

inline Errors measure(const Recorded& recorded, const Pulse& pulse) {
  Errors errors;
  const Eigen::VectorXd x = recorded.values("rail.displacement"), v = recorded.values("rail.displacement_rate");
  for (std::size_t i = 0; i < recorded.times().size(); ++i) {
    const double t = recorded.times()[i];
    errors.v = std::max(errors.v, std::abs(v[static_cast<Eigen::Index>(i)] - pulse.v(t)));
    errors.x = std::max(errors.x, std::abs(x[static_cast<Eigen::Index>(i)] - pulse.x(t)) / pulse.span);
  }
  errors.steps = recorded.summary.steps;
  return errors;
}

inline Errors run_pulse(const Pulse& pulse, const std::string& integrator, const std::string& coordinates, double tol) {
  return measure(run_text(rail(pulse.force(), pulse.span),
                          {"solver.integrator=\"" + integrator + "\"", "solver.coordinates=\"" + coordinates + "\"",
                           set("solver.rtol", tol), set("solver.atol", tol)}),
                 pulse);
}

}  // namespace trammel::pulses
