// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trammel::detail {

struct XmlAttribute {
  std::string name, value;
  mutable bool taken = false;
};

/// An element of an XML text. Who understands it marks it and its attributes as taken; what is not is told.
struct XmlElement {
  std::string name;
  int line = 0;
  std::string text;  ///< between its tags, without white space around it
  std::vector<XmlAttribute> attributes;
  std::vector<XmlElement> children;
  mutable bool taken = false, text_taken = false;

  /// Takes it; nullptr: there is none of this name.
  const std::string* attribute(std::string_view key) const;
};

/// The element at the root; throws InputError at "name:line:1" for a text that is not XML, is nested more than 100
/// deep, names an attribute twice, or declares entities or other files (nothing is expanded and nothing else is
/// opened).
XmlElement parse_xml(const std::string& text, const std::string& name);

/// Why this build reads no XML; empty: it does.
std::string find_xml_obstacle();

}  // namespace trammel::detail
