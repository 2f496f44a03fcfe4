// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Geometry>
#include <filesystem>
#include <fstream>

#include "model_text.h"

namespace trammel::test_model_reader_frames {
namespace {

namespace fs = std::filesystem;

const std::string arm = R"toml([parameters]
hinge = [0.1, 0.2, 0.3]
reach = "[2, 0, 0]*0.5"
tip = "hinge + reach"
[[frame]]
name = "base"
position = "hinge"
axis_angle = { axis = "x", angle = "-90 deg" }
[[body]]
name = "rod"
mass = "350 g"
inertia = [0.01, "tip.x - hinge.x", 1]
position = "hinge + 0.5*reach"
frames = { end = "tip", root = "hinge" }
[[frame]]
name = "tool"
body = "rod"
position = { body = "rod", at = [0.5, 0, "120 mm"] }
)toml";

TEST(Frames, StandForPointsAxesAndBodies) {
  const Study study = read(arm + R"toml(
[[joint]]
name = "pin"
kind = "revolute"
bodies = ["base", "rod.root"]
[[joint]]
name = "slide"
kind = "prismatic"
bodies = ["rod", "ground"]
point = "rod.end"
axis = "-base.z"
[[force]]
name = "push"
kind = "force"
body = "tool"
force = [0, 0, "2 kN*sin(t)"]
[[force]]
name = "spring"
kind = "spring_damper"
point_a = "base"
point_b = "tool"
stiffness = "40 kN/mm"
[[measure]]
name = "height"
kind = "point"
point = "tool"
[analysis]
end = "500 ms"
)toml");
  const Model& model = study.model;
  EXPECT_EQ(model.bodies[0].mass, 0.35);
  EXPECT_EQ(model.bodies[0].position, Eigen::Vector3d(0.6, 0.2, 0.3));
  EXPECT_EQ(model.joints[0].body_a, "ground");
  EXPECT_EQ(model.joints[0].body_b, "rod");
  EXPECT_EQ(model.joints[0].point.at, Eigen::Vector3d(0.1, 0.2, 0.3));
  EXPECT_TRUE(model.joints[0].axis.direction.isApprox(Eigen::Vector3d::UnitY(), 1e-15));  // z of "base"
  EXPECT_EQ(model.joints[1].point.at, Eigen::Vector3d(1.1, 0.2, 0.3));
  EXPECT_TRUE(model.joints[1].axis.direction.isApprox(-Eigen::Vector3d::UnitY(), 1e-15));
  EXPECT_EQ(model.forces[0].body_b, "rod");
  EXPECT_EQ(model.forces[0].point_b.at, Eigen::Vector3d(1.1, 0.2, 0.42));
  EXPECT_EQ(model.forces[1].body_a, "ground");
  EXPECT_EQ(model.forces[1].body_b, "rod");
  EXPECT_EQ(model.forces[1].stiffness, 4e7);
  EXPECT_EQ(model.measures[0].body_a, "rod");
  EXPECT_EQ(study.analysis.end, 0.5);
  ASSERT_EQ(model.frames.size(), 4u);
}

TEST(Frames, AreRefusedByNameAndPlaceAllAtOnce) {
  const std::string text = R"toml([parameters]
a = "[1, 0, 0] + b"
b = "2*a"
c = "c0 + 1"
[[frame]]
name = "lost"
body = "nobody"
position = [0, 0, 0]
[[frame]]
name = "first"
position = "second + [1, 0, 0]"
[[frame]]
name = "second"
position = "first"
[[body]]
name = "rod"
mass = "3 mm"
inertia = ["1 kg m^2", 1, "1 kg"]
position = ["2 furlong", 0, 0]
rotation = [[1, 0, 0], [0, -1, 0], [0, 0, 1]]
[[joint]]
name = "pin"
kind = "revolute"
bodies = ["ground", "rod"]
point = "nowhere"
axis = "y"
)toml";
  const std::vector<Issue> found = refusals(text);
  const auto says = [&](const std::string& mark, const std::string& words) {
    for (const Issue& issue : found)
      if (issue.where == place_of(text, mark) && issue.message.find(words) != std::string::npos) return;
    std::string all;
    for (const Issue& issue : found) all += issue.where + ": " + issue.message + "\n";
    ADD_FAILURE() << "nothing says '" << words << "' at " << place_of(text, mark) << ":\n" << all;
  };
  says("\"[1, 0, 0] + b\"", "in a circle: 'a' needs 'b' needs 'a'");
  says("\"c0 + 1\"", "'c0' is ");
  says("\"nobody\"", "there is no body 'nobody'");
  says("[[frame]]\nname = \"first\"", "in a circle: 'first' needs 'second' needs 'first'");
  says("\"3 mm\"", "is in m but must be in kg");
  says("\"1 kg\"]", "is in kg but must be in kg m²");
  says("\"2 furlong\"", "there is no unit 'furlong'");
  says("[[1, 0, 0]", "is a reflection");
  says("\"nowhere\"", "'nowhere' is neither a parameter nor a frame");
}

TEST(UnitsOfAFile, AreThoseOfItsBareNumbersAtKeysOfTheirKind) {
  const Study study = read(R"toml(units = { length = "mm", angle = "deg", stiffness = "N/mm" }
[parameters]
L = 200
long = "2 m"
[[body]]
name = "rod"
mass = 2
inertia = [1, 1, 1]
position = ["L/2", "long/2", 30]
axis_angle = { axis = "z", angle = 90 }
[[force]]
name = "hold"
kind = "torsion_spring"
bodies = ["rod"]
axis = "z"
stiffness = "3 N m/rad"
free_angle = "asin(1)"
[[force]]
name = "spring"
kind = "axial_spring"
bodies = ["rod"]
axis = "z"
point_a = [0, 0, 0]
point_b = [0, 0, "1 m"]
stiffness = "2 N/m"
[analysis]
end = 1
)toml");
  const BodySpec& rod = study.model.bodies[0];
  EXPECT_EQ(rod.position, Eigen::Vector3d(0.1, 1.0, 0.03));
  EXPECT_NEAR(rod.orientation(1, 0), 1.0, 1e-15);
  EXPECT_EQ(*study.model.forces[0].free_value, std::asin(1.0));  // a function gives radians
  EXPECT_EQ(study.model.forces[1].point_b.at, Eigen::Vector3d(0, 0, 1));
  EXPECT_EQ(study.model.gravity.z(), -9.81);
}

TEST(UnitsOfAFile, RefuseWhatTheyCannotDecide) {
  const std::string text = R"toml(units = { length = "mm", angle = "deg", mass = "s", force = "kp" }
[parameters]
long = "2 m"
[[body]]
name = "rod"
mass = 2
inertia = [1, 1, 1]
position = ["long + 3", 0, 0]
axis_angle = { axis = "z", angle = "pi/2" }
[[coordinate]]
name = "x"
value = 3
[analysis]
end = 1
)toml";
  const std::vector<Issue> found = refusals(text);
  std::string all;
  for (const Issue& issue : found) all += issue.where + ": " + issue.message + "\n";
  EXPECT_EQ(found.size(), 5u) << all;
  for (const char* words : {"'mass' is 's', a unit of other quantities", "'force' is 'kp', which is not a unit",
                            "say its unit", "is made of pi", "may be in rad, m"})
    EXPECT_NE(all.find(words), std::string::npos) << words << "\n" << all;
}

// ---- parts ----------------------------------------------------------------------------------------------------------

class Parts : public ::testing::Test {
 protected:
  Parts() {
    folder_ = fs::temp_directory_path() /
              ("trammel_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::create_directories(folder_);
  }
  ~Parts() override { fs::remove_all(folder_); }
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  std::string refusals_of(const fs::path& file) const {
    std::string all;
    try {
      read_study(file);
      ADD_FAILURE() << file << " was accepted";
    } catch (const InputError& error) {
      for (const Issue& issue : error.issues()) all += issue.where + ": " + issue.message + "\n";
    }
    return all;
  }
  fs::path folder_;
};

const std::string strut = R"toml(ports = { foot = "body", top = "frame", hinge = "joint" }
[parameters]
L = "norm(top - [0, 0, 0])"
[[body]]
name = "rod"
mass = "1*L"
inertia = [1, 1, 1]
position = "0.5*top"
[[joint]]
name = "ball"
kind = "spherical"
bodies = ["top", "rod"]
[[motion]]
name = "drive"
joint = "hinge"
function = "t"
[[measure]]
name = "turn"
expression = "hinge.angle + rod.x + foot.x"
)toml";

const std::string machine = R"toml([[include]]
file = "strut.toml"
prefix = "left_"
at = [0, 0, 1]
PORTS
[[body]]
name = "plate"
mass = 1
inertia = [1, 1, 1]
frames = { eye = [3, 0, 5] }
[[joint]]
name = "pin"
kind = "revolute"
bodies = ["plate"]
point = [0, 0, 0]
axis = "z"
[analysis]
end = 1
)toml";

std::string with(std::string text, const std::string& ports) { return text.replace(text.find("PORTS"), 5, ports); }

TEST_F(Parts, ArePinnedToWhatTheirPortsAreConnectedTo) {
  write("strut.toml", strut);
  const Study study = read_study(
      write("machine.toml", with(machine, "ports = { foot = \"plate\", top = \"plate.eye\", hinge = \"pin\" }")));
  const Model& model = study.model;
  EXPECT_EQ(model.bodies[0].mass, 5.0);  // the eye at (3, 0, 4) of the part's drawing
  EXPECT_EQ(model.bodies[0].position, Eigen::Vector3d(1.5, 0, 3));
  EXPECT_EQ(model.joints[0].name, "left_ball");
  EXPECT_EQ(model.joints[0].body_a, "plate");
  EXPECT_EQ(model.joints[0].point.at, Eigen::Vector3d(3, 0, 5));
  EXPECT_EQ(model.motions[0].joint, "pin");
  EXPECT_EQ(model.measures[0].expression.text, "pin.angle + left_rod.x + plate.x");
}

TEST_F(Parts, AreRefusedIfAPortIsOpenUnknownOrOfTheWrongKind) {
  write("strut.toml", strut);
  const std::string found = refusals_of(
      write("machine.toml", with(machine, "ports = { foot = \"plate.eye\", top = \"plate\", hing = \"pin\" }")));
  for (const char* words : {"machine.toml:5:18: include: the port 'foot'", "needs a body, but 'plate.eye' is a frame",
                            "needs a frame, but 'plate' is a body", "has no port 'hing'; did you mean 'hinge'?",
                            "machine.toml:1:1: include: the port 'hinge'", "is not connected"})
    EXPECT_NE(found.find(words), std::string::npos) << words << "\n" << found;
  const std::string missing = refusals_of(
      write("machine.toml", with(machine, "ports = { foot = \"plat\", top = \"plate.ey\", hinge = \"plate\" }")));
  for (const char* words : {"needs a body, and there is no 'plat'; did you mean 'plate'?",
                            "needs a frame, and there is no 'plate.ey'", "needs a joint, but 'plate' is a body"})
    EXPECT_NE(missing.find(words), std::string::npos) << words << "\n" << missing;
  EXPECT_NE(refusals_of(folder_ / "strut.toml").find("this file has a port 'foot'"), std::string::npos);
}

TEST_F(Parts, TakeHardPointsFromATable) {
  write("points.csv", "# mm\nname, x, y, z\na, 100, 200, 300\nb; 1; 2; 3\n");
  const Study study = read_study(write("machine.toml", R"toml(hardpoints = { file = "points.csv", unit = "mm" }
[[body]]
name = "rod"
mass = 1
inertia = [1, 1, 1]
position = "a + b"
)toml"));
  EXPECT_TRUE(study.model.bodies[0].position.isApprox(Eigen::Vector3d(0.101, 0.202, 0.303), 1e-15));
  write("points.csv", "a, 100, 200, 300\na, 1, 2, 3\nb, 1, 2\n3c, 1, 2, 3\n");
  const std::string found = refusals_of(folder_ / "machine.toml");
  for (const char* words :
       {"points.csv:2:1: hardpoints: there are two points 'a'", "points.csv:3:1: hardpoints: a row must",
        "points.csv:4:1: hardpoints: '3c' cannot be used"})
    EXPECT_NE(found.find(words), std::string::npos) << words << "\n" << found;
}

/// A port that is not connected, of the wrong kind or on nothing is told once, and what stands in the part is not
/// blamed for it; nor is what follows from parameters in a circle.
TEST_F(Parts, PortsThatAreNotRightAreToldOnce) {
  write("rod.toml", R"toml(ports = { base = "body", eye = "frame", pin = "joint" }
[[body]]
name = "rod"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "ball"
kind = "spherical"
bodies = ["base", "rod"]
point = "eye"
[[force]]
name = "spring"
kind = "joint_spring"
joint = "pin"
stiffness = 3
)toml");
  const std::string found = refusals_of(write("machine.toml", R"toml([parameters]
a = ["b.x + 1", 0, 0]
b = ["c.y", 0, 0]
c = ["a.x", "a.y", 0]
[[frame]]
name = "nose"
position = [0, 0, 0]
[[body]]
name = "deck"
mass = "2 stones"
inertia = [1, 1, 1]
[[include]]
file = "rod.toml"
prefix = "x_"
ports = { base = "deck" }
[[include]]
file = "rod.toml"
prefix = "y_"
ports = { base = "nose", eye = "deck", pin = "deck", hole = "deck" }
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "deck"]
point = "nosse"
axis = "nosse.z"
)toml"));
  int lines = 0;
  for (const char c : found) lines += c == '\n';
  for (const char* words :
       {"in a circle: 'a' needs 'b' needs 'c' needs 'a'", "there is no unit 'stones'",
        "rod.toml' is not connected; write ports = { eye =", "rod.toml' is not connected; write ports = { pin =",
        "rod.toml' needs a body, but 'nose' is a frame", "rod.toml' needs a frame, but 'deck' is a body",
        "rod.toml' needs a joint, but 'deck' is a body", "rod.toml' has no port 'hole'",
        "'nosse' is neither a parameter nor a frame; did you mean 'nose'?",
        "there is no frame 'nosse'; did you mean 'nose'?"})
    EXPECT_NE(found.find(words), std::string::npos) << words << "\n" << found;
  EXPECT_EQ(lines, 10) << found;
}

/// A mirrored part has positions and velocities M x, angular velocities −M ω, orientations M R M, inertias M J M.
TEST_F(Parts, MirroredAreMirrorImages) {
  write("side.toml", R"toml(
[[body]]
name = "arm"
mass = 2
inertia = [1, 1.1, 1.2, 0.1, 0.2, 0.3]
center_of_mass = [0.1, 0.2, 0.3]
position = [1, 2, 3]
axis_angle = { axis = [1, 2, 3], angle = 0.7 }
velocity = [4, 5, 6]
angular_velocity_world = [7, 8, 9]
frames = { eye = [1, 1, 1] }
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["arm"]
point = { body = "arm", at = [1, 2, 3] }
axis = [1, 2, 3]
[[body]]
name = "slider"
mass = 2
inertia = [1, 1, 1]
[[joint]]
name = "slide"
kind = "prismatic"
bodies = ["arm", "slider"]
axis = [1, 2, 3]
[[force]]
name = "push"
kind = "force"
body = "slider"
force = ["1*t", "2*t", "3*t"]
[[force]]
name = "turn"
kind = "torque"
body = "slider"
torque = ["1*t", "2*t", "3*t"]
[[force]]
name = "rubber"
kind = "bushing"
bodies = ["arm", "slider"]
point = [1, 2, 3]
K = [[1,2,0,0,0,3],[2,5,0,0,0,0],[0,0,9,0,0,0],[0,0,0,7,0,0],[0,0,0,0,8,0],[3,0,0,0,0,6]]
)toml");
  const Study study = read_study(write("machine.toml", R"toml([[include]]
file = "side.toml"
[[include]]
file = "side.toml"
prefix = "r_"
mirror = "y"
)toml"));
  const Model& model = study.model;
  const Eigen::Matrix3d M = Eigen::Vector3d(1, -1, 1).asDiagonal();
  const BodySpec &l = model.bodies[0], &r = model.bodies[2];
  EXPECT_EQ(r.name, "r_arm");
  EXPECT_TRUE(r.position.isApprox(M * l.position));
  EXPECT_TRUE(r.velocity.isApprox(M * l.velocity));
  EXPECT_TRUE(r.orientation.isApprox(M * l.orientation * M));
  EXPECT_NEAR(r.orientation.determinant(), 1.0, 1e-14);
  EXPECT_TRUE((r.orientation * r.angular_velocity).isApprox(-M * (l.orientation * l.angular_velocity)));
  EXPECT_TRUE(r.inertia.isApprox(M * l.inertia * M));
  EXPECT_TRUE(r.center_of_mass.isApprox(M * l.center_of_mass));
  EXPECT_TRUE(model.joints[2].point.at.isApprox(Eigen::Vector3d(1, -2, 3)));
  EXPECT_TRUE(model.joints[2].axis.direction.isApprox(Eigen::Vector3d(-1, 2, -3)));  // turns
  EXPECT_TRUE(model.joints[3].axis.direction.isApprox(Eigen::Vector3d(1, -2, 3)));   // slides
  EXPECT_EQ(model.forces[3].components[1].text, "(-1)*(2*t)");
  EXPECT_EQ(model.forces[4].components[0].text, "(-1)*(1*t)");
  EXPECT_EQ(model.forces[4].components[1].text, "(2*t)");
  EXPECT_EQ(model.forces[5].K(0, 1), -2.0);
  EXPECT_EQ(model.forces[5].K(0, 5), -3.0);
  EXPECT_EQ(model.forces[5].K(1, 1), 5.0);
  EXPECT_TRUE(model.frames[1].position.isApprox(Eigen::Vector3d(1, -1, 1)));
}

}  // namespace
}  // namespace trammel::test_model_reader_frames
