// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <fstream>

#include "model_text.h"
#include "places.h"
#include "trammel/simulation/simulation.h"

/// Beams, tracks, wheels on rails and roads in mirrored parts: the machine moves as the mirror image of the drawn one.
namespace trammel::test_mirrors {
namespace {

class Mirrors : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() /
        fmt::format("trammel_mirrors_{}_{}", getpid(), ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  MemoryRecord run(const std::string& text, const std::string& coordinates) const {
    const std::vector<std::string> set{"solver.coordinates=" + coordinates};
    MemoryRecord record;
    const Summary summary = Simulation(read_study(write("machine.toml", text), set)).run(record);
    EXPECT_TRUE(summary.completed) << summary.failure;
    return record;
  }
  std::string refusals_of(const std::filesystem::path& file) const {
    std::string all;
    try {
      read_study(file);
      ADD_FAILURE() << file << " was accepted";
    } catch (const InputError& error) {
      for (const Issue& issue : error.issues()) all += issue.where + ": " + issue.message + "\n";
    }
    return all;
  }
  std::filesystem::path folder_;
};

/// Every number of every frame of one is that of the other, reflected at the plane through p that changes the sign of
/// the components where s is −1. Strains and forces of beams stand in axes (e₁, −e₂, e₃) of the image.
void expect_images(const MemoryRecord& drawn, const MemoryRecord& image, const Eigen::Vector3d& s,
                   const Eigen::Vector3d& p, double tolerance) {
  ASSERT_EQ(drawn.schema().frames.size(), image.schema().frames.size());
  for (std::size_t g = 0; g < drawn.schema().frames.size(); ++g) {
    const RecordGroup& group = drawn.schema().frames[g];
    const int n = group.n_components(), column = drawn.schema().find_table(group.path).column;
    const std::string quantity = group.quantity();
    const bool axial = quantity.find("angular") != std::string::npos || quantity.find("moment") != std::string::npos;
    Eigen::VectorXd signs = Eigen::VectorXd::Ones(n), shift = Eigen::VectorXd::Zero(n);
    if (n == 3) signs = axial ? Eigen::VectorXd(-s) : Eigen::VectorXd(s);
    if (n == 3 && quantity == "position") shift = p - s.cwiseProduct(p);
    if (n == 4) signs << 1.0, -s;
    if (n == 6) signs << 1, -1, 1, -1, 1, -1;
    double size = 0.0, error = 0.0;
    for (int i = 0; i < static_cast<int>(drawn.times().size()); ++i)
      for (int item = 0; item < group.n_items(); ++item) {
        const std::size_t from = static_cast<std::size_t>(column + item * n);
        const Eigen::VectorXd a = Eigen::Map<const Eigen::VectorXd>(drawn.frame_values(i).data() + from, n);
        Eigen::VectorXd b = Eigen::Map<const Eigen::VectorXd>(image.frame_values(i).data() + from, n);
        const Eigen::VectorXd expected = signs.cwiseProduct(a) + shift;
        if (n == 4 && expected.dot(b) < 0.0) b = -b;  // one rotation
        size = std::max(size, a.lpNorm<Eigen::Infinity>());
        error = std::max(error, (expected - b).lpNorm<Eigen::Infinity>());
      }
    EXPECT_LE(error, tolerance * (1.0 + size)) << group.path;
  }
}

const std::string arm = R"toml(ports = { deck = "body" }
[[body]]
name = "tip"
mass = 0.7
inertia = [0.02, 0.025, 0.03, 0.001, 0.002, 0.003]
position = [1.0, 0.5, 0.3]
[[beam]]
name = "arm"
points = [[0.1, 0.2, 0.0], [0.6, 0.3, 0.1], [0.95, 0.5, 0.25]]
elements = 1
order = 2
up = [0.1, 0.2, 1]
twist = 0.4
damping = 1e-3
start_body = "deck"
end_body = "tip"
section = { kind = "given", mass = 0.5, inertia = [0.002, 0.0012, 0.0015], center_of_mass = [0, 0.01, 0.02], width = 0.02, height = 0.04, stiffness = [[1e4, 100, 200, 30, 40, 50], [100, 4e3, 300, 20, 10, 60], [200, 300, 5e3, 15, 25, 35], [30, 20, 15, 60, 2, 3], [40, 10, 25, 2, 90, 4], [50, 60, 35, 3, 4, 120]] }
pre_stress = [1, 2, 3, 0.1, 0.2, 0.3]
loads = [{ force = ["2*sin(9*t)", 3, 1], moment = [0.1, 0.2, 0.3] }, { force = [0.5, 0.7, 0.3], moment = [0.1, 0.2, -0.1], follower = true }]
velocity = [0.1, 0.2, 0.3]
angular_velocity_world = [0.3, 0.2, 0.1]
)toml";

// A bent, twisted beam whose section couples everything, with loads and pre-stress, between a body of the part and one
// outside, which takes up a part of its mass.
TEST_F(Mirrors, beams_move_as_images_in_every_plane) {
  write("arm.toml", arm);
  const Eigen::Vector3d p(0.1, 0.2, 0.3), deck(-0.2, 0.1, 0.05), v(0.05, 0.02, 0.03), w(0.2, 0.1, 0.3);
  const auto machine = [&](const Eigen::Vector3d& s, const std::string& mirror) {
    const Eigen::Vector3d at = p + s.cwiseProduct(deck - p), velocity = s.cwiseProduct(v),
                          spin = mirror.empty() ? w : Eigen::Vector3d(-s.cwiseProduct(w));
    const auto list = [](const Eigen::Vector3d& x) { return fmt::format("[{}, {}, {}]", x[0], x[1], x[2]); };
    return fmt::format(
        "gravity = [0, 0, 0]\n[[body]]\nname = \"deck\"\nmass = 3\ninertia = [0.4, 0.5, 0.6]\nposition = {}\n"
        "velocity = {}\nangular_velocity = {}\n[[include]]\nfile = \"arm.toml\"\nat = {}\n{}"
        "ports = {{ deck = \"deck\" }}\n[analysis]\nend = 0.02\n[output]\ninterval = 0.005\n"
        "[solver]\nrtol = 1e-8\natol = 1e-9\n",
        list(at), list(velocity), list(spin), list(p), mirror);
  };
  for (const std::string coordinates : {"absolute", "joint"}) {
    const MemoryRecord drawn = run(machine(Eigen::Vector3d::Ones(), ""), coordinates);
    for (int plane = 0; plane < 3; ++plane) {
      SCOPED_TRACE(fmt::format("{} {}", coordinates, "xyz"[plane]));
      Eigen::Vector3d s = Eigen::Vector3d::Ones();
      s[plane] = -1.0;
      expect_images(drawn, run(machine(s, fmt::format("mirror = \"{}\"\n", "xyz"[plane])), coordinates), s, p, 1e-6);
    }
  }
}

// A wheelset on a line that begins to curve: its image runs on the line that curves the other way, left wheel on the
// right.
TEST_F(Mirrors, wheels_on_rails_run_as_images_in_the_plane_of_the_line) {
  std::filesystem::copy(places::source_dir() / "examples/12_carriage/parts", folder_ / "parts");
  write("carriage.toml", R"toml(
[[track]]
name = "line"
kind = "ramps"
from = -20
to = 60
positions = [2.0, 10.0]
changes = [0.002, -0.004]
ramp = 4
[[include]]
file = "parts/vehicle.toml"
parameters = { V = 25 }
[[include]]
file = "parts/wheels_cone.toml"
parameters = { V = 25, lam = 0.1 }
)toml");
  const auto machine = [](const std::string& mirror) {
    return "gravity = [0, 0, -9.81]\n[[include]]\nfile = \"carriage.toml\"\n" + mirror +
           "[analysis]\nend = 0.8\n[output]\ninterval = 0.1\n[solver]\nintegrator = \"bdf\"\nrtol = 1e-6\natol = "
           "1e-6\n";
  };
  for (const std::string coordinates : {"joint", "absolute"}) {
    SCOPED_TRACE(coordinates);
    const MemoryRecord drawn = run(machine(""), coordinates);
    expect_images(drawn, run(machine("mirror = \"y\"\n"), coordinates), {1, -1, 1}, {0, 0, 0}, 1e-9);
    EXPECT_GT(drawn.read("wheelset_1.position").values.col(1).cwiseAbs().maxCoeff(), 0.01);  // not along the plane
  }
  const std::string told = refusals_of(write("machine.toml", machine("mirror = \"x\"\n")));
  for (const char* words : {"track 'line' stands in a part with mirror = \"x\"", "runs along x", "carriage.toml:2:"})
    EXPECT_NE(told.find(words), std::string::npos) << words << "\n" << told;
}

TEST_F(Mirrors, roads_are_images_where_they_have_one) {
  write("road.toml", R"toml(
[[road]]
name = "grid"
kind = "table"
slope = 0.1
bank = 0.2
x = [0, 1, 3]
y = [-1, 2]
z = [1, 2, 3, 4, 5, 6]
[[road]]
name = "hump"
kind = "bump"
start = 2
length = 3
height = 0.1
)toml");
  const std::string random = "[[road]]\nname = \"rough\"\nkind = \"random\"\nclass = \"C\"\n";
  const auto machine = [](const std::string& mirror) {
    return "[[body]]\nname = \"b\"\nmass = 1\ninertia = [1, 1, 1]\n[[include]]\nfile = \"road.toml\"\n" + mirror +
           "[analysis]\nend = 1\n";
  };
  using Numbers = std::vector<double>;
  const Study in_y = read_study(write("machine.toml", machine("mirror = \"y\"\n")));
  EXPECT_EQ(in_y.model.roads[0].y, (Numbers{-2, 1}));
  EXPECT_EQ(in_y.model.roads[0].z, (Numbers{2, 1, 4, 3, 6, 5}));
  EXPECT_EQ(in_y.model.roads[0].bank, -0.2);
  EXPECT_EQ(in_y.model.roads[0].slope, 0.1);
  EXPECT_EQ(in_y.model.roads[1].start, 2.0);
  const Study in_x = read_study(write("machine.toml", machine("mirror = \"x\"\n")));
  EXPECT_EQ(in_x.model.roads[0].x, (Numbers{-3, -1, 0}));
  EXPECT_EQ(in_x.model.roads[0].z, (Numbers{5, 6, 3, 4, 1, 2}));
  EXPECT_EQ(in_x.model.roads[0].slope, -0.1);
  EXPECT_EQ(in_x.model.roads[1].start, -5.0);
  write("road.toml", random);
  EXPECT_NO_THROW(read_study(write("machine.toml", machine("mirror = \"y\"\n"))));
  for (const char* mirror : {"mirror = \"x\"\n", "mirror = \"z\"\n", "mirror = \"y\"\nat = [0, 1, 0]\n"}) {
    const std::string told = refusals_of(write("machine.toml", machine(mirror)));
    EXPECT_NE(told.find("road.toml:1:1: road 'rough' stands in a part with mirror"), std::string::npos) << told;
  }
}

}  // namespace
}  // namespace trammel::test_mirrors
