// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trammel/simulation/energy_watch.h"
#include "trammel/simulation/run_checks.h"
#include "trammel/simulation/run_ledger.h"
#include "trammel/simulation/vibration_watch.h"

namespace trammel {

class Memory;

/// Checks of a run's own numbers: energies, reactions, violations and ranks. What is wrong with them is an Alarm at the
/// end.
class RunAlarms {
 public:
  RunAlarms(const Machine& machine, Viewer& viewer, const Motion& motion);

  void start(const Ledger& ledger) {
    energy_watch_.start(ledger);
    drift_before_ = ledger.drift();
  }
  /// After every step.
  void note_step(const MotionVariables& x, const RunLedger& ledger);
  /// A recorded frame, and the violations of its rows.
  void note_frame(const MotionVariables& x, const Ledger& of_frame, const Eigen::VectorXd& phi);
  RunChecks& checks() { return checks_; }
  /// Into the Summary; with a fixed step, or if the settings ask for it, they are its failure.
  void raise(Summary& summary) const;
  void remember(Memory& memory);

 private:
  std::optional<Alarm> judge_delay(bool knows_energy) const;
  std::string find_largest_energy(const MotionVariables& x);

  const Study& study_;
  const Assembly& full_;
  const Index3& index3_;
  Viewer& viewer_;
  const Motion& motion_;
  EnergyWatch energy_watch_;
  double drift_before_ = 0.0;  // where the motion began
  double unknown_work_ = 0.0;  // RunLedger::uncertainty
  RunChecks checks_;
  VibrationWatch vibrations_;
  std::unique_ptr<SingularPassage> rank_look_;  // at σ, with a fixed step
  std::vector<double> violation_limits_;        // of recorded frames, for each row
  double least_violation_limit_ = 0.0;          // of them
  MotionVariables sample_;
};

}  // namespace trammel
