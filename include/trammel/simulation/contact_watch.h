#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "trammel/mechanics/elements/contact_group.h"

namespace trammel {

/// Finds the instants within a step at which surfaces begin or cease to press on each other.
///
/// The step is sampled at four equal parts; where the indicator of a listed place (ContactGroup::Report) has another
/// sign than before, its zero is sought on the dense output. A pair that overlaps although it is not listed has moved
/// further than the search can see: the step is too long.
class ContactWatch {
 public:
  /// Instants are the same within this, relative to 1 + |t|: some rounding units of the time.
  static constexpr double instant_tol = 1e-14;

  /// A zero of an indicator; slot < 0: a pair was missed, and the step should end at t or before.
  struct Change {
    double t = 0.0;
    int slot = -1, law = -1, a = -1, b = -1;
    bool begins = false;
  };
  using At = std::function<KinematicState(double t)>;  ///< within the step, with the modes of the contacts

  ContactWatch() = default;
  explicit ContactWatch(const ContactGroup& group);
  bool active() const { return group_ != nullptr; }

  /// The first change in (t0, t1].
  std::optional<Change> find(double t0, double t1, const At& at);
  /// The step ends here with this change (or none): every place is on the side where it is now, that of the change is
  /// on the side it changed to.
  void accept(const KinematicState& state, const std::optional<Change>& change);

 private:
  double indicator(const KinematicState& state, const ContactGroup::Place& place) const;
  double last_clear(double ta, double tb, const At& at) const;
  double locate(const ContactGroup::Place& place, double ta, double fa, double tb, double fb, const At& at) const;

  struct Changed {  // on one of the samples
    ContactGroup::Place place;
    double before, now;
  };

  const ContactGroup* group_ = nullptr;
  std::vector<int> side_, pair_;  // by slot: −1, +1 or 0 (not known), and whose side it is
  std::vector<double> before_;    // by slot: indicator at the last sample
  std::vector<Changed> changed_;
};

}  // namespace trammel
