// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trammel/mechanics/joint/joint_system.h"
#include "trammel/simulation/option.h"

namespace trammel {

/// What the choice of a method looks at (docs/choice.md).
struct MachineFacts {
  int freedoms = 0;              ///< of the whole machine
  int unknowns = 0;              ///< velocities in absolute coordinates
  bool has_tree = false;         ///< joint coordinates are possible
  int tree_freedoms = 0;         ///< velocities in joint coordinates
  int loop_rows = 0;             ///< constraint rows that remain there; 0: a tree
  bool turns = false;            ///< bodies that turn in space, not in a plane alone
  bool rolls = false;            ///< rows that are not holonomic, but for speeds that are given
  bool reads_reactions = false;  ///< forces that follow reactions: friction of joints
  bool massless = false;         ///< freedoms without inertia, or algebraic states: no explicit form
  double span = 0.0;             ///< [s] of the run
  double rtol = 0.0;
  /// The fastest small motion at the start, |σ| [1/s], and whether it decays rather than oscillates; absent: not known.
  std::optional<double> rate = {};
  bool damped = false;

  /// Steps of the explicit pair per second that stability asks for: it bears h|σ| ≤ 1 where the fastest motion
  /// oscillates and h|σ| ≤ 3.3 where it decays. 0: not known.
  double stability_rate() const { return rate.value_or(0.0) / (damped ? 3.3 : 1.0); }
  bool is_tree() const { return has_tree && loop_rows == 0; }
  /// No row connects the bodies: accelerations follow body by body in absolute coordinates.
  bool is_free() const { return is_tree() && freedoms == unknowns; }
};

/// Where the machine stands when its method is chosen.
struct ChoiceStart {
  const Study& study;
  const MechanicalSystem& absolute;
  bool reads_reactions;           ///< of it
  int rank;                       ///< of its rows
  const JointSystem* tree;        ///< null: no joint coordinates
  const MechanicalSystem& moved;  ///< one of the two: that of x and state
  const MotionVariables& x;
  const State& state;
};

MachineFacts find_facts(const ChoiceStart& start);

/// Methods in the order in which a machine wants them, and why, in a few words: "tree of 6 freedoms, not stiff".
struct MethodRanking {
  std::vector<Method> methods;
  std::string why;
};
MethodRanking rank_methods(const MachineFacts& facts);

/// "explicit pair in joint coordinates"
std::string describe_method(const Method& method);

}  // namespace trammel
