// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "entities.h"
#include "expand.h"
#include "parameters.h"
#include "trammel/base/text.h"
#include "trammel/io/model_tables.h"
#include "trammel/io/source_file.h"
#include "urdf_tree.h"

/// What an [[include]] does: opens the part, places and mirrors it, gives it parameters and connects its ports.
namespace trammel::detail {

namespace {

constexpr int deepest_include = 100;

struct PortKind {
  std::string_view name, meaning;
};
constexpr PortKind port_kinds[] = {{"body", "a body"}, {"frame", "a frame"}, {"joint", "a joint"}};

/// Quantities whose unit a file may choose for its bare numbers, and the unit that keys are described by.
constexpr std::pair<std::string_view, std::string_view> chosen_units[] = {
    {"length", "m"},  {"angle", "rad"},           {"mass", "kg"},       {"time", "s"},
    {"force", "N"},   {"torque", "N m"},          {"pressure", "Pa"},   {"stiffness", "N/m"},
    {"speed", "m/s"}, {"angular_speed", "rad/s"}, {"density", "kg/m³"}, {"moment_of_inertia", "kg m²"}};

}  // namespace

std::vector<Key> unit_choice_keys() {
  std::vector<Key> keys;
  for (const auto& [name, unit] : chosen_units)
    keys.push_back({.name = std::string(name),
                    .type = KeyType::text,
                    .fallback = std::string(unit),
                    .meaning = fmt::format("of bare numbers at keys in {}", unit)});
  return keys;
}

void Expansion::read_units(const Node& tree, Part& part) {
  const Node* node = tree.find("units");
  if (node == nullptr) return;
  const Scope none;
  Fields root(findings_, tree, none, part, "model", tables_.find(""));
  std::optional<Fields> fields = root.inner(*node, "units");
  if (!fields) return;
  for (const auto& [name, si] : chosen_units) {
    const Node* chosen = fields->get(name);
    if (chosen == nullptr) continue;
    const std::string text = fields->text_of(*chosen, name);
    const Dimension dimension = parse_unit(si)->dimension;
    const std::optional<Unit> unit = parse_unit(text);
    if (!unit)
      fields->report(*chosen,
                     fmt::format("'{}' is '{}', which is not a unit{}", name, text, did_you_mean(text, unit_words())));
    else if (unit->dimension != dimension)
      fields->report(*chosen,
                     fmt::format("'{}' is '{}', a unit of other quantities; it must be one like {}", name, text, si));
    else if (unit->up != unit->down)
      part.units.emplace_back(dimension, *unit);
  }
  fields->finish();
}

void Expansion::add_constants(const Node& tree, const std::map<std::string, Quantity>& given, const Scope& outer,
                              const Part& part, Scope& scope) {
  if (const Node* node = tree.find("hardpoints")) {
    const KeyIndex* root = tables_.find("");
    for (const auto& [name, value] :
         read_hardpoints(findings_, *node, &root->inside(root->find("hardpoints")), outer, part))
      scope.add(name, value);
  }
  for (const auto& [name, value] : given) scope.add(name, value);
  // Points of the file are known to its parameters.
  if (const Node* table = tree.find("parameters"))
    for (const auto& [name, value] : calc_parameters(findings_, *table, given, scope, part)) scope.add(name, value);
}

// Frames are known before anything of their level is read: parts may be connected to them in any order.
void Expansion::register_frames(const Node& table, const Scope& scope, const Part& part) {
  bool connects = false;
  if (const Node* includes = table.find("include"))
    connects = std::any_of(includes->items.begin(), includes->items.end(),
                           [](const Node& item) { return item.find("ports") != nullptr; });
  const Node *frames = table.find("frame"), *bodies = table.find("body");
  const bool needs_bodies = connects || frames != nullptr;
  const auto name_of = [&](const Node& item) -> std::string {
    const Node* name = item.find("name");
    std::string text;
    if (name == nullptr || name->kind != NodeKind::string || !interpolate(name->text, scope, text).error.empty())
      return "";
    return text.empty() ? "" : part.prefix + text;
  };
  if (bodies != nullptr)
    for (const Node& item : bodies->items) {
      const Node* points = item.find("frames");
      if (points == nullptr && !needs_bodies) continue;
      const std::string name = name_of(item);
      if (name.empty()) continue;
      frames_.add_body(name, item, scope, part);
      if (points != nullptr)
        for (const Entry& point : points->entries) frames_.add_point(name, point.key, point.value, scope, part);
    }
  if (frames == nullptr) return;
  for (const Node& item : frames->items)
    if (const std::string name = name_of(item); !name.empty()) frames_.add(name, item, scope, part);
}

bool Expansion::includes_itself(const Fields& fields, const Node& file, const Part& part) const {
  for (const Part* ancestor = part.parent; ancestor != nullptr; ancestor = ancestor->parent) {
    if (std::filesystem::path(ancestor->file).lexically_normal() != std::filesystem::path(part.file)) continue;
    std::string chain = part.file;
    for (const Part* p = part.parent; p != ancestor->parent; p = p->parent) chain = p->file + " includes " + chain;
    fields.report(file, "a file cannot include itself: " + chain);
    return true;
  }
  return false;
}

// The tree of the part's file, read once; nullptr: it cannot be.
const Node* Expansion::open_part(const Fields& fields, const Node& file, Part& part, const UrdfOptions& options) {
  std::string opened = part.file;
  if (options.floating) opened += "\nfloating";
  for (const std::filesystem::path& package : options.packages) opened += "\n" + package.string();
  const auto known = included_.find(opened);
  if (known != included_.end()) return known->second;
  std::string text;
  if (const std::string trouble = read_source(part.file, text); !trouble.empty()) {
    fields.report(file, fmt::format("the file '{}' cannot be read: {}", part.file, trouble));
    return nullptr;
  }
  const int id = findings_.add_file(part.file);
  Node made;
  if (is_urdf(part.file)) {
    if (const std::string obstacle = find_xml_obstacle(); !obstacle.empty()) {
      fields.report(file, fmt::format("the file '{}' cannot be read: {}", part.file, obstacle));
      return nullptr;
    }
    UrdfModel robot = read_urdf(text, part.file, id, part.folder, options, part.folder);
    made = std::move(robot.tree);
    if (const std::string losses = describe_losses(robot.notes, part.file); !losses.empty()) ReadingNotes::add(losses);
  } else {
    made = parse_toml(text, part.file, id);
  }
  const Node* tree = &trees_.emplace_back(std::move(made));
  check_format(findings_, *tree);
  included_[opened] = tree;
  const Scope none;
  Fields root(findings_, *tree, none, part, "included model", tables_.find(""));
  // What a file needs to run on its own does not concern the model that includes it.
  for (const std::string& key : tables_.find("")->names()) root.ignore(key);
  root.finish();
  return tree;
}

std::map<std::string, Quantity> Expansion::given_parameters(const Fields& fields, const Node* given, const Node& tree,
                                                            const Part& part) {
  std::map<std::string, Quantity> values;
  if (given == nullptr) return values;
  if (given->kind != NodeKind::table) fields.report_type(*given, "parameters", "a table { ... }");
  std::vector<std::string> names;
  if (const Node* declared = tree.find("parameters"))
    for (const Entry& entry : declared->entries) names.push_back(entry.key);
  for (const Entry& entry : given->entries) {
    Quantity& value = values[entry.key];
    if (entry.value.kind == NodeKind::array && entry.value.items.size() == 3) {
      value.is_vector = true;
      for (int i = 0; i < 3; ++i) {
        const auto part_of_it = fields.quantity_of(entry.value.items[static_cast<std::size_t>(i)], entry.key);
        if (!part_of_it) continue;
        value.value[i] = part_of_it->number();
        value.has_unit |= part_of_it->has_unit;
        if (part_of_it->dimension) value.dimension = part_of_it->dimension;
      }
    } else {
      value = fields.quantity_of(entry.value, entry.key).value_or(Quantity::bare(1.0));
    }
    if (std::find(names.begin(), names.end(), entry.key) != names.end()) continue;
    const std::string near = did_you_mean(entry.key, names);
    findings_.add(entry.place, fmt::format("include: '{}' has no parameter '{}'{} It has {}", part.file, entry.key,
                                           near.empty() ? "." : near, join_quoted(names)));
  }
  return values;
}

void Expansion::connect(const Fields& fields, const Node* given, const Node& tree, Part& part) {
  const Node* declared = tree.find("ports");
  std::map<std::string, std::string> kinds;
  if (declared != nullptr && declared->kind == NodeKind::table)
    for (const Entry& entry : declared->entries) {
      const bool known = entry.value.kind == NodeKind::string &&
                         std::any_of(std::begin(port_kinds), std::end(port_kinds),
                                     [&](const PortKind& kind) { return kind.name == entry.value.text; });
      if (!known)
        findings_.add(entry.value.place, fmt::format("ports: '{}' is {}; a port is a 'body', a 'frame' or a 'joint'",
                                                     entry.key, describe(entry.value)));
      kinds[entry.key] = known ? entry.value.text : "";
    }
  else if (declared != nullptr)
    findings_.add(declared->place, "included model: 'ports' must be a table { name = \"frame\" }");
  std::vector<std::string> names;
  for (const auto& [name, kind] : kinds) names.push_back(name);
  if (given != nullptr && given->kind != NodeKind::table) {
    fields.report_type(*given, "ports", "a table { port = \"name\" }");
    given = nullptr;
  }
  if (given != nullptr)
    for (const Entry& entry : given->entries) {
      if (kinds.count(entry.key) == 0) {
        const std::string near = did_you_mean(entry.key, names);
        findings_.add(entry.place, fmt::format("include: '{}' has no port '{}'{} It has {}", part.file, entry.key,
                                               near.empty() ? "." : near, names.empty() ? "none" : join_quoted(names)));
        continue;
      }
      if (entry.value.kind == NodeKind::array && kinds[entry.key] == "frame") {  // a point of the ground
        const std::string name = part.prefix + entry.key;
        frames_.add_point(ground_name, name, entry.value, fields.scope(), fields.part());
        part.ports[entry.key] = ground_name + ("." + name);
        continue;
      }
      part.ports[entry.key] = fields.text_of(entry.value, entry.key);
      connections_.push_back({entry.value.place, entry.key, kinds[entry.key], part.ports[entry.key], &part});
    }
  for (const auto& [name, kind] : kinds)
    if (part.ports.count(name) == 0) {
      fields.report(
          fmt::format("the port '{}' of '{}' is not connected; write ports = {{ {} = \"…\" }} with the name "
                      "of a {}",
                      name, part.file, name, kind.empty() ? "thing" : kind));
      stand_in(name, kind, part);
    }
}

// Said once is enough: what a port that is not connected is taken for, so that nothing inside the part complains.
void Expansion::stand_in(const std::string& port, const std::string& kind, Part& part) {
  static const Node origin = [] {
    Node node, zero;
    node.kind = NodeKind::array, zero.kind = NodeKind::real;
    node.items.assign(3, zero);
    return node;
  }();
  part.ports[port] = ground_name;
  if (kind == "body") return;
  const std::string name = part.prefix + port;
  part.ports[port] = kind == "frame" ? ground_name + ("." + name) : name;
  if (kind == "frame")
    frames_.add_point(ground_name, name, origin, scope(), this->part());
  else
    findings_.add_broken(name, {});
}

void Expansion::check_ports() {
  if (connections_.empty() || !complete_) return;
  std::unordered_map<std::string, std::string> kinds;
  for (const Instance& instance : instances_) kinds.try_emplace(instance.name, instance.kind);
  kinds[ground_name] = "body";
  for (const Connection& at : connections_) {
    const std::string name = at.part->full_name(at.port);
    const std::optional<DrawnFrame> frame = frames_.find(*at.part, at.port);
    const auto it = kinds.find(name);
    std::string found = frame ? "frame" : it != kinds.end() ? it->second : "";
    const bool may_be_node = name.find_last_not_of("0123456789") + 1 < name.size();  // of a beam
    if (found == at.kind || at.kind.empty() || (found.empty() && may_be_node && at.kind == "body")) continue;
    const auto place = findings_.where(at.place);
    if (found.empty()) {
      std::vector<std::string> names;
      for (const auto& [other, kind] : kinds)
        if (kind == at.kind) names.push_back(other);
      findings_.add(at.place, fmt::format("include: the port '{}' of '{}' needs a {}, and there is no '{}'{}", at.port,
                                          at.part->file, at.kind, at.given, did_you_mean(at.given, names)));
    } else {
      findings_.add(at.place,
                    fmt::format("include: the port '{}' of '{}' needs a {}, but '{}' is a {}{}", at.port, at.part->file,
                                at.kind, at.given, found, frame ? fmt::format(" on the body '{}'", frame->body) : ""));
    }
    stand_in(at.port, at.kind, *at.part);
  }
}

// What only a robot's file has a meaning for.
UrdfOptions Expansion::read_urdf_options(Fields& fields, const Part& outer, bool urdf) {
  static const Choices<bool> bases{{"fixed", false}, {"floating", true}};
  UrdfOptions options;
  for (const char* key : {"base", "packages"})
    if (const Node* node = fields.get(key); node != nullptr && !urdf)
      fields.report(*node, fmt::format("'{}' has a meaning for URDF files (.urdf) alone", key));
  options.floating = fields.choice("base", bases, false);
  const Node* packages = fields.get("packages");
  if (packages != nullptr && packages->kind != NodeKind::array)
    fields.report_type(*packages, "packages", "a list of folders such as [\"../robots\"]");
  else if (packages != nullptr)
    for (const Node& item : packages->items)
      options.packages.push_back(outer.folder / fields.text_of(item, "packages"));
  return options;
}

void Expansion::include(const Node& node, const Scope& scope, Part& outer) {
  static const Choices<int> mirrors{{"x", 0}, {"y", 1}, {"z", 2}};
  Fields fields(findings_, node, scope, outer, "include", tables_.find("include"));
  const Node* file_node = fields.get("file");
  const std::string prefix = fields.text("prefix", "");
  const Eigen::Vector3d at = fields.vector("at", Eigen::Vector3d::Zero());
  const Eigen::Matrix3d rotation = read_orientation(fields);
  const int mirror = fields.choice("mirror", mirrors, -1);
  const Node* parameters_node = fields.get("parameters");
  const Node* ports_node = fields.get("ports");
  const std::string file = file_node == nullptr ? "" : fields.text_of(*file_node, "file");
  const UrdfOptions urdf = read_urdf_options(fields, outer, is_urdf(file));
  fields.finish();
  const bool so_far = complete_;
  complete_ = false;  // until it is included
  if (file.empty()) return;

  int depth = 0;
  for (const Part* ancestor = &outer; ancestor != nullptr; ancestor = ancestor->parent) ++depth;
  if (depth > deepest_include) {
    fields.report(*file_node, fmt::format("files include each other more than {} deep", deepest_include));
    return;
  }
  if (!allows(1.0, fields, *file_node)) return;
  Part& part = parts_.emplace_back();
  part.parent = &outer;
  const std::filesystem::path path = outer.folder / file;
  part.file = path.lexically_normal().string();
  part.folder = path.parent_path();
  part.prefix = outer.prefix + prefix;
  part.frames = &frames_;
  // x ↦ p + R B x with B = B_outer S: p + R B = p_o + R_o B_o (at + R_i S x), where S has the mirror's sign.
  const Eigen::Matrix3d B_outer = outer.mirror.asDiagonal();
  part.mirror = outer.mirror;
  if (mirror >= 0) part.mirror[mirror] = -part.mirror[mirror];
  part.rotation = outer.is_mirrored() ? Eigen::Matrix3d(outer.rotation * B_outer * rotation * B_outer)
                                      : Eigen::Matrix3d(outer.rotation * rotation);
  part.position = outer.position + outer.rotation * (B_outer * at);
  if (includes_itself(fields, *file_node, part)) return;
  const Node* tree = open_part(fields, *file_node, part, urdf);
  if (tree == nullptr) return;
  read_units(*tree, part);
  const std::map<std::string, Quantity> given = given_parameters(fields, parameters_node, *tree, part);
  connect(fields, ports_node, *tree, part);
  Scope& inner = scopes_.emplace_back(&scope, true);
  add_constants(*tree, given, scope, part, inner);
  complete_ = so_far;
  expand(*tree, inner, part, "included model");
}

}  // namespace trammel::detail
