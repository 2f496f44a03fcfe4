// SPDX-License-Identifier: Apache-2.0
#include "targets.h"

#include <algorithm>

// What HDF5 does not give back of a damaged file is not ours. Sanitizers call this, if there are any.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5\n"; }

namespace trammel::fuzz {

const std::vector<Target>& targets() {
  static const std::vector<Target> all{model_target(), motion_target(), expression_target(), results_target(),
                                       mesh_target(),  table_target(),  urdf_target()};
  return all;
}

const Target* find_target(std::string_view name) {
  const auto it = std::find_if(targets().begin(), targets().end(), [&](const Target& t) { return t.name == name; });
  return it == targets().end() ? nullptr : &*it;
}

}  // namespace trammel::fuzz
