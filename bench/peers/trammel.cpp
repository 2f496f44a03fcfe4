// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <limits>
#include <numbers>
#include <random>

#include "peers.h"
#include "support/chain.h"
#include "trammel/mechanics/absolute/absolute_system.h"
#include "trammel/simulation/bdf_motion.h"
#include "trammel/simulation/runge_kutta_motion.h"
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
  study.solver.integrator = Integrator::bdf;
  study.solver.h.reset();
  study.solver.rtol = study.solver.atol = tol;
  study.solver.bdf.corrector = Corrector::modified;
  return study;
}

}  // namespace

namespace {

Run run_study(const Planar& problem, const Study& study, const char* name) {
  Simulation simulation(study);
  MotionIntegrator& integrator = simulation.integrator();
  Run run{name, *study.solver.rtol};
  bool ok = true;
  double t = 0.0;
  const double begin = cpu_time();
  while (ok && t < problem.t_end()) {
    ok = integrator.advance(problem.t_end(), simulation.state()).status.ok();
    t = integrator.newest().t;
  }
  run.seconds = cpu_time() - begin;
  if (const auto* bdf = dynamic_cast<BdfMotion*>(&integrator)) {
    const BdfCounters& counters = bdf->bdf().counters();
    run.steps = counters.steps, run.residuals = counters.residuals, run.jacobians = counters.linearizations;
    run.error_failures = counters.error_failures, run.convergence_failures = counters.convergence_failures;
  } else if (const auto* pair = dynamic_cast<RungeKuttaMotion*>(&integrator)) {
    const RungeKuttaCounters& counters = pair->method().counters();
    run.steps = counters.steps, run.residuals = counters.evaluations, run.error_failures = counters.error_failures;
  }
  run.error = std::numeric_limits<double>::quiet_NaN();
  if (!ok) return run;

  const std::vector<Frame<double>> frames = simulation.calc_frames(integrator.newest(), simulation.state());
  std::vector<double> q;
  for (const int f : simulation.assembly().body_frame) {
    const Frame<double>& frame = frames[f];  // the model lies in the x–z plane
    const Eigen::Vector3d up = frame.R.col(2);
    q.insert(q.end(), {frame.p.x(), frame.p.z(), std::atan2(-up.x(), up.z())});
  }
  run.error = problem.error(q);
  return run;
}

}  // namespace

Run run_trammel(const Planar& problem, double tol) { return run_study(problem, make_study(problem, tol), "Trammel"); }

Run run_trammel_explicit(const Planar& problem, double tol) {
  Study study = make_study(problem, tol);
  study.solver.coordinates = CoordinateSet::joint;
  study.solver.integrator = Integrator::runge_kutta;
  study.solver.bdf = {};
  return run_study(problem, study, "Trammel");
}

double time_trammel(const Forward& problem) {
  // As Simbody's: joint frames of a rod at −½ and ½ of its length, both turned about the rod.
  std::vector<JointTree::Link> links(problem.n);
  for (int i = 1; i <= problem.n; ++i) {
    JointTree::Link& link = links[i - 1];
    link.mobility = Mobility::revolute;
    link.parent = problem.tree ? i / 2 - 1 : i - 2;
    link.mass = 1.0;
    link.inertia.diagonal() << 0.0, 1.0 / 12, 1.0 / 12;
    const double turned = problem.tree ? (i % 2 ? 0.3 : std::numbers::pi / 2) : 0.0;
    const Eigen::Matrix3d R = Eigen::AngleAxisd(turned, Eigen::Vector3d::UnitX()).toRotationMatrix();
    const Eigen::Vector3d half(0.5, 0, 0);
    link.R_LF = R.transpose();
    link.p_LF = R.transpose() * half;
    link.R_PB = R;
    if (link.parent < 0) continue;
    const JointTree::Link& parent = links[link.parent];
    link.R_PB = parent.R_LF * R;
    link.p_PB = parent.p_LF + parent.R_LF * half;
  }
  JointTree tree;
  tree.finish(links, {0, -9.81, 0});
  JointTree::Memory memory = tree.make_memory();
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  Eigen::VectorXd q(problem.n), v(problem.n), a(problem.n);
  double best = std::numeric_limits<double>::infinity(), check = 0.0;
  for (int round = 0; round < 9; ++round) {
    for (int i = 0; i < problem.n; ++i) q[i] = any(engine), v[i] = any(engine);
    const double begin = cpu_time();
    for (int k = 0; k < problem.calls(); ++k) {
      q[k % problem.n] += 1e-3, v[k % problem.n] += 1e-3;
      if (!tree.accelerate(q, v, {}, {}, {}, {}, a, memory).ok()) return std::numeric_limits<double>::quiet_NaN();
      check += a[0];
    }
    best = std::min(best, (cpu_time() - begin) / problem.calls());
  }
  return std::isfinite(check) ? best : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace trammel::peers
