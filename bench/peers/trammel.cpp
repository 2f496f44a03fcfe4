#include <fmt/format.h>

#include <limits>

#include "peers.h"
#include "support/chain.h"
#include "trammel/mechanics/absolute/absolute_system.h"
#include "trammel/simulation/bdf_motion.h"
#include "trammel/simulation/simulation.h"

// The product: planar bodies and hinges from a model file's text, BDF on the stabilized index-2 form, default settings
// but for tolerances. Multipliers are left out of Newton's test, as with IDA.

namespace trammel::peers {

namespace {

Study make_study(const Planar& problem, double tol) {
  const std::string model =
      problem.kind == Planar::Kind::chain ? testing::chain_text(problem.n, true) : testing::four_bar_text(problem.n);
  Study study = read_study_text(model, "peer.toml");
  study.analysis.end = problem.t_end();
  study.solver.integrator = "bdf";
  study.solver.h.reset();
  study.solver.rtol = study.solver.atol = tol;
  study.solver.bdf.corrector = "modified";
  return study;
}

}  // namespace

Run run_trammel(const Planar& problem, double tol) {
  Simulation simulation(make_study(problem, tol));
  MotionIntegrator& integrator = simulation.integrator();
  Run run{"Trammel", tol};
  bool ok = true;
  double t = 0.0;
  const double begin = cpu_time();
  while (ok && t < problem.t_end()) {
    ok = integrator.advance(problem.t_end(), simulation.state()).status.ok();
    t = integrator.newest().t;
  }
  run.seconds = cpu_time() - begin;
  const BdfCounters& counters = dynamic_cast<BdfMotion&>(integrator).bdf().counters();
  run.steps = counters.steps, run.residuals = counters.residuals, run.jacobians = counters.linearizations;
  run.error_failures = counters.error_failures, run.convergence_failures = counters.convergence_failures;
  run.error = std::numeric_limits<double>::quiet_NaN();
  if (!ok) return run;

  const AbsoluteSystem& system = *simulation.assembly().system;
  const std::unique_ptr<Workspace> workspace = system.make_workspace();
  InputBuffer inputs;
  system.calc_inputs(t, inputs);
  const KinematicState end =
      system.update_kinematics(integrator.newest().point(inputs.view()), simulation.state(), *workspace);
  std::vector<double> q;
  for (const int f : simulation.assembly().body_frame) {
    const Frame<double>& frame = end.frames[f];  // the model lies in the x–z plane
    const Eigen::Vector3d up = frame.R.col(2);
    q.insert(q.end(), {frame.p.x(), frame.p.z(), std::atan2(-up.x(), up.z())});
  }
  run.error = problem.error(q);
  return run;
}

}  // namespace trammel::peers
