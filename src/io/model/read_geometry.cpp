// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "entities.h"
#include "frames.h"
#include "trammel/base/text.h"
#include "trammel/math/orientation.h"
#include "trammel/mechanics/kinds/keys.h"

namespace trammel::detail {

namespace {

Eigen::Matrix3d read_euler(const Fields& outer, const Node& node) {
  const Eigen::Matrix3d identity = Eigen::Matrix3d::Identity();
  std::optional<Fields> fields = outer.inner(node, "euler");
  if (!fields) return identity;
  const Node* sequence_node = fields->get("sequence");
  const Node* angles_node = fields->get("angles");
  fields->finish();
  if (sequence_node == nullptr || angles_node == nullptr) return identity;
  const std::string sequence = fields->text_of(*sequence_node, "sequence");
  const Eigen::Vector3d angles = fields->vector_of(*angles_node, "angles", Eigen::Vector3d::Zero());
  const auto among = [&](const std::string& letters) {
    return sequence.find_first_not_of(letters) == std::string::npos;
  };
  const bool good = sequence.size() == 3 && (among("xyz") || among("XYZ")) && sequence[0] != sequence[1] &&
                    sequence[1] != sequence[2];
  if (good) return rotation_from_euler(sequence, angles);
  fields->report(
      *sequence_node,
      fmt::format("'sequence' is '{}'; it must be three of the letters x, y, z, neighbours different: \"zxz\" "
                  "turns about axes that move with the body, \"ZXZ\" about fixed ones",
                  sequence));
  return identity;
}

Eigen::Matrix3d read_axis_angle(const Fields& outer, const Node& node) {
  std::optional<Fields> fields = outer.inner(node, "axis_angle");
  if (!fields) return Eigen::Matrix3d::Identity();
  const Node* axis_node = fields->get("axis");
  const double angle = fields->number("angle", 0.0);
  fields->finish();
  if (axis_node == nullptr) return Eigen::Matrix3d::Identity();
  const Eigen::Vector3d axis = read_direction(*fields, *axis_node, "axis");
  if (axis.norm() > 0.0) return rotation_from_axis_angle(axis, angle);
  fields->report(*axis_node, "'axis' is zero; it must have a direction");
  return Eigen::Matrix3d::Identity();
}

Eigen::Matrix3d read_quaternion(const Fields& fields, const Node& node) {
  const std::vector<double> q = fields.list_of(node, "quaternion");
  if (node.kind != NodeKind::array) return Eigen::Matrix3d::Identity();
  const bool zero = std::all_of(q.begin(), q.end(), [](double x) { return x == 0.0; });
  if (q.size() == 4 && !zero) return rotation_from_quaternion(Vec4<double>(q[0], q[1], q[2], q[3]));
  fields.report(node, q.size() != 4 ? fmt::format("'quaternion' must be four numbers [w, x, y, z], not {}", q.size())
                                    : std::string("'quaternion' is zero; [1, 0, 0, 0] is no rotation"));
  return Eigen::Matrix3d::Identity();
}

Eigen::Matrix3d read_rotation(const Fields& fields, const Node& node) {
  constexpr double rotation_tol = 1e-6;  // digits that people type; what is nearer is made exact
  const std::optional<Eigen::MatrixXd> matrix = fields.matrix_of(node, "rotation", 3);
  if (!matrix) return Eigen::Matrix3d::Identity();
  const Eigen::Matrix3d R = *matrix;
  const double defect = rotation_defect(R);
  if (defect <= rotation_tol) return nearest_rotation(R);
  if (rotation_defect(-R) <= rotation_tol) {
    fields.report(node,
                  "'rotation' is a reflection and not a rotation matrix (its determinant is -1), and no body can be "
                  "turned into its mirror image; "
                  "write the mirrored part as a file of its own and include it with mirror = \"y\"");
    return Eigen::Matrix3d::Identity();
  }
  fields.report(node, fmt::format("'rotation' is not a rotation matrix: its columns must be orthogonal unit vectors in "
                                  "right-handed order (|RᵀR − 1| is {:.2g}, allowed {:.0g})",
                                  defect, rotation_tol));
  return Eigen::Matrix3d::Identity();
}

}  // namespace

Eigen::Vector3d read_direction(const Fields& fields, const Node& node, std::string_view key) {
  if (node.kind != NodeKind::string) return fields.vector_of(node, key, Eigen::Vector3d::UnitZ());
  const std::string text = fields.text_of(node, key);
  if (const auto axis = find_frame_axis(fields.part(), text)) return *axis;
  const bool negative = !text.empty() && text[0] == '-';
  const std::string letter = text.substr(negative ? 1 : 0);
  if (letter == "x" || letter == "y" || letter == "z")
    return (negative ? -1.0 : 1.0) * Eigen::Vector3d::Unit(letter[0] - 'x');
  const Evaluated made = evaluate(text, fields.scope(), &fields.part());
  if (made.error.empty() && made.value.is_vector) return made.value.value;
  const std::string frame = letter.substr(0, letter.rfind('.'));  // of 'NAME.z'
  const Frames* frames = fields.part().frames;
  const std::string near = frames == nullptr || frame == letter ? "" : did_you_mean(frame, frames->names());
  if (!near.empty()) {
    fields.report(node, fmt::format("'{}' is '{}', and there is no frame '{}'{}", key, text, frame, near));
    return Eigen::Vector3d::UnitZ();
  }
  fields.report(node, fmt::format("'{}' is '{}'; a direction is [x, y, z] or one of 'x', 'y', 'z', '-x', '-y', '-z', "
                                  "an axis of a frame as 'NAME.z', or a formula of vectors",
                                  key, text));
  return Eigen::Vector3d::UnitZ();
}

std::optional<Eigen::Vector3d> find_frame_axis(const Part& part, const std::string& text) {
  const bool negative = text.starts_with('-');
  const std::string path = text.substr(negative ? 1 : 0);
  if (part.frames == nullptr || path.size() < 3 || path[path.size() - 2] != '.') return std::nullopt;
  const int axis = path.back() - 'x';
  if (axis < 0 || axis > 2) return std::nullopt;
  const auto frame = part.frames->find(part, path.substr(0, path.size() - 2));
  if (!frame) return std::nullopt;
  return (negative ? -1.0 : 1.0) * part.direction_from_world(frame->axes.col(axis));
}

std::string find_body_name(const Fields& fields, const Node& node, std::string_view key) {
  const std::string name = fields.name_of(node, key);
  const Frames* frames = fields.part().frames;
  if (frames == nullptr || node.kind != NodeKind::string) return name;
  const auto frame = frames->find(fields.part(), fields.text_of(node, key));
  return frame ? frame->body : name;
}

Eigen::Matrix3d read_orientation(Fields& fields) {
  static const std::vector<std::string> ways{"rotation", "quaternion", "axis_angle", "euler"};
  static const std::vector<std::string> keys{"rotation", "quaternion", "axis_angle", "euler", "orientation"};
  std::string which;
  const Node* node = fields.one_of(keys, &which);
  if (node == nullptr) return Eigen::Matrix3d::Identity();
  if (which == "rotation") return read_rotation(fields, *node);
  if (which == "quaternion") return read_quaternion(fields, *node);
  if (which == "axis_angle") return read_axis_angle(fields, *node);
  if (which == "euler") return read_euler(fields, *node);
  std::optional<Fields> inner = fields.inner(*node, "orientation");
  if (!inner) return Eigen::Matrix3d::Identity();
  const Node* inside = inner->one_of(ways, &which);
  inner->finish();
  if (inside == nullptr) {
    inner->report("give one of " + join_quoted(ways));
    return Eigen::Matrix3d::Identity();
  }
  if (which == "rotation") return read_rotation(*inner, *inside);
  if (which == "quaternion") return read_quaternion(*inner, *inside);
  if (which == "axis_angle") return read_axis_angle(*inner, *inside);
  return read_euler(*inner, *inside);
}

PointSpec read_point(const Fields& outer, const Node& node, std::string_view key) {
  PointSpec point;
  if (node.kind != NodeKind::table) {
    if (node.kind != NodeKind::array && node.kind != NodeKind::string) {
      outer.report_type(node, key,
                        "a point: [x, y, z] in the world, the name of a frame, or { body = \"name\", at = [x, y, z] }");
      return point;
    }
    const Part& part = outer.part();
    const auto frame = node.kind == NodeKind::string && part.frames != nullptr
                           ? part.frames->find(part, outer.text_of(node, key))
                           : std::nullopt;
    const Eigen::Vector3d drawn =
        frame ? part.point_from_world(frame->position) : outer.vector_of(node, key, Eigen::Vector3d::Zero());
    point.at = part.position + part.rotation * drawn;
    return point;
  }
  Fields fields = *outer.inner(node, key);
  const Node* body = fields.get("body");
  const Node* at = fields.get("at");
  fields.finish();
  if (body != nullptr) point.body = fields.name_of(*body, "body");
  if (at != nullptr) point.at = fields.vector_of(*at, "at", Eigen::Vector3d::Zero());
  if (point.body == ground_name) {  // the ground's axes are those of the part's drawing
    point.body.clear();
    point.at = outer.part().position + outer.part().rotation * point.at;
  }
  return point;
}

AxisSpec read_axis(const Fields& outer, const Node& node, std::string_view key) {
  AxisSpec axis;
  if (node.kind != NodeKind::table) {
    if (node.kind != NodeKind::array && node.kind != NodeKind::string) {
      outer.report_type(node, key,
                        "a direction: [x, y, z] or \"z\" in the world, or { body = \"name\", direction = [x, y, z] }");
      return axis;
    }
    axis.direction = outer.part().rotation * read_direction(outer, node, key);
    return axis;
  }
  Fields fields = *outer.inner(node, key);
  const Node* body = fields.get("body");
  const Node* direction = fields.get("direction");
  fields.finish();
  if (body != nullptr) axis.body = fields.name_of(*body, "body");
  if (direction != nullptr) axis.direction = read_direction(fields, *direction, "direction");
  if (axis.body == ground_name) {
    axis.body.clear();
    axis.direction = outer.part().rotation * axis.direction;
  }
  return axis;
}

std::optional<PointSpec> read_point(Fields& fields, std::string_view key) {
  const Node* node = fields.knows(key) ? fields.get(key) : nullptr;
  return node == nullptr ? std::nullopt : std::optional(read_point(fields, *node, key));
}

std::optional<AxisSpec> read_axis(Fields& fields, std::string_view key) {
  const Node* node = fields.knows(key) ? fields.get(key) : nullptr;
  return node == nullptr ? std::nullopt : std::optional(read_axis(fields, *node, key));
}

void read_bodies(Fields& fields, std::string& body_a, std::string& body_b, bool required) {
  const Node* bodies = fields.get("bodies");
  const Node* a = fields.get("body_a");
  const Node* b = fields.get("body_b");
  if (bodies != nullptr) {
    const Node* other = a != nullptr ? a : b;
    if (other != nullptr)
      fields.report(*other, "'bodies' and 'body_a', 'body_b' exclude each other; give one or the other");
    const bool names = bodies->kind == NodeKind::array && (bodies->items.size() == 1 || bodies->items.size() == 2);
    if (!names) {
      fields.report(*bodies,
                    fmt::format("'bodies' must be a list of two names such as [\"ground\", \"rod\"] (or of one, "
                                "which is then tied to the ground), not {}",
                                describe(*bodies)));
      return;
    }
    if (bodies->items.size() == 2) body_a = find_body_name(fields, bodies->items[0], "bodies");
    body_b = find_body_name(fields, bodies->items.back(), "bodies");
    return;
  }
  if (a != nullptr) body_a = find_body_name(fields, *a, "body_a");
  if (b != nullptr) body_b = find_body_name(fields, *b, "body_b");
  if (b == nullptr && required)
    fields.report(
        "it is not said which bodies it connects: the key 'bodies' = [\"a\", \"b\"] is missing (or 'body_a', "
        "by default the ground, and 'body_b')");
}

std::vector<Key> together(std::initializer_list<std::vector<Key>> parts) {
  std::vector<Key> keys;
  for (const std::vector<Key>& part : parts) keys.insert(keys.end(), part.begin(), part.end());
  return keys;
}

Key name_key() {
  return {.name = "name",
          .type = KeyType::text,
          .required = true,
          .meaning = "a name by which the rest of the model and the results refer to it"};
}

std::vector<Key> bodies_keys(const KindNames& kinds) {
  std::vector<Key> keys = trammel::bodies_keys();
  for (Key& key : keys) key.kinds = kinds;
  return keys;
}

std::vector<Key> orientation_keys(const std::string& meaning, const KindNames& kinds) {
  std::vector<Key> ways{
      {.name = "rotation",
       .type = KeyType::matrix,
       .meaning = "orientation " + meaning + " by a matrix of three rows, whose columns are the axes",
       .kinds = kinds},
      {.name = "quaternion",
       .type = KeyType::numbers,
       .meaning = "instead: the orientation as `[w, x, y, z]`",
       .kinds = kinds},
      {.name = "axis_angle",
       .type = KeyType::table,
       .meaning = "instead: one turn, `{ axis = \"z\", angle = \"pi/2\" }`",
       .kinds = kinds,
       .inner = {{.name = "axis",
                  .type = KeyType::direction,
                  .required = true,
                  .meaning = "the axis of the turn, `[x, y, z]` or `\"z\"`"},
                 {.name = "angle", .unit = "rad", .required = true, .meaning = "the angle of the turn"}}},
      {.name = "euler",
       .type = KeyType::table,
       .meaning = "instead: three turns, `{ sequence = \"zxz\", angles = [a, b, c] }`",
       .kinds = kinds,
       .inner = {
           {.name = "sequence",
            .type = KeyType::text,
            .required = true,
            .meaning = "three axes, such as `\"zxz\"`; small letters: axes that move along, capitals: fixed ones"},
           {.name = "angles", .type = KeyType::vector, .unit = "rad", .required = true, .meaning = "three angles"}}}};
  std::vector<Key> inner = ways;
  for (Key& way : inner) way.kinds.clear();
  ways.push_back({.name = "orientation",
                  .type = KeyType::table,
                  .meaning = "instead: a table with one of these four",
                  .kinds = kinds,
                  .inner = inner});
  return ways;
}

}  // namespace trammel::detail
