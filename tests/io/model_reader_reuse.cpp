// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>

#include "model_text.h"

namespace trammel::test_model_reader_reuse {
namespace {

namespace fs = std::filesystem;

/// A folder of its own for the files of one test.
class Reuse : public ::testing::Test {
 protected:
  Reuse() {
    folder_ = fs::temp_directory_path() /
              ("trammel_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::create_directories(folder_);
  }
  ~Reuse() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  std::vector<Issue> refusals_of(const fs::path& file) const {
    try {
      read_study(file);
    } catch (const InputError& error) {
      return error.issues();
    }
    ADD_FAILURE() << file << " was accepted";
    return {};
  }

  std::string at(const std::string& name, const std::string& line_and_column) const {
    return (folder_ / name).string() + ":" + line_and_column;
  }

  fs::path folder_;
};

const std::string chain = R"toml(
[parameters]
N = 4
L = 0.5
[[repeat]]
count = "N"
start = 1
[[repeat.body]]
name = "link_{i}"
kind = "planar"
normal = "y"
mass = 1
inertia = "L^2/12"
position = ["(i - 0.5)*L", 0, 0]
[[repeat.measure]]
name = "height_{i}"
expression = "link_{i}.z + i*L"
[[repeat]]
count = "N - 1"
start = 1
[[repeat.joint]]
name = "pin_{i}"
kind = "revolute"
bodies = ["link_{i}", "link_{i+1}"]
point = ["i*L", 0, 0]
[[joint]]
name = "pin_0"
kind = "revolute"
bodies = ["link_1"]
point = [0, 0, 0]
)toml";

TEST_F(Reuse, repeat_writes_out_names_numbers_and_formulas) {
  const Model model = read(chain).model;
  ASSERT_EQ(model.bodies.size(), 4u);
  EXPECT_EQ(model.bodies[2].name, "link_3");
  EXPECT_EQ(model.bodies[2].position, Eigen::Vector3d(1.25, 0, 0));
  ASSERT_EQ(model.joints.size(), 4u);
  EXPECT_EQ(model.joints[1].body_a, "link_2");
  EXPECT_EQ(model.joints[1].body_b, "link_3");
  EXPECT_EQ(model.joints[1].point.at, Eigen::Vector3d(1, 0, 0));
  EXPECT_EQ(model.joints[3].name, "pin_0");  // in the order of the file
  EXPECT_EQ(model.measures[2].expression.text, "link_3.z + 3*L");
}

TEST_F(Reuse, repeats_nest_and_have_parameters_of_their_own) {
  const Model model = read(R"toml(
[[repeat]]
count = 2
[[repeat.repeat]]
count = 3
index = "j"
[repeat.repeat.parameters]
x = "10*i + j"
y = "2*x"
[[repeat.repeat.body]]
name = "ball_{i}_{j}"
kind = "particle"
mass = "1 + y"
)toml")
                          .model;
  ASSERT_EQ(model.bodies.size(), 6u);
  EXPECT_EQ(model.bodies[5].name, "ball_1_2");
  EXPECT_EQ(model.bodies[5].mass, 25.0);
}

TEST_F(Reuse, repeat_is_refused_when_it_makes_no_sense) {
  expect_refused(replaced(chain, "count = \"N\"", "count = \"N/3\""), "\"N/3\"", {"'count' is 1.33", "whole number"});
  expect_refused(pendulum + "[[repeat]]\ncount = -1\n", "-1\n", {"'count' is -1"});
  expect_refused(pendulum + "[[repeat]]\ncount = 2\nindex = \"L\"\n", "\"L\"\n",
                 {"'L' has the same name as a parameter"});
  expect_refused(pendulum + "[[repeat]]\ncount = 2\nindex = \"2i\"\n", "\"2i\"", {"'index' is '2i'"});
  expect_refused(pendulum + "[[repeat]]\ncount = 2\n[[repeat.boddy]]\nname = \"a\"\n", "boddy",
                 {"did you mean 'body'?"});
  expect_refused(replaced(chain, "link_{i+1}", "link_{k}"), "\"link_{k}\"",
                 {"'bodies' = \"link_{k}\"", "'k' is not a parameter"});
}

const std::string leg = R"toml(
title = "a leg that also runs alone"
gravity = [0, 0, -1]
[parameters]
L = 1
k = "10*L"
[[body]]
name = "thigh"
mass = "L"
inertia = [1, 1, 1]
position = [1, 0, 0]
velocity = [0, 2, 0]
angular_velocity = [3, 0, 0]
[[joint]]
name = "hip"
kind = "revolute"
bodies = ["trunk", "thigh"]
point = [0, 0, 0]
axis = "x"
[[force]]
name = "push"
kind = "force"
body = "thigh"
force = ["k*t", "thigh.vx", 0]
[[measure]]
name = "lift"
expression = "thigh.z + k*hip.angle + t"
[analysis]
end = 0.1
)toml";

const std::string walker = R"toml(
[parameters]
L = 7
[[body]]
name = "trunk"
mass = 1
inertia = [1, 1, 1]
[[include]]
file = "parts/leg.toml"
prefix = "left_"
parameters = {L = "L - 4"}
at = [0, 0, 5]
orientation = {axis_angle = {axis = "z", angle = "pi/2"}}
[[include]]
file = "parts/leg.toml"
prefix = "right_"
)toml";

TEST_F(Reuse, include_places_renames_and_parametrises_a_file) {
  write("parts/leg.toml", leg);
  const Study study = read_study(write("walker.toml", walker));
  const Model& model = study.model;
  ASSERT_EQ(model.bodies.size(), 3u);
  const BodySpec& thigh = model.bodies[1];
  EXPECT_EQ(thigh.name, "left_thigh");
  EXPECT_EQ(thigh.mass, 3.0);
  EXPECT_LT((thigh.position - Eigen::Vector3d(0, 1, 5)).norm(), 1e-15);
  EXPECT_LT((thigh.velocity - Eigen::Vector3d(-2, 0, 0)).norm(), 1e-15);
  EXPECT_EQ(thigh.angular_velocity, Eigen::Vector3d(3, 0, 0));  // in body axes: unchanged
  EXPECT_LT((thigh.orientation.col(0) - Eigen::Vector3d::UnitY()).norm(), 1e-15);
  const JointSpec& hip = model.joints[0];
  EXPECT_EQ(hip.name, "left_hip");
  EXPECT_EQ(hip.body_a, "trunk");  // of the including file
  EXPECT_EQ(hip.body_b, "left_thigh");
  EXPECT_LT((hip.point.at - Eigen::Vector3d(0, 0, 5)).norm(), 1e-15);
  EXPECT_LT((hip.axis.direction - Eigen::Vector3d::UnitY()).norm(), 1e-15);
  EXPECT_EQ(model.measures[0].expression.text, "left_thigh.z + 30*left_hip.angle + t");
  EXPECT_EQ(model.measures[1].expression.text, "right_thigh.z + 10*right_hip.angle + t");
  EXPECT_EQ(model.bodies[2].position, Eigen::Vector3d(1, 0, 0));
  // A world force turns with the part: x of the drawing is now y.
  EXPECT_NE(model.forces[0].components[1].text.find("(1) * (30*t)"), std::string::npos)
      << model.forces[0].components[1].text;
  EXPECT_EQ(model.forces[1].components[0].text, "10*t");
  EXPECT_EQ(model.gravity, Eigen::Vector3d(0, 0, -9.81));
  EXPECT_EQ(study.analysis.end, std::nullopt);  // that of the part is left aside
}

TEST_F(Reuse, includes_can_be_repeated) {
  write("leg.toml", replaced(leg, "[\"trunk\", \"thigh\"]", "[\"thigh\"]"));
  const Study study = read_study(write("many.toml", R"toml(
[[repeat]]
count = 3
[[repeat.include]]
file = "leg.toml"
prefix = "leg_{i}_"
parameters = {L = "i + 1"}
at = ["2*i", 0, 0]
)toml"));
  ASSERT_EQ(study.model.bodies.size(), 3u);
  EXPECT_EQ(study.model.bodies[2].name, "leg_2_thigh");
  EXPECT_EQ(study.model.bodies[2].mass, 3.0);
  EXPECT_EQ(study.model.bodies[2].position, Eigen::Vector3d(5, 0, 0));
}

TEST_F(Reuse, problems_of_included_files_are_placed_there) {
  write("parts/leg.toml", replaced(leg, "mass = \"L\"", "mass = \"-L\""));
  const std::vector<Issue> found = refusals_of(write("walker.toml", walker));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].where, at("parts/leg.toml", "9:8"));
  EXPECT_NE(found[0].message.find("1 more"), std::string::npos);
}

TEST_F(Reuse, includes_that_cannot_be_are_refused_by_name) {
  write("parts/leg.toml", leg + "[[include]]\nfile = \"../walker.toml\"\nprefix = \"x\"\n");
  std::vector<Issue> found = refusals_of(write("walker.toml", walker));
  ASSERT_FALSE(found.empty());
  EXPECT_NE(found[0].message.find("cannot include itself"), std::string::npos) << found[0].message;
  EXPECT_NE(found[0].message.find("leg.toml includes"), std::string::npos) << found[0].message;

  write("parts/leg.toml", leg);
  found = refusals_of(write("walker.toml", replaced(walker, "{L = ", "{LL = ")));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].where, at("walker.toml", "11:15"));
  EXPECT_NE(found[0].message.find("no parameter 'LL'; did you mean 'L'?"), std::string::npos) << found[0].message;

  found = refusals_of(write("walker.toml", replaced(walker, "parts/leg", "parts/log")));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].message.find("log.toml' cannot be read"), std::string::npos);

  found = refusals_of(write("walker.toml", replaced(walker, "prefix = \"right_\"", "prefix = \"left_\"")));
  ASSERT_FALSE(found.empty());
  EXPECT_NE(found[0].message.find("has this name already"), std::string::npos);

  write("parts/leg.toml", "x = = 1");
  found = refusals_of(write("walker.toml", walker));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].where, at("parts/leg.toml", "1:5"));
}

TEST_F(Reuse, tables_come_from_files_beside_the_model) {
  write("data/cam.csv", "# a cam\nangle; lift; other\n0; 1; 9\n1.5; 2e1; 9\n2; -3; 9\n");
  const std::string text =
      "[[body]]\nname = \"a\"\nkind = \"particle\"\nmass = 1\n[[table]]\nname = \"cam\"\nfile = \"data/cam.csv\"\n";
  TableSpec table = read_study(write("model.toml", text)).model.tables.at(0);
  EXPECT_EQ(table.x, (std::vector<double>{0, 1.5, 2}));
  EXPECT_EQ(table.y, (std::vector<double>{1, 20, -3}));
  table = read_study(write("model.toml", text + "y_column = \"other\"\n")).model.tables.at(0);
  EXPECT_EQ(table.y, (std::vector<double>{9, 9, 9}));
  table = read_study(write("model.toml", text + "y_column = 3\n")).model.tables.at(0);
  EXPECT_EQ(table.y, (std::vector<double>{9, 9, 9}));
  std::vector<Issue> found = refusals_of(write("model.toml", text + "y_column = \"lft\"\n"));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].message.find("did you mean 'lift'?"), std::string::npos) << found[0].message;
  found = refusals_of(write("model.toml", text + "y_column = 4\n"));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].message.find("column 4 is wanted, and the file has 3"), std::string::npos) << found[0].message;
  write("data/cam.csv", "0,1\n1,2\n2,x\n");
  found = refusals_of(write("model.toml", text));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].where, at("data/cam.csv", "3:3"));
  EXPECT_NE(found[0].message.find("x"), std::string::npos) << found[0].message;
}

TEST(Settings, change_options_parameters_and_entities) {
  const Study study =
      read(pendulum, {"solver.h=1e-4", "parameters.L=4", "analysis.end=5", "body.rod.inertia=[1,1,1]",
                      "output.file=x y.h5", "solver.scaling.rho=2", "joint.hinge.axis=-x", "title=other"});
  EXPECT_EQ(study.solver.h, 1e-4);
  EXPECT_EQ(study.model.bodies[0].mass, 12.0);
  EXPECT_EQ(study.analysis.end, 5.0);
  EXPECT_EQ(study.model.bodies[0].inertia, Eigen::Matrix3d::Identity());
  EXPECT_EQ(study.output.file, "x y.h5");
  EXPECT_EQ(study.solver.scaling.rho, 2.0);
  EXPECT_EQ(study.model.joints[0].axis.direction, -Eigen::Vector3d::UnitX());
  EXPECT_EQ(study.model.title, "other");
}

TEST(Settings, reach_instances_of_repeats) {
  EXPECT_EQ(read(chain, {"parameters.N=40"}).model.bodies.size(), 40u);
  EXPECT_EQ(read(chain, {"body.link_3.mass=8"}).model.bodies[2].mass, 8.0);
}

TEST(Settings, are_refused_by_their_own_name) {
  expect_refused(pendulum, "--set solver.hh", {"unknown key 'hh'", "Allowed here: "}, {"solver.hh=1"});
  expect_refused(pendulum, "--set solver.rtoll", {"did you mean 'rtol'?"}, {"solver.rtoll=1"});
  expect_refused(pendulum, "--set solvr.h", {"unknown key 'solvr'", "did you mean 'solver'?"}, {"solvr.h=1"});
  expect_refused(pendulum, "--set solver.h", {"must be > 0"}, {"solver.h=-1"});
  expect_refused(pendulum, "--set solver.h", {"'h' must be a number", "true"}, {"solver.h=true"});
  expect_refused(pendulum, "--set parameters.l", {"no parameter 'l'", "did you mean 'L'?"}, {"parameters.l=1"});
  expect_refused(pendulum, "--set body.rood.mass", {"no body 'rood'", "did you mean 'rod'?"}, {"body.rood.mass=1"});
  expect_refused(pendulum, "--set body.rod.mas", {"unknown key 'mas'", "did you mean 'mass'?"}, {"body.rod.mas=1"});
  expect_refused(pendulum, "--set body.rod.mass", {"'mass' is -3 kg"}, {"body.rod.mass=-3"});
  expect_refused(pendulum, "--set body.rod", {"body.NAME.KEY=value"}, {"body.rod=3"});
  expect_refused(pendulum, "--set solver.h.x", {"not a table"}, {"solver.h.x=3"});
  expect_refused(pendulum, "--set nonsense", {"key=value"}, {"nonsense"});
  expect_refused(pendulum, "--set a..b", {"key=value"}, {"a..b=1"});
}

TEST(Settings, of_nothing_remove_what_the_file_says) {
  const std::string text = replaced(pendulum, "h = 1e-3", "rtol = 1e-4\nscaling = { rho = 2, k_ave = 3 }") +
                           "[output]\nfile = \"kept.h5\"\n";
  Study study = read(text, {"solver.rtol=", "solver.scaling.rho= ", "title=", "body.rod.position="});
  EXPECT_EQ(study.solver.rtol, Study().solver.rtol);
  EXPECT_FALSE(study.solver.scaling.rho);
  EXPECT_EQ(study.solver.scaling.k_ave, 3.0);
  EXPECT_EQ(study.model.title, "");
  EXPECT_EQ(study.model.bodies[0].position, Eigen::Vector3d::Zero().eval());
  EXPECT_EQ(study.output.file, "kept.h5");
  study = read(text, {"solver=", "output.file=\"\"", "body.rod.normal=", "repeat="});  // two that are not there
  EXPECT_EQ(study.solver.rtol, Study().solver.rtol);
  EXPECT_FALSE(study.solver.scaling.k_ave);
  EXPECT_EQ(study.output.file, "");
  EXPECT_EQ(read(text, {"analysis.end=", "analysis.end=3"}).analysis.end, 3.0);  // in order
}

TEST(Settings, that_remove_misspelt_keys_are_refused) {
  expect_refused(pendulum, "--set solvr", {"unknown key 'solvr'", "did you mean 'solver'?"}, {"solvr="});
  expect_refused(pendulum, "--set body.rod.colr", {"body 'rod'", "unknown key 'colr'"}, {"body.rod.colr="});
  expect_refused(pendulum, "--set body.rod.shape.colr", {"did you mean 'color'?"}, {"body.rod.shape.colr="});
  expect_refused(pendulum, "--set parameters.l", {"no parameter 'l'", "did you mean 'L'?"}, {"parameters.l="});
  expect_refused(pendulum, "--set body.rod", {"body.NAME.KEY=value"}, {"body.rod="});
  expect_refused(pendulum, "--set title.x", {"not a table"}, {"title.x="});
  expect_refused(pendulum, "--set body.rod.name", {"cannot be changed"}, {"body.rod.name="});
}

TEST(Formats, are_named_by_the_file_and_known_or_refused) {
  EXPECT_NO_THROW(read("format = 1\n" + pendulum));
  // Nothing else is said about a file that is not understood.
  const std::string text = "format = 2\n" + replaced(pendulum, "mass =", "mas =");
  expect_refused(text, "2\n", {"'format' is 2", "trammel ", "reads model files of format 1"});
  expect_refused("format = \"1\"\n" + pendulum, "\"1\"", {"'format' is \"1\""});
}

TEST_F(Reuse, included_files_have_their_own_format) {
  write("parts/leg.toml", "format = 1\n" + leg);
  EXPECT_NO_THROW(read_study(write("walker.toml", walker)));
  write("parts/leg.toml", "format = 3\n" + leg);
  const std::vector<Issue> found = refusals_of(write("walker.toml", walker));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].where, at("parts/leg.toml", "1:10"));
  EXPECT_NE(found[0].message.find("'format' is 3"), std::string::npos) << found[0].message;
}

}  // namespace
}  // namespace trammel::test_model_reader_reuse
