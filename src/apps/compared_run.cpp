// SPDX-License-Identifier: Apache-2.0
#include "compared_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <map>
#include <set>

#include "trammel/simulation/option.h"
#include "trammel/simulation/simulation.h"

namespace trammel::apps {

namespace {

constexpr double atol_over_rtol = 1e-2;  // as the defaults of the solver have it

Eigen::MatrixXd read_table(const MemoryRecord& record, const std::string& name) {
  const TablePlace place = record.schema().find_table(name);
  Eigen::MatrixXd values(static_cast<Eigen::Index>(record.times().size()), place.width);
  for (int i = 0; i < static_cast<int>(record.times().size()); ++i)
    values.row(i) = Eigen::Map<const Eigen::RowVectorXd>(record.frame_values(i).data() + place.column, place.width);
  return values;
}

double largest_distance(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols() || a.size() == 0) return std::numeric_limits<double>::quiet_NaN();
  double most = 0.0;
  for (Eigen::Index i = 0; i < a.rows(); ++i)
    for (Eigen::Index k = 0; k < a.cols(); k += 3)
      most = std::max(most, (a.block<1, 3>(i, k) - b.block<1, 3>(i, k)).norm());
  return most;
}

double largest(const Eigen::MatrixXd& a) {
  double most = 0.0;
  for (Eigen::Index i = 0; i < a.rows(); ++i)
    for (Eigen::Index k = 0; k < a.cols(); k += 3) most = std::max(most, a.block<1, 3>(i, k).norm());
  return most;
}

// Distance at which the mass of a body lies about its origin [m], a root of the mean square; none: it does not turn.
std::map<std::string, double> calc_sizes(const Model& model) {
  std::map<std::string, double> sizes;
  for (const BodySpec& body : model.bodies) {
    if (body.kind == BodyKind::particle || !(body.mass > 0.0)) continue;
    const Eigen::Vector3d normal = body.orientation.transpose() * body.plane_normal.stableNormalized();
    const double second_moment =
        body.kind == BodyKind::planar ? normal.dot(body.inertia * normal) : 0.5 * body.inertia.trace();
    sizes[body.name] = std::sqrt(second_moment / body.mass + body.center_of_mass.squaredNorm());
  }
  return sizes;
}

// Origins of the bodies, and three points of each that turns, on its axes at the distance of its mass: of a wheel on a
// fixed axle these are all that moves.
void read_points(const MemoryRecord& record, const std::map<std::string, double>& sizes, ComparedRun& run) {
  constexpr int points_of_body = 4;
  const auto origins = std::find_if(record.schema().frames.begin(), record.schema().frames.end(),
                                    [](const RecordGroup& group) { return group.path == "/frames/position"; });
  const Eigen::MatrixXd p = read_table(record, "/frames/position"), v = read_table(record, "/frames/velocity");
  const Eigen::MatrixXd q = read_table(record, "/frames/orientation"),
                        w = read_table(record, "/frames/angular_velocity");
  run.positions.resize(p.rows(), points_of_body * p.cols());
  run.velocities.resizeLike(run.positions);
  if (origins == record.schema().frames.end()) return;
  for (Eigen::Index i = 0; i < p.rows(); ++i)
    for (int body = 0; body < origins->n_items(); ++body) {
      const auto size = sizes.find(origins->names[static_cast<std::size_t>(body)]);
      const Eigen::Quaterniond turn(q(i, 4 * body), q(i, 4 * body + 1), q(i, 4 * body + 2), q(i, 4 * body + 3));
      const Eigen::Vector3d about = w.block<1, 3>(i, 3 * body).transpose();
      for (int k = 0; k < points_of_body; ++k) {
        const Eigen::Index column = 3 * (points_of_body * body + k);
        run.positions.block<1, 3>(i, column) = p.block<1, 3>(i, 3 * body);
        run.velocities.block<1, 3>(i, column) = v.block<1, 3>(i, 3 * body);
        if (k == 0 || size == sizes.end()) continue;
        const Eigen::Vector3d beside = size->second * Eigen::Vector3d::Unit(k - 1);
        run.positions.block<1, 3>(i, column) += (turn * beside).transpose();
        run.velocities.block<1, 3>(i, column) += (turn * about.cross(beside)).transpose();
      }
    }
}

}  // namespace

ComparedRun run_to_compare(CheckedStudy study, double rtol, double limit) {
  Settings& settings = study.settings();
  settings.solver.h.reset();
  settings.solver.rtol = rtol;
  settings.solver.atol = atol_over_rtol * rtol;
  settings.output.every_step = false;
  settings.output.channels.reset();
  settings.output.interval = settings.analysis.span() / compared_frames;
  ComparedRun run;
  run.left_out = drop_foreign(settings, study.model());
  if (!settings.phases.empty()) run.left_out.push_back("phase"), settings.phases.clear();
  if (const std::vector<Issue> found = issues(study.study()); !found.empty()) {
    run.trouble = found.front().message;
    return run;
  }
  const auto seconds_from = [](std::clock_t from) { return static_cast<double>(std::clock() - from) / CLOCKS_PER_SEC; };
  const std::map<std::string, double> sizes = calc_sizes(study.model());
  try {
    Simulation simulation(std::move(study));
    MemoryRecord record(compared_frames + 2);
    const std::clock_t from = std::clock();
    run.summary = simulation.run(record, [&](const Progress&) { return seconds_from(from) < limit; });
    run.seconds = seconds_from(from);
    run.complete = run.summary.completed;
    if (!run.complete) {
      const std::string& failure = run.summary.failure;
      run.trouble =
          failure.empty() ? fmt::format("took more than {:.3g} s", limit) : failure.substr(0, failure.find('\n'));
      return run;
    }
    read_points(record, sizes, run);
    if (simulation.settings().solver.redundant != RedundancyPolicy::error) return run;
    run.forces = read_table(record, "/frames/reaction_force");
    run.moments = read_table(record, "/frames/reaction_moment");
  } catch (const InputError& error) {
    run.trouble = error.issues().front().message;
  }
  return run;
}

Deviation find_deviation(const ComparedRun& run, const ComparedRun& reference) {
  Deviation found{largest_distance(run.positions, reference.positions),
                  largest_distance(run.velocities, reference.velocities), std::numeric_limits<double>::quiet_NaN()};
  // What vanishes but for rounding (moments of ball joints) has no parts: forces count by moments over the extent, and
  // the reverse.
  constexpr double rounding = 1e-9;
  const double extent = std::max(extent_of(reference), std::numeric_limits<double>::min());
  const double force = largest(reference.forces), moment = largest(reference.moments);
  const auto compare = [&](const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, double peak, double other) {
    if (!(peak > rounding * other)) return;
    const double part = largest_distance(a, b) / peak;
    if (!(found.reaction >= part)) found.reaction = part;
  };
  compare(run.forces, reference.forces, force, moment / extent);
  compare(run.moments, reference.moments, moment, force * extent);
  return found;
}

double extent_of(const ComparedRun& run) {
  const Eigen::MatrixXd& p = run.positions;
  Eigen::Vector3d low = Eigen::Vector3d::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (Eigen::Index i = 0; i < p.rows(); ++i)
    for (Eigen::Index k = 0; k < p.cols(); k += 3) {
      const Eigen::Vector3d at = p.block<1, 3>(i, k).transpose();
      low = low.cwiseMin(at), high = high.cwiseMax(at);
    }
  return p.size() > 0 ? (high - low).norm() : 0.0;
}

std::vector<std::string> leave_open(CheckedStudy& study) {
  std::set<std::string> left_out;
  SolverOptions& solver = study.settings().solver;
  solver.h.reset();
  for (const Integrator integrator : {Integrator::runge_kutta, Integrator::radau, Integrator::bdf}) {
    solver.integrator = integrator;
    solver.coordinates = CoordinateSet::absolute;
    for (const std::string& name : drop_foreign(study.settings(), study.model())) left_out.insert(name);
  }
  solver.integrator.reset();
  solver.coordinates = CoordinateSet::automatic;
  return {left_out.begin(), left_out.end()};
}

}  // namespace trammel::apps
