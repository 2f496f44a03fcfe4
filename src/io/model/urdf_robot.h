// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Geometry>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trammel/base/error.h"
#include "trammel/io/urdf.h"
#include "xml_tree.h"

namespace trammel::detail {

/// An element of URDF's language, typed; lines say where it stands. Poses are those of the text: x_parent = p + R x.
struct UrdfShape {
  int line = 0;
  std::string kind;  ///< "box", "cylinder", "sphere", "capsule", "mesh"
  std::string name;  ///< of the collision or visual; may be empty
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  Eigen::Vector3d size = Eigen::Vector3d::Zero();  ///< of a box
  double radius = 0.0, length = 0.0, scale = 1.0;
  std::string file;                      ///< of a mesh, as it is written
  std::optional<Eigen::Vector4d> color;  ///< red, green, blue, opacity
  std::string material;                  ///< by whose name a colour is found
  bool drawn = true;                     ///< visual; else collision
};

struct UrdfLink {
  int line = 0;
  std::string name;
  bool has_inertia = false;
  int mass_line = 0, inertia_line = 0;
  double mass = 0.0;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  ///< about the centre of mass, in axes of the link
  std::vector<UrdfShape> shapes;
};

struct UrdfMimic {
  int line = 0;
  std::string joint;
  double multiplier = 1.0, offset = 0.0;
};

struct UrdfLimit {
  int line = 0;
  std::optional<double> lower, upper, effort, velocity;
};

struct UrdfJoint {
  int line = 0;
  std::string name, type, parent, child;
  int parent_line = 0, child_line = 0, axis_line = 0, dynamics_line = 0;
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();  ///< of the child in the parent, where the coordinate is 0
  Eigen::Vector3d axis = Eigen::Vector3d::UnitX();         ///< in axes of the child
  std::optional<UrdfLimit> limit;
  double damping = 0.0, friction = 0.0;
  std::optional<UrdfMimic> mimic;

  bool turns() const { return type == "revolute" || type == "continuous"; }
  bool has_coordinate() const { return turns() || type == "prismatic"; }
};

struct UrdfTransmission {
  int line = 0, joint_line = 0;
  std::string name, joint, actuator;
  double reduction = 1.0;
};

struct UrdfRobot {
  std::string name;
  int line = 0;
  std::vector<UrdfLink> links;
  std::vector<UrdfJoint> joints;
  std::vector<UrdfTransmission> transmissions;
  std::map<std::string, Eigen::Vector4d> materials;
};

/// What is wrong with a URDF file and what becomes of its elements, while it is read.
class UrdfReport {
 public:
  explicit UrdfReport(std::string file) : file_(std::move(file)) {}
  void refuse(int line, std::string message);
  void note(UrdfFate fate, int line, std::string element, std::string text = "");
  /// Throws InputError with everything that was refused so far.
  void throw_refused() const;
  std::vector<UrdfNote> take_notes() { return std::move(notes_); }

 private:
  std::string file_;
  std::vector<Issue> issues_;
  std::size_t n_refused_ = 0;
  std::vector<UrdfNote> notes_;
};

/// The elements of a robot; refuses what is malformed by itself, notes what nothing stands for.
UrdfRobot read_urdf_elements(const XmlElement& root, UrdfReport& report);

/// The <transmission> elements (urdf_transmission.cpp).
std::optional<UrdfTransmission> read_transmission(const XmlElement& element, UrdfReport& report);

/// Numbers of an attribute: exactly `n` finite ones. Refused else; false.
bool read_plain_numbers(const std::string& text, int n, double* values);

}  // namespace trammel::detail
