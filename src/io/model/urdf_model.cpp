// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "entities.h"
#include "parameters.h"
#include "toml_text.h"
#include "trammel/base/text.h"
#include "urdf_tree.h"

/// A robot as the tree of a model file, as if somebody had written it in TOML: there is one reader of models.
namespace trammel::detail {

namespace {

constexpr std::string_view stop_frequency = "stop_frequency", stop_damping = "stop_damping",
                           friction_rate = "friction_rate";

// Names of a model are different for all things; URDF's links, joints and transmissions have names of their own each.
class Names {
 public:
  Names() : used_{std::string(stop_frequency), std::string(stop_damping), std::string(friction_rate)} {}

  /// `name`, or one like it that is free and allowed.
  std::string make(const std::string& name, std::string_view suffix) {
    std::string word = name.empty() ? std::string(suffix.substr(suffix.starts_with('_') ? 1 : 0)) : name;
    for (char& c : word)
      if (std::string_view("./'\"{}\\").find(c) != std::string_view::npos || static_cast<unsigned char>(c) < ' ')
        c = '_';
    if (is_reserved(word) || used_.count(word) > 0) word += suffix;
    std::string free = word;
    for (int i = 2; used_.count(free) > 0; ++i) free = fmt::format("{}_{}", word, i);
    used_.insert(free);
    return free;
  }

 private:
  std::set<std::string> used_;
};

class ModelWriter {
 public:
  ModelWriter(const UrdfRobot& robot, const UrdfTree& tree, int file, bool floating, UrdfReport& report)
      : robot_(robot),
        tree_(tree),
        file_(file),
        floating_(floating),
        report_(report),
        moved_(calc_moved_inertias(robot, tree)) {}

  UrdfModel write(const std::filesystem::path& folder, const UrdfOptions& options,
                  const std::filesystem::path& relative_to) {
    name_everything();
    add_head();
    for (std::size_t i = 0; i < robot_.links.size(); ++i) add_link(i);
    add_base();
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) add_joint(i);
    for (const UrdfTransmission& transmission : robot_.transmissions) add_transmission(transmission);
    for (std::size_t i = 0; i < robot_.links.size(); ++i)
      for (const UrdfShape& shape : robot_.links[i].shapes) add_shape(i, shape, folder, options.packages, relative_to);
    model_.tree = root_.take();
    return std::move(model_);
  }

 private:
  using Table = TableBuilder;

  Table table(int line) const { return Table({file_, line, 1}); }

  void name_everything() {
    const auto name = [&](const std::string& given, std::string_view suffix, int line, const char* what) {
      std::string made = names_.make(given, suffix);
      if (made != given)
        report_.note(UrdfFate::changed, line, what,
                     fmt::format("'{}' is called '{}' here: names of a model are different for all things, without . / "
                                 "' \" {{ }} \\",
                                 given, made));
      return made;
    };
    for (const UrdfLink& link : robot_.links) links_.push_back(name(link.name, "_link", link.line, "link"));
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) {
      const UrdfJoint& joint = robot_.joints[i];
      joints_.push_back(name(joint.name, "_joint", joint.line, "joint"));
      joint_index_.try_emplace(joint.name, i);
    }
  }

  std::string body_of(std::size_t link) const {
    const int body = tree_.body[link];
    return body < 0 ? std::string(ground_name) : links_[static_cast<std::size_t>(body)];
  }

  void add_head() {
    root_ = Table({file_, robot_.line, 1});
    if (!robot_.name.empty()) root_.text("title", title());
    // Stops of URDF are rigid; here they are springs by which what a joint moves would swing at this frequency.
    root_.table("parameters", Table({file_, robot_.line, 1})
                                  .number(std::string(stop_frequency), 20.0)
                                  .number(std::string(stop_damping), 0.5)
                                  .number(std::string(friction_rate), 0.01));
  }

  // Braces in texts of a model are filled in.
  std::string title() const {
    std::string text = robot_.name;
    for (char& c : text) c = c == '{' ? '(' : c == '}' ? ')' : c;
    return text;
  }

  void add_link(std::size_t i) {
    const UrdfLink& link = robot_.links[i];
    const Eigen::Isometry3d& pose = tree_.pose[i];
    if (tree_.body[i] != static_cast<int>(i)) {
      ++model_.n_frames;
      root_.item("frame", table(link.line).text("name", links_[i]).text("body", body_of(i)).pose(pose));
      return;
    }
    ++model_.n_bodies;
    model_.mass += link.mass;
    const Eigen::Matrix3d& J = link.inertia;
    Table body = table(link.line);
    body.text("name", links_[i]);
    body.at(link.mass_line).number("mass", link.mass);
    body.at(link.inertia_line);
    if (J(0, 1) == 0.0 && J(0, 2) == 0.0 && J(1, 2) == 0.0)
      body.numbers("inertia", {J(0, 0), J(1, 1), J(2, 2)});
    else
      body.numbers("inertia", {J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2)});
    if (!link.center.isZero(0.0)) body.vector("center_of_mass", link.center);
    body.at(link.line).pose(pose);
    root_.item("body", std::move(body));
  }

  void add_base() {
    const std::size_t root = static_cast<std::size_t>(tree_.root);
    const UrdfLink& link = robot_.links[root];
    if (tree_.body[root] < 0 || floating_) return;
    ++model_.n_joints;
    const std::string name = names_.make(link.name + "_base", "_joint");
    report_.note(
        UrdfFate::changed, link.line, "link",
        fmt::format("'{}' is the root: the joint '{}' fixes it to the ground (base = \"floating\" leaves it free)",
                    link.name, name));
    root_.item("joint", table(link.line)
                            .text("name", name)
                            .text("kind", "fixed")
                            .texts("bodies", {ground_name, body_of(root)})
                            .vector("point", tree_.pose[root].translation()));
  }

  void add_joint(std::size_t i) {
    const UrdfJoint& joint = robot_.joints[i];
    const std::size_t child = static_cast<std::size_t>(tree_.child[i]),
                      parent = static_cast<std::size_t>(tree_.parent[i]);
    note_without_coordinate(joint);
    if (joint.type == "floating" || tree_.body[child] == tree_.body[parent]) return;
    ++model_.n_joints;
    Table made = table(joint.line);
    made.text("name", joints_[i]).text("kind", joint.type == "continuous" ? "revolute" : joint.type);
    made.texts("bodies", {body_of(parent), body_of(child)}).vector("point", tree_.pose[child].translation());
    if (joint.type != "fixed")
      made.at(joint.axis_line).vector("axis", (tree_.pose[child].linear() * joint.axis).normalized());
    root_.item("joint", std::move(made));
    add_limit(i);
    add_dynamics(i);
    add_mimic(i);
  }

  // Limits, damping and mimics of joints with none or several freedoms.
  void note_without_coordinate(const UrdfJoint& joint) {
    if (joint.has_coordinate()) return;
    const auto lost = [&](int line, const char* element, const std::string& what) {
      report_.note(UrdfFate::left_out, line, element,
                   fmt::format("joint '{}' is {}: {}", joint.name, joint.type, what));
    };
    if (joint.limit) lost(joint.limit->line, "limit", "there is no one coordinate to be bounded");
    if (joint.damping > 0.0 || joint.friction > 0.0)
      lost(joint.dynamics_line, "dynamics", "there is no one coordinate to be damped (a bushing can do it)");
    if (joint.mimic)
      report_.refuse(joint.mimic->line,
                     fmt::format("joint '{}' is {} and cannot mimic another one", joint.name, joint.type));
  }

  void add_limit(std::size_t i) {
    const UrdfJoint& joint = robot_.joints[i];
    if (!joint.has_coordinate()) return;
    if (!joint.limit) {
      if (joint.type != "continuous")
        report_.note(UrdfFate::changed, joint.line, "joint",
                     fmt::format("'{}' is {} without <limit>: it moves without stops", joint.name, joint.type));
      return;
    }
    const UrdfLimit& limit = *joint.limit;
    if (limit.velocity)
      report_.note(UrdfFate::left_out, limit.line, "limit",
                   fmt::format("joint '{}': velocity {} is a bound of its controller", joint.name, *limit.velocity));
    const bool driven = std::any_of(robot_.transmissions.begin(), robot_.transmissions.end(),
                                    [&](const UrdfTransmission& other) { return other.joint == joint.name; });
    if (limit.effort && !driven)
      report_.note(UrdfFate::left_out, limit.line, "limit",
                   fmt::format("joint '{}': effort {} bounds an actuator, and no <transmission> drives it", joint.name,
                               *limit.effort));
    if (joint.type == "continuous") {
      if (limit.lower || limit.upper)
        report_.note(UrdfFate::left_out, limit.line, "limit",
                     fmt::format("joint '{}' is continuous: it has no stops", joint.name));
      return;
    }
    add_stops(i, limit);
  }

  void add_stops(std::size_t i, const UrdfLimit& limit) {
    const UrdfJoint& joint = robot_.joints[i];
    const double lower = limit.lower.value_or(0.0), upper = limit.upper.value_or(0.0);
    if (lower > upper)
      return report_.refuse(limit.line, fmt::format("joint '{}': its lower limit {} is above the upper one {}",
                                                    joint.name, lower, upper));
    std::string beside;
    if (!limit.lower || !limit.upper) beside = "; what is not given is 0";
    if (lower > 0.0 || upper < 0.0) beside += "; it is drawn at 0, outside of them, and pushed back";
    report_.note(UrdfFate::changed, limit.line, "limit",
                 fmt::format("joint '{}': stops at {} and {} are springs, as stiff as {} and {} say{}", joint.name,
                             lower, upper, stop_frequency, stop_damping, beside));
    const double moved = moved_[i];
    Table force = table(limit.line);
    force.text("name", names_.make(joints_[i] + "_stops", "_force"))
        .text("kind", "joint_limit")
        .text("joint", joints_[i]);
    force.number("lower", lower).number("upper", upper);
    force.text("stiffness", fmt::format("{}*(2*pi*{})^2", moved, stop_frequency));
    force.text("damping", fmt::format("{}*4*pi*{}*{}", moved, stop_damping, stop_frequency));
    root_.item("force", std::move(force));
  }

  void add_dynamics(std::size_t i) {
    const UrdfJoint& joint = robot_.joints[i];
    if (!joint.has_coordinate()) return;
    if (joint.damping > 0.0)
      root_.item("force", table(joint.dynamics_line)
                              .text("name", names_.make(joints_[i] + "_damping", "_force"))
                              .text("kind", "joint_spring")
                              .text("joint", joints_[i])
                              .number("damping", joint.damping));
    if (joint.friction > 0.0) {
      report_.note(UrdfFate::changed, joint.dynamics_line, "dynamics",
                   fmt::format("joint '{}': its friction {} grows with the rate v as tanh(v/{})", joint.name,
                               joint.friction, friction_rate));
      root_.item("force", table(joint.dynamics_line)
                              .text("name", names_.make(joints_[i] + "_friction", "_force"))
                              .text("kind", "joint_spring")
                              .text("joint", joints_[i])
                              .text("law", fmt::format("-{}*tanh(rate/{})", joint.friction, friction_rate)));
    }
  }

  const UrdfJoint* find_driver(const std::string& name, const std::string& what, int line) {
    const auto it = joint_index_.find(name);
    std::vector<std::string> names;
    for (const UrdfJoint& joint : robot_.joints)
      if (names.size() < 1000) names.push_back(joint.name);
    if (it == joint_index_.end()) {
      if (!name.empty())
        report_.refuse(line, fmt::format("{}: there is no joint '{}'{}", what, name, did_you_mean(name, names)));
      return nullptr;
    }
    const UrdfJoint& joint = robot_.joints[it->second];
    if (joint.has_coordinate()) return &joint;
    report_.refuse(line, fmt::format("{}: the joint '{}' is {} and has no one coordinate", what, name, joint.type));
    return nullptr;
  }

  void add_mimic(std::size_t i) {
    const UrdfJoint& joint = robot_.joints[i];
    if (!joint.mimic || !joint.has_coordinate()) return;
    const UrdfMimic& mimic = *joint.mimic;
    const std::string what = fmt::format("joint '{}'", joint.name);
    if (mimic.joint == joint.name) return report_.refuse(mimic.line, what + " mimics itself");
    if (find_driver(mimic.joint, what, mimic.line) == nullptr) return;
    if (mimics_in_circle(joint)) return report_.refuse(mimic.line, what + " mimics a joint that mimics it");
    if (mimic.offset != 0.0)
      report_.note(UrdfFate::changed, mimic.line, "mimic",
                   fmt::format("joint '{}' is drawn at 0; the start is assembled so that it fits its offset {}",
                               joint.name, mimic.offset));
    Table coupler = table(mimic.line);
    coupler.text("name", names_.make(joints_[i] + "_mimic", "_coupler"));
    coupler.texts("joints", {joints_[i], joints_[joint_index_.at(mimic.joint)]})
        .numbers("factors", {1.0, -mimic.multiplier});
    if (mimic.offset != 0.0) coupler.text("value", fmt::format("{}", mimic.offset));
    root_.item("coupler", std::move(coupler));
  }

  bool mimics_in_circle(const UrdfJoint& joint) const {
    const UrdfJoint* at = &joint;
    for (std::size_t steps = 0; steps <= robot_.joints.size(); ++steps) {
      if (!at->mimic) return false;
      const auto it = joint_index_.find(at->mimic->joint);
      if (it == joint_index_.end()) return false;
      at = &robot_.joints[it->second];
      if (at == &joint) return true;
    }
    return false;  // a circle further up: said there
  }

  void add_transmission(const UrdfTransmission& transmission) {
    const UrdfJoint* joint =
        find_driver(transmission.joint, fmt::format("transmission '{}'", transmission.name), transmission.joint_line);
    if (joint == nullptr) return;
    const std::string input = names_.make(transmission.actuator, "_input"),
                      name = names_.make(transmission.name, "_transmission");
    const std::string unit = joint->turns() ? "N m" : "N";
    report_.note(
        UrdfFate::changed, transmission.line, "transmission",
        fmt::format("'{}': the input '{}' [{}] is the effort of its actuator; {} times it acts on the joint '{}'{}",
                    name, input, unit, transmission.reduction, joint->name,
                    joint->limit && joint->limit->effort.value_or(0.0) > 0.0
                        ? fmt::format(", at most {}", *joint->limit->effort)
                        : ""));
    root_.item("input", table(transmission.line).text("name", input).text("unit", unit));
    Table actuator = table(transmission.line);
    actuator.text("name", name).text("kind", "force").text("joint", joints_[joint_index_.at(joint->name)]);
    actuator.text("effort", fmt::format("{}*{}", transmission.reduction, quoted_name(input)));
    if (joint->limit && joint->limit->effort.value_or(0.0) > 0.0) actuator.number("limit", *joint->limit->effort);
    root_.item("actuator", std::move(actuator));
  }

  void add_shape(std::size_t i, const UrdfShape& shape, const std::filesystem::path& folder,
                 const std::vector<std::filesystem::path>& packages, const std::filesystem::path& relative_to) {
    const UrdfLink& link = robot_.links[i];
    Table geometry = table(shape.line);
    if (!shape.drawn || !shape.name.empty())
      geometry.text("name", names_.make(shape.name.empty() ? links_[i] + "_collision" : shape.name,
                                        shape.drawn ? "_visual" : "_collision"));
    geometry.text("body", body_of(i)).text("kind", shape.kind);
    if (shape.kind == "mesh") {
      const UrdfMesh mesh = find_urdf_mesh(shape.file, folder, packages, relative_to);
      if (!mesh.refused.empty())
        return report_.refuse(shape.line, fmt::format("link '{}': {}", link.name, mesh.refused));
      if (mesh.file.empty())
        return report_.note(UrdfFate::left_out, shape.line, "mesh",
                            fmt::format("link '{}': {}", link.name, mesh.left_out));
      geometry.text("file", mesh.file);
      if (shape.scale != 1.0) geometry.number("scale", shape.scale);
    } else if (shape.kind == "box") {
      geometry.vector("size", shape.size);
    } else {
      geometry.number("radius", shape.radius);
      if (shape.kind != "sphere") geometry.number("length", shape.length);
    }
    // From the link to the body that carries it; the ground's axes are those of the drawing.
    const int body = tree_.body[i];
    const Eigen::Isometry3d from_body = body == static_cast<int>(i) ? Eigen::Isometry3d::Identity()
                                        : body < 0
                                            ? tree_.pose[i]
                                            : tree_.pose[static_cast<std::size_t>(body)].inverse() * tree_.pose[i];
    geometry.pose(from_body * shape.pose);
    if (shape.drawn)
      add_color(shape, geometry);
    else
      add_collision(link, geometry);
    root_.item("geometry", std::move(geometry));
  }

  void add_color(const UrdfShape& shape, Table& geometry) {
    std::optional<Eigen::Vector4d> color = shape.color;
    const auto named = robot_.materials.find(shape.material);
    if (!color && named != robot_.materials.end()) color = named->second;
    if (!color) {
      if (!shape.material.empty())
        report_.note(UrdfFate::left_out, shape.line, "material",
                     fmt::format("'{}' has no colour that is said anywhere", shape.material));
      return;
    }
    const auto byte = [&](int k) { return static_cast<int>(std::lround(255.0 * (*color)[k])); };
    geometry.text("color", fmt::format("#{:02x}{:02x}{:02x}", byte(0), byte(1), byte(2)));
    if ((*color)[3] < 1.0) geometry.number("opacity", (*color)[3]);
  }

  // It can be touched; where the link has other pictures it is not seen.
  void add_collision(const UrdfLink& link, Table& geometry) {
    geometry.text("group", "collision");
    const bool has_pictures =
        std::any_of(link.shapes.begin(), link.shapes.end(), [](const UrdfShape& other) { return other.drawn; });
    if (has_pictures) geometry.number("opacity", 0.0);
  }

  const UrdfRobot& robot_;
  const UrdfTree& tree_;
  int file_;
  bool floating_;
  UrdfReport& report_;
  std::vector<double> moved_;
  Names names_;
  std::vector<std::string> links_, joints_;
  std::unordered_map<std::string, std::size_t> joint_index_;
  Table root_{{0, 1, 1}};
  UrdfModel model_;
};

}  // namespace

UrdfModel read_urdf(const std::string& text, const std::string& name, int file, const std::filesystem::path& folder,
                    const UrdfOptions& options, const std::filesystem::path& relative_to) {
  const XmlElement root = parse_xml(text, name);
  UrdfReport report(name);
  const UrdfRobot robot = read_urdf_elements(root, report);
  const UrdfTree tree = make_urdf_tree(robot, options.floating, report);
  UrdfModel model = ModelWriter(robot, tree, file, options.floating, report).write(folder, options, relative_to);
  report.throw_refused();
  model.notes = report.take_notes();
  return model;
}

}  // namespace trammel::detail
