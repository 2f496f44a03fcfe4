// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "trammel/mechanics/elements/contact_group.h"

namespace trammel {

class Memory;

/// Finds the instants within a step at which forces have a kink: surfaces begin or cease to press on each other, a stop
/// is met or left, a law goes from one branch to another.
///
/// Two families of functions of the motion are watched: the indicators of contacts (ContactGroup::Report), and the
/// switches of other elements (ElementGroup::calc_switches). First the two ends of the step are looked at: where bounds
/// of the way between them keep every pair of shapes apart and every function on its side, nothing is interpolated.
/// Else the step is sampled at four or more equal parts. A change of sign brackets a zero; where both ends of a part
/// are on one side and bounds do not keep the function there, the part is halved until they do or a point beyond zero
/// is met: what enters and leaves within a part is found as well. Zeros are sought on the dense output.
///
/// Of several contacts that change within a part the one expected first is located; the others are looked at where that
/// one changes, together, and located only if they have changed before. Those that change at the same instant are one
/// change for the method, and are told by together().
///
/// A pair of shapes that meets although it is not listed is listed first: the step ends shortly before it touches.
class KinkWatch {
 public:
  /// Instants are the same within this, relative to 1 + |t|: some rounding units of the time.
  static constexpr double instant_tol = 1e-14;

  /// A zero of an indicator (slot ≥ 0) or of a switch (kink ≥ 0); neither: a pair would be missed, and the step should
  /// end at t or before.
  struct Change {
    double t = 0.0;
    int slot = -1, law = -1, a = -1, b = -1;
    bool begins = false;
    int kink = -1;

    bool located() const { return slot >= 0 || kink >= 0; }
  };
  using At = std::function<KinematicState(double t)>;  ///< within the step, with the modes of the contacts

  /// Whether forces have a kink where a switch is zero; formulas may look at what does not matter there.
  using IsSharp = std::function<bool(double t)>;

  KinkWatch() = default;
  /// `contacts` may be null; `turns_count`: a rotation may be many turns of a step (joint coordinates), and moves all
  /// that hangs on it.
  KinkWatch(const ContactGroup* contacts, std::vector<const ElementGroup*> switching, bool turns_count);
  bool active() const { return group_ != nullptr || n_switches_ > 0; }
  int n_switches() const { return n_switches_; }

  /// Whether instants at which contacts change are sought. If not, pairs that are not listed are watched all the same,
  /// and whether a listed one came or went is told of ends of steps (contact_changed()).
  void locate_contacts(bool wanted);
  bool contact_changed() const { return contact_changed_; }
  /// Contacts that changed where the step began, beside the one that ended the last step.
  const std::vector<Change>& together() const { return together_; }

  /// The first change in (t0, t1].
  std::optional<Change> find(double t0, double t1, const At& at, const IsSharp& is_sharp);
  /// Whether a change that was due at the end of the step, and that find() did not meet, is there but for rounding. If
  /// not, the step's end is short of it by an error of the dense output, and the next step will meet it.
  bool is_met(const Change& change) const;
  /// The step ends here with this change (or none): every function is on the side where it is now, that of the change
  /// is on the side it changed to.
  void accept(const KinematicState& state, const std::optional<Change>& change);
  /// The same where nothing changed, at an instant that find() has looked at last; false: it has not.
  bool accept_end(double t);
  void remember(Memory& memory);

 private:
  struct Listed {  // one place at one instant
    double indicator, gap, rate;
  };
  void take(double t, const At& at);
  void take_ends(double t0, double t1, const At& at);
  void append(const KinematicState& state);
  void read_places(const KinematicState& state, std::size_t instant);
  void keep_first();
  void keep_last();
  void set_sides();
  bool is_quiet();
  bool stays(int kink, const SwitchValue& from, const SwitchValue& to, double tau) const;
  void calc_switches(const KinematicState& state, SwitchValue* values) const;
  ContactGroup::Way way(std::size_t n_instants) const;
  ContactGroup::Passing passing(std::size_t instant, const ContactGroup::Place& place) const;
  ContactGroup::Passing passing_at(double t, const ContactGroup::Place& place, const At& at) const;
  bool find_overlap(const ContactGroup::Place& place, ContactGroup::Passing& from, ContactGroup::Passing& to,
                    const At& at) const;
  bool find_crossing(int kink, double& ta, SwitchValue& from, double& tb, SwitchValue& to, const At& at);
  SwitchValue switch_at(int kink, double t, const At& at);
  struct Bracket {  // between a and b a place changes
    std::size_t place;
    double a, fa, b, fb;
    double expected() const { return (fa > 0.0) == (fb > 0.0) ? a : a + (b - a) * fa / (fa - fb); }
  };
  void find_brackets(std::size_t part, const At& at);
  void find_listed(std::size_t part, const At& at, std::optional<Change>& first);
  void narrow_brackets(std::size_t from, double t, const At& at);
  void note_sides();
  void find_switches(std::size_t part, const At& at, const IsSharp& is_sharp, std::optional<Change>& first);
  void find_unlisted(std::size_t parts, const At& at, std::optional<Change>& first);
  const ContactGroup* group_ = nullptr;
  std::vector<const ElementGroup*> switching_;
  int n_switches_ = 0;
  bool turns_count_ = false;
  std::vector<int> side_, pair_;  // of contacts by slot: −1, +1 or 0 (not known), and whose side it is
  std::vector<int> switch_side_;
  // The instants looked at: per instant all frames, listed places and switches.
  std::vector<double> t_;
  std::vector<Frame<double>> frames_;
  std::vector<ContactGroup::Place> places_;
  std::vector<Listed> listed_;
  std::vector<SwitchValue> values_;
  std::vector<SwitchValue> scratch_;
  std::vector<ContactGroup::Place> candidates_;
  std::vector<Bracket> brackets_;
  std::vector<Change> together_;
  bool may_locate_ = false, locates_contacts_ = false, contact_changed_ = false;
  std::vector<int> modes_;
  bool first_known_ = false;  // the first instant is that of accept()
  double least_ = 0.0;        // parts are not halved below this
};

}  // namespace trammel
