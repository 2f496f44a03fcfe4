#pragma once

#include <fmt/format.h>

#include <string>

#include "trammel/io/model_reader.h"

namespace trammel::testing {

/// N links of 1 m in a row, hinged about y and falling from the horizontal: 6 coordinates and 5 rows per link in space,
/// 3 and 2 in the plane.
inline std::string chain_text(int n, bool planar) {
  std::string text = fmt::format("title = \"chain of {0}\"\n[parameters]\nN = {0}\n", n);
  text += "[[repeat]]\ncount = \"N\"\n[[repeat.body]]\nname = \"link_{i}\"\nmass = 1\n";
  text += planar ? "kind = \"planar\"\nnormal = \"y\"\ninertia = \"1/12\"\n" : "inertia = [0.01, \"1/12\", \"1/12\"]\n";
  text += "position = [\"i + 0.5\", 0, 0]\n";
  text += "[[joint]]\nname = \"pin_0\"\nkind = \"revolute\"\nbodies = [\"ground\", \"link_0\"]\npoint = [0, 0, 0]\n";
  text += "axis = \"y\"\n[[repeat]]\ncount = \"N - 1\"\nstart = 1\n[[repeat.joint]]\nname = \"pin_{i}\"\n";
  text += "kind = \"revolute\"\nbodies = [\"link_{i-1}\", \"link_{i}\"]\npoint = [\"i\", 0, 0]\naxis = \"y\"\n";
  text += "[analysis]\nend = 1\n[solver]\nh = 1e-3\n";
  return text;
}

inline Study chain(int n, bool planar = false, const std::string& more = {}) {
  return read_study_text(chain_text(n, planar) + more, "chain.toml");
}

}  // namespace trammel::testing
