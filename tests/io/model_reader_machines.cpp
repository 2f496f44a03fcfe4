// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <map>
#include <sstream>

#include "model_text.h"
#include "places.h"
#include "trammel/simulation/simulation.h"

/// Machines made of parts with ports and mirrors compute what the same machines do in one file, or as mirror images.
namespace trammel::test_machines_in_parts {
namespace {

std::filesystem::path machine(const std::string& name) { return places::source_dir() / "examples/machines" / name; }

MemoryRecord run(const Study& study) {
  MemoryRecord record;
  const Summary summary = Simulation(study).run(record);
  EXPECT_TRUE(summary.completed) << summary.failure;
  return record;
}

/// The numbers of one item: rows are frames.
Eigen::MatrixXd values(const MemoryRecord& record, const RecordGroup& group, std::size_t item) {
  const int n = group.n_components(), column = record.schema().find_table(group.path).column;
  Eigen::MatrixXd all(static_cast<int>(record.times().size()), n);
  for (int i = 0; i < all.rows(); ++i)
    for (int k = 0; k < n; ++k)
      all(i, k) = record.frame_values(
          i)[static_cast<std::size_t>(column) + item * static_cast<std::size_t>(n) + static_cast<std::size_t>(k)];
  return all;
}

using Names = std::map<std::string, std::string>;  // of the machine in parts -> in one file

/// Every channel of the reference is found under its name in parts, with the same numbers.
void expect_equal(const MemoryRecord& parts, const MemoryRecord& whole, const Names& names, double tolerance) {
  ASSERT_EQ(parts.times(), whole.times());
  int n_compared = 0;
  for (const RecordGroup& group : parts.schema().frames)
    for (const RecordGroup& other : whole.schema().frames) {
      if (other.path != group.path) continue;
      for (std::size_t i = 0; i < group.names.size(); ++i) {
        const auto renamed = names.find(group.names[i]);
        const std::string& name = renamed == names.end() ? group.names[i] : renamed->second;
        const auto at = std::find(other.names.begin(), other.names.end(), name);
        if (at == other.names.end()) continue;
        ++n_compared;
        const Eigen::MatrixXd a = values(parts, group, i),
                              b = values(whole, other, static_cast<std::size_t>(at - other.names.begin()));
        EXPECT_LE((a - b).cwiseAbs().maxCoeff(), tolerance * (1.0 + b.cwiseAbs().maxCoeff()))
            << group.path << " " << name;
      }
    }
  int n_wanted = 0;
  for (const RecordGroup& group : whole.schema().frames) n_wanted += group.n_items();
  EXPECT_EQ(n_compared, n_wanted);
}

TEST(MachinesInParts, TheExcavatorIsTheOneWithoutPorts) {
  const Study whole = read_study(places::source_dir() / "tests/io/data/excavator_without_ports.toml");
  const Study parts = read_study(machine("excavator.toml"));
  const Names names{{"c1_drive", "boom_cyl"},
                    {"c2_drive", "stick_cyl"},
                    {"c3_drive", "bucket_cyl"},
                    {"c1_force", "boom_force"},
                    {"c1_pressure", "pressure"}};
  // Pins come before slides there and after them here: rounding differs.
  expect_equal(run(parts), run(whole), names, 1e-9);
}

TEST(MachinesInParts, TheRobotIsTheOneInOneFile) {
  const Study whole = read_study(places::source_dir() / "tests/io/data/robot_in_one_file.toml");
  const Study parts = read_study(machine("robot.toml"));
  Names names;
  int i = 0;
  for (const char* link : {"shoulder", "upper_arm", "forearm", "wrist1", "wrist2", "wrist3"}) {
    ++i;
    names[std::string(link) + "_link"] = link;
    for (const char* kind : {"j", "pd", "motor", "power"})
      names[link + ("_" + (kind + std::to_string(i)))] = kind + std::to_string(i);
    for (const char* state : {"integral", "filtered"})
      names[fmt::format("{}_pd{}.{}", link, i, state)] = fmt::format("pd{}.{}", i, state);
  }
  expect_equal(run(parts), run(whole), names, 1e-12);
}

/// Signs of components under a reflection of y: polar vectors, axial vectors, quaternions, and numbers that keep
/// theirs.
Eigen::VectorXd signs_of(const std::string& quantity, int n) {
  static const std::vector<std::string> axial{"angular_velocity", "angular_acceleration", "reaction_moment",
                                              "applied_moment"};
  if (n == 3 && std::find(axial.begin(), axial.end(), quantity) != axial.end()) return Eigen::Vector3d(-1, 1, -1);
  if (n == 3) return Eigen::Vector3d(1, -1, 1);
  if (n == 4) return Eigen::Vector4d(1, -1, 1, -1);
  return Eigen::VectorXd::Ones(n);
}

TEST(MachinesInParts, AMirroredSideMovesAsTheMirrorImageInAllFrames) {
  std::ifstream file(machine("front_axle.toml"));
  std::stringstream buffer;
  buffer << file.rdbuf();
  std::string text = buffer.str();
  for (const auto& [from, to] :
       std::map<std::string, std::string>{{"parameters = { load = \"4.5 kN\" }\n", ""}, {"12 mm)", "0 mm)"}}) {
    ASSERT_NE(text.find(from), std::string::npos);
    text.replace(text.find(from), from.size(), to);
  }
  for (const char* settings : {"solver.coordinates=joint", "solver.coordinates=absolute"}) {
    const std::vector<std::string> set{settings, "analysis.end=1"};
    const MemoryRecord record = run(read_study_text(text, machine("front_axle.toml"), set));
    int n_compared = 0;
    double largest_motion = 0.0;
    for (const RecordGroup& group : record.schema().frames)
      for (std::size_t i = 0; i < group.names.size(); ++i) {
        if (!group.names[i].starts_with("left_")) continue;
        const auto twin = std::find(group.names.begin(), group.names.end(), "right_" + group.names[i].substr(5));
        ASSERT_NE(twin, group.names.end());
        const Eigen::MatrixXd left = values(record, group, i),
                              right = values(record, group, static_cast<std::size_t>(twin - group.names.begin()));
        const Eigen::VectorXd signs = signs_of(group.quantity(), group.n_components());
        const double error = (left * signs.asDiagonal() - right).cwiseAbs().maxCoeff();
        EXPECT_LE(error, 1e-7 * (1.0 + left.cwiseAbs().maxCoeff()))
            << settings << " " << group.path << " " << group.names[i];
        if (group.quantity() == "angle") largest_motion = std::max(largest_motion, left.cwiseAbs().maxCoeff());
        ++n_compared;
      }
    EXPECT_GT(n_compared, 40);
    EXPECT_GT(largest_motion, 0.01);
  }
}

/// Four hinges of rigid bodies in a plane: what is advised has the same freedom and no redundant row, and `run` says
/// what `check` says.
TEST(MachinesInParts, TheCureOfALoopThatIsHeldTooOftenCuresIt) {
  const std::filesystem::path file = places::source_dir() / "tests/apps/models/four_bar.toml";
  const CheckReport held = check(read_study(file));
  ASSERT_EQ(held.redundant.size(), 3u);
  const std::string advice = held.redundant.back().substr(held.redundant.back().find('\n') + 1);
  for (const char* words :
       {"4 parallel axes", "hold the loop 3 times too often", "joint 'rocker_pivot': kind = \"spherical\"",
        "joint 'rocker_pin': kind = \"universal\", axis = [0, 1, 0], axis_b = [-1, 0, 0]",
        "redundant = \"minimum_norm\""})
    EXPECT_NE(advice.find(words), std::string::npos) << words << "\n" << advice;
  try {
    Simulation simulation(read_study(file));
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(advice), std::string::npos) << error.what();
  }
  const std::vector<std::string> cure{"joint.rocker_pivot.kind=spherical",
                                      "joint.rocker_pivot.axis=", "joint.rocker_pin.kind=universal",
                                      "joint.rocker_pin.axis=[0, 1, 0]", "joint.rocker_pin.axis_b=[-1, 0, 0]"};
  const CheckReport cured = check(read_study(file, cure));
  EXPECT_TRUE(cured.redundant.empty());
  EXPECT_EQ(cured.degrees_of_freedom, held.degrees_of_freedom);
}

}  // namespace
}  // namespace trammel::test_machines_in_parts
