#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/dae/acceleration_solver.h"
#include "trammel/simulation/runner.h"

// Kinematics and inverse dynamics.

namespace trammel {

// Positions, velocities and accelerations follow from the motions alone; multipliers are the efforts that they need.
Summary Runner::follow_motions(RecordSink& sink, const ProgressCallback& progress) {
  const double start = *study_.analysis.start, end = *study_.analysis.end, span = end - start;
  const double interval = study_.output.interval.value_or(span / 500.0);
  const bool inverse = study_.analysis.kind == AnalysisKind::inverse_dynamics;
  Summary summary = begin_summary();
  summary.integrator = inverse ? "inverse dynamics" : "kinematics";
  AccelerationSolver acceleration(*index3_, solver_kind());
  const std::vector<char> nothing_firm;
  const auto show = [&](const MotionVariables& x) {
    MotionVariables shown = x;
    if (!inverse) shown.lam.setConstant(std::numeric_limits<double>::quiet_NaN());  // formulas of reactions say so
    record(sink, shown, state_);
  };
  update_ledger(x_, 0.0);
  show(x_);
  double h = interval;
  long output = 1;
  const double h_floor = 1e-9 * interval;
  while (x_.t < end * (1.0 - 1e-15) && start + interval * static_cast<double>(output) <= end + 1e-9 * interval) {
    const double target = std::min(end, start + interval * static_cast<double>(output));
    MotionVariables x = x_;
    State state = state_;
    h = std::min(h, target - x.t);
    const double t_new = h >= target - x.t ? target : x.t + h;
    // Charts are centred: q ← q ∘ exp(h v + h²/2 a).
    x.q += h * x.v + 0.5 * h * h * x.a;
    x.v += h * x.a;
    x.t = t_new;
    InitialReport report;
    InitialFailure failure = project_positions(*index3_, nothing_firm, x, state, *workspace_, report);
    if (!failure.failed()) failure = project_velocities(*index3_, nothing_firm, x, state, *workspace_, report);
    Status status = Status::success();
    if (!failure.failed()) status = acceleration.solve(x, state, *workspace_);
    // Newton must stay on the branch: a large correction of a prediction asks for a smaller step.
    const bool jumped = report.position_change > 0.1;
    if (failure.failed() || !status.ok() || jumped) {
      if (h > h_floor) {
        h *= 0.5;
        ++summary.rejected_newton;
        continue;
      }
      summary.stop = fmt::format("failed at t = {:.6g} s", x_.t);
      summary.failure = failure.failed()
                            ? failure.message
                            : fmt::format("No accelerations at t = {:.6g} s: {}", x.t, describe(status.cause));
      break;
    }
    ++summary.steps;
    summary.iterations += report.iterations;
    summary.h_min = summary.steps == 1 ? h : std::min(summary.h_min, h);
    summary.h_max = std::max(summary.h_max, h);
    const double taken = x.t - x_.t;
    x_ = std::move(x);
    state_ = std::move(state);
    full_.system->calc_inputs(x_.t, inputs_);
    index3_->accepted(x_.point(inputs_.view()), x_.q, state_, *workspace_);
    update_ledger(x_, taken);
    h *= 2.0;
    if (x_.t >= target) {
      show(x_);
      ++output;
      StepReport step;
      step.h = taken;
      step.iterations = report.iterations;
      sink.step(x_.t, steps_->update({.report = step, .max_corrections = motion_.max_corrections()}));
    }
    if (progress && !progress({x_.t, start, end, taken, summary.steps})) {
      summary.stop = fmt::format("stopped on request at t = {:.6g} s", x_.t);
      break;
    }
  }
  summary.t = x_.t;
  summary.completed = summary.stop.empty();
  if (summary.completed) summary.stop = fmt::format("reached the end, t = {:.6g} s", x_.t);
  summary.linear_solver = acceleration.linear_solver().name();
  finish_summary(summary);
  return summary;
}

}  // namespace trammel
