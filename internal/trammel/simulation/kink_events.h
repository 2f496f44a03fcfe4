// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "trammel/dae/acceleration_solver.h"
#include "trammel/simulation/contact_crowd.h"
#include "trammel/simulation/kink_watch.h"
#include "trammel/simulation/motion.h"

namespace trammel {

class Memory;

/// Whether steps of this machine end where forces change: those of variable size do.
bool cuts_steps(const Assembly& machine, const SolverOptions& options);

/// Ends steps where contact begins or ends, or where another force has a kink, and starts the method again behind it.
///
/// A one-step method takes the step again from its beginning, so that the change is met with its full accuracy; BDF
/// goes back on its own dense output, which is as accurate as its steps. With a fixed step nothing is cut.
class KinkEvents {
 public:
  /// `solver` finds accelerations after kinks; `contact_changes` tells where contact began and ended so far.
  KinkEvents(const Machine& machine, Viewer& viewer, Motion& motion, AccelerationSolver& solver,
             std::vector<KinkWatch::Change>& contact_changes);

  bool active() const { return active_; }
  /// A step begins, for the first time.
  void begin_step();
  /// Where it began; later than where the last one ended if a change right behind that was met.
  double from(double t) const { return active_ ? x_before_.t : t; }
  const MotionVariables& beginning() const { return x_before_; }
  /// Where it must end, or sooner.
  double limit() const { return limit_; }

  enum class Cut {
    accepted,  ///< newest() is where it ends, has_change() says whether something happens there
    again,     ///< it was too long: it is taken again, with an end (or a beginning) at the change
    failed,    ///< it is to be taken again and does not begin: status()
  };
  /// Looks for the first change in the step that was taken.
  Cut judge_step();
  Status status() const { return status_; }
  /// The end of the step.
  const MotionVariables& newest() const { return active_ ? x_change_ : motion_.active().newest(); }

  /// Instants at which energies may have a kink although no force has one, in the last step that was looked at.
  std::span<const double> quiet_kinks() const { return quiet_kinks_; }

  bool has_change() const { return change_.has_value(); }
  void forget_change() { change_.reset(); }
  /// Forces have a kink (or a jump) here: bristles of surfaces that parted are at rest, accelerations are those after
  /// the change, and the method starts without its past.
  Status restart();

  /// Where steps were not ended for contacts.
  const ContactCrowd& crowd() const { return crowd_; }
  /// Somebody else has changed forces where the motion is: every function is on the side where it is now.
  void look_anew();

  long retaken() const { return retaken_; }  ///< steps, in the run so far
  void remember(Memory& memory);

 private:
  KinematicState kinematics(const MotionVariables& x) { return viewer_.update_kinematics(x, motion_.state); }
  bool is_sliver(double t) const;
  bool begin_at_change(const KinkWatch::Change& change);
  bool has_kink(double t, double h, const KinkWatch::At& at) const;
  std::optional<KinkWatch::Change> find_freely(double t);
  Cut take_again(const KinkWatch::Change& found);
  void accept(std::optional<KinkWatch::Change> found);
  void note_crowd(double t, bool changed);

  const Machine& machine_;
  const SolverOptions& options_;
  const Assembly& full_;
  Viewer& viewer_;
  Motion& motion_;
  AccelerationSolver& solver_;
  KinkWatch watch_;
  ContactCrowd crowd_;
  bool active_ = false;
  std::vector<KinkWatch::Change>& contact_changes_;
  long retaken_ = 0;
  // The step under way: where it began, where it must end, why, and how often it was taken again.
  MotionVariables x_before_, x_change_, sample_;
  State state_before_;
  double limit_ = std::numeric_limits<double>::infinity();
  std::optional<KinkWatch::Change> change_due_, change_;
  std::vector<double> quiet_kinks_;
  int retakes_ = 0;
  Status status_ = Status::success();
};

}  // namespace trammel
