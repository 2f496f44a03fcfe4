// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numbers>

#include "model_text.h"
#include "trammel/mechanics/make_beam.h"

namespace trammel::test_model_reader_beam {
namespace {

const std::string strip = R"toml(
[[beam]]
name = "strip"
points = [[0, 0, 0], [1, 0, 0]]
elements = 2
section = { kind = "rectangle", width = 0.0025, height = 0.1 }
material = { young = 73e9, poisson = 0.3, density = 2700 }
)toml";

std::string refusal(const std::string& text) {
  try {
    read_study_text(text, "beam.toml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string with(const std::string& from, const std::string& to) {
  std::string text = strip;
  return text.replace(text.find(from), from.size(), to);
}

/// The strip of [bauchau2009 section 9]: stiffnesses as in its specification, to the digits printed there.
TEST(ReadBeam, SectionsHaveTheirStiffnessAndMass) {
  const Beam beam = read_study_text(strip, "beam.toml").model.beams.at(0);
  const Eigen::Matrix<double, 6, 6>& K = beam.section.stiffness;
  EXPECT_NEAR(K(0, 0), 1.825e7, 1);
  EXPECT_NEAR(K(1, 1), 5.849358974e6, 1);
  EXPECT_NEAR(K(3, 3), 14.39298794, 1e-7);
  EXPECT_NEAR(K(4, 4), 15208.33333, 1e-4);
  EXPECT_NEAR(K(5, 5), 9.505208333, 1e-8);
  EXPECT_NEAR(beam.section.mass, 0.675, 1e-12);
  EXPECT_NEAR(beam.section.inertia(0, 0), 5.628515625e-4, 1e-13);
  EXPECT_NEAR(beam.section.inertia(2, 2), 3.515625e-7, 1e-16);
  const BeamSection tube = tube_section(0.015, 0.007, {210e9, 0.3, 7800});
  EXPECT_NEAR(tube.stiffness(0, 0), 1.161132645e8, 1);
  EXPECT_NEAR(tube.stiffness(1, 1), 2.839953132e7, 1);
  EXPECT_NEAR(tube.stiffness(3, 3), 6118.275859, 1e-5);
  EXPECT_NEAR(tube.mass, 4.312778395, 1e-8);
}

TEST(ReadBeam, NodesAreBodiesAtLobattoPointsThatShareTheMass) {
  const Model model = read_study_text(strip, "beam.toml").model;
  ASSERT_EQ(model.bodies.size(), 7u);
  EXPECT_EQ(model.bodies[0].name, "strip_0");
  EXPECT_NEAR(model.bodies[1].position.x(), 0.25 - 0.25 / std::sqrt(5.0), 1e-15);
  EXPECT_EQ(model.bodies[6].position, Eigen::Vector3d(1, 0, 0));
  double mass = 0.0, moment = 0.0;
  for (const BodySpec& body : model.bodies) {
    mass += body.mass;
    moment += body.mass * body.position.x() * body.position.x();
  }
  EXPECT_NEAR(mass, 0.675, 1e-14);
  EXPECT_NEAR(moment, 0.675 / 3.0, 1e-14);                 // the rule is exact for squares
  EXPECT_NEAR(model.bodies[3].mass, 0.675 / 12.0, 1e-14);  // twice 1/12 of an element of 0.5 m
}

TEST(ReadBeam, CurvesTwistsAndNamesOfNodes) {
  const std::string text = R"toml(
[parameters]
R = 2
[[beam]]
name = "arc"
curve = ["R*sin(s*pi/2)", "R*(1 - cos(s*pi/2))", 0]
elements = 4
order = 2
twist = 1.0
node_names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"]
section = { kind = "circle", radius = 0.1 }
material = { young = 1e9, density = 1000 }
)toml";
  const Model model = read_study_text(text, "beam.toml").model;
  EXPECT_NEAR((model.bodies[8].position - Eigen::Vector3d(2, 2, 0)).norm(), 0.0, 1e-15);
  EXPECT_NEAR((model.bodies[8].orientation.col(0) - Eigen::Vector3d(0, 1, 0)).norm(), 0.0, 1e-10);
  EXPECT_NEAR(model.bodies[8].orientation.col(2).z(), std::cos(1.0), 1e-10);
  double length = 0.0;
  for (const BodySpec& body : model.bodies) length += body.mass / (1000.0 * std::numbers::pi * 0.01);
  EXPECT_NEAR(length, std::numbers::pi, 2e-4);
}

TEST(ReadBeam, RefusesByName) {
  const struct {
    std::string text, said;
  } cases[] = {
      {with("[1, 0, 0]", "[0, 0, 0]"), "points 1 and 2 coincide at (0, 0, 0)"},
      {with("[1, 0, 0]]", "[1, 0, 0], [1, 1, 0], [0.5, -1, 0]]"),
       "the piece from point 1 to 2 crosses the piece from point 3 to 4"},
      {with("[1, 0, 0]]", "[1, 0, 0], [0.5, 0, 0]]"),
       "the piece from point 1 to 2 crosses the piece from point 2 to 3"},
      {with("width = 0.0025", "width = 0"), "'width' is 0 m but must be > 0"},
      {with("elements = 2", "elements = 0"), "'elements' is 0 but must be at least 1"},
      {with("elements = 2", "elements = 2\norder = 4"), "'order' is 4 but must be 1, 2 or 3"},
      {with("elements = 2", "elements = 2\ntwist = 7"), "turns by 3.5 rad between its ends as drawn"},
      {with("elements = 2", "elements = 2\nup = \"x\""), "'up' is parallel to the beam"},
      {with("elements = 2", "elements = 2\nstart_body = \"hub\""), "there is no body of that name"},
      {with("elements = 2", "stations = [0, 0.7, 0.5, 1]"), "'stations' must increase from 0 to 1"},
      {strip + "[[force]]\nname = \"load\"\nkind = \"force\"\nbody = \"strip_7\"\nforce = [0, 0, 1]\n",
       "there is no body 'strip_7'; did you mean 'strip_"},
      {with(strip.substr(strip.find("section")),
            "section = { kind = \"given\", stiffness = [1, 1, 1, 1, 0, 1], mass = 1, inertia = [1, 1, 1] }\n"),
       "is not positive definite"},
  };
  for (const auto& c : cases) {
    const std::string message = refusal(c.text);
    EXPECT_NE(message.find(c.said), std::string::npos) << "expected: " << c.said << "\nsaid: " << message;
    EXPECT_NE(message.find("beam.toml:"), std::string::npos) << message;
  }
}

TEST(ReadBeam, NodesOfIncludedBeamsAreFoundUnderTheirPrefix) {
  const std::string text = R"toml(
[[repeat]]
count = 2
  [[repeat.beam]]
  name = "mast_{i}"
  points = [[0, "i", 0], [0, "i", 1]]
  elements = 1
  section = { kind = "circle", radius = 0.1 }
  material = { young = 1e9, density = 1000 }
  [[repeat.joint]]
  name = "foot_{i}"
  kind = "fixed"
  bodies = ["ground", "mast_{i}_0"]
  point = [0, "i", 0]
)toml";
  const Model model = read_study_text(text, "beam.toml").model;
  EXPECT_EQ(model.beams.size(), 2u);
  EXPECT_EQ(model.joints[1].body_b, "mast_1_0");
}

}  // namespace
}  // namespace trammel::test_model_reader_beam
