// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "trammel/mechanics/elements/contact_law.h"
#include "trammel/mechanics/elements/contact_shape.h"
#include "trammel/mechanics/elements/group.h"

namespace trammel {

namespace detail {
struct Foundation;
}

/// All contacts of a machine: one element per place where two shapes are near each other, with a fixed capacity.
///
///   (1) force on b at the point:  F = N n + F_t,  N = f(a, ȧ) ≥ 0 of the normal law;  on a the opposite, at the same
///       point of space, so that momentum and moment of momentum are kept; M of friction that resists turning likewise
///   (2) v_t = (1 − n nᵀ)(velocity of surface a − velocity of surface b),  F_t and ż by the friction law; a surface may
///       run on its body, as a belt does
///   (2a) by a foundation a place is a pair: all points of b's surface that are in a press there, each by (1) and (2)
///   with
///       its pressure times its area; their sum is the place's force. Bristles are those of the whole place.
///   (3) bristles z: three numbers per place in the axes of body a, of which the tangent plane is used; ż = −z/τ where
///       nothing touches, so that a place is at rest when it is given to another pair
///
/// Which pairs are near is part of State (modes): found by sort-and-sweep after every accepted step. A pair is listed
/// when its gap falls below a margin, all pairs within twice the margin with it, so that the pattern of the matrix
/// changes seldom; a listed pair keeps its place (and its z). Elements are visited in the order of their pairs,
/// whatever their places: forces are summed in one order. Nothing allocates once the lists have grown to the capacity.
class ContactGroup final : public ElementGroup {
 public:
  static constexpr int max_features = 8;         ///< places per pair of shapes
  static constexpr int max_geometry = 16000;     ///< so that pairs can be numbered by an int
  static constexpr double bristle_decay = 1e-3;  ///< τ [s]

  struct Geometry {
    ContactShape shape;
    int frame = 0;
    int kind = 0;  ///< row and column of the table of laws
    std::string name;
    Eigen::Vector3d belt = Eigen::Vector3d::Zero();  ///< velocity of its surface on the body, axes of the frame [m/s]
  };
  struct Law {
    ContactLaw law;
    bool locate = true;
    std::string name;
    bool by_pair = false;  ///< its pairs are recorded
  };

  /// One listed place, as it is at an instant.
  struct Place {
    int slot = 0;      ///< constant while the pair is near
    int a = 0, b = 0;  ///< geometry; n points from a into b
    int feature = 0;
    int law = 0;
  };

  /// law_of[i * n_kinds + j]: which law holds between geometry of the kinds i and j, −1: none; symmetric.
  ContactGroup(std::vector<Geometry> geometry, std::vector<Law> laws, std::vector<int> law_of, int n_kinds,
               int capacity);

  int n_states() const { return has_bristles_ ? 3 * capacity_ : 0; }
  void set_first_state(int z) { first_state_ = z; }
  int capacity() const { return capacity_; }
  const std::vector<Geometry>& geometry() const { return geometry_; }
  const std::vector<Law>& laws() const { return laws_; }
  /// The law between two shapes, −1: they never touch.
  int law_between(int i, int j) const;
  /// Whether the place of this pair is a foundation, whose points are those of b.
  bool is_foundation(const Place& place) const;
  /// The normal law of a place, with the stiffness of its two shapes and the speed of its impact.
  NormalLaw normal_law(const Place& place, std::span<const int> modes) const;
  /// In how many places two shapes may touch by their law, in whatever order; 0: this pair is not offered.
  int n_places(int i, int j) const;

  /// Of this place: a belt lets nothing be held.
  const FrictionLaw& friction_law(const Place& place) const;

  // ---- what is near ----------------------------------------------------------------------------------------------
  int n_listed(std::span<const int> modes) const { return modes[0]; }
  Place place(std::span<const int> modes, int index) const;
  /// Takes the places that are not wanted from the list.
  void keep_listed(std::span<int> modes, bool (*wanted)(const ContactGroup&, const Place&)) const;
  /// True: more places were near than there is capacity for.
  bool overflowed(std::span<const int> modes) const { return modes[1] != 0; }

  /// What happens at a place.
  struct Report {
    double depth = 0.0, rate = 0.0;
    double normal_force = 0.0;
    Vec3<double> n, point, friction;  ///< world; the friction on b
    double slip = 0.0;                ///< |v_t|
    double pressure = 0.0;            ///< the largest one of a foundation [N/m²]
    double area = 0.0;                ///< that is pressed [m²]; of sharp corners 0
    /// > 0 exactly where the surfaces press on each other: depth, or the force over the stiffness if that is less.
    double indicator = 0.0;
  };
  Report calc_report(const KinematicState& state, const Place& place) const;
  /// Two pieces of geometry whose contact is recorded by pair, or several of the same names.
  struct RecordedPair {
    int law = 0;
    std::string a, b;
    bool operator==(const RecordedPair&) const = default;
  };
  const std::vector<RecordedPair>& recorded_pairs() const { return recorded_pairs_; }
  /// Which of them a place belongs to, −1: none.
  int find_recorded_pair(const Place& place) const;
  /// The deepest overlap of a pair that is not listed; depth ≤ 0: none.
  struct Missed {
    double depth = -std::numeric_limits<double>::infinity();
    int a = -1, b = -1;
  };
  Missed find_missed(const KinematicState& state, std::span<const int> modes) const;
  /// Zeroes the bristles of a place.
  void release(int slot, Eigen::Ref<Eigen::VectorXd> z) const;

  // ---- within a step ---------------------------------------------------------------------------------------------
  /// The frames at some instants of a step, one instant after the other.
  struct Way {
    std::span<const double> t;
    std::span<const Frame<double>> frames;
    std::span<const Frame<double>> at(std::size_t instant) const {
      const std::size_t n = frames.size() / t.size();
      return frames.subspan(instant * n, n);
    }
  };
  /// Places that are not listed (slot −1) and that bounds of their ways do not keep apart: appended to `found`. Bounds
  /// hold while no shape turns by more than a good part of a radian between two instants.
  void find_candidates(const Way& instants, std::span<const int> modes, std::vector<Place>& found) const;
  /// Whether shapes move so little between two instants that whatever may meet is listed since the first.
  bool stays_near(const Way& ends) const;
  /// A place at an instant: the two frames, the gap (−depth) and how fast it opens.
  struct Passing {
    double t = 0.0;
    Frame<double> a, b;
    double gap = 0.0, rate = 0.0;
  };
  /// How far they overlap there; 0 where they do not.
  double calc_depth(std::span<const Frame<double>> frames, const Place& place) const;
  Passing calc_passing(double t, std::span<const Frame<double>> frames, const Place& place) const;
  /// A lower bound of the gap between two instants.
  double bound_gap(const Place& place, const Passing& from, const Passing& to) const;
  /// The largest rotation speed of a shape whose turning moves its surface, or of any (`all`) [rad/s].
  double largest_spin(std::span<const Frame<double>> frames, bool all) const;
  static constexpr double margin_part = 0.2;  ///< of the smaller shape: some steps of its motion, few idle pairs
  /// A pair is listed when its gap falls below this [m].
  double margin(int i, int j) const;

  // ---- ElementGroup ----------------------------------------------------------------------------------------------
  std::string_view kind() const override { return "contact"; }
  int size() const override { return capacity_; }
  void connect(std::span<const int> modes, Connectivity& connectivity, std::vector<int>& slots) const override;
  void add_forces(const KinematicState&, std::span<Wrench<double>>, std::span<double>) const override;
  void add_planes(const KinematicState&, PlaneSet, std::span<const int> slots, FramePlanes&) const override;
  double potential(const KinematicState&) const override;
  double power(const KinematicState&) const override;
  int n_modes() const override { return capacity_ > 0 ? 2 + (has_bounce_ ? 3 : 2) * capacity_ : 0; }
  bool update_modes(const KinematicState&, std::span<int>) const override;

 private:
  // Modes: [0] number of listed places, [1] overflow, then per slot its pair + 1 (0: free), then the slots in the order
  // of their pairs: the listing. Then, if a law asks for it, per slot the speed of its impact, as the bits of a float.
  std::span<const int> listing(std::span<const int> modes) const { return modes.first(2 + 2 * capacity_); }
  std::span<const int> pairs(std::span<const int> modes) const { return modes.subspan(2, capacity_); }
  std::span<const int> order(std::span<const int> modes) const { return modes.subspan(2 + capacity_, capacity_); }
  int pair_number(int i, int j, int feature) const;
  struct Listed;
  struct LastSearch;
  bool is_complete(const LastSearch& last, const KinematicState& state, std::span<const int> modes) const;
  template <class Visit>
  void visit_near(const KinematicState& state, double margins, const Visit& visit) const;
  /// Puts them into the order of their kinds; false: they never touch.
  bool order_pair(int& i, int& j) const;
  bool has_points(int a, int b) const;
  bool reversed(int i, int j) const;
  Touch<double> calc_place(int a, const Frame<double>& fa, int b, const Frame<double>& fb, int feature,
                           double limit = std::numeric_limits<double>::infinity()) const;
  bool update_listing(const KinematicState& state, std::span<int> modes) const;
  void note_impacts(const KinematicState& state, std::span<int> modes) const;
  double impact_speed(const Place& place, std::span<const int> modes) const;
  struct Ellipse {
    int pair;
    double stiffness;  // of Hertz, over the modulus
    double curvature;  // √(κ₁ κ₂) of the surfaces against each other
  };
  void find_ellipses();
  void list_recorded_pairs();
  const Ellipse* find_ellipse(const Place& place) const;
  template <class Calc>
  void add_swept_planes(const KinematicState& state, const Place& place, PlaneSet set, const int* own,
                        const int* diagonal, const Calc& calc, FramePlanes& planes) const;
  detail::Foundation foundation_of(const Place& place, std::span<const int> modes) const;
  bool bristled(const Place& place) const;
  Vec3<double> bristle_of(const KinematicState& state, const Place& place) const;

  std::vector<Geometry> geometry_;
  std::vector<ContactShape> soft_;  // the same as points of foundations see them
  std::vector<Law> laws_;
  std::vector<FrictionLaw> sliding_;  // of each law, where a belt runs
  std::vector<int> law_of_;
  std::vector<RecordedPair> recorded_pairs_;
  std::vector<std::pair<int, int>> recorded_;  // pairs of geometry in order, and which of these they belong to
  std::vector<Ellipse> ellipses_;              // of pairs of which one has two curvatures, in their order
  int n_kinds_ = 0, capacity_ = 0, first_state_ = -1;
  std::vector<int> planes_, bounded_;  // geometry without and with ends
  long id_ = 0;                        // of this group among all that were ever made
  bool has_bristles_ = false, has_bounce_ = false;
  double least_size_ = std::numeric_limits<double>::infinity();  // of all shapes
};

}  // namespace trammel
