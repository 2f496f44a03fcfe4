// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "trammel/mechanics/elements/formula.h"

namespace trammel {

/// Where formulas of forces and states have kinks in positions, so that steps can end there: programs of the set whose
/// zeros they are. It exerts no force itself.
class FormulaSwitches final : public ElementGroup {
 public:
  explicit FormulaSwitches(const FormulaSet& formulas) : formulas_(formulas) {}
  /// Takes a program of the set, if it depends on positions (and time) alone. What depends on velocities, states or
  /// reactions is left to the error test: at a jump in a speed motion may stick, and there would be a kink in every
  /// step.
  void add(int program);

  std::string_view kind() const override { return "switches of formulas"; }
  int size() const override { return static_cast<int>(programs_.size()); }
  void connect(std::span<const int>, Connectivity&, std::vector<int>&) const override {}
  void add_planes(const KinematicState&, PlaneSet, std::span<const int>, FramePlanes&) const override {}
  int n_switches() const override { return size(); }
  void calc_switches(const KinematicState& state, std::span<SwitchValue> values) const override;

 private:
  struct Program {
    int program;
    std::vector<int> frames;
  };
  const FormulaSet& formulas_;
  std::vector<Program> programs_;
};

}  // namespace trammel
