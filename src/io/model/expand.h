// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frames.h"
#include "tree.h"
#include "urdf_tree.h"
#include "values.h"

namespace trammel::detail {

/// One [[body]], [[joint]], … of the finished model, with the constants and the file it lives in.
struct Instance {
  std::string kind;  ///< "body", "joint", …
  const Node* node = nullptr;
  const Scope* scope = nullptr;
  const Part* part = nullptr;
  std::string name;  ///< with the prefix of its part; empty if it has none
};

class ModelTables;

/// The model file with its settings applied, its parameters evaluated, its [[repeat]]s and [[include]]s written out.
class Expansion {
 public:
  /// Throws InputError for a syntax error, here or in an included file.
  Expansion(Findings& findings, const ModelTables& tables, const std::string& text, const std::filesystem::path& file,
            std::span<const std::string> settings);

  const Node& root() const { return *root_; }
  const Scope& scope() const { return scopes_.front(); }
  const Part& part() const { return parts_.front(); }
  const std::map<std::string, double>& parameters() const { return parameters_; }
  const Frames& frames() const { return frames_; }
  const std::vector<Instance>& instances() const { return instances_; }
  /// False if a repeat or an include could not be written out: then names may be missing that are right.
  bool is_complete() const { return complete_; }
  double max_elements() const { return most_elements_; }

 private:
  struct Setting {
    std::vector<std::string> path;
    Node value;
    std::string key;
    bool removes = false;  ///< nothing behind the "=": what is there goes
  };

  void apply_settings(Node& root, std::span<const std::string> settings);
  void apply_entity_settings();
  void apply(const Setting& setting, Node& table, std::size_t from, const KeyIndex* keys, const std::string& what);
  void expand(const Node& table, const Scope& scope, Part& part, const std::string& what);
  void add_entity(const std::string& kind, const Node& node, const Scope& scope, Part& part);
  void repeat(const Node& node, const Scope& scope, Part& part);
  void include(const Node& node, const Scope& scope, Part& part);
  const Node* open_part(const Fields& fields, const Node& file, Part& part, const UrdfOptions& options);
  UrdfOptions read_urdf_options(Fields& fields, const Part& outer, bool urdf);
  bool includes_itself(const Fields& fields, const Node& file, const Part& part) const;
  std::map<std::string, Quantity> given_parameters(const Fields& fields, const Node* given, const Node& tree,
                                                   const Part& part);
  void add_constants(const Node& tree, const std::map<std::string, Quantity>& given, const Scope& outer,
                     const Part& part, Scope& scope);
  void connect(const Fields& fields, const Node* given, const Node& tree, Part& part);
  void check_ports();
  void stand_in(const std::string& port, const std::string& kind, Part& part);
  void register_frames(const Node& table, const Scope& scope, const Part& part);
  void read_units(const Node& tree, Part& part);

  // What an [[include]] connects to a port, looked at when everything has its name.
  struct Connection {
    Place place;
    std::string port, kind, given;
    Part* part;
  };

  Findings& findings_;
  const ModelTables& tables_;
  Frames frames_;
  std::vector<Connection> connections_;
  Node* root_ = nullptr;
  std::deque<Node> trees_;  // deques: elements never move, the rest points to them
  std::map<std::string, const Node*> included_;
  std::deque<Scope> scopes_;
  std::deque<Part> parts_;
  std::map<std::string, double> parameters_;
  std::vector<Setting> entity_settings_;
  std::vector<Instance> instances_;
  double estimate_elements(const Node& table, const Scope& scope) const;
  bool allows(double more, const Fields& fields, const Node& node);

  double elements_ = 0.0;       // made so far
  double most_elements_ = 1e6;  // max_elements
  bool complete_ = true;
};

/// Throws InputError for a file of another version of the language.
void check_format(const Findings& findings, const Node& root);

/// The keys of `units` at the top of a file.
std::vector<Key> unit_choice_keys();

/// Reads exactly one of rotation, quaternion, axis_angle, euler (or `orientation = { one of them }`); identity if none.
Eigen::Matrix3d read_orientation(Fields& fields);

/// A direction as [x, y, z] or one of "x", "-y", …; what it is relative to is the caller's affair.
Eigen::Vector3d read_direction(const Fields& fields, const Node& node, std::string_view key);

}  // namespace trammel::detail
