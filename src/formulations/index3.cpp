// SPDX-License-Identifier: Apache-2.0
#include "trammel/formulations/index3.h"

namespace trammel {

Index3::Index3(const MechanicalSystem& system) : system_(system) {
  std::vector<Kind> kinds(system.kinds_q().begin(), system.kinds_q().end());
  for (double e : system.E()) kinds.push_back(e != 0.0 ? Kind::internal : Kind::algebraic);
  kinds.insert(kinds.end(), system.nc(), Kind::multiplier);
  const int nv = system.nv(), nz = system.nz();
  const auto unknown = [&system, nv, nz](int i) {
    if (i < nv) return system.describe_coordinate(i);
    if (i < nv + nz) return system.describe_state(i - nv);
    return "multiplier of " + system.describe_constraint(i - nv - nz);
  };
  const auto row = [&system, nv, nz](int i) {
    if (i < nv) return system.describe_motion_row(i);
    if (i < nv + nz) return "rate of " + system.describe_state(i - nv);
    return system.describe_constraint(i - nv - nz);
  };
  layout_ = Layout(std::move(kinds), unknown, row);
}

}  // namespace trammel
