// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "run.h"

#ifdef TRAMMEL_HAS_SIMBODY
#include <Simbody.h>

// Simbody: joint coordinates, O(N) articulated bodies, explicit Runge–Kutta–Merson; loops closed by constraints that it
// projects onto.

namespace trammel::peers {

namespace {

using SimTK::MobilizedBody, SimTK::Transform, SimTK::Vec3;

SimTK::Body::Rigid rod() {
  return SimTK::Body::Rigid(SimTK::MassProperties(1.0, Vec3(0), SimTK::Inertia(0, 1.0 / 12, 1.0 / 12)));
}

struct World {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter{system};
  SimTK::GeneralForceSubsystem forces{system};
  SimTK::Force::Gravity gravity{forces, matter, Vec3(0, -9.81, 0)};
  std::vector<MobilizedBody::Pin> bodies;  // verticals first

  MobilizedBody& body(int i) { return matter.updMobilizedBody(bodies[i].getMobilizedBodyIndex()); }

  explicit World(const Planar& problem) {
    matter.setShowDefaultGeometry(false);
    const Transform near_end(Vec3(-0.5, 0, 0)), far_end(Vec3(0.5, 0, 0));
    const int n = problem.n;
    if (problem.kind == Planar::Kind::chain) {
      bodies.emplace_back(matter.updGround(), Transform(Vec3(0)), rod(), near_end);
      for (int i = 1; i < n; ++i) bodies.emplace_back(body(i - 1), far_end, rod(), near_end);
    } else {
      for (int i = 0; i <= n; ++i) bodies.emplace_back(matter.updGround(), Transform(Vec3(i, 0, 0)), rod(), near_end);
      for (int i = 0; i < n; ++i) {
        bodies.emplace_back(body(i), far_end, rod(), near_end);
        SimTK::Constraint::PointOnLine(bodies[i + 1], SimTK::UnitVec3(SimTK::ZAxis), Vec3(0.5, 0, 0), bodies.back(),
                                       Vec3(0.5, 0, 0));
      }
    }
    system.realizeTopology();
  }
};

}  // namespace

bool has_simbody() { return true; }

Run run_simbody(const Planar& problem, double tol) {
  World world(problem);
  SimTK::State start = world.system.getDefaultState();
  const int n = problem.n;
  if (problem.kind == Planar::Kind::four_bar) {
    for (int i = 0; i <= n; ++i) world.bodies[i].setAngle(start, SimTK::Pi / 2), world.bodies[i].setRate(start, -1);
    for (int i = n + 1; i <= 2 * n; ++i)
      world.bodies[i].setAngle(start, -SimTK::Pi / 2), world.bodies[i].setRate(start, 1);
  }
  SimTK::RungeKuttaMersonIntegrator integrator(world.system);
  integrator.setAccuracy(tol);
  integrator.initialize(start);
  Run run{"Simbody", tol, 0.0, std::numeric_limits<double>::quiet_NaN()};
  const double begin = cpu_time();
  try {
    while (integrator.getTime() < problem.t_end()) integrator.stepTo(problem.t_end());
    run.seconds = cpu_time() - begin;
    const SimTK::State& end = integrator.getState();
    world.system.realize(end, SimTK::Stage::Position);
    std::vector<double> q;
    for (std::size_t i = 0; i < world.bodies.size(); ++i) {
      const Vec3 p = world.bodies[i].getBodyOriginLocation(end);
      const Vec3 x = world.bodies[i].getBodyRotation(end) * Vec3(1, 0, 0);
      const bool vertical = problem.kind == Planar::Kind::four_bar && static_cast<int>(i) <= n;
      q.insert(q.end(), {p[0], p[1], std::atan2(x[1], x[0]) - (vertical ? SimTK::Pi / 2 : 0.0)});
    }
    run.error = problem.error(q);
  } catch (const std::exception&) {  // its way to say that a step failed
    run.seconds = cpu_time() - begin;
  }
  run.steps = integrator.getNumStepsTaken();
  run.residuals = integrator.getNumRealizations();
  return run;
}

double time_simbody(const Forward& problem) {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter(system);
  SimTK::GeneralForceSubsystem forces(system);
  const SimTK::Force::Gravity gravity(forces, matter, Vec3(0, -9.81, 0));
  matter.setShowDefaultGeometry(false);
  for (int i = 1; i <= problem.n; ++i) {
    const int parent = problem.tree ? i / 2 : i - 1;
    const SimTK::Rotation R(problem.tree ? (i % 2 ? 0.3 : SimTK::Pi / 2) : 0.0, SimTK::XAxis);
    MobilizedBody::Pin(matter.updMobilizedBody(SimTK::MobilizedBodyIndex(parent)),
                       Transform(R, parent > 0 ? Vec3(0.5, 0, 0) : Vec3(0)), rod(), Transform(R, Vec3(-0.5, 0, 0)));
  }
  SimTK::State state = system.realizeTopology();
  SimTK::Random::Uniform any(-1, 1);
  any.setSeed(7);
  double best = std::numeric_limits<double>::infinity(), check = 0.0;
  for (int round = 0; round < 9; ++round) {
    for (int i = 0; i < problem.n; ++i) state.updQ()[i] = any.getValue(), state.updU()[i] = any.getValue();
    system.realize(state, SimTK::Stage::Acceleration);
    const double begin = cpu_time();
    for (int k = 0; k < problem.calls(); ++k) {
      state.updQ()[k % problem.n] += 1e-3;  // everything from positions on is computed anew
      state.updU()[k % problem.n] += 1e-3;
      system.realize(state, SimTK::Stage::Acceleration);
      check += state.getUDot()[0];
    }
    best = std::min(best, (cpu_time() - begin) / problem.calls());
  }
  return std::isfinite(check) ? best : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace trammel::peers

#else

namespace trammel::peers {

bool has_simbody() { return false; }
double time_simbody(const Forward&) { return std::numeric_limits<double>::quiet_NaN(); }
Run run_simbody(const Planar&, double tol) { return {"Simbody", tol, 0.0, std::numeric_limits<double>::quiet_NaN()}; }

}  // namespace trammel::peers

#endif
