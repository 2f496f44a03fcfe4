// SPDX-License-Identifier: Apache-2.0
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

/// N four-bars in a row [IFToMM A02]: 2N + 1 rods, upright, pushed with 1 m/s; passes positions with all rods in line.
inline std::string four_bar_text(int n) {
  std::string text = fmt::format("title = \"{0} four-bars\"\n[parameters]\nN = {0}\n", n);
  const std::string rod = "kind = \"planar\"\nnormal = \"y\"\nmass = 1\ninertia = \"1/12\"\n";
  text += "[[repeat]]\ncount = \"N + 1\"\n[[repeat.body]]\nname = \"vertical_{i}\"\n" + rod;
  text += "position = [\"i\", 0, 0.5]\nvelocity = [0.5, 0, 0]\nangular_velocity = 1\n";
  text += "[[repeat.joint]]\nname = \"foot_{i}\"\nkind = \"revolute\"\nbodies = [\"ground\", \"vertical_{i}\"]\n";
  text += "point = [\"i\", 0, 0]\n[[repeat]]\ncount = \"N\"\n[[repeat.body]]\nname = \"horizontal_{i}\"\n" + rod;
  text += "position = [\"i + 0.5\", 0, 1]\nvelocity = [1, 0, 0]\n";
  text += "[[repeat.joint]]\nname = \"left_{i}\"\nkind = \"revolute\"\n";
  text += "bodies = [\"vertical_{i}\", \"horizontal_{i}\"]\npoint = [\"i\", 0, 1]\n";
  text += "[[repeat.joint]]\nname = \"right_{i}\"\nkind = \"revolute\"\n";
  text += "bodies = [\"horizontal_{i}\", \"vertical_{i+1}\"]\npoint = [\"i + 1\", 0, 1]\n";
  text += "[analysis]\nend = 10\n[solver]\nh = 1e-3\n";
  return text;
}

inline Study chain(int n, bool planar = false, const std::string& more = {}) {
  Study study = read_study_text(chain_text(n, planar) + more, "chain.toml");
  if (!study.solver.integrator) study.solver.integrator = Integrator::generalized_alpha;
  return study;
}

}  // namespace trammel::testing
