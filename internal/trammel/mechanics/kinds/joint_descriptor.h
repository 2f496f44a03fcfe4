// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "trammel/base/keys.h"
#include "trammel/mechanics/elements/directors.h"
#include "trammel/mechanics/joint/joint_tree.h"
#include "trammel/mechanics/kinds/picture.h"
#include "trammel/mechanics/model.h"
#include "trammel/mechanics/signals.h"

namespace trammel {

class JointRows;
class KindFields;
namespace detail {
struct ModelChecks;
}

/// What a kind of joint uses of a JointSpec and of its bodies; the checks of all joints follow from it.
struct JointNeeds {
  bool point = true;                                ///< it sits somewhere
  bool axis = true;                                 ///< `axis` has a direction
  bool axis_b = false;                              ///< `axis_b` must be given
  bool orientation_a = true, orientation_b = true;  ///< particles have none
  bool center_b = false;                            ///< `point_b` is by default b's origin, not the point on a
};

/// What a planar body with normal n asks of the joint's directions.
struct InPlane {
  enum class Direction { any, normal, within };  ///< along n; normal to n
  Direction axis = Direction::any, axis_b = Direction::any;
  bool refused = false;                        ///< a joint of this kind makes no sense in a plane
  std::string_view axis_b_words = "'axis_b'";  ///< what messages call it
};

/// The coordinates that motions, couplers, springs and formulas may use.
struct JointCoordinates {
  bool angle = false, displacement = false;
  bool on_pin = false;   ///< its load is carried by a pin about its axis: friction acts at the pin's radius
  bool in_rows = false;  ///< a [[coordinate]] that the joint carries enters its own rows
  /// Relative coordinates that [[coordinate]]s can carry, where they are others than the one above: what JointRows is
  /// told of by `carries_…`. One is given by `coordinate`, several by `coordinates`.
  int carried = 0;
  bool carries_angles = false;  ///< all of these are angles, which keep their sign in mirrored parts
};

/// Axes of the joint as drawn, for the tree.
enum class JointAxes {
  axis,     ///< z is `axis` on both bodies
  both,     ///< z is `axis` on a and `axis_b` on b
  crossed,  ///< z is `axis` on a and `axis_b` on b; the second axis is x of a
  normal,   ///< as `axis`, but in a plane its normal
};

/// What the joint lets its outer link do if it becomes coordinates.
struct TreeMotion {
  Mobility mobility = Mobility::fixed;
  double lead = 0.0;  ///< screw: [m/rad]
};

/// A value of the joint that formulas may use beside coordinates and reactions.
struct JointSignal {
  std::string_view name;
  SignalKind kind;
  int component = 0;
};

/// Everything that the program knows of a kind of joint. Made from a descriptor by `describe_joint`.
struct JointDescription {
  std::string_view name, meaning;
  std::vector<Key> (*keys)();
  void (*read)(KindFields& fields, JointSpec& joint);
  JointNeeds needs;
  InPlane in_plane;
  void (*check)(detail::ModelChecks& checks, const JointSpec& joint, bool axes_are_good);
  void (*compose)(JointRows& rows, const JointSpec& joint);
  JointCoordinates coordinates;
  JointAxes axes;
  std::optional<TreeMotion> (*motion)(const JointSpec& joint, bool planar);
  Directors (*directors)(const JointSpec& joint);
  std::span<const JointSignal> signals;
  Picture (*picture)();
};

/// A kind of joint in one struct of static members: what is missing does not compile.
///
///   name, meaning   the word in model files, and what it means in a few words
///   keys, read      the keys beside name, kind, bodies and loop; how they are read into the JointSpec
///   needs, in_plane, check    what must hold; `check` for what the first two cannot say. axes_are_good: they have
///                   directions, so that `check` may compare them
///   compose         its rows, put together from those of JointRows or from kernels of its own; and its coordinates
///   coordinates     which of them it has
///   axes, motion    its place in a tree; nullopt: it is always closed by rows
///   directors       its form in the energy-decaying scheme, or why it has none
///   signals         further values for formulas
///   picture         what the report draws
template <class D>
concept JointDescriptor = requires(KindFields& fields, JointSpec& spec, const JointSpec& joint,
                                   detail::ModelChecks& checks, JointRows& rows) {
  { D::name } -> std::convertible_to<std::string_view>;
  { D::meaning } -> std::convertible_to<std::string_view>;
  { D::keys() } -> std::same_as<std::vector<Key>>;
  { D::read(fields, spec) } -> std::same_as<void>;
  { D::needs } -> std::convertible_to<JointNeeds>;
  { D::in_plane } -> std::convertible_to<InPlane>;
  { D::check(checks, joint, true) } -> std::same_as<void>;
  { D::compose(rows, joint) } -> std::same_as<void>;
  { D::coordinates } -> std::convertible_to<JointCoordinates>;
  { D::axes } -> std::convertible_to<JointAxes>;
  { D::motion(joint, true) } -> std::same_as<std::optional<TreeMotion>>;
  { D::directors(joint) } -> std::same_as<Directors>;
  { D::signals } -> std::convertible_to<std::span<const JointSignal>>;
  { D::picture() } -> std::same_as<Picture>;
};

template <JointDescriptor D>
consteval JointDescription describe_joint() {
  return {D::name,    D::meaning,     D::keys, D::read,   D::needs,     D::in_plane, D::check,
          D::compose, D::coordinates, D::axes, D::motion, D::directors, D::signals,  D::picture};
}

inline constexpr std::span<const JointSignal> no_signals = {};

}  // namespace trammel
