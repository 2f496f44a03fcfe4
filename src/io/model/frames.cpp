// SPDX-License-Identifier: Apache-2.0
#include "frames.h"

#include <fmt/format.h>

#include "entities.h"
#include "trammel/base/text.h"
#include "trammel/mechanics/kinds/keys.h"

namespace trammel::detail {

void Frames::add(const std::string& name, const Node& node, const Scope& scope, const Part& part) {
  index_.try_emplace(name, entries_.size());
  entries_.push_back({name, &node, &scope, &part, ""});
}

void Frames::add_point(const std::string& body, const std::string& name, const Node& node, const Scope& scope,
                       const Part& part) {
  const std::string full = body + "." + name;
  index_.try_emplace(full, entries_.size());
  entries_.push_back({full, &node, &scope, &part, body});
}

void Frames::add_body(const std::string& name, const Node& node, const Scope& scope, const Part& part) {
  bodies_.try_emplace(name, Body{&node, &scope, &part});
}

bool Frames::replace(const std::string& kind, const std::string& name, const Node& node) {
  if (const auto it = bodies_.find(name); kind == "body" && it != bodies_.end()) it->second.node = &node;
  const Node* points = kind == "body" ? node.find("frames") : nullptr;
  for (Entry& entry : entries_) {
    const Node* fresh = kind == "frame" && entry.name == name ? &node : nullptr;
    if (points != nullptr && entry.body == name) fresh = points->find(entry.name.substr(name.size() + 1));
    if (fresh == nullptr) continue;
    if (entry.state != Entry::State::fresh) return false;
    entry.node = fresh;
  }
  return true;
}

std::vector<std::string> Frames::names() const {
  std::vector<std::string> all;
  for (const Entry& entry : entries_) all.push_back(entry.name);
  return all;
}

std::optional<DrawnFrame> Frames::find(const std::string& full_name) const {
  if (index_.empty()) return std::nullopt;
  const auto it = index_.find(full_name);
  if (it == index_.end()) return std::nullopt;
  Entry& entry = entries_[it->second];
  if (entry.state != Entry::State::done) calc(entry);
  return entry.drawn;
}

std::optional<DrawnFrame> Frames::find(const Part& part, const std::string& name) const {
  if (index_.empty()) return std::nullopt;
  if (const auto found = find(part.full_name(name))) return found;
  // BODY.NAME of a [[frame]] that sits on this body.
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return std::nullopt;
  const auto found = find(part.full_name(name.substr(dot + 1)));
  return found && found->body == part.full_name(name.substr(0, dot)) ? found : std::nullopt;
}

void Frames::calc(Entry& entry) const {
  if (entry.state == Entry::State::underway) {
    std::string chain;
    bool in_circle = false;
    for (const Entry* other : underway_) {
      in_circle = in_circle || other == &entry;
      if (in_circle) chain += "'" + other->name + "' needs ";
    }
    findings_.add(entry.node->place, fmt::format("frame '{}': the frames depend on each other in a circle: {}'{}'",
                                                 entry.name, chain, entry.name));
    return;
  }
  entry.state = Entry::State::underway;
  underway_.push_back(&entry);
  DrawnFrame frame;
  const std::string what = fmt::format("frame '{}'", entry.name);
  if (entry.body.empty()) {
    Fields fields(findings_, *entry.node, *entry.scope, *entry.part, what, frame_keys_);
    if (const Node* body = fields.get("body")) frame.body = fields.name_of(*body, "body");
    if (const Node* position = fields.get("position")) place(fields, *position, "position", *entry.part, frame);
    const Eigen::Matrix3d B = entry.part->mirror.asDiagonal();
    // As bodies: reflected on both sides, so that it stays a rotation.
    frame.axes = entry.part->rotation * B * read_orientation(fields) * B;
  } else {
    static const std::vector<Key> point{point_key("point", true, "", "of the frame")};
    static const KeyIndex of_point(point);
    Fields fields(findings_, *entry.node, *entry.scope, *entry.part, what, &of_point);
    frame.body = entry.body;
    const Eigen::Matrix3d B = entry.part->mirror.asDiagonal();
    frame.axes = entry.part->rotation * B * B;
    place(fields, *entry.node, "point", *entry.part, frame);
  }
  underway_.pop_back();
  entry.drawn = frame;
  entry.state = Entry::State::done;
}

// [x, y, z] or a formula of vectors in the part's drawing, or { body, at }.
void Frames::place(Fields& fields, const Node& node, std::string_view key, const Part& part, DrawnFrame& frame) const {
  if (node.kind == NodeKind::table) return place_on_body(fields, node, key, frame);
  const Eigen::Vector3d x = fields.vector_of(node, key, Eigen::Vector3d::Zero());
  frame.position = x;
  if (part.is_moved() || part.is_mirrored())
    frame.position = part.position + part.rotation * (part.mirror.asDiagonal() * x);
}

void Frames::place_on_body(Fields& outer, const Node& node, std::string_view key, DrawnFrame& frame) const {
  Fields fields = *outer.inner(node, key);
  const Node* body_node = fields.get("body");
  const Node* at_node = fields.get("at");
  fields.finish();
  if (body_node == nullptr || at_node == nullptr) return;
  const std::string name = fields.name_of(*body_node, "body");
  const Eigen::Vector3d at = fields.vector_of(*at_node, "at", Eigen::Vector3d::Zero());
  const auto it = bodies_.find(name);
  if (name == ground_name || it == bodies_.end()) {
    if (name != ground_name)
      fields.report(*body_node, fmt::format("there is no [[body]] '{}' whose axes 'at' could be measured in", name));
    const Part& part = outer.part();
    frame.position = part.position + part.rotation * (part.mirror.asDiagonal() * at);
    return;
  }
  Findings ignored = findings_;  // what is wrong with the body is said when it is read
  const Body& body = it->second;
  Fields of_body(ignored, *body.node, *body.scope, *body.part, "body", body_keys_);
  const Eigen::Matrix3d B = body.part->mirror.asDiagonal(), Q = body.part->rotation * B;
  const Eigen::Vector3d origin = of_body.vector("position", Eigen::Vector3d::Zero());
  const Eigen::Matrix3d axes = Q * read_orientation(of_body) * B;
  frame.position = body.part->position + Q * origin + axes * (B * at);
}

namespace {

void read_frame(Fields& fields, const std::string& name, ModelDraft& model) {
  FrameSpec frame;
  frame.name = name;
  frame.source = fields.source();
  const std::optional<DrawnFrame> drawn = fields.part().frames->find(name);
  for (const char* key : {"body", "position", "rotation", "quaternion", "axis_angle", "euler", "orientation"})
    fields.ignore(key);
  fields.finish();
  if (drawn) {
    frame.body = drawn->body;
    frame.position = drawn->position;
    frame.orientation = drawn->axes;
  }
  model.frames.push_back(std::move(frame));
}

}  // namespace

void read_body_frames(Fields& fields, const std::string& body, ModelDraft& model) {
  const Node* node = fields.get("frames");
  if (node == nullptr) return;
  if (node->kind != NodeKind::table) return fields.report_type(*node, "frames", "a table { name = [x, y, z], … }");
  for (const Entry& entry : node->entries) {
    if (entry.key == "x" || entry.key == "y" || entry.key == "z" || entry.key.find('.') != std::string::npos)
      fields.report(entry.value, fmt::format("'{}' cannot be the name of a frame", entry.key));
    FrameSpec frame;
    frame.name = body + "." + entry.key;
    frame.source.entity = fields.findings().where(entry.place);
    frame.body = body;
    if (const auto drawn = fields.part().frames->find(frame.name)) {
      frame.position = drawn->position;
      frame.orientation = drawn->axes;
    }
    model.frames.push_back(std::move(frame));
  }
}

EntityKind frame_kind() {
  return {
      {.name = "frame",
       .is_list = true,
       .meaning = "A point of a body with axes, and a name: it may stand for a point, a direction or a body.",
       .keys = together(
           {{name_key(),
             {.name = "body", .type = KeyType::name, .fallback = "ground", .meaning = "the body on which it is fixed"},
             {.name = "position",
              .type = KeyType::point,
              .unit = "m",
              .fallback = "[0, 0, 0]",
              .meaning = "of its origin as drawn, `[x, y, z]` in the world, a formula of vectors and "
                         "other frames, or `{ body = \"name\", at = [x, y, z] }`"}},
            orientation_keys("of its axes in the world, as drawn")})},
      read_frame};
}

}  // namespace trammel::detail
