// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "trammel/dae/types.h"

namespace trammel {

/// Three neighbouring numbers that are one vector in world axes, and the chart of the body that it turns with.
struct WorldVector {
  int first, chart;
};

/// A body whose equations stay what they are when it is turned about an axis of its own (unit vector in its axes): a
/// wheel that is held on its axle. Axis 0: about any, a ball.
struct FreeSpin {
  int chart;
  Vec3<double> axis;
};

/// What of a system's numbers turns with its bodies. None: nothing does.
struct TurningVectors {
  std::span<const int> charts;               ///< where the three coordinates of each chart start in q
  std::span<const WorldVector> coordinates;  ///< of q, v and rows of motion
  std::span<const WorldVector> rows;         ///< of constraint rows and multipliers
  std::span<const FreeSpin> spins;           ///< at most one per chart
  /// A part of several bodies can be moved in some direction without any force. Its momentum is the sum of rows in
  /// world axes, and corrections in world axes keep it to rounding, in others to what an iteration leaves.
  bool floats = false;
};

/// Axes in which an iteration matrix stays young while bodies turn. A machine that has turned as a whole has the same
/// matrix in axes that turned with it, so that a residual is turned into the axes of the matrix and a correction back:
///
///   (1)  a vector in world axes:  r → R_J R̃ᵀ r,      a vector in body axes:  b → R̃ᵀ R b
///
/// R is the body's rotation now, R_J when the matrix was made, and R̃ that of the body's carrier, which was R_J then. An
/// ordinary body carries itself, R̃ = R, and only what neighbours turn against each other ages the matrix. Of a body
/// with a free spin about a the carrier does not spin:
///
///   (2)  R̃ = Q R_J,   Q the shortest rotation that takes R_J a to R a;   of a ball  R̃ = R_J
///
/// so that b is turned about a alone. Whatever R̃ is, the corrections solve the same equations; a bad one costs
/// iterations.
class TurningAxes {
 public:
  /// The matrix is made where every R is 1.
  void reset(const TurningVectors& vectors);
  /// The matrix is made at q.
  void take(const TurningVectors& vectors, ConstVec q, const State& state);
  /// The axes of q from now on.
  void update(const TurningVectors& vectors, ConstVec q, const State& state);

  enum class To { matrix, here };
  /// (1) of numbers like q: vectors of `coordinates`, and those of charts with a free spin.
  void turn_coordinates(const TurningVectors& vectors, To to, Vec x) const;
  /// (1) of numbers like λ.
  void turn_rows(const TurningVectors& vectors, To to, Vec x) const;

 private:
  std::vector<Mat3<double>> R_matrix_, world_;  // per chart: R_J, R_J R̃ᵀ
  std::vector<Mat3<double>> body_;              // per spin: R̃ᵀ R
};

}  // namespace trammel
