// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "urdf_robot.h"

namespace trammel::detail {

namespace {

void take_word(const XmlElement& element, UrdfReport& report) {
  element.taken = element.text_taken = true;
  report.note(UrdfFate::taken, element.line, element.name);
}

// How the joint is commanded is a controller's affair; here it is an effort.
void note_interface(const XmlElement& element, const std::string& joint, UrdfReport& report) {
  take_word(element, report);
  if (element.text.find("Effort") == element.text.npos)
    report.note(UrdfFate::changed, element.line, element.name,
                fmt::format("'{}' of the joint '{}': the input is an effort; a servo needs gains, which URDF does not "
                            "say (write an [[actuator]] of kind \"servo\")",
                            element.text, joint));
}

class TransmissionReader {
 public:
  TransmissionReader(const XmlElement& element, UrdfReport& report) : element_(element), report_(report) {}

  std::optional<UrdfTransmission> read() {
    std::string type;
    if (const std::string* said = element_.attribute("type")) type = *said;
    for (const XmlElement& child : element_.children)
      if (child.name == "type") type = child.text;
    int joints = 0, actuators = 0;
    for (const XmlElement& child : element_.children)
      joints += child.name == "joint", actuators += child.name == "actuator";
    // A differential or a four-bar between two motors and two joints.
    if (type.find("SimpleTransmission") == type.npos || joints != 1 || actuators != 1) {
      element_.taken = false;
      report_.note(UrdfFate::left_out, element_.line, "transmission",
                   fmt::format("'{}' with {} joints and {} actuators: only a SimpleTransmission of one joint and one "
                               "actuator becomes an actuator; couplers and actuators say the others",
                               type, joints, actuators));
      take_all(element_);
      return std::nullopt;
    }
    take_word(element_, report_);
    transmission_.line = element_.line;
    transmission_.name = name_of(element_);
    for (const XmlElement& child : element_.children) read_part(child);
    return transmission_;
  }

 private:
  // Told as a whole.
  static void take_all(const XmlElement& element) {
    element.taken = element.text_taken = true;
    for (const XmlAttribute& attribute : element.attributes) attribute.taken = true;
    for (const XmlElement& child : element.children) take_all(child);
  }
  std::string name_of(const XmlElement& element) {
    const std::string* name = element.attribute("name");
    if (name == nullptr || name->empty()) report_.refuse(element.line, fmt::format("<{}> has no 'name'", element.name));
    return name == nullptr ? "" : *name;
  }
  void read_part(const XmlElement& child) {
    if (child.name == "type") take_word(child, report_);
    if (child.name == "mechanicalReduction") read_reduction(child);
    if (child.name != "joint" && child.name != "actuator") return;
    take_word(child, report_);
    if (child.name == "joint") transmission_.joint = name_of(child), transmission_.joint_line = child.line;
    if (child.name == "actuator") transmission_.actuator = name_of(child);
    for (const XmlElement& inner : child.children) {
      if (inner.name == "mechanicalReduction") read_reduction(inner);
      if (inner.name == "hardwareInterface") note_interface(inner, transmission_.joint, report_);
    }
  }
  void read_reduction(const XmlElement& element) {
    take_word(element, report_);
    double value = 1.0;
    if (!read_plain_numbers(element.text, 1, &value) || value == 0.0)
      report_.refuse(element.line,
                     fmt::format("<mechanicalReduction> is '{}'; it must be a finite number, not 0", element.text));
    else
      transmission_.reduction = value;
  }

  const XmlElement& element_;
  UrdfReport& report_;
  UrdfTransmission transmission_;
};

}  // namespace

std::optional<UrdfTransmission> read_transmission(const XmlElement& element, UrdfReport& report) {
  return TransmissionReader(element, report).read();
}

}  // namespace trammel::detail
