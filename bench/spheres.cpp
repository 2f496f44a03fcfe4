// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <random>

#include "trammel/dae/motion_operator.h"
#include "trammel/formulations/scaling.h"
#include "trammel/simulation/simulation.h"

// n³ spheres that fall into a box: what a contact costs in the search, in forces and in the planes of the matrix, and
// what the factorization costs beside it.
//
//   trammel_spheres [steps]     steps that 125 and 1000 spheres fall before they are measured (default 3)

namespace trammel {
namespace {

constexpr double radius = 0.01;

// A lattice that falls into the box at 0.1 m/s: neighbours already press on each other, each a little differently, with
// some times their weight of 0.1 N, and the floor stops them layer after layer.
Study spheres(int n) {
  Study study;
  Model& model = study.model;
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> jitter(-2e-6, 2e-6);
  const double pitch = 2.0 * radius * 0.9995, mass = 2500.0 * 4.0 / 3.0 * M_PI * std::pow(radius, 3);
  for (int i = 0; i < n * n * n; ++i) {
    BodySpec body;
    body.name = fmt::format("s{}", i);
    body.mass = mass;
    body.inertia = 0.4 * mass * radius * radius * Eigen::Matrix3d::Identity();
    body.position = Eigen::Vector3d(0.5 + i % n, 0.5 + i / n % n, 0.5 + i / n / n) * pitch +
                    Eigen::Vector3d(jitter(engine), jitter(engine), jitter(engine));
    body.velocity = {0.0, 0.0, -0.1};
    model.bodies.push_back(body);
    GeometrySpec ball;
    ball.body = body.name;
    ball.group = "grains";
    ball.shape.kind = GeometryKind::sphere;
    ball.shape.radius = radius;
    model.geometry.push_back(ball);
  }
  const double edge = n * pitch;
  const auto wall = [&](const Eigen::Vector3d& at, const Eigen::Vector3d& normal) {
    GeometrySpec g;
    g.group = "walls";
    g.shape.kind = GeometryKind::plane;
    g.shape.position = at;
    const Eigen::Vector3d x = normal.unitOrthogonal();
    g.shape.orientation << x, normal.cross(x), normal;
    model.geometry.push_back(g);
  };
  wall({0, 0, 0}, {0, 0, 1});
  wall({0, 0, 0}, {1, 0, 0}), wall({edge, 0, 0}, {-1, 0, 0});
  wall({0, 0, 0}, {0, 1, 0}), wall({0, edge, 0}, {0, -1, 0});
  ContactSpec contact;
  contact.name = "rest";
  contact.a = {"grains", "walls"};
  contact.law.normal = {NormalLaw::Kind::hunt_crossley, 1e5, 1.0, 0.5, 0.0};
  contact.law.friction.kind = FrictionLaw::Kind::coulomb;
  contact.law.friction.mu_k = contact.law.friction.mu_s = 0.3;
  contact.law.friction.v_s = 1e-2;
  contact.locate = false;
  model.contacts.push_back(contact);
  study.solver.h = 1e-4;
  study.solver.scaling.rho = 0.0;
  study.solver.linear_solver = LinearSolverKind::sparse_ldlt;
  study.analysis.end = 1.0;
  return study;
}

template <class Work>
double seconds(int repeats, const Work& work) {
  double best = 1e300;
  for (int i = 0; i < repeats; ++i) {
    const std::clock_t start = std::clock();  // of this process: other programs do not count
    work();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

void measure(int n, int steps) {
  Simulation simulation(spheres(n));
  const SecondOrderDae& dae = simulation.dae();
  for (int i = 0; i < steps; ++i) {
    const StepReport report = simulation.integrator().advance(1.0, simulation.state());
    if (!report.status.ok()) {
      fmt::print("{} spheres, step {}: {}\n", n * n * n, i + 1, describe(report.status.cause));
      return;
    }
  }
  const ContactGroup& group = *simulation.assembly().contacts;
  MotionVariables x = simulation.integrator().newest();
  simulation.integrator().commit(simulation.state());
  State state = simulation.state();
  const std::unique_ptr<Workspace> workspace = dae.make_workspace();
  InputBuffer inputs;
  dae.calc_inputs(x.t, inputs);
  for (int i = 0; i < dae.nv(); i += 6) x.q.segment<3>(i + 3).setZero();  // charts were moved there
  Eigen::VectorXd q = x.q, motion(dae.nv()), internal(dae.nz()), phi(dae.nc());
  const MotionPoint p = x.point(inputs.view());
  int pressing = 0, sides = 0;  // sides: of the contacts that press, those that move
  {
    const std::vector<Frame<double>> frames = simulation.calc_frames(x, state);
    KinematicState k;
    k.frames = frames;
    k.modes = state.modes;
    for (int i = 0; i < group.n_listed(k.modes); ++i) {
      const ContactGroup::Place place = group.place(k.modes, i);
      if (!(group.calc_report(k, place).normal_force > 0.0)) continue;
      ++pressing;
      for (const int shape : {place.a, place.b}) sides += group.geometry()[shape].frame != 0 ? 1 : 0;
    }
  }
  const int repeats = n < 15 ? 20 : 5;
  const double search = seconds(repeats, [&] { dae.accepted(p, q, state, *workspace); });
  const double forces =
      seconds(repeats, [&] { static_cast<void>(dae.residual(p, state, motion, internal, phi, *workspace)); });
  MotionPlanes planes;
  static_cast<void>(dae.linearize(p, state, PlaneSet::all, planes, *workspace));
  const double assembly =
      seconds(repeats, [&] { static_cast<void>(dae.linearize(p, state, PlaneSet::all, planes, *workspace)); });
  PhysicalScaling::Options physical;
  physical.rho = 0.0;
  const PhysicalScaling scaling(physical);
  MotionOperator newton(dae, LinearSolverKind::sparse_ldlt, scaling);
  const double h = 1e-4;
  MotionCoefficients trapezoidal;
  trapezoidal.a = 4.0 / (h * h), trapezoidal.v = trapezoidal.v_end = 2.0 / h;
  bool solved = newton.setup(p, state, trapezoidal, h, MotionOperator::Refresh::linearize, *workspace).ok();
  const double factorization = seconds(n < 15 ? 3 : 1, [&] {
    solved &= newton.setup(p, state, trapezoidal, h, MotionOperator::Refresh::combine, *workspace).ok();
  });
  const double per = 1e6 / std::max(1, pressing);
  const double sum = search + forces + assembly;
  fmt::print("| {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {} | {:.1f} |\n", n * n * n, pressing,
             search * per, forces * per, assembly * per, sum * per, 1e6 * sum / std::max(1, sides),
             solved ? fmt::format("{:.3g}", factorization) : "failed",
             1e-6 * static_cast<double>(newton.linear_solver().counters().nnz_factors));
  std::fflush(stdout);
}

}  // namespace
}  // namespace trammel

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 3;
  fmt::print(
      "| spheres | contacts | search | forces | planes | sum, µs per contact | per moving side | factorization, s | "
      "million numbers in it |\n|---|---|---|---|---|---|---|---|---|\n");
  for (const int n : {5, 10, 20}) trammel::measure(n, n < 20 ? steps : 0);
}
