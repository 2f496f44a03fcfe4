// SPDX-License-Identifier: Apache-2.0
#include "xml_tree.h"

#include "trammel/base/error.h"

namespace trammel::detail {

const std::string* XmlElement::attribute(std::string_view key) const {
  for (const XmlAttribute& attribute : attributes)
    if (attribute.name == key) {
      attribute.taken = true;
      return &attribute.value;
    }
  return nullptr;
}

}  // namespace trammel::detail

#if !TRAMMEL_HAS_URDF

namespace trammel::detail {

std::string find_xml_obstacle() {
  return "this build of trammel reads no URDF; configure it with -DTRAMMEL_URDF=ON (needs tinyxml2)";
}

XmlElement parse_xml(const std::string&, const std::string&) { throw IoError(find_xml_obstacle()); }

}  // namespace trammel::detail

#else

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <string_view>

namespace trammel::detail {

namespace {

[[noreturn]] void refuse_xml(const std::string& name, int line, std::string reason) {
  throw InputError({{fmt::format("{}:{}:1", name, std::max(line, 1)), std::move(reason)}});
}

std::string trimmed(const char* text) {
  if (text == nullptr) return "";
  std::string_view all(text);
  const std::size_t from = all.find_first_not_of(" \t\r\n");
  if (from == all.npos) return "";
  return std::string(all.substr(from, all.find_last_not_of(" \t\r\n") - from + 1));
}

constexpr int most_attributes = 100;

// The parser compares each attribute with all before it: an element of a hostile text has so many that it does not end.
void refuse_crowded_elements(std::string_view text, const std::string& name) {
  const auto skip = [&](std::size_t from, std::string_view end) {
    const std::size_t at = text.find(end, from);
    return at == text.npos ? text.size() : at + end.size();
  };
  for (std::size_t at = text.find('<'); at < text.size(); at = text.find('<', at)) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("<!--")) {
      at = skip(at + 4, "-->");
    } else if (rest.starts_with("<![CDATA[")) {
      at = skip(at, "]]>");
    } else if (rest.starts_with("<?")) {
      at = skip(at, "?>");
    } else {
      int attributes = 0;
      for (++at; at < text.size() && text[at] != '>'; ++at) {
        attributes += text[at] == '=';
        if (text[at] == '"' || text[at] == '\'') at = std::min(text.find(text[at], at + 1), text.size() - 1);
        if (attributes <= most_attributes) continue;
        const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
        refuse_xml(name, static_cast<int>(line),
                   fmt::format("an element has more than {} attributes", most_attributes));
      }
    }
  }
}

// As deep as the parser lets a text be, 100.
XmlElement own_tree_of(const tinyxml2::XMLElement& from, const std::string& name) {
  XmlElement element;
  element.name = from.Name();
  element.line = from.GetLineNum();
  for (const tinyxml2::XMLAttribute* at = from.FirstAttribute(); at != nullptr; at = at->Next())
    element.attributes.push_back({at->Name(), at->Value()});
  for (const tinyxml2::XMLNode* node = from.FirstChild(); node != nullptr; node = node->NextSibling()) {
    if (const tinyxml2::XMLElement* child = node->ToElement()) element.children.push_back(own_tree_of(*child, name));
    if (const tinyxml2::XMLText* text = node->ToText()) {
      const std::string words = trimmed(text->Value());
      if (!words.empty()) element.text += (element.text.empty() ? "" : " ") + words;
    }
    if (node->ToUnknown() != nullptr)
      refuse_xml(name, node->GetLineNum(), "this is not valid XML: a declaration stands inside of an element");
  }
  return element;
}

// "DOCTYPE robot" alone says nothing; entities, and files of others, are what such texts attack with.
void refuse_declarations(const tinyxml2::XMLDocument& document, const std::string& name) {
  for (const tinyxml2::XMLNode* node = document.FirstChild(); node != nullptr; node = node->NextSibling()) {
    if (node->ToUnknown() == nullptr) continue;
    const std::string text = node->Value();
    for (const char* word : {"ENTITY", "SYSTEM", "PUBLIC", "["})
      if (text.find(word) != text.npos)
        refuse_xml(name, node->GetLineNum(),
                   "a DOCTYPE that declares entities or names other files is not read: nothing is expanded, and no "
                   "other file is opened; write the values themselves");
  }
}

}  // namespace

std::string find_xml_obstacle() { return ""; }

XmlElement parse_xml(const std::string& text, const std::string& name) {
  tinyxml2::XMLDocument document(true, tinyxml2::COLLAPSE_WHITESPACE);
  if (text.find('\0') != text.npos) refuse_xml(name, 1, "this is not valid XML: it holds a byte 0");
  refuse_crowded_elements(text, name);
  const tinyxml2::XMLError error = document.Parse(text.data(), text.size());
  if (error == tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED)
    refuse_xml(name, document.ErrorLineNum(), "elements are nested too deep; no robot needs more than a few levels");
  if (error != tinyxml2::XML_SUCCESS) {
    std::string_view word = tinyxml2::XMLDocument::ErrorIDToName(error);
    if (word.starts_with("XML_ERROR_")) word.remove_prefix(10);
    std::string reason(word);
    for (char& c : reason) c = c == '_' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    refuse_xml(name, document.ErrorLineNum(), fmt::format("this is not valid XML: {}", reason));
  }
  refuse_declarations(document, name);
  const tinyxml2::XMLElement* root = document.RootElement();
  if (root == nullptr) refuse_xml(name, 1, "there is no element in it");
  if (const tinyxml2::XMLElement* second = root->NextSiblingElement())
    refuse_xml(name, second->GetLineNum(),
               fmt::format("this is not valid XML: a second element <{}> beside <{}>", second->Name(), root->Name()));
  return own_tree_of(*root, name);
}

}  // namespace trammel::detail

#endif
