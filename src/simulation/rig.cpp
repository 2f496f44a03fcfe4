// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/rig.h"

#include "trammel/simulation/option.h"

namespace trammel {

Rig::Rig(CheckedStudy study, Customize customize, int phase)
    : machine(std::move(study), std::move(customize)),
      viewer(machine),
      motion(machine, viewer),
      recorder(machine.study(), machine.full()),
      run_watch(machine.model(), machine.full(), recorder.groups()),
      steps(machine, motion, phase) {}

void Rig::renew() {
  viewer.renew();
  motion = Motion(machine, viewer);
  recorder.renew();
}

Summary Rig::begin_summary() const {
  const SolverOptions& o = machine.study().solver;
  const AbsoluteSystem& system = *machine.full().system;
  Summary s;
  s.integrator = word_of(*o.integrator);
  s.formulation = o.formulation ? word_of(*o.formulation) : std::string(method_of(o).equations.own);
  s.nv = system.nv(), s.nc = system.nc(), s.nz = system.nz();
  if (const JointSystem* joint = machine.joint()) {
    s.nv = joint->nv(), s.nc = joint->machine().system->n_rows();
    for (const detail::Bearing& bearing : joint->bearings()) s.nc -= bearing.n;  // read, not solved for
  }
  s.degrees_of_freedom = s.nv - machine.rank();
  s.notes = machine.notes();
  s.choice = machine.choice();
  s.frames = machine.frame_rule().words;
  return s;
}

void Rig::finish_summary(Summary& summary, const RunLedger& ledger, const Violations& violations) const {
  ledger.sum_up(summary);
  violations.sum_up(summary);
  run_watch.sum_up(summary.notes);
}

void Rig::note_step(const MotionVariables& x) {
  if (run_watch.follows_bushings()) run_watch.note_step(viewer.update_kinematics(viewer.show(x, motion.state)), x.t);
}

}  // namespace trammel
