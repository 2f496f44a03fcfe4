// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/kink_events.h"

#include <algorithm>
#include <cmath>

// Steps that end where contact begins or ends, or where another force has a kink.

#include "trammel/mechanics/elements/contact_group.h"

namespace trammel {

namespace {

// A step taken again ends elsewhere by its change of error, and its zero moves by that: two or three times are enough.
constexpr int max_retakes = 6;
// A change within the first tenth of a step is reached by Taylor's series, if that errs by less than a hundredth of the
// tolerance: no sliver of a step is taken, which would ask for scaling, matrix and iteration of its own.
constexpr double sliver = 0.1, series_part = 1e-2, noticed_speed = 1e-3;
// A step to a change ends this part of it early, and the series does the rest: exactly where a force begins or ends
// Newton's iteration may go to and fro between two laws (bristles rest, or follow), and smaller steps do not help.
constexpr double early_part = 0.02;

// Whether forces at this state are those behind the change.
bool is_behind(const KinkWatch::Change& change, const KinematicState& k, const Assembly& machine) {
  if (change.slot >= 0) {
    const ContactGroup& group = *machine.contacts;
    for (int i = 0; i < group.n_listed(k.modes); ++i)
      if (const ContactGroup::Place p = group.place(k.modes, i); p.slot == change.slot)
        return (group.calc_report(k, p).indicator > 0.0) == change.begins;
    return true;
  }
  int first = 0;
  for (const auto& group : machine.system->groups()) {
    const int n = group->n_switches();
    if (change.kink >= first && change.kink < first + n) {
      std::vector<SwitchValue> values(n);
      group->calc_switches(k, values);
      return (values[change.kink - first].value > 0.0) == change.begins;
    }
    first += n;
  }
  return true;
}

}  // namespace

bool cuts_steps(const Assembly& machine, const SolverOptions& options) {
  const auto& groups = machine.system->groups();
  const bool switches =
      std::any_of(groups.begin(), groups.end(), [](const auto& group) { return group->n_switches() > 0; });
  return !options.h && (machine.contacts != nullptr || switches);
}

KinkEvents::KinkEvents(const Machine& machine, Viewer& viewer, Motion& motion, AccelerationSolver& solver,
                       std::vector<KinkWatch::Change>& contact_changes)
    : machine_(machine),
      options_(machine.study().solver),
      full_(machine.full()),
      viewer_(viewer),
      motion_(motion),
      solver_(solver),
      contact_changes_(contact_changes),
      sample_(motion.x) {
  std::vector<const ElementGroup*> switching;
  for (const auto& group : full_.system->groups())
    if (group->n_switches() > 0) switching.push_back(group.get());
  watch_ = KinkWatch(full_.contacts, std::move(switching), machine.joint() != nullptr);
  active_ = cuts_steps(full_, options_);
}

void KinkEvents::begin_step() {
  motion_.lead_in.reset();
  if (active_) x_before_ = motion_.active().newest(), state_before_ = motion_.state;
}

// Whether a change at t is so near to the beginning of the step that q + δ v + δ²/2 v̇ is as good as a step to it. The
// remainder is δ³/6 of v̈, for which the change of v̇ in the whole step stands; methods of higher order care for δ²/2 of
// it as well, and so does everybody where that is a thousandth of the speed: a blow deeper than no tolerance of
// positions.
bool KinkEvents::is_sliver(double t) const {
  const MotionVariables &x = x_before_, &end = motion_.active().newest();
  const double h = end.t - x.t, dt = t - x.t;
  if (dt > sliver * h) return false;
  const SolverOptions& o = options_;
  const double speed = x.v.size() > 0 ? x.v.lpNorm<Eigen::Infinity>() : 0.0;
  for (Eigen::Index i = 0; i < x.a.size(); ++i) {
    const double jerk = std::abs(end.a[i] - x.a[i]) / h;
    if (!(jerk * dt * dt / 2.0 <= noticed_speed * speed)) return false;
    if (!(jerk * dt * dt * dt / 6.0 <= series_part * (*o.atol + *o.rtol * std::abs(x.q[i])))) return false;
    if (method_of(o).traits.tests_velocities &&
        !(jerk * dt * dt / 2.0 <= series_part * (*o.atol + *o.rtol * std::abs(x.v[i]))))
      return false;
  }
  return true;
}

// Begins the step anew at a change right behind its beginning.
bool KinkEvents::begin_at_change(const KinkWatch::Change& change) {
  motion_.state = state_before_;
  x_change_ = x_before_;
  viewer_.centre_charts(x_change_, motion_.state);  // q̇ = v
  MotionVariables& x = x_change_;
  const Eigen::VectorXd a = x.a, zp = x.zp;
  const double dt = change.t - x.t;
  x.t = change.t;
  x.q += dt * x.v + 0.5 * dt * dt * x.a;
  x.v += dt * x.a;
  x.z += dt * x.zp;
  change_ = change;
  if (!restart().ok()) {
    change_.reset();
    return false;
  }
  watch_.accept(kinematics(x_change_), change);
  x_before_ = motion_.active().newest(), state_before_ = motion_.state;
  motion_.lead_in = x_before_;
  motion_.lead_in->a = a, motion_.lead_in->zp = zp;
  return true;
}

// Whether a force jumps at an instant of the last step, or has a kink there that matters over such a step: its values
// right before and behind are continued straight to the instant. Where a law is smooth to the first derivative, as that
// of a rounded stop is, or where a formula looks at something that is multiplied by zero, the method may pass.
bool KinkEvents::has_kink(double t, double h, const KinkWatch::At& at) const {
  constexpr double near = 1e-6, slight = 1e-4;  // of the step, of the largest force
  const AbsoluteSystem& machine = machine_.joint() ? *machine_.joint()->machine().system : *full_.system;
  const double offset[4] = {-2.0 * near * h, -near * h, near * h, 2.0 * near * h};
  std::vector<Wrench<double>> F[4];
  std::vector<double> rates[4];
  for (int i = 0; i < 4; ++i) {
    KinematicState k = at(t + offset[i]);
    F[i].assign(k.frames.size(), zero_wrench<double>());
    rates[i].assign(k.z.size(), 0.0);
    std::size_t mode = 0;
    for (const auto& group : machine.groups()) {
      k.modes = std::span(motion_.state.modes).subspan(mode, group->n_modes());
      mode += group->n_modes();
      group->add_forces(k, F[i], rates[i]);
    }
  }
  double largest = 0.0, jump = 0.0, bend = 0.0;
  const auto compare = [&](double a, double b, double c, double d) {
    largest = std::max({largest, std::abs(a), std::abs(d)});
    jump = std::max(jump, std::abs((2.0 * c - d) - (2.0 * b - a)));
    bend = std::max(bend, std::abs((d - c) - (b - a)) / near);
  };
  for (std::size_t f = 0; f < F[0].size(); ++f)
    for (int i = 0; i < 3; ++i) {
      compare(F[0][f].force[i], F[1][f].force[i], F[2][f].force[i], F[3][f].force[i]);
      compare(F[0][f].moment[i], F[1][f].moment[i], F[2][f].moment[i], F[3][f].moment[i]);
    }
  if (jump > slight * largest || bend > slight * largest) return true;
  largest = jump = bend = 0.0;
  for (std::size_t z = 0; z < rates[0].size(); ++z) compare(rates[0][z], rates[1][z], rates[2][z], rates[3][z]);
  return jump > slight * largest || bend > slight * largest;
}

KinkEvents::Cut KinkEvents::judge_step() {
  if (!active_) return Cut::accepted;
  change_.reset();
  const double t = motion_.active().newest().t, tiny = KinkWatch::instant_tol * (1.0 + std::abs(t));
  const auto at = [this](double time) {
    motion_.active().interpolate_motion(time, sample_);
    return kinematics(sample_);
  };
  const double h = t - x_before_.t;
  quiet_kinks_.clear();
  const auto is_sharp = [&](double time) {
    const bool sharp = has_kink(time, h, at);
    if (!sharp) quiet_kinks_.push_back(time);
    return sharp;
  };
  std::optional<KinkWatch::Change> found = watch_.find(x_before_.t, t, at, is_sharp);
  x_change_ = motion_.active().newest();
  contact_changes_.insert(contact_changes_.end(), watch_.together().begin(), watch_.together().end());
  if (found && found->t < t - tiny) {
    const bool by_polynomial = method_of(options_).traits.cuts_by_polynomial;
    const bool near = !by_polynomial && found->located() && is_sliver(found->t);
    if (near)
      if (const auto free = find_freely(found->t); free && free->slot == found->slot && free->kink == found->kink)
        found->t = free->t;
    if (by_polynomial) {
      motion_.active().interpolate(found->t, x_change_);
    } else if (near && begin_at_change(*found)) {
      limit_ = std::numeric_limits<double>::infinity();
      retakes_ = 0;
      ++retaken_;
      if (found->slot >= 0) {
        contact_changes_.push_back(*found);
        contact_changes_.insert(contact_changes_.end(), watch_.together().begin(), watch_.together().end());
      }
      note_crowd(found->t, found->slot >= 0);
      change_.reset();  // it is behind us
      return Cut::again;
    } else if (retakes_ < max_retakes) {
      return take_again(*found);
    }
  } else if (!found && t >= limit_) {
    if (change_due_ && (!change_due_->located() || watch_.is_met(*change_due_))) found = change_due_;
  }
  accept(found);
  return Cut::accepted;
}

// A stiff stop turns an implicit step back before it is met: on the way that the step would take without it a change
// before t comes earlier, and is not crept up to.
std::optional<KinkWatch::Change> KinkEvents::find_freely(double t) {
  const double tiny = KinkWatch::instant_tol * (1.0 + std::abs(motion_.active().newest().t));
  MotionVariables from = x_before_;
  motion_.active().interpolate_motion(x_before_.t, from);
  const auto freely = [&](double time) {
    const double dt = time - x_before_.t;
    sample_ = from;
    sample_.t = time;
    sample_.q += dt * from.v + 0.5 * dt * dt * from.a;
    sample_.v += dt * from.a;
    return kinematics(sample_);
  };
  const std::optional<KinkWatch::Change> free = watch_.find(x_before_.t, t, freely, [](double) { return true; });
  return free && free->located() && free->t > x_before_.t + tiny ? free : std::nullopt;
}

// With an end at the change.
KinkEvents::Cut KinkEvents::take_again(const KinkWatch::Change& found) {
  ++retakes_;
  change_due_ = found;
  limit_ = found.t;
  if (found.located() && found.begins && retakes_ == 1)
    if (const auto free = find_freely(found.t)) limit_ = std::min(limit_, free->t);
  if (found.located() && retakes_ == 1 && !method_of(options_).traits.tests_velocities) {
    limit_ -= early_part * (found.t - x_before_.t);
    change_due_.reset();  // the next step will find it
  }
  motion_.state = state_before_;
  ++retaken_;
  status_ = motion_.active().start(x_before_, motion_.state);
  return status_.ok() ? Cut::again : Cut::failed;
}

void KinkEvents::accept(std::optional<KinkWatch::Change> found) {
  if (found) found->t = x_change_.t;
  if (found || motion_.active().newest().t >= limit_) {
    limit_ = std::numeric_limits<double>::infinity();
    retakes_ = 0;
  }
  if (found || !watch_.accept_end(x_change_.t)) watch_.accept(kinematics(x_change_), found);
  change_ = found;
  const bool of_contact = found && found->slot >= 0;
  if (of_contact) {
    contact_changes_.push_back(*found);
    contact_changes_.insert(contact_changes_.end(), watch_.together().begin(), watch_.together().end());
  }
  note_crowd(x_change_.t, of_contact);
}

void KinkEvents::note_crowd(double t, bool changed) {
  if (full_.contacts == nullptr || full_.contacts->n_modes() == 0) return;
  const auto modes = std::span(motion_.state.modes).subspan(full_.contact_modes, full_.contacts->n_modes());
  crowd_.note_step(t, full_.contacts->n_listed(modes), crowd_.is_crowd() ? watch_.contact_changed() : changed);
  watch_.locate_contacts(!crowd_.is_crowd());
}

void KinkEvents::look_anew() {
  if (!active_) return;
  x_change_ = motion_.active().newest();
  watch_.accept(kinematics(x_change_), std::nullopt);
}

Status KinkEvents::restart() {
  KinematicState k = kinematics(x_change_);
  // The step may have ended short of the change by a rounding. Derivatives there would be those of the other side, and
  // methods that keep a matrix would keep that one: they would take stiff forces for what is free, or the reverse.
  constexpr double least_shift = 1e-16, largest_shift = 1e-13;
  for (double part = least_shift; part < largest_shift && change_->located() && !is_behind(*change_, k, full_);
       part *= 2.0) {
    x_change_.q += part * (1.0 + std::abs(x_change_.t)) * x_change_.v;
    k = kinematics(x_change_);
  }
  if (full_.contacts != nullptr) {
    const ContactGroup& group = *full_.contacts;
    for (int i = 0; i < group.n_listed(k.modes); ++i) {
      const ContactGroup::Place p = group.place(k.modes, i);
      const bool parted = p.slot == change_->slot ? !change_->begins : !(group.calc_report(k, p).indicator > 0.0);
      if (parted) group.release(p.slot, x_change_.z);
    }
  }
  const Status status = solver_.solve(x_change_, motion_.state, viewer_.workspace());
  if (!status.ok()) return status;
  viewer_.centre_charts(x_change_, motion_.state);
  return motion_.active().restart(x_change_, motion_.state);
}

}  // namespace trammel
