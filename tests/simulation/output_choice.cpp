// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "trammel/io/model_reader.h"
#include "trammel/simulation/channel_choice.h"
#include "trammel/simulation/channels.h"
#include "trammel/simulation/record_size.h"
#include "trammel/simulation/simulation.h"

/// What a run keeps: a choice of its channels, and by default not more frames than a person wants.
namespace trammel::test_output_choice {
namespace {

const std::string chain = R"toml(
gravity = [0, 0, -9.81]
[[body]]
name = "rod"
mass = 2
inertia = [0.01, 0.2, 0.2]
position = [0.5, 0, 0]
[[body]]
name = "tip"
mass = 1
inertia = [0.01, 0.1, 0.1]
position = [1.5, 0, 0]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "rod"]
point = [0, 0, 0]
axis = "y"
[[joint]]
name = "elbow"
kind = "revolute"
bodies = ["rod", "tip"]
point = [1, 0, 0]
axis = "y"
[[measure]]
name = "height"
expression = "rod.z"
unit = "m"
[[measure]]
name = "speed"
expression = "rod.vz"
unit = "m/s"
[analysis]
end = 0.5
)toml";

MemoryRecord record(const std::string& output) {
  MemoryRecord kept;
  Simulation(read_study_text(chain + output, "model.toml", {})).run(kept);
  return kept;
}

std::string refusal(const std::string& output) {
  try {
    record(output);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// Every kept number is that of the run that keeps all, in every frame.
TEST(ChosenChannels, are_those_of_the_whole_run_frame_by_frame) {
  const MemoryRecord whole = record("");
  for (const char* words : {R"(["rod.*"])", R"(["*.position.x", "energy.*"])", R"(["/bodies/tip/velocity", "speed"])",
                            R"(["elbow.reaction_force", "*"])", R"(["height", "solver.h"])", R"(["solver.*"])"}) {
    const MemoryRecord some = record(fmt::format("[output]\nchannels = {}\n", words));
    ASSERT_EQ(some.times(), whole.times()) << words;
    ASSERT_EQ(some.step_times(), whole.step_times()) << words;
    const std::vector<std::string> names = ChannelIndex(some.schema()).names();
    ASSERT_FALSE(names.empty()) << words;
    for (const std::string& name : names) EXPECT_EQ(some.read(name).values, whole.read(name).values) << name;
    for (const std::string& name : names) EXPECT_EQ(some.read(name).unit, whole.read(name).unit) << name;
  }
}

TEST(ChosenChannels, are_what_the_words_name_and_nothing_else) {
  const auto names = [](const std::string& words) {
    return ChannelIndex(record("[output]\nchannels = " + words).schema()).names();
  };
  const auto has = [](const std::vector<std::string>& all, const std::string& name) {
    return std::find(all.begin(), all.end(), name) != all.end();
  };
  const std::vector<std::string> of_rod = names(R"(["rod.*"])");
  EXPECT_TRUE(has(of_rod, "rod.position.x") && has(of_rod, "rod.angular_velocity.z") && has(of_rod, "solver.h"));
  EXPECT_FALSE(has(of_rod, "tip.position.x") || has(of_rod, "energy.total") || has(of_rod, "measures.height"));
  const std::vector<std::string> of_x = names(R"(["*.position.x"])");
  EXPECT_TRUE(has(of_x, "tip.position.y")) << "components stay together";
  EXPECT_FALSE(has(of_x, "tip.velocity.x"));
  const std::vector<std::string> of_steps = names(R"(["height", "solver.h"])");
  EXPECT_TRUE(has(of_steps, "measures.height") && has(of_steps, "solver.h"));
  EXPECT_FALSE(has(of_steps, "solver.error") || has(of_steps, "measures.speed"));
}

TEST(ChosenChannels, are_refused_by_line_with_the_nearest_name_where_they_name_nothing) {
  const std::string told =
      refusal("[output]\nchannels = [\"rodd.*\", \"height\", \"elbow.reaction_forze\", \"*.positoin\"]\n");
  EXPECT_NE(told.find("model.toml:36"), std::string::npos) << told;
  for (const char* part :
       {"'rodd.*'", "'rod.*'", "'elbow.reaction_forze'", "'elbow.reaction_force", "'*.positoin'", "'*.position'"})
    EXPECT_NE(told.find(part), std::string::npos) << part << "\n" << told;
  EXPECT_EQ(told.find("'height'"), std::string::npos) << told;
  EXPECT_NE(refusal("[output]\nchannels = []\n").find("is empty"), std::string::npos);
  EXPECT_NE(
      check(read_study_text(chain + "[output]\nchannels = [\"rodd.*\"]\n", "model.toml", {})).failure.find("rodd"),
      std::string::npos);
}

TEST(ChosenChannels, are_told_to_whoever_misses_another_one) {
  const MemoryRecord some = record("[output]\nchannels = [\"rod.*\"]\n");
  EXPECT_FALSE(is_whole(some.schema(), "position"));
  EXPECT_FALSE(is_whole(some.schema(), "energy"));
  EXPECT_NE(describe_left_out(some.schema()).find("position 1 of 2"), std::string::npos);
  EXPECT_NE(text_of(some.summary().at("note_1")).find("rod.*"), std::string::npos);
  try {
    some.read("energy.total");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("recorded are only rod.*"), std::string::npos) << error.what();
  }
  const MemoryRecord whole = record("[output]\nchannels = [\"*\"]\n");
  EXPECT_TRUE(is_whole(whole.schema(), "position") && describe_left_out(whole.schema()).empty());
}

// 500 frames; wide ones fewer, so that they fill 250 MB; never fewer than 50 are asked for; what is given is obeyed.
TEST(Frames, are_as_many_as_a_person_wants) {
  Settings given;
  given.analysis.end = 10.0;
  const auto interval = [&](double megabytes) {
    return choose_frames(given, static_cast<int>(megabytes * 1e6 / 8)).interval;
  };
  EXPECT_DOUBLE_EQ(interval(0.001), 0.02);
  EXPECT_DOUBLE_EQ(interval(0.49), 0.02);
  EXPECT_NEAR(interval(1.0), 10.0 / 250, 1e-3);
  EXPECT_DOUBLE_EQ(interval(7.6), 0.2);
  EXPECT_TRUE(choose_frames(given, 1000000).one_per_step);
  EXPECT_FALSE(choose_frames(given, 1000).one_per_step);
  given.output.interval = 0.001;
  EXPECT_DOUBLE_EQ(interval(7.6), 0.001);
  EXPECT_FALSE(choose_frames(given, 1000000).one_per_step);
}

// Free flight is exact in a few steps: wide frames are not more than these, narrow ones are.
TEST(Frames, that_are_wide_are_not_more_than_steps) {
  const auto fly = [](int n, const std::string& output) {
    std::string text = "gravity = [0, 0, -9.81]\n";
    for (int i = 0; i < n; ++i)
      text += fmt::format("[[body]]\nname = \"p{}\"\nkind = \"particle\"\nmass = 1\nposition = [{}, 0, 0]\n", i, i);
    MemoryRecord kept;
    Simulation(read_study_text(text + "[analysis]\nend = 2\n[solver]\nintegrator = \"runge_kutta\"\n" + output,
                               "model.toml", {}))
        .run(kept);
    EXPECT_DOUBLE_EQ(kept.times().front(), 0.0);
    EXPECT_DOUBLE_EQ(kept.times().back(), 2.0);
    return kept;
  };
  const MemoryRecord narrow = fly(10, "");
  EXPECT_EQ(narrow.times().size(), 501u);
  const MemoryRecord wide = fly(3600, "");
  ASSERT_GT(8 * wide.schema().frame_width(), 500000);
  EXPECT_LE(wide.times().size(), wide.step_times().size() + 1);
  EXPECT_LT(wide.step_times().size(), 100u);
  EXPECT_NE(text_of(wide.summary().at("frames")).find("not more than steps"), std::string::npos);
  // What is kept of them may be narrow.
  EXPECT_LT(8 * count_kept_numbers(wide.schema(), std::vector<std::string>{"p1.*", "energy.*"}), 1000);
  EXPECT_EQ(count_kept_numbers(wide.schema(), std::nullopt), wide.schema().frame_width());
}

}  // namespace
}  // namespace trammel::test_output_choice
