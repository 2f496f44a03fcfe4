// SPDX-License-Identifier: Apache-2.0
#include "trammel/io/urdf.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "model_text.h"
#include "places.h"

/// Robots: what is refused, by line, and what is told. What they do is compared in tests/python/test_urdf.py.
namespace trammel::test_urdf {
namespace {

namespace fs = std::filesystem;

const std::string inertial =
    R"(<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>)";

class Urdf : public ::testing::Test {
 protected:
  Urdf() : folder_(fs::temp_directory_path() / ("trammel_urdf_" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "robot");
  }
  ~Urdf() override { fs::remove_all(folder_); }

  fs::path write(const std::string& text, const std::string& name = "robot/r.urdf") const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  UrdfImport import(const std::string& text, const UrdfOptions& options = {}) const {
    return import_urdf(write(text), options, folder_ / "robot");
  }
  /// "12: message" for each refusal.
  std::vector<std::string> refusals(const std::string& text, const UrdfOptions& options = {}) const {
    const fs::path file = write(text);
    std::vector<std::string> told;
    try {
      import_urdf(file, options);
      ADD_FAILURE() << "accepted:\n" << text.substr(0, 1000);
    } catch (const InputError& error) {
      for (const Issue& issue : error.issues()) {
        EXPECT_TRUE(issue.where.starts_with(file.string() + ":")) << issue.where << ": " << issue.message;
        std::string line = issue.where.substr(std::min(issue.where.size(), file.string().size() + 1));
        told.push_back(line.substr(0, line.find(':')) + ": " + issue.message);
      }
    }
    return told;
  }
  static std::string robot(const std::string& inside) { return "<robot name='r'>\n" + inside + "\n</robot>\n"; }
  static std::string link(const std::string& name, const std::string& inside = inertial) {
    return "<link name='" + name + "'>" + inside + "</link>\n";
  }
  static std::string joint(const std::string& name, const std::string& parent, const std::string& child,
                           const std::string& type = "revolute", const std::string& inside = "") {
    return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent + "'/><child link='" + child +
           "'/>" + inside + "</joint>\n";
  }
  static std::string told(const UrdfImport& robot, UrdfFate fate) {
    std::string text;
    for (const UrdfNote& note : robot.notes)
      if (note.fate == fate) text += std::to_string(note.line) + " " + note.element + ": " + note.text + "\n";
    return text;
  }

  fs::path folder_;
};

using ::testing::Test;

void expect_words(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* word : words) EXPECT_NE(text.find(word), std::string::npos) << word << "\nin\n" << text;
}

TEST_F(Urdf, all_that_is_wrong_is_told_at_once_by_line) {
  const std::vector<std::string> told =
      refusals(robot(link("a") +                                                                      // 2
                     link("b", "<inertial><mass value='x'/></inertial>") +                            // 3
                     joint("j", "a", "b", "revolut") +                                                // 4
                     joint("k", "a", "bb", "fixed") +                                                 // 5
                     link("a") +                                                                      // 6
                     "<joint name='l' type='prismatic'><parent link='a'/></joint>\n" + "<link/>\n" +  // 8
                     joint("m", "a", "b", "revolute", "<axis xyz='0 0 0'/><limit lower='1e400'/>")));
  std::string all;
  for (const std::string& line : told) all += line + "\n";
  expect_words(
      all,
      {"3: link 'b': its <inertial> has no <inertia>", "4: joint 'j': its type is 'revolut'; did you mean 'revolute'?",
       "5: joint 'k': there is no link 'bb'", "6: a second link has the name 'a', which is taken in line 2",
       "7: <joint> has no <child>", "8: <link> has no 'name'", "9: joint 'm': its axis is zero",
       "9: <limit>: 'lower' is '1e400', which is not a finite number"});
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end(),
                             [](const std::string& a, const std::string& b) { return std::stoi(a) < std::stoi(b); }));
}

TEST_F(Urdf, what_is_no_tree_is_refused) {
  EXPECT_EQ(
      refusals(robot(link("a") + link("b") + link("c") + joint("j", "a", "c") + joint("k", "b", "c"))),
      (std::vector<std::string>{
          "3: link 'b' has no parent, and neither has 'a': a robot has one root; connect them by a joint (fixed or "
          "floating)",
          "6: joint 'k': the link 'c' has a parent already, by the joint 'j' in line 5; URDF describes trees (a loop "
          "is closed by a [[joint]] in the model that includes it)"}));
  EXPECT_EQ(refusals(robot(link("a") + link("b") + link("c") + joint("j", "b", "c") + joint("k", "c", "b"))),
            (std::vector<std::string>{"3: links form a circle: 'b' below 'c' below 'b'; URDF describes trees"}));
  EXPECT_EQ(refusals(robot(link("a") + joint("j", "a", "a"))),
            (std::vector<std::string>{"3: joint 'j' connects the link 'a' to itself"}));
  EXPECT_EQ(refusals(robot("")), (std::vector<std::string>{"1: the robot has no link"}));
}

TEST_F(Urdf, links_that_move_have_mass_of_their_own_or_of_one_they_are_fixed_to) {
  EXPECT_EQ(refusals(robot(link("a") + link("b", "") + link("c") + joint("j", "a", "b") + joint("k", "b", "c"))),
            (std::vector<std::string>{
                "3: link 'b' moves (joint 'j', revolute) and has no mass: give it an <inertial>, or fix it to a link "
                "that has one"}));
  EXPECT_EQ(refusals(robot(link("a", "")), {.floating = true, .packages = {}}).size(), 1u);
  // Merged into the parent, into a child, and through further links without mass.
  const UrdfImport made = import(robot(link("base", "") + link("a") + link("a_tool", "") + link("b", "") +
                                       link("b_mid", "") + link("b_mass") + joint("j", "base", "a") +
                                       joint("k", "a", "a_tool", "fixed") + joint("l", "a_tool", "b") +
                                       joint("m", "b", "b_mid", "fixed") + joint("n", "b_mid", "b_mass", "fixed")));
  EXPECT_EQ(made.n_bodies, 2);
  EXPECT_EQ(made.n_joints, 2);
  EXPECT_EQ(made.n_frames, 4);
  EXPECT_EQ(made.mass, 2.0);
  expect_words(told(made, UrdfFate::changed),
               {"2 link: 'base' has no mass and is fixed: it is a frame of the ground",
                "4 link: 'a_tool' has no mass: merged with 'a'", "5 link: 'b' has no mass: merged with 'b_mass'",
                "6 link: 'b_mid' has no mass: merged with 'b_mass'"});
}

TEST_F(Urdf, inertias_that_no_body_has_are_refused_at_their_line) {
  EXPECT_EQ(refusals(robot("<link name='a'>\n<inertial>\n<mass value='1'/>\n<inertia ixx='1' iyy='1' "
                           "izz='5'/>\n</inertial>\n</link>"))
                .at(0)
                .substr(0, 2),
            "5:");
  EXPECT_EQ(
      refusals(robot(
          "<link name='a'>\n<inertial>\n<mass value='-1'/>\n<inertia ixx='1' iyy='1' izz='1'/>\n</inertial>\n</link>")),
      (std::vector<std::string>{"4: link 'a': its mass is -1 kg but must be > 0"}));
}

TEST_F(Urdf, everything_that_is_not_taken_is_told) {
  const UrdfImport made =
      import(robot(link("a", inertial + "<magic x='1'/><visual><geometry><torus/></geometry></visual>") + link("b") +
                   joint("j", "a", "b", "revolute",
                         "<limit lower='-1' upper='1' effort='3' velocity='4'/><calibration rising='0'/>"
                         "<safety_controller k_velocity='1'/><dynamics damping='1' stiction='2'/>") +
                   "<gazebo><plugin/></gazebo>\n<transmission "
                   "name='t'><type>x/DifferentialTransmission</type></transmission>\n words"));
  expect_words(told(made, UrdfFate::left_out),
               {"2 magic:", "2 torus:", "4 calibration:", "4 safety_controller:",
                "4 dynamics: its attribute stiction = '2' is not known", "4 limit: joint 'j': velocity 4",
                "4 limit: joint 'j': effort 3", "5 gazebo:", "6 transmission:", "1 robot: the text 'words'"});
  expect_words(made.report("r.urdf"), {"taken\n", "changed\n", "left out\n    r.urdf:", "<link>, lines 2, 3\n"});
  expect_words(made.toml, {"# Imported by trammel from r.urdf", "r.urdf:5: <gazebo>"});
}

TEST_F(Urdf, collision_geometry_is_taken_as_it_is) {
  const std::string ball = "<collision><geometry><sphere radius='0.1'/></geometry></collision>";
  const UrdfImport made = import(robot(link("a", inertial + ball) + link("b") + joint("j", "a", "b", "continuous")));
  EXPECT_EQ(told(made, UrdfFate::changed).find("collision"), std::string::npos);
  expect_words(made.report("r.urdf"), {"1 × <collision>, line 2\n", "nothing is left out\n"});
  expect_words(made.toml, {"group = \"collision\""});
}

TEST_F(Urdf, names_become_different) {
  const UrdfImport made =
      import(robot(link("arm") + link("ns/arm") + link("ns.arm") + link("ground") + joint("arm", "arm", "ns/arm") +
                   joint("j", "arm", "ns.arm") + joint("pi", "arm", "ground")));
  expect_words(made.toml,
               {"\"arm\"", "\"arm_joint\"", "\"ns_arm\"", "\"ns_arm_link\"", "\"ground_link\"", "\"pi_joint\""});
  const Study study = read_study_text(made.toml, folder_ / "robot/r.toml");
  EXPECT_EQ(study.model.bodies.size(), 4u);
}

TEST_F(Urdf, meshes_come_from_the_folder_and_stated_ones_alone) {
  const std::string stl =
      "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid "
      "x\n";
  fs::create_directories(folder_ / "packages/parts");
  write(stl, "robot/own.stl"), write(stl, "outside.stl"), write(stl, "packages/parts/p.stl"),
      write("x", "robot/scene.dae");
  fs::create_symlink(folder_ / "outside.stl", folder_ / "robot/link.stl");
  const auto with = [&](const std::string& file) {
    return robot(link("a", inertial + "<visual><geometry><mesh filename='" + file + "'/></geometry></visual>"));
  };
  const UrdfOptions stated{.floating = false, .packages = {folder_ / "packages"}};
  EXPECT_NE(import(with("own.stl")).toml.find("file = \"own.stl\""), std::string::npos);
  EXPECT_NE(import(with("package://robot/own.stl")).toml.find("file = \"own.stl\""), std::string::npos);
  EXPECT_NE(import(with("package://parts/p.stl"), stated).toml.find("file = \"../packages/parts/p.stl\""),
            std::string::npos);
  expect_words(told(import(with("scene.dae")), UrdfFate::left_out), {"STL and OBJ files are read, not '.dae'"});
  for (const std::string& file :
       {std::string("../outside.stl"), std::string("link.stl"), (folder_ / "outside.stl").string(),
        "file://" + (folder_ / "outside.stl").string(), std::string("package://robot/../../outside.stl")})
    expect_words(refusals(with(file)).at(0), {"lies outside of the folder"});
  expect_words(refusals(with("package://parts/p.stl")).at(0),
               {"2: link 'a': there is no mesh 'package://parts/p.stl'"});
  expect_words(refusals(with("http://example.org/x.stl")).at(0), {"nothing is fetched from elsewhere"});
  for (const std::string file : {"none.stl", "none/none.stl"})
    expect_words(refusals(with(file)).at(0), {("2: link 'a': there is no mesh '" + file + "'").c_str()});
  // By a bare name from its own folder.
  const fs::path back = fs::current_path();
  write(with("none.stl"), "robot/bare.urdf");
  fs::current_path(folder_ / "robot");
  try {
    import_urdf("bare.urdf", {});
    ADD_FAILURE() << "a mesh that is not there was taken";
  } catch (const InputError& error) {
    expect_words(error.what(), {"there is no mesh 'none.stl'"});
  }
  fs::current_path(back);
}

TEST_F(Urdf, hostile_texts_are_refused_within_two_seconds) {
  const auto begun = std::chrono::steady_clock::now();
  std::string nested, many, chain;
  while (nested.size() < 10'000'000) nested += "<a>";
  expect_words(refusals(nested).at(0), {"nested too deep"});
  expect_words(refusals("<!DOCTYPE r [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>\n" + robot(link("&b;"))).at(0),
               {"1: a DOCTYPE"});
  expect_words(refusals("<?xml version='1.0'?>\n<!DOCTYPE r SYSTEM \"file:///etc/passwd\">\n" + robot(link("a"))).at(0),
               {"2: a DOCTYPE"});
  expect_words(refusals("<robot>").at(0), {"not valid XML"});
  expect_words(refusals("not xml").at(0), {"not valid XML"});
  expect_words(refusals("<robot a='1' a='2'/>").at(0), {"1: this is not valid XML: parsing attribute"});
  expect_words(refusals("<sdf/>").at(0), {"the outermost element is <sdf>"});
  expect_words(refusals(robot("<xacro:macro name='x'/>" + link("a"))).at(0), {"xacro"});
  std::string crowd = "<!-- " + std::string(200, '=') + " -->\n<robot";
  for (int i = 0; crowd.size() < 10'000'000; ++i) crowd += " a" + std::to_string(i) + "='<!--'";
  expect_words(refusals(crowd + "/>").at(0), {"2: an element has more than 100 attributes"});
  EXPECT_EQ(import(robot("<!-- " + std::string(200, '=') + " ' -->" + link("a", inertial))).toml.empty(), false);
  while (many.size() < 5'000'000) many += "<joint/>";
  EXPECT_LE(refusals(robot(many)).size(), 300u);
  // No claim on time here but for a guard against what grows with a square: a second is some thousand times too much.
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::minutes(1));
}

TEST_F(Urdf, keys_of_robots_are_refused_for_model_files) {
  std::ofstream(folder_ / "part.toml") << "[[body]]\nname = \"b\"\nmass = 1\ninertia = [1, 1, 1]\n";
  try {
    read_study_text("[[include]]\nfile = \"part.toml\"\nbase = \"floating\"\n", folder_ / "model.toml");
    ADD_FAILURE();
  } catch (const InputError& error) {
    ASSERT_EQ(error.issues().size(), 1u);
    EXPECT_EQ(error.issues()[0].message, "include: 'base' has a meaning for URDF files (.urdf) alone");
  }
}

TEST_F(Urdf, mimics_must_have_whom_to_mimic) {
  const std::string links = link("a") + link("b") + link("c");
  const std::string limit = "<limit lower='-1' upper='1'/>";
  EXPECT_EQ(refusals(robot(links + joint("j", "a", "b", "revolute", limit + "<mimic joint='k'/>") +
                           joint("k", "a", "c", "revolute", limit + "<mimic joint='j'/>"))),
            (std::vector<std::string>{"5: joint 'j' mimics a joint that mimics it",
                                      "6: joint 'k' mimics a joint that mimics it"}));
  expect_words(
      refusals(robot(links + joint("j", "a", "b", "revolute", limit + "<mimic joint='kk'/>") + joint("k", "a", "c")))
          .at(0),
      {"5: joint 'j': there is no joint 'kk'; did you mean 'k'?"});
  expect_words(refusals(robot(links + joint("j", "a", "b", "revolute", limit + "<mimic joint='k'/>") +
                              joint("k", "a", "c", "planar")))
                   .at(0),
               {"the joint 'k' is planar and has no one coordinate"});
}

}  // namespace
}  // namespace trammel::test_urdf
