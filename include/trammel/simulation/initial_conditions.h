// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "trammel/dae/consistency.h"
#include "trammel/linalg/linear_solver.h"
#include "trammel/linalg/rank.h"
#include "trammel/mechanics/absolute/assemble.h"

namespace trammel {

/// The rows of G that others imply at this position.
RankReport find_redundancy(const SecondOrderDae& dae, const MotionVariables& x, const State& state,
                           Workspace& workspace);

/// Redundancy that lasts, told from that of the position alone. In a singular position (a flat parallelogram) rows are
/// dependent that are not so beside it; left out, they would let the machine come apart as soon as it moves.
///
/// Rank is compared with that of assembled positions beside the given one: on the way of the motion, q + δ q̇, and in
/// any direction. Where all agree, what is dependent stays so.
struct LastingRedundancy {
  RankReport rows;        ///< that others imply, here and beside it
  RankReport here;        ///< that others imply in this position
  bool singular = false;  ///< more rows are dependent here than on the way of the motion
  bool at_rest = false;   ///< and the motion does not lead out of it: there is a place beside it with more rank
  /// The row, if any, whose second derivative the given velocity contradicts: no motion goes through with it.
  int impossible_row = -1;
};
LastingRedundancy find_lasting_redundancy(const SecondOrderDae& dae, const MotionVariables& x, const State& state,
                                          Workspace& workspace);

/// "joint 'd', row 3 [rad] repeats joint 'a', row 4 [rad] and …", one line per dependent row.
std::vector<std::string> describe_redundancy(const RankReport& report, const AbsoluteSystem& system);

}  // namespace trammel
