// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "expand.h"
#include "trammel/mechanics/solid.h"
#include "trammel/simulation/options.h"
#include "values.h"

namespace trammel::detail {

/// What stands in for a formula that could not be read.
inline const std::string zero_formula = "0";

/// What a word for the kind of a [[joint]] means: a joint or, if there is a coupler, that.
enum class CouplerKind { coupler, gear, speed_coupler };
struct JointOrCoupler {
  JointKind joint = JointKind::revolute;
  std::optional<CouplerKind> coupler = {};
  bool operator==(const JointOrCoupler&) const = default;
};
Choices<JointOrCoupler> kinds_of_joints(const Kinds& kinds);
/// The words of kinds and what they stand for, and the keys that they describe.
template <class Kind>
Choices<Kind> choices_of(const std::vector<Kind>& kinds) {
  Choices<Kind> list;
  for (const Kind& kind : kinds) list.push_back({std::string(kind->name), kind, std::string(kind->meaning)});
  return list;
}
template <class Kind>
std::vector<Key> keys_of(const std::vector<Kind>& kinds) {
  std::vector<KindKeys> own;
  for (const Kind& kind : kinds) own.push_back({kind->name, kind->keys()});
  return keys_of_kinds(own);
}

/// A model underway, with its bodies by name.
struct ModelDraft : Model {
  std::unordered_map<std::string, std::size_t> body_index;
  std::unordered_map<std::string, std::size_t> joint_index{};
  std::vector<GeometrySpec> solids;       ///< drawings from the bodies' `shape`, for bodies without [[geometry]]
  bool complete = true;                   ///< false: bodies may be missing that the file describes
  std::map<std::string, Solid> heavy{};   ///< bodies whose mass comes from the `density` of their [[geometry]]
  double elements_left = 0.0;             ///< that beams may be cut into: max_elements in all
  Choices<JointOrCoupler> joint_kinds{};  ///< that the file may name
  Choices<ForceKind> force_kinds{};
  Choices<MeasureKind> measure_kinds{};
  Choices<ControlKind> control_kinds{};
  Choices<GeometryKind> shape_kinds{};
  std::vector<Phase> phases{};  ///< of the run
};

/// One kind of [[table]]: what stands in it, and who reads it into the model. What is wrong goes to the fields'
/// findings, and a harmless value takes its place.
struct EntityKind {
  KeyTable table;
  void (*read)(Fields& fields, const std::string& name, ModelDraft& model);
};

EntityKind body_kind();
EntityKind frame_kind();
EntityKind beam_kind();
EntityKind coordinate_kind();
EntityKind joint_kind(const Kinds& kinds);
EntityKind coupler_kind();
EntityKind motion_kind();
EntityKind force_kind(const Kinds& kinds);
EntityKind actuator_kind();
EntityKind control_kind(const Kinds& kinds);
EntityKind measure_kind(const Kinds& kinds);
EntityKind input_kind();
EntityKind event_kind();
EntityKind phase_kind();
EntityKind table_kind();
EntityKind geometry_kind(const Kinds& kinds);
EntityKind contact_kind();
EntityKind friction_kind();
EntityKind track_kind();
EntityKind wheel_kind();
EntityKind flange_stop_kind();
EntityKind road_kind();

/// All tables that a file may have if it may name these kinds, made once for a reading.
class ModelTables {
 public:
  explicit ModelTables(const Kinds& kinds);
  /// In the order in which they are read.
  const std::vector<EntityKind>& entities() const { return entities_; }
  /// The keys of tables by their names: "body", "repeat", …; "" is the file itself. nullptr: there is no such table.
  const KeyIndex* find(std::string_view name) const;
  const KeyIndex* find_entity(std::string_view name) const;  ///< only of entities
  std::vector<std::string> lists() const;                    ///< names of [[tables]]

 private:
  struct Described {
    std::string name;
    std::vector<Key> keys;
    KeyIndex index;
    bool is_list;
  };
  std::vector<EntityKind> entities_;
  std::vector<Described> described_;
};
std::shared_ptr<const ModelTables> find_model_tables(const Kinds& kinds);

/// One of the tables "analysis", "solver" and "output".
void read_settings(Fields& fields, const std::string& table, Settings& settings);

/// [x, y, z] in the world (moved with its part), or { body = "rod", at = [x, y, z] }.
PointSpec read_point(const Fields& fields, const Node& node, std::string_view key);
/// [x, y, z] or "x", "-y" … in the world (turned with its part), or { body = "rod", direction = … }.
AxisSpec read_axis(const Fields& fields, const Node& node, std::string_view key);
/// The same by their key, nothing if it is not there or this kind has none.
std::optional<PointSpec> read_point(Fields& fields, std::string_view key);
std::optional<AxisSpec> read_axis(Fields& fields, std::string_view key);
/// The key `frames` of a body.
void read_body_frames(Fields& fields, const std::string& body, ModelDraft& model);
/// A direction of a frame, "lca.z" or "-lca.x", in the part's drawing.
std::optional<Eigen::Vector3d> find_frame_axis(const Part& part, const std::string& text);
/// The body of this name, or on which the frame of this name sits.
std::string find_body_name(const Fields& fields, const Node& node, std::string_view key);
/// The two bodies of `bodies = ["a", "b"]`, or of `body_a` (default: ground) and `body_b`.
void read_bodies(Fields& fields, std::string& body_a, std::string& body_b, bool required = true);
/// Axes whose third is a direction (default "z").
Eigen::Matrix3d read_shape_axis(Fields& fields, std::string_view key);
/// The key `color`, "#rrggbb"; empty if it is not given.
std::string read_color(Fields& fields);
/// angle | displacement
JointCoordinate read_joint_coordinate(Fields& fields);

// Descriptions that several tables share; `kinds` are those that have the keys.
using KindNames = std::vector<std::string>;
std::vector<Key> together(std::initializer_list<std::vector<Key>> parts);
Key name_key();
std::vector<Key> bodies_keys(const KindNames& kinds);
std::vector<Key> orientation_keys(const std::string& meaning, const KindNames& kinds = {});
/// size, radius, length, inner_radius, axis: measures of solids; those of the kinds that the table has.
Key color_key();
Key opacity_key();

/// Whether a formula can be read at all; reports it at `node` if not. Names are judged later, by the model's issues.
bool has_good_syntax(const Fields& fields, const Node& node, std::string_view key, const std::string& text);

}  // namespace trammel::detail
