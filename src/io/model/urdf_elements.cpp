// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "trammel/base/text.h"
#include "urdf_robot.h"

/// The elements of URDF one by one. What is taken is marked in the tree of the text; what is left unmarked is told.
namespace trammel::detail {

namespace {

constexpr std::size_t most_told = 200;  // issues and notes of one kind beyond this are counted

class ElementReader {
 public:
  explicit ElementReader(UrdfReport& report) : report_(report) {}

  // Exactly one child of this name; several: refused at the second.
  const XmlElement* only(const XmlElement& element, const char* name) {
    const XmlElement* found = nullptr;
    for (const XmlElement& child : element.children) {
      if (child.name != name) continue;
      if (found != nullptr)
        report_.refuse(child.line, fmt::format("<{}> has a second <{}>", element.name, name));
      else
        take(child), found = &child;
    }
    return found;
  }
  void take(const XmlElement& element) {
    element.taken = true;
    report_.note(UrdfFate::taken, element.line, element.name);
  }
  std::string text(const XmlElement& element, const char* key, bool required = true) {
    const std::string* value = element.attribute(key);
    if (value != nullptr && !value->empty()) return *value;
    if (required)
      report_.refuse(element.line,
                     fmt::format("<{}> has no '{}'{}", element.name, key, value == nullptr ? "" : ": it is empty"));
    return "";
  }
  bool numbers(const XmlElement& element, const char* key, int n, double* values) {
    const std::string* value = element.attribute(key);
    if (value == nullptr) return false;
    if (read_plain_numbers(*value, n, values)) return true;
    const bool macro = value->find("${") != value->npos;
    report_.refuse(
        element.line,
        fmt::format("<{}>: '{}' is '{}', which is not {}{}", element.name, key, shortened(*value),
                    n == 1 ? std::string("a finite number") : fmt::format("{} finite numbers", n),
                    macro ? "; this is a xacro file: expand it first (xacro robot.xacro > robot.urdf)" : ""));
    return false;
  }
  std::optional<double> number(const XmlElement& element, const char* key) {
    double value = 0.0;
    if (!numbers(element, key, 1, &value)) return std::nullopt;
    return value;
  }
  double required_number(const XmlElement& element, const char* key) {
    if (element.attribute(key) == nullptr)
      report_.refuse(element.line, fmt::format("<{}> has no '{}'", element.name, key));
    return number(element, key).value_or(1.0);
  }
  double positive(const XmlElement& element, const char* key) {
    const double value = required_number(element, key);
    if (value > 0.0) return value;
    report_.refuse(element.line, fmt::format("<{}>: '{}' is {} but must be > 0", element.name, key, value));
    return 1.0;
  }
  // rpy: R = Rz(yaw) Ry(pitch) Rx(roll), turns about fixed axes.
  Eigen::Isometry3d origin(const XmlElement& element) {
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    const XmlElement* origin = only(element, "origin");
    if (origin == nullptr) return pose;
    Eigen::Vector3d xyz = Eigen::Vector3d::Zero(), rpy = Eigen::Vector3d::Zero();
    numbers(*origin, "xyz", 3, xyz.data());
    if (numbers(*origin, "rpy", 3, rpy.data())) {
      using Turn = Eigen::AngleAxisd;
      pose.linear() = (Turn(rpy.z(), Eigen::Vector3d::UnitZ()) * Turn(rpy.y(), Eigen::Vector3d::UnitY()) *
                       Turn(rpy.x(), Eigen::Vector3d::UnitX()))
                          .toRotationMatrix();
    }
    pose.translation() = xyz;
    return pose;
  }
  static std::string shortened(const std::string& text) { return text.size() <= 40 ? text : text.substr(0, 40) + "…"; }
  UrdfReport& report() { return report_; }

 private:
  UrdfReport& report_;
};

void read_inertial(ElementReader& reader, const XmlElement& element, UrdfLink& link) {
  const XmlElement* inertial = reader.only(element, "inertial");
  if (inertial == nullptr) return;
  link.mass_line = link.inertia_line = inertial->line;
  const Eigen::Isometry3d pose = reader.origin(*inertial);
  const XmlElement* mass = reader.only(*inertial, "mass");
  const XmlElement* inertia = reader.only(*inertial, "inertia");
  if (mass == nullptr || inertia == nullptr)
    return reader.report().refuse(inertial->line, fmt::format("link '{}': its <inertial> has no <{}>", link.name,
                                                              mass == nullptr ? "mass" : "inertia"));
  link.mass_line = mass->line, link.inertia_line = inertia->line;
  link.mass = reader.required_number(*mass, "value");
  Eigen::Matrix3d J;
  const char* keys[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
  const int rows[] = {0, 0, 0, 1, 1, 2}, columns[] = {0, 1, 2, 1, 2, 2};
  for (int i = 0; i < 6; ++i) {
    const bool diagonal = rows[i] == columns[i];
    const double value =
        diagonal ? reader.required_number(*inertia, keys[i]) : reader.number(*inertia, keys[i]).value_or(0.0);
    J(rows[i], columns[i]) = J(columns[i], rows[i]) = value;
  }
  link.center = pose.translation();
  link.inertia = pose.linear() * J * pose.linear().transpose();
  link.inertia = (0.5 * (link.inertia + link.inertia.transpose())).eval();
  if (link.mass == 0.0 && J.isZero(0.0)) {
    reader.report().note(UrdfFate::changed, inertial->line, "inertial",
                         fmt::format("link '{}': mass and inertia are zero, as without <inertial>", link.name));
    return;
  }
  link.has_inertia = true;
  if (link.mass < 0.0 || link.mass == 0.0)
    reader.report().refuse(mass->line,
                           fmt::format("link '{}': its mass is {} kg but must be > 0", link.name, link.mass));
}

void read_material(ElementReader& reader, const XmlElement& element, UrdfShape* shape, UrdfRobot& robot) {
  const std::string name = reader.text(element, "name", shape == nullptr);
  std::optional<Eigen::Vector4d> color;
  if (const XmlElement* at = reader.only(element, "color")) {
    Eigen::Vector4d rgba;
    if (at->attribute("rgba") == nullptr) reader.report().refuse(at->line, "<color> has no 'rgba'");
    if (reader.numbers(*at, "rgba", 4, rgba.data())) color = rgba.cwiseMax(0.0).cwiseMin(1.0);
    if (color && *color != rgba)
      reader.report().note(UrdfFate::changed, at->line, "color", "numbers outside 0 … 1 are cut to it");
  }
  if (const XmlElement* texture = reader.only(element, "texture")) {
    texture->attribute("filename");
    reader.report().note(UrdfFate::left_out, texture->line, "texture", "surfaces have colours and no pictures");
  }
  if (shape != nullptr) shape->color = color, shape->material = name;
  if (color && !name.empty()) robot.materials.try_emplace(name, *color);
}

// False: nothing stands for it.
bool read_mesh_shape(ElementReader& reader, const XmlElement& element, UrdfShape& shape) {
  shape.file = reader.text(element, "filename");
  Eigen::Vector3d scale = Eigen::Vector3d::Ones();
  reader.numbers(element, "scale", 3, scale.data());
  shape.scale = scale.x();
  if (scale.x() > 0.0 && scale == Eigen::Vector3d::Constant(scale.x())) return !shape.file.empty();
  reader.report().note(UrdfFate::left_out, element.line, "mesh",
                       fmt::format("'{}' is not drawn: its scale {} {} {} is not one number > 0", shape.file, scale.x(),
                                   scale.y(), scale.z()));
  return false;
}

bool read_geometry_of(ElementReader& reader, const XmlElement& element, UrdfShape& shape) {
  const XmlElement* geometry = reader.only(element, "geometry");
  if (geometry == nullptr) {
    reader.report().refuse(element.line, fmt::format("<{}> has no <geometry>", element.name));
    return false;
  }
  static const std::vector<std::string> shapes{"box", "cylinder", "sphere", "capsule", "mesh"};
  const XmlElement* at = nullptr;
  for (const XmlElement& child : geometry->children)
    if (std::find(shapes.begin(), shapes.end(), child.name) != shapes.end()) {
      if (at != nullptr) reader.report().refuse(child.line, "<geometry> has a second shape");
      at = &child;
    }
  if (at == nullptr) {
    if (geometry->children.empty())
      reader.report().refuse(geometry->line, "<geometry> has no shape in it; known are " + join_quoted(shapes));
    return false;  // a shape that nobody knows is told as any other element
  }
  reader.take(*at);
  shape.kind = at->name;
  if (at->name == "mesh") return read_mesh_shape(reader, *at, shape);
  if (at->name == "box") {
    if (at->attribute("size") == nullptr) reader.report().refuse(at->line, "<box> has no 'size'");
    if (reader.numbers(*at, "size", 3, shape.size.data()) && !(shape.size.minCoeff() > 0.0)) {
      reader.report().refuse(at->line, "<box>: each number of 'size' must be > 0");
    }
    return true;
  }
  shape.radius = reader.positive(*at, "radius");
  if (at->name != "sphere") shape.length = reader.positive(*at, "length");
  return true;
}

void read_shapes(ElementReader& reader, const XmlElement& element, UrdfLink& link, UrdfRobot& robot) {
  for (const XmlElement& child : element.children) {
    if (child.name != "visual" && child.name != "collision") continue;
    reader.take(child);
    UrdfShape shape;
    shape.line = child.line;
    shape.drawn = child.name == "visual";
    shape.name = reader.text(child, "name", false);
    shape.pose = reader.origin(child);
    const bool known = read_geometry_of(reader, child, shape);
    if (shape.drawn)
      if (const XmlElement* material = reader.only(child, "material")) read_material(reader, *material, &shape, robot);
    if (known) link.shapes.push_back(std::move(shape));
  }
}

void read_limit(ElementReader& reader, const XmlElement& element, UrdfJoint& joint) {
  const XmlElement* at = reader.only(element, "limit");
  if (at == nullptr) return;
  UrdfLimit limit;
  limit.line = at->line;
  limit.lower = reader.number(*at, "lower"), limit.upper = reader.number(*at, "upper");
  limit.effort = reader.number(*at, "effort"), limit.velocity = reader.number(*at, "velocity");
  joint.limit = limit;
}

void read_mimic(ElementReader& reader, const XmlElement& element, UrdfJoint& joint) {
  const XmlElement* at = reader.only(element, "mimic");
  if (at == nullptr) return;
  UrdfMimic mimic;
  mimic.line = at->line;
  mimic.joint = reader.text(*at, "joint");
  mimic.multiplier = reader.number(*at, "multiplier").value_or(1.0);
  mimic.offset = reader.number(*at, "offset").value_or(0.0);
  joint.mimic = mimic;
}

std::string linked(ElementReader& reader, const XmlElement& element, const char* name, int& line) {
  const XmlElement* at = reader.only(element, name);
  line = element.line;
  if (at == nullptr) {
    reader.report().refuse(element.line, fmt::format("<joint> has no <{}>", name));
    return "";
  }
  line = at->line;
  return reader.text(*at, "link");
}

UrdfJoint read_joint_element(ElementReader& reader, const XmlElement& element) {
  static const std::vector<std::string> types{"revolute", "continuous", "prismatic", "fixed", "floating", "planar"};
  UrdfJoint joint;
  joint.line = element.line;
  joint.name = reader.text(element, "name");
  joint.type = reader.text(element, "type");
  if (!joint.type.empty() && std::find(types.begin(), types.end(), joint.type) == types.end())
    reader.report().refuse(element.line, fmt::format("joint '{}': its type is {}", joint.name,
                                                     not_allowed(ElementReader::shortened(joint.type), types)));
  joint.pose = reader.origin(element);
  joint.parent = linked(reader, element, "parent", joint.parent_line);
  joint.child = linked(reader, element, "child", joint.child_line);
  joint.axis_line = element.line;
  if (const XmlElement* axis = reader.only(element, "axis")) {
    joint.axis_line = axis->line;
    reader.numbers(*axis, "xyz", 3, joint.axis.data());
    const double length = joint.axis.norm();
    if (!(length > 0.0))
      reader.report().refuse(axis->line, fmt::format("joint '{}': its axis is zero", joint.name));
    else if (std::abs(length - 1.0) > 1e-6 && (joint.has_coordinate() || joint.type == "planar"))
      reader.report().note(
          UrdfFate::changed, axis->line, "axis",
          fmt::format("joint '{}': its axis has the length {:.6g} and is taken as a direction", joint.name, length));
  }
  read_limit(reader, element, joint);
  if (const XmlElement* dynamics = reader.only(element, "dynamics")) {
    joint.dynamics_line = dynamics->line;
    joint.damping = reader.number(*dynamics, "damping").value_or(0.0);
    joint.friction = reader.number(*dynamics, "friction").value_or(0.0);
    for (const auto& [key, value] : {std::pair("damping", joint.damping), std::pair("friction", joint.friction)})
      if (value < 0.0)
        reader.report().refuse(dynamics->line,
                               fmt::format("joint '{}': its {} is {} but must be ≥ 0", joint.name, key, value));
  }
  read_mimic(reader, element, joint);
  return joint;
}

// Why nothing stands for an element, where that can be said.
std::string reason_of(const std::string& name) {
  static const std::map<std::string, std::string> reasons{
      {"gazebo", "it speaks to another program"},
      {"safety_controller", "a bound inside of a controller; write the controller as an actuator or a control"},
      {"calibration", "a reference of sensors, without effect on the motion"},
      {"ros2_control", "it speaks to another program; [[input]] and [[actuator]] say how joints are driven"},
      {"sensor", "what is measured is said by [[measure]]"},
      {"contact_coefficients", "how surfaces touch is said by [[contact]]"},
      {"verbose", "nothing in the model depends on it"}};
  const auto it = reasons.find(name);
  return it == reasons.end() ? "this element is not known" : it->second;
}

// Everything that nobody took, the outermost only: by then all that is understood is marked.
void note_left(const XmlElement& element, UrdfReport& report) {
  for (const XmlAttribute& attribute : element.attributes)
    if (!attribute.taken)
      report.note(UrdfFate::left_out, element.line, element.name,
                  fmt::format("its attribute {} = '{}' is not known", attribute.name,
                              ElementReader::shortened(attribute.value)));
  if (!element.text.empty() && !element.text_taken)
    report.note(UrdfFate::left_out, element.line, element.name,
                fmt::format("the text '{}' in it means nothing", ElementReader::shortened(element.text)));
  for (const XmlElement& child : element.children) {
    if (child.taken) {
      note_left(child, report);
      continue;
    }
    if (child.name.starts_with("xacro:"))
      report.refuse(
          child.line,
          fmt::format("<{}>: this is a xacro file; expand it first (xacro robot.xacro > robot.urdf)", child.name));
    else
      report.note(UrdfFate::left_out, child.line, child.name, reason_of(child.name));
  }
}

template <class T>
void refuse_twins(const std::vector<T>& items, const char* what, UrdfReport& report) {
  std::map<std::string, int> lines;
  for (const T& item : items) {
    if (item.name.empty()) continue;
    const auto [it, fresh] = lines.try_emplace(item.name, item.line);
    if (!fresh)
      report.refuse(item.line, fmt::format("a second {} has the name '{}', which is taken in line {}", what, item.name,
                                           it->second));
  }
}

}  // namespace

bool read_plain_numbers(const std::string& text, int n, double* values) {
  const char *at = text.data(), *end = at + text.size();
  const auto skip = [&] {
    while (at < end && std::isspace(static_cast<unsigned char>(*at)) != 0) ++at;
  };
  double read[6] = {};
  for (int i = 0; i < n; ++i) {
    skip();
    if (at < end && *at == '+') ++at;
    const auto parsed = std::from_chars(at, end, read[i]);
    if (parsed.ec != std::errc() || !std::isfinite(read[i])) return false;
    if (parsed.ptr < end && std::isspace(static_cast<unsigned char>(*parsed.ptr)) == 0) return false;
    at = parsed.ptr;
  }
  skip();
  if (at != end) return false;
  std::copy_n(read, n, values);
  return true;
}

void UrdfReport::refuse(int line, std::string message) {
  if (++n_refused_ <= most_told)
    issues_.push_back({fmt::format("{}:{}:1", file_, std::max(line, 1)), std::move(message)});
}

void UrdfReport::note(UrdfFate fate, int line, std::string element, std::string text) {
  notes_.push_back({fate, line, std::move(element), std::move(text)});
}

void UrdfReport::throw_refused() const {
  if (issues_.empty()) return;
  std::vector<Issue> all = issues_;
  const auto line_of = [&](const Issue& issue) { return std::stoi(issue.where.substr(file_.size() + 1)); };
  std::stable_sort(all.begin(), all.end(), [&](const Issue& a, const Issue& b) { return line_of(a) < line_of(b); });
  if (n_refused_ > all.size())
    all.push_back({all.back().where, fmt::format("and {} more issues", n_refused_ - all.size())});
  throw InputError(std::move(all));
}

UrdfRobot read_urdf_elements(const XmlElement& root, UrdfReport& report) {
  UrdfRobot robot;
  ElementReader reader(report);
  robot.line = root.line;
  if (root.name != "robot") {
    report.refuse(root.line, fmt::format("the outermost element is <{}>; that of URDF is <robot>",
                                         ElementReader::shortened(root.name)));
    return robot;
  }
  reader.take(root);
  robot.name = reader.text(root, "name", false);
  root.attribute("version");
  for (const XmlAttribute& attribute : root.attributes)
    if (attribute.name.starts_with("xmlns")) attribute.taken = true;
  for (const XmlElement& child : root.children) {
    if (child.name == "link") {
      reader.take(child);
      UrdfLink& link = robot.links.emplace_back();
      link.line = child.line;
      link.name = reader.text(child, "name");
      read_inertial(reader, child, link);
      read_shapes(reader, child, link, robot);
    } else if (child.name == "joint") {
      reader.take(child);
      robot.joints.push_back(read_joint_element(reader, child));
    } else if (child.name == "material") {
      reader.take(child);
      read_material(reader, child, nullptr, robot);
    } else if (child.name == "transmission") {
      if (auto transmission = read_transmission(child, report)) robot.transmissions.push_back(std::move(*transmission));
    }
  }
  refuse_twins(robot.links, "link", report);
  refuse_twins(robot.joints, "joint", report);
  note_left(root, report);
  if (robot.links.empty()) report.refuse(root.line, "the robot has no link");
  return robot;
}

}  // namespace trammel::detail
