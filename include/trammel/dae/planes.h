// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "trammel/linalg/pattern.h"

namespace trammel {

/// The factor a plane gets in the iteration matrix: that of F_y or that of F_y′.
enum class PlaneRole : std::uint8_t { y, yp };

/// J = c_y F_y + c_y′ F_y′: (1, α) when the corrector solves for y, (1/α, 1) when it solves for y′ [hastiff (1.5),
/// (1.15)].
struct Coefficients {
  double y = 1.0, yp = 0.0;

  double of(PlaneRole role) const { return role == PlaneRole::y ? y : yp; }
  friend bool operator==(const Coefficients&, const Coefficients&) = default;
};

/// The derivatives of F(t, y, y′), kept apart on one pattern so that a new step size costs a combination and not a new
/// linearization. The first two planes are F_y and F_y′; a system may split further ones off (∂(Gᵀλ)/∂q, …) that an
/// operator can leave out or weigh.
///
/// Rows and columns are those of the matrix: a system with body increments multiplies kinematic rows by J_r(θ) and
/// takes columns by δβ, see DaeSystem::to_matrix_rows.
struct Planes {
  Pattern pattern;
  std::vector<PlaneRole> roles;
  std::vector<std::vector<double>> values;  ///< one number per slot of the pattern and plane
  std::uint64_t state_version = 0;          ///< of the State that the pattern belongs to

  // Where the planes were taken: for reports and for updates that need the point again.
  double t = 0.0;
  Eigen::VectorXd y, yp;
  std::vector<double> inputs;  ///< u, u̇, ü, one after the other

  std::vector<double>& F_y() { return values[0]; }
  std::vector<double>& F_yp() { return values[1]; }
  const std::vector<double>& F_y() const { return values[0]; }
  const std::vector<double>& F_yp() const { return values[1]; }

  void set_zero() {
    for (std::vector<double>& plane : values) plane.assign(plane.size(), 0.0);
  }
  /// plane(row, column) += value; the entry must belong to the pattern. For small systems and tests; element groups
  /// keep slots.
  void add(int plane, int row, int column, double value);

  /// Scratch of differences, see differences.h.
  struct Differences {
    std::uint64_t version = 0;            ///< of the pattern the groups belong to
    std::vector<int> group_start, group;  ///< columns, sorted by group
    Eigen::VectorXd y, yp, F0, F, step;
  } differences;
  /// What counts as a small change of each unknown (the weights of the error test) and the present step size: the
  /// integrator sets both before a linearization, and differences choose their increments by them.
  Eigen::VectorXd typical;
  double h = 0.0;
  /// Set by the integrator before a linearization: Newton was slow although the planes at hand are recent, so that an
  /// estimated pattern may have missed something.
  bool suspect = false;
  /// Set by the operator: nothing that was learned at earlier linearizations may be used, so that a run and its
  /// continuation from saved numbers do the same.
  bool anew = true;
};

}  // namespace trammel
