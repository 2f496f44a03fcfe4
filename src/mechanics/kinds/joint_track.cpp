// SPDX-License-Identifier: Apache-2.0
#include "trammel/mechanics/kinds/joint_parts.h"

namespace trammel {

namespace {

/// b moves relative to a point that travels along a [[track]] as a function of time: 6 freedoms without a row, or 5 if
/// it is guided.
struct TrackJoint {
  static constexpr std::string_view name = "track", meaning = "travels along a [[track]]";
  static std::vector<Key> keys() {
    return {{.name = "radius",
             .unit = "m",
             .fallback = "does not roll",
             .meaning = "rolling radius of what turns with the travel",
             .range = Range::from(0.0)},
            {.name = "track", .type = KeyType::name, .required = true, .meaning = "the [[track]] it runs on"},
            {.name = "station",
             .unit = "m",
             .required = true,
             .meaning = "where it stands on the track when it has not travelled yet"},
            {.name = "height", .unit = "m", .required = true, .meaning = "of its centre of mass over the rails"},
            {.name = "travel",
             .type = KeyType::formula,
             .unit = "m",
             .required = true,
             .meaning = "the way that it goes, a formula of `t`"},
            {.name = "guided",
             .type = KeyType::boolean,
             .fallback = "false",
             .meaning = "the body follows `travel` exactly: one row, a drive"}};
  }
  static void read(KindFields& fields, JointSpec& joint) {
    read_place(fields, joint);
    TrackJointSpec& on = joint.on_track;
    on.track = fields.name("track", "");
    if (!fields.has("track")) fields.give_up();
    on.station = fields.number("station", 0.0);
    on.height = fields.number("height", 0.0);
    on.travel = fields.formula("travel");
    if (!fields.has("travel")) on.travel.text = "0";
    on.guided = fields.boolean("guided", false);
    on.radius = fields.number("radius", 0.0);
  }
  static constexpr JointNeeds needs{.axis = false};
  static constexpr InPlane in_plane{.refused = true};
  static void check(detail::ModelChecks& checks, const JointSpec& joint, bool) {
    const TrackJointSpec& on = joint.on_track;
    const SignalTable::Entry* track = checks.table.find(on.track);
    if (track == nullptr || track->entity != SignalTable::Entity::track)
      checks.report("joint", joint, "track", no_such(checks, SignalTable::Entity::track, on.track));
    if (joint.body_a != ground_name)
      checks.report("joint", joint, joint.source.fields.count("bodies") > 0 ? "bodies" : "body_a",
                    fmt::format("a track lies on the ground, but its first body is '{}'", joint.body_a));
    const BodySpec* body = checks.find_body(joint.body_b);
    if (body != nullptr && body->kind == BodyKind::particle) return;  // reported by the checks of all joints
    if (!on.travel.given())
      checks.report("joint", joint, "travel", "'travel' is missing: the way that it goes, a formula of t [m]");
    if (!std::isfinite(on.station) || !std::isfinite(on.height))
      checks.report("joint", joint, "station", "'station' and 'height' must be finite");
    if (on.radius < 0.0)
      checks.report("joint", joint, "radius", fmt::format("'radius' is {} m but must be > 0", on.radius));
  }
  static void compose(JointRows& rows, const JointSpec& joint) { rows.follow_track(joint); }
  static constexpr JointCoordinates coordinates{};
  static constexpr JointAxes axes = JointAxes::axis;
  static std::optional<TreeMotion> motion(const JointSpec& joint, bool) {
    return TreeMotion{joint.on_track.guided ? Mobility::guided : Mobility::track};
  }
  static constexpr auto directors = rows_of_directors;
  static constexpr JointSignal signals[] = {
      {"s", SignalKind::track_coordinate, 0},    {"y", SignalKind::track_coordinate, 1},
      {"z", SignalKind::track_coordinate, 2},    {"yaw", SignalKind::track_coordinate, 3},
      {"roll", SignalKind::track_coordinate, 4}, {"pitch", SignalKind::track_coordinate, 5}};
  static Picture picture() { return {}; }
};

}  // namespace

constinit const JointDescription kinds::track_joint = describe_joint<TrackJoint>();

}  // namespace trammel
