#include "targets.h"

#include <algorithm>

namespace trammel::fuzz {

const std::vector<Target>& targets() {
  static const std::vector<Target> all{model_target(),   motion_target(), expression_target(),
                                       results_target(), mesh_target(),   table_target()};
  return all;
}

const Target* find_target(std::string_view name) {
  const auto it = std::find_if(targets().begin(), targets().end(), [&](const Target& t) { return t.name == name; });
  return it == targets().end() ? nullptr : &*it;
}

}  // namespace trammel::fuzz
