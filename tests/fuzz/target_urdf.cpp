// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <sstream>

#include "answer.h"
#include "mutate.h"
#include "places.h"
#include "scratch.h"
#include "trammel/io/model_reader.h"

// Robots, as a model includes them.

namespace trammel::fuzz {

namespace {

std::string run_urdf(std::string_view bytes) {
  write_scratch("fuzzed.urdf", bytes);
  return answer(bytes, [&] {
    static_cast<void>(read_study_text("max_elements = 400\n[[include]]\nfile = \"fuzzed.urdf\"\nbase = \"floating\"\n",
                                      scratch() / "model.toml"));
    return std::string();
  });
}

std::vector<std::string> urdf_seeds() {
  std::vector<std::string> seeds{
      "<?xml version=\"1.0\"?>\n<!DOCTYPE robot>\n<robot name=\"r\">\n<link name=\"a\"><inertial><origin rpy=\"0 1 "
      "0\"/>"
      "<mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial></link>\n<link name=\"b\"/>\n"
      "<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>\n</robot>\n"};
  for (const char* name : {"cart_pole", "hovercraft", "drone", "rover", "pan_tilt", "crane"}) {
    std::ifstream file(places::source_dir() / "examples/robots" / (std::string(name) + ".urdf"));
    seeds.push_back((std::ostringstream() << file.rdbuf()).str());
  }
  return seeds;
}

std::string mutate_urdf(const std::string& bytes, Random& random) {
  static const std::vector<std::string> words{"<link name=\"a\">",
                                              "</link>",
                                              "<joint ",
                                              "type=\"revolute\"",
                                              "type=\"floating\"",
                                              "<parent link=\"a\"/>",
                                              "<child link=\"a\"/>",
                                              "<mimic joint=\"j\"/>",
                                              "<axis xyz=\"0 0 0\"/>",
                                              "<mass value=\"0\"/>",
                                              "<mesh filename=\"package://x/../../y.stl\"/>",
                                              "<!ENTITY a \"b\">",
                                              "&a;",
                                              "&#0;",
                                              "<![CDATA[",
                                              "]]>",
                                              "<!--",
                                              "nan",
                                              "1e400",
                                              "\"",
                                              "'",
                                              "<",
                                              ">",
                                              "/>",
                                              "\n"};
  static const std::vector<std::string> seeds = urdf_seeds();
  return random.one_in(4) ? mutate_bytes(bytes, random) : mutate_text(bytes, random, words, seeds);
}

}  // namespace

Target urdf_target() { return {"urdf", "a robot, URDF", 8192, 4000, run_urdf, urdf_seeds, mutate_urdf}; }

}  // namespace trammel::fuzz
