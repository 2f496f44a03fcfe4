// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "trammel/dae/acceleration_solver.h"
#include "trammel/simulation/motion.h"
#include "trammel/simulation/recorder.h"

namespace trammel {

class Memory;

/// Digital controllers: their states are held between samples, and steps end at samples. What they measure at a sample
/// is the machine as it comes there, accelerations and forces included; all that are due at the same instant see the
/// values held before it.
class SampledControls {
 public:
  /// `solver` finds accelerations after kinks; samples are counted from `start` [s], that of the whole run.
  SampledControls(const Machine& machine, Viewer& viewer, Motion& motion, Recorder& recorder,
                  AccelerationSolver& solver, double start);

  bool active() const { return !due_.empty(); }
  /// The next sample [s]; infinity: none.
  double next() const;
  bool is_due(double t) const;
  /// States of those that are due at x.t get their values, and accelerations follow. At the start nothing moves yet.
  Status sample(MotionVariables& x);
  /// The same in a run: the method begins anew.
  Status sample_and_restart(MotionVariables x);
  void remember(Memory& memory);

 private:
  double instant_of(std::size_t control) const;
  bool is_due(double t, std::size_t control) const;

  const Machine& machine_;
  Viewer& viewer_;
  Motion& motion_;
  Recorder& recorder_;
  AccelerationSolver& solver_;
  double start_;
  std::vector<long> due_;  // by controller: the number of its next sample
};

}  // namespace trammel
