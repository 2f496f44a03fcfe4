#pragma once

#include <map>
#include <string>
#include <unordered_map>

#include "expand.h"
#include "trammel/mechanics/solid.h"
#include "trammel/simulation/options.h"
#include "values.h"

namespace trammel::detail {

/// What stands in for a formula that could not be read.
inline const std::string zero_formula = "0";

/// A model underway, with its bodies by name.
struct ModelDraft : Model {
  std::unordered_map<std::string, std::size_t> body_index;
  std::vector<GeometrySpec> solids;      ///< drawings from the bodies' `shape`, for bodies without [[geometry]]
  bool complete = true;                  ///< false: bodies may be missing that the file describes
  std::map<std::string, Solid> heavy{};  ///< bodies whose mass comes from the `density` of their [[geometry]]
};

// Each reads one table into the model; what is wrong goes to the fields' findings, and a harmless value takes its
// place.
void read_body(Fields& fields, const std::string& name, ModelDraft& model);
void read_beam(Fields& fields, const std::string& name, ModelDraft& model);
void read_coordinate(Fields& fields, const std::string& name, ModelDraft& model);
void read_joint(Fields& fields, const std::string& name, ModelDraft& model);
void read_coupler(Fields& fields, const std::string& name, ModelDraft& model);
void read_motion(Fields& fields, const std::string& name, ModelDraft& model);
void read_force(Fields& fields, const std::string& name, ModelDraft& model);
/// Forces of vehicles, once the kind is known.
void read_bump_stop(Fields& fields, ForceSpec& force);
void read_anti_roll_bar(Fields& fields, ForceSpec& force);
void read_tyre(Fields& fields, ForceSpec& force);
void read_control(Fields& fields, const std::string& name, ModelDraft& model);
void read_measure(Fields& fields, const std::string& name, ModelDraft& model);
void read_event(Fields& fields, const std::string& name, ModelDraft& model);
void read_table(Fields& fields, const std::string& name, ModelDraft& model);
void read_geometry(Fields& fields, const std::string& name, ModelDraft& model);
void read_contact(Fields& fields, const std::string& name, ModelDraft& model);
void read_friction(Fields& fields, const std::string& name, ModelDraft& model);
void read_track(Fields& fields, const std::string& name, ModelDraft& model);
void read_wheel(Fields& fields, const std::string& name, ModelDraft& model);
void read_flange_stop(Fields& fields, const std::string& name, ModelDraft& model);
/// The keys that a joint of kind `track` has beside its bodies.
void read_track_joint(Fields& fields, JointSpec& joint);

/// One of the tables "analysis", "solver" and "output".
void read_settings(Fields& fields, const std::string& table, Settings& settings);

/// [x, y, z] in the world (moved with its part), or { body = "rod", at = [x, y, z] }.
PointSpec read_point(const Fields& fields, const Node& node, const std::string& key);
/// [x, y, z] or "x", "-y" … in the world (turned with its part), or { body = "rod", direction = … }.
AxisSpec read_axis(const Fields& fields, const Node& node, const std::string& key);
/// The two bodies of `bodies = ["a", "b"]`, or of `body_a` (default: ground) and `body_b`.
void read_bodies(Fields& fields, std::string& body_a, std::string& body_b, bool required = true);
/// A number > 0; 1 in place of what is missing or not.
double read_length(Fields& fields, const std::string& key, const std::string& meaning);
/// Solids with their measures, about their centre: `size` of a box; `radius`, `length`, … of what has an axis.
Shape read_box(Fields& fields);
Shape read_round(Fields& fields, GeometryKind kind);
/// Axes whose third is the key `axis` (default "z").
Eigen::Matrix3d read_shape_axis(Fields& fields);
/// The key `color`, "#rrggbb"; empty if it is not given.
std::string read_color(Fields& fields);
/// angle | displacement
JointCoordinate read_joint_coordinate(Fields& fields);
/// Whether a formula can be read at all; reports it at `node` if not. Names are judged later, by the model's issues.
bool has_good_syntax(const Fields& fields, const Node& node, const std::string& key, const std::string& text);

}  // namespace trammel::detail
