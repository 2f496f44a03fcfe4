// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "trammel/base/status.h"
#include "trammel/math/chart.h"

namespace trammel {

using ConstVec = const Eigen::Ref<const Eigen::VectorXd>&;  ///< unit stride; a strided argument would be copied
using Vec = Eigen::Ref<Eigen::VectorXd>;

/// What an unknown or a row is; tolerances and tests are per kind.
enum class Kind : std::uint8_t {
  position,         ///< [m]
  rotation,         ///< chart coordinate [rad]
  velocity,         ///< [m/s], [rad/s]
  multiplier,       ///< λ [N], [N m]
  multiplier_rate,  ///< ψ, χ of the stabilized index-1 form
  internal,         ///< z with ż
  algebraic,        ///< z without ż
};

/// Functions of time, with exact first and second derivatives; u[0] = t always.
struct Inputs {
  std::span<const double> u, ud, udd;
};

/// Storage for Inputs.
struct InputBuffer {
  std::vector<double> u, ud, udd;
  void resize(std::size_t n) {
    u.assign(n, 0.0);
    ud.assign(n, 0.0);
    udd.assign(n, 0.0);
  }
  Inputs view() const { return {u, ud, udd}; }
};

/// The continuous branch of a joint angle: where it was at an accepted instant, so that turns are counted.
struct Branch {
  double t = 0.0, angle = 0.0, rate = 0.0;
  double planar_turns = 0.0;  ///< what angles of planar bodies, which count turns themselves, were then
  /// The angle expected at t: atan2's result is shifted by full turns to the one nearest to it.
  double predict(double at) const { return angle + rate * (at - t); }
};

/// What a system remembers besides its unknowns: charts of rotations, branches of angles, modes of unilateral
/// elements. A serialisable value apart from y, method and scratch; systems are const and receive it as an argument.
struct State {
  std::vector<Chart> charts;
  std::vector<Branch> branches;
  std::vector<int> modes;
  std::uint64_t version = 0;  ///< moves when a mode changes the sparsity pattern

  std::vector<double> to_numbers() const;
  static State from_numbers(std::span<const double> numbers);
};

/// Scratch memory of a system: can be rebuilt from the system, State and the point of linearization.
struct Workspace {
  virtual ~Workspace() = default;
};

/// Names and kinds of unknowns and rows, made once.
class Layout {
 public:
  using Describe = std::function<std::string(int)>;
  Layout() = default;
  Layout(std::vector<Kind> kinds, Describe unknown, Describe row)
      : kinds_(std::move(kinds)), unknown_(std::move(unknown)), row_(std::move(row)) {}

  int n() const { return static_cast<int>(kinds_.size()); }
  std::span<const Kind> kinds() const { return kinds_; }
  std::string describe_unknown(int i) const { return i < 0 || i >= n() ? "no unknown" : unknown_(i); }
  std::string describe_row(int i) const {
    return i < 0 || i >= n() ? "no row" : row_(i);
  }  ///< "joint 'elbow', row 2 [m]"

 private:
  std::vector<Kind> kinds_;
  Describe unknown_, row_;
};

}  // namespace trammel
