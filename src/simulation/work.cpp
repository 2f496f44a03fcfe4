#include <algorithm>
#include <array>
#include <cmath>

#include "trammel/simulation/runner.h"

// The work that forces and motions do on the machine, with the order of the method.
//
//   (1)  W ← W + ∫ P dt over the step,   P = Σ f·v of what is not conservative − λᵀG v of motions
//
// bdf, radau and the explicit pair take long steps in which P is anything but a straight line: Gauss' three points on
// the dense output, of order 6, unless P is as good as straight. They lie within the step, so that kinks at its ends do
// not matter. One-step methods of
// order 2 keep the trapezoidal rule, of the same order: their multipliers ring with the steps, and its mean of both
// ends is what damps that. The multipliers of the midpoint rule belong to the middle of the step, and so does its
// power. With error control its velocities are now and then put back on the constraints, by impulses that are in no
// multiplier: where motions drive, the power at the ends is that of multipliers solved for there.
//
// A method whose velocities violate Φ̇ = 0 moves along its reactions: where nothing drives, that is its own dissipation
// and nobody's work, −λᵀ(G v − Φ̇) = 0. Beside motions −λᵀG v is kept: errors of λ and v belong together, and their
// product with the exact u̇ errs by more.

namespace trammel {

namespace {

bool has_high_order(const SolverOptions& o) {
  return o.integrator == Integrator::bdf || o.integrator == Integrator::radau ||
         o.integrator == Integrator::runge_kutta;
}

const std::array<double, 3> power_points{0.5 - 0.5 * std::sqrt(0.6), 0.5, 0.5 + 0.5 * std::sqrt(0.6)};
constexpr std::array<double, 3> power_weights{5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};

// What the bend of P adds to the trapezoidal rule in a step, beside kinetic energy and work so far.
constexpr double straight_power = 1e-7;

}  // namespace

bool Runner::drives() const { return !study_.model.motions.empty() || !study_.model.tracks.empty(); }

// Joints and gravity alone neither bring energy in nor take it out.
bool Runner::may_work() const {
  const Model& m = study_.model;
  return drives() || machine_.is_customized() || !m.forces.empty() || !m.controls.empty() || !m.contacts.empty() ||
         !m.beams.empty() || !m.wheels.empty() || !m.flange_stops.empty();
}

double Runner::calc_power(const Shown& shown) {
  double power = full_.system->calc_energy(shown.point, shown.state, *full_workspace_).power;
  if (drives()) return power;
  full_.system->calc_rates(shown.point, shown.state, phi_dot_, *full_workspace_);
  return power + viewer_.lam().dot(phi_dot_);
}

bool Runner::solves_for_power() const {
  return !study_.solver.h && study_.analysis.kind == AnalysisKind::dynamics &&
         study_.solver.integrator == Integrator::midpoint && drives();
}

// The power just behind a kink, where the next step begins: forces and reactions may have jumped there.
void Runner::renew_power(const MotionVariables& x) {
  if (!may_work_ || study_.solver.h) return;
  last_power_ = solve_for_power(x, x.t + side_of_kink(x.t)).value_or(last_power_);
}

std::optional<double> Runner::solve_for_power(const MotionVariables& x, double t) {
  sample_ = x;
  sample_.t = t;
  if (!frame_solver_) frame_solver_ = std::make_unique<AccelerationSolver>(*index3_, solver_kind());
  if (!frame_solver_->solve(sample_, state_, *workspace_).ok()) return std::nullopt;
  return calc_power(show(sample_, state_));
}

// Over the step that ends at x; `power` there, `bend` = P″/2 from the last three ends.
double Runner::calc_step_work(const MotionVariables& x, double h, double power, double bend) {
  knows_inner_powers_ = false;
  if (!may_work_) return 0.0;
  const double trapezoid = 0.5 * h * (last_power_ + power);
  // Nothing is known within the step: −h³/12 P″.
  if (study_.analysis.kind != AnalysisKind::dynamics || solves_for_power())
    return trapezoid - (smooth_steps_ > 0 ? h * h * h / 6.0 * bend : 0.0);
  if (study_.solver.integrator == Integrator::midpoint) {
    active().interpolate(x.t - 0.5 * h, sample_);
    sample_.a = x.a, sample_.lam = x.lam;
    return h * calc_power(show(sample_, state_));
  }
  if (!has_high_order(study_.solver)) return trapezoid;
  // Where P is nearly straight, three ends of steps tell enough.
  const double correction = -h * h * h / 6.0 * bend;
  const double size = std::abs(ledger_.kinetic) + std::abs(ledger_.work);
  if (smooth_steps_ > 0 && std::abs(correction) <= straight_power * size) return trapezoid + correction;
  double sum = 0.0;
  for (std::size_t i = 0; i < power_points.size(); ++i) {
    active().interpolate(x.t - h * (1.0 - power_points[i]), sample_);
    inner_powers_[i] = calc_power(show(sample_, state_));
    sum += power_weights[i] * inner_powers_[i];
  }
  knows_inner_powers_ = true;
  return h * sum;
}

// Work until t within the last step: the integral of the polynomial through all powers that are known of it, at its
// ends and at Gauss' points, or of a cubic with the right integral.
double Runner::calc_work(double t) const {
  const double h = ledger_time_ - before_.t, theta = h > 0.0 ? std::clamp((t - before_.t) / h, 0.0, 1.0) : 1.0;
  const double rest = 1.0 - theta, change = ledger_.work - before_.ledger.work;
  if (!knows_inner_powers_)
    return before_.ledger.work + theta * theta * (3.0 - 2.0 * theta) * change +
           h * theta * rest * (rest * before_.power - theta * last_power_);
  const std::array<double, 5> at{0.0, power_points[0], power_points[1], power_points[2], 1.0};
  const std::array<double, 5> power{before_.power, inner_powers_[0], inner_powers_[1], inner_powers_[2], last_power_};
  const auto integral = [&](double until) {  // Gauss' points are exact for it
    double sum = 0.0;
    for (std::size_t i = 0; i < power_points.size(); ++i) {
      double value = 0.0;
      for (std::size_t j = 0; j < at.size(); ++j) {
        double basis = power[j];
        for (std::size_t k = 0; k < at.size(); ++k)
          if (k != j) basis *= (until * power_points[i] - at[k]) / (at[j] - at[k]);
        value += basis;
      }
      sum += power_weights[i] * value;
    }
    return h * until * sum;
  };
  return before_.ledger.work + integral(theta) + theta * theta * (3.0 - 2.0 * theta) * (change - integral(1.0));
}

}  // namespace trammel
