#include <fmt/format.h>

#include <cmath>

#include "trammel/simulation/simulation.h"

// Steps that end where contact begins or ends.

namespace trammel {

namespace {

// A step taken again ends elsewhere by its change of error, and its zero moves by that: two or three times are enough.
constexpr int max_retakes = 6;
// A change within the first tenth of a step is reached by Taylor's series, if that errs by less than a hundredth of the
// tolerance: no sliver of a step is taken, which would ask for scaling, matrix and iteration of its own.
constexpr double sliver = 0.1, series_part = 1e-2;
// A step to a change ends this part of it early, and the series does the rest: exactly where a force begins or ends
// Newton's iteration may go to and fro between two laws (bristles rest, or follow), and smaller steps do not help.
constexpr double early_part = 0.02;

// Whether the error test does, and not positions alone.
bool sees_velocities(const SolverOptions& o) {
  return o.integrator == Integrator::radau || o.integrator == Integrator::runge_kutta;
}

}  // namespace

// The kinematics at a point in the charts of state_, with the modes of the contacts.
KinematicState Simulation::contact_kinematics(const MotionVariables& x) {
  const Shown shown = show(x, state_);
  KinematicState k = full_.system->update_kinematics(shown.point, shown.state, *full_workspace_);
  k.modes = std::span(shown.state.modes).subspan(full_.contact_modes, full_.contacts->n_modes());
  return k;
}

// Moves charts to the rotations of x and lists what is near, so that x stays what it is when a method starts from it.
void Simulation::centre_charts(MotionVariables& x) {
  moved_system().calc_inputs(x.t, inputs_);
  const Eigen::VectorXd q = x.q;
  const MotionPoint p{x.t, inputs_.view(), q, x.v, x.a, x.z, x.zp, x.lam};
  moved_system().accepted(p, 0.0, x.q, state_, *workspace_);
}

// Whether a change at t is so near to the beginning of the step that q + δ v + δ²/2 v̇ is as good as a step to it. The
// remainder is δ³/6 of v̈, for which the change of v̇ in the whole step stands; methods whose error test sees velocities
// care for δ²/2 of it as well.
bool Simulation::is_sliver(double t) const {
  const MotionVariables &x = x_before_, &end = active().newest();
  const double h = end.t - x.t, dt = t - x.t;
  if (dt > sliver * h) return false;
  const SolverOptions& o = study_.solver;
  for (Eigen::Index i = 0; i < x.a.size(); ++i) {
    const double jerk = std::abs(end.a[i] - x.a[i]) / h;
    if (!(jerk * dt * dt * dt / 6.0 <= series_part * (*o.atol + *o.rtol * std::abs(x.q[i])))) return false;
    if (sees_velocities(o) && !(jerk * dt * dt / 2.0 <= series_part * (*o.atol + *o.rtol * std::abs(x.v[i]))))
      return false;
  }
  return true;
}

// Begins the step anew at a change right behind its beginning.
bool Simulation::begin_at_change(const ContactWatch::Change& change) {
  state_ = state_before_;
  x_change_ = x_before_;
  centre_charts(x_change_);  // q̇ = v
  MotionVariables& x = x_change_;
  const double dt = change.t - x.t;
  x.t = change.t;
  x.q += dt * x.v + 0.5 * dt * dt * x.a;
  x.v += dt * x.a;
  x.z += dt * x.zp;
  change_ = change;
  if (!restart_after_contact().ok()) {
    change_.reset();
    return false;
  }
  contact_watch_.accept(contact_kinematics(x_change_), change);
  x_before_ = active().newest(), state_before_ = state_;
  return true;
}

// Looks for the first change of contact in the step that was taken. False: the step was too long and is taken again
// with an end (or a beginning) at the change. Else x_change_ is set and change_ says what happens there, if anything.
//
// A one-step method takes the step again from its beginning, so that the change is met with its full accuracy; BDF goes
// back on its own dense output, which is as accurate as its steps.
bool Simulation::cut_at_contact(Summary& summary) {
  change_.reset();
  const double t = active().newest().t, tiny = ContactWatch::instant_tol * (1.0 + std::abs(t));
  const auto at = [this](double time) {
    active().interpolate(time, sample_);
    return contact_kinematics(sample_);
  };
  std::optional<ContactWatch::Change> found = contact_watch_.find(x_before_.t, t, at);
  x_change_ = active().newest();
  if (found && found->t < t - tiny) {
    if (study_.solver.integrator == Integrator::bdf) {
      active().interpolate(found->t, x_change_);
    } else if (found->slot >= 0 && is_sliver(found->t) && begin_at_change(*found)) {
      contact_limit_ = std::numeric_limits<double>::infinity();
      retakes_ = 0;
      ++summary.rejected_contact;
      contact_changes_.push_back(*found);
      change_.reset();  // it is behind us
      return false;
    } else if (retakes_ < max_retakes) {
      ++retakes_;
      change_due_ = found;
      contact_limit_ = found->t;
      if (found->slot >= 0 && retakes_ == 1 && !sees_velocities(study_.solver)) {
        contact_limit_ -= early_part * (found->t - x_before_.t);
        change_due_.reset();  // the next step will find it
      }
      state_ = state_before_;
      ++summary.rejected_contact;
      static_cast<void>(active().start(x_before_, state_));
      return false;
    }
  } else if (!found && t >= contact_limit_) {
    found = change_due_;  // met, or missed by less than an error of the step
  }
  if (found) found->t = x_change_.t;
  if (found || t >= contact_limit_) {
    contact_limit_ = std::numeric_limits<double>::infinity();
    retakes_ = 0;
  }
  contact_watch_.accept(contact_kinematics(x_change_), found);
  change_ = found;
  if (found && found->slot >= 0) contact_changes_.push_back(*found);
  return true;
}

// Forces have a kink (or a jump) here: bristles of surfaces that parted are at rest, accelerations are those after the
// change, and the method starts without its past.
Status Simulation::restart_after_contact() {
  const KinematicState k = contact_kinematics(x_change_);
  const ContactGroup& group = *full_.contacts;
  for (int i = 0; i < group.n_listed(k.modes); ++i) {
    const ContactGroup::Place p = group.place(k.modes, i);
    const bool parted = p.slot == change_->slot ? !change_->begins : !(group.calc_report(k, p).indicator > 0.0);
    if (parted) group.release(p.slot, x_change_.z);
  }
  if (!acceleration_) acceleration_ = std::make_unique<AccelerationSolver>(*index3_, solver_kind());
  const Status status = acceleration_->solve(x_change_, state_, *workspace_);
  if (!status.ok()) return status;
  centre_charts(x_change_);
  return active().restart(x_change_, state_);
}

std::string Simulation::find_contact_failure() const {
  if (full_.contacts == nullptr) return {};
  const auto modes = std::span(state_.modes).subspan(full_.contact_modes, full_.contacts->n_modes());
  if (full_.contacts->n_modes() == 0 || !full_.contacts->overflowed(modes)) return {};
  return fmt::format(
      "More places are near to touching than there is room for: {}.\n    usual cause : bodies that crowd together; "
      "give "
      "the [[contact]] a larger 'capacity'",
      full_.contacts->capacity());
}

// For the diagnosis of a step that failed: what pressed, or was about to, where it began.
std::string Simulation::describe_contacts() {
  if (full_.contacts == nullptr || full_.contacts->n_modes() == 0) return {};
  constexpr int few = 3;
  const KinematicState k = contact_kinematics(active().newest());
  const ContactGroup& group = *full_.contacts;
  std::string text;
  int shown = 0;
  for (int i = 0; i < group.n_listed(k.modes) && shown < few; ++i) {
    const ContactGroup::Place p = group.place(k.modes, i);
    const ContactGroup::Report report = group.calc_report(k, p);
    const bool presses = report.normal_force > 0.0;
    if (!presses && report.rate <= 0.0) continue;
    ++shown;
    text += fmt::format("\n    {:<12}: '{}' between '{}' and '{}' {}", "contact", group.laws()[p.law].name,
                        group.geometry()[p.a].name, group.geometry()[p.b].name,
                        presses ? fmt::format("presses with {:.3g} N, {:.3g} m deep", report.normal_force, report.depth)
                                : fmt::format("is {:.3g} m away, closing at {:.3g} m/s", -report.depth, report.rate));
  }
  if (shown > 0 && !study_.solver.h)
    text += fmt::format("\n    {:<12}: an impact needs steps well below its duration; solver.hmin is {:.2g} s",
                        "if it hits", *study_.solver.hmin);
  return text;
}

void Simulation::sum_up_contacts(Summary& summary) const {
  if (full_.contacts == nullptr) return;
  const std::vector<ContactGroup::Law>& laws = full_.contacts->laws();
  for (std::size_t law = 0; law < laws.size(); ++law) {
    long begins = 0, ends = 0;
    double first = 0.0;
    for (const ContactWatch::Change& change : contact_changes_) {
      if (change.law != static_cast<int>(law)) continue;
      if (change.begins && begins++ == 0) first = change.t;
      ends += change.begins ? 0 : 1;
    }
    if (begins + ends == 0) continue;
    std::string text = fmt::format("contact '{}': {} touch-downs and {} lift-offs", laws[law].name, begins, ends);
    if (begins > 0) text += fmt::format(", the first touch-down at t = {:.10g} s", first);
    summary.notes.push_back(std::move(text));
  }
}

void Simulation::begin_at(const MotionVariables& x, const State& state) {
  x_ = x;
  state_ = state;
  centre_charts(x_);
  if (passage_) passage_->forget();
  static_cast<void>(integrator_->start(x_, state_));
}

}  // namespace trammel
