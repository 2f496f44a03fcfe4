// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/small_motions.h"

#include <fmt/format.h>

#include <algorithm>

#include "trammel/dae/acceleration_solver.h"
#include "trammel/dae/at_rest.h"

namespace trammel {

namespace {

constexpr double difference = 1e-6;  // of coordinates, for derivatives of measures

/// The equations of the machine, moving or standing as it was left.
class EquationsHere {
 public:
  EquationsHere(const Machine& machine, const Viewer& viewer)
      : moving_(machine.index3()), at_rest_(moving_), held_(viewer.holds_motions()) {}
  const SecondOrderDae& dae() const { return held_ ? static_cast<const SecondOrderDae&>(at_rest_) : moving_; }

 private:
  const Index3& moving_;
  const AtRest at_rest_;
  const bool held_;
};

// Accelerations and multipliers of the point itself: zero in an equilibrium.
Status find_accelerations(Rig& rig) {
  const EquationsHere equations(rig.machine, rig.viewer);
  AccelerationSolver acceleration(equations.dae(), rig.machine.solver_choice());
  return acceleration.solve(rig.motion.x, rig.motion.state, rig.viewer.workspace());
}

// The numbers of a frame that are measures, by name.
struct Outputs {
  std::vector<int> places;
  std::vector<std::string> names;
};

Outputs find_outputs(const Recorder& recorder) {
  Outputs outputs;
  const RecordSchema schema{recorder.groups(), {}, {}};
  for (const char* path : {"/frames/point", "/frames/measure"}) {
    const TablePlace table = schema.find_table(path);
    for (int i = 0; i < table.width; ++i) {
      const RecordGroup& group = schema.frames[static_cast<std::size_t>(table.group)];
      outputs.places.push_back(table.column + i);
      const int item = i / group.n_components();
      outputs.names.push_back(group.names[item] +
                              (group.n_components() > 1 ? "." + group.components[i % group.n_components()] : ""));
    }
  }
  return outputs;
}

// Differences of measures along a column of δq, δv, δz, δλ.
class Differences {
 public:
  Differences(Rig& rig, std::vector<int> places) : rig_(rig), places_(std::move(places)) {}

  Eigen::VectorXd along(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& z,
                        const Eigen::VectorXd& lam) {
    const auto size_of = [](const Eigen::VectorXd& a) { return RunLedger::size_of(a); };
    const double size = std::max({size_of(q), size_of(v), size_of(z), size_of(lam)});
    if (size == 0.0) return Eigen::VectorXd::Zero(std::ssize(places_));
    // Coordinates move by `difference`; what is large (multipliers of stiff machines) must not make it smaller.
    const double step = difference / std::max(size_of(q), 1.0);
    MotionVariables x = rig_.motion.x;
    x.q += step * q, x.v += step * v, x.z += step * z, x.lam += step * lam;
    const Eigen::VectorXd ahead = measure(x);
    x = rig_.motion.x;
    x.q -= step * q, x.v -= step * v, x.z -= step * z, x.lam -= step * lam;
    return (ahead - measure(x)) / (2.0 * step);
  }

 private:
  Eigen::VectorXd measure(const MotionVariables& x) {
    const Shown shown = rig_.viewer.show(x, rig_.motion.state);
    const std::span<const double> all = rig_.recorder.update_frame(shown.point, shown.state, Ledger{});
    Eigen::VectorXd y(std::ssize(places_));
    for (std::size_t i = 0; i < places_.size(); ++i) y[static_cast<Eigen::Index>(i)] = all[places_[i]];
    return y;
  }

  Rig& rig_;
  std::vector<int> places_;
};

}  // namespace

Eigen::VectorXd residual_at(const MotionVariables& x, const State& state, const Machine& machine, Viewer& viewer) {
  const EquationsHere equations(machine, viewer);
  const SecondOrderDae& dae = equations.dae();
  InputBuffer inputs;
  const int nv = dae.nv(), nz = dae.nz();
  Eigen::VectorXd r(nv + nz + dae.nc());
  dae.calc_inputs(x.t, inputs);
  if (const Status status = dae.residual(x.point(inputs.view()), state, r.head(nv), r.segment(nv, nz), r.tail(dae.nc()),
                                         viewer.workspace());
      !status.ok())
    throw SimulationError(
        fmt::format("The equations cannot be evaluated at t = {:.6g} s: {}.", x.t, describe(status.cause)));
  return r;
}

EigenModes calc_lowest_modes(Rig& rig, int n_modes, double& largest_acceleration) {
  const EquationsHere equations(rig.machine, rig.viewer);
  MotionVariables& x = rig.motion.x;
  const State& state = rig.motion.state;
  Status status = find_accelerations(rig);
  largest_acceleration = RunLedger::size_of(x.a);
  EigenModes modes;
  if (status.ok())
    status = calc_lowest_modes(equations.dae(), x, state, rig.machine.index3().system().chart_offsets(), n_modes,
                               rig.viewer.workspace(), modes);
  if (!status.ok()) throw InputError(fmt::format("its lowest modes cannot be found: {}", describe(status.cause)));
  return modes;
}

LinearizedMachine linearize(Rig& rig, const Eigen::MatrixXd& by_input) {
  const EquationsHere equations(rig.machine, rig.viewer);
  const MotionVariables& x = rig.motion.x;
  LinearizedMachine result;
  Status status = find_accelerations(rig);
  result.largest_acceleration = RunLedger::size_of(x.a);
  if (status.ok())
    status = linearize_motion(equations.dae(), x, rig.motion.state, rig.machine.index3().system().chart_offsets(),
                              by_input, rig.viewer.workspace(), result.motion);
  if (!status.ok()) throw InputError(fmt::format("the machine cannot be linearized there: {}", describe(status.cause)));

  Outputs outputs = find_outputs(rig.recorder);
  result.outputs = std::move(outputs.names);
  Differences measures(rig, std::move(outputs.places));
  const Linearization& m = result.motion;
  const Eigen::Index n = m.A.cols(), nu = m.B.cols(), n_outputs = std::ssize(result.outputs);
  result.C.resize(n_outputs, n), result.D.resize(n_outputs, nu);
  for (Eigen::Index j = 0; j < n; ++j) result.C.col(j) = measures.along(m.Q.col(j), m.V.col(j), m.Z.col(j), m.L.col(j));
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(x.q.size());
  for (Eigen::Index j = 0; j < nu; ++j) result.D.col(j) = measures.along(rest, rest, m.Z_u.col(j), m.L_u.col(j));
  return result;
}

}  // namespace trammel
