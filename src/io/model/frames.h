// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <unordered_map>

#include "values.h"

namespace trammel::detail {

/// A frame as the whole machine is drawn.
struct DrawnFrame {
  std::string body = ground_name;
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();  ///< columns, world
};

/// The [[frame]]s of a model and the `frames` of its bodies (called BODY.NAME), by their full names. Each is computed
/// when it is first asked for, what it refers to before it.
class Frames {
 public:
  Frames(Findings& findings, const KeyIndex* frame_keys, const KeyIndex* body_keys)
      : findings_(findings), frame_keys_(frame_keys), body_keys_(body_keys) {}

  /// A [[frame]], or a point among the `frames` of a body. Of several with one name the first counts.
  void add(const std::string& name, const Node& node, const Scope& scope, const Part& part);
  void add_point(const std::string& body, const std::string& name, const Node& node, const Scope& scope,
                 const Part& part);
  /// A body that frames may refer to: its drawn pose.
  void add_body(const std::string& name, const Node& node, const Scope& scope, const Part& part);

  /// What `name` means in this part; nothing if it is no frame.
  std::optional<DrawnFrame> find(const Part& part, const std::string& name) const;
  /// By the full name.
  std::optional<DrawnFrame> find(const std::string& full_name) const;
  /// The names of all, for "did you mean".
  std::vector<std::string> names() const;
  /// A [[frame]] or a [[body]] that a setting changed; false if it is too late: others follow from it.
  bool replace(const std::string& kind, const std::string& name, const Node& node);

 private:
  struct Entry {
    std::string name;
    const Node* node;
    const Scope* scope;
    const Part* part;
    std::string body;  ///< of a point of a body; empty: a [[frame]]
    enum class State { fresh, underway, done } state = State::fresh;
    DrawnFrame drawn = {};
  };
  struct Body {
    const Node* node;
    const Scope* scope;
    const Part* part;
  };
  void calc(Entry& entry) const;
  void place(Fields& fields, const Node& node, std::string_view key, const Part& part, DrawnFrame& frame) const;
  void place_on_body(Fields& fields, const Node& node, std::string_view key, DrawnFrame& frame) const;

  Findings& findings_;
  const KeyIndex *frame_keys_, *body_keys_;
  mutable std::deque<Entry> entries_;
  std::unordered_map<std::string, std::size_t> index_;
  std::unordered_map<std::string, Body> bodies_;
  mutable std::vector<const Entry*> underway_;
};

}  // namespace trammel::detail
