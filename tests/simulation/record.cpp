// SPDX-License-Identifier: Apache-2.0
#include "trammel/simulation/record.h"

#include <gtest/gtest.h>

#include "trammel/simulation/channels.h"

namespace trammel {
namespace {

RecordSchema two_rods() {
  RecordSchema schema;
  schema.frames = {
      {"/frames/position", {"rod", "arm.left"}, {"x", "y", "z"}, "m", "", "/bodies/{name}/position"},
      {"/frames/angle", {"hinge", "rod"}, {}, "rad", "", "/joints/{name}/angle"},
      {"/frames/joint_position", {"rod"}, {"x", "y", "z"}, "m", "", "/joints/{name}/position"},
      {"/frames/energy", {"kinetic", "total"}, {"value"}, "J", "", "/energy/{name}"},
      {"/frames/mode", {"first", "second"}, {}, "", "", "", {"m", "rad"}},
  };
  schema.solver = {RecordGroup::scalar("/solver/h", "s", "step size"),
                   RecordGroup::scalar("/solver/order", "", "order of the method")};
  return schema;
}

std::string message_of(const ChannelIndex& index, const std::string& name) {
  try {
    (void)index.find(name);
  } catch (const InputError& error) {
    return error.what();
  }
  return "found";
}

TEST(ChannelIndex, finds_a_channel_under_each_of_its_names) {
  const RecordSchema schema = two_rods();
  const ChannelIndex index(schema);
  const auto place = [&](const std::string& name) {
    const ChannelPlace p = index.find(name);
    return std::vector<int>{p.solver, p.group, p.item, p.component};
  };
  EXPECT_EQ(place("arm.left.position"), (std::vector<int>{0, 0, 1, -1}));
  EXPECT_EQ(place("arm.left.position.z"), (std::vector<int>{0, 0, 1, 2}));
  EXPECT_EQ(place("/bodies/arm.left/position/y"), (std::vector<int>{0, 0, 1, 1}));
  EXPECT_EQ(place("energy.total"), (std::vector<int>{0, 3, 1, -1}));
  EXPECT_EQ(place("energy.total.value"), (std::vector<int>{0, 3, 1, 0}));
  EXPECT_EQ(place("total"), (std::vector<int>{0, 3, 1, -1}));
  EXPECT_EQ(place("hinge"), (std::vector<int>{0, 1, 0, -1}));
  EXPECT_EQ(place("mode.second"), (std::vector<int>{0, 4, 1, -1}));
  EXPECT_EQ(place("solver.order"), (std::vector<int>{1, 1, 0, -1}));
  EXPECT_EQ(place("/solver/h"), (std::vector<int>{1, 0, 0, -1}));
}

TEST(ChannelIndex, names_the_candidates_of_an_ambiguous_and_the_neighbour_of_a_wrong_name) {
  const RecordSchema schema = two_rods();
  const ChannelIndex index(schema);
  EXPECT_NE(message_of(index, "rod.position.x").find("'/bodies/rod/position' and '/joints/rod/position'"),
            std::string::npos);
  EXPECT_NE(message_of(index, "hinge.angel").find("did you mean 'hinge.angle'?"), std::string::npos);
  EXPECT_NE(message_of(index, "arm.left.position.w").find("did you mean 'arm.left.position"), std::string::npos);
  EXPECT_NE(message_of(index, "").find("does not exist"), std::string::npos);
}

TEST(ChannelIndex, lists_names_that_it_finds_itself) {
  RecordSchema schema = two_rods();
  schema.frames.erase(schema.frames.begin() + 2);  // the ambiguous one
  const ChannelIndex index(schema);
  const std::vector<std::string> names = index.names();
  EXPECT_EQ(names.size(), 2u * 3 + 2 + 2 + 2 + 2);
  for (const std::string& name : names) EXPECT_EQ(message_of(index, name), "found") << name;
}

TEST(ViewPath, is_safe_for_any_name) {
  const RecordGroup group{"/frames/a", {"a/b", ".", "..", "", ".x"}, {}, "", "", "/bodies/{name}/a"};
  const std::vector<std::string> expected{"a_b", "_", "_.", "_", ".x"};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(view_path(group, i), "/bodies/" + expected[static_cast<std::size_t>(i)] + "/a");
}

TEST(MemoryRecord, gives_back_each_channel_and_row) {
  const RecordSchema schema = two_rods();
  MemoryRecord record(3, 2);
  record.begin(schema);
  ASSERT_EQ(schema.frame_width(), 6 + 2 + 3 + 2 + 2);
  std::vector<double> values(static_cast<std::size_t>(schema.frame_width()));
  for (int row = 0; row < 3; ++row) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 100.0 * row + static_cast<double>(i);
    record.frame(0.5 * row, values);
  }
  record.step(0.25, std::vector<double>{0.25, 2});
  record.step(0.75, std::vector<double>{0.5, 3});
  record.end({{"stop", "end time reached"}});

  const Series left = record.read("arm.left.position");
  ASSERT_EQ(left.values.rows(), 3);
  EXPECT_EQ(left.values.row(2), Eigen::RowVector3d(203, 204, 205));
  EXPECT_EQ(left.time, (std::vector<double>{0.0, 0.5, 1.0}));
  EXPECT_EQ(record.read("total").values(1, 0), 112.0);
  EXPECT_EQ(record.read("mode.second").unit, "rad");
  EXPECT_EQ(record.read("solver.order").values(1, 0), 3.0);
  EXPECT_EQ(record.frame_values(1)[7], 107.0);
  EXPECT_EQ(record.step_values(1)[0], 0.5);
  EXPECT_EQ(text_of(record.summary().at("stop")), "end time reached");
  EXPECT_THROW(record.frame(2.0, std::vector<double>(3)), Error);
}

}  // namespace
}  // namespace trammel
