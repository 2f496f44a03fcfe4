// SPDX-License-Identifier: Apache-2.0
#include "trammel/formulations/explicit_form.h"

#include <algorithm>

#include "trammel/dae/row_correction.h"
#include "trammel/mechanics/absolute/absolute_system.h"
#include "trammel/mechanics/joint/joint_system.h"

namespace trammel {

namespace {

// Rows are fulfilled to this, in metres, radians and per second; corrections of points that an error test has accepted
// are small, so that the first matrix serves all of them.
// A machine below 0.1 m has its own metre: ten times its largest coordinate, but not less than what rounding leaves.
constexpr double constraint_tol = 1e-12, coordinates_of_a_metre = 10.0, smallest_metre = 1e-6;
constexpr int max_corrections = 6;
// Of projected stages: as far as rounding allows.
constexpr int max_stage_corrections = 12;
// What is left of rows that can be fulfilled is far below this, relative to 1 + |q| or 1 + |v|.
constexpr double unreachable = 1e-9;
// Accelerations of a singular position come from this far before and behind it [rad, m; of the fastest coordinate]: the
// mean errs by its fourth power, and rounding is divided by its square.
constexpr double beside_position = 2e-3;
// Pivots of [M Gᵀ; G 0] fall with the square of the distance; below this 1e-7 is left of accelerations.
constexpr double lost_pivot = 1e-9;
// Of a guess so many times as large as what it leads to, ten digits are left.
constexpr double wild_guess = 1e6;

// From here on the middle one of their speeds says something of all.
constexpr int many_bodies = 10;
// What an error of a velocity does to positions ends with the next blow, long before bodies have moved as far as they
// are spread: it may be so many times as large, relatively, as that of a position.
constexpr double speeds_until_blows = 20.0;

double largest(const Eigen::VectorXd& x) { return x.size() > 0 ? x.lpNorm<Eigen::Infinity>() : 0.0; }

}  // namespace

struct ExplicitForm::Scratch final : Workspace {
  Scratch(const MechanicalSystem& machine, const Index3& index3, bool recursive, Stages stages)
      : system(machine.make_workspace()) {
    x.resize(machine.nv(), machine.nz(), machine.nc());
    if (recursive) return;
    acceleration = std::make_unique<AccelerationSolver>(index3, LinearSolverKind::automatic);
    projection = std::make_unique<Projection>(
        index3, LinearSolverKind::automatic, std::vector<char>{},
        stages == Stages::projected ? Projection::nearly_singular : Projection::redundant_rows);
    if (stages == Stages::projected) beside = x;
    motion.setZero(machine.nv()), delta.setZero(machine.nv());
    internal.setZero(machine.nz());
    phi.setZero(machine.nc()), bias.setZero(machine.nc());
  }
  std::unique_ptr<Workspace> system;
  InputBuffer inputs;
  MotionVariables x;  // its multipliers are the first guess of the next evaluation
  MotionVariables beside;
  std::unique_ptr<AccelerationSolver> acceleration;
  std::unique_ptr<Projection> projection;
  Eigen::VectorXd motion, internal, phi, bias, delta;
};

ExplicitForm::ExplicitForm(const MechanicalSystem& system, Stages stages)
    : system_(system), stages_(stages), index3_(system), nv_(system.nv()), nz_(system.nz()), nc_(system.nc()) {
  const auto* joint = dynamic_cast<const JointSystem*>(&system);
  if (joint != nullptr && joint->explicit_refusal().empty() && nc_ == 0) tree_ = joint;
  const auto* absolute = dynamic_cast<const AbsoluteSystem*>(&system);
  if (absolute != nullptr && absolute->explicit_refusal().empty()) bodies_ = absolute;
  std::vector<Kind> kinds(system.kinds_q().begin(), system.kinds_q().end());
  kinds.insert(kinds.end(), nv_, Kind::velocity);
  kinds.insert(kinds.end(), nz_, Kind::internal);
  const auto name = [this](int i) {
    if (i < nv_) return system_.describe_coordinate(i);
    if (i < 2 * nv_) return "rate of " + system_.describe_coordinate(i - nv_);
    return system_.describe_state(i - 2 * nv_);
  };
  const auto row = [this](int i) {
    if (i < nv_) return "kinematics of " + system_.describe_coordinate(i);
    if (i < 2 * nv_) return system_.describe_motion_row(i - nv_);
    return "rate of " + system_.describe_state(i - 2 * nv_);
  };
  layout_ = Layout(std::move(kinds), name, row);
}

std::unique_ptr<Workspace> ExplicitForm::make_workspace() const {
  return std::make_unique<Scratch>(system_, index3_, is_recursive(), stages_);
}

void ExplicitForm::pack(const MotionVariables& x, Vec y) const {
  y.head(nv_) = x.q;
  y.segment(nv_, nv_) = x.v;
  y.tail(nz_) = x.z;
}

Status ExplicitForm::unpack(double t, ConstVec y, const State& state, MotionVariables& x, Workspace& workspace) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  x.t = t;
  x.q = y.head(nv_), x.v = y.segment(nv_, nv_), x.z = y.tail(nz_);
  if (stages_ == Stages::projected && nc_ > 0) return accelerate_on_branch(x, state, s);
  if (!is_recursive()) return accelerate(x, state, s);
  system_.calc_inputs(t, s.inputs);
  return accelerate_directly(x.point(s.inputs.view()), state, x.a, x.zp, s);
}

Status ExplicitForm::accelerate_directly(const MotionPoint& p, const State& state, Vec a, Vec zp, Scratch& s) const {
  return bodies_ != nullptr ? bodies_->accelerate(p, state, a, zp, *s.system)
                            : tree_->accelerate(p, state, a, zp, *s.system);
}

Status ExplicitForm::rates(double t, ConstVec y, const State& state, Vec yp, Workspace& workspace) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  Status status = Status::success();
  if (is_recursive()) {
    system_.calc_inputs(t, s.inputs);
    const MotionPoint p{t, s.inputs.view(), y.head(nv_), y.segment(nv_, nv_), s.x.a, y.tail(nz_), s.x.zp, s.x.lam};
    status = accelerate_directly(p, state, yp.segment(nv_, nv_), yp.tail(nz_), s);
  } else {
    status = unpack(t, y, state, s.x, workspace);
    yp.segment(nv_, nv_) = s.x.a;
    yp.tail(nz_) = s.x.zp;
  }
  if (!status.ok()) {
    if (status.row >= 0) status.row += nv_;  // rows of (motion, state) -> rows of y′
    return status;
  }
  if (stages_ == Stages::projected && nc_ > 0)
    system_.calc_q_rate(s.x.q, s.x.v, yp.head(nv_));
  else
    system_.calc_q_rate(y.head(nv_), y.segment(nv_, nv_), yp.head(nv_));
  return status;
}

// A stage of a step that is too long may have accelerations beyond all measure. They are no guess for a shorter step:
// what rounding leaves of the guess would be what is found.
Status ExplicitForm::accelerate(MotionVariables& x, const State& state, Scratch& s) const {
  const auto size = [&] { return std::max(largest(x.a), largest(x.lam)); };
  const double guessed = size();
  Status status = s.acceleration->solve(x, state, *s.system);
  if (status.ok() && guessed <= wild_guess * size()) return status;
  x.a.setZero(), x.zp.setZero(), x.lam.setZero();
  return status.ok() ? s.acceleration->solve(x, state, *s.system) : status;
}

// f(P(y)), and in a singular position its continuation from both sides:
//   v̇(t) = ⅙ (4 v̇(t + δ) + 4 v̇(t − δ) − v̇(t + 2δ) − v̇(t − 2δ)) + O(δ⁴)
Status ExplicitForm::accelerate_on_branch(MotionVariables& x, const State& state, Scratch& s) const {
  bool moved = false;
  if (const Status status = fulfil_rows(x, state, moved, s); !status.ok()) return status;
  const Status status = s.acceleration->solve(x, state, *s.system);
  const bool lost = status.cause == Cause::singular_matrix ||
                    (status.ok() && s.acceleration->linear_solver().smallest_pivot().relative < lost_pivot);
  if (!lost) return status;
  system_.calc_q_rate(x.q, x.v, s.motion);
  const double speed = s.motion.lpNorm<Eigen::Infinity>();
  if (!(speed > 0.0)) return Status::recoverable(Cause::singular_matrix, status.row);
  const Eigen::VectorXd rate = s.motion, zp = x.zp;
  x.a.setZero(), x.zp.setZero(), x.lam.setZero();
  for (const auto& [place, weight] : {std::pair{1, 4.0}, {-1, 4.0}, {2, -1.0}, {-2, -1.0}}) {
    MotionVariables& b = s.beside;
    const double dt = place * beside_position / speed;
    b.t = x.t + dt;
    b.q = x.q + dt * rate, b.v = x.v, b.z = x.z + dt * zp;
    if (const Status there = fulfil_rows(b, state, moved, s); !there.ok()) return there;
    if (const Status there = s.acceleration->solve(b, state, *s.system); !there.ok()) return there;
    x.a += weight / 6.0 * b.a, x.zp += weight / 6.0 * b.zp, x.lam += weight / 6.0 * b.lam;
  }
  return Status::success();
}

Status ExplicitForm::project(double t, Vec y, const State& state, bool& moved, Workspace& workspace) const {
  moved = false;
  if (nc_ == 0) return Status::success();
  Scratch& s = static_cast<Scratch&>(workspace);
  MotionVariables& x = s.x;
  x.t = t;
  x.q = y.head(nv_), x.v = y.segment(nv_, nv_), x.z = y.tail(nz_);
  const Status status = fulfil_rows(x, state, moved, s);
  if (!status.ok()) return status;
  y.head(nv_) = x.q;
  y.segment(nv_, nv_) = x.v;
  return status;
}

// x ← P(x): positions, then velocities.
Status ExplicitForm::fulfil_rows(MotionVariables& x, const State& state, bool& moved, Scratch& s) const {
  const bool to_rounding = stages_ == Stages::projected;
  const double tol = to_rounding ? 0.0 : constraint_tol;
  const int most = to_rounding ? max_stage_corrections : max_corrections;
  system_.calc_inputs(x.t, s.inputs);
  const std::span<const char> holonomic = system_.holonomic();
  Status status = s.projection->setup(x.point(s.inputs.view()), state, *s.system);
  if (!status.ok()) return status;
  const double metre = std::clamp(coordinates_of_a_metre * x.q.lpNorm<Eigen::Infinity>(), smallest_metre, 1.0);
  const auto correct = [&](auto&& residual, Eigen::VectorXd& variable, bool on_velocity) {
    const auto evaluate = [&](double& size) {
      const Status evaluated = residual();
      size = s.phi.lpNorm<Eigen::Infinity>();
      return evaluated;
    };
    const auto move = [&] {
      if (on_velocity)
        variable += s.delta;
      else  // increments are body increments: δq = T(q) δ
        system_.calc_q_rate(x.q, s.delta, s.motion), variable += s.motion;
      moved = true;
    };
    RowCorrection rows(
        tol * metre, tol * metre, evaluate, [&] { return s.projection->solve(s.phi, s.delta); }, move);
    const Status corrected = solve_by_newton(rows, most);
    // Nothing there fulfils the rows: a motion that is driven beyond its reach has no branch.
    const bool beyond = to_rounding && !(rows.size() <= unreachable * (1.0 + variable.lpNorm<Eigen::Infinity>()));
    return corrected.ok() && beyond ? Status::recoverable(Cause::slow_convergence) : corrected;
  };
  status = correct(
      [&] {
        const Status evaluated =
            system_.residual(x.point(s.inputs.view()), state, s.motion, s.internal, s.phi, *s.system);
        for (int r = 0; r < nc_; ++r)
          if (!holonomic[r]) s.phi[r] = 0.0;
        return evaluated;
      },
      x.q, false);
  if (!status.ok()) return status;
  if (moved) status = s.projection->setup(x.point(s.inputs.view()), state, *s.system);
  if (!status.ok()) return status;
  return correct([&] { return system_.velocity_level(x.point(s.inputs.view()), state, s.phi, s.bias, *s.system); }, x.v,
                 true);
}

void ExplicitForm::calc_sizes(ConstVec y, Vec sizes) const {
  sizes.setZero();
  if (bodies_ == nullptr) return;
  static thread_local std::vector<double> speeds, places;  // scratch
  speeds.clear(), places.clear();
  const auto gyration = [](const FrameMap& map) {  // ρ²
    return (map.kind == FrameMap::Kind::planar ? map.axial_inertia : map.inertia.trace() / 3.0) / map.mass;
  };
  const auto is_turn = [](const FrameMap& map, int i) { return i >= (map.kind == FrameMap::Kind::planar ? 2 : 3); };
  for (int f = 1; f < bodies_->n_frames(); ++f) {
    const FrameMap& map = bodies_->frame_map(f);
    if (map.nv == 0) continue;
    double squared = 0.0, away = 0.0;
    for (int i = 0; i < map.nv; ++i) {
      const double q = y[map.offset + i], v = y[nv_ + map.offset + i];
      squared += v * v * (is_turn(map, i) ? gyration(map) : 1.0);
      if (!is_turn(map, i)) away += q * q;
    }
    speeds.push_back(squared / map.nv), places.push_back(away / std::min(map.nv, 3));
  }
  if (static_cast<int>(speeds.size()) < many_bodies) return;
  const auto middle = [](std::vector<double>& of) {
    const auto at = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
    std::nth_element(of.begin(), at, of.end());
    return std::sqrt(*at);
  };
  const double speed = speeds_until_blows * middle(speeds), place = middle(places);
  for (int f = 1; f < bodies_->n_frames(); ++f) {
    const FrameMap& map = bodies_->frame_map(f);
    const double turning = map.nv > 3 || map.kind == FrameMap::Kind::planar ? speed / std::sqrt(gyration(map)) : 0.0;
    for (int i = 0; i < map.nv; ++i) {
      sizes[nv_ + map.offset + i] = is_turn(map, i) ? turning : speed;
      if (!is_turn(map, i)) sizes[map.offset + i] = place;
    }
  }
}

void ExplicitForm::accepted(double t, Vec y, Vec yp, State& state, Workspace& workspace) const {
  Scratch& s = static_cast<Scratch&>(workspace);
  if (system_.chart_offsets().empty() && state.branches.empty() && state.modes.empty()) return;
  system_.calc_inputs(t, s.inputs);
  s.x.t = t;
  s.x.q = y.head(nv_), s.x.v = y.segment(nv_, nv_), s.x.z = y.tail(nz_);
  Vec q = y.head(nv_);
  system_.accepted(s.x.point(s.inputs.view()), 0.0, q, state, *s.system);
  system_.calc_q_rate(y.head(nv_), y.segment(nv_, nv_), yp.head(nv_));
}

}  // namespace trammel
