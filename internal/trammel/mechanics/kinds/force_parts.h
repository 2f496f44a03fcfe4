// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "trammel/mechanics/kinds/fields.h"
#include "trammel/mechanics/kinds/force_descriptor.h"
#include "trammel/mechanics/kinds/force_elements.h"
#include "trammel/mechanics/kinds/keys.h"
#include "trammel/mechanics/model_checks.h"

/// What the descriptors of forces are written with.

namespace trammel {

// ---- keys ----------------------------------------------------------------------------------------------------------

std::vector<Key> join_keys(std::initializer_list<std::vector<Key>> parts);
/// `body`, `body_a`, `body_b` of what acts on one body.
std::vector<Key> single_body_keys();
/// `bodies`, `body_a`, `body_b` of what acts between two.
std::vector<Key> two_bodies_keys();
Key in_body_axes_key();
std::vector<Key> end_keys();     ///< `point_a`, `point_b` of springs
std::vector<Key> spring_keys();  ///< `stiffness`, `damping`, `preload`
Key free_key(std::string name, std::string unit, std::string meaning);
Key free_value_key();  ///< the same by a name that all springs have
Key law_key(std::string unit, std::string meaning);
Key damping_key();
Key positive_damping_key();
Key on_joint_key();
std::vector<Key> limit_keys();  ///< `lower`, `upper`
std::vector<Key> bushing_keys(bool planar);
std::vector<Key> tyre_keys(bool required);  ///< `axis`, `stiffness` (required?), `damping`
Key wheel_key();
Key road_key();
Key center_key();
Key number_key(std::string name, std::string unit, std::string fallback, std::string meaning, Range range);

// ---- reading -------------------------------------------------------------------------------------------------------

void read_single_body(KindFields& fields, ForceSpec& force);
/// The ends of a spring, which may leave its bodies to them.
void read_spring_ends(KindFields& fields, ForceSpec& force);
/// `law`, or `stiffness`, `damping`, `preload` and the free value under a name of its own (empty: none).
void read_law(KindFields& fields, ForceSpec& force, const std::string& free_key);
JointCoordinate read_joint_coordinate(KindFields& fields);
void read_joint_reference(KindFields& fields, ForceSpec& force);
void read_bushing(KindFields& fields, ForceSpec& force, bool planar);
/// What tyres that roll and that stand have both.
void read_tyre(KindFields& fields, ForceSpec& force);

// ---- checks --------------------------------------------------------------------------------------------------------

inline void check_nothing_more(detail::ModelChecks&, const ForceSpec&) {}
void check_ends(detail::ModelChecks& checks, const ForceSpec& force);  ///< point_a, point_b
/// Both bodies turn: "'p' is a particle and has no orientation that <what> could act on".
void check_orientations(detail::ModelChecks& checks, const ForceSpec& force, const std::string& what);
void check_positive(detail::ModelChecks& checks, const ForceSpec& force, const char* key, double value,
                    bool zero_allowed);
void check_limits(detail::ModelChecks& checks, const ForceSpec& force);
void check_bushing(detail::ModelChecks& checks, const ForceSpec& force, bool planar);
void check_tyre(detail::ModelChecks& checks, const ForceSpec& force);

// ---- elements ------------------------------------------------------------------------------------------------------

/// A force or a torque by its three components.
void assemble_components(ForceElements& elements, const ForceSpec& force, FormulaGroup::Output output);
/// A spring, a damper or a law on what the force measures.
void assemble_on_strain(ForceElements& elements, const ForceSpec& force, bool stop);
void assemble_bushing(ForceElements& elements, const ForceSpec& force, bool planar);
/// Of tyres, whose wheel turns on the given frame.
TyrePlace place_tyre(ForceElements& elements, const ForceSpec& force, int carrier);

inline constexpr double unlimited = std::numeric_limits<double>::infinity();

// ---- directors -----------------------------------------------------------------------------------------------------

inline Directors load_on_directors(const ForceSpec&) { return {Directors::Form::load}; }
inline Directors elastic_directors(const ForceSpec&) { return {Directors::Form::elastic}; }
/// Springs: a law that formulas give is a load.
inline Directors spring_directors(const ForceSpec& force) {
  return {force.law.given() ? Directors::Form::load : Directors::Form::elastic};
}
/// A bushing without a potential is a load.
Directors bushing_directors(const ForceSpec& force);

Picture bushing_picture(Picture::Along along);

}  // namespace trammel
