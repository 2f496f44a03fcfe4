// SPDX-License-Identifier: Apache-2.0
#include <regex>

#include "program.h"
#include "support/old_results.h"
#include "trammel/io/csv.h"
#include "trammel/io/results_reader.h"

// `trammel info`, `export`, `repair` and `check`, on results that the program itself made.

namespace trammel::test_results {
namespace {

using program::call;
using program::Child;
using program::contains;
using program::Folder;
using program::lines_of;
using program::model_path;
using program::Outcome;
using program::read_text;

const std::string pendulum = model_path("pendulum.toml");

TEST(Check, counts_freedoms_and_writes_nothing) {
  const Folder folder;
  const Outcome check = call(folder, {"check", pendulum});
  EXPECT_EQ(check.code, 0);
  EXPECT_SAYS(check.out, "1 bodies, 6 coordinates, 5 constraint rows of rank 5, 0 states: 1 degrees of freedom");
  EXPECT_SAYS(check.out, "ready to run");
  EXPECT_FALSE(std::filesystem::exists(folder / "pendulum.h5"));
}

TEST(Info, tells_what_a_file_holds) {
  const Folder folder;
  ASSERT_EQ(call(folder, {"run", pendulum}).code, 0);
  const Outcome info = call(folder, {"info", "pendulum.h5"});
  EXPECT_EQ(info.code, 0);
  for (const char* form :
       {R"(title +: Pendulum\n)", R"(model +: pendulum\.toml\n)", R"(made +: 20.* by trammel \d+\.\d+\.\d+\n)",
        R"(state +: closed\n)", R"(time +: 0 … 0\.5 s\n)", R"(frames +: 51\n)", R"(steps +: 500\n)",
        R"(bodies +: rod\n +\.position +x y z +\[m\]\n)", R"(joints +: hinge\n)", R"(\.angle +\[rad\]\n)",
        R"(measures +: height \[m\]\n)", R"(energy +: kinetic, potential, total, work, drift \[J\]\n)",
        R"(solver +: h \[s\],.* iterations)", R"(stop +: reached the end, t = 0\.5 s\n)"})
    EXPECT_TRUE(std::regex_search(info.out, std::regex(form))) << form << " not in\n" << info.out;

  const Outcome channels = call(folder, {"info", "pendulum.h5", "--channels"});
  const ResultsReader results(folder / "pendulum.h5");
  EXPECT_EQ(lines_of(channels.out), results.channels());
  EXPECT_EQ(call(folder, {"info", "pendulum.h5", "--model"}).out, read_text(pendulum));
}

TEST(Info, tells_what_an_earlier_version_wrote) {
  const Folder folder;
  old_results::unpack("results_0_1.h5", folder / "old.h5");
  const Outcome info = call(folder, {"info", "old.h5"});
  EXPECT_EQ(info.code, 0) << info.err;
  EXPECT_SAYS(info.out, "by trammel 0.1.0");
  EXPECT_SAYS(info.out, "height [m]");
  EXPECT_SAYS(info.out, "reached the end, t = 0.5 s");
  EXPECT_SAYS(call(folder, {"info", "old.h5", "--model"}).out, "[[joint]]\nname = \"hinge\"\nkind = \"revolute\"\n");
  EXPECT_EQ(call(folder, {"export", "old.h5", "--csv", "tables"}).code, 0);
  EXPECT_EQ(call(folder, {"plot", "old.h5", "rod.position", "-o", "old.svg"}).code, 0);
  EXPECT_EQ(call(folder, {"report", "old.h5"}).code, 0);
  EXPECT_EQ(call(folder, {"repair", "old.h5", "-o", "copy.h5"}).code, 0);
}

TEST(Export, writes_every_number_to_tables) {
  const Folder folder;
  ASSERT_EQ(call(folder, {"run", pendulum}).code, 0);
  const Outcome out = call(folder, {"export", "pendulum.h5", "--csv", "tables"});
  EXPECT_EQ(out.code, 0) << out.err;
  EXPECT_SAYS(out.out, "tables/position.csv\n");
  const ResultsReader results(folder / "pendulum.h5");
  const Table position = read_table_csv(folder / "tables/position.csv");
  const Table measure = read_table_csv(folder / "tables/measure.csv");
  ASSERT_EQ(position.n_rows(), 51u);
  EXPECT_EQ(position.column("time"), results.times());
  const Series z = results.read("rod.position.z");
  for (int row = 0; row < 51; ++row) {
    EXPECT_EQ(position.column("rod.z")[row], z.values(row, 0));
    EXPECT_EQ(measure.column("height")[row], z.values(row, 0));
  }
  EXPECT_EQ(read_table_csv(folder / "tables/solver.csv").n_rows(), 500u);
}

TEST(Export, writes_a_scene_for_ParaView) {
  const Folder folder;
  ASSERT_EQ(call(folder, {"run", pendulum}).code, 0);
  const Outcome out = call(folder, {"export", "pendulum.h5", "--vtk", "scene"});
  EXPECT_EQ(out.code, 0) << out.err;
  EXPECT_EQ(out.out, "scene/results.pvd\n");
  const std::string collection = read_text(folder / "scene/results.pvd");
  int frames = 0;
  for (std::size_t at = 0; (at = collection.find("<DataSet", at)) != std::string::npos; ++at) ++frames;
  EXPECT_EQ(frames, 51);
  EXPECT_TRUE(std::filesystem::exists(folder / "scene/frames/frame_000050.vtp"));
  EXPECT_SAYS(read_text(folder / "scene/bodies.csv"), "rod");
}

TEST(Results, are_read_while_the_run_goes_on_and_repaired_after_its_death) {
  const Folder folder;
  Child child(folder, {"run", pendulum, "--set", "analysis.end=1e6", "output.flush_every_frame=true",
                       "--progress-interval", "0"});
  ASSERT_TRUE(child.wait_for_text(" 3 frames written"));

  const Folder beside;
  const std::string path = (folder / "pendulum.h5").string(), copy = (folder / "copy.h5").string();
  const Outcome info = call(beside, {"info", path});
  EXPECT_EQ(info.code, 0) << info.err;
  EXPECT_SAYS(info.out, "running");
  EXPECT_SAYS(info.out, "the run did not end yet");
  const Outcome second = call(beside, {"run", pendulum, "--out", path});
  EXPECT_EQ(second.code, 4);
  EXPECT_SAYS(second.err, "a running simulation is writing this file");
  EXPECT_EQ(call(beside, {"repair", path, "-o", copy}).code, 4);

  child.send(SIGKILL);
  EXPECT_EQ(child.end(), -SIGKILL);
  const Outcome after = call(beside, {"info", path});
  EXPECT_SAYS(after.out, "interrupted");
  EXPECT_SAYS(after.out, "`trammel repair` makes a clean copy");
  const std::int64_t frames = ResultsReader(path).n_frames();
  EXPECT_GE(frames, 3);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"repair", path, "-o", copy}, {"repair", path}}) {
    const Outcome repair = call(beside, words);
    EXPECT_EQ(repair.code, 0) << repair.err;
    const ResultsReader clean(words.size() == 4 ? copy : (folder / "pendulum_repaired.h5").string());
    EXPECT_EQ(clean.state(), ResultsState::closed);
    EXPECT_EQ(clean.n_frames(), frames);
    EXPECT_EQ(clean.attribute("title"), "Pendulum");
    EXPECT_EQ(clean.read("rod.position").values, ResultsReader(path).read("rod.position").values);
  }
  EXPECT_EQ(call(beside, {"export", path, "--csv", "tables"}).code, 0);
}

}  // namespace
}  // namespace trammel::test_results
