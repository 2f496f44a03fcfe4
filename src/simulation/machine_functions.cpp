// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/machine_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/base/text.h"
#include "trammel/linalg/dense_decompositions.h"
#include "trammel/math/rotations.h"
#include "trammel/mechanics/row_derivatives.h"
#include "trammel/simulation/coordinate_names.h"
#include "trammel/simulation/viewer.h"

namespace trammel {

namespace {

Eigen::MatrixXd to_dense(const Pattern& pattern, const std::vector<double>& values) {
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(pattern.n_rows, pattern.n_cols);
  for (int c = 0; c < pattern.n_cols; ++c)
    for (int k = pattern.start[c]; k < pattern.start[c + 1]; ++k) dense(pattern.index[k], c) += values[k];
  return dense;
}

// γ of wheels on rails by q: differences of order four, (f₋₂ − 8 f₋₁ + 8 f₁ − f₂)/12δ; δ⁴ and ε/δ are alike.
constexpr double difference_step = 1e-3;

}  // namespace

struct MachineFunctions::Parts {
  Parts(CheckedStudy study, Customize customize)
      : machine(std::move(study), std::move(customize)),
        viewer(machine),
        system(machine.moved()),
        x(machine.initial()),
        state(machine.initial_state()),
        solver(machine.index3(), machine.solver_choice()),
        rows(machine.joint() != nullptr ? *machine.joint()->machine().system : *machine.full().system) {
    const JointSystem* joint = machine.joint();
    if (joint != nullptr && joint->nc() == 0 && joint->explicit_refusal().empty()) tree = joint;
    inputs.resize(1);
  }

  // Takes the point up; what is empty is zero.
  MotionPoint at(const Vector& q, const Vector& v, const Vector& a = {}, const Vector& lam = {}) {
    const auto take = [](const Vector& from, int n, const char* name, Vector& to, bool may_be_empty) {
      if (from.size() == 0 && may_be_empty) {
        to.setZero(n);
        return;
      }
      if (from.size() != n) throw InputError(fmt::format("'{}' has {} numbers, not {}", name, n, from.size()));
      to = from;
    };
    take(q, system.nv(), "q", x.q, false);
    take(v, system.nv(), "v", x.v, true);
    take(a, system.nv(), "a", x.a, true);
    take(lam, system.nc(), "lam", x.lam, true);
    system.calc_inputs(x.t, inputs);
    if (machine.full().contacts != nullptr) {  // what is near follows the point
      Vector kept = x.q;
      constexpr double never = 1e300;
      system.accepted(x.point(inputs.view()), never, kept, state, viewer.workspace());
    }
    return x.point(inputs.view());
  }

  void require(const Status& status) const {
    if (!status.ok())
      throw SimulationError(fmt::format("the equations have no value there: {}", describe(status.cause)));
  }

  Vector residual(const MotionPoint& p) {
    Vector motion(system.nv()), internal(system.nz()), phi(system.nc());
    require(system.residual(p, state, motion, internal, phi, viewer.workspace()));
    return motion;
  }

  void linearize(const MotionPoint& p, PlaneSet set) {
    require(system.linearize(p, state, set, planes, viewer.workspace()));
  }

  Vector gamma(const Vector& q, const Vector& v) {
    Vector phi_dot(system.nc()), bias(system.nc());
    require(system.velocity_level(at(q, v), state, phi_dot, bias, viewer.workspace()));
    return bias;
  }

  PlaneSet derivative_planes() const {
    const PlaneSet set = PlaneSet::M | PlaneSet::D | PlaneSet::K;
    return system.nc() > 0 ? set | PlaneSet::K_lam | PlaneSet::G | PlaneSet::f_lam : set;
  }

  // What follows from those planes.
  InverseDerivatives collect_derivatives() {
    InverseDerivatives d;
    d.by_a = to_dense(planes.motion, planes.M);
    d.by_v = to_dense(planes.motion, planes.D);
    if (system.nc() > 0)
      d.by_lam = to_dense(planes.constraint, planes.G).transpose() + to_dense(planes.reaction, planes.f_lam);
    system.to_chart(x.q, planes, in_chart);
    d.by_q = to_dense(planes.motion, planes.K);
    if (system.nc() > 0) d.by_q += to_dense(planes.motion, planes.K_lam);
    return d;
  }

  // ∂(G v̇ + γ)/∂q into planes.Gv_q, ∂γ/∂v into rows.by_v(), if all rows are known twice differentiated.
  bool calc_row_derivatives(const MotionPoint& p) {
    Workspace& ws = viewer.workspace();
    if (const JointSystem* joint = machine.joint()) return rows.calc(*joint, p, state, planes, ws);
    return rows.calc(*machine.full().system, p, state, planes, ws);
  }

  // The same side by side, by differences. γ is a polynomial of degree two in v: central ones are exact. (G w)_q with
  // w = v̇ is a plane.
  Matrix difference_rows(const Vector& q, const Vector& v, const Vector& a) {
    const int n = system.nv(), m = system.nc();
    Matrix by_q_and_v(m, 2 * n);
    MotionPoint point = at(q, a);
    const std::vector<double> none(inputs.u.size(), 0.0);
    point.in.ud = none, point.in.udd = none;
    linearize(point, PlaneSet::G | PlaneSet::Gv_q);
    system.to_chart(x.q, planes, in_chart);
    by_q_and_v.leftCols(n) = to_dense(planes.constraint, planes.Gv_q);
    for (int k = 0; k < n; ++k) {
      Vector moved = v;
      if (moved.size() == 0) moved.setZero(n);
      const double at_v = moved[k];
      const auto of_v = [&](double dv) { return moved[k] = at_v + dv, gamma(q, moved); };
      by_q_and_v.col(n + k) = 0.5 * (of_v(1.0) - of_v(-1.0));
      Vector turned = q;
      const auto of_q = [&](double dq) { return turned[k] = q[k] + dq, gamma(turned, v); };
      const double h = difference_step * (1.0 + std::abs(q[k]));
      by_q_and_v.col(k) += (8.0 * (of_q(h) - of_q(-h)) - (of_q(2.0 * h) - of_q(-2.0 * h))) / (12.0 * h);
    }
    return by_q_and_v;
  }

  // The frame of a body, or the one that carries a [[frame]], with the point on it.
  struct Carried {
    int frame = 0;
    Eigen::Vector3d s = Eigen::Vector3d::Zero();
    Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  };
  Carried find_frame(const std::string& name) const {
    const Model& model = machine.model();
    const Assembly& full = machine.full();
    std::vector<std::string> names;
    const auto body_at = [&](const std::string& body) {
      const auto it = std::find_if(model.bodies.begin(), model.bodies.end(),
                                   [&](const BodySpec& spec) { return spec.name == body; });
      return static_cast<std::size_t>(it - model.bodies.begin());
    };
    if (const std::size_t i = body_at(name); i < model.bodies.size())
      return {full.body_frame[i], -full.center_of_mass[i], Eigen::Matrix3d::Identity()};
    for (const FrameSpec& frame : model.frames) {
      names.push_back(frame.name);
      if (frame.name != name) continue;
      const std::size_t i = body_at(frame.body);
      if (i >= model.bodies.size()) return {0, frame.position, frame.orientation};
      const BodySpec& body = model.bodies[i];
      const Eigen::Matrix3d back = body.orientation.transpose();
      return {full.body_frame[i], back * (frame.position - body.position) - body.center_of_mass,
              back * frame.orientation};
    }
    for (const BodySpec& body : model.bodies) names.push_back(body.name);
    throw InputError(fmt::format("there is no body or frame '{}'{}", name, did_you_mean(name, names)));
  }

  const Machine machine;
  Viewer viewer;
  const MechanicalSystem& system;
  MotionVariables x;
  State state;
  AccelerationSolver solver;
  const JointSystem* tree = nullptr;  // of machines without rows
  InputBuffer inputs;
  MotionPlanes planes;
  RowDerivatives rows;
  std::vector<double> in_chart;
};

MachineFunctions::MachineFunctions(CheckedStudy study, Customize customize)
    : parts_(std::make_unique<Parts>(std::move(study), std::move(customize))) {}
MachineFunctions::~MachineFunctions() = default;
MachineFunctions::MachineFunctions(MachineFunctions&&) noexcept = default;

int MachineFunctions::nv() const { return parts_->system.nv(); }
int MachineFunctions::nc() const { return parts_->system.nc(); }
std::vector<std::string> MachineFunctions::coordinate_names() const {
  return trammel::coordinate_names(parts_->system);
}
std::vector<std::string> MachineFunctions::row_names() const {
  std::vector<std::string> names;
  for (int i = 0; i < nc(); ++i) names.push_back(parts_->system.describe_constraint(i));
  return names;
}
const Eigen::VectorXd& MachineFunctions::q() const { return parts_->machine.initial().q; }
const Eigen::VectorXd& MachineFunctions::v() const { return parts_->machine.initial().v; }
void MachineFunctions::set_time(double t) {
  if (!std::isfinite(t)) throw InputError(fmt::format("the time is {} s and must be finite", t));
  parts_->x.t = t;
}

void MachineFunctions::set_input(const std::string& name, double value) {
  const std::vector<InputSpec>& inputs = parts_->machine.model().inputs;
  if (!std::isfinite(value)) throw InputError(fmt::format("the input '{}' is {} and must be finite", name, value));
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].name == name) return parts_->machine.full().signals->reset(static_cast<int>(i), value);
  throw InputError(fmt::format("the model has no [[input]] '{}'", name));
}

Eigen::MatrixXd MachineFunctions::mass_matrix(const Vector& q) {
  parts_->linearize(parts_->at(q, {}), PlaneSet::M | PlaneSet::mass);
  return to_dense(parts_->planes.motion, parts_->planes.M);
}

Eigen::VectorXd MachineFunctions::bias(const Vector& q, const Vector& v) { return parts_->residual(parts_->at(q, v)); }

Eigen::VectorXd MachineFunctions::inverse_dynamics(const Vector& q, const Vector& v, const Vector& a,
                                                   const Vector& lam) {
  return parts_->residual(parts_->at(q, v, a, lam));
}

MachineFunctions::Accelerations MachineFunctions::forward_dynamics(const Vector& q, const Vector& v,
                                                                   const Vector& tau) {
  Parts& p = *parts_;
  const MotionPoint point = p.at(q, v);
  if (tau.size() != 0 && tau.size() != nv())
    throw InputError(fmt::format("'tau' has {} numbers, not {}", nv(), tau.size()));
  if (p.tree != nullptr) {
    Vector zp(p.system.nz());
    const std::span<const double> load(tau.data(), static_cast<std::size_t>(tau.size()));
    p.require(p.tree->accelerate(point, p.state, p.x.a, zp, p.viewer.workspace(), load));
  } else {
    p.solver.set_load(tau);
    p.require(p.solver.solve(p.x, p.state, p.viewer.workspace()));
  }
  return {p.x.a, p.x.lam};
}

MachineFunctions::Constraints MachineFunctions::constraints(const Vector& q, const Vector& v) {
  Parts& p = *parts_;
  const MotionPoint point = p.at(q, v);
  Constraints c;
  Vector motion(nv()), internal(p.system.nz());
  c.phi.setZero(nc()), c.phi_dot.setZero(nc()), c.gamma.setZero(nc());
  p.require(p.system.residual(point, p.state, motion, internal, c.phi, p.viewer.workspace()));
  p.require(p.system.velocity_level(point, p.state, c.phi_dot, c.gamma, p.viewer.workspace()));
  p.linearize(point, PlaneSet::G);
  c.G = to_dense(p.planes.constraint, p.planes.G);
  return c;
}

MachineFunctions::FrameMotion MachineFunctions::frame(const std::string& name, const Vector& q, const Vector& v) {
  Parts& p = *parts_;
  const Parts::Carried carried = p.find_frame(name);
  const MotionPoint point = p.at(q, v);
  FrameMotion found;
  found.J.setZero(6, nv()), found.J_rate.setZero(6, nv());
  const KinematicState k = p.viewer.update_kinematics(p.x, p.state);
  const Frame<double> f = k.frames[static_cast<std::size_t>(carried.frame)];
  if (const JointSystem* joint = p.machine.joint()) {
    if (carried.frame > 0)
      joint->calc_jacobian(point, p.state, carried.frame, found.J, found.J_rate, p.viewer.workspace());
  } else if (carried.frame > 0) {  // twist = S v, ω in body axes
    const FrameMap& map = p.machine.full().system->frame_map(carried.frame);
    Matrix S = Matrix::Identity(6, map.nv);
    if (map.kind == FrameMap::Kind::planar) S = map.S;
    found.J.middleCols(map.offset, map.nv) << S.topRows(3), f.R * S.bottomRows(3);
    found.J_rate.block(3, map.offset, 3, map.nv) = f.R * hat<double>(f.w) * S.bottomRows(3);
  }
  // From the frame's origin to the point, which is r away: v + ω × r.
  const Eigen::Vector3d r = f.R * carried.s, w = f.R * f.w;
  const Eigen::Matrix3d arm = hat<double>(r), arm_rate = hat<double>(w.cross(r));
  found.J_rate.topRows(3) -= arm * found.J_rate.bottomRows(3) + arm_rate * found.J.bottomRows(3);
  found.J.topRows(3) -= arm * found.J.bottomRows(3);
  found.p = f.p + r;
  found.R = f.R * carried.R;
  return found;
}

MachineFunctions::Momentum MachineFunctions::momentum(const Vector& q, const Vector& v) {
  Parts& p = *parts_;
  p.at(q, v);
  const KinematicState k = p.viewer.update_kinematics(p.x, p.state);
  Momentum m;
  m.center.setZero(), m.linear.setZero(), m.angular.setZero();
  const AbsoluteSystem& full = *p.machine.full().system;
  for (int i = 1; i < full.n_frames(); ++i) {
    const FrameMap& map = full.frame_map(i);
    const Frame<double>& f = k.frames[static_cast<std::size_t>(i)];
    if (map.kind == FrameMap::Kind::scalar) continue;
    m.mass += map.mass;
    m.center += map.mass * f.p;
    m.linear += map.mass * f.v;
    m.angular += map.mass * f.p.cross(f.v) + f.R * (map.inertia * f.w);
  }
  m.center /= m.mass;
  m.velocity = m.linear / m.mass;
  m.angular -= m.center.cross(m.linear);
  return m;
}

MachineFunctions::InverseDerivatives MachineFunctions::inverse_derivatives(const Vector& q, const Vector& v,
                                                                           const Vector& a, const Vector& lam) {
  Parts& p = *parts_;
  p.linearize(p.at(q, v, a, lam), p.derivative_planes());
  return p.collect_derivatives();
}

// (1), (2) differentiated: [M Gᵀ; G 0] (dv̇, dλ) = −(∂τ dq, ∂(G v̇ + γ) dq), ….
MachineFunctions::ForwardDerivatives MachineFunctions::forward_derivatives(const Vector& q, const Vector& v,
                                                                           const Vector& tau) {
  Parts& p = *parts_;
  const int n = nv(), m = nc();
  ForwardDerivatives d;
  d.at = forward_dynamics(q, v, tau);
  const MotionPoint point = p.at(q, v, d.at.a, d.at.lam);
  p.linearize(point, p.derivative_planes());
  const bool knows_rows = m > 0 && p.calc_row_derivatives(point);
  const InverseDerivatives inverse = p.collect_derivatives();
  Matrix A = Matrix::Zero(n + m, n + m), B = Matrix::Zero(n + m, 3 * n);
  A.topLeftCorner(n, n) = inverse.by_a;
  B.topRows(n) << -inverse.by_q, -inverse.by_v, Matrix::Identity(n, n);
  if (m > 0) {
    A.topRightCorner(n, m) = inverse.by_lam;
    A.bottomLeftCorner(m, n) = to_dense(p.planes.constraint, p.planes.G);
    if (knows_rows)
      B.block(n, 0, m, 2 * n) << -to_dense(p.planes.constraint, p.planes.Gv_q),
          -to_dense(p.planes.constraint, p.rows.by_v());
    else
      B.block(n, 0, m, 2 * n) = -p.difference_rows(q, v, d.at.a);
  }
  const Matrix X = solve_square(A, B);
  d.a_by_q = X.topLeftCorner(n, n), d.a_by_v = X.block(0, n, n, n), d.a_by_tau = X.block(0, 2 * n, n, n);
  d.lam_by_q = X.bottomLeftCorner(m, n), d.lam_by_v = X.block(n, n, m, n), d.lam_by_tau = X.block(n, 2 * n, m, n);
  return d;
}

}  // namespace trammel
