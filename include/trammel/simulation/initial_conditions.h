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

/// "joint 'd', row 3 [rad] repeats joint 'a', row 4 [rad] and …", one line per dependent row.
std::vector<std::string> describe_redundancy(const RankReport& report, const AbsoluteSystem& system);

}  // namespace trammel
