// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "trammel/dae/at_rest.h"
#include "trammel/dae/equilibrium.h"
#include "trammel/simulation/rig.h"

namespace trammel {

/// Equilibria and steady motions of a machine.
class Statics {
 public:
  explicit Statics(Rig& rig);

  /// Near where the motion is; it is there afterwards, and unless it is steady the viewer holds its motions.
  EquilibriumReport find_equilibrium(EquilibriumOptions options, const Equilibrium::Watch& watch = {});
  /// Why there is none.
  std::string explain(const EquilibriumReport& report) const;
  /// Before dynamics with start_from = "equilibrium": the motion begins where statics ends, with the velocities that
  /// the model gives (made to fit the constraints there; of a steady motion those that were found). What is wrong:
  /// nothing holds it, and the motion is where it was.
  std::string begin_motion();
  /// The analysis: the "time" of its frames is the part of the load.
  Summary run(RecordSink& sink);

 private:
  void leave_unstable(EquilibriumOptions options, const MotionVariables& drawn, const State& drawn_state,
                      EquilibriumReport& report);
  std::string settle_on_tyres(EquilibriumOptions options, EquilibriumReport& report);
  std::string find_slipping();
  std::string find_slipping_tyre(Eigen::VectorXd& others) const;
  struct HeldContact {
    std::string contact, a, b;
    double force = 0.0, limit = 0.0;  // [N]
    double part = 0.0;                // of the limit; 0: no contact holds anything
    bool creeps = false;              // so that it never exceeds it
    std::string describe() const;
  };
  HeldContact find_most_held();
  void find_sliding(EquilibriumOptions& options) const;
  std::string find_slipping_contact(Eigen::VectorXd& others);
  EquilibriumOptions options() const;
  EquilibriumReport follow_time(const EquilibriumOptions& options, EquilibriumReport report,
                                const Equilibrium::Watch& record);
  void sum_up(const EquilibriumReport& report, std::string turned, Summary& summary) const;

  Rig& rig_;
  const Study& study_;
  const Assembly& full_;
  const Index3& index3_;
  const AtRest at_rest_;
  Viewer& viewer_;
  MotionVariables& x_;
  State& state_;
};

}  // namespace trammel
