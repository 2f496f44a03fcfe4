// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "places.h"
#include "trammel/io/csv.h"
#include "trammel/io/model_reader.h"
#include "trammel/io/report.h"
#include "trammel/io/results_file.h"
#include "trammel/io/results_reader.h"
#include "trammel/simulation/channel_table.h"
#include "trammel/simulation/channels.h"
#include "trammel/simulation/simulation.h"

// A channel is described and written at one place: schema, values, files and documents follow from that.

namespace trammel {
namespace {

namespace fs = std::filesystem;

const std::string pendulum = R"toml(
title = "Pendulum"
gravity = [0, 0, -9.81]
[[body]]
name = "rod"
mass = 2
inertia = [0.001, 0.2, 0.2]
position = [0.5, 0, 0]
[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "rod"]
point = [0, 0, 0]
axis = "y"
[analysis]
end = 0.1
[solver]
h = 1e-2
[output]
interval = 0.02
)toml";

Study study() { return read_study_text(pendulum, "pendulum.toml"); }

// The height of the rod's centre above its lowest place, and its momentum: two channels of a user.
FrameChannel height() {
  return {.quantity = "height",
          .unit = "m",
          .meaning = "of the rod's centre above its lowest place",
          .write = [](const FrameInstant& at, ChannelValues& out) {
            out.put(at.k.frames[at.assembly.body_frame[0]].p.z() + 0.5);
          }};
}
FrameChannel momentum() {
  return {.quantity = "momentum",
          .components = {"x", "y", "z"},
          .unit = "N s",
          .meaning = "of the rod, world axes",
          .write = [](const FrameInstant& at, ChannelValues& out) {
            out.put(Vec3<double>(2.0 * at.k.frames[at.assembly.body_frame[0]].v));
          }};
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

struct Scratch {
  fs::path path = fs::temp_directory_path() / ("trammel_channels_" + std::to_string(getpid()));
  Scratch() { fs::create_directories(path); }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

TEST(OwnChannel, is_in_schema_values_index_file_tables_and_report) {
  Simulation simulation(study());
  simulation.add_channel(height());
  simulation.add_channel(momentum());
  const RecordSchema schema = simulation.make_schema();
  const TablePlace table = schema.find_table("/frames/momentum");
  ASSERT_TRUE(table);
  EXPECT_EQ(schema.frames[static_cast<std::size_t>(table.group)].unit, "N s");
  EXPECT_EQ(schema.frames[static_cast<std::size_t>(table.group)].description, "of the rod, world axes");
  EXPECT_EQ(table.column + table.width, schema.frame_width()) << "behind the channels of the library";
  const ChannelPlace place = ChannelIndex(schema).find("momentum.z");
  EXPECT_EQ(place.column, table.column + 2);
  EXPECT_EQ(ChannelIndex(schema).find("/frames/height").column, schema.find_table("/frames/height").column);

  const Scratch scratch;
  const fs::path path = scratch.path / "own.h5";
  {
    ResultsFile file(path);
    ASSERT_TRUE(simulation.run(file).completed);
  }
  const ResultsReader results(path);
  const Series h = results.read("height"), z = results.read("rod.position.z"), p = results.read("momentum"),
               v = results.read("rod.velocity");
  ASSERT_EQ(h.values.rows(), 6);
  EXPECT_EQ(h.unit, "m");
  for (Eigen::Index i = 0; i < 6; ++i) {
    EXPECT_EQ(h.values(i, 0), z.values(i, 0) + 0.5);
    EXPECT_EQ(p.values.row(i), 2.0 * v.values.row(i));
  }
  export_csv(results, scratch.path);
  const Table csv = read_table_csv(scratch.path / "momentum.csv");
  EXPECT_EQ(csv.column("momentum.z").back(), p.values(5, 2));
  const fs::path page = scratch.path / "own.html";
  const std::vector<ReportContents> contents =
      write_report(std::vector{path}, page, {.channels = {"height", "momentum.z"}});
  EXPECT_EQ(contents[0].n_complete, schema.frame_width());
  const std::string lines = channel_table({height(), momentum()}, {});
  EXPECT_NE(lines.find("| `/frames/momentum` (x, y, z) |  | N s | of the rod, world axes |\n"), std::string::npos)
      << lines;
}

TEST(OwnChannel, may_have_items_with_views) {
  Simulation simulation(study());
  simulation.add_channel({.quantity = "speed",
                          .view = "/bodies/{name}/speed",
                          .unit = "m/s",
                          .meaning = "of the centre of mass",
                          .items =
                              [](const FrameSource& source) {
                                ChannelItems items;
                                for (const BodySpec& body : source.model.bodies) items.names.push_back(body.name);
                                return items;
                              },
                          .write =
                              [](const FrameInstant& at, ChannelValues& out) {
                                for (const int f : at.assembly.body_frame) out.put(at.k.frames[f].v.norm());
                              }});
  MemoryRecord record;
  ASSERT_TRUE(simulation.run(record).completed);
  EXPECT_EQ(record.read("rod.speed").values(5, 0), record.read("rod.velocity").values.row(5).norm());
}

// Counting is the library's business: a writer that is wrong about it cannot shift other channels.
TEST(OwnChannel, that_writes_too_few_or_too_many_numbers_stops_at_the_first_frame) {
  for (const int n : {0, 2, 4}) {
    FrameChannel channel = momentum();
    channel.write = [n](const FrameInstant&, ChannelValues& out) {
      for (int i = 0; i < n; ++i) out.put(0.0);
    };
    Simulation simulation(study());
    simulation.add_channel(channel);
    MemoryRecord record;
    EXPECT_EQ(message_of([&] { simulation.run(record); }),
              "channel '/frames/momentum' has room for 3 numbers (items × components), but its function wrote " +
                  std::to_string(n));
    EXPECT_TRUE(record.times().empty());
  }
}

TEST(OwnChannel, is_refused_with_everything_that_is_wrong) {
  Simulation simulation(study());
  const auto refusal = [&](FrameChannel channel) { return message_of([&] { simulation.add_channel(channel); }); };
  FrameChannel wrong = height();
  wrong.meaning = "", wrong.write = {};
  EXPECT_NE(refusal(wrong).find("meaning"), std::string::npos);
  EXPECT_NE(refusal(wrong).find("no function"), std::string::npos);
  wrong = height(), wrong.quantity = "beam_strain";  // this machine has none, but another will
  EXPECT_NE(refusal(wrong).find("is a channel of the library"), std::string::npos);
  wrong = height(), wrong.quantity = "two/words";
  EXPECT_NE(refusal(wrong).find("one word"), std::string::npos);
  simulation.add_channel(height());
  EXPECT_NE(refusal(height()).find("used twice"), std::string::npos);
  EXPECT_EQ(simulation.make_schema().issues().size(), 0u) << "what was refused left nothing behind";
}

TEST(Channels, of_the_library_have_one_name_and_a_meaning_each) {
  std::set<std::string> names;
  for (const FrameChannel& channel : frame_channels()) {
    EXPECT_TRUE(names.insert("/frames/" + channel.quantity).second) << channel.quantity;
    // Only rates may be silent: they follow what they are the rates of.
    EXPECT_TRUE(!channel.meaning.empty() || channel.quantity.ends_with("_rate") || channel.quantity == "point_velocity")
        << channel.quantity;
  }
  for (const StepChannel& channel : step_channels()) {
    EXPECT_TRUE(names.insert("/solver/" + channel.quantity).second) << channel.quantity;
    EXPECT_FALSE(channel.meaning.empty()) << channel.quantity;
  }
}

TEST(Channels, are_listed_in_the_documentation_as_they_are) {
  std::ifstream file(places::source_dir() / "docs/results.md");
  std::ostringstream text;
  text << file.rdbuf();
  const std::string page = text.str(), begin = "<!-- channels -->\n\n", end = "\n<!-- /channels -->\n";
  const std::size_t from = page.find(begin), to = page.find(end);
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos) << "docs/results.md has lost its marks " << begin;
  EXPECT_EQ(page.substr(from + begin.size(), to - from - begin.size()), channel_table())
      << "docs/results.md does not list the channels as the library describes them: `./dev tables` writes it anew";
}

}  // namespace
}  // namespace trammel
